import { expect, test } from "vitest";
import { Work } from "../work.ts";
import { stretchOf } from "./makespan.ts";

const oneEach = { sms: 4, resident: 1, alone: 1 };
const stretch = (costs: readonly number[], machine = oneEach, dealt?: readonly number[]): number =>
  stretchOf(costs, machine, dealt, new Work());

test("blocks that are alike take as long as their mean", () => {
  expect(stretch(new Array<number>(40).fill(7))).toBe(1);
  expect(stretch([])).toBe(1);
});

test("a long block that comes last is waited for, one that comes first is not", () => {
  const short = new Array<number>(36).fill(1);
  // 9 rounds and then 8 more, over ten rounds of an SM, of which in one of four the long one is.
  const last = stretch([...short, 8]);
  expect(last).toBeGreaterThan(17 / 11.75);
  expect(last).toBeLessThan(17 / 10);
  expect(stretch([8, ...short])).toBeCloseTo(1, 1);
});

test("what is left of an SM's blocks goes on faster only where they kept each other busy", () => {
  const costs = [...new Array<number>(32).fill(1), 6];
  const one = { sms: 1, resident: 4 };
  const [idle, full] = [
    stretch(costs, { ...one, alone: 1 }, new Array<number>(33).fill(38 / 33)),
    stretch(costs, { ...one, alone: 4 }, new Array<number>(33).fill(38 / 33)),
  ];
  expect(full).toBeCloseTo(1, 6);
  expect(idle).toBeGreaterThan(1.3);
});

test("against what one SM is known to have been dealt", () => {
  // Rows of a triangle that four SMs get by turns: the first has 8 and 4, the others less; dealt were 8 and the mean.
  const costs = [8, 7, 6, 5, 4, 3, 2, 1];
  expect(stretch(costs, { sms: 4, resident: 2, alone: 2 }, [8, 3])).toBeCloseTo(12 / 11, 2);
  expect(stretch(costs, { sms: 4, resident: 2, alone: 2 }, [8, 5])).toBe(1);
});

test("of blocks that are dealt as it happens SMs end at other times than one that has each length's share", () => {
  const costs = Array.from({ length: 4096 }, (_, k) => ((k * 2654435761) % 4096 < 2048 ? 1 : 20));
  const mixed = stretch(costs, { sms: 132, resident: 8, alone: 3 });
  expect(mixed).toBeGreaterThan(1.005);
  expect(mixed).toBeLessThan(1.4);
});
