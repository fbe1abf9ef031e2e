import { testRule } from "../testing/rule-tables.ts";
import rule from "./unchecked-launch.ts";

testRule(rule, {
  clean: {
    asked: `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  k<<<1, 32>>>(d);
  CHECK(cudaGetLastError());
}`,
    "nothing is checked": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  k<<<1, 32>>>(d);
}`,
    "no launch": `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());

}`,
  },
  found: {
    "not asked": {
      code: `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  if (n) {
    k<<<1, 32>>>(d);
//  ^ the 2 launches
  }
  k<<<1, 32>>>(d);
}`,
      unsafe: `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  if (n) {
    k<<<1, 32>>>(d);
    CHECK(cudaGetLastError());
  }
  k<<<1, 32>>>(d);
}`,
    },
  },
});
