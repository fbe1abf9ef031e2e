import { expect, test } from "vitest";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { markReadOnly } from "./mark-read-only.ts";

test("restrict data that is not stored to is read-only", () => {
  const kernel = parseKernel(`kernel @k(%a: ptr f32 restrict, %b: ptr f32 restrict, %c: ptr f32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: ptr = param 2
  %4: f32 = load.global %1, align 4
  %5: f32 = load.global %2, align 4
  %6: f32 = load.global %3, align 4
  %7: f32 = fadd %4, %5
  %8: f32 = fadd %7, %6
  store.global %2, %8, align 4
  return
}
`);
  markReadOnly(kernel);
  const text = printKernel(kernel);
  expect(text).toMatch(/load\.global %1, align 4, nc/);
  expect(text).not.toMatch(/load\.global %[23], align 4, nc/);
});
