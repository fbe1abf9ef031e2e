#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ float atomicMaxFloat(float* address, float value) {
  int* as_int = (int*)address;
  int old = *as_int, assumed;
  do {
    assumed = old;
    old = atomicCAS(as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__device__ float atomicMinFloat(float* address, float value) {
  int* as_int = (int*)address;
  int old = *as_int, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) <= value) break;
    old = atomicCAS(as_int, assumed, __float_as_int(value));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void maxPerBlock(const float* x, float* result, int n) {
  __shared__ float part[256];
  float best = -1e30f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) best = fmaxf(best, x[i]);
  part[threadIdx.x] = best;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicMaxFloat(result, part[0]);
}

__global__ void columnMax(const float* x, float* result, int rows, int cols) {
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) atomicMaxFloat(&result[c], x[row * cols + c]);
}

__global__ void columnMin(const float* x, float* result, int rows, int cols) {
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) atomicMinFloat(&result[c], x[row * cols + c]);
}

int main() {
  const int n = 1 << 22, cols = 1024, rows = n / cols;
  float* h = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) h[i] = (float)(rand() % 100000) / 100000.0f;
  float *x, *r;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&r, cols * sizeof(float));
  cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(r, 0, cols * sizeof(float));
  maxPerBlock<<<1056, 256>>>(x, r, n);
  columnMax<<<rows, 256>>>(x, r, rows, cols);
  cudaMemset(r, 127, cols * sizeof(float));
  columnMin<<<rows, 256>>>(x, r, rows, cols);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
