/** How soon a block reads again what it has touched: what all resident blocks bring meanwhile decides whether the L2 still holds it. */
import type { Work } from "../work.ts";
import { FenwickTree } from "./fenwick-tree.ts";
import { Gaps } from "./gaps.ts";
import { interleave } from "./interleave.ts";
import { type SectorLog, store, weightsOf } from "./log.ts";

export interface Reuse {
  /**
   * Of each site, for each sector that it reads again: how many others the block touched since the sector was touched last, those that are
   * only written by the room they take in the L2. Of a store, for each that it writes again: since it was written last.
   */
  readonly distances: readonly (readonly number[])[];
  /** How many each of them stands for. */
  readonly weights: readonly (readonly number[])[];
  /** All that was touched, and of that what iterations brought that were not logged; in sectors, as the distances count them. */
  readonly touched: number;
  readonly passed: number;
}

/** Parts that the turns a request stands for are told in, where its distances grow through them. */
const parts = 4;

/**
 * @param near sectors that the L1 holds for the block: what is read again with fewer others between is brought once
 * @param writtenRoom room that a sector takes which is only written, over that of one that is read
 */
export function reuseDistances(log: SectorLog, sites: number, near: number, writtenRoom: number, work: Work): Reuse {
  const distances: number[][] = Array.from({ length: sites }, () => []);
  const weights: number[][] = Array.from({ length: sites }, () => []);
  const weightOf = weightsOf(log);
  const following = followingOf(log, sites, weightOf);
  // By warp and site: the mean distance of the last request.
  const means = new Map<number, number>();
  // Each sector stands where it was touched last, what was not logged where it would have been: so nothing counts twice.
  const order = new FenwickTree(log.sectorCount + log.requests);
  const last = new Map<number, number>();
  const room = new Map<number, number>();
  const lastWritten = new Map<number, number>();
  let place = 0;
  const gaps = new Gaps(log);
  interleave([log], work, (_, r) => {
    gaps.begin(r);
    const own = distances[log.site[r]!]!;
    const writes = log.kind[r] === store;
    const begin = own.length;
    let brought = 0;
    for (let i = log.start[r]!; i < log.start[r + 1]!; i++) {
      const sector = log.sectors[i]!;
      const before = last.get(sector);
      const distance = before === undefined ? Number.POSITIVE_INFINITY : order.sumAfter(before);
      const since = writes ? lastWritten.get(sector) : before;
      if (since !== undefined) own.push(since === before ? distance : order.sumAfter(since));
      const taken = room.get(sector) ?? 0;
      const takes = writes ? Math.max(taken, writtenRoom) : 1;
      room.set(sector, takes);
      if (before !== undefined) order.add(before, -taken);
      if (writes) lastWritten.set(sector, place);
      if (distance > near) brought += takes;
      last.set(sector, place);
      order.add(place++, takes);
    }
    if (own.length > begin) {
      const key = log.warp[r]! * sites + log.site[r]!;
      const mean = own.slice(begin).reduce((sum, distance) => sum + distance, 0) / (own.length - begin);
      const growth = (mean - (means.get(key) ?? mean)) * following[r]!;
      means.set(key, mean);
      const among = growth === 0 ? 1 : parts;
      const found = own.splice(begin);
      for (let part = 0; part < among; part++)
        for (const distance of found) {
          own.push(distance + (growth * (part + 0.5)) / among);
          weights[log.site[r]!]!.push(weightOf[r]! / among);
        }
    }
    const passing = gaps.end(r, brought);
    if (passing > 0) order.add(place++, passing);
  });
  // There is no more to lie between than the block touches.
  const touched = order.sumAfter(-1);
  return {
    distances: distances.map((own) => own.map((each) => Math.min(touched, Math.max(0, each)))),
    weights,
    touched,
    passed: gaps.passed,
  };
}

/** By request: how many of its warp's at its site follow it in turns of a loop that were not run; distances grow through them as they did before. */
function followingOf(log: SectorLog, sites: number, weightOf: Float64Array): Float64Array {
  const following = new Float64Array(log.requests);
  const runs = new Map<number, { readonly weight: number; readonly requests: number[] }>();
  const end = (requests: readonly number[]): void => {
    for (const r of requests) following[r] = requests.length * (weightOf[r]! - 1);
  };
  for (let r = 0; r < log.requests; r++) {
    const key = log.warp[r]! * sites + log.site[r]!;
    const run = runs.get(key);
    if (run?.weight === weightOf[r]!) {
      run.requests.push(r);
      continue;
    }
    end(run?.requests ?? []);
    runs.set(key, { weight: weightOf[r]!, requests: [r] });
  }
  for (const { requests } of runs.values()) end(requests);
  return following;
}
