/** Code that is fetched, against what an H200 takes (validation/microbenchmarks/h200-code.txt). */
import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { CodeFetch } from "./code-fetch.ts";

const gpu = findGpu("h200")?.values;
if (!gpu) throw new Error("no h200");

/** Cycles that a warp takes for so many instructions in a row, one a cycle as soon as they are there, so many times over. */
function cyclesOf(instructions: number, activeSms: number, turns: number): number[] {
  const fetch = new CodeFetch(gpu!, instructions, activeSms);
  let now = 0;
  return Array.from({ length: turns }, () => {
    const begin = now;
    for (let index = 0; index < instructions; index++) now = Math.max(now + 1, fetch.at(index, now));
    return now - begin;
  });
}

test.each([
  [1024, 1, 1026],
  [2048, 1, 2271],
  [2560, 1, 4758],
  [4096, 1, 8340],
  [6144, 1, 12535],
  [8192, 1, 19140],
  [1024, 132, 1026],
  [3072, 132, 8499],
  [4096, 132, 11327],
])("%i instructions on %i SMs once more", (instructions, sms, again) => {
  const [, cycles] = cyclesOf(instructions, sms, 2);
  expect(Math.abs(cycles! / again - 1)).toBeLessThan(0.15);
});

test("code met for the first time takes 49 to 61 cycles a line beyond 64 KB", () => {
  const lines = (cyclesOf(16_384, 1, 1)[0]! - cyclesOf(4096, 1, 1)[0]!) / 1536;
  expect(lines).toBeCloseTo(61, 0);
});

test("who takes long for each line waits less for each that follows, and no second time", () => {
  const fetch = new CodeFetch(gpu, 256, 132);
  const waits = (from: number): number[] =>
    Array.from({ length: 32 }, (_, line) => fetch.at(8 * line, from + 400 * line) - from - 400 * line);
  const first = waits(0).slice(1);
  expect(first.every((wait, index) => wait > 0 && wait <= (first[index - 1] ?? gpu.codeLatency))).toBe(true);
  expect(waits(20_000).every((wait) => wait <= 0)).toBe(true);
});

test("code met behind a loop that is fetched again and again comes as soon as behind one that is kept", () => {
  const behind = (turns: number): number => {
    const fetch = new CodeFetch(gpu, 4096, 132);
    let now = 0;
    for (let turn = 0; turn < turns; turn++) for (let index = 0; index < 2560; index++) now = Math.max(now + 1, fetch.at(index, now));
    return fetch.at(2560, now) - now;
  };
  expect(behind(10)).toBeCloseTo(behind(1));
});

test("where it branches to, code is asked for when a warp comes there", () => {
  const fetch = new CodeFetch(gpu, 1024, 132);
  fetch.at(0, 0);
  fetch.at(8, 1000);
  const there = fetch.at(800, 2000);
  expect(there).toBeGreaterThan(2000);
  expect([fetch.at(800, 2100), fetch.isFirst]).toEqual([there, false]);
});
