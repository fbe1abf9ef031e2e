/** Copies of a loop's body one after the other, as all kinds of unrolling need. */

import type { Loop } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { copyBlocks } from "../edit/blocks.ts";
import { removeEdge } from "../edit/edges.ts";
import type { BottomTested } from "./induction.ts";

const blocksInOrder = (kernel: Kernel, loop: Loop): Block[] => kernel.blocks.filter((block) => loop.blocks.has(block));

/** Values of the loop that something outside uses. */
export function usedOutside(kernel: Kernel, loop: Loop, work: Work): Map<Op, Block> {
  const home = new Map<Op, Block>();
  for (const block of loop.blocks) for (const op of [...block.phis, ...block.ops]) home.set(op, block);
  const found = new Map<Op, Block>();
  const use = (op: Op): void => {
    const block = home.get(op);
    if (block) found.set(op, block);
  };
  for (const block of kernel.blocks) {
    if (loop.blocks.has(block)) continue;
    work.ask(block.ops.length / 2);
    for (const phi of block.phis) phi.args.forEach(use);
    for (const op of block.ops) op.args.forEach(use);
    if (block.end.kind === "branch") use(block.end.cond);
  }
  return found;
}

/** A number of copies of the loop's body one after the other. */
export interface Chain {
  readonly first: Block;
  readonly lastLatch: Block;
  /** The header's phis as they are after the last copy. */
  readonly ends: ReadonlyMap<Op, Op>;
  /** The loop's own test of the last copy. */
  readonly cond: Op;
  /** Where each value is defined in each copy. */
  readonly copies: readonly { readonly blocks: ReadonlyMap<Block, Block>; readonly values: ReadonlyMap<Op, Op> }[];
}

/** Copies the body `count` times; the first begins with `starts`. The last latch is left without an end. */
export function chain(
  kernel: Kernel,
  loop: Loop,
  test: BottomTested,
  starts: ReadonlyMap<Op, Op>,
  count: number,
  before: Block,
  work: Work,
): Chain {
  const blocks = blocksInOrder(kernel, loop);
  const back = loop.header.predecessors.indexOf(test.latch);
  const copies: { readonly blocks: ReadonlyMap<Block, Block>; readonly values: ReadonlyMap<Op, Op> }[] = [];
  let begin = starts;
  let first: Block | undefined;
  let latch: Block | undefined;
  let cond = test.cond;
  for (let index = 0; index < count; index++) {
    const copy = copyBlocks(kernel, blocks, loop.header, begin, before, work);
    copies.push(copy);
    const header = copy.blocks.get(loop.header) as Block;
    if (latch) {
      latch.end = { kind: "jump", to: header };
      header.predecessors.push(latch);
    } else first = header;
    latch = copy.blocks.get(test.latch) as Block;
    removeEdge(latch, test.exit);
    cond = copy.values.get(test.cond) ?? test.cond;
    begin = new Map(
      loop.header.phis.map((phi) => {
        const next = phi.args[back] as Op;
        return [phi, copy.values.get(next) ?? next];
      }),
    );
  }
  return { first: first as Block, lastLatch: latch as Block, ends: begin, cond, copies };
}

/** The definitions of live-out values in the copies: the last copy of each. */
export function copyDefinitions(live: ReadonlyMap<Op, Block>, chains: readonly Chain[]): Map<Op, Map<Block, Op>> {
  const definitions = new Map<Op, Map<Block, Op>>();
  for (const [value, home] of live) {
    const at = new Map<Block, Op>([[home, value]]);
    for (const { copies } of chains) for (const copy of copies) at.set(copy.blocks.get(home) as Block, copy.values.get(value) ?? value);
    definitions.set(value, at);
  }
  return definitions;
}
