import { expect, test } from "vitest";
import type { Op } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { drivenByData } from "./data-driven.ts";

/** Whether the kernel's store goes where data says: `address` makes its index, `%9`, of the thread's, `%3`, and the block's, `%4`. */
function isDriven(address: string): boolean {
  const kernel = parseKernel(`kernel @k(%out: ptr i32, %data: ptr i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = special tid.x
  %4: i32 = special ctaid.x
${address}
  %10: ptr = gep %1, %9, scale 4
  store.global %10, %3, align 4
  return
}
`);
  const stores = kernel.blocks.flatMap(({ ops }) => ops.filter(({ action }: Op) => action.kind === "store"));
  return drivenByData(kernel, stores, new Work()).size > 0;
}

const within = `  %5: i32 = const 7
`;

test.each([
  ["a quotient of the block's index", `${within}  %9: i32 = sdiv %4, %5`, false],
  ["a remainder of it", `${within}  %9: i32 = srem %4, %5`, false],
  ["bits of it turned over by others", `${within}  %9: i32 = xor %4, %5`, false],
  ["what was loaded", "  %6: ptr = gep %2, %4, scale 4\n  %9: i32 = load.global %6, align 4", true],
  ["what all find at one place", "  %6: i32 = load.global %2, align 4\n  %9: i32 = add %4, %6", false],
  ["a hash", "  %5: i32 = const 2654435761\n  %9: i32 = mul %4, %5", true],
  ["a pitch", "  %5: i32 = const 16777216\n  %9: i32 = mul %4, %5", false],
  ["random numbers of shifted bits", "  %5: i32 = const 13\n  %6: i32 = shl %4, %5\n  %9: i32 = xor %4, %6", true],
  ["the multiprocessor", "  %9: i32 = special smid", true],
  [
    "a choice by what was loaded",
    `  %5: i32 = const 0
  %6: ptr = gep %2, %4, scale 4
  %7: i32 = load.global %6, align 4
  %8: i1 = icmp.eq %7, %5
  branch %8, b1, b2
b1:
  jump b2
b2:
  %9: i32 = phi [%3, b0], [%4, b1]`,
    true,
  ],
  [
    "a choice by the block's index",
    `  %5: i32 = const 0
  %8: i1 = icmp.eq %4, %5
  branch %8, b1, b2
b1:
  jump b2
b2:
  %9: i32 = phi [%3, b0], [%4, b1]`,
    false,
  ],
])("%s", (_, address, expected) => {
  expect(isDriven(address)).toBe(expected);
});
