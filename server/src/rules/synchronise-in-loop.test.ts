import { testRule } from "../testing/rule-tables.ts";
import rule from "./synchronise-in-loop.ts";

testRule(rule, {
  clean: {
    "behind the loop": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) { k<<<1, 32>>>(d); }
  cudaDeviceSynchronize();
}`,
    "the host reads": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) {
    k<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    h[i] = d[0];
  }
}`,
    "nothing is launched": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) { cudaDeviceSynchronize(); }
}`,
    timed: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) {
    double t = omp_get_wtime();
    k<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    h[i] = omp_get_wtime() - t;
  }
}`,
  },
  found: {
    "each turn": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) {
    k<<<1, 32>>>(d);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ idle
    float *t = d; d = h; h = t;
  }
}`,
    },
    "the older call, and twice a turn, once": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *d, int n) {
  for (int i = 0; i < n; i++) {
    k<<<1, 32>>>(d);
    cudaThreadSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ idle
    k<<<1, 32>>>(d);
    cudaThreadSynchronize();
  }
}`,
    },
  },
});
