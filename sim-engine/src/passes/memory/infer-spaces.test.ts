import { expect, test } from "vitest";
import { common, runPasses } from "../testing/run-passes.ts";
import { inferSpaces } from "./infer-spaces.ts";

test("spaces come from where an address does", () => {
  const text = runPasses(
    `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %10, %4, scale 4, offset 0
  %12: f32 = load.generic %11, align 4
  %13: i1 = icmp.slt %4, %3
  %14: ptr = select %13, %1, %2
  %15: ptr = select %13, %1, %10
  store.generic %14, %12, align 4
  store.generic %15, %12, align 4`,
    inferSpaces,
  );
  expect(text).toMatch(/load\.shared %11/);
  expect(text).toMatch(/store\.global %14/);
  expect(text).toMatch(/store\.generic %15/);
});
