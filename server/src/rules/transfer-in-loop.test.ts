import { testRule } from "../testing/rule-tables.ts";
import rule from "./transfer-in-loop.ts";

testRule(rule, {
  clean: {
    "buffers of their own": `void f(float **d, float *h, int n) {
  for (int i = 0; i < n; i++) cudaMemcpy(d[i], h + i * 9, 36, cudaMemcpyHostToDevice);
}`,
    "the same each turn": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice);
}`,
    "pieces that are worked on": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d + i, h + i, 4, cudaMemcpyHostToDevice);
    k<<<1, 1>>>(d + i);
  }
}`,
    asynchronous: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) cudaMemcpyAsync(d + i, h + i, 4, cudaMemcpyHostToDevice);
}`,
  },
  found: {
    pieces: {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) cudaMemcpy(&d[i * 8], (h + i * 8), 32, cudaMemcpyHostToDevice);
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 32 B
}`,
    },
  },
});
