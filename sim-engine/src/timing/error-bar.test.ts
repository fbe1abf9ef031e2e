import { expect, test } from "vitest";
import { errorClass, timeRange } from "./error-bar.ts";
import { timeErrors } from "./errors.ts";

test.each([
  ["dram", "memory"],
  ["dram-latency", "memory"],
  ["l2-port", "l2"],
  ["fma", "compute"],
  ["issue", "compute"],
  ["barrier", "waits"],
  ["block-launch", "launch"],
  ["host-link", "host"],
])("%s errs as %s does", (boundBy, expected) => expect(errorClass(boundBy)).toBe(expected));

test("the bar is as far below as above, as a ratio", () => {
  const { error } = timeErrors.classes.memory;
  const [lo, hi] = timeRange(1000, "dram");
  expect(hi).toBeCloseTo(1000 * (1 + error));
  expect(lo * hi).toBeCloseTo(1e6);
});

test("no class has an error that nothing shows", () => {
  for (const { error } of Object.values(timeErrors.classes)) {
    expect(error).toBeGreaterThan(0.01);
    expect(error).toBeLessThan(2);
  }
});
