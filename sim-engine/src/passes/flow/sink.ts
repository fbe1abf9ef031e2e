/**
 * What a single block uses is computed there, or as near to it as may be, loads among it: the warps that go another way are spared it.
 * As NVVM does (nvcc 13.0: `sinking` of validation/compiler).
 */
import { successors } from "../../ir/builder.ts";
import { type DominatorTree, dominators, findLoops, type Loop, reversePostorder } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { locationOf } from "../facts/alias.ts";
import { clobbers, mayWrite } from "../facts/memory-effects.ts";

/** What is used once goes into the way of a branch that uses it, as LLVM's InstCombine does. Returns whether anything moved. */
export function sinkIntoBranches(kernel: Kernel, work: Work): boolean {
  const branches = kernel.blocks.filter(({ end }) => end.kind === "branch" && [end.then, end.else].some(isOwnWay));
  if (branches.length === 0) return false;
  const values = new Set(branches.flatMap(({ ops }) => ops.flatMap((op) => [op, ...op.args])));
  const sinking = new Sinking(kernel, work, values);
  const usedThere: Where = (op, block) => {
    const [use, ...others] = sinking.placesOf(op);
    return others.length === 0 && use !== undefined && use !== block && isOwnWay(use) && use.predecessors[0] === block ? use : undefined;
  };
  let changed = false;
  for (const block of branches) if (sinking.outOf(block, usedThere)) changed = true;
  return changed;
}

/**
 * What one block uses goes on to it, behind branches inside branches and behind joins: once multiply-adds are made, which stay where
 * they are. Returns whether anything moved.
 */
export function sinkToUse(kernel: Kernel, work: Work): boolean {
  if (kernel.blocks.length < 3) return false;
  const sinking = new Sinking(kernel, work);
  const tree = dominators(kernel);
  const below = tree.children();
  const loops = new Map<Block, Loop>();
  for (const loop of findLoops(kernel, tree)) for (const block of loop.blocks) loops.set(block, loop);
  const onTheWay: Where = (op, block) => {
    if (op.action.kind === "fma") return undefined;
    const to = nextBelow(block, sinking.placesOf(op), below, tree);
    if (to === undefined || isOwnWay(to)) return to;
    // Behind a join memory may have changed, and a loop would compute it in each turn.
    const loop = loops.get(to);
    return op.action.kind !== "load" && (loop === undefined || loop === loops.get(block)) ? to : undefined;
  };
  let changed = false;
  // What has moved to a block moves on from there.
  for (const block of reversePostorder(kernel)) if (successors(block).length > 1 && sinking.outOf(block, onTheWay)) changed = true;
  return changed;
}

const isOwnWay = ({ predecessors }: Block): boolean => predecessors.length === 1;

/** Of the blocks right below one in the tree, that on the way to the only block that uses a value. */
function nextBelow(
  block: Block,
  uses: readonly Block[],
  below: ReadonlyMap<Block, readonly Block[]>,
  tree: DominatorTree,
): Block | undefined {
  const [use] = uses;
  if (use === undefined || use === block || uses.some((other) => other !== use)) return undefined;
  return below.get(block)?.find((each) => tree.dominates(each, use));
}

/** Where an operation of a block may go, if only its uses matter. */
type Where = (op: Op, block: Block) => Block | undefined;

interface Use {
  /** Absent for a branch. */
  readonly user: Op | undefined;
  /** Where a phi takes it from, or the branch is; absent where an operation uses it, which may move. */
  readonly block?: Block;
}

class Sinking {
  readonly #kernel: Kernel;
  readonly #work: Work;
  readonly #uses = new Map<Op, Use[]>();
  readonly #places = new Map<Op, Block>();

  /** @param values those that may move, and what they are made of; all, without */
  constructor(kernel: Kernel, work: Work, values?: ReadonlySet<Op>) {
    this.#kernel = kernel;
    this.#work = work;
    const add = (value: Op, use: Use): void => {
      if (isLeaf(value) || (values && !values.has(value))) return;
      const uses = this.#uses.get(value);
      if (uses) uses.push(use);
      else this.#uses.set(value, [use]);
    };
    for (const block of kernel.blocks) {
      for (const phi of block.phis)
        for (const [index, arg] of phi.args.entries()) add(arg, { user: phi, block: block.predecessors[index] as Block });
      for (const op of block.ops) {
        work.ask(1);
        this.#places.set(op, block);
        for (const arg of op.args) add(arg, { user: op });
      }
      if (block.end.kind === "branch") add(block.end.cond, { user: undefined, block });
    }
  }

  /** A block for each use: a phi's operands are used in the block they come from. */
  placesOf(op: Op): readonly Block[] {
    return (this.#uses.get(op) ?? []).map((use) => this.#placeOf(use));
  }

  /** From the last operation on, so that operands follow what needs them. */
  outOf(block: Block, where: Where): boolean {
    const behind = new Map<Block, ReadonlySet<Block>>();
    const writes: Op[] = [];
    const stays: Op[] = [];
    for (const op of block.ops.toReversed()) {
      this.#work.ask(1);
      const to = this.#moves(op, writes) ? where(op, block) : undefined;
      if (mayWrite(op)) writes.push(op);
      if (to === undefined || !this.#isSpared(op, block, to, behind)) {
        stays.push(op);
        continue;
      }
      to.ops.unshift(op);
      this.#places.set(op, to);
    }
    if (stays.length === block.ops.length) return false;
    block.ops = stays.reverse();
    return true;
  }

  #moves(op: Op, writes: readonly Op[]): boolean {
    const { action } = op;
    if (action.kind !== "load") return isPure(op) && !isLeaf(op);
    if (action.volatile === true) return false;
    const location = locationOf(op);
    return action.cache === "nc" || (location !== undefined && !writes.some((write) => clobbers(this.#kernel, write, location)));
  }

  /** Not more values may have to wait for an operation, and what moves with it, than it is itself. */
  #isSpared(op: Op, block: Block, to: Block, behind: Map<Block, ReadonlySet<Block>>): boolean {
    let reached = behind.get(to);
    if (!reached) {
      reached = reachedFrom(to, block);
      behind.set(to, reached);
    }
    const kept = new Set<Op>();
    this.#keep(op, block, reached, kept);
    return kept.size <= 1;
  }

  /** Adds the values that an operation is made of and that nothing else in `reached` needs. */
  #keep(op: Op, block: Block, reached: ReadonlySet<Block>, kept: Set<Op>): void {
    for (const arg of op.args) {
      if (kept.size > 1) return;
      if (isLeaf(arg)) continue;
      const others = (this.#uses.get(arg) ?? []).filter(({ user }) => user !== op);
      if (others.some((use) => reached.has(this.#placeOf(use)))) continue;
      if (others.length === 0 && this.#places.get(arg) === block && this.#moves(arg, [])) this.#keep(arg, block, reached, kept);
      else kept.add(arg);
    }
  }

  #placeOf({ user, block }: Use): Block {
    return block ?? (this.#places.get(user as Op) as Block);
  }
}

/** The blocks that control may come to from one on, without passing another. */
function reachedFrom(start: Block, without: Block): ReadonlySet<Block> {
  const reached = new Set([start]);
  for (const block of reached) for (const to of successors(block)) if (to !== without) reached.add(to);
  return reached;
}
