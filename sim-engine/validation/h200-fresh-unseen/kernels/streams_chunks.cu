// Work in chunks on several streams, copies beside kernels; and what many small launches are.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void wave(float *a, int offset) {
  int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
  float x = (float)i;
  float s = sinf(x);
  float c = cosf(x);
  a[i] = a[i] + sqrtf(s * s + c * c);
}

__global__ void polynomial(float *y, const float *x, int n, int degree) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    float v = x[i], r = 0.f;
    for (int d = 0; d < degree; d++) r = r * v + 1.0f / (d + 1);
    y[i] = r;
  }
}

__global__ void scaleSmall(float *p, float f) { p[threadIdx.x + blockIdx.x * blockDim.x] *= f; }

int main() {
  const int blockSize = 256, nStreams = 2;
  const int n = 4 * 1024 * blockSize * nStreams;
  const int streamSize = n / nStreams;
  const int streamBytes = streamSize * sizeof(float);
  float *a, *d_a, *d_b;
  cudaMallocHost((void **)&a, n * sizeof(float));
  cudaMalloc((void **)&d_a, n * sizeof(float));
  cudaMalloc((void **)&d_b, n * sizeof(float));
  cudaStream_t stream[nStreams];
  for (int i = 0; i < nStreams; ++i) cudaStreamCreate(&stream[i]);
  for (int i = 0; i < n; i++) a[i] = 0.f;
  for (int i = 0; i < nStreams; ++i) {
    int offset = i * streamSize;
    cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]);
    wave<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
    cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]);
  }
  cudaDeviceSynchronize();
  polynomial<<<(n + 127) / 128, 128>>>(d_b, d_a, n, 64);
  scaleSmall<<<4, 128>>>(d_b, 0.5f);
  scaleSmall<<<64, 1024>>>(d_b, 0.5f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
