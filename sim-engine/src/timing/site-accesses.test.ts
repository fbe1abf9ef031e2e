import { expect, test } from "vitest";
import { accessOf, phasesMet } from "./site-accesses.ts";
import { TraceRecorder } from "./trace.ts";

test("an entry's accesses are found by their sites, those of other entries are not", () => {
  const trace = new TraceRecorder([1, 1]);
  trace.enter(0);
  trace.access(3, 2, 16);
  trace.enter(1);
  trace.access(5, 1, 4);
  trace.access(3, 4, 32);
  trace.access(5, 2, 8);
  const built = trace.finish();
  expect([0, 1].map((entry) => accessOf(built, entry, 3))).toEqual([
    { cycles: 2, amount: 16 },
    { cycles: 4, amount: 32 },
  ]);
  expect([accessOf(built, 0, 5), phasesMet(built, 0, 5), accessOf(built, 1, 7)]).toEqual([undefined, [], undefined]);
  expect(phasesMet(built, 1, 5)).toEqual([
    [1, 4],
    [2, 8],
  ]);
});
