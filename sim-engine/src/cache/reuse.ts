/** How soon a block reads again what it has touched: what all resident blocks bring meanwhile decides whether the L2 still holds it. */
import type { Work } from "../work.ts";
import { FenwickTree } from "./fenwick-tree.ts";
import { Gaps } from "./gaps.ts";
import { interleave } from "./interleave.ts";
import { type SectorLog, store, weightsOf } from "./log.ts";

export interface Reuse {
  /**
   * Of each site, for each sector that it reads again: how many others the block touched since the sector was touched last. Of a store,
   * for each that it writes again: since it was written last.
   */
  readonly distances: readonly (readonly number[])[];
  /** How many each of them stands for. */
  readonly weights: readonly (readonly number[])[];
  /** Sectors brought by iterations that were not logged; the distances count them. */
  readonly passed: number;
}

/** `near`: sectors that the L1 holds for the block. What is read again with fewer others between is brought once. */
export function reuseDistances(log: SectorLog, sites: number, near: number, work: Work): Reuse {
  const distances: number[][] = Array.from({ length: sites }, () => []);
  const weights: number[][] = Array.from({ length: sites }, () => []);
  const weightOf = weightsOf(log);
  // Each sector stands where it was touched last, what was not logged where it would have been: so nothing counts twice.
  const order = new FenwickTree(log.sectorCount + log.requests);
  const last = new Map<number, number>();
  const lastWritten = new Map<number, number>();
  let place = 0;
  const gaps = new Gaps(log);
  interleave([log], work, (_, r) => {
    gaps.begin(r);
    const own = distances[log.site[r]!]!;
    const writes = log.kind[r] === store;
    let brought = 0;
    for (let i = log.start[r]!; i < log.start[r + 1]!; i++) {
      const sector = log.sectors[i]!;
      const before = last.get(sector);
      const distance = before === undefined ? Number.POSITIVE_INFINITY : order.sumAfter(before);
      const since = writes ? lastWritten.get(sector) : before;
      if (since !== undefined) {
        own.push(since === before ? distance : order.sumAfter(since));
        weights[log.site[r]!]!.push(weightOf[r]!);
      }
      if (before !== undefined) order.add(before, -1);
      if (writes) lastWritten.set(sector, place);
      if (distance > near) brought++;
      last.set(sector, place);
      order.add(place++, 1);
    }
    const passing = gaps.end(r, brought);
    if (passing > 0) order.add(place++, passing);
  });
  return { distances, weights, passed: gaps.passed };
}
