/** Shapes of the control-flow graph: orders, dominance, loops. All need `linkBlocks` to have run. */
import { successors } from "./builder.ts";
import { immediateDominators } from "./immediate-dominators.ts";
import type { Block, Kernel } from "./kernel.ts";

/** Blocks so that each comes before those it reaches, but for back edges. The entry is first. */
export function reversePostorder(kernel: Kernel): Block[] {
  const entry = kernel.blocks[0];
  return entry ? postorder([entry], successors).reverse() : [];
}

/** Depth first without recursion, for graphs of any depth. */
function postorder(roots: readonly Block[], next: (block: Block) => readonly Block[]): Block[] {
  const seen = new Set<Block>();
  const order: Block[] = [];
  for (const root of roots) {
    if (seen.has(root)) continue;
    seen.add(root);
    const blocks = [root];
    const rests = [next(root)];
    // By level, how many of the next ones are left. The last goes first, so that `then` comes before `else` once the order is reversed.
    const left = [rests[0]!.length];
    for (let top = 0; top >= 0; top = blocks.length - 1) {
      if (left[top]! === 0) {
        order.push(blocks.pop()!);
        rests.pop();
        left.pop();
        continue;
      }
      const to = rests[top]![--left[top]!]!;
      if (seen.has(to)) continue;
      seen.add(to);
      blocks.push(to);
      const rest = next(to);
      rests.push(rest);
      left.push(rest.length);
    }
  }
  return order;
}

/** Blocks numbered as a walk down the tree comes to them: what a block dominates has the numbers behind its own up to the `last`. */
interface Walk {
  readonly number: ReadonlyMap<Block, number>;
  /** By number. */
  readonly last: Int32Array;
}

/** Who dominates whom: a tree over blocks. `undefined` as a parent is the root above all entries (or exits). */
export class DominatorTree {
  readonly #parent: ReadonlyMap<Block, Block | undefined>;
  readonly #depth = new Map<Block, number>();
  #walk: Walk | undefined;

  constructor(parent: ReadonlyMap<Block, Block | undefined>) {
    this.#parent = parent;
  }

  /** The immediate dominator: absent for a root, and for a block that no root reaches. */
  parent(block: Block): Block | undefined {
    return this.#parent.get(block);
  }

  has(block: Block): boolean {
    return this.#parent.has(block);
  }

  /** True also for a block and itself. */
  dominates(a: Block, b: Block): boolean {
    if (a === b) return true;
    this.#walk ??= this.#numbered();
    const { number, last } = this.#walk;
    const [outer, inner] = [number.get(a), number.get(b)];
    return outer !== undefined && inner !== undefined && outer < inner && inner <= last[outer]!;
  }

  #numbered(): Walk {
    const number = new Map<Block, number>();
    const children = this.children();
    const pending: Block[] = [];
    for (const block of this.#parent.keys()) if (this.#parent.get(block) === undefined) pending.push(block);
    for (const block of children.keys()) if (!this.#parent.has(block)) pending.push(block);
    const blocks: Block[] = [];
    for (let block = pending.pop(); block; block = pending.pop()) {
      number.set(block, blocks.length);
      blocks.push(block);
      const below = children.get(block);
      if (below) for (const child of below) pending.push(child);
    }
    const last = Int32Array.from(blocks, (_, k) => k);
    // Each comes before those below it.
    for (let k = blocks.length - 1; k >= 0; k--) {
      const around = this.#parent.get(blocks[k]!);
      const outer = around && number.get(around);
      if (outer !== undefined && last[outer]! < last[k]!) last[outer] = last[k]!;
    }
    return { number, last };
  }

  depth(block: Block): number {
    const path: Block[] = [];
    let at: Block | undefined = block;
    while (at && !this.#depth.has(at)) {
      path.push(at);
      at = this.parent(at);
    }
    let depth = at ? (this.#depth.get(at) ?? 0) : -1;
    for (const each of path.reverse()) this.#depth.set(each, ++depth);
    return depth;
  }

  /** Blocks in an order where each follows its parent. */
  children(): ReadonlyMap<Block, Block[]> {
    const children = new Map<Block, Block[]>();
    for (const [block, parent] of this.#parent) {
      if (!parent) continue;
      const list = children.get(parent);
      if (list) list.push(block);
      else children.set(parent, [block]);
    }
    return children;
  }
}

/** Over any direction of edges, below a virtual root. */
function dominatorTree(roots: readonly Block[], order: readonly Block[], incoming: (block: Block) => readonly Block[]): DominatorTree {
  const index = new Map<Block, number>();
  for (let position = 0; position < order.length; position++) index.set(order[position]!, position);
  const known = (blocks: readonly Block[]): number[] => {
    const positions: number[] = [];
    for (let k = 0; k < blocks.length; k++) {
      const position = index.get(blocks[k]!);
      if (position !== undefined) positions.push(position);
    }
    return positions;
  };
  const parents = immediateDominators(
    known(roots),
    order.map((block) => known(incoming(block))),
  );
  const parent = new Map<Block, Block | undefined>();
  for (let position = 0; position < order.length; position++) parent.set(order[position]!, order[parents[position]!]);
  return new DominatorTree(parent);
}

export const dominators = (kernel: Kernel): DominatorTree => dominatorsOf(reversePostorder(kernel));

const dominatorsOf = (order: readonly Block[]): DominatorTree => dominatorTree(order.slice(0, 1), order, (block) => block.predecessors);

/**
 * Post-dominance: the parent of a block is where paths from it meet again (its immediate post-dominator); absent where
 * they meet only by returning. A loop without a way out counts as returning from its header, so that every block is in the tree.
 */
export function postDominators(kernel: Kernel): DominatorTree {
  const roots = kernel.blocks.filter((block) => block.end.kind === "return");
  const back = (block: Block): readonly Block[] => block.predecessors;
  let order = postorder(roots, back);
  if (order.length < kernel.blocks.length) {
    for (const block of reversePostorder(kernel)) {
      if (order.includes(block)) continue;
      roots.push(block);
      order = postorder(roots, back);
    }
  }
  return dominatorTree(roots, order.reverse(), successors);
}

/**
 * Where lanes that part at a block's branch meet again, as compilers place reconvergence: its immediate post-dominator on the
 * paths that go on to the kernel's end. Lanes that return early are waited for nowhere. Absent where there is no such place.
 */
export function reconvergence(kernel: Kernel): DominatorTree {
  const order = reversePostorder(kernel);
  const isReturn = (block: Block): boolean => block.end.kind === "return";
  const isBare = (block: Block): boolean => isReturn(block) && block.ops.length === 0;
  const position = new Map(order.map((block, index) => [block, index]));
  const last = (blocks: readonly Block[]): Block | undefined =>
    blocks.reduce<Block | undefined>((a, b) => (a && (position.get(a) ?? 0) > (position.get(b) ?? 0) ? a : b), undefined);
  // The kernel's end is reached from the last block that returns. To go to a bare return from anywhere else is to return early.
  const end = last(order.filter((block) => !isBare(block) && (isReturn(block) || successors(block).some(isBare))));
  const root = end && (successors(end).find(isBare) ?? end);
  const plain = postDominators(kernel);
  if (!end || !root) return plain;
  const back = (block: Block): Block[] => (block === root && root !== end ? [end] : block.predecessors.filter((from) => from !== root));
  const remaining = postorder([root], back).reverse();
  const goesOn = new Set(remaining);
  const onward = (block: Block): Block[] =>
    successors(block).filter((to) => goesOn.has(to) && (to !== root || root === end || block === end));
  const tree = dominatorTree([root], remaining, onward);
  return new DominatorTree(new Map(order.map((block) => [block, goesOn.has(block) ? tree.parent(block) : plain.parent(block)])));
}

/** A natural loop: all that reaches a back edge to `header` without passing it. Loops of one header are one loop. */
export interface Loop {
  readonly header: Block;
  /** Header first. */
  readonly blocks: ReadonlySet<Block>;
  /** Blocks inside that jump back to the header. */
  readonly latches: readonly Block[];
  /** Edges that leave the loop. */
  readonly exits: readonly { readonly from: Block; readonly to: Block }[];
  readonly parent: Loop | undefined;
  /** 1 for an outermost loop. */
  readonly depth: number;
}

/** Natural loops, each after the loop that holds it. Cycles entered in several places (from `goto`) are not among them. */
export function findLoops(kernel: Kernel, known?: DominatorTree): Loop[] {
  const loops: Loop[] = [];
  const innermost = new Map<Block, Loop>();
  const order = reversePostorder(kernel);
  const tree = known ?? dominatorsOf(order);
  const position = new Map<Block, number>();
  for (let k = 0; k < order.length; k++) position.set(order[k]!, k);
  // Outer headers come first in reverse postorder, so a loop's parent is known before it. Only edges back in it can be a loop's.
  for (let k = 0; k < order.length; k++) {
    const header = order[k]!;
    const { predecessors } = header;
    if (!predecessors.some((from) => position.get(from)! >= k)) continue;
    const latches = [...new Set(predecessors.filter((from) => tree.has(from) && tree.dominates(header, from)))];
    if (latches.length === 0) continue;
    const blocks = new Set([header]);
    const pending = [...latches];
    for (let block = pending.pop(); block; block = pending.pop()) {
      if (blocks.has(block)) continue;
      blocks.add(block);
      pending.push(...block.predecessors);
    }
    const exits = [...blocks].flatMap((from) => successors(from).flatMap((to) => (blocks.has(to) ? [] : [{ from, to }])));
    const parent = innermost.get(header);
    const loop: Loop = { header, blocks, latches, exits, parent, depth: (parent?.depth ?? 0) + 1 };
    loops.push(loop);
    for (const block of blocks) innermost.set(block, loop);
  }
  return loops;
}
