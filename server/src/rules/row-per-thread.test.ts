import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { simulateProgram } from "../simulate.ts";
import { analyseCode, testRule } from "../testing/rule-tables.ts";
import rule from "./row-per-thread.ts";

const program = (body: string): string => `
__global__ void k(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
${body}
  out[i] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 256 << 20);
  cudaMalloc(&out, 64 << 20);
  k<<<64, 256>>>(out, in, 4096);
}`;

testRule(rule, {
  clean: {
    "each thread a column": program("  for (int c = 0; c < n; ++c) sum += in[c * 16384 + i];"),
    "a stride without a walk": program("  sum = in[i * n];"),
    "through eight elements, which are a sector": program("  for (int c = 0; c < 8; ++c) sum += sinf(in[i * 8 + c]);"),
    "through four elements, which are a vector": program("  for (int c = 0; c < 4; ++c) sum += sinf(in[i * 4 + c]);"),
    "a walk down the columns": program("  for (int c = 0; c < n; ++c) sum += in[(i + c) % n * n];"),
  },
  found: {
    "along a row": {
      code: program(`  for (int c = 0; c < n; ++c)
    sum += in[i * n + c];
    //     ^^^^^^^^^^^^^ Each thread goes along a row of its own, in \`c\`, and neighbouring lanes are a row apart, in \`i * n\``),
    },
    "along a recurrence, which lanes cannot share": {
      code: program(`  float *row = out + i * n;
  for (int c = 1; c < n; ++c)
    row[c] = row[c - 1] * in[i * n + c];
//  ^^^^^^ Turns follow from each other`),
    },
    "along a filter, whose state is scaled in each turn": {
      code: program(`  for (int c = 0; c < n; ++c)
    sum = 0.5f * sum + in[i * n + c];
    //                 ^^^^^^^^^^^^^ Turns follow from each other`),
    },
    "along a filter, whose states are an array of the thread's own": {
      code: `__global__ void k(float *out, const float *in, const float *a, int n, int states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float h[16];
  for (int s = 0; s < states; ++s) h[s] = 0;
  for (int c = 0; c < n; ++c) {
    float y = 0;
    for (int s = 0; s < states; ++s) {
      h[s] = a[s] * h[s] + in[c * 16384 + i];
      y += h[s];
    }
    out[i * n + c] = y;
//  ^^^^^^^^^^^^^^ Turns follow from each other
  }
}
int main() {
  float *in, *out, *a;
  cudaMalloc(&in, 256 << 20);
  cudaMalloc(&out, 256 << 20);
  cudaMalloc(&a, 64);
  cudaMemset(in, 0, 256 << 20);
  cudaMemset(a, 0, 64);
  k<<<64, 256>>>(out, in, a, 4096, 16);
}`,
    },
    "across a transpose": {
      code: `__global__ void turn(float *out, const float *in, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < n; ++c)
    out[c * rows + i] = in[i * n + c];
    //                  ^^^^^^^^^^^^^ go through a tile in shared memory, so that these have, too
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 512 << 20);
  cudaMalloc(&out, 512 << 20);
  turn<<<4096, 256>>>(out, in, 128, 4096 * 256);
}`,
    },
    "along a row of factors": {
      code: program(`  for (int c = 0; c < n; ++c)
    sum *= in[i * n + c];
    //     ^^^^^^^^^^^^^ Let a warp take a row`),
    },
    "along a row in place, which they can": {
      code: program(`  float *row = out + i * n;
  for (int c = 0; c < n; ++c)
    row[c] = row[c] * 2;
//  ^^^^^^ Let a warp take a row`),
    },
    "through a pointer to the row": {
      code: program(`  const float *row = in + i * n;
  for (int c = 0; c < n; ++c)
    sum += row[c];
    //     ^^^^^^ in \`c\``),
    },
    "rows of two arrays, for one cause": {
      code: `__global__ void k(float *out, const float *in, float *scores, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) scores[row * 2 * n + k] = in[row * n + k] * 2;
  //                                                    ^^^^^^^^^^^^^^^ neighbouring lanes are a row apart
  out[row] = 1;
}
int main() {
  float *in, *out, *scores;
  cudaMalloc(&in, 4096 * 4096 * sizeof(float));
  cudaMalloc(&scores, 2 * 4096 * 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMemset(in, 0, 4096 * 4096 * sizeof(float));
  k<<<4096 / 64, 64>>>(out, in, scores, 4096);
}`,
    },
  },
});

/** Sums of rows by threads, and by warps. */
const sums = (rows: number, columns: number, block: number): string => `
__global__ void byThreads(float *out, const float *in, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[row * n + k];
  out[row] = sum;
}
__global__ void byWarps(float *out, const float *in, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  for (int k = threadIdx.x % 32; k < n; k += 32) sum += in[row * n + k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, ${rows * columns} * sizeof(float));
  cudaMalloc(&out, ${rows} * sizeof(float));
  cudaMemset(in, 0, ${rows * columns} * sizeof(float));
  byThreads<<<${rows / block}, ${block}>>>(out, in, ${columns});
  byWarps<<<${(32 * rows) / block}, ${block}>>>(out, in, ${columns});
}`;

test.each([
  [4096, 4096, 256],
  [16384, 1024, 128],
  [1024, 16384, 32],
])("%i rows of %i, of which few warps go along all, take with a warp for each what they take then", (rows, columns, block) => {
  const { launches } = simulateProgram(analyseCode(sums(rows, columns, block)), findGpu("h200") as GpuModel);
  const [threads, warps] = launches.map(({ report }) => report);
  const said = threads?.costs?.find(({ kind }) => kind === "rows")?.ns ?? 0;
  const then = warps?.time?.ns ?? 0;
  expect(then).toBeLessThan((threads?.time?.ns ?? 0) / 3);
  expect(Math.abs(said / then - 1)).toBeLessThan(0.1);
});
