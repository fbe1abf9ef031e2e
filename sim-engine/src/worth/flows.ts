/** How often the warps of a launch came to its blocks, and into its loops. */
import type { Program } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import type { Block } from "../ir/kernel.ts";
import type { FlowTotals } from "../sampling/counts.ts";
import type { Sample } from "../sampling/sample.ts";

export interface Flows {
  /** Undefined of a block that was not compiled. */
  flow(block: Block): FlowTotals | undefined;
  /** Times warps came into a loop from outside. */
  entries(loop: Loop): number;
}

export function flows(program: Program, { totals, counts }: Pick<Sample, "totals" | "counts">): Flows {
  const compiled = new Map(program.blocks.map((each) => [each.block, each]));
  const flow = (block: Block): FlowTotals | undefined => {
    const of = compiled.get(block);
    return of && counts.flow(totals, of);
  };
  const edges = (from: Block, to: Block): number => {
    const { end } = from;
    const of = flow(from);
    if (!of || end.kind !== "branch") return of?.executions ?? 0;
    return end.then === to ? of.then : of.else;
  };
  const entries = ({ header, blocks }: Loop): number =>
    header.predecessors.reduce((sum, from) => sum + (blocks.has(from) ? 0 : edges(from, header)), 0);
  return { flow, entries };
}
