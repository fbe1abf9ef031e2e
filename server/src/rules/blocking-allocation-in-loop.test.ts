import { testRule } from "../testing/rule-tables.ts";
import rule from "./blocking-allocation-in-loop.ts";

testRule(rule, {
  clean: {
    "before the loop": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMalloc(&d, 4);
  for (int i = 0; i < n; i++) k<<<1, 32>>>(d);
  cudaFree(d);
}`,
    "many buffers": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  float *all[9];
  for (int i = 0; i < 9; i++) cudaMalloc(&all[i], 4);
  for (int i = 0; i < 9; i++) cudaFree(all[i]);
}`,
    "over devices": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) {
    cudaSetDevice(i);
    cudaMalloc(&d, 4);
    cudaFree(d);
  }
}`,
    "in a macro that is no loop": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  do {
    cudaMalloc(&d, 4);
    cudaFree(d);
  } while (0);
}`,
    "another size each turn":
      "void f(float *d, int n) {\n  for (int i = 1; i < n; i++) {\n    cudaMalloc(&d, i * 4);\n    cudaFree(d);\n  }\n  while (n--) {\n    int bytes = n * 4;\n    cudaMalloc(&d, bytes);\n    cudaFree(d);\n  }\n}",
    "from a pool": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  while (n--) {
    cudaMallocAsync(&d, 4, 0);
    cudaFreeAsync(d, 0);
  }
}`,
  },
  found: {
    "each turn": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  while (n--) {
    cudaMalloc((void **)&d, 4096);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`d\`
    k<<<1, 32>>>(d);
    cudaFree(d);
  }
}`,
    },
    "of the size of what the loop goes through": {
      code: `#include <vector>
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }
void run(const std::vector<std::vector<float>> &batches) {
  for (const auto &batch : batches) {
    int n = batch.size();
    float *d;
    cudaMalloc(&d, n * sizeof(float));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Allocate for the largest before the loop
    k<<<1, 32>>>(d, n);
    cudaFree(d);
  }
}`,
    },
  },
});
