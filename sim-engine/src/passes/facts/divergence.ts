/**
 * Which values may differ between the lanes of a warp. What is left is uniform: computed once a warp.
 *
 * After "Divergence Analysis with Affine Constraints" (Sampaio et al.) and LLVM's sync dependence analysis: data
 * dependence on a varying value, phis where paths of a divergent branch meet, and values that leave a loop which lanes
 * leave at different iterations.
 */
import { successors } from "../../ir/builder.ts";
import type { DominatorTree, Loop } from "../../ir/graph.ts";
import type { Action, Block, Dim3, Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";

export interface Divergence {
  /** The value may differ between active lanes of a warp. */
  isVarying(op: Op): boolean;
  /** The branch at the block's end may send lanes of one warp both ways. */
  isDivergent(block: Block): boolean;
  /**
   * The value is used outside a loop that lanes leave at different iterations: lanes that have left must keep theirs.
   * Such values are varying.
   */
  outlivesLoop(op: Op): boolean;
  /** A phi whose lanes may come from different edges, or at different times. */
  isMerged(op: Op): boolean;
}

export function analyseDivergence(kernel: Kernel, blockDim: Dim3, post: DominatorTree, loops: readonly Loop[], work: Work): Divergence {
  const varying = new Set<Op>();
  const divergent = new Set<Block>();
  const outliving = new Set<Op>();
  const merged = new Set<Op>();
  const users = new Map<Op, Op[]>();
  const home = new Map<Op, Block>();
  const branches = new Map<Op, Block[]>();
  for (const block of kernel.blocks) {
    for (const op of [...block.phis, ...block.ops]) {
      home.set(op, block);
      for (const arg of op.args) append(users, arg, op);
    }
    if (block.end.kind === "branch") append(branches, block.end.cond, block);
  }

  const pending: Op[] = [];
  const mark = (op: Op): void => {
    if (op.type === "void" || varying.has(op)) return;
    varying.add(op);
    pending.push(op);
  };
  const markLoopExit = (loop: Loop): void => {
    /** Whether the user reads the value once lanes have left. A phi on an edge out of the loop takes it as each lane leaves. */
    const readsLater = (user: Op, op: Op): boolean => {
      const at = home.get(user);
      if (!at || loop.blocks.has(at)) return false;
      if (user.action.kind !== "phi") return true;
      merged.add(user);
      mark(user);
      return user.args.some((arg, index) => arg === op && !loop.blocks.has(at.predecessors[index] ?? at));
    };
    for (const block of loop.blocks) {
      work.ask(block.ops.length);
      for (const op of [...block.phis, ...block.ops]) {
        const later = (users.get(op) ?? []).filter((user) => readsLater(user, op)).length > 0;
        if (!later && !branches.get(op)?.some((each) => !loop.blocks.has(each))) continue;
        outliving.add(op);
        mark(op);
      }
    }
  };
  const markDivergent = (block: Block): void => {
    if (divergent.has(block)) return;
    divergent.add(block);
    for (const join of joins(block, post, work)) {
      for (const phi of join.phis) {
        merged.add(phi);
        mark(phi);
      }
    }
    for (const loop of loops) if (loop.blocks.has(block) && leavesUnevenly(loop, block, post)) markLoopExit(loop);
  };

  for (const block of kernel.blocks) {
    for (const op of block.ops) if (isSource(op.action, blockDim)) mark(op);
  }
  for (let op = pending.pop(); op; op = pending.pop()) {
    work.ask(1);
    for (const user of users.get(op) ?? []) if (op === user.args[0] ? !isSame(user.action) : !alwaysUniform(user.action)) mark(user);
    for (const block of branches.get(op) ?? []) markDivergent(block);
  }
  return {
    isVarying: (op) => varying.has(op),
    isDivergent: (block) => divergent.has(block),
    outlivesLoop: (op) => outliving.has(op),
    isMerged: (op) => merged.has(op),
  };
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** The block's branch can make some lanes leave the loop while others stay: its paths meet only outside. */
function leavesUnevenly(loop: Loop, block: Block, post: DominatorTree): boolean {
  const meet = post.parent(block);
  return !meet || !loop.blocks.has(meet);
}

/** Blocks where two paths from the branch at the end of `block` may meet without passing `block` again. */
function joins(block: Block, post: DominatorTree, work: Work): Set<Block> {
  const end = post.parent(block);
  const labels = new Map<Block, Block>();
  const found = new Set<Block>();
  const pending: Block[] = [];
  const reach = (to: Block, label: Block): void => {
    const known = labels.get(to);
    if (known === label || found.has(to)) return;
    if (known === undefined) labels.set(to, label);
    else {
      found.add(to);
      labels.set(to, to);
    }
    if (to !== end && to !== block) pending.push(to);
  };
  for (const to of successors(block)) reach(to, to);
  for (let at = pending.pop(); at; at = pending.pop()) {
    work.ask(1);
    const label = labels.get(at);
    if (label) for (const to of successors(at)) reach(to, label);
  }
  // Both edges of a branch may lead to one block.
  if (block.end.kind === "branch" && block.end.then === block.end.else) found.add(block.end.then);
  return found;
}

/** Differs between lanes whatever its operands are. */
function isSource(action: Action, [width, height]: Dim3): boolean {
  switch (action.kind) {
    case "special":
      switch (action.register) {
        case "laneid":
          return true;
        case "tid.x":
          return width > 1;
        case "tid.y":
          return width % 32 !== 0 && height > 1;
        case "tid.z":
          return (width * height) % 32 !== 0;
        default:
          return false;
      }
    case "load":
      // Each thread has its own local memory, though all see it at the same addresses.
      return action.space === "local" || action.space === "generic" || action.matrix === true;
    case "atomic":
    case "shuffle":
    case "matrix":
    case "wgmma":
      return true;
    case "match":
      return action.mode === "any";
    case "barrier":
      return false;
    default:
      return false;
  }
}

/** The same in all lanes whatever the mask of those that take part. */
const isSame = (action: Action): boolean => action.kind === "barrier";

/** The same in all lanes that take part, whatever the other operands are. */
function alwaysUniform(action: Action): boolean {
  switch (action.kind) {
    case "vote":
    case "reduce":
    case "barrier":
      return true;
    case "match":
      return action.mode === "all";
    default:
      return false;
  }
}
