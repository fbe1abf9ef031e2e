import { describe, expect, test } from "vitest";
import type { Op } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { findDeltas } from "./deltas.ts";

/** Deltas of the values of a straight kernel when `ctaid.x` goes one block on. */
function deltasOf(
  body: string,
  longestStep = 64,
): {
  of: (name: number) => number;
  modulus: (name: number) => number | undefined;
  step: number;
  rounds: readonly number[];
  approximate: boolean;
} {
  const kernel = parseKernel(
    `kernel @k(%p: ptr) {\nb0:\n  %1: i32 = special ctaid.x\n  %2: i32 = special tid.x\n  %3: ptr = param 0\n${body}\n  return\n}`,
  );
  const ops = kernel.blocks.flatMap((block) => block.ops);
  const op = (id: number): Op => {
    const found = ops.find((each) => each.id === id);
    if (!found) throw new Error(`no %${id}`);
    return found;
  };
  const deltas = findDeltas({
    blocks: kernel.blocks,
    needs: () => true,
    source: ({ action }) => (action.kind === "special" ? (action.register === "ctaid.x" ? 1 : 0) : undefined),
    constantOf: ({ action }) => (action.kind === "const" ? Number(action.value) : undefined),
    isUniform: ({ action }) => action.kind === "const",
    loaded: () => () => Number.NaN,
    longestStep,
    work: new Work(),
  });
  return {
    of: (id) => deltas.of(op(id)),
    modulus: (id) => deltas.cycleOf(op(id))?.modulus,
    step: deltas.step,
    rounds: deltas.rounds,
    approximate: deltas.approximate,
  };
}

describe("how values change from block to block", () => {
  test("indices and addresses move by constant multiples", () => {
    const deltas = deltasOf(`
      %10: i32 = const 256
      %11: i32 = mul %1, %10
      %12: i32 = add %11, %2
      %13: ptr = gep %3, %12, scale 4`);
    expect([deltas.of(12), deltas.of(13), deltas.step]).toEqual([256, 1024, 1]);
  });

  test("what is multiplied beyond what doubles tell apart moves by the power of two in it", () => {
    const deltas = deltasOf(`
      %10: i32 = const 1664525
      %11: i32 = const 12
      %12: i32 = mul %1, %11
      %13: i32 = mul %12, %10
      %14: i32 = mul %13, %10
      %15: i32 = mul %14, %10`);
    expect([deltas.of(14), deltas.of(15)]).toEqual([12 * 1664525 ** 2, 4]);
  });

  test("a quotient makes the step as long as it takes to move by whole numbers", () => {
    const deltas = deltasOf(
      `
      %10: i32 = const 4
      %11: i32 = udiv %1, %10
      %12: i32 = and %1, %14
      %14: i32 = const 3`.replace("%12: i32 = and %1, %14\n      %14: i32 = const 3", "%14: i32 = const 3\n      %12: i32 = and %1, %14"),
    );
    expect([deltas.step, deltas.of(11), deltas.of(12)]).toEqual([4, 1, 0]);
  });

  test("a remainder goes round, and an address made of it stands as before where the modulus fits", () => {
    const deltas = deltasOf(`
      %10: i32 = const 8
      %11: i32 = mul %1, %10
      %12: i32 = add %11, %2
      %13: i32 = const 1023
      %14: i32 = and %12, %13
      %15: ptr = gep %3, %14, scale 4`);
    expect([deltas.step, deltas.of(15), deltas.modulus(15)]).toEqual([1, 32, 4096]);
  });

  test("a comparison of a remainder asks for a step after which it is back, if there is one", () => {
    const body = `
      %10: i32 = const 96
      %11: i32 = urem %1, %10
      %12: i32 = const 5
      %13: i1 = icmp.slt %11, %12`;
    expect(deltasOf(body, 128)).toMatchObject({ step: 96, approximate: false });
    expect(deltasOf(body, 64)).toMatchObject({ step: 1, approximate: true });
  });

  test("what divides tells after how many steps groups and rounds begin anew", () => {
    const body = `
      %10: i32 = const 256
      %11: i32 = mul %1, %10
      %12: i32 = add %11, %2
      %13: i32 = const 1000
      %14: i32 = udiv %12, %13
      %15: i32 = const 3
      %16: i32 = lshr %1, %15`;
    // 1000 elements are four blocks of 256, about; after 125 blocks they begin together again.
    expect([...deltasOf(body).rounds].sort((a, b) => a - b)).toEqual([4, 8, 125]);
    expect(deltasOf("%10: i32 = add %1, %2").rounds).toEqual([]);
  });

  test("what data decide is not known", () => {
    const deltas = deltasOf(`
      %10: ptr = gep %3, %1, scale 4
      %11: i32 = load.global %10, align 4
      %12: i1 = icmp.eq %11, %2`);
    expect([deltas.of(11), deltas.of(12)]).toEqual([Number.NaN, Number.NaN]);
  });
});
