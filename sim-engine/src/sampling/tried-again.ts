/**
 * Loops that compare and swap, as often as they go round where all blocks are resident together (`observe/retries.ts`): blocks are executed
 * one after the other, so that each finds the word as it left it. The warp goes round again as a whole, as long as any of its lanes has to
 * (measured: validation/microbenchmarks/h200-cas-turns.tsv).
 */
import type { CompiledBlock, Program } from "../execute/program.ts";
import type { WarpRecord } from "../execute/record.ts";
import type { Loop } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { expectedBy } from "../observe/retries.ts";
import type { CountVector } from "./counts.ts";

/** By block of such a loop, how many of its turns one that was executed stands for. */
export type Turns = ReadonlyMap<Block, number>;

/** @param tries by operation, how many of its tries one that was executed stands for */
export function turnsOf({ loops }: Program, tries: ReadonlyMap<Op, number>): Turns {
  const turns = new Map<Block, number>();
  for (const [op, factor] of tries) {
    const loop = loops.find((each) => triesIn(op, each));
    if (factor > 1) for (const block of loop?.blocks ?? []) turns.set(block, Math.max(factor, turns.get(block) ?? 1));
  }
  return turns;
}

/** A loop that goes round for the operation: what it expects is handed from turn to turn. One around a first try is none. */
function triesIn(op: Op, { header, blocks }: Loop): boolean {
  const expected = expectedBy(op);
  return header.phis.some((phi) => expected.has(phi)) && [...blocks].some((block) => block.ops.includes(op));
}

/** By operation of such a loop, the same. */
export const againOf = (turns: Turns): ReadonlyMap<Op, number> =>
  new Map([...turns].flatMap(([block, factor]) => block.ops.map((op) => [op, factor] as const)));

/** What was counted, with all turns. */
export function countedAgain(totals: Float64Array, counts: CountVector, { blocks }: Program, turns: Turns): Float64Array {
  const again = Float64Array.from(totals);
  for (const compiled of blocks) {
    const factor = turns.get(compiled.block);
    if (factor !== undefined) counts.multiply(again, compiled, factor, edgesWithin(compiled, turns));
  }
  return again;
}

function edgesWithin({ end }: CompiledBlock, turns: Turns): { readonly then: boolean; readonly else: boolean } {
  if (end.kind !== "branch") return { then: false, else: false };
  return { then: turns.has(end.then.to.block), else: turns.has(end.else.to.block) };
}

/** The same of what a warp was seen to do. */
export function goesAgain(record: WarpRecord, { blocks }: Program, turns: Turns): void {
  const factorOf = (entry: number): number | undefined => {
    const block = record.blocks[entry];
    return block === undefined ? undefined : turns.get(blocks[block]!.block);
  };
  for (let entry = 0; entry < record.blocks.length; entry++) {
    const factor = factorOf(entry);
    if (factor === undefined) continue;
    const from = entry;
    while (factorOf(entry + 1) === factor) entry++;
    record.again(from, entry + 1, factor);
  }
}
