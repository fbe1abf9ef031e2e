#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ double addDouble(double* address, double value) {
  unsigned long long* p = (unsigned long long*)address;
  unsigned long long old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__global__ void binSums(const double* x, const int* bin, double* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) addDouble(&sums[bin[i]], x[i]);
}

__global__ void dotPerWarp(const double* a, const double* b, double* result, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = i < n ? a[i] * b[i] : 0.0;
  for (int offset = 16; offset > 0; offset /= 2) s += __shfl_down_sync(0xffffffff, s, offset);
  if (threadIdx.x % 32 == 0) addDouble(result, s);
}

int main() {
  const int n = 1 << 18;
  double* h = (double*)malloc(n * sizeof(double));
  int* few = (int*)malloc(n * sizeof(int));
  int* many = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) {
    h[i] = i % 17;
    few[i] = rand() % 64;
    many[i] = rand() % 65536;
  }
  double *x, *sums;
  int *b64, *b64k;
  cudaMalloc(&x, n * sizeof(double));
  cudaMalloc(&sums, 65536 * sizeof(double));
  cudaMalloc(&b64, n * sizeof(int));
  cudaMalloc(&b64k, n * sizeof(int));
  cudaMemcpy(x, h, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(b64, few, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(b64k, many, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(sums, 0, 65536 * sizeof(double));
  binSums<<<n / 256, 256>>>(x, b64k, sums, n);
  binSums<<<n / 256, 256>>>(x, b64, sums, n);
  dotPerWarp<<<n / 256, 256>>>(x, x, sums, n);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
