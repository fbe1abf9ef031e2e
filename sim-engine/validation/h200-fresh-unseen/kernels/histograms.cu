// Histograms of bytes and of letters.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BINS 256

__global__ void histogramGlobal(const unsigned char *data, int n, unsigned int *bins) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&bins[data[i]], 1u);
    i += stride;
  }
}

__global__ void histogramShared(const unsigned char *data, int n, unsigned int *bins) {
  __shared__ unsigned int temp[BINS];
  temp[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&temp[data[i]], 1u);
    i += stride;
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], temp[threadIdx.x]);
}

__global__ void histogramWords(const unsigned int *data, int n4, unsigned int *partial) {
  __shared__ unsigned int counts[8][BINS];
  unsigned int *mine = counts[threadIdx.x >> 5];
  for (int b = threadIdx.x & 31; b < BINS; b += 32) mine[b] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
    unsigned int word = data[i];
    atomicAdd(mine + (word & 255), 1);
    atomicAdd(mine + (word >> 8 & 255), 1);
    atomicAdd(mine + (word >> 16 & 255), 1);
    atomicAdd(mine + (word >> 24), 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    unsigned int sum = 0;
    for (int w = 0; w < 8; w++) sum += counts[w][b];
    partial[blockIdx.x * BINS + b] = sum;
  }
}

__global__ void mergePartial(unsigned int *bins, const unsigned int *partial, int count) {
  __shared__ unsigned int data[256];
  unsigned int sum = 0;
  for (int i = threadIdx.x; i < count; i += 256) sum += partial[blockIdx.x + i * BINS];
  data[threadIdx.x] = sum;
  for (int stride = 128; stride > 0; stride >>= 1) {
    __syncthreads();
    if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) bins[blockIdx.x] = data[0];
}

int main() {
  const int n = 32 << 20;
  unsigned char *host = (unsigned char *)malloc(n);
  for (int i = 0; i < n; i++) host[i] = rand();
  unsigned char *data;
  unsigned int *bins, *partial;
  cudaMalloc((void **)&data, n);
  cudaMalloc((void **)&bins, BINS * sizeof(unsigned int));
  cudaMalloc((void **)&partial, 528 * BINS * sizeof(unsigned int));
  cudaMemcpy(data, host, n, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, BINS * sizeof(unsigned int));
  histogramGlobal<<<264, 256>>>(data, n, bins);
  histogramShared<<<264, 256>>>(data, n, bins);
  histogramWords<<<528, 256>>>((const unsigned int *)data, n / 4, partial);
  mergePartial<<<BINS, 256>>>(bins, partial, 528);
  unsigned int result[BINS];
  cudaMemcpy(result, bins, sizeof(result), cudaMemcpyDeviceToHost);
  printf("%u\n", result[7]);
  free(host);
  return 0;
}
