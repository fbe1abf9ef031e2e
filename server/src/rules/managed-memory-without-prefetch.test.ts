import { testRule } from "../testing/rule-tables.ts";
import rule from "./managed-memory-without-prefetch.ts";

testRule(rule, {
  clean: {
    prefetched: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMallocManaged(&d, n);
  cudaMemPrefetchAsync(d, n, 0);
  k<<<1, 32>>>(d);
}`,
    "nothing is launched": "void f(float *d, int n) { cudaMallocManaged(&d, n); }",
    "a few bytes": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMallocManaged(&d, 128);
  k<<<1, 32>>>(d);
}`,
  },
  found: {
    "two arrays": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMallocManaged(&d, n * 4);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ and 1 more
  cudaMallocManaged(&h, n * 4);
  k<<<1, 32>>>(d);
}`,
    },
  },
});
