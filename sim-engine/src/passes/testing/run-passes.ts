/** Passes run on a kernel in the text of the IR, for their tests. */
import type { Kernel } from "../../ir/kernel.ts";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { removeDeadCode } from "../fold/dce.ts";
import { hoistLeaves } from "../fold/leaves.ts";

const header = "kernel @k(%in: ptr f32, %out: ptr f32, %n: i32)";
const shared = `shared @tile 4096 align 4 dims 32x32 element 4`;

/** Runs the passes on a kernel of one block, or of the blocks given, and prints what is left. Throws where the kernel is not in order. */
export function runPasses(body: string, ...passes: ((kernel: Kernel, work: Work) => unknown)[]): string {
  const blocks = /^b\d+:/m.test(body) ? body : `b0:\n${body}\n  return`;
  const kernel = parseKernel(`${header} {\n${shared}\n${blocks}\n}\n`);
  const work = new Work();
  hoistLeaves(kernel, work);
  check(kernel);
  for (const pass of passes) {
    pass(kernel, work);
    check(kernel);
  }
  removeDeadCode(kernel, work);
  return printKernel(kernel);
}

function check(kernel: Kernel): void {
  const problems = verifyKernel(kernel);
  if (problems.length > 0) throw new Error(`${problems.join("\n")}\n${printKernel(kernel)}`);
}

/** Values that the bodies below begin with. */
export const common = `
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = special tid.x
  %5: i32 = const 0
  %6: i32 = const 1
  %7: i32 = const 8
  %8: f32 = const 2`;

/** What is computed, and the value of it that is stored. */
export const stored = (value: string, ops: string): string => `${common}
  ${ops.trim().split("\n").join("\n  ")}
  store.global %2, %${value}, align 4`;

/** A branch whose ways meet with the values %21 and %22. */
export const diamond = (then: string, otherwise: string): string => `b0:${common}
  %10: i1 = icmp.slt %4, %3
  branch %10, b1, b2
b1:
  ${then}
  jump b3
b2:
  ${otherwise}
  jump b3
b3:
  %30: i32 = phi [%21, b1], [%22, b2]
  store.global %2, %30, align 4
  return`;

/** `for (int k = 0; k < n; k++)` with a body; k is %10. */
export const counted = (body: string): string => `b0:${common}
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%11, b1]
  ${body}
  %11: i32 = add.exact %10, %6
  %12: i1 = icmp.slt %11, %3
  branch %12, b1, b2
b2:
  return`;
