import { expect, test } from "vitest";
import { apart, binaryTicks, linearTicks, logShare, logTicks, niceAbove } from "./scale.ts";

test.each([
  [0, 1],
  [1, 1],
  [1.01, 2],
  [2.1, 2.5],
  [26, 50],
  [0.3, 0.5],
  [999, 1000],
])("%d rounds up to %d", (value, nice) => expect(niceAbove(value)).toBeCloseTo(nice, 9));

test.each([
  [311, [0, 100, 200, 300, 400]],
  [100, [0, 25, 50, 75, 100]],
  [0.6, [0, 0.2, 0.4, 0.6]],
  [0, [0, 1]],
])("ticks up to %d", (largest, ticks) => {
  const found = linearTicks(largest);
  expect(found.map((tick) => Math.round(tick * 1e6) / 1e6)).toEqual(ticks);
  expect(found.at(-1)).toBeGreaterThanOrEqual(largest * (1 - 1e-9));
});

test.each([
  [0.05, 30, 10, [0.01, 0.1, 1, 10, 100]],
  [1, 100, 10, [1, 10, 100]],
  [32, 1024, 2, [32, 64, 128, 256, 512, 1024]],
])("powers around %d to %d", (least, largest, base, ticks) => {
  expect(logTicks(least, largest, base).map((tick) => Math.round(tick * 1e6) / 1e6)).toEqual(ticks);
});

test("the middle by logarithm", () => {
  expect(logShare(10, 1, 100)).toBeCloseTo(0.5);
  expect(logShare(7, 7, 7)).toBe(0.5);
});

test("labels that would meet are left out", () => expect(apart([0, 10, 20, 30, 45], (each) => each, 20)).toEqual([0, 20, 45]));

test.each([
  [16, 255, [16, 64, 128, 192, 255]],
  [32, 1024, [32, 256, 512, 768, 1024]],
  [0, 232448, [0, 65536, 131072, 196608, 232448]],
  [5, 5, [5]],
])("multiples of a power of two from %d to %d", (from, to, ticks) => expect(binaryTicks(from, to)).toEqual(ticks));
