import { expect, test } from "vitest";
import { loaded } from "./rates.ts";

test("latency under load follows T^p = latency^p + bandwidth^p", () => {
  // With as many bytes in flight as saturate the memory, each bound alone would take 1: together 2^(1/p).
  const p = 1.8;
  const together = 2 ** (1 / p);
  expect(loaded(1, 1 / together, p)).toBeCloseTo(together, 6);
});
