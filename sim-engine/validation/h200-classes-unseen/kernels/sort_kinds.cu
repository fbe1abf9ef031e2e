// Sorting: steps of a bitonic network, blocks sorted in shared memory, digits of a radix sort, odd and even.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void bitonicGlobal(unsigned *a, int j, int k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i ^ j;
  if (p > i) {
    unsigned x = a[i], y = a[p];
    bool up = (i & k) == 0;
    if (up ? x > y : x < y) {
      a[i] = y;
      a[p] = x;
    }
  }
}

__global__ void bitonicBlock(unsigned *a) {
  __shared__ unsigned s[1024];
  int t = threadIdx.x, base = blockIdx.x * 1024;
  s[t] = a[base + t];
  s[t + 512] = a[base + t + 512];
  for (int k = 2; k <= 1024; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      int i = 2 * t - (t & (j - 1)), p = i + j;
      bool up = (i & k) == 0;
      unsigned x = s[i], y = s[p];
      if ((x > y) == up) {
        s[i] = y;
        s[p] = x;
      }
    }
  __syncthreads();
  a[base + t] = s[t];
  a[base + t + 512] = s[t + 512];
}

__global__ void digitCounts(const unsigned *a, unsigned *counts, int shift, int n) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[(a[i] >> shift) & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void oddEven(int *a, int n, int odd) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
  if (i + 1 < n && a[i] > a[i + 1]) {
    int x = a[i];
    a[i] = a[i + 1];
    a[i + 1] = x;
  }
}

// Each element counts those that go before it.
__global__ void rankSort(const float *a, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  int rank = 0;
  for (int k = 0; k < n; k++) {
    float y = a[k];
    rank += y < x || (y == x && k < i);
  }
  out[rank] = x;
}

int main() {
  const int n = 1 << 22;
  unsigned *h = (unsigned *)malloc(n * sizeof(unsigned)), *a, *counts;
  for (int i = 0; i < n; i++) h[i] = rand();
  float *f = (float *)malloc(16384 * sizeof(float)), *df, *sorted;
  for (int i = 0; i < 16384; i++) f[i] = rand() / (float)RAND_MAX;
  cudaMalloc(&a, n * sizeof(unsigned));
  cudaMalloc(&counts, 16 * (n / 256) * sizeof(unsigned));
  cudaMalloc(&df, 16384 * sizeof(float));
  cudaMalloc(&sorted, 16384 * sizeof(float));
  cudaMemcpy(a, h, n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemcpy(df, f, 16384 * sizeof(float), cudaMemcpyHostToDevice);
  bitonicGlobal<<<n / 512, 512>>>(a, 1 << 12, 1 << 13);
  bitonicBlock<<<n / 1024, 512>>>(a);
  digitCounts<<<n / 256, 256>>>(a, counts, 4, n);
  oddEven<<<n / 512, 256>>>((int *)a, n, 1);
  rankSort<<<16384 / 128, 128>>>(df, sorted, 16384);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
