import { describe, expect, test } from "vitest";
import { WarpRecord } from "../execute/record.ts";
import { goesOnAlike, thinned } from "./thinned.ts";

/** A record of blocks by letter, each of ten instructions and one request. */
function record(blocks: string): WarpRecord {
  const made = new WarpRecord(0);
  for (const block of blocks) {
    made.enter(block.charCodeAt(0) - 97, 1);
    made.requests.push(0, 1, 4);
  }
  return made;
}

const length = 10;
const short = (blocks: string, most: number) => thinned(record(blocks), () => length, most, blocks.length * length);

/** Executions by block that what is kept stands for. */
function stoodFor(blocks: string, standsFor: Float64Array): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [k, block] of [...blocks].entries()) sums[block] = (sums[block] ?? 0) + standsFor[k]!;
  return sums;
}

describe("a record that is too long", () => {
  test.each([
    ["one loop after the other", `a${"bc".repeat(100)}d${"ef".repeat(300)}g`, 1000],
    ["a loop of a loop", `a${`${"b".repeat(40)}c`.repeat(50)}d`, 1000],
    ["turns that begin with the same block twice", `a${"bbc".repeat(200)}d`, 1000],
  ])("stands for what it was: %s", (_, blocks, most) => {
    const found = short(blocks, most)!;
    const kept = found.standsFor.filter((times) => times > 0).length * length;
    expect(kept).toBeLessThan(1.5 * most);
    const sums = stoodFor(blocks, found.standsFor);
    for (const block of new Set(blocks)) expect(sums[block]).toBeCloseTo([...blocks].filter((each) => each === block).length, 6);
  });

  test("keeps of each loop what it has of the whole, spread over its turns", () => {
    const blocks = `${"b".repeat(400)}${"c".repeat(1200)}`;
    const { standsFor, repeats } = short(blocks, 1600)!;
    const kept = [...standsFor.keys()].filter((k) => standsFor[k]! > 0);
    expect(kept.filter((k) => k < 400).length).toBe(40);
    expect(kept.filter((k) => k >= 400).length).toBe(120);
    expect([kept[0], kept.at(-1)]).toEqual([5, 1595]);
    expect(repeats).toEqual([
      { from: 5, to: 396, times: 10 },
      { from: 405, to: 1596, times: 10 },
    ]);
  });

  test("keeps turns of which the requests are known", () => {
    const made = record("");
    const turns = 20_000;
    for (let k = 0; k < turns; k++) {
      made.enter(0, 1);
      if (!made.full) made.requests.push(0, 1, 4);
    }
    expect(made.full).toBe(true);
    const { standsFor } = thinned(made, () => length, 1000, turns * length)!;
    const last = standsFor.findLastIndex((times) => times > 0);
    expect(last).toBeLessThan(made.recorded);
    expect(standsFor.reduce((sum, times) => sum + times, 0)).toBeCloseTo(turns, 6);
  });

  test("is left as it is where nothing comes again", () => {
    expect(short("abcdefghijklmnop", 20)).toBeUndefined();
  });
});

test.each([
  [`a${"bc".repeat(100)}d`, true],
  [`a${"bc".repeat(100)}d${"ef".repeat(100)}`, false],
  [`a${"bbbc".repeat(100)}d${"bccc".repeat(100)}`, false],
])("what goes on as it began: %#", (blocks, alike) => {
  expect(goesOnAlike(record(blocks), () => length, 800)).toBe(alike);
});
