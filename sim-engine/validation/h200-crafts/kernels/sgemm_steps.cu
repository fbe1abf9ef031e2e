// Step by step SGEMM:  C = alpha * A @ B + beta * C,  everything row major.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <string>
#include <functional>
#include <cuda_runtime.h>

#define cudaCheck(err) (cudaCheckImpl((err), __FILE__, __LINE__))
static void cudaCheckImpl(cudaError_t e, const char *file, int line) {
  if (e != cudaSuccess) {
    printf("[CUDA ERROR] at %s:%d: %s\n", file, line, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
  }
}
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

// 1: naive, threadIdx.x walks down the rows
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A,
                            const float *B, float beta, float *C) {
  const uint x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0f;
    for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

// 2: global memory coalescing
template <const uint BLOCKSIZE>
__global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float *A,
                                const float *B, float beta, float *C) {
  const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
  const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
  if (cRow < M && cCol < N) {
    float tmp = 0.0f;
    for (int i = 0; i < K; ++i) tmp += A[cRow * K + i] * B[i * N + cCol];
    C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
  }
}

// 3: shared memory cache blocking
template <const int BS>
__global__ void sgemm_smem(int M, int N, int K, float alpha, const float *A,
                           const float *B, float beta, float *C) {
  __shared__ float As[BS * BS];
  __shared__ float Bs[BS * BS];
  const uint cRow = blockIdx.y, cCol = blockIdx.x;
  const uint tCol = threadIdx.x % BS, tRow = threadIdx.x / BS;
  A += cRow * BS * K;
  B += cCol * BS;
  C += cRow * BS * N + cCol * BS;
  float tmp = 0.0f;
  for (int bk = 0; bk < K; bk += BS) {
    As[tRow * BS + tCol] = A[tRow * K + tCol];
    Bs[tRow * BS + tCol] = B[tRow * N + tCol];
    __syncthreads();
    A += BS;
    B += BS * N;
    for (int d = 0; d < BS; ++d) tmp += As[tRow * BS + d] * Bs[d * BS + tCol];
    __syncthreads();
  }
  C[tRow * N + tCol] = alpha * tmp + beta * C[tRow * N + tCol];
}

// 4: every thread computes TM results of one column
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm_1d_tile(int M, int N, int K, float alpha, const float *A,
                              const float *B, float beta, float *C) {
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int tCol = threadIdx.x % BN, tRow = threadIdx.x / BN;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  static_assert(BM * BK == BM * BN / TM && BK * BN == BM * BN / TM, "one load each");
  const int iColA = threadIdx.x % BK, iRowA = threadIdx.x / BK;
  const int iColB = threadIdx.x % BN, iRowB = threadIdx.x / BN;
  float res[TM] = {0.0f};
  for (int bk = 0; bk < K; bk += BK) {
    As[iRowA * BK + iColA] = A[iRowA * K + iColA];
    Bs[iRowB * BN + iColB] = B[iRowB * N + iColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int d = 0; d < BK; ++d) {
      float tmpB = Bs[d * BN + tCol];
      for (int r = 0; r < TM; ++r) res[r] += As[(tRow * TM + r) * BK + d] * tmpB;
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r) {
    float *p = &C[(tRow * TM + r) * N + tCol];
    *p = alpha * res[r] + beta * *p;
  }
}

// 5: TM x TN results per thread
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm_2d_tile(int M, int N, int K, float alpha, const float *A, const float *B,
                  float beta, float *C) {
  constexpr int NT = (BM * BN) / (TM * TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int tCol = threadIdx.x % (BN / TN), tRow = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int iRowA = threadIdx.x / BK, iColA = threadIdx.x % BK;
  constexpr int strideA = NT / BK;
  const int iRowB = threadIdx.x / BN, iColB = threadIdx.x % BN;
  constexpr int strideB = NT / BN;
  float res[TM * TN] = {0.0f}, regM[TM], regN[TN];
  for (int bk = 0; bk < K; bk += BK) {
    for (int o = 0; o < BM; o += strideA)
      As[(iRowA + o) * BK + iColA] = A[(iRowA + o) * K + iColA];
    for (int o = 0; o < BK; o += strideB)
      Bs[(iRowB + o) * BN + iColB] = B[(iRowB + o) * N + iColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int d = 0; d < BK; ++d) {
      for (int i = 0; i < TM; ++i) regM[i] = As[(tRow * TM + i) * BK + d];
      for (int i = 0; i < TN; ++i) regN[i] = Bs[d * BN + tCol * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) res[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n) {
      float *p = &C[(tRow * TM + m) * N + tCol * TN + n];
      *p = alpha * res[m * TN + n] + beta * *p;
    }
}

// 6: float4 loads, A transposed while it is written to shared memory
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemm_vectorized(int M, int N, int K, float alpha, float *A, float *B,
                                 float beta, float *C) {
  constexpr int NT = (BM * BN) / (TM * TN);
  static_assert(BM * BK == NT * 4 && BN * BK == NT * 4, "one float4 per thread");
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int tCol = threadIdx.x % (BN / TN), tRow = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int iRowA = threadIdx.x / (BK / 4), iColA = threadIdx.x % (BK / 4);
  const int iRowB = threadIdx.x / (BN / 4), iColB = threadIdx.x % (BN / 4);
  float res[TM * TN] = {0.0f}, regM[TM], regN[TN];
  for (int bk = 0; bk < K; bk += BK) {
    float4 t = reinterpret_cast<float4 *>(&A[iRowA * K + iColA * 4])[0];
    As[(iColA * 4 + 0) * BM + iRowA] = t.x;
    As[(iColA * 4 + 1) * BM + iRowA] = t.y;
    As[(iColA * 4 + 2) * BM + iRowA] = t.z;
    As[(iColA * 4 + 3) * BM + iRowA] = t.w;
    reinterpret_cast<float4 *>(&Bs[iRowB * BN + iColB * 4])[0] =
        reinterpret_cast<float4 *>(&B[iRowB * N + iColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int d = 0; d < BK; ++d) {
      for (int i = 0; i < TM; ++i) regM[i] = As[d * BM + tRow * TM + i];
      for (int i = 0; i < TN; ++i) regN[i] = Bs[d * BN + tCol * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) res[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; n += 4) {
      float4 *p = reinterpret_cast<float4 *>(&C[(tRow * TM + m) * N + tCol * TN + n]);
      float4 c = *p;
      c.x = alpha * res[m * TN + n] + beta * c.x;
      c.y = alpha * res[m * TN + n + 1] + beta * c.y;
      c.z = alpha * res[m * TN + n + 2] + beta * c.z;
      c.w = alpha * res[m * TN + n + 3] + beta * c.w;
      *p = c;
    }
}

// 7: double buffered shared memory, next tile goes through registers
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN))
    sgemm_double_buffer(int M, int N, int K, float alpha, float *A, float *B, float beta,
                        float *C) {
  constexpr int NT = (BM * BN) / (TM * TN);
  static_assert(BM * BK == NT * 4 && BN * BK == NT * 4, "one float4 per thread");
  __shared__ float As[2][BK * BM];
  __shared__ float Bs[2][BK * BN];
  const int tCol = threadIdx.x % (BN / TN), tRow = threadIdx.x / (BN / TN);
  const int iRowA = threadIdx.x / (BK / 4), iColA = (threadIdx.x % (BK / 4)) * 4;
  const int iRowB = threadIdx.x / (BN / 4), iColB = (threadIdx.x % (BN / 4)) * 4;
  A += blockIdx.y * BM * K + iRowA * K + iColA;
  B += blockIdx.x * BN + iRowB * N + iColB;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float res[TM][TN] = {};
  auto stash = [&](int buf, float4 a, float4 b) {
    As[buf][(iColA + 0) * BM + iRowA] = a.x;
    As[buf][(iColA + 1) * BM + iRowA] = a.y;
    As[buf][(iColA + 2) * BM + iRowA] = a.z;
    As[buf][(iColA + 3) * BM + iRowA] = a.w;
    *reinterpret_cast<float4 *>(&Bs[buf][iRowB * BN + iColB]) = b;
  };
  stash(0, *reinterpret_cast<float4 *>(A), *reinterpret_cast<float4 *>(B));
  __syncthreads();
  int cur = 0;
  for (int bk = 0; bk < K; bk += BK) {
    float4 na, nb;
    const bool more = bk + BK < K;
    if (more) {
      A += BK;
      B += BK * N;
      na = *reinterpret_cast<float4 *>(A);
      nb = *reinterpret_cast<float4 *>(B);
    }
#pragma unroll
    for (int d = 0; d < BK; ++d) {
      float rm[TM], rn[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) rm[i] = As[cur][d * BM + tRow * TM + i];
#pragma unroll
      for (int i = 0; i < TN; ++i) rn[i] = Bs[cur][d * BN + tCol * TN + i];
#pragma unroll
      for (int m = 0; m < TM; ++m)
#pragma unroll
        for (int n = 0; n < TN; ++n) res[m][n] += rm[m] * rn[n];
    }
    if (more) stash(cur ^ 1, na, nb);
    __syncthreads();
    cur ^= 1;
  }
#pragma unroll
  for (int m = 0; m < TM; ++m)
#pragma unroll
    for (int n = 0; n < TN; ++n) {
      float *p = &C[(tRow * TM + m) * N + tCol * TN + n];
      *p = alpha * res[m][n] + beta * *p;
    }
}

// 8: warp tiling
template <const int BM, const int BN, const int BK, const int WM, const int WN,
          const int WNITER, const int TM, const int TN, const int NT>
__global__ void __launch_bounds__(NT)
    sgemm_warptile(int M, int N, int K, float alpha, float *A, float *B, float beta,
                   float *C) {
  constexpr int WMITER = (WM * WN) / (32 * TM * TN * WNITER);
  constexpr int WSUBM = WM / WMITER, WSUBN = WN / WNITER;
  static_assert((BM / WM) * (BN / WN) == NT / 32, "warps must cover the block tile");
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int wCol = warp % (BN / WN), wRow = warp / (BN / WN);
  const int tCol = lane % (WSUBN / TN), tRow = lane / (WSUBN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += (blockIdx.y * BM + wRow * WM) * N + blockIdx.x * BN + wCol * WN;
  const int iRowA = threadIdx.x / (BK / 4), iColA = threadIdx.x % (BK / 4);
  constexpr int strideA = (NT * 4) / BK;
  const int iRowB = threadIdx.x / (BN / 4), iColB = threadIdx.x % (BN / 4);
  constexpr int strideB = NT / (BN / 4);
  float res[WMITER * TM * WNITER * TN] = {0.0f};
  float regM[WMITER * TM], regN[WNITER * TN];
  for (int bk = 0; bk < K; bk += BK) {
    for (int o = 0; o + strideA <= BM; o += strideA) {
      const float4 t = reinterpret_cast<float4 *>(&A[(iRowA + o) * K + iColA * 4])[0];
      As[(iColA * 4 + 0) * BM + iRowA + o] = t.x;
      As[(iColA * 4 + 1) * BM + iRowA + o] = t.y;
      As[(iColA * 4 + 2) * BM + iRowA + o] = t.z;
      As[(iColA * 4 + 3) * BM + iRowA + o] = t.w;
    }
    for (int o = 0; o + strideB <= BK; o += strideB)
      reinterpret_cast<float4 *>(&Bs[(iRowB + o) * BN + iColB * 4])[0] =
          reinterpret_cast<float4 *>(&B[(iRowB + o) * N + iColB * 4])[0];
    __syncthreads();
    for (int d = 0; d < BK; ++d) {
      for (int wm = 0; wm < WMITER; ++wm)
        for (int i = 0; i < TM; ++i)
          regM[wm * TM + i] = As[d * BM + wRow * WM + wm * WSUBM + tRow * TM + i];
      for (int wn = 0; wn < WNITER; ++wn)
        for (int i = 0; i < TN; ++i)
          regN[wn * TN + i] = Bs[d * BN + wCol * WN + wn * WSUBN + tCol * TN + i];
      for (int m = 0; m < WMITER * TM; ++m)
        for (int n = 0; n < WNITER * TN; ++n)
          res[m * (WNITER * TN) + n] += regM[m] * regN[n];
    }
    A += BK;
    B += BK * N;
    __syncthreads();
  }
  for (int wm = 0; wm < WMITER; ++wm)
    for (int wn = 0; wn < WNITER; ++wn) {
      float *Ci = C + (wm * WSUBM) * N + wn * WSUBN;
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; n += 4) {
          float4 *p = reinterpret_cast<float4 *>(&Ci[(tRow * TM + m) * N + tCol * TN + n]);
          float4 t = *p;
          const int i = (wm * TM + m) * (WNITER * TN) + wn * TN + n;
          t.x = alpha * res[i + 0] + beta * t.x;
          t.y = alpha * res[i + 1] + beta * t.y;
          t.z = alpha * res[i + 2] + beta * t.z;
          t.w = alpha * res[i + 3] + beta * t.w;
          *p = t;
        }
    }
}

struct Problem {
  int M, N, K;
  std::vector<float> A, B, C0, C;
  float *dA, *dB, *dC;
};

static void randomize(std::vector<float> &v, uint seed) {
  uint s = seed;
  for (auto &x : v) {
    s = s * 1664525u + 1013904223u;
    x = ((s >> 9) & 0xffff) / 32768.0f - 1.0f;
  }
}

static bool verify(Problem &p, float alpha, float beta) {
  cudaCheck(cudaMemcpy(p.C.data(), p.dC, sizeof(float) * p.C.size(), cudaMemcpyDeviceToHost));
  for (int s = 0; s < 200; ++s) {
    int r = (s * 7919 + 13) % p.M, c = (s * 104729 + 7) % p.N;
    double acc = 0;
    for (int k = 0; k < p.K; ++k) acc += (double)p.A[r * p.K + k] * p.B[k * p.N + c];
    double ref = alpha * acc + beta * p.C0[r * p.N + c];
    if (fabs(ref - p.C[r * p.N + c]) > 1e-2) {
      printf("mismatch at (%d,%d): %f vs %f\n", r, c, p.C[r * p.N + c], ref);
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  int sizes[2] = {1024, 2048};
  if (argc > 1) sizes[1] = CEIL_DIV(atoi(argv[1]), 128) * 128;
  const float alpha = 0.5f, beta = 3.0f;
  bool ok = true;
  cudaEvent_t beg, end;
  cudaCheck(cudaEventCreate(&beg));
  cudaCheck(cudaEventCreate(&end));
  for (int si = 0; si < 2; ++si) {
    Problem p;
    p.M = p.N = p.K = sizes[si];
    size_t n = (size_t)p.M * p.N;
    p.A.resize(n); p.B.resize(n); p.C0.resize(n); p.C.resize(n);
    randomize(p.A, 1); randomize(p.B, 2); randomize(p.C0, 3);
    cudaCheck(cudaMalloc(&p.dA, n * 4));
    cudaCheck(cudaMalloc(&p.dB, n * 4));
    cudaCheck(cudaMalloc(&p.dC, n * 4));
    cudaCheck(cudaMemcpy(p.dA, p.A.data(), n * 4, cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(p.dB, p.B.data(), n * 4, cudaMemcpyHostToDevice));
    const int M = p.M, N = p.N, K = p.K;
    auto run = [&](const char *name, std::function<void()> f) {
      cudaCheck(cudaMemcpy(p.dC, p.C0.data(), n * 4, cudaMemcpyHostToDevice));
      cudaCheck(cudaEventRecord(beg));
      f();
      cudaCheck(cudaEventRecord(end));
      cudaCheck(cudaGetLastError());
      cudaCheck(cudaEventSynchronize(end));
      float ms;
      cudaEventElapsedTime(&ms, beg, end);
      bool good = verify(p, alpha, beta);
      ok &= good;
      printf("%-28s n=%d  %8.3f ms  %8.1f GFLOPS  %s\n", name, M, ms, 2e-6 * M * N * K / ms,
             good ? "ok" : "WRONG");
    };
    if (si == 0) {
      run("1 naive", [&] { sgemm_naive<<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), dim3(32, 32)>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("2 coalesced", [&] { sgemm_coalesced<32><<<dim3(CEIL_DIV(M, 32), CEIL_DIV(N, 32)), 32 * 32>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("3 smem", [&] { sgemm_smem<32><<<dim3(CEIL_DIV(N, 32), CEIL_DIV(M, 32)), 32 * 32>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("4 1d tile 64x64x8 tm8", [&] { sgemm_1d_tile<64, 64, 8, 8><<<dim3(N / 64, M / 64), 512>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("5a 2d tile 64x64x8 8x8", [&] { sgemm_2d_tile<64, 64, 8, 8, 8><<<dim3(N / 64, M / 64), 64>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("8a warptile 64x64", [&] { sgemm_warptile<64, 64, 16, 32, 32, 2, 4, 4, 128><<<dim3(N / 64, M / 64), 128>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
    } else {
      run("5b 2d tile 128x128x8 8x8", [&] { sgemm_2d_tile<128, 128, 8, 8, 8><<<dim3(N / 128, M / 128), 256>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("6a vectorized 128x128x8", [&] { sgemm_vectorized<128, 128, 8, 8, 8><<<dim3(N / 128, M / 128), 256>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("6b vectorized 64x64x16 4x4", [&] { sgemm_vectorized<64, 64, 16, 4, 4><<<dim3(N / 64, M / 64), 256>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("7 double buffer 128x128x8", [&] { sgemm_double_buffer<128, 128, 8, 8, 8><<<dim3(N / 128, M / 128), 256>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
      run("8b warptile 128x128x16", [&] { sgemm_warptile<128, 128, 16, 64, 64, 4, 8, 4, 128><<<dim3(N / 128, M / 128), 128>>>(M, N, K, alpha, p.dA, p.dB, beta, p.dC); });
    }
    cudaFree(p.dA); cudaFree(p.dB); cudaFree(p.dC);
  }
  printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
