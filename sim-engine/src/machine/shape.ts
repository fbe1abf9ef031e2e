/** What instruction selection asks about a kernel, worked out once. */

import { successors } from "../ir/builder.ts";
import { type DominatorTree, dominators, findLoops, type Loop, postDominators, reversePostorder } from "../ir/graph.ts";
import type { Block, Kernel, Op, Space } from "../ir/kernel.ts";
import { analyseDivergence, type Divergence } from "../passes/facts/divergence.ts";
import { pointerSpaces } from "../passes/facts/pointer-spaces.ts";
import type { Work } from "../work.ts";

export class Shape {
  readonly kernel: Kernel;
  /** Asked whether the code is still wanted. */
  readonly work: Work;
  readonly tree: DominatorTree;
  readonly post: DominatorTree;
  readonly loops: readonly Loop[];
  readonly divergence: Divergence;
  readonly #users = new Map<Op, Op[]>();
  readonly #conditions = new Map<Op, number>();
  readonly #home = new Map<Op, Block>();
  readonly #innermost = new Map<Block, Loop>();
  readonly #spaces: ReadonlyMap<Op, Space>;
  #apart: ReadonlySet<Block> | undefined;

  constructor(kernel: Kernel, work: Work) {
    this.kernel = kernel;
    this.work = work;
    this.tree = dominators(kernel);
    this.post = postDominators(kernel);
    this.loops = findLoops(kernel, this.tree);
    // The compiler does not know the block's shape: any index may vary within a warp.
    this.divergence = analyseDivergence(kernel, [8, 8, 8], this.post, this.loops, work);
    this.#spaces = pointerSpaces(kernel);
    for (const loop of this.loops) for (const block of loop.blocks) this.#innermost.set(block, loop);
    for (const block of kernel.blocks) {
      for (const op of [...block.phis, ...block.ops]) {
        this.#home.set(op, block);
        for (const arg of op.args) {
          const list = this.#users.get(arg);
          if (list) list.push(op);
          else this.#users.set(arg, [op]);
        }
      }
      if (block.end.kind === "branch") this.#conditions.set(block.end.cond, (this.#conditions.get(block.end.cond) ?? 0) + 1);
    }
  }

  users(op: Op): readonly Op[] {
    return this.#users.get(op) ?? [];
  }

  /** Uses as an operand or a branch condition. */
  useCount(op: Op): number {
    return this.users(op).length + (this.#conditions.get(op) ?? 0);
  }

  isCondition(op: Op): boolean {
    return this.#conditions.has(op);
  }

  home(op: Op): Block | undefined {
    return this.#home.get(op);
  }

  /** The innermost loop around a block. */
  loopOf(block: Block): Loop | undefined {
    return this.#innermost.get(block);
  }

  /** The same for all lanes of a warp. */
  isUniform(op: Op): boolean {
    return !this.divergence.isVarying(op);
  }

  /** Lanes of a warp may have gone another way, and be there still. */
  isApart(block: Block): boolean {
    this.#apart ??= this.#findApart();
    return this.#apart.has(block);
  }

  #findApart(): Set<Block> {
    const found = new Set<Block>();
    for (const from of reversePostorder(this.kernel)) {
      // Where lanes are apart already they meet before, or where, those do.
      if (found.has(from) || !this.divergence.isDivergent(from)) continue;
      const meeting = this.post.parent(from);
      // Those that have returned are nowhere.
      if (!meeting && successors(from).some(({ end }) => end.kind === "return")) continue;
      const pending = successors(from).filter((to) => to !== meeting);
      const seen = new Set(pending);
      for (let block = pending.pop(); block; block = pending.pop()) {
        this.work.ask(1);
        found.add(block);
        for (const to of successors(block)) {
          if (to === meeting || seen.has(to)) continue;
          seen.add(to);
          pending.push(to);
        }
      }
    }
    return found;
  }

  /** Shared and local addresses take one register, others two. */
  isNarrowPointer(op: Op): boolean {
    const space = this.#spaces.get(op);
    return space === "shared" || space === "local";
  }

  spaceOf(op: Op): Space | undefined {
    return this.#spaces.get(op);
  }
}
