/**
 * What only one way of a branch needs is computed there, loads among it, as LLVM's InstCombine does: the warps that go the other
 * way are spared it.
 */

import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { mayWrite } from "../facts/memory-effects.ts";

/** Returns whether anything moved. */
export function sinkIntoBranches(kernel: Kernel, work: Work): boolean {
  const branches = kernel.blocks.filter(hasOwnWay);
  if (branches.length === 0) return false;
  const uses = new UsePlaces(kernel, new Set(branches.flatMap(({ ops }) => ops.filter((op) => canMove(op, false)))), work);
  let changed = false;
  for (const block of branches) {
    // Nothing behind an operation may write what it reads; from the last on, so that operands follow what needs them.
    let written = false;
    const stays: Op[] = [];
    for (const op of block.ops.toReversed()) {
      work.ask(1);
      const to = canMove(op, written) ? uses.onlyBlock(op) : undefined;
      written ||= mayWrite(op);
      if (to === undefined || to === block || to.predecessors.length !== 1 || to.predecessors[0] !== block) {
        stays.push(op);
        continue;
      }
      to.ops.unshift(op);
      uses.move(op, block, to);
      changed = true;
    }
    if (stays.length < block.ops.length) block.ops = stays.reverse();
  }
  return changed;
}

/** A branch one way of which nothing else goes. */
const hasOwnWay = ({ end }: Block): boolean =>
  end.kind === "branch" && [end.then, end.else].some(({ predecessors }) => predecessors.length === 1);

function canMove(op: Op, written: boolean): boolean {
  if (op.action.kind === "load") return op.action.volatile !== true && !(written && op.action.cache !== "nc");
  return isPure(op) && !isLeaf(op);
}

/** In which blocks each of some values is used: a phi's operands in the block they come from. */
class UsePlaces {
  readonly #blocks: ReadonlyMap<Op, Map<Block, number>>;

  constructor(kernel: Kernel, values: ReadonlySet<Op>, work: Work) {
    this.#blocks = new Map([...values].map((value) => [value, new Map<Block, number>()]));
    for (const block of kernel.blocks) {
      for (const op of block.ops) {
        work.ask(2);
        for (const arg of op.args) this.#add(arg, block, 1);
      }
      for (const phi of block.phis) for (const [index, arg] of phi.args.entries()) this.#add(arg, block.predecessors[index] as Block, 1);
      if (block.end.kind === "branch") this.#add(block.end.cond, block, 1);
    }
  }

  /** The one block that uses a value; undefined where there are several or none. */
  onlyBlock(op: Op): Block | undefined {
    const blocks = this.#blocks.get(op);
    return blocks?.size === 1 ? [...blocks.keys()][0] : undefined;
  }

  move(op: Op, from: Block, to: Block): void {
    for (const arg of op.args) {
      this.#add(arg, from, -1);
      this.#add(arg, to, 1);
    }
  }

  #add(op: Op, block: Block, count: number): void {
    const blocks = this.#blocks.get(op);
    if (!blocks) return;
    const now = (blocks.get(block) ?? 0) + count;
    if (now > 0) blocks.set(block, now);
    else blocks.delete(block);
  }
}
