import { expect, test } from "vitest";
import { findingsOf, testRule } from "../testing/rule-tables.ts";
import rule from "./contended-atomic.ts";

const program = (body: string): string => `
__global__ void total(float *sum, int *bins, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
${body}
}
int main() {
  const int n = 1 << 22;
  float *in, *sum;
  int *bins;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sum, n * sizeof(float));
  cudaMalloc(&bins, n * sizeof(int));
  total<<<n / 256, 256>>>(sum, bins, in, n);
}`;

const counted = (declared: string, count: string): string => `
__global__ void count(unsigned *bins, const unsigned char *in, int n) {
${declared}
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
${count}
}
int main() {
  const int n = 1 << 22;
  unsigned char *in, *h = (unsigned char *)malloc(n);
  for (int i = 0; i < n; i++) h[i] = (i * 2654435761u) >> 24;
  unsigned *bins;
  cudaMalloc(&in, n);
  cudaMalloc(&bins, 256 * sizeof(unsigned));
  cudaMemcpy(in, h, n, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 256 * sizeof(unsigned));
  count<<<264, 256>>>(bins, in, n);
}`;

testRule(rule, {
  clean: {
    "bins that follow from what nobody says": `__global__ void keys_of(int *keys, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  keys[i] = in[i] > 9;
}
__global__ void count(int *bins, const int *keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[keys[i]], 1);
}
void all(const int *in, int *bins) {
  int *keys;
  cudaMalloc(&keys, (1 << 20) * sizeof(int));
  keys_of<<<4096, 256>>>(keys, in);
  count<<<4096, 256>>>(bins, keys);
}`,
    "bins of a block in shared memory, which data spreads": counted(
      "  __shared__ unsigned own[256];\n  own[threadIdx.x] = 0;\n  __syncthreads();",
      "    atomicAdd(&own[in[i]], 1u);\n  __syncthreads();\n  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);",
    ),
    "each its own": program("  atomicAdd(&sum[i], in[i]);"),
    "a program that tries out atomics": program(
      "  atomicAdd(bins, 10);\n  atomicMax(bins + 1, i);\n  atomicMin(bins + 2, i);\n  atomicAnd(bins + 3, i);\n  atomicXor(bins + 4, i);\n  atomicOr(bins + 5, i);",
    ),
    "one of a warp": program("  if (threadIdx.x % 32 == 0) atomicAdd(&sum[i / 32], in[i]);"),
    "sums of integers, which the compiler unites, among much else": program(`  float s = 0;
  for (int k = 0; k < 64; ++k) s += in[(i + k * 4096) % (1 << 22)];
  sum[i] = s;
  if (s > 1e30f) atomicAdd(bins, 1);`),
  },
  found: {
    "one address for all": {
      code: program(`  atomicAdd(sum, in[i]);
//^^^^^^^^^^^^^^^^^^^^^ Up to 32 lanes of a warp meet at one address of \`sum\``),
      unsafe: program(`  float own = in[i];
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);`),
    },
    "so many to so few that any indices meet": {
      code: `__global__ void keys_of(int *keys, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  keys[i] = in[i] & 7;
}
__global__ void count(int *bins, const int *keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[keys[i]], 1);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Let each block collect in a copy of its own
}
void all(const int *in) {
  int *keys, *bins;
  cudaMalloc(&keys, (1 << 20) * sizeof(int));
  cudaMalloc(&bins, 8 * sizeof(int));
  keys_of<<<4096, 256>>>(keys, in);
  count<<<4096, 256>>>(bins, keys);
}`,
    },
    "few bins, which data spreads": {
      code: counted(
        "",
        `    atomicAdd(&bins[in[i] & 15], 1u);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Let each block collect in a copy of its own in shared memory`,
      ),
    },
    "under a condition": {
      code: program(`  if (i < n && in[i] > 0) {
    atomicAdd(bins, 1 + i);
  //^^^^^^^^^^^^^^^^^^^^^^
  }`),
      unsafe: program(`  int own = (i < n && in[i] > 0) ? 1 + i : 0;
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(bins, own);`),
    },
    "where some lanes have returned": {
      code: program(`  if (i >= n - 5) return;
  atomicAdd(sum, in[i]);
//^^^^^^^^^^^^^^^^^^^^^`),
    },
    "whose result is used": {
      code: program(`  int at = atomicAdd(bins, i % 3);
  //       ^^^^^^^^^^^^^^^^^^^^^^
  sum[at] = in[i];`),
    },
    "few addresses": {
      code: program(`  atomicAdd(&sum[i % 4], in[i]);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Up to 8 lanes of a warp meet`),
    },
  },
});

test("statistics of four kinds are a computation", () => {
  const kinds = "  atomicAdd(bins, 10);\n  atomicMax(bins + 1, i);\n  atomicMin(bins + 2, i);\n  atomicOr(bins + 3, i);";
  expect(findingsOf(program(kinds), [rule.id], true).map(({ ruleId }) => ruleId)).toContain(rule.id);
});
