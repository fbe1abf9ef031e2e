// Rows that are brought to one scale: root mean squares, centred rows, and what is stored of them, by a warp or a block a row.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ float warpSum(float v) {
  for (int step = 16; step > 0; step >>= 1) v += __shfl_xor_sync(0xffffffffu, v, step);
  return v;
}

__global__ void rmsByWarp(float* out, const float* in, const float* gain, int rows, int width) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* x = in + row * width;
  float squares = 0.0f;
  for (int i = lane; i < width; i += 32) squares += x[i] * x[i];
  float scale = rsqrtf(warpSum(squares) / width + 1e-6f);
  float* y = out + row * width;
  for (int i = lane; i < width; i += 32) y[i] = x[i] * scale * gain[i];
}

__global__ void centreByWarp(float* __restrict__ out, float* __restrict__ means, const float* __restrict__ in, int rows, int width) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  unsigned lane = threadIdx.x & 31u;
  if (row >= rows) return;
  const float* x = in + (size_t)row * width;
  float total = 0.0f;
  for (unsigned i = lane; i < width; i += 32u) total += x[i];
  float mean = warpSum(total) / width;
  if (lane == 0) means[row] = mean;
  float* y = out + (size_t)row * width;
  for (unsigned i = lane; i < width; i += 32u) y[i] = x[i] - mean;
}

__global__ void rmsByBlock(float* out, const float* in, const float* gain, int width) {
  __shared__ float partial[32];
  const float* x = in + blockIdx.x * width;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) squares += x[i] * x[i];
  squares = warpSum(squares);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0.0f;
  float scale = rsqrtf(warpSum(squares) / width + 1e-6f);
  float* y = out + blockIdx.x * width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) y[i] = x[i] * scale * gain[i];
}

__global__ void rmsByThread(float* out, const float* in, const float* gain, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float squares = 0.0f;
  for (int i = 0; i < width; i++) squares += in[row * width + i] * in[row * width + i];
  float scale = rsqrtf(squares / width + 1e-6f);
  for (int i = 0; i < width; i++) out[row * width + i] = in[row * width + i] * scale * gain[i];
}

int main() {
  const int rows = 8192, width = 1024;
  std::vector<float> host(rows * width);
  for (int i = 0; i < rows * width; i++) host[i] = (i % 17) * 0.1f - 0.8f;
  float *in, *out, *gain, *means;
  cudaMalloc(&in, rows * width * sizeof(float));
  cudaMalloc(&out, rows * width * sizeof(float));
  cudaMalloc(&gain, width * sizeof(float));
  cudaMalloc(&means, rows * sizeof(float));
  cudaMemcpy(in, host.data(), rows * width * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(gain, host.data(), width * sizeof(float), cudaMemcpyHostToDevice);
  rmsByWarp<<<rows / 2, 64>>>(out, in, gain, rows, width);
  rmsByWarp<<<rows / 8, 256>>>(out, in, gain, rows, width);
  centreByWarp<<<rows / 4, 128>>>(out, means, in, rows, width);
  centreByWarp<<<rows / 16, 512>>>(out, means, in, rows, width);
  rmsByBlock<<<rows, 128>>>(out, in, gain, width);
  rmsByBlock<<<rows, 512>>>(out, in, gain, width);
  rmsByThread<<<rows / 64, 64>>>(out, in, gain, rows, width);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
