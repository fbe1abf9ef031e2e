// Prefix sums: within blocks by Hillis and Steele, by Blelloch, by warps; then the blocks' sums are added.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BLOCK 512

__global__ void scanHillisSteele(float *out, const float *in, float *sums, int n) {
  __shared__ float temp[2 * BLOCK];
  int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
  int pout = 0, pin = 1;
  temp[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int offset = 1; offset < BLOCK; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (tid >= offset)
      temp[pout * BLOCK + tid] = temp[pin * BLOCK + tid] + temp[pin * BLOCK + tid - offset];
    else
      temp[pout * BLOCK + tid] = temp[pin * BLOCK + tid];
    __syncthreads();
  }
  if (i < n) out[i] = temp[pout * BLOCK + tid];
  if (tid == BLOCK - 1) sums[blockIdx.x] = temp[pout * BLOCK + tid];
}

__global__ void scanBlelloch(float *out, const float *in, float *sums) {
  __shared__ float temp[2 * BLOCK];
  int tid = threadIdx.x;
  int base = blockIdx.x * 2 * BLOCK;
  int offset = 1;
  temp[2 * tid] = in[base + 2 * tid];
  temp[2 * tid + 1] = in[base + 2 * tid + 1];
  for (int d = BLOCK; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (tid == 0) {
    sums[blockIdx.x] = temp[2 * BLOCK - 1];
    temp[2 * BLOCK - 1] = 0;
  }
  for (int d = 1; d < 2 * BLOCK; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      float t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  out[base + 2 * tid] = temp[2 * tid];
  out[base + 2 * tid + 1] = temp[2 * tid + 1];
}

__global__ void scanWarps(float *out, const float *in, float *sums, int n) {
  __shared__ float warpSums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float value = i < n ? in[i] : 0.f;
  for (int d = 1; d < 32; d <<= 1) {
    float other = __shfl_up_sync(0xffffffffu, value, d);
    if (lane >= d) value += other;
  }
  if (lane == 31) warpSums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    float total = lane < blockDim.x / 32 ? warpSums[lane] : 0.f;
    for (int d = 1; d < 32; d <<= 1) {
      float other = __shfl_up_sync(0xffffffffu, total, d);
      if (lane >= d) total += other;
    }
    warpSums[lane] = total;
  }
  __syncthreads();
  if (warp > 0) value += warpSums[warp - 1];
  if (i < n) out[i] = value;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = value;
}

__global__ void addSums(float *out, const float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
  const int n = 1 << 22;
  std::vector<float> host(n, 1.0f);
  float *in, *out, *sums, *sumsScanned, *rest;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&sums, n / BLOCK * sizeof(float));
  cudaMalloc(&sumsScanned, n / BLOCK * sizeof(float));
  cudaMalloc(&rest, BLOCK * sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scanHillisSteele<<<n / BLOCK, BLOCK>>>(out, in, sums, n);
  scanBlelloch<<<n / (2 * BLOCK), BLOCK>>>(out, in, sums);
  scanWarps<<<n / 1024, 1024>>>(out, in, sums, n);
  scanWarps<<<n / 1024 / 1024, 1024>>>(sumsScanned, sums, rest, n / 1024);
  addSums<<<n / 1024, 1024>>>(out, sumsScanned, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
