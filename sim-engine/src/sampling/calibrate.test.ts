import fc from "fast-check";
import { expect, test } from "vitest";
import { calibrated } from "./calibrate.ts";

const mean = (items: readonly { issued: number }[], weights: readonly number[]): number =>
  items.reduce((sum, { issued }, i) => sum + issued * weights[i]!, 0) / weights.reduce((sum, weight) => sum + weight, 0);

test("a mean within reach is met, and every item keeps some weight", () => {
  const items = [
    { weight: 1, issued: 10 },
    { weight: 1, issued: 100 },
    { weight: 2, issued: 50 },
  ];
  for (const target of [30, 50, 70]) {
    const weights = calibrated(items, target);
    expect(mean(items, weights)).toBeCloseTo(target, 3);
    expect(Math.min(...weights)).toBeGreaterThan(0);
  }
});

test("weights that have the mean already stay in proportion", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ weight: fc.double({ min: 0.1, max: 10, noNaN: true }), issued: fc.integer({ min: 1, max: 1000 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      (items) => {
        const before = items.map(({ weight }) => weight);
        const after = calibrated(items, mean(items, before));
        for (let i = 1; i < items.length; i++) expect(after[i]! / after[0]!).toBeCloseTo(before[i]! / before[0]!, 4);
      },
    ),
  );
});

test("items that are all alike are left as they are", () =>
  expect(
    calibrated(
      [
        { weight: 3, issued: 7 },
        { weight: 4, issued: 7 },
      ],
      100,
    ),
  ).toEqual([3, 4]));
