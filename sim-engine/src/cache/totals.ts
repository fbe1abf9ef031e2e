/** The launch's totals of what the caches and memory do, with Nsight Compute's meaning. */
import type { SiteL1 } from "./l1.ts";
import { ratio } from "./ratio.ts";
import { isAtomic, isOfHost, isWrite } from "./site-kinds.ts";
import type { SiteMemory } from "./site-memory.ts";
import type { TrafficEstimate, TrafficInput } from "./traffic.ts";

export function totalsOf(
  input: TrafficInput,
  l1: readonly SiteL1[],
  memory: readonly SiteMemory[],
): Omit<TrafficEstimate, "sites" | "longest"> {
  const { gpu, sites, sectors } = input;
  const elsewhere = 1 - 1 / gpu.values.l2Partitions;
  const launch = (s: number, part: number): number => sectors[s]! * ratio(part, l1[s]!.sectors, 0);
  let lookups = 0;
  let hits = 0;
  let reads = 0;
  let writes = 0;
  let missed = 0;
  let filled = 0;
  let atomics = 0;
  for (let s = 0; s < sites.length; s++) {
    lookups += launch(s, l1[s]!.lookups);
    hits += launch(s, l1[s]!.hits);
    const onward = l1[s]!.sectors > 0 ? launch(s, l1[s]!.onward) : sectors[s]!;
    if (isWrite(input, s)) writes += onward;
    else if (isAtomic(input, s)) atomics += onward;
    else reads += onward;
    missed += memory[s]!.missedSectors - memory[s]!.alongSectors;
    filled += memory[s]!.filledSectors;
  }
  const anyOfHost = sites.some((_, s) => isOfHost(input, s));
  const total = (key: "readBytes" | "writtenBytes", ofHost = false): number =>
    memory.reduce((bytes, site, s) => (isOfHost(input, s) === ofHost ? bytes + site[key] : bytes), 0);
  // With two halves, half of the sectors that must come from memory and of those written belong to the other half as well:
  // so many of them are elsewhere.
  const fromMemory = total("readBytes") / gpu.values.sectorBytes - filled;
  const l2ReadSectors = reads + fromMemory * elsewhere;
  const l2WriteSectors = writes * (1 + elsewhere) + filled;
  const l2Lookups = l2ReadSectors + l2WriteSectors + atomics;
  return {
    ...(lookups > 0 ? { l1HitPct: (100 * hits) / lookups } : {}),
    ...(l2Lookups > 0 ? { l2HitPct: 100 * Math.max(0, 1 - (missed + fromMemory * elsewhere + filled) / l2Lookups) } : {}),
    l2ReadSectors,
    l2WriteSectors,
    dramReadBytes: total("readBytes"),
    dramWriteBytes: total("writtenBytes"),
    ...(anyOfHost ? { hostReadBytes: total("readBytes", true), hostWriteBytes: total("writtenBytes", true) } : {}),
  };
}
