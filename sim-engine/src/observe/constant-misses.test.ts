import { expect, test } from "vitest";
import { WarpRecord } from "../execute/record.ts";
import { type ConstantMisses, packMisses, unpackMisses } from "../memory/constant-cache.ts";
import type { MemorySite } from "../memory/site.ts";
import { constantMisses } from "./constant-misses.ts";

const sites: readonly MemorySite[] = [{ space: "constant", operation: "load" }];

/** A warp that reads at these bytes, each in an entry of its own, which stand for so many times going through them. */
function missesOf(bytes: readonly number[], times = 1): ConstantMisses[] {
  const record = new WarpRecord(0);
  for (const at of bytes) {
    record.enter(0, 1);
    record.requests.push(0, 1, at);
  }
  if (times > 1) record.repeat(0, times);
  return [...constantMisses(record, sites).values()].map(unpackMisses);
}

test("what is packed comes out again", () => {
  const misses = { lines: 1, pieces: 0, fits: false, thrashes: true };
  expect(unpackMisses(packMisses(misses))).toEqual(misses);
  expect(packMisses({ lines: 1, pieces: 1, fits: false, thrashes: true })).toBe(0xffff);
});

test("a line of 64 bytes comes once, and with the first of four all 256", () => {
  const found = missesOf([0, 4, 64, 128, 256]);
  expect(found.map(({ lines }) => lines)).toEqual([1, 0, 1, 1, 1]);
  expect(found.map(({ pieces }) => pieces)).toEqual([1, 0, 0, 0, 1]);
  expect(found.every(({ fits }) => fits)).toBe(true);
});

test("turns that were not run go on as those that were", () => {
  // 8,000 words: a miss in sixteen reads, and each fourth of those the first.
  const [found] = missesOf([0, 4, 8, 12, 16], 1600);
  expect(found?.lines).toBeCloseTo(1 / 16, 2);
  expect(found?.pieces).toBeCloseTo(1 / 64, 2);
  expect([found?.fits, found?.thrashes]).toEqual([false, false]);
});

test("2 KB in a row are found again, 4 KB are not, nor lines of the same sets", () => {
  const twice = (count: number, apart: number): number => {
    const bytes = Array.from({ length: count }, (_, k) => k * apart);
    return missesOf([...bytes, ...bytes])
      .slice(count)
      .filter(({ lines }) => lines === 1).length;
  };
  expect(twice(32, 64)).toBe(0);
  expect(twice(64, 64)).toBe(64);
  expect(twice(32, 256)).toBe(32);
});
