#include <cuda_runtime.h>
#include <stdlib.h>
#include <stdio.h>
#include <time.h>

#define LOG_N 20
#define N (1 << LOG_N)
#define RADIX_BITS 4
#define RADIX (1 << RADIX_BITS)
#define THREADS 256

static void check(cudaError_t e, const char *what) {
  if (e != cudaSuccess) {
    printf("%s failed: %s\n", what, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
  }
}

__global__ void bitonicStep(int *data, int j, int k) {
  unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
  unsigned int ixj = i ^ j;
  if (ixj > i) {
    int a = data[i], b = data[ixj];
    if (((i & k) == 0) == (a > b)) {
      data[i] = b;
      data[ixj] = a;
    }
  }
}

__global__ void bitonicShared(int *data) {
  __shared__ int s[512];
  int base = blockIdx.x * 512;
  s[threadIdx.x] = data[base + threadIdx.x];
  s[threadIdx.x + 256] = data[base + threadIdx.x + 256];
  for (int k = 2; k <= 512; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      int pos = 2 * threadIdx.x - (threadIdx.x & (j - 1));
      int a = s[pos], b = s[pos + j];
      bool up = ((pos & k) == 0);
      if (up ? a > b : a < b) {
        s[pos] = b;
        s[pos + j] = a;
      }
    }
  __syncthreads();
  data[base + threadIdx.x] = s[threadIdx.x];
  data[base + threadIdx.x + 256] = s[threadIdx.x + 256];
}

__global__ void radixCount(const unsigned *keys, unsigned *counts, int shift, int n) {
  __shared__ unsigned hist[RADIX];
  if (threadIdx.x < RADIX) hist[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&hist[(keys[i] >> shift) & (RADIX - 1)], 1);
  __syncthreads();
  if (threadIdx.x < RADIX) counts[threadIdx.x * gridDim.x + blockIdx.x] = hist[threadIdx.x];
}

__global__ void exclusiveScan(unsigned *data, unsigned *sums, int n) {
  __shared__ unsigned temp[2 * THREADS];
  int t = threadIdx.x, base = blockIdx.x * 2 * THREADS;
  temp[2 * t] = base + 2 * t < n ? data[base + 2 * t] : 0;
  temp[2 * t + 1] = base + 2 * t + 1 < n ? data[base + 2 * t + 1] : 0;
  int offset = 1;
  for (int d = THREADS; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = temp[2 * THREADS - 1];
    temp[2 * THREADS - 1] = 0;
  }
  for (int d = 1; d < 2 * THREADS; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      unsigned swap = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += swap;
    }
  }
  __syncthreads();
  if (base + 2 * t < n) data[base + 2 * t] = temp[2 * t];
  if (base + 2 * t + 1 < n) data[base + 2 * t + 1] = temp[2 * t + 1];
}

__global__ void mergeRank(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = a[i], lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (b[mid] < x) lo = mid + 1;
    else hi = mid;
  }
  out[i + lo] = x;
}

__global__ void segmentedMax(const int *values, const int *offsets, int *out, int segments) {
  int seg = blockIdx.x * blockDim.y + threadIdx.y;
  if (seg >= segments) return;
  int best = -2147483647 - 1;
  for (int i = offsets[seg] + threadIdx.x; i < offsets[seg + 1]; i += 32) best = max(best, values[i]);
  best = __reduce_max_sync(0xffffffff, best);
  if (threadIdx.x == 0) out[seg] = best;
}

int main() {
  size_t bytes = N * sizeof(int);
  int *h = (int *)malloc(bytes), *sorted = (int *)malloc(bytes), *offsets = (int *)malloc((N / 64 + 1) * sizeof(int));
  srand(42);
  for (int i = 0; i < N; i++) {
    h[i] = rand();
    sorted[i] = i * 3;
  }
  for (int s = 0; s <= N / 64; s++) offsets[s] = s * 64;
  int *d, *e, *f, *o;
  unsigned *counts, *sums;
  int blocks = N / THREADS;
  check(cudaMalloc((void **)&d, bytes), "malloc");
  check(cudaMalloc((void **)&e, bytes), "malloc");
  check(cudaMalloc((void **)&f, 2 * bytes), "malloc");
  check(cudaMalloc((void **)&o, (N / 64 + 1) * sizeof(int)), "malloc");
  check(cudaMalloc((void **)&counts, blocks * RADIX * sizeof(unsigned)), "malloc");
  check(cudaMalloc((void **)&sums, blocks * sizeof(unsigned)), "malloc");
  check(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice), "copy");
  radixCount<<<blocks, THREADS>>>((unsigned *)d, counts, 0, N);
  exclusiveScan<<<blocks * RADIX / (2 * THREADS), THREADS>>>(counts, sums, blocks * RADIX);
  bitonicShared<<<N / 512, 256>>>(d);
  for (int k = 1024; k <= 2048; k <<= 1)
    for (int j = k >> 1; j > 0; j = j >> 1) bitonicStep<<<blocks, THREADS>>>(d, j, k);
  check(cudaMemcpy(d, sorted, bytes, cudaMemcpyHostToDevice), "copy");
  check(cudaMemcpy(e, sorted, bytes, cudaMemcpyHostToDevice), "copy");
  check(cudaMemcpy(o, offsets, (N / 64 + 1) * sizeof(int), cudaMemcpyHostToDevice), "copy");
  mergeRank<<<blocks, THREADS>>>(d, e, f, N);
  segmentedMax<<<N / 64 / 8, dim3(32, 8)>>>(d, o, e, N / 64);
  check(cudaDeviceSynchronize(), "sync");
  return 0;
}
