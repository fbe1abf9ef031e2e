// SGEMM ladder: C = alpha * A * B + beta * C, row-major, from the naive kernel to warp tiling,
// cp.async pipelining, split-K, odd sizes and transposed operands.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <random>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

#define CEIL_DIV(m, n) (((m) + (n) - 1) / (n))

#define cudaCheck(err) (cudaCheck_((err), __FILE__, __LINE__))
static void cudaCheck_(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}

// ---------------------------------------------------------------------------------------------
// v0: naive, threads of a warp walk down the rows of C (uncoalesced)
// ---------------------------------------------------------------------------------------------
__global__ void sgemm_v0_naive(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0f;
    for (int i = 0; i < K; ++i) {
      tmp += A[x * K + i] * B[i * N + y];
    }
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

// ---------------------------------------------------------------------------------------------
// v1: consecutive threads take consecutive columns
// ---------------------------------------------------------------------------------------------
template <int BLOCKSIZE>
__global__ void sgemm_v1_coalesced(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
  const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
  if (cRow < M && cCol < N) {
    float tmp = 0.0f;
    for (int i = 0; i < K; ++i) tmp += A[cRow * K + i] * B[i * N + cCol];
    C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
  }
}

// ---------------------------------------------------------------------------------------------
// v2: 32x32 shared memory tiles
// ---------------------------------------------------------------------------------------------
__global__ void sgemm_v2_shared(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  float tmp = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = A[row * K + k0 + tx];
    Bs[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) tmp += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * N + col] = alpha * tmp + beta * C[row * N + col];
}

// ---------------------------------------------------------------------------------------------
// v3: 1-D register tile, TM results per thread
// ---------------------------------------------------------------------------------------------
template <const int BM, const int BN, const int BK, const int TM>
__global__ void __launch_bounds__((BM * BN) / TM)
    sgemm_v3_tile1d(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  static_assert(BM * BK == (BM * BN) / TM && BK * BN == (BM * BN) / TM, "one element of A and B per thread");
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;
  const int innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
  const int innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float threadResults[TM] = {0.0f};
  for (int bk = 0; bk < K; bk += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int dot = 0; dot < BK; ++dot) {
      float tmpB = Bs[dot * BN + threadCol];
      for (int res = 0; res < TM; ++res) threadResults[res] += As[(threadRow * TM + res) * BK + dot] * tmpB;
    }
    __syncthreads();
  }
  for (int res = 0; res < TM; ++res) {
    float* c = &C[(threadRow * TM + res) * N + threadCol];
    *c = alpha * threadResults[res] + beta * *c;
  }
}

// ---------------------------------------------------------------------------------------------
// v4 / v5: 2-D register tile
// ---------------------------------------------------------------------------------------------
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm_tile2d(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int numThreads = (BM * BN) / (TM * TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int innerRowA = threadIdx.x / BK, innerColA = threadIdx.x % BK;
  constexpr int strideA = numThreads / BK;
  const int innerRowB = threadIdx.x / BN, innerColB = threadIdx.x % BN;
  constexpr int strideB = numThreads / BN;
  float threadResults[TM * TN] = {0.0f};
  float regM[TM] = {0.0f};
  float regN[TN] = {0.0f};
  for (int bk = 0; bk < K; bk += BK) {
    for (int off = 0; off < BM; off += strideA)
      As[(innerRowA + off) * BK + innerColA] = A[(innerRowA + off) * K + innerColA];
    for (int off = 0; off < BK; off += strideB)
      Bs[(innerRowB + off) * BN + innerColB] = B[(innerRowB + off) * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int dot = 0; dot < BK; ++dot) {
      for (int i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + dot];
      for (int i = 0; i < TN; ++i) regN[i] = Bs[dot * BN + threadCol * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n) {
      float* c = &C[(threadRow * TM + m) * N + threadCol * TN + n];
      *c = alpha * threadResults[m * TN + n] + beta * *c;
    }
}

// ---------------------------------------------------------------------------------------------
// v6: float4 loads and stores, A transposed in shared memory
// ---------------------------------------------------------------------------------------------
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN))
    sgemm_v6_vectorised(int M, int N, int K, float alpha, const float* __restrict__ A, const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ __align__(16) float As[BK * BM];
  __shared__ __align__(16) float Bs[BK * BN];
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
  const int innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  float acc[TM][TN] = {};
  for (int bk = 0; bk < K; bk += BK) {
    float4 tmp = *reinterpret_cast<const float4*>(&A[innerRowA * K + innerColA * 4]);
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    *reinterpret_cast<float4*>(&Bs[innerRowB * BN + innerColB * 4]) = *reinterpret_cast<const float4*>(&B[innerRowB * N + innerColB * 4]);
    __syncthreads();
    A += BK;
    B += BK * N;
#pragma unroll
    for (int dot = 0; dot < BK; ++dot) {
      float regM[TM], regN[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4)
        *reinterpret_cast<float4*>(&regM[i]) = *reinterpret_cast<const float4*>(&As[dot * BM + threadRow * TM + i]);
#pragma unroll
      for (int i = 0; i < TN; i += 4)
        *reinterpret_cast<float4*>(&regN[i]) = *reinterpret_cast<const float4*>(&Bs[dot * BN + threadCol * TN + i]);
#pragma unroll
      for (int m = 0; m < TM; ++m)
#pragma unroll
        for (int n = 0; n < TN; ++n) acc[m][n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < TM; ++m)
#pragma unroll
    for (int n = 0; n < TN; n += 4) {
      float4* c = reinterpret_cast<float4*>(&C[(threadRow * TM + m) * N + threadCol * TN + n]);
      float4 v = *c;
      v.x = alpha * acc[m][n] + beta * v.x;
      v.y = alpha * acc[m][n + 1] + beta * v.y;
      v.z = alpha * acc[m][n + 2] + beta * v.z;
      v.w = alpha * acc[m][n + 3] + beta * v.w;
      *c = v;
    }
}

// ---------------------------------------------------------------------------------------------
// v7: double buffering through registers, 128x128x8 tile
// ---------------------------------------------------------------------------------------------
__global__ void __launch_bounds__(256)
    sgemm_v7_double_buffer(int M, int N, int K, float alpha, const float* __restrict__ A, const float* __restrict__ B, float beta, float* __restrict__ C) {
  constexpr int BM = 128, BN = 128, BK = 8;
  __shared__ __align__(16) float As[2][BK][BM + 4];
  __shared__ __align__(16) float Bs[2][BK][BN];
  const int tid = threadIdx.x;
  const int tx = tid % 16, ty = tid / 16;
  const int aRow = tid / 2, aCol = (tid % 2) * 4;
  const int bRow = tid / 32, bCol = (tid % 32) * 4;
  const float* Ag = A + (blockIdx.y * BM + aRow) * K + aCol;
  const float* Bg = B + bRow * N + blockIdx.x * BN + bCol;
  float acc[8][8] = {};

  auto store_stage = [&](int s, float4 a, float4 b) {
    As[s][aCol][aRow] = a.x;
    As[s][aCol + 1][aRow] = a.y;
    As[s][aCol + 2][aRow] = a.z;
    As[s][aCol + 3][aRow] = a.w;
    *reinterpret_cast<float4*>(&Bs[s][bRow][bCol]) = b;
  };
  auto compute_stage = [&](int s) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      // split 4 + 4 to avoid bank conflicts
      float4 a0 = *reinterpret_cast<const float4*>(&As[s][k][ty * 4]);
      float4 a1 = *reinterpret_cast<const float4*>(&As[s][k][64 + ty * 4]);
      float4 b0 = *reinterpret_cast<const float4*>(&Bs[s][k][tx * 4]);
      float4 b1 = *reinterpret_cast<const float4*>(&Bs[s][k][64 + tx * 4]);
      float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
  };

  store_stage(0, *reinterpret_cast<const float4*>(Ag), *reinterpret_cast<const float4*>(Bg));
  __syncthreads();
  int cur = 0;
  for (int k0 = BK; k0 < K; k0 += BK) {
    float4 na = *reinterpret_cast<const float4*>(Ag + k0);
    float4 nb = *reinterpret_cast<const float4*>(Bg + (size_t)k0 * N);
    compute_stage(cur);
    store_stage(cur ^ 1, na, nb);
    __syncthreads();
    cur ^= 1;
  }
  compute_stage(cur);

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = blockIdx.y * BM + (i < 4 ? ty * 4 + i : 64 + ty * 4 + i - 4);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float4* c = reinterpret_cast<float4*>(&C[row * N + blockIdx.x * BN + h * 64 + tx * 4]);
      float4 v = *c;
      v.x = alpha * acc[i][h * 4] + beta * v.x;
      v.y = alpha * acc[i][h * 4 + 1] + beta * v.y;
      v.z = alpha * acc[i][h * 4 + 2] + beta * v.z;
      v.w = alpha * acc[i][h * 4 + 3] + beta * v.w;
      *c = v;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// v8: warp tiling
// ---------------------------------------------------------------------------------------------
template <const int BM, const int BN, const int BK, const int WM, const int WN, const int WNITER, const int TM, const int TN, const int NUM_THREADS>
__global__ void __launch_bounds__(NUM_THREADS)
    sgemm_v8_warptile(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr int WMITER = (WM * WN) / (32 * TM * TN * WNITER);
  constexpr int WSUBM = WM / WMITER;
  constexpr int WSUBN = WN / WNITER;
  static_assert((BM / WM) * (BN / WN) == NUM_THREADS / 32, "warp tiles must cover the block tile");
  const int warpIdx = threadIdx.x / 32;
  const int warpCol = warpIdx % (BN / WN);
  const int warpRow = warpIdx / (BN / WN);
  const int lane = threadIdx.x % 32;
  const int threadColInWarp = lane % (WSUBN / TN);
  const int threadRowInWarp = lane / (WSUBN / TN);
  __shared__ __align__(16) float As[BK * BM];
  __shared__ __align__(16) float Bs[BK * BN];
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
  const int innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
  constexpr int rowStrideA = (NUM_THREADS * 4) / BK;
  const int innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  constexpr int rowStrideB = NUM_THREADS / (BN / 4);
  float threadResults[WMITER * TM * WNITER * TN] = {0.0f};
  float regM[WMITER * TM] = {0.0f};
  float regN[WNITER * TN] = {0.0f};

  for (int bk = 0; bk < K; bk += BK) {
#pragma unroll
    for (int off = 0; off + rowStrideA <= BM; off += rowStrideA) {
      const float4 tmp = reinterpret_cast<const float4*>(&A[(innerRowA + off) * K + innerColA * 4])[0];
      As[(innerColA * 4 + 0) * BM + innerRowA + off] = tmp.x;
      As[(innerColA * 4 + 1) * BM + innerRowA + off] = tmp.y;
      As[(innerColA * 4 + 2) * BM + innerRowA + off] = tmp.z;
      As[(innerColA * 4 + 3) * BM + innerRowA + off] = tmp.w;
    }
#pragma unroll
    for (int off = 0; off + rowStrideB <= BK; off += rowStrideB)
      reinterpret_cast<float4*>(&Bs[(innerRowB + off) * BN + innerColB * 4])[0] =
          reinterpret_cast<const float4*>(&B[(innerRowB + off) * N + innerColB * 4])[0];
    __syncthreads();
#pragma unroll
    for (int dot = 0; dot < BK; ++dot) {
#pragma unroll
      for (int wm = 0; wm < WMITER; ++wm)
#pragma unroll
        for (int i = 0; i < TM; ++i) regM[wm * TM + i] = As[dot * BM + warpRow * WM + wm * WSUBM + threadRowInWarp * TM + i];
#pragma unroll
      for (int wn = 0; wn < WNITER; ++wn)
#pragma unroll
        for (int i = 0; i < TN; ++i) regN[wn * TN + i] = Bs[dot * BN + warpCol * WN + wn * WSUBN + threadColInWarp * TN + i];
#pragma unroll
      for (int wm = 0; wm < WMITER; ++wm)
#pragma unroll
        for (int wn = 0; wn < WNITER; ++wn)
#pragma unroll
          for (int m = 0; m < TM; ++m)
#pragma unroll
            for (int n = 0; n < TN; ++n)
              threadResults[(wm * TM + m) * (WNITER * TN) + wn * TN + n] += regM[wm * TM + m] * regN[wn * TN + n];
    }
    A += BK;
    B += BK * N;
    __syncthreads();
  }
#pragma unroll
  for (int wm = 0; wm < WMITER; ++wm)
#pragma unroll
    for (int wn = 0; wn < WNITER; ++wn) {
      float* Cw = C + (wm * WSUBM) * N + wn * WSUBN;
#pragma unroll
      for (int m = 0; m < TM; ++m)
#pragma unroll
        for (int n = 0; n < TN; n += 4) {
          float4* c = reinterpret_cast<float4*>(&Cw[(threadRowInWarp * TM + m) * N + threadColInWarp * TN + n]);
          float4 v = *c;
          const int i = (wm * TM + m) * (WNITER * TN) + wn * TN + n;
          v.x = alpha * threadResults[i + 0] + beta * v.x;
          v.y = alpha * threadResults[i + 1] + beta * v.y;
          v.z = alpha * threadResults[i + 2] + beta * v.z;
          v.w = alpha * threadResults[i + 3] + beta * v.w;
          *c = v;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// v9: split-K, partial tiles added with atomics (C must be cleared, alpha only)
// ---------------------------------------------------------------------------------------------
__global__ void __launch_bounds__(256)
    sgemm_v9_splitk(int M, int N, int K, int kPerSplit, float alpha, const float* __restrict__ A, const float* __restrict__ B, float* C) {
  constexpr int BM = 64, BN = 64, BK = 16;
  __shared__ float As[BK][BM + 1];
  __shared__ __align__(16) float Bs[BK][BN];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int kBegin = blockIdx.z * kPerSplit;
  const int kEnd = min(K, kBegin + kPerSplit);
  float acc[4][4] = {};
  for (int k0 = kBegin; k0 < kEnd; k0 += BK) {
    float4 a = *reinterpret_cast<const float4*>(&A[(size_t)(row0 + tid / 4) * K + k0 + (tid % 4) * 4]);
    As[(tid % 4) * 4 + 0][tid / 4] = a.x;
    As[(tid % 4) * 4 + 1][tid / 4] = a.y;
    As[(tid % 4) * 4 + 2][tid / 4] = a.z;
    As[(tid % 4) * 4 + 3][tid / 4] = a.w;
    *reinterpret_cast<float4*>(&Bs[tid / 16][(tid % 16) * 4]) = *reinterpret_cast<const float4*>(&B[(size_t)(k0 + tid / 16) * N + col0 + (tid % 16) * 4]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a4[4], b4[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a4[i] = As[k][ty + 16 * i];
        b4[i] = Bs[k][tx + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(a4[i], b4[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) atomicAdd(&C[(size_t)(row0 + ty + 16 * i) * N + col0 + tx + 16 * j], alpha * acc[i][j]);
}

// ---------------------------------------------------------------------------------------------
// v10: arbitrary sizes with bounds checks
// ---------------------------------------------------------------------------------------------
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    sgemm_v10_bounds(int M, int N, int K, float alpha, const float* __restrict__ A, const float* __restrict__ B, float beta, float* __restrict__ C) {
  constexpr int THREADS = (BM / TM) * (BN / TN);
  __shared__ float As[BK][BM + 1];
  __shared__ float Bs[BK][BN + 1];
  const int tid = threadIdx.x, tx = tid % (BN / TN), ty = tid / (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid; i < BM * BK; i += THREADS) {
      int r = i / BK, c = i % BK;
      As[c][r] = (row0 + r < M && k0 + c < K) ? A[(row0 + r) * K + k0 + c] : 0.0f;
    }
    for (int i = tid; i < BK * BN; i += THREADS) {
      int r = i / BN, c = i % BN;
      Bs[r][c] = (k0 + r < K && col0 + c < N) ? B[(k0 + r) * N + col0 + c] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k)
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] += As[k][ty * TM + i] * Bs[k][tx + j * (BN / TN)];
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      int r = row0 + ty * TM + i, c = col0 + tx + j * (BN / TN);
      if (r < M && c < N) C[r * N + c] = alpha * acc[i][j] + beta * C[r * N + c];
    }
}

// ---------------------------------------------------------------------------------------------
// v11: transposed operands.  TA: A is stored K x M.  TB: B is stored N x K.
// ---------------------------------------------------------------------------------------------
template <bool TA, bool TB>
__global__ void __launch_bounds__(256)
    sgemm_v11_transposed(int M, int N, int K, float alpha, const float* __restrict__ A, const float* __restrict__ B, float beta, float* __restrict__ C) {
  constexpr int BM = 128, BN = 64, BK = 16;
  __shared__ __align__(16) float As[BK][BM + 4];
  __shared__ __align__(16) float Bs[BK][BN + 4];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int it = 0; it < BM * BK / 4 / 256; ++it) {
      int i = tid + it * 256;
      if constexpr (TA) {
        int k = i / (BM / 4), m = (i % (BM / 4)) * 4;
        *reinterpret_cast<float4*>(&As[k][m]) = *reinterpret_cast<const float4*>(&A[(size_t)(k0 + k) * M + row0 + m]);
      } else {
        int m = i / (BK / 4), k = (i % (BK / 4)) * 4;
        float4 v = *reinterpret_cast<const float4*>(&A[(size_t)(row0 + m) * K + k0 + k]);
        As[k][m] = v.x; As[k + 1][m] = v.y; As[k + 2][m] = v.z; As[k + 3][m] = v.w;
      }
    }
    if constexpr (TB) {
      int n = tid / (BK / 4), k = (tid % (BK / 4)) * 4;
      float4 v = *reinterpret_cast<const float4*>(&B[(size_t)(col0 + n) * K + k0 + k]);
      Bs[k][n] = v.x; Bs[k + 1][n] = v.y; Bs[k + 2][n] = v.z; Bs[k + 3][n] = v.w;
    } else {
      int k = tid / (BN / 4), n = (tid % (BN / 4)) * 4;
      *reinterpret_cast<float4*>(&Bs[k][n]) = *reinterpret_cast<const float4*>(&B[(size_t)(k0 + k) * N + col0 + n]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float4 a0 = *reinterpret_cast<const float4*>(&As[k][ty * 8]);
      float4 a1 = *reinterpret_cast<const float4*>(&As[k][ty * 8 + 4]);
      float4 b = *reinterpret_cast<const float4*>(&Bs[k][tx * 4]);
      const float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        acc[i][0] = fmaf(a[i], b.x, acc[i][0]);
        acc[i][1] = fmaf(a[i], b.y, acc[i][1]);
        acc[i][2] = fmaf(a[i], b.z, acc[i][2]);
        acc[i][3] = fmaf(a[i], b.w, acc[i][3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float4* c = reinterpret_cast<float4*>(&C[(size_t)(row0 + ty * 8 + i) * N + col0 + tx * 4]);
    float4 v = *c;
    *c = make_float4(alpha * acc[i][0] + beta * v.x, alpha * acc[i][1] + beta * v.y, alpha * acc[i][2] + beta * v.z, alpha * acc[i][3] + beta * v.w);
  }
}

// ---------------------------------------------------------------------------------------------
// v12: cp.async two-stage pipeline
// ---------------------------------------------------------------------------------------------
__global__ void __launch_bounds__(256)
    sgemm_v12_cp_async(int M, int N, int K, float alpha, const float* __restrict__ A, const float* __restrict__ B, float beta, float* __restrict__ C) {
  constexpr int BM = 128, BN = 128, BK = 16, APITCH = BK + 4;
  __shared__ __align__(16) float As[2][BM][APITCH];
  __shared__ __align__(16) float Bs[2][BK][BN];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[8][8] = {};

  auto prefetch = [&](int stage, int k0) {
#pragma unroll
    for (int it = 0; it < 2; ++it) {
      int i = tid + it * 256;
      int r = i / 4, c = (i % 4) * 4;
      __pipeline_memcpy_async(&As[stage][r][c], &A[(size_t)(row0 + r) * K + k0 + c], 16);
      int kr = i / 32, kc = (i % 32) * 4;
      __pipeline_memcpy_async(&Bs[stage][kr][kc], &B[(size_t)(k0 + kr) * N + col0 + kc], 16);
    }
  };

  const int tiles = K / BK;
  prefetch(0, 0);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) prefetch((t + 1) & 1, (t + 1) * BK);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const int s = t & 1;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) a[i] = As[s][ty * 8 + i][k];
      float4 b0 = *reinterpret_cast<const float4*>(&Bs[s][k][tx * 4]);
      float4 b1 = *reinterpret_cast<const float4*>(&Bs[s][k][64 + tx * 4]);
      const float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float4* c = reinterpret_cast<float4*>(&C[(size_t)(row0 + ty * 8 + i) * N + col0 + h * 64 + tx * 4]);
      float4 v = *c;
      v.x = alpha * acc[i][h * 4] + beta * v.x;
      v.y = alpha * acc[i][h * 4 + 1] + beta * v.y;
      v.z = alpha * acc[i][h * 4 + 2] + beta * v.z;
      v.w = alpha * acc[i][h * 4 + 3] + beta * v.w;
      *c = v;
    }
}

// ---------------------------------------------------------------------------------------------
int main() {
  const int MAXN = 2048;
  const size_t elems = (size_t)MAXN * MAXN;
  float* hA = new float[elems];
  float* hB = new float[elems];
  float* hC = new float[elems];
  float* out = new float[elems];
  std::minstd_rand rng(2024);
  for (size_t i = 0; i < elems; ++i) {
    hA[i] = (float)(rng() % 2001) / 1000.0f - 1.0f;
    hB[i] = (float)(rng() % 2001) / 1000.0f - 1.0f;
    hC[i] = (float)(i % 11) * 0.1f;
  }
  float *dA, *dB, *dC;
  cudaCheck(cudaMalloc(&dA, elems * sizeof(float)));
  cudaCheck(cudaMalloc(&dB, elems * sizeof(float)));
  cudaCheck(cudaMalloc(&dC, elems * sizeof(float)));
  cudaCheck(cudaMemcpy(dA, hA, elems * sizeof(float), cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(dB, hB, elems * sizeof(float), cudaMemcpyHostToDevice));
  const float alpha = 0.5f, beta = 3.0f;
  int failed = 0;

  auto reset = [&](int M, int N) { cudaCheck(cudaMemcpy(dC, hC, (size_t)M * N * sizeof(float), cudaMemcpyHostToDevice)); };
  auto verify = [&](const char* name, int M, int N, int K, float b, bool ta = false, bool tb = false) {
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaDeviceSynchronize());
    cudaCheck(cudaMemcpy(out, dC, (size_t)M * N * sizeof(float), cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int s = 0; s < 300; ++s) {
      int i = (int)(((long long)s * 7919 + 13) % M), j = (int)(((long long)s * 104729 + 7) % N);
      if (s == 0) i = j = 0;
      if (s == 1) { i = M - 1; j = N - 1; }
      double acc = 0;
      for (int k = 0; k < K; ++k) {
        float a = ta ? hA[(size_t)k * M + i] : hA[(size_t)i * K + k];
        float bb = tb ? hB[(size_t)j * K + k] : hB[(size_t)k * N + j];
        acc += (double)a * bb;
      }
      double want = alpha * acc + b * hC[(size_t)i * N + j];
      worst = fmax(worst, fabs(want - out[(size_t)i * N + j]));
    }
    bool ok = worst < 2e-3;
    failed += !ok;
    printf("%-28s %4dx%4dx%4d  max err %.2e  %s\n", name, M, N, K, worst, ok ? "ok" : "FAIL");
  };

  int n = 768;
  reset(n, n);
  sgemm_v0_naive<<<dim3(CEIL_DIV(n, 32), CEIL_DIV(n, 32)), dim3(32, 32)>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v0 naive", n, n, n, beta);

  n = 1024;
  reset(n, n);
  sgemm_v1_coalesced<32><<<dim3(CEIL_DIV(n, 32), CEIL_DIV(n, 32)), 32 * 32>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v1 coalesced", n, n, n, beta);

  reset(n, n);
  sgemm_v2_shared<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v2 shared 32x32", n, n, n, beta);

  n = 2048;
  reset(n, n);
  sgemm_v3_tile1d<64, 64, 8, 8><<<dim3(n / 64, n / 64), 64 * 64 / 8>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v3 1-D tile", n, n, n, beta);

  reset(n, n);
  sgemm_tile2d<64, 64, 16, 4, 4><<<dim3(n / 64, n / 64), 256>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v4 2-D tile 4x4", n, n, n, beta);

  reset(n, n);
  sgemm_tile2d<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v5 2-D tile 8x8", n, n, n, beta);

  reset(n, n);
  sgemm_v6_vectorised<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v6 float4", n, n, n, beta);

  reset(n, n);
  sgemm_v7_double_buffer<<<dim3(n / 128, n / 128), 256>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v7 double buffer", n, n, n, beta);

  reset(n, n);
  sgemm_v8_warptile<128, 128, 16, 64, 64, 4, 8, 4, 128><<<dim3(n / 128, n / 128), 128>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v8 warp tile", n, n, n, beta);

  // same kernel on a small problem with a smaller tile
  n = 1024;
  reset(n, n);
  sgemm_v8_warptile<64, 128, 16, 32, 64, 2, 4, 4, 128><<<dim3(n / 128, n / 64), 128>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v8 warp tile, small", n, n, n, beta);

  {
    const int M = 512, N = 512, K = 8192, splits = 8;
    cudaCheck(cudaMemset(dC, 0, (size_t)M * N * sizeof(float)));
    sgemm_v9_splitk<<<dim3(N / 64, M / 64, splits), 256>>>(M, N, K, K / splits, alpha, dA, dB, dC);
    verify("v9 split-K", M, N, K, 0.0f);
  }
  {
    const int M = 1000, N = 1013, K = 777;
    reset(M, N);
    sgemm_v10_bounds<64, 64, 16, 4, 4><<<dim3(CEIL_DIV(N, 64), CEIL_DIV(M, 64)), 256>>>(M, N, K, alpha, dA, dB, beta, dC);
    verify("v10 odd sizes", M, N, K, beta);
  }
  n = 1536;
  reset(n, n);
  sgemm_v11_transposed<false, true><<<dim3(n / 64, n / 128), 256>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v11 NT", n, n, n, beta, false, true);
  reset(n, n);
  sgemm_v11_transposed<true, false><<<dim3(n / 64, n / 128), 256>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v11 TN", n, n, n, beta, true, false);

  n = 2048;
  reset(n, n);
  sgemm_v12_cp_async<<<dim3(n / 128, n / 128), 256>>>(n, n, n, alpha, dA, dB, beta, dC);
  verify("v12 cp.async", n, n, n, beta);

  cudaCheck(cudaFree(dA));
  cudaCheck(cudaFree(dB));
  cudaCheck(cudaFree(dC));
  delete[] hA;
  delete[] hB;
  delete[] hC;
  delete[] out;
  printf("%s\n", failed ? "FAIL" : "PASS");
  return 0;
}
