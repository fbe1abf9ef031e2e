/** Inline PTX that computes, against plain arithmetic on the same words. */
import { describe, expect, test } from "vitest";
import { leaves } from "../../../testing/run-kernel.ts";

const threads = 128;
const wordOf = (thread: number, factor: number): number => Math.imul(thread + 1, factor) >>> 0;
const factors = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35] as const;
const given = (thread: number): [number, number, number] => factors.map((factor) => wordOf(thread, factor)) as [number, number, number];

const types: Readonly<Record<string, string>> = { r: "unsigned", l: "unsigned long long", f: "float", h: "unsigned short" };
/** How an operand is made of a word. */
const operand: Readonly<Record<string, (word: string) => string>> = {
  r: (word) => word,
  // The word above its complement.
  l: (word) => `((unsigned long long)${word} << 32 | ~${word})`,
  f: (word) => `((int)${word} / 65536.0f)`,
  h: (word) => `(unsigned short)${word}`,
};

type Row = readonly [text: string, result: string, operands: string, of: (a: number, b: number, c: number) => number];

async function check(rows: readonly Row[]): Promise<void> {
  const functions = rows.map(([text, result, operands], index) => {
    const parameters = [...operands].map((kind, at) => `${types[kind]} v${at}`).join(", ");
    const bound = [...operands].map((kind, at) => `"${kind}"(v${at})`).join(", ");
    const back = result === "f" ? "__float_as_uint(r)" : result === "l" ? "(unsigned)r ^ (unsigned)(r >> 32)" : "r";
    return `__device__ unsigned f${index}(${parameters}) { ${types[result]} r; asm volatile("${text}" : "=${result}"(r) : ${bound}); return ${back}; }`;
  });
  const calls = rows.map(([, , operands], index) => {
    const values = [...operands].map((kind, at) => operand[kind]?.("abc"[at] ?? "a"));
    return `out[t * ${rows.length} + ${index}] = f${index}(${values.join(", ")});`;
  });
  const [fa, fb, fc] = factors;
  const left = await leaves(
    `${functions.join("\n")}
    __global__ void k(unsigned *out) {
      unsigned t = threadIdx.x, a = (t + 1) * ${fa}u, b = (t + 1) * ${fb}u, c = (t + 1) * ${fc}u;
      ${calls.join("\n")}
    }`,
    threads,
    threads * rows.length,
  );
  for (const [index, [text, , , of]] of rows.entries()) {
    const expected = Array.from({ length: threads }, (_, thread) => of(...given(thread)) | 0);
    expect([text, expected.map((_, thread) => left[thread * rows.length + index])]).toEqual([text, expected]);
  }
}

const big = (word: number): bigint => BigInt(word >>> 0);
const long = (word: number): bigint => (big(word) << 32n) | big(~word);
const folded = (value: bigint): number => Number(BigInt.asIntN(32, value ^ (BigInt.asUintN(64, value) >> 32n)));
const low = (value: bigint): number => Number(BigInt.asIntN(32, value));
const float = (word: number): number => (word | 0) / 65536;
const signed16 = (word: number): number => (word << 16) >> 16;
const inHalves = (half: (a: number, b: number) => number, a: number, b: number): number =>
  (half(a >>> 16, b >>> 16) << 16) | (half(a & 0xffff, b & 0xffff) & 0xffff);
const view = new DataView(new ArrayBuffer(4));
const bitsOf = (value: number): number => {
  view.setFloat32(0, value);
  return view.getInt32(0);
};
/** To 10 places of the mantissa, ties away from zero, by division. */
const tf32 = (value: number): number => {
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - 10);
  return Math.sign(value) * Math.floor(Math.abs(value) / unit + 0.5) * unit;
};
/** To 7 places, ties to even. */
const bf16 = (value: number): number => {
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - 7);
  const scaled = value / unit;
  const down = Math.floor(scaled);
  const rest = scaled - down;
  return (rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down) * unit;
};
const even = (value: number): number => {
  const down = Math.floor(value);
  return value - down > 0.5 || (value - down === 0.5 && down % 2 !== 0) ? down + 1 : down;
};
const clamp = (value: number, least: number, greatest: number): number => Math.max(least, Math.min(greatest, value));

describe("inline PTX", () => {
  test("wide and high products", () =>
    check([
      ["mul.wide.u32 %0, %1, %2;", "l", "rr", (a, b) => folded(big(a) * big(b))],
      ["mul.wide.s32 %0, %1, %2;", "l", "rr", (a, b) => folded(BigInt(a | 0) * BigInt(b | 0))],
      ["mul.wide.u16 %0, %1, %2;", "r", "hh", (a, b) => (a & 0xffff) * (b & 0xffff)],
      ["mul.hi.u32 %0, %1, %2;", "r", "rr", (a, b) => low((big(a) * big(b)) >> 32n)],
      ["mul.hi.s32 %0, %1, %2;", "r", "rr", (a, b) => low((BigInt(a | 0) * BigInt(b | 0)) >> 32n)],
      ["mul.hi.u64 %0, %1, %2;", "l", "ll", (a, b) => folded((long(a) * long(b)) >> 64n)],
      ["mad.hi.u32 %0, %1, %2, %3;", "r", "rrr", (a, b, c) => low(((big(a) * big(b)) >> 32n) + big(c))],
      ["mad.wide.u32 %0, %1, %2, %3;", "l", "rrl", (a, b, c) => folded(BigInt.asUintN(64, big(a) * big(b) + long(c)))],
      ["mad.wide.s32 %0, %1, %2, %3;", "l", "rrl", (a, b, c) => folded(BigInt.asUintN(64, BigInt(a | 0) * BigInt(b | 0) + long(c)))],
    ]));

  test("carries", () =>
    check([
      [
        "{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, t, %3; }",
        "r",
        "rrr",
        (a, b, c) => low(big(a) + big(b) + ((big(a) + big(b)) >> 32n) + big(c)),
      ],
      ["{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, t, %3; }", "r", "rrr", (a, b, c) => (a - b - c - (a < b ? 1 : 0)) | 0],
      [
        "{ .reg .u32 t, u; add.cc.u32 t, %1, %2; addc.cc.u32 t, %3, 0xffffffff; addc.u32 %0, t, 0; }",
        "r",
        "rrr",
        (a, b, c) => {
          const second = big(c) + 0xffffffffn + ((big(a) + big(b)) >> 32n);
          return low(second + (second >> 32n));
        },
      ],
    ]));

  test("words and parts of them", () =>
    check([
      ["mov.b64 %0, {%1, %2};", "l", "rr", (a, b) => a ^ b],
      ["{ .reg .u32 lo, hi; mov.b64 {lo, hi}, %1; sub.u32 %0, hi, lo; }", "r", "l", (a) => (a - ~a) | 0],
      ["mov.b32 %0, {%1, %2};", "r", "hh", (a, b) => (a & 0xffff) | (b << 16)],
      ["{ .reg .b16 hi; mov.b32 {_, hi}, %1; mov.b16 %0, hi; }", "h", "r", (a) => a >>> 16],
      ["shf.l.wrap.b32 %0, %1, %2, %3;", "r", "rrr", (a, b, c) => low((((big(b) << 32n) | big(a)) << big(c & 31)) >> 32n)],
      ["shf.r.clamp.b32 %0, %1, %2, 40;", "r", "rr", (_, b) => b],
      ["shf.l.clamp.b32 %0, %1, %2, 9;", "r", "rr", (a, b) => (b << 9) | (a >>> 23)],
      ["popc.b64 %0, %1;", "r", "l", () => 32],
      ["clz.b64 %0, %1;", "r", "l", (a) => (a === 0 ? 32 : Math.clz32(a))],
      ["bfind.shiftamt.u32 %0, %1;", "r", "r", (a) => Math.clz32(a)],
    ]));

  test("any function of three bits", () =>
    check(
      Array.from({ length: 256 }, (_, table): Row => {
        const of = (a: number, b: number, c: number): number =>
          [0, 1, 2, 3, 4, 5, 6, 7]
            .filter((row) => (table >> row) & 1)
            .reduce((bits, row) => bits | ((row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c)), 0);
        return [`lop3.b32 %0, %1, %2, %3, ${table};`, "r", "rrr", of];
      }),
    ));

  test("integers", () =>
    check([
      ["abs.s32 %0, %1;", "r", "r", (a) => Math.abs(a | 0)],
      ["neg.s32 %0, %1;", "r", "r", (a) => -a],
      ["div.u32 %0, %1, %2;", "r", "rr", (a, b) => Math.floor(a / b)],
      ["rem.s32 %0, %1, %2;", "r", "rr", (a, b) => (a | 0) % (b | 0)],
      ["set.gt.u32.s32 %0, %1, %2;", "r", "rr", (a, b) => ((a | 0) > (b | 0) ? -1 : 0)],
      ["slct.s32.s32 %0, %1, %2, %3;", "r", "rrr", (a, b, c) => ((c | 0) >= 0 ? a : b)],
      ["add.u16x2 %0, %1, %2;", "r", "rr", (a, b) => inHalves((x, y) => x + y, a, b)],
      ["max.s16x2 %0, %1, %2;", "r", "rr", (a, b) => inHalves((x, y) => Math.max(signed16(x), signed16(y)), a, b)],
      ["min.u16x2 %0, %1, %2;", "r", "rr", (a, b) => inHalves((x, y) => Math.min(x, y), a, b)],
      [
        "dp4a.u32.u32 %0, %1, %2, %3;",
        "r",
        "rrr",
        (a, b, c) => [0, 8, 16, 24].reduce((sum, at) => sum + ((a >>> at) & 255) * ((b >>> at) & 255), c),
      ],
      ["cvt.sat.s8.s32 %0, %1;", "r", "r", (a) => clamp(a | 0, -128, 127)],
      ["cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", "r", "rrr", (a, b, c) => (c << 16) | (clamp(a | 0, 0, 255) << 8) | clamp(b | 0, 0, 255)],
    ]));

  test("floats", () =>
    check([
      ["cvt.rna.tf32.f32 %0, %1;", "r", "f", (a) => bitsOf(tf32(Math.fround(float(a))))],
      [
        "cvt.rn.bf16x2.f32 %0, %1, %2;",
        "r",
        "ff",
        (a, b) => (bitsOf(bf16(Math.fround(float(a)))) & 0xffff0000) | (bitsOf(bf16(Math.fround(float(b)))) >>> 16),
      ],
      ["cvt.rn.bf16.f32 %0, %1;", "h", "f", (a) => bitsOf(bf16(Math.fround(float(a)))) >>> 16],
      ["abs.f32 %0, %1;", "f", "f", (a) => bitsOf(Math.abs(Math.fround(float(a))))],
      ["cvt.rni.s32.f32 %0, %1;", "r", "f", (a) => even(Math.fround(float(a)))],
      ["cvt.rmi.f32.f32 %0, %1;", "f", "f", (a) => bitsOf(Math.floor(Math.fround(float(a))))],
      ["cvt.sat.f32.f32 %0, %1;", "f", "f", (a) => bitsOf(clamp(Math.fround(float(a)), 0, 1))],
      ["set.gt.u32.f32 %0, %1, %2;", "r", "ff", (a, b) => (float(a) > float(b) ? -1 : 0)],
    ]));

  test.each([
    ["fma.rn.f16x2 %0, %1, %2, %3;", (a: number, b: number, c: number) => a * b + c],
    ["fma.rn.relu.f16x2 %0, %1, %2, %3;", (a: number, b: number, c: number) => Math.max(a * b + c, 0)],
    ["add.f16x2 %0, %1, %2;", (a: number, b: number) => a + b],
    ["sub.rn.f16x2 %0, %1, %2;", (a: number, b: number) => a - b],
    ["mul.f16x2 %0, %1, %2;", (a: number, b: number) => a * b],
    ["min.f16x2 %0, %1, %2;", (a: number, b: number) => Math.min(a, b)],
    ["max.f16x2 %0, %1, %2;", (a: number, b: number) => Math.max(a, b)],
    ["neg.f16x2 %0, %1;", (a: number) => -a],
    ["abs.f16x2 %0, %1;", (a: number) => Math.abs(a)],
  ])("halves in pairs: %s", async (text, of) => {
    const text16 = `__device__ unsigned pair(float low, float high) { unsigned r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return r; }
    __device__ int number(unsigned short h) { float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); return (int)f; }
    __global__ void k(int *out) {
      int t = threadIdx.x;
      unsigned r, a = pair(t - 16, 3 - t), b = pair(5 - t, t), c = pair(t - 7, 2 * t);
      unsigned short low, high;
      asm("${text}" : "=r"(r) : "r"(a), "r"(b), "r"(c));
      asm("mov.b32 {%0, %1}, %2;" : "=h"(low), "=h"(high) : "r"(r));
      out[2 * t] = number(low); out[2 * t + 1] = number(high);
    }`;
    const expected = Array.from({ length: 32 }, (_, t) => [of(t - 16, 5 - t, t - 7) | 0, of(3 - t, t, 2 * t) | 0]).flat();
    expect(await leaves(text16, 32, 64)).toEqual(expected);
  });

  test("lanes of a warp", () =>
    check([
      ["{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }", "r", "r", () => -1],
      ["{ .reg .pred p, q; setp.eq.u32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }", "r", "r", () => 0],
    ]));

  test("a half that is tied goes to the number away from zero, and infinity stays", async () => {
    const text = `__global__ void k(unsigned *out) {
      float values[4] = {__uint_as_float(0x3f801000), __uint_as_float(0xbf801000), __uint_as_float(0x7f800000), __uint_as_float(0x3f800fff)};
      unsigned r;
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(values[threadIdx.x]));
      out[threadIdx.x] = r;
    }`;
    expect(await leaves(text, 4, 4)).toEqual([0x3f802000, 0xbf802000 | 0, 0x7f800000, 0x3f800000]);
  });
});
