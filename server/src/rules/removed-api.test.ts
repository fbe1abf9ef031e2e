import { testRule } from "../testing/rule-tables.ts";
import rule from "./removed-api.ts";

testRule(rule, {
  clean: {
    "present names": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaDeviceSynchronize();
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  n = p.warpSize;
}`,
    "the program's own": `void cudaThreadSynchronize();
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaThreadSynchronize();
}`,
    "another record": `struct Clock { int clockRate; };
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  Clock c;
  n = c.clockRate;
}`,
    "left out for CUDA 13": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
#if CUDART_VERSION < 4000
  cudaThreadSynchronize();
#endif
}`,
  },
  found: {
    "a new name": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  k<<<1, 32>>>(d);
  cudaThreadSynchronize();
//^^^^^^^^^^^^^^^^^^^^^ cudaDeviceSynchronize
}`,
      fixed: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  k<<<1, 32>>>(d);
  cudaDeviceSynchronize();
}`,
    },
    "another way": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaUnbindTexture(d);
//^^^^^^^^^^^^^^^^^ cudaDestroyTextureObject
}`,
    },
    members: {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  n = p.clockRate / 1000;
//      ^^^^^^^^^ cudaDevAttrClockRate
}`,
    },
  },
});
