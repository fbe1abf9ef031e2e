// Counting byte values: plain atomics, shared counters, a set of counters per warp, and their merge.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int BINS = 256;

__global__ void histGlobal(const unsigned char *data, unsigned int *hist, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&hist[data[i]], 1u);
    i += stride;
  }
}

__global__ void histShared(const unsigned char *data, unsigned int *hist, int n) {
  __shared__ unsigned int local[BINS];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&hist[threadIdx.x], local[threadIdx.x]);
}

__device__ __forceinline__ void count4(unsigned *h, uint32_t w) {
  atomicAdd(h + (w & 255), 1u);
  atomicAdd(h + ((w >> 8) & 255), 1u);
  atomicAdd(h + ((w >> 16) & 255), 1u);
  atomicAdd(h + (w >> 24), 1u);
}

// Every warp has its own counters; the block's sum goes to its own row of 'partial'.
template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32) histPerWarp(const uint4 *__restrict__ data, unsigned *__restrict__ partial, int n16) {
  __shared__ unsigned sub[WARPS * BINS];
  for (int i = threadIdx.x; i < WARPS * BINS; i += WARPS * 32) sub[i] = 0;
  __syncthreads();
  unsigned *mine = sub + (threadIdx.x / 32) * BINS;
  for (int i = blockIdx.x * WARPS * 32 + threadIdx.x; i < n16; i += gridDim.x * WARPS * 32) {
    uint4 v = data[i];
    count4(mine, v.x);
    count4(mine, v.y);
    count4(mine, v.z);
    count4(mine, v.w);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += WARPS * 32) {
    unsigned s = 0;
    for (int w = 0; w < WARPS; w++) s += sub[w * BINS + b];
    partial[blockIdx.x * BINS + b] = s;
  }
}

// 32 bins for a block; its eight rows of threads share out the partial histograms.
__global__ void mergePartials(const unsigned *partial, unsigned *hist, int count) {
  __shared__ unsigned s[8][32];
  int bin = blockIdx.x * 32 + threadIdx.x;
  unsigned sum = 0;
  for (int p = threadIdx.y; p < count; p += 8) sum += partial[p * BINS + bin];
  s[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int k = 1; k < 8; k++) sum += s[k][threadIdx.x];
    hist[bin] = sum;
  }
}

// Lanes with the same byte elect one of them to add for all.
__global__ void histMatched(const unsigned char *data, unsigned int *hist, int n) {
  __shared__ unsigned int local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  int lane = threadIdx.x & 31;
  for (int base = blockIdx.x * blockDim.x; base < n; base += blockDim.x * gridDim.x) {
    int i = base + threadIdx.x;
    int v = i < n ? data[i] : -1;
    unsigned same = __match_any_sync(0xffffffff, v);
    if (v >= 0 && lane == __ffs(same) - 1) atomicAdd(&local[v], __popc(same));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    if (local[b]) atomicAdd(&hist[b], local[b]);
}

int main() {
  const int n = 1 << 25, few = 1 << 22, blocks = 792;
  std::vector<unsigned char> even(n), skewed(n);
  uint32_t r = 12345;
  for (int i = 0; i < n; i++) {
    r = r * 1664525u + 1013904223u;
    even[i] = r >> 24;
    skewed[i] = (r >> 20) % 10 < 8 ? 32 : (r >> 24) & 63;
  }
  unsigned char *d, *ds;
  unsigned *hist, *partial;
  cudaMalloc(&d, n);
  cudaMalloc(&ds, n);
  cudaMalloc(&hist, 5 * BINS * sizeof(unsigned));
  cudaMalloc(&partial, blocks * BINS * sizeof(unsigned));
  cudaMemcpy(d, even.data(), n, cudaMemcpyHostToDevice);
  cudaMemcpy(ds, skewed.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(hist, 0, 5 * BINS * sizeof(unsigned));
  histGlobal<<<1024, 256>>>(d, hist, few);
  histShared<<<1056, 256>>>(d, hist + BINS, n);
  histShared<<<528, 256>>>(ds, hist + 2 * BINS, n);
  histPerWarp<6><<<blocks, 192>>>((const uint4 *)d, partial, n / 16);
  mergePartials<<<BINS / 32, dim3(32, 8)>>>(partial, hist + 3 * BINS, blocks);
  histMatched<<<264, 1024>>>(ds, hist + 4 * BINS, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
