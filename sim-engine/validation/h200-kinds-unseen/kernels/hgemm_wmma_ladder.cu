// FP16 matrix product with wmma, rung by rung: global tiles, shared tiles, padding, wide warp tiles, cp.async.
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

using FragA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using FragB = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using FragAcc = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// every warp makes one 16x16 tile straight from global memory
__global__ void hgemm_wmma_naive(const half *A, const half *B, half *C, int M, int N, int K) {
  int tm = blockIdx.y * blockDim.y + threadIdx.y;
  int tn = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  if (tm * 16 >= M || tn * 16 >= N) return;
  FragA a;
  FragB b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
  wmma::fill_fragment(c, __float2half(0.f));
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + tm * 16 * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + tn * 16, N);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + tm * 16 * N + tn * 16, c, N, wmma::mem_row_major);
}

// 64x64 block tile, four warps of 32x32; PAD halves after each shared row
template <int PAD>
__global__ void hgemm_wmma_shared(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C, int M, int N, int K) {
  constexpr int BK = 32, LDA = BK + PAD, LDB = 64 + PAD;
  __shared__ __align__(128) half sA[64 * LDA];
  __shared__ __align__(128) half sB[BK * LDB];
  const int tid = threadIdx.x, warp = tid / 32, wm = warp / 2, wn = warp % 2;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  FragAcc acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.f);
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid; i < 64 * BK / 8; i += 128) {
      int r = i / (BK / 8), c = i % (BK / 8) * 8;
      *(uint4 *)&sA[r * LDA + c] = *(const uint4 *)&A[(size_t)(row0 + r) * K + k0 + c];
    }
    for (int i = tid; i < BK * 64 / 8; i += 128) {
      int r = i / 8, c = i % 8 * 8;
      *(uint4 *)&sB[r * LDB + c] = *(const uint4 *)&B[(size_t)(k0 + r) * N + col0 + c];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      FragA a[2];
      FragB b[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], &sA[(wm * 32 + i * 16) * LDA + kk], LDA);
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], &sB[kk * LDB + wn * 32 + j * 16], LDB);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&C[(size_t)(row0 + wm * 32 + i * 16) * N + col0 + wn * 32 + j * 16], acc[i][j], N, wmma::mem_row_major);
}

// 128x128x32 block tile, eight warps of 64x32; STAGES = 1 loads plainly, STAGES = 2 runs one tile ahead with cp.async
template <int STAGES>
__global__ void __launch_bounds__(256) hgemm_wmma_wide(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C, int M, int N, int K) {
  constexpr int BM = 128, BN = 128, BK = 32, LDA = BK + 8, LDB = BN + 8;
  __shared__ __align__(128) half sA[STAGES][BM * LDA];
  __shared__ __align__(128) half sB[STAGES][BK * LDB];
  const int tid = threadIdx.x, warp = tid / 32, wm = warp / 4, wn = warp % 4;
  const half *gA = A + (size_t)blockIdx.y * BM * K, *gB = B + blockIdx.x * BN;
  auto fetch = [&](int s, int k0) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      int i = tid + h * 256, ra = i / 4, ca = i % 4 * 8, rb = i / 16, cb = i % 16 * 8;
      if (STAGES > 1) {
        __pipeline_memcpy_async(&sA[s][ra * LDA + ca], &gA[(size_t)ra * K + k0 + ca], 16);
        __pipeline_memcpy_async(&sB[s][rb * LDB + cb], &gB[(size_t)(k0 + rb) * N + cb], 16);
      } else {
        *(uint4 *)&sA[s][ra * LDA + ca] = *(const uint4 *)&gA[(size_t)ra * K + k0 + ca];
        *(uint4 *)&sB[s][rb * LDB + cb] = *(const uint4 *)&gB[(size_t)(k0 + rb) * N + cb];
      }
    }
    if (STAGES > 1) __pipeline_commit();
  };
  FragAcc acc[4][2];
#pragma unroll
  for (int i = 0; i < 8; i++) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
  if (STAGES > 1) fetch(0, 0);
  for (int k0 = 0, s = 0; k0 < K; k0 += BK, s = (s + 1) % STAGES) {
    if (STAGES == 1) fetch(0, k0);
    else __pipeline_wait_prior(0);
    __syncthreads();
    if (STAGES > 1 && k0 + BK < K) fetch((s + 1) % STAGES, k0 + BK);
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      FragB b[2];
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], &sB[s][kk * LDB + wn * 32 + j * 16], LDB);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        FragA a;
        wmma::load_matrix_sync(a, &sA[s][(wm * 64 + i * 16) * LDA + kk], LDA);
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a, b[j], acc[i][j]);
      }
    }
    if (STAGES == 1) __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&C[(size_t)(blockIdx.y * BM + wm * 64 + i * 16) * N + blockIdx.x * BN + wn * 32 + j * 16], acc[i][j], N, wmma::mem_row_major);
}

int main() {
  const int M = 2048, N = 2048, K = 2048;
  std::vector<half> h(M * K);
  for (size_t i = 0; i < h.size(); i++) h[i] = __float2half((float)(i % 17) / 17.f - 0.5f);
  half *A, *B, *Ch;
  float *C;
  cudaMalloc(&A, sizeof(half) * M * K);
  cudaMalloc(&B, sizeof(half) * K * N);
  cudaMalloc(&Ch, sizeof(half) * M * N);
  cudaMalloc(&C, sizeof(float) * M * N);
  cudaMemcpy(A, h.data(), sizeof(half) * M * K, cudaMemcpyHostToDevice);
  cudaMemcpy(B, h.data(), sizeof(half) * K * N, cudaMemcpyHostToDevice);
  hgemm_wmma_naive<<<dim3(N / 64, M / 64), dim3(128, 4)>>>(A, B, Ch, M, N, K);
  hgemm_wmma_shared<0><<<dim3(N / 64, M / 64), 128>>>(A, B, C, M, N, K);
  hgemm_wmma_shared<8><<<dim3(N / 64, M / 64), 128>>>(A, B, C, M, N, K);
  hgemm_wmma_wide<1><<<dim3(N / 128, M / 128), 256>>>(A, B, C, M, N, K);
  hgemm_wmma_wide<2><<<dim3(N / 128, M / 128), 256>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
