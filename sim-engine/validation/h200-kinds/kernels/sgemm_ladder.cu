// FP32 matrix product improved one lesson at a time, from a thread per element to warp tiles.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// XROW: threadIdx.x walks down the rows of C (the slow order); otherwise along its columns.
template <bool XROW>
__global__ void gemmNaive(const float *A, const float *B, float *C, int M, int N, int K) {
  int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = XROW ? u : v, col = XROW ? v : u;
  if (row >= M || col >= N) return;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
  C[row * N + col] = acc;
}

template <int T>
__global__ void gemmShared(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += T) {
    As[ty][tx] = A[row * K + k0 + tx], Bs[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < T; ++k) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * N + col] = acc;
}

// A column of TM results for each thread; BM*BK == BN*BK == threads.
template <int BM, int BN, int BK, int TM>
__global__ void gemmStrip(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[BM * BK], Bs[BK * BN];
  const int t = threadIdx.x, col = t % BN, strip = t / BN;
  A += blockIdx.y * BM * K, B += blockIdx.x * BN, C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[TM] = {0.0f};
  for (int k0 = 0; k0 < K; k0 += BK) {
    As[t] = A[(t / BK) * K + k0 + t % BK], Bs[t] = B[(k0 + t / BN) * N + t % BN];
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) acc[i] += As[(strip * TM + i) * BK + k] * Bs[k * BN + col];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) C[(strip * TM + i) * N + col] = acc[i];
}

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM *BN / (TM * TN)) gemmBlocked(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K) {
  constexpr int NT = BM * BN / (TM * TN);
  __shared__ float As[BK][BM], Bs[BK][BN];
  const int t = threadIdx.x, tc = t % (BN / TN) * TN, tr = t / (BN / TN) * TM, m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  float acc[TM][TN] = {}, a[TM], b[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < BM * BK / 4; i += NT) {
      int r = i / (BK / 4), c = i % (BK / 4) * 4;
      float4 v = *reinterpret_cast<const float4 *>(&A[(m0 + r) * K + k0 + c]);
      As[c][r] = v.x; As[c + 1][r] = v.y; As[c + 2][r] = v.z; As[c + 3][r] = v.w;
    }
    for (int i = t; i < BK * BN / 4; i += NT) {
      int r = i / (BN / 4), c = i % (BN / 4) * 4;
      *reinterpret_cast<float4 *>(&Bs[r][c]) = *reinterpret_cast<const float4 *>(&B[(k0 + r) * N + n0 + c]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) a[i] = As[k][tr + i];
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][tc + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4 *>(&C[(m0 + tr + i) * N + n0 + tc + j]) = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}

// 128x128 by eight warps of 64x32; a lane owns four 4x4 pieces of its warp's tile.
__global__ void __launch_bounds__(256) gemmWarp(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int N, int K) {
  __shared__ float As[16][128], Bs[16][128];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const int wr = (warp >> 2) * 64 + (lane >> 2) * 4, wc = (warp & 3) * 32 + (lane & 3) * 4;
  A += blockIdx.y * 128 * K, B += blockIdx.x * 128;
  float acc[8][8] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int h = 0; h < 2; ++h) {
      int r = t / 4 + h * 64, c = t % 4 * 4, br = t / 32 + h * 8, bc = lane * 4;
      float4 v = *(const float4 *)&A[r * K + k0 + c];
      As[c][r] = v.x, As[c + 1][r] = v.y, As[c + 2][r] = v.z, As[c + 3][r] = v.w;
      *(float4 *)&Bs[br][bc] = *(const float4 *)&B[(k0 + br) * N + bc];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float a[8], b[8];
      *(float4 *)&a[0] = *(float4 *)&As[k][wr], *(float4 *)&a[4] = *(float4 *)&As[k][wr + 32];
      *(float4 *)&b[0] = *(float4 *)&Bs[k][wc], *(float4 *)&b[4] = *(float4 *)&Bs[k][wc + 16];
#pragma unroll
      for (int i = 0; i < 64; ++i) acc[i / 8][i % 8] += a[i / 8] * b[i % 8];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 2; ++j) {
      int r = blockIdx.y * 128 + wr + (i / 4) * 32 + i % 4, c = blockIdx.x * 128 + wc + j * 16;
      *(float4 *)&C[r * N + c] = make_float4(acc[i][4 * j], acc[i][4 * j + 1], acc[i][4 * j + 2], acc[i][4 * j + 3]);
    }
}

int main() {
  const int S = 1024, L = 2048;
  std::vector<float> h(L * L);
  for (size_t i = 0; i < h.size(); ++i) h[i] = (float)(i * 7919 % 1000) / 1000.0f - 0.5f;
  float *A, *B, *C;
  const size_t bytes = sizeof(float) * L * L;
  cudaMalloc(&A, bytes), cudaMalloc(&B, bytes), cudaMalloc(&C, bytes);
  for (float *p : {A, B}) cudaMemcpy(p, h.data(), bytes, cudaMemcpyHostToDevice);
  gemmNaive<true><<<dim3(S / 16, S / 16), dim3(16, 16)>>>(A, B, C, S, S, S);
  gemmNaive<false><<<dim3(S / 32, S / 32), dim3(32, 32)>>>(A, B, C, S, S, S);
  gemmShared<32><<<dim3(S / 32, S / 32), dim3(32, 32)>>>(A, B, C, S, S, S);
  gemmStrip<64, 64, 8, 8><<<dim3(L / 64, L / 64), 512>>>(A, B, C, L, L, L);
  gemmBlocked<128, 128, 8, 8, 8><<<dim3(L / 128, L / 128), 256>>>(A, B, C, L, L, L);
  gemmWarp<<<dim3(L / 128, L / 128), 256>>>(A, B, C, L, L);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
