import { testRule } from "../testing/rule-tables.ts";
import rule from "./unsynchronised-timing.ts";

testRule(rule, {
  clean: {
    "a kernel that does nothing": `__global__ void nothing() {}
void run() {
  double t = omp_get_wtime();
  nothing<<<1, 32>>>();
  double u = omp_get_wtime();
}`,
    "waited for": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  double t = omp_get_wtime();
  k<<<1, 32>>>(d);
  cudaDeviceSynchronize();
  t = omp_get_wtime() - t;
}`,
    "a copy waits": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  auto t = std::chrono::steady_clock::now();
  k<<<1, 32>>>(d);
  cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
  auto u = std::chrono::steady_clock::now();
}`,
    "the launch itself is timed":
      "__global__ void k(float *x);\nvoid run(float *d) {\n  double t = omp_get_wtime();\n  k<<<1, 32>>>(d);\n  double u = omp_get_wtime();\n  cudaDeviceSynchronize();\n  double v = omp_get_wtime();\n}",
    "a function that may wait": `void finish();
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  double t = omp_get_wtime();
  k<<<1, 32>>>(d);
  finish();
  t = omp_get_wtime() - t;
}`,
    "a function that does": `void finish() { cudaDeviceSynchronize(); }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  double t = omp_get_wtime();
  k<<<1, 32>>>(d);
  finish();
  t = omp_get_wtime() - t;
}`,
    "work before the clock": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  k<<<1, 32>>>(d);
  double t = omp_get_wtime();
  h[0] = 1;
  t = omp_get_wtime() - t;
}`,
  },
  found: {
    "where calls are checked: so is the one that waits": {
      code: `#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
  auto t = std::chrono::steady_clock::now();
  k<<<1, 32>>>(d);
  auto u = std::chrono::steady_clock::now();
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ may still run
}`,
      unsafe: `#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
  auto t = std::chrono::steady_clock::now();
  k<<<1, 32>>>(d);
  CHECK(cudaDeviceSynchronize()); auto u = std::chrono::steady_clock::now();
}`,
    },
    "before what is printed in a way that is not known": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  auto t = std::chrono::high_resolution_clock::now();
  k<<<1, 32>>>(d);
  auto u = std::chrono::high_resolution_clock::now();
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ may still run
  printf("%f", std::chrono::duration<double>(u - t).count());
  report(u - t);
}`,
      unsafe: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  auto t = std::chrono::high_resolution_clock::now();
  k<<<1, 32>>>(d);
  cudaDeviceSynchronize(); auto u = std::chrono::high_resolution_clock::now();
  printf("%f", std::chrono::duration<double>(u - t).count());
  report(u - t);
}`,
    },
    "a launch": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  auto t = std::chrono::steady_clock::now();
  k<<<1, 32>>>(d);
  auto u = std::chrono::steady_clock::now();
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ may still run
}`,
      unsafe: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  auto t = std::chrono::steady_clock::now();
  k<<<1, 32>>>(d);
  cudaDeviceSynchronize(); auto u = std::chrono::steady_clock::now();
}`,
    },
    "a loop of launches in a function": {
      code: `double now() { struct timeval t; gettimeofday(&t, 0); return t.tv_sec; }
void work(float *d);
__global__ void l(float *x);
void all(float *d) { for (int i = 0; i < 9; i++) l<<<1, 32>>>(d); }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  double t = now();
  all(d);
  printf("%%f", now() - t);
//              ^^^^^
}`,
      unsafe: `double now() { struct timeval t; gettimeofday(&t, 0); return t.tv_sec; }
void work(float *d);
__global__ void l(float *x);
void all(float *d) { for (int i = 0; i < 9; i++) l<<<1, 32>>>(d); }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  double t = now();
  all(d);
  cudaDeviceSynchronize(); printf("%%f", now() - t);
}`,
    },
  },
});
