/** `wgmma`: matrix products of four warps together, and what orders them (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions). */
import type { GroupElement, GroupProduct, Op } from "@warplens/sim-engine";
import type { Lowering } from "../emit/lowering.ts";
import type { Operands } from "./operands.ts";
import { type Asm, type Instruction, listed } from "./ptx.ts";

/** What has these instructions: sm_90a, and nothing before or after it. */
const capability = 90;

export function lowerWgmma(lowering: Lowering, asm: Asm, at: Operands, instruction: Instruction): void {
  const { builder, options } = lowering;
  const name = instruction.opcode.join(".");
  const fail = (reason: string): never => lowering.fail(`the PTX instruction ${name} ${reason}`, asm);
  if (options.computeCapability !== capability) fail("is of compute capability 9.0 alone (sm_90a)");
  switch (instruction.opcode[1]) {
    case "fence":
      builder.emit({ kind: "wgmma.fence" }, "void");
      return;
    case "commit_group":
      builder.emit({ kind: "wgmma.commit" }, "void");
      return;
    case "wait_group":
      builder.emit({ kind: "wgmma.wait", pending: Number(at.immediate(instruction.operands[0] ?? "")) }, "void");
      return;
    case "mma_async":
      multiply(lowering, at, instruction, fail);
      return;
    default:
      fail("is not simulated");
  }
}

/** `wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 sums, a, b, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;` */
function multiply(lowering: Lowering, at: Operands, { opcode, operands }: Instruction, fail: (reason: string) => never): void {
  const { builder } = lowering;
  const [to = "", a = "", b = "", scale = "", ...immediates] = operands;
  const [columns = 0, depth] =
    /^m64n(\d+)k(\d+)$/
      .exec(opcode[4] ?? "")
      ?.slice(1)
      .map(Number) ?? [];
  const types = opcode.length === 8 ? productTypes(opcode[5], opcode[6], opcode[7]) : undefined;
  if (!types || columns < 8 || columns > 256 || columns % 8 !== 0 || depth !== depths[types.a]) fail("is not simulated");
  const aIn = a.startsWith("{") ? "registers" : "shared";
  const flag = (index: number): number => Number(at.immediate(immediates[index] ?? fail("lacks operands")));
  const isFloat = types.sums !== "s32";
  const turns = depths[types.a] === 16;
  const product: GroupProduct = {
    columns,
    ...types,
    aIn,
    negated: { a: isFloat && flag(0) < 0, b: isFloat && flag(1) < 0 },
    transposed: { a: turns && aIn === "shared" && flag(2) !== 0, b: turns && flag(aIn === "shared" ? 3 : 2) !== 0 },
  };
  const word = types.sums === "f32" ? "f32" : "i32";
  const results = listed(to);
  const wordsOfA = aIn === "shared" ? [at.read(a, "i64")] : listed(a).map((each) => at.read(each, "i32"));
  if (results.length !== (types.sums === "f16" ? columns / 4 : columns / 2)) fail(`has ${results.length} words of sums`);
  if (aIn === "registers" && wordsOfA.length !== 4) fail(`has ${wordsOfA.length} words of A`);
  const made = builder.emit(
    { kind: "wgmma", product, components: results.length },
    word,
    builder.special("warpid"),
    condition(lowering, at, scale),
    ...wordsOfA,
    at.read(b, "i64"),
    ...results.map((each) => at.read(each, word)),
  );
  for (const [index, each] of results.entries()) at.write(each, builder.extract(made, index));
}

/** Whether the sums are added to: a predicate, or a number that says the same. */
function condition(lowering: Lowering, at: Operands, operand: string): Op {
  const predicate = at.predicate(operand);
  if (predicate) return predicate;
  const { builder } = lowering;
  return builder.icmp("ne", at.read(operand, "i32"), lowering.constant("i32", 0));
}

/** Which elements go with which sums; undefined where there is no such product. */
function productTypes(sums = "", a = "", b = ""): Pick<GroupProduct, "a" | "b" | "sums"> | undefined {
  const known = elements[sums as GroupProduct["sums"]]?.find((each) => each.includes(a as GroupElement));
  if (!known?.includes(b as GroupElement)) return undefined;
  return { a: a as GroupElement, b: b as GroupElement, sums: sums as GroupProduct["sums"] };
}

/** The depth of a product by A's elements. */
const depths: Readonly<Record<GroupElement, number>> = { f16: 16, bf16: 16, tf32: 8, e4m3: 32, e5m2: 32, s8: 32, u8: 32 };

/** Elements that may meet in a product, by its sums. */
const elements: Readonly<Record<GroupProduct["sums"], readonly (readonly GroupElement[])[]>> = {
  f16: [["f16"], ["e4m3", "e5m2"]],
  f32: [["f16"], ["bf16"], ["tf32"], ["e4m3", "e5m2"]],
  s32: [["s8", "u8"]],
};
