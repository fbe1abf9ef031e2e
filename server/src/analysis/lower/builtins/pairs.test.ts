/** Functions of half-precision numbers and their pairs: what they give, as the headers' documentation says. */
import { type Launch, runWhole } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../../../grammar.ts";
import { kernelOf } from "../../../testing/run-kernel.ts";

beforeAll(loadGrammarFromDisk);

/** What expressions of the pairs a = (2, -3), b = (0.5, -3), c = (-4, 1) and n = (NaN, 1) give, one component after the other. */
async function computed(expressions: readonly string[]): Promise<number[][]> {
  const kernel = await kernelOf(
    `#include <cuda_fp16.h>
    __device__ void put(float *out, half2 v) { out[0] = __low2float(v); out[1] = __high2float(v); }
    __device__ void put(float *out, half v) { out[0] = __half2float(v); }
    __device__ void put(float *out, bool v) { out[0] = v; }
    __device__ void put(float *out, unsigned v) { out[0] = v & 0xffff; out[1] = v >> 16; }
    __global__ void k(float *out) {
      half2 a = __floats2half2_rn(2, -3), b = __floats2half2_rn(0.5f, -3), c = __floats2half2_rn(-4, 1);
      half2 n = __floats2half2_rn(nanf(""), 1);
      ${expressions.map((each, index) => `put(out + ${2 * index}, ${each});`).join("\n")}
    }`,
    90,
  );
  const launch: Launch = {
    grid: [1, 1, 1],
    block: [1, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
    buffers: [{ name: "out", bytes: 8 * expressions.length, element: "f32", content: { kind: "zero" } }],
  };
  const run = runWhole(kernel, launch, { optimised: true });
  return expressions.map((_, index) => [0, 1].map((part) => Number(run.read(0, 2 * index + part, "f32"))));
}

const expected: Readonly<Record<string, readonly [number, number]>> = {
  "__hadd2_sat(a, b)": [1, 0],
  "__hmul2_sat(b, b)": [0.25, 1],
  "__hsub2_sat(a, b)": [1, 0],
  "__hfma2_sat(b, b, b)": [0.75, 1],
  "__hfma2_relu(a, b, c)": [0, 10],
  "__hfma_relu(a.x, b.x, c.x)": [0, 0],
  "__hadd_sat(a.x, b.x)": [1, 0],
  // (2 - 3i) * (0.5 - 3i) + (-4 + i)
  "__hcmadd(a, b, c)": [-12, -6.5],
  "__hmax2_nan(a, b)": [2, -3],
  "__lows2half2(a, b)": [2, 0.5],
  "__highs2half2(a, c)": [-3, 1],
  "__lowhigh2highlow(a)": [-3, 2],
  "__hisnan2(n)": [1, 0],
  "__hgt2(a, n)": [0, 0],
  "__hgtu2(a, n)": [1, 0],
  "__hbgtu2(a, n)": [0, 0],
  "__hbleu2(c, n)": [1, 0],
  "__hltu(n.x, a.x)": [1, 0],
  "__heq2_mask(a, b)": [0, 0xffff],
  "__hne2_mask(a, b)": [0xffff, 0],
  "__hgeu2_mask(a, n)": [0xffff, 0],
  "a == b": [0, 0],
  "a != b": [0, 0],
  "a == a": [1, 0],
  "[&] { half2 d = a; d += b; d *= c; return d; }()": [-10, -6],
  "[&] { half2 d = a; half2 e = d++ - b; return --e + (++d - +a); }()": [2.5, 1],
};

test("half-precision functions give what their names say", async () => {
  const names = Object.keys(expected);
  const found = await computed(names);
  expect(Object.fromEntries(names.map((name, index) => [name, found[index]]))).toEqual(expected);
});
