import { testRule } from "../testing/rule-tables.ts";
import rule from "./divergent-barrier.ts";

const program = (kernel: string, host = "k<<<4, 256>>>(out, in, 1000);"): string => `
__global__ void k(float *out, const float *in, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
${kernel}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  ${host}
}`;

testRule(rule, {
  clean: {
    "all blocks of a grid, each at another place": program(
      "  if (blockIdx.x < 2) cooperative_groups::this_grid().sync();\n  else cooperative_groups::this_grid().sync();\n  out[i] = in[i];",
    ).replace("\n__global__", "#include <cooperative_groups.h>\n__global__"),
    "as often as data says that other blocks write": program(
      "  while (*(volatile float *)out < blockIdx.x) {\n    cooperative_groups::this_grid().sync();\n    if (i == 0) out[0] += 1;\n  }",
    ).replace("\n__global__", "#include <cooperative_groups.h>\n__global__"),
    "for all": program("  out[i] = in[i];\n  __syncthreads();\n  out[i] += 1;"),
    "in a branch that all take": program("  if (n > 10) __syncthreads();\n  out[i] = in[i];"),
    "in a branch that a whole block takes": program("  if (blockIdx.x % 2 == 0) __syncthreads();\n  out[i] = in[i];"),
    "in a loop of as many turns for all": program("  for (int j = 0; j < n; j += 256) { out[i] += in[j]; __syncthreads(); }"),
    "where nobody has returned": program("  if (i >= n) return;\n  out[i] = in[i];\n  __syncthreads();", "k<<<4, 250>>>(out, in, 1000);"),
    "a shuffle of the whole warp": program("  float v = in[i];\n  if (t < 64) v += __shfl_down_sync(0xffffffff, v, 1);\n  out[i] = v;"),
    "a shuffle of those that come": program(
      "  float v = in[i];\n  unsigned m = __ballot_sync(0xffffffff, t % 32 < 16);\n  if (t % 32 < 16) v += __shfl_down_sync(m, v, 1, 16);\n  out[i] = v;",
    ),
    "named barriers of part of the block": program(
      `  if (t < 64) asm volatile("bar.sync 1, 64;");\n  else asm volatile("bar.sync 2, 192;");\n  out[i] = in[i];`,
    ),
    "a warp's own": program("  if (t < 32) { __syncwarp(); out[i] = in[i]; }"),
  },
  found: {
    "some blocks of a grid": {
      code: program(
        `  if (blockIdx.x < 2) cooperative_groups::this_grid().sync();
  //                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ of the grid, thread (0, 0, 0) of block (0, 0, 0) waits here and block (3, 0, 0) goes by it
  out[i] = in[i];`,
      ).replace("\n__global__", "#include <cooperative_groups.h>\n__global__"),
    },
    "half of the lanes": {
      code: program(`  if (t % 2 == 0) __syncthreads();
  //              ^^^^^^^^^^^^^^^ thread (0, 0, 0) waits here and thread (1, 0, 0) goes by it
  out[i] = in[i];`),
      unsafe: program("  __syncthreads();\n  out[i] = in[i];"),
    },
    "some of the warps": {
      code: program(`  if (t < 128) {
    out[i] = in[i];
    __syncthreads();
  //^^^^^^^^^^^^^^^ goes by it
  }
  out[i] += 1;`),
      unsafe: program(`  if (t < 128) {
    out[i] = in[i];
  }
  __syncthreads();
  out[i] += 1;`),
    },
    "before what is done": {
      code: program(`  if (t < 128) {
    __syncthreads();
  //^^^^^^^^^^^^^^^ goes by it
    out[i] = in[i];
  }`),
      unsafe: program(`  __syncthreads();
  if (t < 128) {
    out[i] = in[i];
  }`),
    },
    "between what is done": {
      code: program(`  for (int k = 0; k < 2; ++k)  {
    if (t < 128 && k < n) {
      out[i] = in[i];
      __syncthreads();
    //^^^^^^^^^^^^^^^ goes by it
      out[i ^ 64] += 1;
    }
  }`),
      unsafe: program(`  for (int k = 0; k < 2; ++k)  {
    if (t < 128 && k < n) {
      out[i] = in[i];
    }
    __syncthreads();
    if (t < 128 && k < n) {
      out[i ^ 64] += 1;
    }
  }`),
    },
    "what is declared before it is needed behind it": {
      code: program(`  if (t < 128) {
    float v = in[i];
    __syncthreads();
  //^^^^^^^^^^^^^^^ goes by it
    out[i] = v;
  }`),
    },
    "what decides is another thing behind it": {
      code: program(`  int left = 128;
  if (t < left) {
    left = 0;
    __syncthreads();
  //^^^^^^^^^^^^^^^ goes by it
    out[i] = in[i];
  }`),
    },
    "whole warps that have returned": {
      code: program(`  if (i >= n) return;
  if (t >= 128) return;
  out[i] = in[i];
  __syncthreads();
//^^^^^^^^^^^^^^^ thread (128, 0, 0) has returned
  out[i] += 1;`),
    },
    "a group's, by a function's name": {
      code: program(`  if (t < 128) cooperative_groups::synchronize(cooperative_groups::this_thread_block());
  //           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ goes by it
  out[i] = in[i];`).replace("\n__global__", "#include <cooperative_groups.h>\n__global__"),
    },
    "within a generator of random numbers that a block shares": {
      code: `#include <curand_kernel.h>
__global__ void k(curandStateMtgp32_t *state, unsigned *out) {
  if (threadIdx.x == 0) out[blockIdx.x] = curand(&state[blockIdx.x]);
  //                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^ goes by it
}
int main() {
  curandStateMtgp32_t *state;
  unsigned *out;
  cudaMalloc(&state, 4 * sizeof(curandStateMtgp32_t));
  cudaMalloc(&out, 4 * sizeof(unsigned));
  cudaMemset(state, 0, 4 * sizeof(curandStateMtgp32_t));
  k<<<4, 256>>>(state, out);
}`,
    },
    "either way another one": {
      code: program(`  if (t < 128) __syncthreads();
  else __syncthreads();
  //   ^^^^^^^^^^^^^^^ waits at another one
  out[i] = in[i];`),
    },
    "turns that differ": {
      code: program(`  for (int j = t; j < n; j += 256) { out[i] += in[j]; __syncthreads(); }
  //                                                  ^^^^^^^^^^^^^^^ goes by it`),
    },
    "a shuffle of half a warp": {
      code: program(`  float v = in[i];
  if (t % 32 < 16) v += __shfl_down_sync(0xffffffff, v, 1);
  //                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ and thread (16, 0, 0) goes by it
  out[i] = v;`),
    },
    "some have returned": {
      code: program(`  if (i >= n) return;
  out[i] = in[i];
  __syncthreads();
//^^^^^^^^^^^^^^^ thread (232, 0, 0) has returned
  out[i] += 1;`),
    },
  },
});
