import { expect, test } from "vitest";
import type { LaunchFact } from "../../analysis/facts.ts";
import { isKnown } from "./violations.ts";

test.each<readonly [what: string, value: number | string, isKnown: boolean]>([
  ["the program's arguments", "100 200", true],
  ["compile options", "-use_fast_math", true],
  ["optimisation", "-O3", true],
  ["architecture of code", "sm_90", true],
  ["`cublasCreate`", "success", true],
  ["n", 1024, false],
  ["grid", "(16384, 1, 1)", false],
  ["the launch", "taken to be reached", false],
])("%s: %s", (what, value, known) => {
  const fact = { assumptions: [{ what, value, why: "" }] } as Pick<LaunchFact, "assumptions"> as LaunchFact;
  expect(isKnown({ fact })).toBe(known);
});
