import { expect, test } from "vitest";
import { parseKernel } from "../../ir/text.ts";
import { underlyingObject } from "./alias.ts";

/** A pointer that goes on by so many steps a turn. */
const marching = (steps: number): string => `kernel @k(%n: i32, %x: ptr f32) {
b0:
  %1: ptr = param 1
  %2: i32 = param 0
  %3: i32 = const 0
  jump b1
b1:
  %10: ptr = phi [%1, b0], [%${100 + steps}, b1]
${Array.from({ length: steps }, (_, k) => `  %${101 + k}: ptr = gep %${k === 0 ? 10 : 100 + k}, %2, scale 4, offset 0`).join("\n")}
  %11: i1 = icmp.slt %3, %2
  branch %11, b1, b2
b2:
  return
}
`;

test.each([1, 60, 70, 127, 128, 200])(
  "where a pointer leads that goes on by %i steps a turn: to its object, or it is not known",
  (steps) => {
    const kernel = parseKernel(marching(steps));
    const phi = kernel.blocks[1]!.phis[0]!;
    expect(underlyingObject(phi)?.action.kind).toBe(steps < 64 ? "param" : undefined);
  },
);
