import { expect, test } from "vitest";
import { accessAt, phasesMet } from "./site-accesses.ts";
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
  for (const likely of [0, 1, 2, 9]) {
    expect([0, 1].map((entry) => accessAt(built, entry, 3, likely))).toEqual([0, 2]);
    expect([accessAt(built, 0, 5, likely), accessAt(built, 1, 7, likely)]).toEqual([-1, -1]);
  }
  expect(phasesMet(built, 0, 5)).toEqual([]);
  expect(phasesMet(built, 1, 5)).toEqual([
    [1, 4],
    [2, 8],
  ]);
});
