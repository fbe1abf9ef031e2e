// Half products as one learns them: a half each, pairs, tiles of eight by eight with accumulators in halves.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void hgemmNaive(const half *a, const half *b, half *c, int M, int N, int K) {
  int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
  if (m < M && n < N) {
    half sum = __float2half(0.f);
    for (int k = 0; k < K; k++) sum = __hfma(a[m * K + k], b[k * N + n], sum);
    c[m * N + n] = sum;
  }
}

__global__ void hgemmTile(const half *a, const half *b, half *c, int M, int N, int K) {
  __shared__ half sa[32][32], sb[32][32];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  half sum = __float2half(0.f);
  for (int k = 0; k < K; k += 32) {
    sa[ty][tx] = a[row * K + k + tx];
    sb[ty][tx] = b[(k + ty) * N + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i++) sum = __hfma(sa[ty][i], sb[i][tx], sum);
    __syncthreads();
  }
  c[row * N + col] = sum;
}

// 128 by 128 by 8, 256 threads of 8 by 8 results.
__global__ void hgemm8x8(const half *a, const half *b, half *c, int M, int N, int K) {
  constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
  __shared__ half sa[BK][BM], sb[BK][BN];
  int tid = threadIdx.y * blockDim.x + threadIdx.x, tx = threadIdx.x, ty = threadIdx.y;
  int ar = tid / 2, ac = (tid & 1) * 4, br = tid / 32, bc = (tid & 31) * 4;
  half r[TM][TN];
#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j++) r[i][j] = __float2half(0.f);
  for (int k = 0; k < K; k += BK) {
    half2 v0 = *(const half2 *)&a[(blockIdx.y * BM + ar) * K + k + ac], v1 = *(const half2 *)&a[(blockIdx.y * BM + ar) * K + k + ac + 2];
    sa[ac][ar] = v0.x;
    sa[ac + 1][ar] = v0.y;
    sa[ac + 2][ar] = v1.x;
    sa[ac + 3][ar] = v1.y;
    *(uint2 *)&sb[br][bc] = *(const uint2 *)&b[(k + br) * N + blockIdx.x * BN + bc];
    __syncthreads();
#pragma unroll
    for (int d = 0; d < BK; d++) {
      half ra[TM], rb[TN];
#pragma unroll
      for (int i = 0; i < TM; i++) ra[i] = sa[d][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; j++) rb[j] = sb[d][tx * TN + j];
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) r[i][j] = __hfma(ra[i], rb[j], r[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j += 2) {
      half2 v = __halves2half2(r[i][j], r[i][j + 1]);
      *(half2 *)&c[(blockIdx.y * BM + ty * TM + i) * N + blockIdx.x * BN + tx * TN + j] = v;
    }
}

int main() {
  const int n = 2048;
  half *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(half));
  cudaMalloc(&b, n * n * sizeof(half));
  cudaMalloc(&c, n * n * sizeof(half));
  cudaMemset(a, 0, n * n * sizeof(half));
  cudaMemset(b, 0, n * n * sizeof(half));
  hgemmNaive<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n, n, n);
  hgemmTile<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n, n, n);
  hgemm8x8<<<dim3(n / 128, n / 128), dim3(16, 16)>>>(a, b, c, n, n, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
