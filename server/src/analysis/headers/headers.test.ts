/** The bundled headers: found behind a program's own, read without errors, and fit to be lowered and run. */
import { type Launch, runWhole, verifyKernel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { FileParser, read } from "../../syntax/index.ts";
import { testParser } from "../../syntax/testing/parse-text.ts";
import { lowerKernel } from "../lower/index.ts";
import { bindUnit } from "../sema/index.ts";
import { headerFolder, isLibraryHeader, withHeaders } from "./index.ts";

async function parsed(text: string, files: Readonly<Record<string, string>> = {}) {
  const host = withHeaders({ read: (path) => files[path] });
  const preprocessed = read("/src/a.cu", text, host, { computeCapability: 90, includeDirs: ["/include", headerFolder] });
  const parsed = new FileParser(await testParser).parse(preprocessed);
  if (!parsed) throw new Error("cancelled");
  return parsed;
}

describe.each([
  "cub/cub.cuh",
  "cub/block/block_reduce.cuh",
  "thrust/complex.h",
  "cuda/std/complex",
  "curand_kernel.h",
  "cuda/atomic",
  "cuda_fp8.h",
  "cuda.h",
  "cudaTypedefs.h",
  "utility",
  "array",
  "atomic",
  "thread",
  "queue",
  "stack",
  "set",
  "optional",
  "tuple",
  "variant",
  "string",
  "random",
  "map",
  "sstream",
  "getopt.h",
  "gflags/gflags.h",
])("%s", (name) => {
  test("is found and reads without errors", async () => {
    const { reading, unit } = await parsed(`#include <${name}>\n`);
    expect(reading.missingIncludes).toEqual([]);
    expect(reading.files.slice(1).every(isLibraryHeader)).toBe(true);
    expect(unit.errors).toEqual([]);
  });
});

test("a program's own header of the same name comes first", async () => {
  const { reading } = await parsed("#include <cub/cub.cuh>\n", { "/include/cub/cub.cuh": "int own;" });
  expect(reading.files).toEqual(["/src/a.cu", "/include/cub/cub.cuh"]);
});

/** What a kernel leaves in a buffer of 256 numbers that is its only argument. */
function ran(reading: Awaited<ReturnType<typeof parsed>>["reading"], unit: Awaited<ReturnType<typeof parsed>>["unit"]) {
  const semantics = bindUnit(unit);
  const declaration = semantics.functions.find((each) => each.specifiers.global);
  if (!declaration) throw new Error("no kernel");
  const kernel = lowerKernel(semantics, reading, declaration, undefined, { computeCapability: 90 });
  expect(verifyKernel(kernel)).toEqual([]);
  const launch: Launch = {
    grid: [1, 1, 1],
    block: [64, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
    buffers: [{ name: "out", bytes: 1024, element: "f32", content: { kind: "zero" } }],
  };
  return runWhole(kernel, launch, { optimised: true });
}

test("numbers of 8 bits are rounded, and stay within their range", async () => {
  const { reading, unit } = await parsed(`#include <cuda_fp8.h>
    __global__ void k(float *out) {
      float given[] = {0.0f, 1.0f, -1.1f, 0.017578125f, 1000.0f, 13.0f};
      if (threadIdx.x == 0)
        for (int i = 0; i < 6; i++) {
          out[i] = float(__nv_fp8_e4m3(given[i]));
          out[6 + i] = static_cast<float>(__nv_fp8_e5m2(given[i]));
          float2 both = float2(__nv_fp8x2_e4m3(make_float2(given[i], 2.0f)));
          out[12 + i] = both.x + both.y;
        }
    }`);
  const run = ran(reading, unit);
  const numbers = (from: number): number[] => Array.from({ length: 6 }, (_, k) => Number(run.read(0, from + k, "f32")));
  expect(numbers(0)).toEqual([0, 1, -1.125, 0.017578125, 448, 13]);
  expect(numbers(6)).toEqual([0, 1, -1, 0.015625, 1024, 12]);
  expect(numbers(12)).toEqual([2, 3, 0.875, 2.017578125, 450, 15]);
});

test("random numbers lie where cuRAND says, each thread's its own", async () => {
  const { reading, unit } = await parsed(`#include <curand_kernel.h>
    __global__ void k(float *out) {
      curandState a; curandStatePhilox4_32_10_t b;
      curand_init(1234, threadIdx.x, 0, &a); curand_init(1234, threadIdx.x, 0, &b);
      float4 four = curand_uniform4(&b);
      out[threadIdx.x * 4] = curand_uniform(&a); out[threadIdx.x * 4 + 1] = curand_uniform_double(&b); out[threadIdx.x * 4 + 2] = four.w;
      out[threadIdx.x * 4 + 3] = curand_normal(&a) + curand_normal(&a);
    }`);
  const run = ran(reading, unit);
  const column = (index: number): number[] => Array.from({ length: 64 }, (_, thread) => Number(run.read(0, thread * 4 + index, "f32")));
  for (const index of [0, 1, 2]) {
    const values = column(index);
    expect(values.every((value) => value > 0 && value <= 1)).toBe(true);
    expect(new Set(values).size).toBeGreaterThan(48);
  }
  expect(column(3).every((value) => Math.abs(value) < 10)).toBe(true);
});
