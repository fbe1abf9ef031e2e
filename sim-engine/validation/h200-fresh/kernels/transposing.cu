// Transposing a matrix: copies to compare with, straight, by tiles, by padded tiles, by diagonals.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
const int TILE = 32;
const int ROWS = 8;

__global__ void copyTile(float *out, const float *in, int width) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * width + x] = in[(y + j) * width + x];
}

__global__ void transposeStraight(float *out, const float *in, int width) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[x * width + (y + j)] = in[(y + j) * width + x];
}

__global__ void transposeTile(float *out, const float *in, int width) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposeDiagonal(double *out, const double *in, int width) {
  __shared__ double tile[16][17];
  int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  int x = bx * 16 + threadIdx.x, y = by * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = by * 16 + threadIdx.x;
  y = bx * 16 + threadIdx.y;
  out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int n = 4096;
  size_t size = (size_t)n * n * sizeof(float);
  float *in, *out, *host = (float *)malloc(size);
  for (int i = 0; i < n * n; i++) host[i] = (float)i;
  cudaMalloc(&in, size);
  cudaMalloc(&out, size);
  cudaMemcpy(in, host, size, cudaMemcpyHostToDevice);
  dim3 grid(n / TILE, n / TILE), block(TILE, ROWS);
  copyTile<<<grid, block>>>(out, in, n);
  transposeStraight<<<grid, block>>>(out, in, n);
  transposeTile<<<grid, block>>>(out, in, n);
  transposeDiagonal<<<dim3(2048 / 16, 2048 / 16), dim3(16, 16)>>>((double *)out, (double *)in, 2048);
  cudaMemcpy(host, out, size, cudaMemcpyDeviceToHost);
  printf("%f\n", host[1]);
  return 0;
}
