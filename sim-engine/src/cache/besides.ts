/** Which logged blocks stand beside each other in the grid, and what one leaves open that the other closes. */
import type { Work } from "../work.ts";
import type { Footprints } from "./footprint.ts";
import type { SectorLog } from "./log.ts";
import type { LogPlan } from "./sample.ts";
import type { TrafficInput } from "./traffic.ts";

/** By step, the logged blocks that stand so far from one of them. */
export function besides(steps: LogPlan["steps"][number], logs: readonly SectorLog[], { block }: SectorLog): SectorLog[][] {
  return steps.map(({ pairs }) => {
    const places = pairs.flatMap(([from, to]) => (from === block ? [to] : to === block ? [from] : []));
    return logs.filter((log) => places.includes(log.block));
  });
}

/**
 * By direction, the share of the sectors that each site leaves written in part which blocks a step away write to as well. Of what the block in
 * the middle does not store to, another tells it.
 */
export function closedBeside(
  { logs, sites }: TrafficInput,
  { middle, steps }: LogPlan,
  footprints: Footprints,
  work: Work,
): readonly Float64Array[] {
  const told = new Set<number>();
  const closed = steps.map(() => new Float64Array(sites.length));
  for (const log of logs.toSorted((a, b) => Number(b.block === middle) - Number(a.block === middle))) {
    const { partial } = footprints.alone(log, work);
    const own = [...sites.keys()].filter((s) => partial[s]! > 0 && !told.has(s));
    if (own.length === 0) continue;
    for (const [direction, along] of steps.entries())
      for (const others of besides(along, logs, log)) {
        const shares = footprints.closed(log, others, work);
        for (const s of own) closed[direction]![s] = Math.max(closed[direction]![s]!, shares[s]!);
      }
    for (const s of own) told.add(s);
  }
  return closed;
}
