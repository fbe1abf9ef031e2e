/**
 * From a few logged blocks to the launch: the L1 is simulated; what reaches memory is reasoned from footprints (`memoryOf`): how much
 * blocks share is measured on the next block in each direction of the grid and, where divisions make groups of blocks, on those of other
 * groups; how far apart in time they run decides whether the L2 can hold it.
 */
import { Work } from "../work.ts";
import { trafficAlone } from "./alone.ts";
import { Footprints } from "./footprint.ts";
import { playL1, type SiteL1 } from "./l1.ts";
import type { SectorLog } from "./log.ts";
import { ratio } from "./ratio.ts";
import { planLogs } from "./sample.ts";
import { isIrregular, isOfHost, isWrite } from "./site-kinds.ts";
import { memoryOf, type SiteMemory } from "./site-memory.ts";
import { gatheredLines } from "./store-merging.ts";
import { totalsOf } from "./totals.ts";
import type { Rereads, SiteTraffic, TrafficEstimate, TrafficInput } from "./traffic.ts";

/** Accesses a sector from which on sectors are taken to come alone: between pairs, which cost half an access each, and one by one. */
const mostlyAlone = 0.75;

/**
 * Estimates a launch's traffic. Sites without a logged request are taken to reach memory with every sector.
 * @param footprints of its logs, where it is asked more than once
 */
export function estimateTraffic(
  input: TrafficInput,
  work: Work = new Work(),
  footprints: Footprints = new Footprints(input.sites.length),
): TrafficEstimate {
  const { gpu, grid, blocksPerSm, sites, logs, sectors } = input;
  const { values } = gpu;
  const plan = planLogs(grid, blocksPerSm, values.smCount, input.rounds);
  const sharing = logs.filter((log) => plan.resident.includes(log.block));
  const together = sharing.length > 0 ? sharing : logs;
  const l1 = l1Of(input, together, plan.resident.length, work);
  const memory = memoryOf(input, plan, l1, footprints, work);

  const traffic: SiteTraffic[] = sites.map((_, s) => {
    const total = sectors[s]!;
    const { readBytes, writtenBytes, missedSectors, alongSectors, alongOthers, underWaySectors, filledSectors, lostBytes } = memory[s]!;
    const writes = isWrite(input, s);
    const onward = ratio(l1[s]!.onward, l1[s]!.sectors, 1);
    const l1Share = 1 - onward;
    const asked = missedSectors - alongSectors;
    const dramSectors = writes ? Math.max(filledSectors, writtenBytes / values.sectorBytes) : asked;
    const dram = Math.min(1 - l1Share, ratio(dramSectors, total, 0));
    const accessesPerSector = ratio(l1[s]!.accesses, l1[s]!.onward, 1);
    const linesPerSector = ratio(l1[s]!.lines, l1[s]!.onward, 1);
    const missedTogether = ratio(l1[s]!.onward, l1[s]!.ofOnward, 1);
    const scattered = isIrregular(input, s) && accessesPerSector > mostlyAlone;
    // A lone sector costs the memory a whole access, and twice when it is filled and written back.
    const lone = scattered && writes ? 2 * values.dramGranularity : 0;
    const bytesPerDramSector = Math.max(lone, ratio(readBytes + writtenBytes + lostBytes, dram * total, values.sectorBytes));
    // Warps that data sends different ways do not come side by side.
    const underWay = isIrregular(input, s) ? 0 : ratio(l1[s]!.underWay, l1[s]!.sectors, 0);
    const host = isOfHost(input, s) ? { partial: ratio(memory[s]!.partialSectors, dramSectors, 0) } : undefined;
    const rereads = rereadsOf(memory[s]!, total);
    return {
      l1: l1Share,
      l2: 1 - l1Share - dram,
      dram,
      underWay,
      l2UnderWay: Math.min(1 - l1Share - dram, ratio(underWaySectors, total, 0)),
      accessesPerSector,
      linesPerSector,
      bytesPerDramSector,
      together: missedTogether,
      along: Math.min(1 - l1Share - dram, ratio(alongSectors, total, 0)),
      togetherFromMemory: Math.max(ratio(asked, asked + alongOthers, 1), ratio(dram, 1 - l1Share, 0)),
      scattered,
      ...(rereads ? { rereads } : {}),
      ...(host ? { host } : {}),
    };
  });
  const longest = trafficAlone(input, traffic, memory, footprints, work);
  return { sites: traffic, ...(longest ? { longest } : {}), ...totalsOf(input, l1, memory) };
}

/**
 * What the L1 does for blocks that are resident together. What none of these asks for, though others of the launch do where data decides,
 * is told by those others.
 */
function l1Of(
  { gpu, l1Bytes, sites, logs, sectors, crowded }: TrafficInput,
  together: readonly SectorLog[],
  resident: number,
  work: Work,
): SiteL1[] {
  const play = (of: readonly SectorLog[]): SiteL1[] =>
    playL1(
      of,
      sites,
      { bytes: l1Bytes, share: Math.min(of.length, resident) / resident },
      gpu.values,
      work,
      gatheredLines(gpu.values, crowded),
    );
  const l1 = play(together);
  const isMissing = (s: number): boolean => sectors[s]! > 0 && l1[s]!.sectors === 0;
  if (!sites.some((_, s) => isMissing(s))) return l1;
  const others = logs.filter((log) => !together.includes(log));
  if (others.length === 0) return l1;
  const besides = play(others);
  return l1.map((site, s) => (isMissing(s) ? besides[s]! : site));
}

function rereadsOf({ againSectors, againPastL1, againFromMemory }: SiteMemory, sectors: number): Rereads | undefined {
  if (againPastL1 === 0) return undefined;
  return { share: againSectors / sectors, lostByL1: againPastL1 / againSectors, lostByL2: againFromMemory / againSectors };
}
