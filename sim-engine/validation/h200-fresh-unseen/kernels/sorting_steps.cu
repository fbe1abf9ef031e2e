// Sorting: counts of digits, places by prefix sums, merging by search, odd and even.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void digitCounts(const unsigned *keys, unsigned *counts, int n, int shift) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// Each block sorts its 256 keys by one digit of a bit after the other.
__global__ void splitBlocks(unsigned *keys, int bits) {
  __shared__ unsigned s[256], flags[256];
  int tid = threadIdx.x;
  s[tid] = keys[blockIdx.x * 256 + tid];
  __syncthreads();
  for (int bit = 0; bit < bits; bit++) {
    unsigned key = s[tid];
    unsigned zero = 1 - (key >> bit & 1);
    flags[tid] = zero;
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
      unsigned v = tid >= d ? flags[tid - d] : 0;
      __syncthreads();
      flags[tid] += v;
      __syncthreads();
    }
    unsigned zeros = flags[255];
    unsigned rank = flags[tid] - zero;
    __syncthreads();
    s[zero ? rank : zeros + tid - rank] = key;
    __syncthreads();
  }
  keys[blockIdx.x * 256 + tid] = s[tid];
}

__global__ void mergeRanks(unsigned *out, const unsigned *a, const unsigned *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = a[i];
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (b[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  out[i + lo] = key;
}

__global__ void oddEven(int *data, int n, int phase) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
  if (i + 1 < n) {
    int a = data[i], b = data[i + 1];
    if (a > b) {
      data[i] = b;
      data[i + 1] = a;
    }
  }
}

int main() {
  const int n = 1 << 22;
  unsigned *h = (unsigned *)malloc(n * sizeof(unsigned)), *keys, *sorted, *out, *counts;
  for (int i = 0; i < n; i++) h[i] = ((unsigned)rand() << 16) ^ rand();
  cudaMalloc(&keys, n * 4);
  cudaMalloc(&sorted, n * 4);
  cudaMalloc(&out, 2 * n * 4);
  cudaMalloc(&counts, 16 * 512 * 4);
  cudaMemcpy(keys, h, n * 4, cudaMemcpyHostToDevice);
  for (int i = 0; i < n; i++) h[i] = 3 * i;
  cudaMemcpy(sorted, h, n * 4, cudaMemcpyHostToDevice);
  digitCounts<<<512, 256>>>(keys, counts, n, 8);
  splitBlocks<<<n / 256, 256>>>(keys, 8);
  mergeRanks<<<n / 256, 256>>>(out, sorted, sorted, n);
  oddEven<<<n / 2 / 256, 256>>>((int *)keys, n, 0);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
