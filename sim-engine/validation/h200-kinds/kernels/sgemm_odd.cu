// FP32 matrix products with less usual tiles, double buffering, split K and ragged sizes.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Mat {
  float *p;
  int rows, cols;
  __host__ __device__ float get(int r, int c) const { return r < rows && c < cols ? p[(size_t)r * cols + c] : 0.f; }
};

// 64x64 of C for 16x16 threads, 4x4 each, strided by 16; any size.
__global__ void tile64(Mat A, Mat B, Mat C) {
  __shared__ float sa[64][17], sb[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < A.cols; k0 += 16) {
    for (int i = 0; i < 4; i++) {
      sa[ty + 16 * i][tx] = A.get(r0 + ty + 16 * i, k0 + tx);
      sb[t / 64 + 4 * i][t % 64] = B.get(k0 + t / 64 + 4 * i, c0 + t % 64);
    }
    __syncthreads();
    for (int k = 0; k < 16; k++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) acc[i][j] += sa[ty + 16 * i][k] * sb[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      int r = r0 + ty + 16 * i, c = c0 + tx + 16 * j;
      if (r < C.rows && c < C.cols) C.p[(size_t)r * C.cols + c] = acc[i][j];
    }
}

// 128x64 by 128 threads, 8x8 each; A is kept transposed and padded in shared memory. Sizes divide.
__global__ void __launch_bounds__(128) rect128x64(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int N, int K) {
  __shared__ float at[8][128 + 4], bs[8][64];
  int t = threadIdx.x, tc = (t % 8) * 8, tr = (t / 8) * 8, r0 = blockIdx.y * 128, c0 = blockIdx.x * 64;
  float acc[8][8] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    float4 u = *(const float4 *)(A + (r0 + t) * K + k0), v = *(const float4 *)(A + (r0 + t) * K + k0 + 4);
    float e[8] = {u.x, u.y, u.z, u.w, v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 8; i++) at[i][t] = e[i];
    *(float4 *)&bs[t / 16][t % 16 * 4] = *(const float4 *)(B + (k0 + t / 16) * N + c0 + t % 16 * 4);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] = fmaf(at[k][tr + i], bs[k][tc + j], acc[i][j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) C[(r0 + tr + i) * N + c0 + tc + j] = acc[i][j];
}

// 96x96 by 256 threads, 6x6 each; two shared buffers, the next tile waits in registers.
__global__ void doubleBuffered96(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int N, int K) {
  __shared__ float at[2][8][97], bs[2][8][96];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 96, c0 = blockIdx.x * 96;
  float acc[6][6] = {}, ra[3], rb[3];
  auto load = [&](int k0) {
    for (int i = 0; i < 3; i++) {
      int e = t + 256 * i;
      ra[i] = A[(r0 + e / 8) * K + k0 + e % 8];
      rb[i] = B[(k0 + e / 96) * N + c0 + e % 96];
    }
  };
  auto store = [&](int buf) {
    for (int i = 0; i < 3; i++) {
      int e = t + 256 * i;
      at[buf][e % 8][e / 8] = ra[i];
      bs[buf][e / 96][e % 96] = rb[i];
    }
  };
  load(0), store(0);
  __syncthreads();
  int cur = 0;
  for (int k0 = 8; k0 <= K; k0 += 8) {
    if (k0 < K) load(k0);
#pragma unroll
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) acc[i][j] += at[cur][k][ty * 6 + i] * bs[cur][k][tx + 16 * j];
    if (k0 < K) store(cur ^ 1);
    __syncthreads();
    cur ^= 1;
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) C[(r0 + ty * 6 + i) * N + c0 + tx + 16 * j] = acc[i][j];
}

// One slice of K per blockIdx.z, added into C which starts at zero.
template <int T>
__global__ void splitK(const float *A, const float *B, float *C, int M, int N, int K, int slice) {
  __shared__ float sa[T][T + 1], sb[T][T + 1];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  int from = blockIdx.z * slice, to = min(K, from + slice);
  float s = 0;
  for (int k = from; k < to; k += T) {
    sa[y][x] = row < M && k + x < to ? A[row * K + k + x] : 0;
    sb[y][x] = col < N && k + y < to ? B[(k + y) * N + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; i++) s += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  if (row < M && col < N) atomicAdd(C + row * N + col, s);
}

int main() {
  const size_t cap = 2048 * 2048;
  float *h = (float *)malloc(cap * 4), *a, *b, *c;
  for (size_t i = 0; i < cap; i++) h[i] = rand() / (float)RAND_MAX;
  cudaMalloc(&a, cap * 4), cudaMalloc(&b, cap * 4), cudaMalloc(&c, cap * 4);
  cudaMemcpy(a, h, cap * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h, cap * 4, cudaMemcpyHostToDevice);
  tile64<<<dim3((1500 + 63) / 64, (1000 + 63) / 64), dim3(16, 16)>>>(Mat{a, 1000, 777}, Mat{b, 777, 1500}, Mat{c, 1000, 1500});
  rect128x64<<<dim3(1536 / 64, 1280 / 128), 128>>>(a, b, c, 1536, 1024);
  doubleBuffered96<<<dim3(1920 / 96, 960 / 96), 256>>>(a, b, c, 1920, 1000);
  cudaMemset(c, 0, cap * 4);  // both products below add to zeros, the second further on
  splitK<16><<<dim3((250 + 15) / 16, (200 + 15) / 16, 8), dim3(16, 16)>>>(a, b, c, 200, 250, 8000, 1000);
  splitK<32><<<dim3(512 / 32, 512 / 32, 4), dim3(32, 32)>>>(a, b, c + 1024 * 1024, 512, 512, 4096, 1024);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
