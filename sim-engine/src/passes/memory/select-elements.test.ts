import { expect, test } from "vitest";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { optimise } from "../pipeline.ts";
import { selectElements } from "./select-elements.ts";

/** An array of `size` floats that is filled with the first parameter, then read and written at the second. */
const kernel = (size: number, body: string): string => `kernel @k(%a: f32, %i: i32, %y: ptr f32) {
b0:
  %1: ptr = alloca ${4 * size}, align 4, "c"
  %2: f32 = param 0
  %3: i32 = param 1
  %4: ptr = param 2
  %5: i32 = const 0
${Array.from({ length: size }, (_, k) => `  %${100 + k}: ptr = gep %1, %5, scale 1, offset ${4 * k}\n  store.local %${100 + k}, %2, align 4`).join("\n")}
${body}
  return
}
`;
const read = (id: number, shift: number): string => `  %${id}: ptr = gep %1, %3, scale 4, offset ${4 * shift}
  %${id + 1}: f32 = load.local %${id}, align 4
  store.global %4, %${id + 1}, align 4`;
const write = (id: number): string => `  %${id}: ptr = gep %1, %3, scale 4, offset 0
  store.local %${id}, %2, align 4`;
const reads = (count: number): string => Array.from({ length: count }, (_, k) => read(500 + 10 * k, k)).join("\n");

// As validation/compiler/elements.json has it.
test.each<[what: string, size: number, body: string, selects: boolean]>([
  ["one read of 64", 64, reads(1), true],
  ["one read of 65", 65, reads(1), false],
  ["three reads of 32", 32, reads(3), true],
  ["three reads of 33", 33, reads(3), false],
  ["a write of 64", 64, `${write(500)}\n${reads(1).replaceAll("%50", "%60")}`, true],
  ["as many reads as are not known", 4, reads(9), false],
  ["an address that is kept", 8, "  %500: ptr = gep %1, %3, scale 4, offset 0\n  store.global %4, %500, align 8", false],
])("%s", (_, size, body, selects) => {
  const made = parseKernel(kernel(size, body));
  expect(selectElements(made, new Work())).toBe(selects);
  expect(verifyKernel(made)).toEqual([]);
  const whole = parseKernel(kernel(size, body));
  optimise(whole);
  expect(printKernel(whole).includes("alloca")).toBe(!selects);
});
