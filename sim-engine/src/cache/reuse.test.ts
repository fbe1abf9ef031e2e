import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { load, SectorLog, store } from "./log.ts";
import { type Reuse, reuseDistances } from "./reuse.ts";
import { l2Keeps } from "./site-memory.ts";
import { sectorsPerLine } from "./written-lines.ts";

const { values: h200 } = findGpu("h200")!;
const { values: h100 } = findGpu("h100-sxm")!;

/** So many sites, what they touch their own. */
const own = (sites: number): number[] => new Array<number>(sites).fill(1);

/** A warp goes along a row twice, a sector a turn; the second time it writes another row as it goes. Of all but the first `run` turns only those are logged. */
function twice(turns: number, run: number, writes: boolean): SectorLog {
  const log = new SectorLog(0, 1 << 16);
  const repeats: { middle: number; to: number; times: number; share: number }[] = [];
  for (const pass of [0, 1]) {
    const first = log.requests;
    for (let turn = 0; turn < run; turn++) {
      log.request(0, pass, load);
      log.sector(turn);
      if (pass === 0 || !writes) continue;
      log.request(0, 2, store);
      log.sector((1 << 20) + turn);
    }
    const last = log.requests - 1;
    const middle = Math.ceil((first + last) / 2);
    if (run < turns) repeats.push({ middle, to: last, times: turns / run, share: (last - middle + 1) / (last - first + 1) });
  }
  log.repeats = repeats;
  return log;
}

/** The mean of what a site's distances come to. */
function mean({ distances, weights }: Reuse, site: number, of = (distance: number) => distance): number {
  const all = weights[site]!.reduce((sum, weight) => sum + weight, 0);
  return distances[site]!.reduce((sum, distance, k) => sum + weights[site]![k]! * of(distance), 0) / all;
}

test("a row that is read again has all its other lines in between, and what was written since by the room that takes", () => {
  expect(mean(reuseDistances(twice(64, 64, false), own(3), 0, 0.5, new Work()), 1)).toBe(60);
  const writing = reuseDistances(twice(64, 64, true), own(3), 0, 0.5, new Work());
  expect(mean(writing, 1)).toBeCloseTo(60 + (0.5 * 60) / 2);
  expect(writing.touched).toBe(64 + 32);
});

test("of a line of which sectors come one after the other all goes, and comes back, together", () => {
  // Each of 32 lanes goes through a line of its own, a word a turn: 8 turns to a sector, 32 to the line.
  const log = new SectorLog(0, 1 << 16);
  for (let turn = 0; turn < 32; turn++) {
    log.request(0, 0, load);
    for (let lane = 0; lane < 32; lane++) log.sector(lane * sectorsPerLine + Math.floor(turn / 8));
  }
  const { distances } = reuseDistances(log, own(1), 0, 1, new Work());
  expect(distances[0]!.length).toBe(28 * 32);
  expect(new Set(distances[0])).toEqual(new Set([31 * sectorsPerLine]));
});

test("turns that were not run have as much more in between as those before them had from one to the next", () => {
  const [all, some] = [twice(256, 256, true), twice(256, 8, true)].map((log) => mean(reuseDistances(log, own(3), 0, 0.7, new Work()), 1));
  expect(some! / all!).toBeCloseTo(1, 1);
});

/** The same by an eighth of a sector a turn, reading alone or writing beside: of each pass 12 turns were run, of which the last eight go round once. */
function byWords(turns: number, writes: boolean): SectorLog {
  const log = new SectorLog(0, 1 << 16);
  const run = turns > 12 * 8 ? 12 : turns;
  const repeats: { middle: number; to: number; times: number; share: number }[] = [];
  for (const pass of [0, 1]) {
    const numbers: number[] = [];
    for (let turn = 0; turn < run; turn++) {
      numbers.push(log.requests);
      log.request(0, pass, load);
      log.sector(Math.floor(turn / 8));
      if (pass === 0 || !writes) continue;
      log.request(0, 2, store);
      log.sector((1 << 20) + Math.floor(turn / 8));
    }
    const [first, middle, last] = [numbers[0]!, numbers[run - 8]!, log.requests - 1];
    if (run < turns) repeats.push({ middle, to: last, times: turns / run, share: (last - middle + 1) / (last - first + 1) });
  }
  log.repeats = repeats;
  return log;
}

test.each([false, true])("turns that go on within a sector are told apart from those that come to the next: writing %s", (writes) => {
  const farAway = (log: SectorLog): number => {
    const { distances, weights } = reuseDistances(log, own(3), 0, 0.7, new Work());
    const far = distances[1]!.map((distance, k) => [distance, weights[1]![k]!] as const).filter(([distance]) => distance > sectorsPerLine);
    return far.reduce((sum, [distance, weight]) => sum + distance * weight, 0) / far.reduce((sum, [, weight]) => sum + weight, 0);
  };
  // All turns, or 12 of each pass: rows of as many sectors.
  const all = byWords(96, writes);
  const some = byWords(97 * 8, writes);
  expect(farAway(some) / 97 / (farAway(all) / 12)).toBeCloseTo(1, 0);
  expect(farAway(some)).toBeLessThan(97 * 2);
});

test("where each of a loop's slices has one turn that was run, no more lies between than the slices do", () => {
  const [turns, slices] = [1024, 16];
  const log = new SectorLog(0, 1 << 16);
  const repeats: { middle: number; to: number; times: number; share: number }[] = [];
  for (const pass of [0, 1])
    for (let slice = 0; slice < slices; slice++) {
      const first = log.requests;
      log.request(0, pass, load);
      log.sector((slice * turns) / slices);
      if (pass === 1) {
        log.request(0, 2, store);
        log.sector((1 << 20) + (slice * turns) / slices);
      }
      repeats.push({ middle: first, to: log.requests - 1, times: turns / slices, share: 1 });
    }
  log.repeats = repeats;
  const some = mean(reuseDistances(log, own(3), 0, 0.7, new Work()), 1);
  const all = mean(reuseDistances(twice(turns, turns, true), own(3), 0, 0.7, new Work()), 1);
  expect(some / all).toBeCloseTo(1, 0);
});

// validation/microbenchmarks/h200-reread.tsv and h100-reread.tsv: rows that 8,448 warps read twice, another buffer written the second time.
test.each([
  ["h200", 26, 0.12, h200],
  ["h200", 30.3, 0.27, h200],
  ["h200", 34.6, 0.46, h200],
  ["h200", 43.3, 0.84, h200],
  ["h100-sxm", 26, 0.27, h100],
  ["h100-sxm", 30.3, 0.52, h100],
  ["h100-sxm", 34.6, 0.72, h100],
  ["h100-sxm", 43.3, 0.99, h100],
])("%s: of %f MB that are read twice and written elsewhere the L2 has lost %f", (_, mb, measured, gpu) => {
  const turns = 256;
  const reuse = reuseDistances(twice(turns, 16, true), own(3), 0, gpu.l2WrittenRoom, new Work());
  const lost = mean(reuse, 1, (distance) => 1 - l2Keeps(gpu, (distance / turns) * mb * 1e6));
  expect(Math.abs(lost - measured)).toBeLessThan(0.1);
});

test("what a warp reads again after an earlier site of its own is told from what it meets at once, and what others have read", () => {
  const log = new SectorLog(0, 1 << 16);
  const read = (warp: number, site: number, sector: number): void => {
    log.request(warp, site, load);
    log.sector(sector);
  };
  for (let turn = 0; turn < 64; turn++) read(0, 0, turn);
  for (let turn = 0; turn < 64; turn++) read(0, 1, turn);
  // At once, by another site and by the same one.
  for (let turn = 0; turn < 8; turn++) for (const site of [2, 2, 3]) read(0, site, 100 + turn);
  expect([...reuseDistances(log, own(4), 64, 0.7, new Work()).ownAgain]).toEqual([0, 64, 0, 0]);

  const others = new SectorLog(0, 1 << 16);
  for (let turn = 0; turn < 64; turn++)
    for (const warp of [0, 1]) {
      others.request(warp, warp, load);
      others.sector(turn);
    }
  expect([...reuseDistances(others, own(2), 0, 0.7, new Work()).ownAgain]).toEqual([0, 0]);
});
