// Sums that many threads add to: columns of a matrix, weights of a histogram, a row's total by each of its warps, a minimum for each group.
#include <cstdio>
__global__ void columnSums(const float *x, float *sums, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  int first = blockIdx.y * 64;
  for (int r = first; r < first + 64 && r < rows; r++) s += x[(size_t)r * columns + c];
  atomicAdd(&sums[c], s);
}
__global__ void weighted(const unsigned char *bin, const float *weight, float *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[bin[i]], weight[i]);
}
__global__ void rowTotals(const float *a, const float *x, float *y, int columns) {
  int row = blockIdx.x;
  float s = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) s += a[(size_t)row * columns + c] * x[c];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&y[row], s);
}
__global__ void rowTotalsByAll(const float *a, const float *x, float *y, int columns) {
  int row = blockIdx.x;
  float s = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) s += a[(size_t)row * columns + c] * x[c];
  atomicAdd(&y[row], s);
}
__global__ void groupMinimum(const int *v, int *least, int perGroup, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMin(&least[i / perGroup], v[i]);
}
__global__ void count(const float *v, unsigned *counts, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[blockIdx.x * 8 + min(7, (int)(v[i] * scale))], 1u);
}
int main() {
  const int rows = 8192, columns = 2048, n = rows * columns;
  float *a, *x, *y;
  int *v;
  unsigned char *bin;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&v, n * sizeof(int));
  cudaMalloc(&bin, n);
  unsigned char *host = new unsigned char[n];
  unsigned seed = 7;
  for (int i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = seed >> 24;
  }
  cudaMemcpy(bin, host, n, cudaMemcpyHostToDevice);
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  cudaMemset(v, 0, n * sizeof(int));
  columnSums<<<dim3(columns / 256, rows / 64), 256>>>(a, y, rows, columns);
  weighted<<<1056, 256>>>(bin, a, y, n / 16);
  rowTotals<<<rows, 256>>>(a, x, y, columns);
  rowTotalsByAll<<<rows, 256>>>(a, x, y, columns);
  rowTotalsByAll<<<rows, 64>>>(a, x, y, columns);
  groupMinimum<<<n / 256, 256>>>(v, (int *)y, 64, n);
  groupMinimum<<<n / 256, 256>>>(v, (int *)y, 4096, n);
  count<<<n / 256, 256>>>(a, (unsigned *)y, n, 8.0f);
  cudaDeviceSynchronize();
  return 0;
}
