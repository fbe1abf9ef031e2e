/** Calls of the device's runtime as nvcc 13.0 writes them for sm_90. */
import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { optimise } from "../passes/index.ts";
import { select } from "./select.ts";

const compiled = (body: string, parameters = "%k: i32"): ReturnType<typeof select> => {
  const kernel = parseKernel(`kernel @k(${parameters}) {\nb0:\n  ${body.trim().split("\n").join("\n  ")}\n  return\n}`);
  optimise(kernel);
  return select(kernel, 90);
};

/** What nvcc makes of it: instructions, and the stores among them. */
const table: Record<string, [body: string, instructions: number, stores: readonly string[], frame: number]> = {
  'printf("-\\n")': ["call.printf", 10, [], 0],
  'printf("%d", k)': ["%0: i32 = param 0\ncall.printf %0", 16, ["STL"], 8],
  'printf("%d %d %d %d", k, threadIdx.x, blockIdx.x, blockDim.x)': [
    "%0: i32 = param 0\n%1: i32 = special tid.x\n%2: i32 = special ctaid.x\n%3: i32 = special ntid.x\ncall.printf %0, %1, %2, %3",
    19,
    ["STL.128"],
    16,
  ],
  'printf("%d", k); printf("%d %d", k, k + 1)': [
    "%0: i32 = param 0\n%1: i32 = const 1\n%2: i32 = add %0, %1\ncall.printf %0\ncall.printf %0, %2",
    29,
    ["STL", "STL.64"],
    8,
  ],
};

test.each(Object.entries(table))("%s", (_, [body, instructions, stores, frame]) => {
  const machine = compiled(body);
  const opcodes = [...machine.blocks.values()].flatMap((block) => block.instructions.map(({ opcode }) => opcode));
  expect(opcodes.length).toBe(instructions);
  expect(opcodes.filter((opcode) => opcode.startsWith("STL"))).toEqual(stores);
  expect(machine.localBytesPerThread).toBe(frame);
  expect(machine.registers.value).toBe(32);
});

test("what is kept across a call stands behind the registers that the function may use", () => {
  const kept = Array.from({ length: 30 }, (_, k) => k);
  const machine = compiled(
    `%p: ptr = param 0
%t: i32 = special tid.x
%q: ptr = gep %p, %t, scale 4
${kept.map((k) => `%i${k}: i32 = const ${1000 * k}\n%q${k}: ptr = gep %q, %i${k}, scale 4\n%v${k}: f32 = load.global %q${k}, align 4`).join("\n")}
call.printf %t
${kept.map((k) => `%s${k}: f32 = fmul %v${k}, %v${k}\nstore.global %q${k}, %s${k}, align 4`).join("\n")}`,
    "%p: ptr f32",
  );
  // 30 values and the address: nvcc takes 52.
  expect(machine.registers.value).toBeGreaterThanOrEqual(48);
  expect(machine.registers.value).toBeLessThanOrEqual(56);
});

test("what is loaded is loaded again behind a call, but for what nothing writes", () => {
  const again = (promise: string): number => {
    const machine = compiled(
      `%p: ptr = param 0
%o: ptr = param 1
%a: f32 = load.global %p, align 4
call.printf %a
%b: f32 = load.global %p, align 4
%s: f32 = fadd %a, %b
store.global %o, %s, align 4`,
      `%p: ptr ${promise}, %o: ptr f32 restrict`,
    );
    return [...machine.blocks.values()].flatMap(({ instructions }) => instructions).filter(({ opcode }) => opcode.startsWith("LDG")).length;
  };
  expect(again("f32")).toBe(2);
  expect(again("const f32 restrict")).toBe(1);
});
