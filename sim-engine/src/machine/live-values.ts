/** Where values of the IR are live, and whether two may share a register. */
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import { isLeaf, isPure } from "../ir/operations.ts";
import type { Shape } from "./shape.ts";

export class LiveValues {
  readonly #shape: Shape;
  readonly #asked: ReadonlySet<Op>;
  readonly #out = new Map<Block, Set<Op>>();
  /** Where an operation stands in its block; phis before all. */
  readonly #position = new Map<Op, number>();
  /** The last position in a block that reads a value. */
  readonly #lastUse = new Map<Block, Map<Op, number>>();

  /** @param asked values that are asked about: those of all, in all blocks that they pass, come to the square of a long kernel's length */
  constructor(shape: Shape, asked: ReadonlySet<Op>) {
    this.#shape = shape;
    this.#asked = asked;
    this.#number(shape.kernel);
    this.#flow(shape.kernel);
  }

  #number(kernel: Kernel): void {
    for (const block of kernel.blocks) {
      this.#shape.work.ask(block.ops.length);
      const last = new Map<Op, number>();
      for (const phi of block.phis) this.#position.set(phi, -1);
      for (const [position, op] of block.ops.entries()) {
        this.#position.set(op, position);
        for (const arg of op.args) if (this.#asked.has(arg)) last.set(arg, position);
      }
      if (block.end.kind === "branch" && this.#asked.has(block.end.cond)) last.set(block.end.cond, block.ops.length);
      this.#lastUse.set(block, last);
    }
  }

  #flow(kernel: Kernel): void {
    const into = new Map<Block, Set<Op>>();
    for (const block of kernel.blocks) {
      this.#out.set(block, new Set());
      const start = new Set<Op>();
      for (const value of this.#lastUse.get(block)?.keys() ?? []) if (!isLeaf(value) && this.#shape.home(value) !== block) start.add(value);
      into.set(block, start);
    }
    // What is wanted flows backwards: from the last block on, most blocks are looked at once.
    const pending = new Set([...kernel.blocks].reverse());
    // What phis take is wanted at the end of the block it comes from.
    for (const block of kernel.blocks) {
      for (const [index, from] of block.predecessors.entries()) {
        this.#shape.work.ask(block.phis.length);
        for (const phi of block.phis) {
          const arg = phi.args[index];
          if (arg && this.#asked.has(arg) && !isLeaf(arg)) this.#reach(arg, from, into, pending);
        }
      }
    }
    for (const block of pending) {
      pending.delete(block);
      this.#shape.work.ask(((into.get(block)?.size ?? 0) * block.predecessors.length) / 8 + 1);
      for (const from of block.predecessors) for (const value of into.get(block) ?? []) this.#reach(value, from, into, pending);
    }
  }

  /** The value is wanted at the end of `block`. */
  #reach(value: Op, block: Block, into: Map<Block, Set<Op>>, pending: Set<Block>): void {
    const out = this.#out.get(block) as Set<Op>;
    if (out.has(value)) return;
    out.add(value);
    const start = into.get(block) as Set<Op>;
    if (this.#shape.home(value) === block || start.has(value)) return;
    start.add(value);
    pending.add(block);
  }

  /** Live behind the operation at `position` of a block that its definition reaches. */
  #liveAfter(value: Op, block: Block, position: number): boolean {
    return this.#out.get(block)?.has(value) === true || (this.#lastUse.get(block)?.get(value) ?? -2) > position;
  }

  /** Whether both are wanted at one time. */
  interfere(a: Op, b: Op): boolean {
    const [homeA, homeB] = [this.#shape.home(a), this.#shape.home(b)];
    if (!homeA || !homeB) return true;
    const [atA, atB] = [this.#position.get(a) ?? 0, this.#position.get(b) ?? 0];
    const aFirst = homeA === homeB ? atA <= atB : this.#shape.tree.dominates(homeA, homeB);
    if (aFirst) return this.#liveAfter(a, homeB, atB);
    const bFirst = homeA === homeB || this.#shape.tree.dominates(homeB, homeA);
    return bFirst && this.#liveAfter(b, homeA, atA);
  }

  /**
   * Whether what reads `value` could all be done before `next` is computed, in the block of `next`: then the scheduler does so,
   * and `next` takes the place of `value`.
   */
  canReadBefore(value: Op, next: Op): boolean {
    const home = this.#shape.home(next);
    if (!home || this.#out.get(home)?.has(value)) return false;
    const at = this.#position.get(next) ?? 0;
    this.#shape.work.ask((home.ops.length - at) / 4);
    const later = new Set<Op>([next]);
    for (const op of home.ops.slice(at + 1)) {
      const depends = op.args.some((arg) => later.has(arg));
      if (depends) later.add(op);
      if (op.args.includes(value) && (depends || !isPure(op))) return false;
    }
    return !(home.end.kind === "branch" && home.end.cond === value);
  }
}
