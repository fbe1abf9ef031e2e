import { expect, test } from "vitest";
import { common, runPasses } from "../testing/run-passes.ts";
import { duplicateReturns } from "./duplicate-returns.ts";

test("each way out has a return of its own", () => {
  const text = runPasses(
    `b0:${common}
  %10: i1 = icmp.slt %4, %3
  branch %10, b1, b2
b1:
  store.global %2, %8, align 4
  jump b2
b2:
  return`,
    duplicateReturns,
  );
  expect(text.match(/return/g)).toHaveLength(2);
});
