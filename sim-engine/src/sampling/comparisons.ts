/** Counts the outcomes of comparisons that could change and change back between sampled blocks without being seen. */
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import type { Variation } from "./variation.ts";

/** To be done before a `Runner` is made. */
export function markComparisons(program: Program, variations: readonly Variation[]): void {
  const watched = new Set<Op>(variations.flatMap(({ comparisons }) => comparisons));
  let index = 0;
  for (const compiled of program.blocks) {
    const ops = compiled.block.ops.filter((op) => watched.has(op));
    compiled.outcomes = ops.map((op) => ({ index: index++, isBelow: program.isBelow(op) }));
  }
}
