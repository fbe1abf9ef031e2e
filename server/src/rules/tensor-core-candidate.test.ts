import { testRule } from "../testing/rule-tables.ts";
import rule from "./tensor-core-candidate.ts";

const program = (type: string, line: string): string => `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void product(float *c, const ${type} *a, const ${type} *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
${line}
  c[y * n + x] = sum;
}
int main() {
  const int n = 1024;
  ${type} *a, *b;
  float *c;
  cudaMalloc(&a, n * n * sizeof(${type}));
  cudaMalloc(&b, n * n * sizeof(${type}));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(${type}));
  cudaMemset(b, 0, n * n * sizeof(${type}));
  product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(c, a, b, n);
}`;

testRule(rule, {
  clean: {
    floats: program("float", "    sum += a[y * n + k] * b[k * n + x];"),
    "no product of matrices": program("__half", "    sum += __half2float(a[k * n + x]) * __half2float(b[k * n + x]);"),
  },
  found: {
    halves: {
      code: program(
        "__half",
        `    sum += __half2float(a[y * n + k]) * __half2float(b[k * n + x]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Use tensor cores`,
      ),
    },
    "16 bits of a float": {
      code: program(
        "__nv_bfloat16",
        `    sum += __bfloat162float(a[y * n + k]) * __bfloat162float(b[k * n + x]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Use tensor cores`,
      ),
    },
  },
});
