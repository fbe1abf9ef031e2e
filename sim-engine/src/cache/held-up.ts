/**
 * A store that comes to the L2 while memory still brings a sector of the same line waits for it, and all behind it with it. So it is where
 * a warp loads what comes next before it stores what it has changed, a row a thread: measured in
 * validation/microbenchmarks/h200-own-rows.txt ("next load, store", "once"): 2 to 10 times what the same loads and stores take where each
 * store comes before the next load. The constants below are fitted to its launches on all SMs: those of 32 rows a warp come out within a
 * factor of 1.7, of those of 8 rows the ones with up to four warps an SM take 0.3 to 0.4 of what is said. Nothing but that fit stands
 * behind the form of the curve, which is the H200's for every GPU.
 */
import type { MemorySite } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { interleave } from "./interleave.ts";
import { type SectorLog, weightsOf } from "./log.ts";
import { StoresUnderWay, sectorsMeeting } from "./stores-under-way.ts";

/** Sectors a cycle that memory brings past such stores: this, times the sectors that are on their way at one time to this power. */
const [rate, power] = [0.026, 0.42];

/** Cycles that the L2 is held up by so many sectors, if as many as `atOnce` are on their way at one time. */
export const heldUpCycles = (sectors: number, atOnce: number): number =>
  sectors === 0 ? 0 : sectors / (rate * Math.max(1, atOnce) ** power);

/** What a site's loads have to do with stores under way, in the logged blocks. */
export interface Met {
  /** Sectors of its requests, and of those the ones whose line is stored to meanwhile. */
  sectors: number;
  met: number;
  requests: number;
}

/** By site; undefined where no store of the kernel is made while loads are under way. */
export function loadsMet(
  logs: readonly SectorLog[],
  sites: readonly Pick<MemorySite, "underWay">[],
  work: Work,
): readonly Met[] | undefined {
  if (!sites.some(({ underWay }) => underWay)) return undefined;
  const found = sites.map((): Met => ({ sectors: 0, met: 0, requests: 0 }));
  for (const log of logs) {
    const stores = new StoresUnderWay(log, sites);
    const weights = weightsOf(log);
    interleave([log], work, (_, request) => {
      const site = found[log.site[request]!]!;
      const [from, to] = [log.start[request]!, log.start[request + 1]!];
      site.sectors += weights[request]! * (to - from);
      site.requests += weights[request]!;
      for (const loaded of stores.metBy(request))
        found[log.site[loaded]!]!.met += weights[loaded]! * sectorsMeeting(log, loaded, request, "lines", work).length;
    });
  }
  return found;
}
