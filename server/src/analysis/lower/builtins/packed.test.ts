/** Words of packed integers: against plain arithmetic on their lanes, and in instructions against nvcc 13.0. */
import { findGpu, type Launch, runWhole } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../../../grammar.ts";
import { simulateProgram } from "../../../simulate.ts";
import { analyseCode } from "../../../testing/rule-tables.ts";
import { kernelOf } from "../../../testing/run-kernel.ts";

beforeAll(loadGrammarFromDisk);

const threads = 256;
/** Words with the lanes that matter at the edges, and others: as the kernels make them, too. */
const wordOf = (thread: number, factor: number): number => {
  const mixed = Math.imul(thread + 1, factor);
  const edges = [0x80, 0x00, 0x7f, 0xff, 0x01, 0xff, 0x80, 0x00];
  const picked = [0, 4, 8, 12].map((at) => edges[(mixed >>> (at + 9)) & 7] ?? 0);
  return (thread & 1 ? mixed : picked.reduce((word, byte, lane) => word | (byte << (8 * lane)), 0)) >>> 0;
};
const [factorA, factorB, factorC] = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35];
const made = `
__device__ unsigned wordOf(unsigned thread, unsigned factor) {
  unsigned mixed = (thread + 1) * factor, edges[8] = {0x80, 0x00, 0x7f, 0xff, 0x01, 0xff, 0x80, 0x00}, word = 0;
  for (int lane = 0; lane < 4; lane++) word |= edges[mixed >> (4 * lane + 9) & 7] << 8 * lane;
  return thread & 1 ? mixed : word;
}`;

/** What each expression of a, b and c leaves: one row of words for each thread. */
async function computed(expressions: readonly string[], computeCapability: number, optimised: boolean): Promise<number[][]> {
  const kernel = await kernelOf(
    `${made}
    __global__ void k(unsigned *out) {
      unsigned t = threadIdx.x, a = wordOf(t, ${factorA}u), b = wordOf(t, ${factorB}u), c = wordOf(t, ${factorC}u);
      bool p, q;
      ${expressions.map((each, index) => `out[t * ${expressions.length} + ${index}] = ${each};`).join("\n")}
    }`,
    computeCapability,
  );
  const launch: Launch = {
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
    buffers: [{ name: "out", bytes: 4 * threads * expressions.length, element: "i32", content: { kind: "zero" } }],
  };
  const run = runWhole(kernel, launch, { optimised });
  const words = expressions.map((_, index) => index);
  return Array.from({ length: threads }, (_, t) => words.map((index) => Number(run.read(0, t * words.length + index, "i32")) >>> 0));
}

type Lane = (a: number, b: number, c: number) => number;

const signedLane = (bits: number, value: number): number => (value << (32 - bits)) >> (32 - bits);
const inLanes = (bits: number, signed: boolean, lane: Lane, ...words: readonly number[]): number => {
  let out = 0;
  for (let at = 0; at < 32; at += bits) {
    const [a = 0, b = 0, c = 0] = words.map((word) => {
      const value = (word >>> at) & (2 ** bits - 1);
      return signed ? signedLane(bits, value) : value;
    });
    out |= (lane(a, b, c) & (2 ** bits - 1)) << at;
  }
  return out >>> 0;
};
const total = (bits: number, signed: boolean, lane: Lane, a: number, b: number): number => {
  let sum = 0;
  inLanes(bits, signed, (x, y, z) => (sum += lane(x, y, z)), a, b);
  return sum;
};

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));
const away = (value: number): number => Math.sign(value) * Math.ceil(Math.abs(value));
const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  ge: (a, b) => a >= b,
  gt: (a, b) => a > b,
  le: (a, b) => a <= b,
  lt: (a, b) => a < b,
};

/** By name: whether lanes are signed, and what is made of them. */
const lanesOf = (bits: number): Readonly<Record<string, readonly [signed: boolean, lane: Lane]>> => {
  const [least, greatest, all] = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 2 ** bits - 1];
  const compared = Object.entries(comparisons).flatMap(([name, holds]) =>
    (/[en][eq]$/.test(name) && !/^[gl]/.test(name) ? [["", false] as const] : [["s", true] as const, ["u", false] as const]).flatMap(
      ([suffix, signed]) => [
        [`cmp${name}${suffix}`, [signed, (a: number, b: number) => (holds(a, b) ? all : 0)] as const] as const,
        [`set${name}${suffix}`, [signed, (a: number, b: number) => (holds(a, b) ? 1 : 0)] as const] as const,
      ],
    ),
  );
  return {
    ...Object.fromEntries(compared),
    abs: [true, (a) => Math.abs(a)],
    absss: [true, (a) => Math.min(Math.abs(a), greatest)],
    neg: [true, (a) => -a],
    negss: [true, (a) => Math.min(-a, greatest)],
    add: [false, (a, b) => a + b],
    addss: [true, (a, b) => clamp(a + b, least, greatest)],
    addus: [false, (a, b) => Math.min(a + b, all)],
    sub: [false, (a, b) => a - b],
    subss: [true, (a, b) => clamp(a - b, least, greatest)],
    subus: [false, (a, b) => Math.max(a - b, 0)],
    avgs: [true, (a, b) => away((a + b) / 2)],
    avgu: [false, (a, b) => Math.ceil((a + b) / 2)],
    haddu: [false, (a, b) => Math.floor((a + b) / 2)],
    maxs: [true, Math.max],
    maxu: [false, Math.max],
    mins: [true, Math.min],
    minu: [false, Math.min],
    absdiffs: [true, (a, b) => Math.abs(a - b)],
    absdiffu: [false, (a, b) => Math.abs(a - b)],
  };
};
// Functions of two lanes take no third.
const two =
  (lane: Lane): Lane =>
  (a, b) =>
    lane === (Math.max as Lane) || lane === (Math.min as Lane) ? (lane as (a: number, b: number) => number)(a, b) : lane(a, b, 0);
const unary = /^(abs|neg)(ss)?$/;

describe.each([
  [90, false],
  [90, true],
  [80, true],
])("for %i, optimised: %s", (computeCapability, optimised) => {
  test.each([
    [2, 16],
    [4, 8],
  ])("lanes of %i", async (count, bits) => {
    const lanes = Object.entries(lanesOf(bits));
    const expressions = lanes.map(([name]) => `__v${name}${count}(a${unary.test(name) ? "" : ", b"})`);
    const sums = [`__vsads${count}(a, b)`, `__vsadu${count}(a, b)`];
    const rows = await computed([...expressions, ...sums], computeCapability, optimised);
    const difference: Lane = (a, b) => Math.abs(a - b);
    for (const [index, expression] of [...expressions, ...sums].entries()) {
      const expected = rows.map((_, thread) => {
        const [a, b] = [wordOf(thread, factorA), wordOf(thread, factorB)];
        const named = lanes[index]?.[1];
        return named ? inLanes(bits, named[0], two(named[1]), a, b) : total(bits, expression.includes("sads"), difference, a, b);
      });
      expect([expression, rows.map((row) => row[index])]).toEqual([expression, expected]);
    }
  });

  test("DPX", async () => {
    const types = { s32: [32, true], u32: [32, false], s16x2: [16, true], u16x2: [16, false] } as const;
    const table: [expression: string, of: (a: number, b: number, c: number) => number][] = [];
    for (const which of ["max", "min"] as const) {
      for (const [type, [bits, signed]] of Object.entries(types)) {
        const within = (value: number): number => (signed ? signedLane(bits, value) : bits === 32 ? value >>> 0 : value & 0xffff);
        const choose = Math[which];
        const forms: [name: string, lane: Lane][] = [
          [`add${which}_${type}`, (a, b, c) => choose(within(a + b), c)],
          [`${which}3_${type}`, (a, b, c) => choose(a, b, c)],
        ];
        const whole = (lane: Lane) => (a: number, b: number, c: number) =>
          bits === 32 ? (signed ? lane(a | 0, b | 0, c | 0) : lane(a, b, c)) >>> 0 : inLanes(bits, signed, lane, a, b, c);
        for (const [name, lane] of forms) table.push([`__vi${name}(a, b, c)`, whole(lane)]);
        if (!signed) continue;
        for (const [name, lane] of [...forms, [`${which}_${type}`, (a, b) => choose(a, b)] as [string, Lane]])
          table.push([`__vi${name}_relu(a, b${name === `${which}_${type}` ? "" : ", c"})`, whole((a, b, c) => Math.max(lane(a, b, c), 0))]);
      }
      const holds = which === "max" ? (a: number, b: number) => a >= b : (a: number, b: number) => a <= b;
      const flag = (value: boolean): number => (value ? 1 : 0);
      table.push([`(__vib${which}_s32(a, b, &p), p)`, (a, b) => flag(holds(a | 0, b | 0))]);
      table.push([`__vib${which}_u32(a, b, &p) ^ p`, (a, b) => (Math[which](a, b) ^ flag(holds(a, b))) >>> 0]);
      table.push([
        `(__vib${which}_s16x2(a, b, &p, &q), 2 * p + q)`,
        (a, b) => 2 * flag(holds(a >> 16, b >> 16)) + flag(holds(signedLane(16, a), signedLane(16, b))),
      ]);
      table.push([
        `(__vib${which}_u16x2(a, b, &p, &q), 2 * p + q)`,
        (a, b) => 2 * flag(holds(a >>> 16, b >>> 16)) + flag(holds(a & 0xffff, b & 0xffff)),
      ]);
    }
    const rows = await computed(
      table.map(([expression]) => expression),
      computeCapability,
      optimised,
    );
    for (const [index, [expression, of]] of table.entries()) {
      const expected = rows.map((_, thread) => of(wordOf(thread, factorA), wordOf(thread, factorB), wordOf(thread, factorC)));
      expect([expression, rows.map((row) => row[index])]).toEqual([expression, expected]);
    }
  });
});

/** Warp instructions of `o[i] = f(a[i], b[i])`, EXIT included, as nvcc 13.0 makes them for 9.0. */
describe("warp instructions", () => {
  test.each([
    [12, "__vneg2"],
    [13, "__vabs4 __vneg4"],
    [
      14,
      "__vabs2 __vabsdiffu4 __vadd2 __vimax_s16x2_relu __vimax_s32_relu __vimin_s16x2_relu __vimin_s32_relu __vmaxs2 __vmaxu2 __vmins2 __vminu2 __vsadu4 __vsub2",
    ],
    [15, "__vabsss4 __vnegss2"],
    [16, "__vabsdiffs4 __vabsss2 __vhaddu2 __vhaddu4 __vnegss4"],
    [
      17,
      "__vaddus2 __vavgu2 __vavgu4 __vcmpgtu2 __vcmpltu2 __viaddmax_s16x2 __viaddmax_s16x2_relu __viaddmax_s32 __viaddmax_s32_relu __viaddmax_u16x2 __viaddmax_u32 __viaddmin_s16x2 __viaddmin_s16x2_relu __viaddmin_s32 __viaddmin_s32_relu __viaddmin_u16x2 __viaddmin_u32 __vimax3_s16x2 __vimax3_s16x2_relu __vimax3_s32 __vimax3_s32_relu __vimax3_u16x2 __vimax3_u32 __vimin3_s16x2 __vimin3_s16x2_relu __vimin3_s32 __vimin3_s32_relu __vimin3_u16x2 __vimin3_u32 __vsubus2",
    ],
    [
      18,
      "__vadd4 __vcmpeq2 __vcmpeq4 __vcmpges2 __vcmpges4 __vcmpgeu2 __vcmpgeu4 __vcmpgts2 __vcmpgts4 __vcmpgtu4 __vcmples2 __vcmples4 __vcmpleu2 __vcmpleu4 __vcmplts2 __vcmplts4 __vcmpltu4 __vcmpne2 __vcmpne4 __vseteq2 __vseteq4 __vsetne2 __vsetne4 __vsub4",
    ],
    [
      19,
      "__vabsdiffs2 __vaddss2 __vmaxs4 __vmaxu4 __vmins4 __vminu4 __vsetges2 __vsetges4 __vsetgeu2 __vsetgeu4 __vsetgts2 __vsetgts4 __vsetgtu2 __vsetgtu4 __vsetles2 __vsetles4 __vsetleu2 __vsetleu4 __vsetlts2 __vsetlts4 __vsetltu2 __vsetltu4 __vsubss2",
    ],
    [20, "__vaddus4 __vsubus4"],
    [21, "__vsads2 __vsads4"],
    [22, "__vabsdiffu2"],
    [23, "__vaddss4 __vsadu2 __vsubss4"],
    [25, "__vavgs2 __vavgs4"],
  ])("%i: %s", (instructions, names) => {
    const gpu = findGpu("h200");
    if (!gpu) throw new Error("no h200");
    const functions = names.split(" ");
    const kernels = functions.map((name, index) => {
      const operands = /^__v(abs|neg)(ss)?[24]$/.test(name) ? ["a"] : /3_|_viadd/.test(name) ? ["a", "b", "c"] : ["a", "b"];
      const parameters = operands.map((each) => `const unsigned *${each}, `).join("");
      return `__global__ void k${index}(${parameters}unsigned *o) { int i = threadIdx.x; o[i] = ${name}(${operands.map((each) => `${each}[i]`).join(", ")}); }
        void launch${index}(unsigned *p) { k${index}<<<1, 32>>>(${operands.map(() => "p + 1024, ").join("")}p); }`;
    });
    const calls = functions.map((_, index) => `launch${index}(p);`).join(" ");
    const { launches, notSimulated } = simulateProgram(
      analyseCode(`${kernels.join("\n")}\nint main() { unsigned *p; cudaMalloc(&p, 1 << 16); ${calls} }`),
      gpu,
    );
    expect(notSimulated).toEqual([]);
    // A shift that a sum takes in is one instruction to nvcc and two here; constants are moved for some, and one is folded otherwise.
    const near: Readonly<Record<string, number>> = {
      __vhaddu2: 1,
      __vhaddu4: 1,
      __vcmpgtu2: 1,
      __vcmpltu2: 1,
      __vsads2: 1,
      __vsads4: 2,
      __vabs4: -1,
      __vabsss4: -1,
      __vcmpeq2: -1,
      __vcmpeq4: -1,
      __vcmpne2: -1,
      __vcmpne4: -1,
      __vabsdiffu2: -1,
      __vsadu2: -1,
      __vavgs2: -1,
      __vavgs4: -1,
    };
    const counted = launches.map(({ report }, index) => [functions[index], report.instructions.warp - (near[functions[index] ?? ""] ?? 0)]);
    expect(counted).toEqual(functions.map((name) => [name, instructions]));
  });
});
