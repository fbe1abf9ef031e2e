import { expect, test } from "vitest";
import { common, runPasses } from "../testing/run-passes.ts";
import { narrowLoads } from "./narrow-loads.ts";

test.each([
  ["one component", [2], ["f32"]],
  ["an aligned pair", [2, 3], ["f32x2"]],
  ["two others", [1, 2], ["f32", "f32"]],
  ["three", [0, 1, 3], ["f32x4"]],
])("of a vector that is loaded whole, what is not used is left out, as ptxas does: %s", (_, used, expected) => {
  const text = runPasses(
    `${common}
  %10: f32x4 = load.global %1, align 16
${used.map((index, k) => `  %${20 + k}: f32 = extract %10, ${index}\n  store.global %2, %${20 + k}, align 4`).join("\n")}`,
    narrowLoads,
  );
  expect([...text.matchAll(/(f32\S*) = load/g)].map(([, type]) => type)).toEqual(expected);
});
