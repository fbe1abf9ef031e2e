/** Tensor cores from source: what fragments move, against an H200, and what they are made of, against nvcc 13.0. */
import { type AccessReport, findGpu, type LaunchReport } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../../../grammar.ts";
import { simulateProgram } from "../../../simulate.ts";
import { analyseCode } from "../../../testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

function simulated(code: string): LaunchReport {
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no h200");
  const { launches, notSimulated } = simulateProgram(analyseCode(code), gpu);
  expect(notSimulated).toEqual([]);
  const report = launches[0]?.report;
  if (!report) throw new Error("no launch");
  return report;
}

const product = (element: string, type: string, sum: string, [m, n, k]: readonly number[], layouts: readonly [string, string]): string => `
#include <mma.h>
using namespace nvcuda;
__global__ void k(${type} *a, ${type} *b, ${sum} *c, int n) {
  wmma::fragment<wmma::matrix_a, ${m}, ${n}, ${k}, ${element}, wmma::${layouts[0]}> fa;
  wmma::fragment<wmma::matrix_b, ${m}, ${n}, ${k}, ${element}, wmma::${layouts[1]}> fb;
  wmma::fragment<wmma::accumulator, ${m}, ${n}, ${k}, ${sum}> fc;
  wmma::fill_fragment(fc, ${sum}(0));
  wmma::load_matrix_sync(fa, a, n);
  wmma::load_matrix_sync(fb, b, n);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}
int main() { ${type} *a, *b; ${sum} *c; cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20); cudaMalloc(&c, 1 << 20); k<<<1, 32>>>(a, b, c, 64); }`;

describe("fragments in global memory: requests and sectors, as measured", () => {
  const table: Record<string, [code: string, loads: [number, number], stores: [number, number]]> = {
    halves: [product("half", "half", "float", [16, 16, 16], ["row_major", "col_major"]), [8, 64], [4, 32]],
    "halves the other way round": [product("half", "half", "half", [16, 16, 16], ["col_major", "row_major"]), [8, 64], [4, 32]],
    bytes: [product("signed char", "signed char", "int", [16, 16, 16], ["row_major", "col_major"]), [4, 32], [4, 32]],
    bfloat16: [product("__nv_bfloat16", "__nv_bfloat16", "float", [16, 16, 16], ["row_major", "col_major"]), [8, 64], [4, 32]],
    tf32: [product("wmma::precision::tf32", "float", "float", [16, 16, 8], ["row_major", "col_major"]), [8, 64], [4, 32]],
    doubles: [product("double", "double", "double", [8, 8, 4], ["row_major", "col_major"]), [2, 16], [1, 16]],
  };
  test.each(Object.entries(table))("%s", (_, [code, loads, stores]) => {
    const { traffic, accesses } = simulated(code);
    expect([traffic.globalLoadRequests, traffic.globalLoadSectors]).toEqual(loads);
    expect([traffic.globalStoreRequests, traffic.globalStoreSectors]).toEqual(stores);
    // Where the program asks for it, not in a header that nobody sees.
    expect(accesses.every(({ file }) => file === 0)).toBe(true);
  });
});

test.each([
  ["8 by 32 by 16: two matrices of a, eight of b in two loads", [8, 32, 16], 3],
  ["32 by 8 by 16: eight matrices of a in two loads, two of b", [32, 8, 16], 3],
  ["16 by 16 by 16: four of each", [16, 16, 16], 2],
] as const)("halves in shared memory come by ldmatrix as nvcc 13.0 loads them: %s", (_, [m, n, k], loads) => {
  const { shared } = simulated(`
#include <mma.h>
using namespace nvcuda;
__global__ void k(half *c) {
  __shared__ half s[2048];
  wmma::fragment<wmma::matrix_a, ${m}, ${n}, ${k}, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, ${m}, ${n}, ${k}, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, ${m}, ${n}, ${k}, half> fc;
  for (int i = threadIdx.x; i < 2048; i += 32) s[i] = half(0);
  __syncthreads();
  wmma::fill_fragment(fc, half(0));
  wmma::load_matrix_sync(fa, s, 32);
  wmma::load_matrix_sync(fb, s + 1024, 32);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);
}
int main() { half *c; cudaMalloc(&c, 1 << 20); k<<<1, 32>>>(c); }`);
  expect(shared.loadInstructions).toBe(loads);
});

describe("fragments in shared memory: wavefronts, as measured", () => {
  const shared = (stride: number): string => `
#include <mma.h>
using namespace nvcuda;
__global__ void k(half *a, float *c) {
  __shared__ half s[2 * 16 * ${stride}];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  const half *at = s;
  wmma::load_matrix_sync(fa, at, ${stride});
  wmma::load_matrix_sync(fb, at + 16 * ${stride}, ${stride});
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
int main() { half *a; float *c; cudaMalloc(&a, 4096); cudaMalloc(&c, 4096); k<<<1, 32>>>(a, c); }`;
  test.each([
    [16, 16],
    [24, 8],
  ])("rows of %i halves", (stride, wavefronts) => {
    const report = simulated(shared(stride));
    const loads = report.accesses.filter((each: AccessReport) => each.space === "shared" && each.operation === "load");
    expect(loads.reduce((sum, each) => sum + each.transactions, 0)).toBe(wavefronts);
    expect(loads.reduce((sum, each) => sum + each.ideal, 0)).toBe(8);
  });
});

// nvcc 13.0, -arch=sm_90: `wmma.load.a.sync.aligned.row.shared.f16` and LDSM, but `wmma.load.a.sync.aligned.row.bf16` and four LD.E.
test.each([
  ["halves", "half", "half", 16, 2],
  ["bfloat16, of which nvcc does not find out that they are in shared memory", "__nv_bfloat16", "__nv_bfloat16", 16, 8],
  ["tf32", "wmma::precision::tf32", "float", 8, 8],
])("loads of fragments from shared memory: %s", (_, element, type, depth, requests) => {
  const report = simulated(`
#include <mma.h>
using namespace nvcuda;
__global__ void k(float *c) {
  __shared__ ${type} s[2 * 16 * 24];
  wmma::fragment<wmma::matrix_a, 16, 16, ${depth}, ${element}, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, ${depth}, ${element}, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, ${depth}, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, s, 24);
  wmma::load_matrix_sync(fb, s + 16 * 24, 24);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
int main() { float *c; cudaMalloc(&c, 4096); k<<<1, 32>>>(c); }`);
  const loads = report.accesses.filter(({ space, operation }) => space === "shared" && operation === "load");
  expect(loads.reduce((sum, each) => sum + each.requests, 0)).toBe(requests);
});

test("mma.sync and ldmatrix of a program's own", () => {
  const report = simulated(`__global__ void k(float *out) {
    __shared__ __align__(16) unsigned short tile[16 * 24];
    unsigned a[4], b[2]; float c[4] = {};
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[(threadIdx.x % 16) * 24 + (threadIdx.x / 16) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(at));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
  }
  int main() { float *out; cudaMalloc(&out, 4096); k<<<1, 32>>>(out); }`);
  const loads = report.accesses.filter(({ space }) => space === "shared");
  expect(loads.map(({ transactions, lanes }) => [transactions, lanes])).toEqual([
    [4, 32],
    [2, 16],
  ]);
});

test("stmatrix of a program's own: eight lanes a matrix name rows, and fill them", () => {
  const report = simulated(`__global__ void k(float4 *out) {
    __shared__ __align__(16) unsigned short tile[32 * 24];
    unsigned word = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x * 24]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" :: "r"(at), "r"(word) : "memory");
    asm volatile("stmatrix.sync.aligned.x2.m8n8.trans.shared.b16 [%0], {%1,%2};" :: "r"(at), "r"(word), "r"(7) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(threadIdx.x < 8 ? at : 1u << 30), "r"(word) : "memory");
    __syncthreads();
    out[threadIdx.x] = *(float4 *)&tile[threadIdx.x * 24];
  }
  int main() { float4 *out; cudaMalloc(&out, 4096); k<<<1, 32>>>(out); }`);
  const stores = report.accesses.filter(({ space, operation }) => space === "shared" && operation === "store");
  expect(stores.map(({ transactions, ideal, lanes }) => [transactions, ideal, lanes])).toEqual([
    [4, 4, 32],
    [2, 2, 16],
    [1, 1, 8],
  ]);
});

// Rows of 32 bytes, 16 of them a warp's copy, as Nsight Compute counts them on an H200 (validation/public/ladders/LeetCUDA, hgemm_mma_stage).
test.each([
  [16, 16, 4],
  [24, 24, 8],
])("a line's wavefronts of copies past the L1 are the passes that they take: rows of %i halves", (row, passes, banks) => {
  const report = simulated(`__global__ void k(const unsigned short *in, float *out) {
    __shared__ __align__(16) unsigned short tile[16 * ${row}];
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x / 2 * ${row} + threadIdx.x % 2 * 8]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at), "l"(in + threadIdx.x / 2 * 4096 + threadIdx.x % 2 * 8) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x];
  }
  int main() { unsigned short *in; float *out; cudaMalloc(&in, 1 << 20); cudaMalloc(&out, 4096); k<<<1, 32>>>(in, out); }`);
  const copy = report.accesses.find(({ space, operation }) => space === "shared" && operation === "copy");
  const line = Object.values(report.lines).find(({ globalSectors, sharedWavefronts }) => globalSectors > 0 && sharedWavefronts > 0);
  expect([line?.sharedWavefronts, line?.sharedWavefrontsIdeal, copy?.transactions]).toEqual([passes, 4, banks]);
});
