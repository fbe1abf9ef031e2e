import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { globalContention, sharedContention } from "./contention.ts";

const on = (id: string) => [0, 1, 2, 3, 4, 8, 24, 32].map((lanes) => sharedContention(findGpu(id)!.values, lanes));

test("lanes on one shared address take as long as was measured, in a straight line between", () => {
  // Table 4.2 of Jia et al.: 6, 7, 11, 18, 24, 66.
  expect(on("v100-pcie")).toEqual([0, 0, 1, 3, 5, 12, 39, 60]);
});

test("where only what each adds is known, that many times it", () => {
  expect(on("h200")).toEqual([0, 0, 2, 4, 6, 14, 46, 62]);
});

test("on a global one likewise", () => {
  expect([1, 4, 32].map((lanes) => globalContention(findGpu("p100")!.values, lanes))).toEqual([0, 22, 24]);
  expect(globalContention(findGpu("h200")!.values, 11)).toBeCloseTo(14.4);
});
