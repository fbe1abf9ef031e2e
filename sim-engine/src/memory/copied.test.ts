import { expect, test } from "vitest";
import { copied } from "./copied.ts";

/** Rows of `row` bytes, `fromPitch` apart from `from` on, go to rows `toPitch` apart from `to` on; chunks of 16 bytes trade places by `swizzle`. */
function rows(row: number, [fromPitch, from]: readonly number[], [toPitch, to]: readonly number[], swizzle = 0) {
  const perRow = row / 16;
  const lanes = Array.from({ length: 32 }, (_, lane) => [Math.floor(lane / perRow), lane % perRow] as const);
  const sources = Float64Array.from(lanes, ([at, chunk]) => at * fromPitch! + from! + chunk * 16);
  const targets = Float64Array.from(lanes, ([at, chunk]) => at * toPitch! + to! + (chunk ^ swizzle) * 16);
  return copied(sources, targets, 0, -1);
}

// Sectors and cycles of a warp's copy, as h200-async-copies.txt has them (one SM, 1.98 GHz) and the counters beside it.
test.each([
  ["a line and more in a row", rows(512, [512, 0], [512, 0]), 16, 7],
  ["to the middle of sectors", rows(512, [512, 0], [512, 16]), 32, 14],
  ["from the middle of sectors", rows(512, [512, 16], [512, 0]), 32, 14.75],
  ["from the middle of sectors to the middle of sectors", rows(512, [512, 16], [512, 16]), 17, 8.75],
  ["lines", rows(128, [256, 0], [128, 0]), 16, 7],
  ["lines with 16 bytes between them", rows(128, [256, 0], [144, 0]), 24, 10.5],
  ["lines whose chunks trade places", rows(128, [256, 0], [128, 0], 3), 16, 7],
  ["lines from the middle of sectors", rows(128, [256, 16], [128, 0]), 32, 17],
  ["half lines", rows(64, [256, 0], [64, 0]), 16, 10],
  ["half lines with 16 bytes between them", rows(64, [256, 0], [80, 0]), 24, 15],
  ["half lines from the middle of sectors, too", rows(64, [256, 16], [80, 0]), 28, 22],
  ["half lines whose sectors trade halves", rows(64, [256, 0], [64, 0], 1), 16, 10],
  ["sectors", rows(32, [256, 0], [32, 0]), 16, 16],
  ["sectors to the middle of sectors", rows(32, [256, 0], [32, 16]), 32, 32],
  ["half sectors", rows(16, [256, 0], [16, 0]), 32, 32],
])("%s", (_, { sectors, cycles }, moved, taken) => {
  expect([sectors.length, cycles]).toEqual([moved, taken]);
});

test("lanes that do not take part move nothing", () => {
  expect(copied(new Float64Array(32), new Float64Array(32), 0, 0)).toEqual({ sectors: [], cycles: 0 });
});
