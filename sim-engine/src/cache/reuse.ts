/** How soon a block reads again what it has touched: what all resident blocks bring meanwhile decides whether the L2 still holds it. */
import type { Work } from "../work.ts";
import { Gaps } from "./gaps.ts";
import { interleave } from "./interleave.ts";
import { type SectorLog, store } from "./log.ts";

/** Touches of sectors so near the last that nothing comes between. */
const atOnce = 64;

export interface Reuse {
  /** Of each site, for each sector that it reads again: how many others the block touched since the sector was touched last. */
  readonly distances: readonly (readonly number[])[];
  /** Touches by iterations that were not logged; the distances count them. */
  readonly passed: number;
}

export function reuseDistances(log: SectorLog, sites: number, work: Work): Reuse {
  const distances: number[][] = Array.from({ length: sites }, () => []);
  const last = new Map<number, number>();
  let touches = 0;
  const gaps = new Gaps(log);
  interleave([log], work, (_, r) => {
    gaps.begin(r);
    const touchesBefore = touches;
    const own = distances[log.site[r]!]!;
    for (let i = log.start[r]!; i < log.start[r + 1]!; i++) {
      const sector = log.sectors[i]!;
      const before = last.get(sector);
      if (before !== undefined && log.kind[r] !== store) own.push(touches - before);
      if (before === undefined || touches - before > atOnce) touches++;
      last.set(sector, touches);
    }
    touches += gaps.end(r, touches - touchesBefore);
  });
  return { distances, passed: gaps.passed };
}
