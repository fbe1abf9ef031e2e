// Threads that each go along a row of their own: loads, stores, and sums that are kept in memory, by how many rows a warp touches at once.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void chase(const int* next, int* out, int stride, int rounds) {
  int at = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  for (int r = 0; r < rounds; r++) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void addOwn(volatile float* y, int stride, int rounds) {
  volatile float* own = y + (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  for (int r = 0; r < rounds; r++) *own = *own + 1.0f;
}

__global__ void storeOwn(volatile float* y, int stride, int rounds) {
  volatile float* own = y + (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  for (int r = 0; r < rounds; r++) *own = r;
}

__global__ void addRow(float* y, const float* w, int width, int rounds) {
  float* row = y + (blockIdx.x * blockDim.x + threadIdx.x) * width;
  for (int j = 0; j < rounds; j++) {
    float each = w[j];
    for (int c = 0; c < width; c++) row[c] += each;
  }
}

__global__ void copyRow(float* y, const float* x, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < width; c++) y[i * width + c] = x[i * width + c] * 2.0f;
}

__global__ void sumRow(float* y, const float* x, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int c = 0; c < width; c++) sum += x[i * width + c];
  y[i] = sum;
}

__global__ void scaleRow(float* y, int width, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < width; c++) y[i * width + c] *= by;
}

int main() {
  const int n = 1 << 24;
  float *x, *y;
  int *next, *out;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&next, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  int* host = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) host[i] = i;
  cudaMemcpy(next, host, n * sizeof(int), cudaMemcpyHostToDevice);
  chase<<<132, 32>>>(next, out, 8, 2000);
  chase<<<132, 256>>>(next, out, 8, 2000);
  addOwn<<<132, 32>>>(y, 8, 2000);
  addOwn<<<132, 128>>>(y, 8, 2000);
  addOwn<<<132, 512>>>(y, 8, 2000);
  storeOwn<<<132, 32>>>(y, 8, 2000);
  storeOwn<<<132, 512>>>(y, 8, 2000);
  storeOwn<<<16, 512>>>(y, 8, 2000);
  chase<<<132, 32>>>(next, out, 64, 2000);
  chase<<<132, 256>>>(next, out, 64, 2000);
  addOwn<<<132, 32>>>(y, 64, 2000);
  addOwn<<<132, 128>>>(y, 64, 2000);
  addOwn<<<132, 512>>>(y, 64, 2000);
  storeOwn<<<132, 32>>>(y, 64, 2000);
  storeOwn<<<132, 512>>>(y, 64, 2000);
  storeOwn<<<16, 512>>>(y, 64, 2000);
  addRow<<<132, 32>>>(y, x, 16, 256);
  addRow<<<132, 128>>>(y, x, 16, 256);
  addRow<<<132, 512>>>(y, x, 16, 256);
  copyRow<<<132, 32>>>(y, x, 1000);
  copyRow<<<132, 64>>>(y, x, 1000);
  sumRow<<<132, 32>>>(y, x, 1000);
  sumRow<<<132, 64>>>(y, x, 1000);
  scaleRow<<<132, 32>>>(y, 1000, 1.5f);
  scaleRow<<<132, 64>>>(y, 1000, 1.5f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
