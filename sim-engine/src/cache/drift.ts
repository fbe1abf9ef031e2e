/**
 * Warps of a block that nothing holds together drift apart once they queue for memory. Sectors that two of them write in part, as in
 * rows that begin anywhere, are then out of the L2 before they are whole: they are read from memory, written twice, and what two
 * warps read of one sector is read again. Measured in validation/microbenchmarks/h200-drift.txt; the constants below are fitted to the
 * 36 launches of h200-drift-profile.tsv beside it, and nothing but that fit stands behind the form of the curve.
 */
import type { GpuValues } from "../gpus/figures.ts";
import type { Work } from "../work.ts";
import { interleave } from "./interleave.ts";
import { bypass, load, type SectorLog, store, weightsOf } from "./log.ts";
import { SectorSet } from "./sector-set.ts";
import type { TrafficInput } from "./traffic.ts";

/** Shares of the memory's peak bandwidth that a launch reaches: below the first its warps hardly queue, from the second on all do. */
const [idle, queuing] = [0.3, 0.6];
/** Of what can come late, the share that does where warps have all the time to drift. */
const mostLate = 0.87;
/** How steeply that grows with the data that warps go through. */
const steepness = 2.6;
/** Of the sectors that a launch asks for, the share that has to come late to be looked at. */
const leastShare = 0.001;
/** Parted sectors for each sector moved where one in eight is: pieces of 128 bytes, read and written. With fewer, warps hold each other up less. */
const partedOften = 7 / 64;
/** A block's warps are of so many schedulers; those of fewer drift less far. */
const schedulers = 4;

/** By site, in one block: sectors that come late, those that a store would complete and those that a load asks for again. */
export type LateSectors = Float64Array;

/** What goes through memory between two barriers of a block, by site: sectors, and of these those that two warps have a part in. */
interface Stretch {
  readonly phase: number;
  sectors: number;
  readonly parted: Map<number, number>;
}

const full = 0xffffffff;

const storesInPart = (log: SectorLog): boolean => log.bytes.subarray(0, log.sectorCount).some((bytes) => bytes !== full);

/** Splits a log at its barriers, where all warps wait for each other. Only what is written in part by two warps is looked for. */
function stretchesOf(log: SectorLog, work: Work): Iterable<Stretch> {
  const stretches = new Map<number, Stretch>();
  const weights = weightsOf(log);
  // By sector, of the stretch it was touched in last: the request that began with it.
  const written = new SectorSet();
  const loaded = new SectorSet();
  const loads: { site: number; weight: number; stretch: Stretch }[] = [];
  interleave([log], work, (_, r) => {
    const kind = log.kind[r]!;
    if (kind !== load && kind !== store && kind !== bypass) return;
    const phase = log.phase[r] ?? 0;
    const stretch = stretches.get(phase) ?? { phase, sectors: 0, parted: new Map() };
    stretches.set(phase, stretch);
    const weight = weights[r]! / (log.passes[phase] ?? 1);
    const site = log.site[r]!;
    const seen = kind === store ? written : loaded;
    // What was just loaded is in the L2, and needs no filling.
    const wasLoaded = (sector: number): boolean => {
      const by = loaded.get(sector);
      return by !== undefined && (log.phase[by] ?? 0) === phase;
    };
    const [from, to] = [log.start[r]!, log.start[r + 1]!];
    for (let i = from; i < to; i++) {
      const sector = log.sectors[i]!;
      const before = seen.get(sector);
      if (before === undefined || (log.phase[before] ?? 0) !== phase) {
        stretch.sectors += weight;
        seen.set(sector, r);
        continue;
      }
      // Side by side, not the same by all: pieces that meet within a sector.
      const meets = log.warp[before] !== log.warp[r] && to - from > 1 && (i === from || i === to - 1);
      if (!meets || (kind === store && (log.bytes[i] === full || wasLoaded(sector)))) continue;
      if (kind === store) stretch.parted.set(site, (stretch.parted.get(site) ?? 0) + weight);
      else loads.push({ site, weight, stretch });
    }
  });
  // Loads come too late as well where what is written does: what is only read keeps warps closer together.
  for (const { site, weight, stretch } of loads)
    if (stretch.parted.size > 0) stretch.parted.set(site, (stretch.parted.get(site) ?? 0) + weight);
  return stretches.values();
}

/** The share of parted sectors that come late, if all blocks move `bytes` while one of them goes through a stretch. */
export function lateShare(values: GpuValues, bytes: number, parted: number, warps: number, busy: number): number {
  const queues = Math.min(1, Math.max(0, (busy - idle) / (queuing - idle)));
  const apart = Math.min(1, (warps - 1) / (schedulers - 1));
  const reach = (bytes / (values.driftReach * values.l2Bytes)) * queues * apart * Math.min(1, parted / partedOften) ** 1.5;
  return (mostLate * reach ** steepness) / (1 + reach ** steepness);
}

/**
 * Sectors of an average block that come late, by site; undefined where none can. `busy` is the share of the memory's peak
 * bandwidth that the launch reaches with none late.
 */
export function lateSectors({ gpu, grid, blocksPerSm, sites, logs }: TrafficInput, busy: number, work: Work): LateSectors | undefined {
  const { values } = gpu;
  const late = new Float64Array(sites.length);
  const atOnce = Math.min(grid[0] * grid[1] * grid[2], values.smCount * blocksPerSm);
  for (const log of logs) {
    const warps = new Set(log.warp.subarray(0, log.requests)).size;
    if (warps < 2 || !storesInPart(log)) continue;
    for (const { phase, sectors, parted } of stretchesOf(log, work)) {
      const stores = [...parted].filter(([site]) => sites[site]!.operation === "store").reduce((sum, [, count]) => sum + count, 0);
      if (stores === 0) continue;
      const share = lateShare(values, atOnce * sectors * values.sectorBytes, stores / sectors, warps, busy);
      for (const [site, count] of parted) late[site]! += (share * count * (log.passes[phase] ?? 1)) / logs.length;
    }
  }
  return late.some((count) => count > 0) ? late : undefined;
}

/** Whether warps could complete enough of each other's sectors too late to matter, were the memory as busy as can be. */
export function mayDrift(input: TrafficInput, work: Work): boolean {
  const late = lateSectors(input, 1, work);
  const blocks = input.grid[0] * input.grid[1] * input.grid[2];
  const moved = input.sectors.reduce((sum, count) => sum + count, 0);
  return late !== undefined && late.reduce((sum, count) => sum + count, 0) * blocks > leastShare * moved;
}
