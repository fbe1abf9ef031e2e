/** The L1 of one SM, given the requests of the blocks that share it. */

import type { GpuValues } from "../gpus/figures.ts";
import type { MemorySite } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { Gaps } from "./gaps.ts";
import { interleave } from "./interleave.ts";
import { LeavingStores } from "./leaving-stores.ts";
import { atomic, bypass, load, type SectorLog, store, weightsOf } from "./log.ts";
import { SectoredCache } from "./sectored-cache.ts";
import { gatheredLines, StoreMerging } from "./store-merging.ts";
import { StoresUnderWay, sectorsMeeting } from "./stores-under-way.ts";

/** Of one site, in the logged blocks, iterations that were not run included. */
export interface SiteL1 {
  /** Sectors requested. */
  sectors: number;
  /** Of these, found in the L1: loads need not go on; stores go on all the same, but for those that join others. */
  hits: number;
  /** Of these, hits of sectors that another warp asked for just before: they wait as long as it does. */
  underWay: number;
  /** Sectors that go on to the L2, and what they cost there, in accesses (`lineAccesses`). */
  onward: number;
  accesses: number;
  /** Lines that those sectors lie in, request by request, and of these those right behind another of the request. */
  lines: number;
  beside: number;
  /** Sectors of the requests of which any goes on. */
  ofOnward: number;
  /** Sectors looked up in the L1: not those of atomics and of loads that bypass it. */
  lookups: number;
}

/**
 * Plays the logged blocks of one SM through an L1 of `bytes`. `share` is what part of the blocks that share it is logged: the cache is
 * taken smaller in proportion. Loads are looked up where the GPU caches them.
 */
export function playL1(
  logs: readonly SectorLog[],
  sites: readonly Pick<MemorySite, "run" | "awaits" | "underWay">[],
  { bytes, share }: { readonly bytes: number; readonly share: number },
  gpu: GpuValues,
  work: Work,
  storeLines: number = gatheredLines(gpu),
): SiteL1[] {
  const cachesLoads = gpu.cachesGlobalLoads === 1;
  const cache = new SectoredCache(bytes * share, gpu.l1Ways);
  const warps = logs.reduce((sum, log) => sum + new Set(log.warp.subarray(0, log.requests)).size, 0) / share;
  const counted: SiteL1[] = sites.map(() => ({
    sectors: 0,
    hits: 0,
    underWay: 0,
    onward: 0,
    accesses: 0,
    lines: 0,
    beside: 0,
    ofOnward: 0,
    lookups: 0,
  }));
  const merging = new Map(logs.map((log) => [log, new StoreMerging(storeLines)]));
  const leaving = new Map(logs.map((log) => [log, new LeavingStores(log, sites, gpu)]));
  const gaps = new Map(logs.map((log) => [log, new Gaps(log)]));
  const weights = new Map(logs.map((log) => [log, weightsOf(log)]));
  const stores = new Map(logs.map((log) => [log, new StoresUnderWay(log, sites)]));
  interleave(logs, work, (log, request, turn) => {
    const gap = gaps.get(log)!;
    gap.begin(request);
    let brought = 0;
    let last = -1;
    const site = counted[log.site[request]!]!;
    const kind = log.kind[request]!;
    const weight = weights.get(log)![request]!;
    const merged = merging.get(log)!;
    const warp = log.warp[request]!;
    if (kind === store) merged.begin(warp, log.site[request]!, sites[log.site[request]!]);
    else merged.interrupt(warp);
    const looksUp = kind === store || (kind === load && cachesLoads);
    let line = -1;
    let ofLine = 0;
    let shared = 0;
    for (let i = log.start[request]!; i < log.start[request + 1]!; i++) {
      const sector = log.sectors[i]!;
      site.sectors += weight;
      let onward = true;
      if (looksUp) {
        site.lookups += weight;
        const found = kind === load ? cache.load(sector, turn) : cache.store(sector, log.bytes[i]!);
        const hit = found !== "miss";
        if (hit) site.hits += weight;
        if (found === "under way") site.underWay += weight;
        onward = kind === store ? !merged.joins(warp, sector, log.bytes[i]!) : !hit;
        if (onward && found === "in part") shared++;
        if (!hit && sector >>> 2 !== last) {
          last = sector >>> 2;
          brought++;
        }
      } else if (kind !== atomic && kind !== bypass) site.lookups += weight;
      if (!onward) continue;
      site.onward += weight;
      if (sector >>> 2 !== line) {
        site.accesses += weight * lineAccesses(ofLine, kind === store, gpu);
        if (sector >>> 2 === line + 1) site.beside += weight;
        line = sector >>> 2;
        ofLine = 0;
        site.lines += weight;
      }
      ofLine++;
    }
    site.accesses += weight * (lineAccesses(ofLine, kind === store, gpu) + shared * gpu.l2SharedWriteCost);
    if (line >= 0) site.ofOnward += weight * (log.start[request + 1]! - log.start[request]!);
    // What a warp stores to while it still waits for a load of it does not stay.
    for (const met of stores.get(log)!.metBy(request))
      for (const sector of sectorsMeeting(log, request, met, "sectors", work)) cache.drop(sector);
    if (kind === store) for (const pushed of leaving.get(log)!.pushedOut(request, warps)) cache.dropLine(pushed);
    const passing = gap.end(request, brought);
    if (passing > 0) cache.pass(passing);
  });
  return counted;
}

/**
 * What `sectors` of one line cost the L2, in its accesses. Those of an access are read at the cost of one, wherever in the line they
 * are; of a line that is written each further sector costs a part of the first.
 */
function lineAccesses(sectors: number, writes: boolean, { l2SectorWriteCost: further, l2AccessBytes, sectorBytes }: GpuValues): number {
  if (sectors === 0) return 0;
  return writes ? 1 - further + further * sectors : Math.max(1, sectors / (l2AccessBytes / sectorBytes));
}
