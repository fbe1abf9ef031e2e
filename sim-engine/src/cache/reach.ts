/** How far accesses at random places come: a table may be much smaller than the buffer it lies in. */
import type { MemorySite } from "../memory/site.ts";
import type { Work } from "../work.ts";
import { sectorSteps } from "./interleave.ts";
import type { SectorLog } from "./log.ts";

/**
 * By site at random places, the sectors that it is likely to come to: those from the lowest seen to the highest, and what numbers drawn as
 * often leave out at either end. Infinite of one that was not seen, and of others.
 */
export function reachOf(logs: readonly SectorLog[], sites: readonly Pick<MemorySite, "irregular">[], work: Work): Float64Array {
  const reach = new Float64Array(sites.length).fill(Number.POSITIVE_INFINITY);
  if (!sites.some(({ irregular }) => irregular)) return reach;
  const lowest = new Float64Array(sites.length).fill(Number.POSITIVE_INFINITY);
  const highest = new Float64Array(sites.length).fill(Number.NEGATIVE_INFINITY);
  const seen = new Float64Array(sites.length);
  for (const { requests, site, start, sectors, sectorCount } of logs) {
    work.ask(sectorCount * sectorSteps);
    for (let r = 0; r < requests; r++) {
      const s = site[r]!;
      if (!sites[s]!.irregular) continue;
      for (let i = start[r]!; i < start[r + 1]!; i++) {
        lowest[s] = Math.min(lowest[s]!, sectors[i]!);
        highest[s] = Math.max(highest[s]!, sectors[i]!);
        seen[s]!++;
      }
    }
  }
  for (let s = 0; s < sites.length; s++) if (seen[s]! > 0) reach[s] = (highest[s]! - lowest[s]! + 1) * (1 + 2 / seen[s]!);
  return reach;
}
