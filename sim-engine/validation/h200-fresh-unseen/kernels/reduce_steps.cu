// Sum of an array, step by step faster.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void reduceModulo(const int *in, int *out) {
  extern __shared__ int data[];
  unsigned int tid = threadIdx.x;
  data[tid] = in[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) data[tid] += data[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void reduceStrided(const int *in, int *out) {
  extern __shared__ int data[];
  unsigned int tid = threadIdx.x;
  data[tid] = in[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int index = 2 * s * tid;
    if (index < blockDim.x) data[index] += data[index + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void reduceSequential(const int *in, int *out) {
  extern __shared__ int data[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  data[tid] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) data[tid] += data[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

template <unsigned int blockSize>
__global__ void reduceComplete(const int *in, int *out, unsigned int n) {
  __shared__ int data[blockSize];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockSize * 2) + tid;
  unsigned int gridSize = blockSize * 2 * gridDim.x;
  int sum = 0;
  while (i < n) {
    sum += in[i] + in[i + blockSize];
    i += gridSize;
  }
  data[tid] = sum;
  __syncthreads();
  if (blockSize >= 512) { if (tid < 256) data[tid] += data[tid + 256]; __syncthreads(); }
  if (blockSize >= 256) { if (tid < 128) data[tid] += data[tid + 128]; __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) data[tid] += data[tid + 64]; __syncthreads(); }
  if (tid < 32) {
    int value = data[tid] + data[tid + 32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    if (tid == 0) out[blockIdx.x] = value;
  }
}

__global__ void reduceGroups(const int4 *in, int *out, int n4) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
    int4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(out, sum);
}

int main() {
  const int n = 1 << 23;
  std::vector<int> h(n);
  for (int i = 0; i < n; i++) h[i] = i & 0xff;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n / 256 * sizeof(int));
  cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  const int threads = 256;
  const int blocks = n / threads;
  reduceModulo<<<blocks, threads, threads * sizeof(int)>>>(in, out);
  reduceStrided<<<blocks, threads, threads * sizeof(int)>>>(in, out);
  reduceSequential<<<blocks / 2, threads, threads * sizeof(int)>>>(in, out);
  reduceComplete<512><<<264, 512>>>(in, out, n);
  cudaMemset(out, 0, sizeof(int));
  reduceGroups<<<132 * 4, 256>>>((const int4 *)in, out, n / 4);
  int result;
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  return 0;
}
