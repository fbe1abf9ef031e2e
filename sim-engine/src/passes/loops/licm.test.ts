import { expect, test } from "vitest";
import { counted, runPasses } from "../testing/run-passes.ts";
import { hoistInvariants } from "./licm.ts";

test("invariant arithmetic leaves the loop", () => {
  const text = runPasses(
    counted(
      "%20: i32 = mul %4, %3\n  %21: i32 = add %20, %10\n  %22: ptr = gep %2, %21, scale 4, offset 0\n  store.global %22, %8, align 4",
    ),
    hoistInvariants,
  );
  expect(text.indexOf("= mul %4, %3")).toBeLessThan(text.indexOf("phi"));
});
