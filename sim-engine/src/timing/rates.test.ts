import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { loaded, memoryRates } from "./rates.ts";

test("what memory brings goes the way of writes where the L2 has halves, and there only", () => {
  const [h200, l4] = [findGpu("h200")!.values, findGpu("l4")!.values];
  expect([h200.l2Partitions, l4.l2Partitions]).toEqual([2, 1]);
  // h200-halves.tsv: a line that is read from memory and one that is written take an SM 14 cycles together, all SMs at it; a line written 7 (h200-beside.txt).
  const rates = memoryRates(h200, h200.smCount, 0.5);
  const line = rates.l2PerWrite * (1 + 3 * h200.l2SectorWriteCost);
  expect(Math.abs(line - 6.9)).toBeLessThan(1);
  expect(Math.abs(line + rates.l2PerLine + 4 * rates.l2PerBrought - 14)).toBeLessThan(1);
  expect(memoryRates(l4, l4.smCount, 0.5).l2PerBrought).toBe(0);
});

test("latency under load follows T^p = latency^p + bandwidth^p", () => {
  // With as many bytes in flight as saturate the memory, each bound alone would take 1: together 2^(1/p).
  const p = 1.8;
  const together = 2 ** (1 / p);
  expect(loaded(1, 1 / together, p)).toBeCloseTo(together, 6);
});
