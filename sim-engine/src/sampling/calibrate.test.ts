import fc from "fast-check";
import { expect, test } from "vitest";
import { calibrated } from "./calibrate.ts";

interface Item {
  readonly weight: number;
  readonly amounts: readonly number[];
}

const mean = (items: readonly Item[], weights: readonly number[], of = 0): number =>
  items.reduce((sum, { amounts }, i) => sum + amounts[of]! * weights[i]!, 0) / weights.reduce((sum, weight) => sum + weight, 0);

const item = (weight: number, ...amounts: number[]): Item => ({ weight, amounts });

test("a mean within reach is met, and every item keeps some weight", () => {
  const items = [item(1, 10), item(1, 100), item(2, 50)];
  for (const target of [30, 50, 70]) {
    const weights = calibrated(items, [target]);
    expect(mean(items, weights) / target).toBeCloseTo(1, 2);
    expect(Math.min(...weights)).toBeGreaterThan(0);
  }
});

test("what blocks move is met as well as what they issue: of masked blocks some issue as much and move half", () => {
  // None, half and all of the lanes; drawn were too many of those that have all.
  const items = [item(1, 20, 1), item(1, 1200, 1000), item(4, 1200, 2000), item(1, 20, 1)];
  const weights = calibrated(items, [610, 900]);
  expect(mean(items, weights) / 610).toBeCloseTo(1, 2);
  expect(mean(items, weights, 1) / 900).toBeCloseTo(1, 2);
});

test.each([
  ["along with it", [item(1, 10, 1), item(1, 20, 2), item(1, 30, 3)], [25, 1.2]],
  ["along with it, nearly", [item(1, 10, 1), item(1, 20, 2.01), item(1, 30, 3)], [25, 2.4]],
  ["against it", [item(1, 10, 3), item(1, 20, 2), item(1, 30, 1)], [25, 2.2]],
  ["nothing at all", [item(100, 10, 1), item(1, 30, 3)], [25, 0]],
] as const)("of means that contradict each other the first is met, and no item is left without weight: %s", (_, items, targets) => {
  const weights = calibrated(items, targets);
  expect(mean(items, weights) / targets[0]).toBeCloseTo(1, 2);
  expect(Math.min(...weights) / Math.max(...weights)).toBeGreaterThan(1e-6);
});

test("items that differ by next to nothing are not driven apart for it", () => {
  const items = Array.from({ length: 12 }, (_, k) => item(1, 100, 1000 + (k % 4)));
  expect(new Set(calibrated(items, [100, 1006]))).toEqual(new Set([1]));
});

test("weights that have the means already stay in proportion", () => {
  const amount = fc.integer({ min: 1, max: 1000 });
  fc.assert(
    fc.property(
      fc.array(fc.record({ weight: fc.double({ min: 0.1, max: 10, noNaN: true }), amounts: fc.tuple(amount, amount) }), {
        minLength: 1,
        maxLength: 6,
      }),
      (items) => {
        const before = items.map(({ weight }) => weight);
        const after = calibrated(items, [mean(items, before), mean(items, before, 1)]);
        for (let i = 1; i < items.length; i++) expect(after[i]! / after[0]! / (before[i]! / before[0]!)).toBeCloseTo(1, 3);
      },
    ),
  );
});

test("items that are all alike are left as they are", () => expect(calibrated([item(3, 7, 5), item(4, 7, 5)], [100, 100])).toEqual([3, 4]));
