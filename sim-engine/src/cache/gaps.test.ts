import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { Gaps } from "./gaps.ts";
import { playL1 } from "./l1.ts";
import { load, SectorLog } from "./log.ts";
import { reuseDistances } from "./reuse.ts";

const { values } = findGpu("h200")!;

/** So many sites, what they touch their own. */
const own = (sites: number): number[] => new Array<number>(sites).fill(1);

/** One warp reads `lines` lines twice over; of each pass the requests from the second on stand for `times` as many. */
function twice(lines: number, times: number): SectorLog {
  const log = new SectorLog(0);
  for (let pass = 0; pass < 2; pass++)
    for (let line = 0; line < lines; line++) {
      log.request(0, 0, load);
      for (let sector = 0; sector < 4; sector++) log.sector(4 * line + sector);
    }
  const passes = [0, lines].map((first) => ({ middle: first + lines / 2, to: first + lines - 1, times, share: 0.5 }));
  if (times > 1) log.repeats = passes;
  return log;
}

test("turns that were not run bring as much as the second half of those that were", () => {
  const log = twice(8, 10);
  const gaps = new Gaps(log);
  const passed = Array.from({ length: log.requests }, (_, r) => {
    gaps.begin(r);
    return gaps.end(r, 1);
  });
  expect(passed.flatMap((count, r) => (count > 0 ? [[r, count]] : []))).toEqual([
    [7, 9 * 8],
    [15, 9 * 8],
  ]);
  expect(gaps.passed).toBe(2 * 9 * 8);
});

test("repeats within repeats count once for each turn of those around them", () => {
  const log = new SectorLog(0);
  for (let r = 0; r < 8; r++) log.request(0, 0, load);
  log.repeats = [
    { middle: 2, to: 3, times: 3, share: 0.5 },
    { middle: 4, to: 7, times: 2, share: 0.5 },
  ];
  const gaps = new Gaps(log);
  const passed = [0, 1, 2, 3, 4, 5, 6, 7].map((r) => {
    gaps.begin(r);
    return gaps.end(r, 1);
  });
  expect(passed).toEqual([0, 0, 0, 2 * 2 * 2, 0, 0, 0, 2 * 4]);
});

test("a row that fits the L1 is found there again; one that does not, is not", () => {
  const hits = (times: number) => playL1([twice(16, times)], [{}], { bytes: 64 * 1024, share: 1 }, values, new Work())[0]!.hits;
  expect(hits(1)).toBe(64);
  expect(hits(8)).toBe(8 * 64);
  expect(hits(200)).toBe(0);
});

test("what lies between two readings counts what was not run", () => {
  const distance = (times: number) => Math.max(...reuseDistances(twice(64, times), own(1), 64, 1, new Work()).distances[0]!);
  expect(distance(10) / distance(1)).toBeCloseTo(10, 0);
});

test("what warps leave out together passes when the last of them is through", () => {
  const log = new SectorLog(0);
  for (let r = 0; r < 8; r++) log.request(r % 2, r < 6 ? 0 : 1, load);
  // Warp 0 goes through requests 0 and 2, warp 1, which is a request behind, through 3 and 5.
  log.repeats = [
    { middle: 0, to: 2, times: 5, share: 0.5 },
    { middle: 1, to: 5, times: 5, share: 0.5 },
  ];
  const gaps = new Gaps(log);
  const passed = Array.from({ length: log.requests }, (_, r) => {
    gaps.begin(r);
    return gaps.end(r, 1);
  });
  expect(passed).toEqual([0, 0, 0, 0, 0, 8 * 2 + 8 * 3, 0, 0]);
});
