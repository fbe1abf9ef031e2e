/** Products of warp groups, from inline PTX to values, against plain loops over the same matrices. */
import { findGpu, type Launch, runWhole, verifyKernel } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../../../grammar.ts";
import { simulateProgram } from "../../../simulate.ts";
import { parseText } from "../../../syntax/testing/parse-text.ts";
import { analyseCode } from "../../../testing/rule-tables.ts";
import { bindUnit } from "../../sema/index.ts";
import { lowerKernel } from "../index.ts";

beforeAll(loadGrammarFromDisk);

/** How a matrix lies in shared memory: the place of byte `byte` of row `row`, in CUDA, and the fields of its descriptor. */
interface Layout {
  readonly place: string;
  readonly leading: number;
  readonly stride: number;
  readonly mode: number;
}

const plain: Layout = {
  place: "(row / 8) * 256 + (byte / 16) * 128 + (row % 8) * 16 + byte % 16",
  leading: 128,
  stride: 256,
  mode: 0,
};
const swizzled = (width: 32 | 64 | 128): Layout => ({
  place: `row * ${width} + (((byte / 16) ^ (row / ${128 / width} % ${width / 16})) * 16) + byte % 16`,
  leading: 16,
  stride: 8 * width,
  mode: { 128: 1, 64: 2, 32: 3 }[width],
});
/** Rows contiguous, 64 halves of them in 128 bytes; the next 64 further by `leading`. */
const turned: Layout = {
  place: "(row / 64) * 2048 + (byte / 2) * 128 + (((row % 64 / 8) ^ (byte / 2 % 8)) * 16) + row % 8 * 2 + byte % 2",
  leading: 2048,
  stride: 1024,
  mode: 1,
};

interface Case {
  readonly columns: number;
  /** `f32.bf16.bf16` */
  readonly types: string;
  readonly layout: Layout;
  readonly aInRegisters?: boolean;
  /** What follows the descriptors. */
  readonly immediates: string;
  /** Whether the sums of the first step are added to what was there. */
  readonly adds?: boolean;
}

const depths: Readonly<Record<string, number>> = { f16: 16, bf16: 16, tf32: 8, e4m3: 32, e5m2: 32, s8: 32, u8: 32 };

/** Two steps along the depth; each sum was 7 before. */
function kernelOf({ columns, types, layout, aInRegisters = false, immediates, adds = false }: Case): string {
  const [sums = "", of = ""] = types.split(".");
  const words = sums === "f16" ? columns / 4 : columns / 2;
  const [type, constraint] = sums === "f32" ? ["float", "+f"] : [sums === "s32" ? "int" : "unsigned", "+r"];
  const list = Array.from({ length: words }, (_, i) => `%${i}`).join(", ");
  const a = aInRegisters ? `{%${words}, %${words + 1}, %${words + 2}, %${words + 3}}` : `%${words}`;
  const b = words + (aInRegisters ? 4 : 1);
  return `
    __device__ unsigned long long descriptor(const void *p) {
      unsigned long long address = __cvta_generic_to_shared(p);
      return ((address & 0x3FFFF) >> 4) | (${layout.leading >> 4}ull << 16) | (${layout.stride >> 4}ull << 32) | (${layout.mode}ull << 62);
    }
    __global__ void k(const unsigned char *a, const unsigned char *b, int *c) {
      __shared__ __align__(1024) unsigned char as[16384], bs[32768];
      const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      ${type} d[${words}];
      for (int i = 0; i < ${words}; i++) d[i] = ${sums === "f16" ? "0x47004700" : "7"};
      for (int step = 0; step < 2; step++) {
        __syncthreads();
        for (int i = threadIdx.x; i < 64 * 32; i += 128) { int row = i / 32, byte = i % 32; as[${layout.place}] = a[step * 2048 + i]; }
        for (int i = threadIdx.x; i < ${columns} * 32; i += 128) { int row = i / 32, byte = i % 32; bs[${layout.place}] = b[step * ${columns * 32} + i]; }
        unsigned words[4];
        for (int i = 0; i < 4; i++) words[i] = *(const unsigned *)&a[step * 2048 + (warp * 16 + lane / 4 + i % 2 * 8) * 32 + (lane % 4 + i / 2 * 4) * 4];
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("{\\n.reg .pred p;\\nsetp.ne.b32 p, %${b + 1}, 0;\\n"
          "wgmma.mma_async.sync.aligned.m64n${columns}k${depths[of]}.${types}\\n{${list}},\\n ${a}, %${b}, p${immediates};\\n}\\n"
          : ${Array.from({ length: words }, (_, i) => `"${constraint}"(d[${i}])`).join(", ")}
          : ${aInRegisters ? '"r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])' : '"l"(descriptor(as))'}, "l"(descriptor(bs)), "r"(${adds ? 1 : "step"}));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      }
      for (int i = 0; i < ${words}; i++) {
        ${
          sums === "f16"
            ? `int at = (warp * 16 + lane / 4 + i % 2 * 8) * ${columns} + i / 2 * 8 + lane % 4 * 2; c[at] = d[i] & 0xffff; c[at + 1] = d[i] >> 16;`
            : `c[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * ${columns} + i / 4 * 8 + lane % 4 * 2 + i % 2] = ${sums === "f32" ? "__float_as_int(d[i])" : "d[i]"};`
        }
      }
    }`;
}

const scratch = new DataView(new ArrayBuffer(4));
function floatBits(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getInt32(0);
}

/** A small whole number as an element's bits. */
function bitsOf(value: number, element: string): number {
  if (element === "s8" || element === "u8") return value & 0xff;
  if (value === 0) return 0;
  const bits = floatBits(value);
  const [sign, exponent] = [bits >>> 31, ((bits >> 23) & 255) - 127];
  const of = (exponentBits: number, fractionBits: number): number =>
    (sign << (exponentBits + fractionBits)) |
    ((exponent + 2 ** (exponentBits - 1) - 1) << fractionBits) |
    ((bits >> (23 - fractionBits)) & (2 ** fractionBits - 1));
  switch (element) {
    case "f16":
      return of(5, 10);
    case "e4m3":
      return of(4, 3);
    case "e5m2":
      return of(5, 2);
    default:
      return element === "bf16" ? bits >>> 16 : bits;
  }
}

/** Whole numbers that every type can tell apart, the same every time. */
const value = (index: number, element: string): number => {
  const found = ((index * 7919 + (index >> 5) * 104729) % 7) - 3;
  return element === "u8" ? found + 3 : found;
};

async function lowered(text: string, computeCapability = 90) {
  const { unit, reading } = await parseText(text);
  const semantics = bindUnit(unit);
  const kernel = semantics.functions.findLast((each) => each.specifiers.global);
  if (!kernel) throw new Error("no kernel");
  const result = lowerKernel(semantics, reading, kernel, undefined, { computeCapability });
  expect(verifyKernel(result)).toEqual([]);
  return result;
}

function bytesOf(elements: number, element: string, seed: number): number[] {
  const width = 32 / (depths[element] ?? 16);
  return Array.from({ length: elements }, (_, i) => bitsOf(value(i + seed, element), element)).flatMap((bits) =>
    Array.from({ length: width }, (_, k) => (bits >>> (8 * k)) & 0xff),
  );
}

const table: Record<string, Case> = {
  "halves, eight columns, not swizzled": { columns: 8, types: "f32.f16.f16", layout: plain, immediates: ", 1, 1, 0, 0" },
  "halves, swizzled over 128 bytes": { columns: 128, types: "f32.f16.f16", layout: swizzled(128), immediates: ", 1, 1, 0, 0" },
  "halves, swizzled over 64 bytes": { columns: 64, types: "f32.f16.f16", layout: swizzled(64), immediates: ", 1, 1, 0, 0" },
  "halves, swizzled over 32 bytes": { columns: 24, types: "f32.f16.f16", layout: swizzled(32), immediates: ", 1, 1, 0, 0" },
  "halves summed in halves": { columns: 16, types: "f16.f16.f16", layout: swizzled(128), immediates: ", 1, 1, 0, 0" },
  "bfloat16, a group's widest": { columns: 256, types: "f32.bf16.bf16", layout: swizzled(128), immediates: ", 1, 1, 0, 0" },
  "bfloat16, both turned": { columns: 128, types: "f32.bf16.bf16", layout: turned, immediates: ", 1, 1, 1, 1" },
  "bfloat16 less than nothing": { columns: 8, types: "f32.bf16.bf16", layout: plain, immediates: ", -1, 1, 0, 0" },
  "bfloat16, A in registers": { columns: 32, types: "f32.bf16.bf16", layout: swizzled(128), aInRegisters: true, immediates: ", 1, 1, 0" },
  tf32: { columns: 16, types: "f32.tf32.tf32", layout: swizzled(128), immediates: ", 1, 1" },
  "tf32, A in registers": { columns: 8, types: "f32.tf32.tf32", layout: plain, aInRegisters: true, immediates: ", 1, 1" },
  "eight bits of two kinds": { columns: 16, types: "f32.e4m3.e5m2", layout: swizzled(64), immediates: ", 1, 1" },
  bytes: { columns: 128, types: "s32.s8.s8", layout: swizzled(128), immediates: "" },
  "bytes, A in registers": { columns: 8, types: "s32.u8.s8", layout: plain, aInRegisters: true, immediates: "" },
  "added to what was there": { columns: 8, types: "f32.f16.f16", layout: plain, immediates: ", 1, 1, 0, 0", adds: true },
};

describe("values", () => {
  test.each(Object.entries(table))("%s", async (_, each) => {
    const { columns, types, immediates, adds } = each;
    const [sums = "", of = "", ofB = ""] = types.split(".");
    const depth = depths[of] ?? 16;
    const kernel = await lowered(kernelOf(each));
    const content = (elements: number, element: string, seed: number) => ({
      bytes: 2 * 32 * 256,
      element: "i8" as const,
      content: { kind: "values" as const, values: bytesOf(elements, element, seed) },
    });
    const launch: Launch = {
      grid: [1, 1, 1],
      block: [128, 1, 1],
      dynamicSharedBytes: 0,
      arguments: [0, 1, 2].map((buffer) => ({ kind: "pointer", buffer, offset: 0 })),
      buffers: [
        { name: "a", ...content(2 * 64 * depth, of, 0) },
        { name: "b", ...content(2 * columns * depth, ofB, 5) },
        { name: "c", bytes: 64 * columns * 4, element: "i32", content: { kind: "zero" } },
      ],
    };
    const sign = immediates.startsWith(", -1") ? -1 : 1;
    const expected = Array.from({ length: 64 * columns }, (__, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      let sum = adds ? 7 : 0;
      for (let step = 0; step < 2; step++)
        for (let k = 0; k < depth; k++)
          sum += sign * value(step * 64 * depth + row * depth + k, of) * value(step * columns * depth + column * depth + k + 5, ofB);
      return sums === "s32" ? sum : sums === "f16" ? bitsOf(sum, "f16") : floatBits(sum);
    });
    for (const optimised of [false, true]) {
      const run = runWhole(kernel, launch, { optimised });
      expect(expected.map((___, at) => run.read(2, at, "i32"))).toEqual(expected);
    }
  });
});

const program = (body: string): string =>
  `__global__ void k(float *out) { float d[4] = {}; ${body} out[threadIdx.x] = d[0]; }
   int main() { float *out; cudaMalloc(&out, 4096); k<<<1, 128>>>(out); }`;
const product = (opcode: string, operands: string): string =>
  `asm volatile("wgmma.mma_async.sync.aligned.${opcode} {%0, %1, %2, %3}, ${operands};"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(1ull << 62), "l"(1ull << 62));`;
const eightColumns = product("m64n8k16.f32.f16.f16", "%4, %5, 1, 1, 1, 0, 0");

function reasonOn(id: string, body: string): string {
  const gpu = findGpu(id);
  if (!gpu) throw new Error(`no ${id}`);
  const { launches, notSimulated } = simulateProgram(analyseCode(program(body)), gpu);
  expect(launches).toEqual([]);
  return notSimulated.map(({ reason }) => reason).join();
}

describe("what is not simulated says so", () => {
  const reasons: Record<string, [body: string, reason: string]> = {
    sparse: [
      'asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0}, %1;" : "+f"(d[0]) : "l"(0ull));',
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 is not simulated",
    ],
    "types that do not meet": [product("m64n8k16.f32.f16.bf16", "%4, %5, 1, 1, 1, 0, 0"), "m64n8k16.f32.f16.bf16 is not simulated"],
    "another depth": [product("m64n8k8.f32.f16.f16", "%4, %5, 1, 1, 1, 0, 0"), "m64n8k8.f32.f16.f16 is not simulated"],
    "too few sums": [product("m64n16k16.f32.f16.f16", "%4, %5, 1, 1, 1, 0, 0"), "m64n16k16.f32.f16.f16 has 4 words of sums"],
    "too few immediates": [product("m64n8k16.f32.f16.f16", "%4, %5, 1, 1, 1"), "m64n8k16.f32.f16.f16 lacks operands"],
  };
  test.each(Object.entries(reasons))("%s", (_, [body, reason]) => expect(reasonOn("h200", body)).toContain(reason));

  test.each(["t4", "b200"])("any on a %s", (id) =>
    expect(reasonOn(id, eightColumns)).toBe("wgmma is of compute capability 9.0 alone (sm_90a)"),
  );

  test("in code for another compute capability", async () =>
    await expect(lowered(program(eightColumns), 75)).rejects.toThrow(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 is of compute capability 9.0 alone (sm_90a)",
    ));
});
