/**
 * What a single block uses is computed there, or as near to it as may be, loads among it: the warps that go another way are spared it.
 * As NVVM does (nvcc 13.0: `sinking` of validation/compiler).
 */
import { successors } from "../../ir/builder.ts";
import { type DominatorTree, dominators, findLoops, type Loop, reversePostorder } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isConvergent, isLeaf, isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { type Location, locationOf } from "../facts/alias.ts";
import { clobbers, mayWrite } from "../facts/memory-effects.ts";

/** What is used once goes into the way of a branch that uses it, as LLVM's InstCombine does. Returns whether anything moved. */
export function sinkIntoBranches(kernel: Kernel, work: Work): boolean {
  const branches = kernel.blocks.filter(({ end }) => end.kind === "branch" && [end.then, end.else].some(isOwnWay));
  const movable = usedOnceBehind(branches, kernel, work);
  if (movable.size === 0) return false;
  // What they are made of may go with them.
  const values = new Set(movable);
  for (const value of values) if (isMovable(value)) for (const arg of value.args) values.add(arg);
  const sinking = new Sinking(kernel, work, values);
  const usedThere: Where = (op, block) => {
    const use = sinking.isUsedOnce(op) ? sinking.useOf(op) : undefined;
    return use !== undefined && use !== block && isOwnWay(use) && use.predecessors[0] === block ? use : undefined;
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
  const { loops } = sinking;
  const onTheWay: Where = (op, block) => {
    if (op.action.kind === "fma") return undefined;
    const to = nextBelow(block, sinking.useOf(op), below, tree);
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

/** What blocks compute before their branches that one operand alone uses, in a block that only such a branch leads to. */
function usedOnceBehind(branches: readonly Block[], kernel: Kernel, work: Work): ReadonlySet<Op> {
  const uses = new Map<Op, number>();
  const isOf = new Set(branches);
  for (const block of kernel.blocks) {
    if (!isOwnWay(block) || !isOf.has(block.predecessors[0]!)) continue;
    for (const op of block.ops) for (const arg of op.args) uses.set(arg, 0);
    if (block.end.kind === "branch") uses.set(block.end.cond, 0);
    for (const { phis, predecessors } of successors(block)) for (const { args } of phis) uses.set(args[predecessors.indexOf(block)]!, 0);
  }
  const use = (op: Op): void => {
    const known = uses.get(op);
    if (known !== undefined) uses.set(op, known + 1);
  };
  for (const { phis, ops, end } of kernel.blocks) {
    work.ask(ops.length / 2);
    for (const { args } of phis) args.forEach(use);
    for (const { args } of ops) args.forEach(use);
    if (end.kind === "branch") use(end.cond);
  }
  return new Set(branches.flatMap(({ ops }) => ops.filter((op) => uses.get(op) === 1 && isMovable(op))));
}

const isOwnWay = ({ predecessors }: Block): boolean => predecessors.length === 1;

/** Of the blocks right below one in the tree, that on the way to the block that uses a value. */
function nextBelow(
  block: Block,
  use: Block | undefined,
  below: ReadonlyMap<Block, readonly Block[]>,
  tree: DominatorTree,
): Block | undefined {
  if (use === undefined || use === block) return undefined;
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
  readonly #order: ReadonlyMap<Block, number>;
  #loops: ReadonlyMap<Block, Loop> | undefined;
  /** Looks at uses and writes that a block's operations may still take: beyond, they stay where they are. */
  #patience = 0;

  /** @param values those that may move, and what they are made of; all, without */
  constructor(kernel: Kernel, work: Work, values?: ReadonlySet<Op>) {
    this.#kernel = kernel;
    this.#work = work;
    this.#order = new Map(reversePostorder(kernel).map((block, k) => [block, k]));
    const add = (value: Op, use: Use): void => {
      if ((values && !values.has(value)) || isLeaf(value)) return;
      const uses = this.#uses.get(value);
      if (uses) uses.push(use);
      else this.#uses.set(value, [use]);
    };
    for (const block of kernel.blocks) {
      work.ask(block.ops.length);
      for (const phi of block.phis)
        for (const [index, arg] of phi.args.entries()) add(arg, { user: phi, block: block.predecessors[index] as Block });
      for (const op of block.ops) {
        // Of others than those values only who uses them has to be found.
        let matters = values === undefined || values.has(op);
        for (const arg of op.args) {
          if (values && !values.has(arg)) continue;
          matters = true;
          add(arg, { user: op });
        }
        if (matters) this.#places.set(op, block);
      }
      if (block.end.kind === "branch") add(block.end.cond, { user: undefined, block });
    }
  }

  /** The innermost loop of each block that is in one. */
  get loops(): ReadonlyMap<Block, Loop> {
    if (this.#loops) return this.#loops;
    const loops = new Map<Block, Loop>();
    for (const loop of findLoops(this.#kernel)) for (const block of loop.blocks) loops.set(block, loop);
    this.#loops = loops;
    return loops;
  }

  /** The only block that uses a value, if one does: a phi's operands are used in the block they come from. */
  useOf(op: Op): Block | undefined {
    let only: Block | undefined;
    for (const use of this.#uses.get(op) ?? []) {
      const place = this.#placeOf(use);
      if (only !== undefined && place !== only) return undefined;
      only = place;
    }
    return only;
  }

  isUsedOnce(op: Op): boolean {
    return this.#uses.get(op)?.length === 1;
  }

  /** From the last operation on, so that operands follow what needs them. */
  outOf(block: Block, where: Where): boolean {
    this.#patience = patiencePerOp * (block.ops.length + 16);
    const writes: Write[] = [];
    const stays: Op[] = [];
    /** What goes with an operation that has gone, by where it has. */
    const along = new Map<Op, Block>();
    for (const op of block.ops.toReversed()) {
      this.#work.ask(1);
      const to = isMovable(op) ? where(op, block) : undefined;
      const goes =
        to !== undefined && this.#staysInItsLoop(op, block, to) && this.#isUnchanged(op, writes) && this.#isSpared(op, block, to, along);
      if (mayWrite(op)) writes.push({ op, location: locationOf(op) });
      if (!goes) {
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

  /** A component is taken in the loop that its record is read in. */
  #staysInItsLoop(op: Op, block: Block, to: Block): boolean {
    return op.action.kind !== "extract" || this.loops.get(block) === this.loops.get(to);
  }

  /** Nothing behind a load may write what it reads. */
  #isUnchanged(op: Op, writes: readonly Write[]): boolean {
    if (op.action.kind !== "load" || op.action.cache === "nc") return true;
    const location = locationOf(op);
    return (
      location !== undefined && !writes.some((write) => --this.#patience < 0 || clobbers(this.#kernel, write.op, location, write.location))
    );
  }

  /**
   * Not more values may have to wait for an operation, and what moves with it, than it is itself: those that they are made of and that
   * nothing behind `to` needs.
   */
  #isSpared(op: Op, block: Block, to: Block, along: Map<Op, Block>): boolean {
    if (along.get(op) === to) return true;
    const kept = new Set<Op>();
    const pending = [op];
    for (const user of pending)
      for (const arg of user.args) {
        if (isLeaf(arg)) continue;
        const uses = this.#uses.get(arg) ?? [];
        this.#patience -= uses.length;
        if (this.#patience < 0) return false;
        this.#work.ask(1);
        if (uses.some((use) => use.user !== user && this.#isBehind(this.#placeOf(use), to))) continue;
        const isItsOwn = uses.every((use) => use.user === user);
        if (isItsOwn && this.#places.get(arg) === block && isMovable(arg)) pending.push(arg);
        else if (kept.add(arg).size > 1) return false;
      }
    // Those make up no more than all of it.
    for (const part of pending) along.set(part, to);
    return true;
  }

  /** Control may come there from `to`, as far as the order of the blocks tells. */
  #isBehind(block: Block, to: Block): boolean {
    return (this.#order.get(block) ?? -1) >= (this.#order.get(to) ?? 0);
  }

  #placeOf({ user, block }: Use): Block {
    return block ?? (this.#places.get(user as Op) as Block);
  }
}

interface Write {
  readonly op: Op;
  readonly location: Location | undefined;
}

/** Bounds the time of blocks whose values have thousands of uses, or of loads behind thousands of writes: no figure of the compiler. */
const patiencePerOp = 64;

const isMovable = (op: Op): boolean =>
  op.action.kind === "load" ? op.action.volatile !== true : isPure(op) && !isLeaf(op) && !isConvergent(op);
