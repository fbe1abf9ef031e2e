// Histograms of bytes and of floats: straight, in shared memory, a copy for each warp, of many bins.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void binsStraight(const unsigned char *data, unsigned *bins, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&bins[data[i]], 1u);
}

__global__ void binsShared(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void binsPerWarp(const unsigned *data, unsigned *bins, int n4) {
  __shared__ unsigned local[8][256];
  for (int i = threadIdx.x; i < 8 * 256; i += blockDim.x) (&local[0][0])[i] = 0;
  __syncthreads();
  unsigned *mine = local[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
    unsigned v = data[i];
    atomicAdd(&mine[v & 255], 1u);
    atomicAdd(&mine[(v >> 8) & 255], 1u);
    atomicAdd(&mine[(v >> 16) & 255], 1u);
    atomicAdd(&mine[v >> 24], 1u);
  }
  __syncthreads();
  unsigned s = 0;
  for (int w = 0; w < 8; w++) s += local[w][threadIdx.x];
  atomicAdd(&bins[threadIdx.x], s);
}

__global__ void binsOfFloats(const float *x, int *bins, float lo, float scale, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int b = (int)((x[i] - lo) * scale);
    if (b >= 0 && b < count) atomicAdd(&bins[b], 1);
  }
}

int main() {
  const int n = 1 << 24;
  unsigned char *h = (unsigned char *)malloc(n), *d;
  for (int i = 0; i < n; i++) h[i] = rand() & 255;
  float *f = (float *)malloc((n / 4) * sizeof(float)), *df;
  for (int i = 0; i < n / 4; i++) f[i] = rand() / (float)RAND_MAX;
  unsigned *bins;
  cudaMalloc(&d, n);
  cudaMalloc(&df, n / 4 * sizeof(float));
  cudaMalloc(&bins, 65536 * sizeof(unsigned));
  cudaMemset(bins, 0, 65536 * sizeof(unsigned));
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  cudaMemcpy(df, f, n / 4 * sizeof(float), cudaMemcpyHostToDevice);
  binsStraight<<<1024, 256>>>(d, bins, n);
  binsShared<<<1024, 256>>>(d, bins, n);
  binsPerWarp<<<528, 256>>>((unsigned *)d, bins, n / 4);
  binsOfFloats<<<n / 4 / 256, 256>>>(df, (int *)bins, 0.f, 65536.f, 65536, n / 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
