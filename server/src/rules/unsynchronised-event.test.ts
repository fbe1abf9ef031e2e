import { testRule } from "../testing/rule-tables.ts";
import rule from "./unsynchronised-event.ts";

testRule(rule, {
  clean: {
    "waited for": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaEvent_t a, b;
  float ms;
  cudaEventRecord(a);
  k<<<1, 32>>>(d);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  cudaEventElapsedTime(&ms, a, b);
}`,
    "another wait": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaEvent_t a, b;
  float ms;
  cudaEventRecord(a);
  k<<<1, 32>>>(d);
  cudaEventRecord(b);
  cudaDeviceSynchronize();
  cudaEventElapsedTime(&ms, a, b);
}`,
    "recorded elsewhere": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaEvent_t a, b;
  float ms;
  cudaEventElapsedTime(&ms, a, b);
}`,
    "a function that may wait": `void f();
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaEvent_t a, b;
  float ms;
  cudaEventRecord(a);
  k<<<1, 32>>>(d);
  cudaEventRecord(b);
  f();
  cudaEventElapsedTime(&ms, a, b);
}`,
  },
  found: {
    "not waited for": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaEvent_t a, b;
  float ms;
  cudaEventRecord(a);
  k<<<1, 32>>>(d);
  cudaEventRecord(b);
  cudaEventElapsedTime(&ms, a, b);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ NotReady
}`,
      unsafe: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaEvent_t a, b;
  float ms;
  cudaEventRecord(a);
  k<<<1, 32>>>(d);
  cudaEventRecord(b);
  cudaEventSynchronize(b); cudaEventElapsedTime(&ms, a, b);
}`,
    },
  },
});
