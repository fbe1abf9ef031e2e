// The sum of an array, the way a course improves it: six versions over the same sixteen million numbers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
__global__ void fill(int *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i % 13 - 6, y[i] = 0.001f * (i & 1023);
}

__global__ void interleaved(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void sequential(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void addOnLoad(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  int v = i < n ? in[i] : 0;
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  s[t] = v;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] = v = v + s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = v;
}

template <unsigned BLOCK>  // 64 to 512
__global__ void unrolledWarp(const int *__restrict__ in, int *__restrict__ out, unsigned n) {
  __shared__ int s[BLOCK];
  unsigned t = threadIdx.x, i = blockIdx.x * BLOCK * 2 + t;
  int v = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0);
  s[t] = v;
  __syncthreads();
  if (BLOCK >= 512) { if (t < 256) s[t] = v = v + s[t + 256]; __syncthreads(); }
  if (BLOCK >= 256) { if (t < 128) s[t] = v = v + s[t + 128]; __syncthreads(); }
  if (BLOCK >= 128) { if (t < 64) s[t] = v = v + s[t + 64]; __syncthreads(); }
  if (t < 32) {
    v += s[t + 32];
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (t == 0) out[blockIdx.x] = v;
  }
}

__inline__ __device__ float blockSum(float v) {
  __shared__ float part[32];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if (lane == 0) part[w] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[lane] : 0.f;
  if (w == 0)
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

__global__ void gridStride4(const float4 *in, float *total, int n4) {
  float s = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 q = in[i];
    s += (q.x + q.y) + (q.z + q.w);
  }
  s = blockSum(s);
  if (threadIdx.x == 0) atomicAdd(total, s);
}

// First pass: a partial sum per block; second pass, after a grid barrier, by the first block.
__global__ void twoPass(const float *in, float *partial, float *total, int n) {
  auto grid = cg::this_grid();
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  __shared__ double w[8];
  for (int pass = 0; pass < 2; pass++) {
    double s = 0;
    if (pass == 0)
      for (size_t i = grid.thread_rank(); i < n; i += grid.size()) s += in[i];
    else if (blockIdx.x == 0)
      for (unsigned i = block.thread_rank(); i < gridDim.x; i += block.size()) s += partial[i];
    s = cg::reduce(tile, s, cg::plus<double>());
    if (tile.thread_rank() == 0) w[tile.meta_group_rank()] = s;
    block.sync();
    if (block.thread_rank() == 0 && (pass == 0 || blockIdx.x == 0)) {
      for (unsigned k = 1; k < tile.meta_group_size(); k++) s += w[k];
      (pass == 0 ? partial[blockIdx.x] : *total) = (float)s;
    }
    grid.sync();
  }
}

int main() {
  int n = 1 << 24, *x, *sums;
  float *y, *partial, *total;
  cudaMalloc(&x, n * sizeof(int)), cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&sums, n / 128 * sizeof(int)), cudaMalloc(&partial, 4096 * sizeof(float)), cudaMalloc(&total, sizeof(float));
  cudaMemset(total, 0, sizeof(float));
  fill<<<n / 256, 256>>>(x, y, n);
  interleaved<<<n / 256, 256, 256 * sizeof(int)>>>(x, sums, n);
  sequential<<<n / 256, 256, 256 * sizeof(int)>>>(x, sums, n);
  addOnLoad<<<n / 1024, 512, 512 * sizeof(int)>>>(x, sums, n);
  unrolledWarp<128><<<n / 256, 128>>>(x, sums, n);
  gridStride4<<<1056, 192>>>((const float4 *)y, total, n / 4);
  void *args[] = {&y, &partial, &total, &n};
  cudaLaunchCooperativeKernel((void *)twoPass, dim3(264), dim3(256), args, 0, 0);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
