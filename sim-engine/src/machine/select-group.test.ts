/** Products of warp groups as nvcc 13.0 writes them for sm_90a. */
import { expect, test } from "vitest";
import { parseKernel, printKernel } from "../ir/text.ts";
import { verifyKernel } from "../ir/verify.ts";
import { select } from "./select.ts";

/** A descriptor of what lies `offset` bytes into shared memory: swizzled over 128 bytes, eight rows 1,024 bytes apart. */
const descriptor = (id: number, offset: number): string => `
  %${id}: ptr = gep %1, %2, scale 1, offset ${offset}
  %${id + 1}: i64 = ptrtoint %${id}
  %${id + 2}: i64 = sub %${id + 1}, %3
  %${id + 3}: i64 = and %${id + 2}, %4
  %${id + 4}: i64 = lshr %${id + 3}, %5
  %${id + 5}: i64 = or %${id + 4}, %6`;

const start = `
  %1: ptr = shared.address 0
  %2: i32 = const 0
  %3: i64 = const 4294967296
  %4: i64 = const 262143
  %5: i32 = const 4
  %6: i64 = const 4611686293305360384
  %7: i32 = special warpid
  %8: i1 = const 1
  %9: f32 = const 0
  wgmma.fence`;

const product = (id: number, a: number, b: number, sums: readonly string[]): string => `
  %${id}: f32x4 = wgmma %7, %8, %${a}, %${b}, ${sums.join(", ")}, n8.f16.f16.f32
${[0, 1, 2, 3].map((k) => `  %${id + 1 + k}: f32 = extract %${id}, ${k}`).join("\n")}`;

const zeros = ["%9", "%9", "%9", "%9"];

function machine(body: string) {
  const text = `kernel @k(%out: ptr f32) {
  shared @tile 4096 align 1024 dims 1024 element 4
${body}`;
  const kernel = parseKernel(text);
  expect(verifyKernel(kernel)).toEqual([]);
  expect(printKernel(parseKernel(printKernel(kernel)))).toBe(printKernel(kernel));
  const { blocks, registers } = select(kernel, 90);
  const instructions = [...blocks.values()].flatMap((block) => block.instructions);
  return { registers: registers.value, instructions, opcodes: instructions.map(({ opcode }) => opcode) };
}

const stored = `
  %90: ptr = param 0
  store.global %90, %51, %52, %53, %54, align 16
  return
}`;

test("descriptors are made in uniform registers beside the product, which says that its group ends", () => {
  const { opcodes, instructions, registers } = machine(`b0:${start}${descriptor(10, 0)}${descriptor(20, 2048)}${product(40, 15, 25, zeros)}
    ${product(50, 15, 25, ["%41", "%42", "%43", "%44"])}
  wgmma.commit
  wgmma.wait 0${stored}`);
  const tensor = opcodes.filter((each) => /GMMA|WARPGROUP/.test(each));
  expect(tensor).toEqual(["WARPGROUP.ARRIVE", "HGMMA.64x8x16.F32", "HGMMA.64x8x16.F32", "WARPGROUP.DEPBAR.LE"]);
  expect(instructions.flatMap(({ product: time }) => (time ? [time.commits] : []))).toEqual([false, true]);
  // Of A mask, shift and fields; of B the offset as well; an upper half for each operand of each product.
  const count = (opcode: string): number => opcodes.filter((each) => each === opcode).length;
  expect([count("ULOP3"), count("USHF"), count("UMOV") - 1, count("R2UR")]).toEqual([4, 2, 4, 0]);
  // What is added to nothing needs no zeros; the second product adds where the first left its sums.
  expect(count("CS2R") + count("IMAD.MOV")).toBe(0);
  const [first, second] = instructions.filter(({ product: time }) => time);
  expect(second?.uses).toEqual(expect.arrayContaining([...(first?.defs ?? [])]));
  expect(registers).toBe(30);
});

test("descriptors that differ between lanes are moved to uniform registers; other types have other instructions", () => {
  const bytes = product(50, 15, 36, zeros)
    .replaceAll("f32x4", "i32x4")
    .replaceAll(": f32", ": i32")
    .replace("n8.f16.f16.f32", "n8.s8.u8.s32");
  const { opcodes } = machine(`b0:${start.replace("%9: f32", "%9: i32")}${descriptor(10, 0)}${descriptor(20, 0)}
  %30: i32 = special tid.x
  %31: i64 = zext %30
  %36: i64 = or %25, %31${bytes}
  wgmma.commit
  wgmma.wait 0${stored}`);
  expect(opcodes.filter((each) => each === "R2UR")).toHaveLength(2);
  expect(opcodes).toContain("IGMMA.64x8x32.S8.U8");
});

test("a group whose products stand in a loop ends with one of nothing", () => {
  const { opcodes, instructions } = machine(`b0:${start}${descriptor(10, 0)}${descriptor(20, 2048)}
  jump b1
b1:
  %60: i32 = phi [%2, b0], [%66, b1]
  %61: f32 = phi [%9, b0], [%51, b1]
  %62: f32 = phi [%9, b0], [%52, b1]
  %63: f32 = phi [%9, b0], [%53, b1]
  %64: f32 = phi [%9, b0], [%54, b1]${product(50, 15, 25, ["%61", "%62", "%63", "%64"])}
  %65: i32 = const 1
  %66: i32 = add %60, %65
  %67: i32 = special ntid.x
  %68: i1 = icmp.slt %66, %67
  branch %68, b1, b2
b2:
  wgmma.commit
  wgmma.wait 0${stored}`);
  expect(instructions.flatMap(({ opcode, product: time }) => (time ? [`${opcode} ${time.cycles} ${time.commits}`] : []))).toEqual([
    "HGMMA.64x8x16.F32 4 false",
    "HGMMA.64x8x16.F16 0 true",
  ]);
  // Sums are cleared two at a time, and stay where they are from turn to turn.
  expect(opcodes.filter((each) => each === "CS2R")).toHaveLength(2);
  // What is moved is the counter, which a comparison reads.
  expect(instructions.filter(({ opcode }) => opcode === "IMAD.MOV").map(({ defs }) => defs.map(({ file }) => file))).toEqual([["R"]]);
});
