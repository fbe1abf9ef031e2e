import { beforeAll, expect, test } from "vitest";
import type { LaunchFact } from "../../analysis/facts.ts";
import { loadGrammarFromDisk } from "../../grammar.ts";
import { findingsOf } from "../../testing/rule-tables.ts";
import { elementAt, isKnown } from "./violations.ts";

beforeAll(loadGrammarFromDisk);

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

test.each<readonly [what: string, elementBytes: number | undefined, offset: number, width: number, expected: string]>([
  ["an element", 4, 400, 4, "element 100"],
  ["a member of a record", 16, 1608, 4, "element 100"],
  ["several at once", 4, 400, 16, "elements 100 to 103"],
  ["before the start", 8, -8, 4, "element -1"],
  ["bytes of a pool", 1, 400, 4, "byte 400"],
  ["not where one begins", 4, 402, 4, "byte 402"],
  ["what nothing is known of", undefined, 400, 8, "element 50"],
])("the element that is touched: %s", (_, elementBytes, offset, width, expected) => {
  const object = { kind: "buffer", name: "x", bytes: 4000, ...(elementBytes === undefined ? {} : { elementBytes }) } as const;
  expect(elementAt({ object, offset, width })).toBe(expected);
});

test("the allocation is shown, where the host's code makes it", () => {
  const code = `__global__ void k(float *x) { x[threadIdx.x] = 1; }
int main() {
  float *x;
  cudaMalloc(&x, 100 * sizeof(float));
  k<<<1, 128>>>(x);
}`;
  const [finding] = findingsOf(code, ["out-of-bounds-access"], true);
  expect(finding?.related.map(({ range, message }) => [range.start.line + 1, message])).toEqual([
    [4, "`x` is allocated here: 400 bytes"],
    [5, "in this launch of `k`: grid 1, block 128"],
  ]);
});
