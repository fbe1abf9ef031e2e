import { testRule } from "../testing/rule-tables.ts";
import rule from "./partial-warp-block.ts";

const program = (launch: string): string => `
__global__ void roots(float *out, const float *in, int n) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < 20; ++k) x = sqrtf(x + 1);
  out[i] = x;
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
${launch}
}`;

testRule(rule, {
  clean: {
    "whole warps": program("  roots<<<n / 96 + 1, 96>>>(out, in, n);"),
    "whole warps of two dimensions": program("  roots<<<n / 64 + 1, dim3(16, 4)>>>(out, in, n);"),
    "a few lanes of many": program("  roots<<<n / 1023 + 1, 1023>>>(out, in, n);"),
    "fewer blocks than the SMs hold": program("  roots<<<1000, 20>>>(out, in, 20000);"),
    "one block": program("  roots<<<1, 100>>>(out, in, 100);"),
  },
  found: {
    "of one dimension": {
      code: program(`  roots<<<n / 100 + 1, 100>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 28 lanes of the last warp of each are idle`),
    },
    "of two dimensions": {
      code: program(`  roots<<<n / 36 + 1, dim3(6, 6)>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ blocks of 36 threads: 28 lanes`),
    },
  },
});
