import { testRule } from "../testing/rule-tables.ts";
import rule from "./warp-divergence.ts";

const program = (loop: string): string => `
__global__ void sums(float *out, const float *in) {
  __shared__ float t[256];
  t[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
${loop}
  if (threadIdx.x == 0) out[blockIdx.x] = t[0];
}
int main() {
  const int n = 1 << 24;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n / 256 * sizeof(float));
  sums<<<n / 256, 256>>>(out, in);
}`;

testRule(rule, {
  clean: {
    "whole warps": program(
      "  for (int s = 128; s > 0; s /= 2) {\n    if (threadIdx.x < s) t[threadIdx.x] += t[threadIdx.x + s];\n    __syncthreads();\n  }",
    ),
    "one lane for its warp": program("  if (threadIdx.x % 32 == 0) for (int k = 0; k < 64; ++k) t[threadIdx.x] = sinf(t[threadIdx.x]);"),
    "the first threads": program("  if (threadIdx.x < 20) for (int k = 0; k < 64; ++k) t[threadIdx.x] = sinf(t[threadIdx.x]);"),
    "the first threads, by a bound of each": program(
      "  for (int s = 250; s > 0; s -= 10)\n    if (s > max(0, 3 * (int)threadIdx.x - 1)) t[threadIdx.x] = sinf(t[threadIdx.x]);",
    ),
    "by warps": program("  if (threadIdx.x / 32 % 2) for (int k = 0; k < 64; ++k) t[threadIdx.x] = sinf(t[threadIdx.x]);"),
    "by data": program("  if (t[threadIdx.x] > 0) for (int k = 0; k < 64; ++k) t[threadIdx.x] = sinf(t[threadIdx.x]);"),
  },
  found: {
    "pairs of a sort": {
      code: program(`  for (int d = 128; d > 0; d /= 2) {
    int other = threadIdx.x ^ d;
    if (other > threadIdx.x)
      //^^^^^^^^^^^^^^^^^^^ parts
      for (int k = 0; k < 64; ++k) t[threadIdx.x] = sinf(t[other]);
    __syncthreads();
  }`),
    },
    "every other lane": {
      code: program(`  if (threadIdx.x % 2)
    //^^^^^^^^^^^^^^^ \`threadIdx.x % 2\` parts 100 % of the warps that come to it, with 32 lanes
    for (int k = 0; k < 64; ++k) t[threadIdx.x] = sinf(t[threadIdx.x]);`),
    },
  },
});
