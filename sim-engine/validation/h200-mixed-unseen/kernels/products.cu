// Products: a tile with two accumulators each way and a transposed operand, a strided batch, a triangular update, a symmetric one, a tall one.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// C = A * B^T, tiles of 64 by 64, 16 deep, 4 by 4 a thread.
__global__ void __launch_bounds__(256) timesTransposed(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ float as[16][65], bs[16][65];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      as[tx][ty + i * 16] = a[(blockIdx.y * 64 + ty + i * 16) * k + k0 + tx];
      bs[tx][ty + i * 16] = b[(blockIdx.x * 64 + ty + i * 16) * k + k0 + tx];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; kk++) {
      float x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; i++) x[i] = as[kk][ty + i * 16];
#pragma unroll
      for (int j = 0; j < 4; j++) y[j] = bs[kk][tx + j * 16];
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) c[(blockIdx.y * 64 + ty + i * 16) * n + blockIdx.x * 64 + tx + j * 16] = sum[i][j];
}

// Many products of 64 by 64 by 64, a block each, in double precision.
__global__ void batchedDouble(double* c, const double* a, const double* b) {
  __shared__ double as[64][17], bs[16][64];
  a += blockIdx.x * 4096;
  b += blockIdx.x * 4096;
  c += blockIdx.x * 4096;
  int tx = threadIdx.x, ty = threadIdx.y;
  double sum[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < 64; k0 += 16) {
    for (int i = 0; i < 4; i++) {
      if (tx < 16) as[ty + i * 16][tx] = a[(ty + i * 16) * 64 + k0 + tx];
    }
    bs[ty][tx] = b[(k0 + ty) * 64 + tx];
    __syncthreads();
    for (int k = 0; k < 16; k++)
      for (int i = 0; i < 4; i++) sum[i] += as[ty + i * 16][k] * bs[k][tx];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) c[(ty + i * 16) * 64 + tx] = sum[i];
}

// C -= L * L^T in its lower triangle.
__global__ void rankUpdate(float* c, const float* l, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (blockIdx.x > blockIdx.y) return;
  __shared__ float p[16][17], q[16][17];
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    p[threadIdx.y][threadIdx.x] = l[row * k + k0 + threadIdx.x];
    q[threadIdx.y][threadIdx.x] = l[(blockIdx.x * 16 + threadIdx.y) * k + k0 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) sum += p[threadIdx.y][i] * q[threadIdx.x][i];
    __syncthreads();
  }
  if (col <= row) c[row * n + col] -= sum;
}

// A tall matrix times a small one that stands in constant memory.
__constant__ float small[32 * 32];
__global__ void tallTimesSmall(float* out, const float* in, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float x[32];
  const float4* line = (const float4*)(in + row * 32);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    float4 v = line[i];
    x[4 * i] = v.x;
    x[4 * i + 1] = v.y;
    x[4 * i + 2] = v.z;
    x[4 * i + 3] = v.w;
  }
  for (int j = 0; j < 32; j++) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 32; i++) sum += x[i] * small[j * 32 + i];
    out[j * rows + row] = sum;
  }
}

// The same product with k split over blocks and sums added.
__global__ void splitK(float* c, const float* a, const float* b, int m, int n, int k, int part) {
  __shared__ float as[32][33], bs[32][33];
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k0 = blockIdx.z * part; k0 < (blockIdx.z + 1) * part; k0 += 32) {
    as[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < 32; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  atomicAdd(&c[row * n + col], sum);
}

int main() {
  const int n = 1 << 23;
  float *a, *b, *c;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  std::vector<float> h(n);
  for (int i = 0; i < n; i++) h[i] = (i % 19) - 9.0f;
  cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(c, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(small, h.data(), sizeof(small));
  timesTransposed<<<dim3(12, 16), 256>>>(a, b, c, 1024, 768, 512);
  batchedDouble<<<512, dim3(64, 16)>>>((double*)c, (const double*)a, (const double*)b);
  rankUpdate<<<dim3(64, 64), dim3(16, 16)>>>(c, a, 1024, 256);
  tallTimesSmall<<<n / 32 / 128, 128>>>(c, a, n / 32);
  splitK<<<dim3(8, 8, 16), dim3(32, 32)>>>(c, a, b, 256, 256, 4096, 256);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
