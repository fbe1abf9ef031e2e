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

test("so do parameters, and what is made of them", () => {
  const text = runPasses(
    counted(
      "%19: ptr = param.address 2\n  %20: i32 = load.param %19, align 4\n  %21: i32 = mul %20, %3\n  %22: i32 = add %21, %10\n  %23: ptr = gep %2, %22, scale 4, offset 0\n  store.global %23, %8, align 4",
    ),
    hoistInvariants,
  );
  for (const early of ["= load.param", "= mul "]) expect(text.indexOf(early)).toBeLessThan(text.indexOf("phi"));
});
