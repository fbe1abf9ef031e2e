// SGEMM worklog: C = alpha * A * B + beta * C, all row-major, fp32 CUDA cores only.
//   k0  one thread per element, coalesced
//   k1  shared memory tile
//   k2  1D register tile (TM results per thread)
//   k3  2D register tile
//   k4  float4 loads, A transposed in smem, next tile prefetched in registers (double buffer)
//   k5  warp tiling
//   k6  warp-friendly 2D tile fed by a 2-stage cp.async pipeline
//
// M is arbitrary; N and K must be multiples of 4.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s -> %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e)); std::exit(1); } } while (0)

constexpr int cdiv(int a, int b) { return (a + b - 1) / b; }

// ---------------------------------------------------------------- k0
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int m = blockIdx.y * blockDim.y + threadIdx.y;
  if (m < M && n < N) {
    float acc = 0.f;
    for (int k = 0; k < K; ++k) acc += A[m * K + k] * B[k * N + n];
    C[m * N + n] = alpha * acc + beta * C[m * N + n];
  }
}

// ---------------------------------------------------------------- k1
template <int BS>
__global__ void sgemm_smem(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[BS * BS];
  __shared__ float Bs[BS * BS];
  const int tc = threadIdx.x % BS, tr = threadIdx.x / BS;
  const int row = blockIdx.y * BS + tr, col = blockIdx.x * BS + tc;
  float acc = 0.f;
  for (int k0 = 0; k0 < K; k0 += BS) {
    As[tr * BS + tc] = (row < M && k0 + tc < K) ? A[row * K + k0 + tc] : 0.f;
    Bs[tr * BS + tc] = (col < N && k0 + tr < K) ? B[(k0 + tr) * N + col] : 0.f;
    __syncthreads();
    for (int k = 0; k < BS; ++k) acc += As[tr * BS + k] * Bs[k * BS + tc];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * acc + beta * C[row * N + col];
}

// ---------------------------------------------------------------- k2
template <int BM, int BN, int BK, int TM>
__global__ void sgemm_blocktile_1d(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  static_assert(BM * BK == BM * BN / TM && BN * BK == BM * BN / TM, "one load per thread and tile");
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int tc = threadIdx.x % BN, tr = threadIdx.x / BN;
  const int aCol = threadIdx.x % BK, aRow = threadIdx.x / BK;
  const int bCol = threadIdx.x % BN, bRow = threadIdx.x / BN;
  const int gr = blockIdx.y * BM, gc = blockIdx.x * BN;

  float res[TM] = {0.f};
  for (int k0 = 0; k0 < K; k0 += BK) {
    As[aRow * BK + aCol] = (gr + aRow < M && k0 + aCol < K) ? A[(gr + aRow) * K + k0 + aCol] : 0.f;
    Bs[bRow * BN + bCol] = (k0 + bRow < K && gc + bCol < N) ? B[(k0 + bRow) * N + gc + bCol] : 0.f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k * BN + tc];
#pragma unroll
      for (int i = 0; i < TM; ++i) res[i] += As[(tr * TM + i) * BK + k] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int m = gr + tr * TM + i, n = gc + tc;
    if (m < M && n < N) C[m * N + n] = alpha * res[i] + beta * C[m * N + n];
  }
}

// ---------------------------------------------------------------- k3
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
sgemm_blocktile_2d(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  constexpr int NT = (BM * BN) / (TM * TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int tc = threadIdx.x % (BN / TN), tr = threadIdx.x / (BN / TN);
  const int gr = blockIdx.y * BM, gc = blockIdx.x * BN;
  const int aCol = threadIdx.x % BK, aRow = threadIdx.x / BK;
  const int bCol = threadIdx.x % BN, bRow = threadIdx.x / BN;
  constexpr int strideA = NT / BK, strideB = NT / BN;

  float res[TM * TN] = {0.f};
  float rm[TM], rn[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int o = 0; o < BM; o += strideA)
      As[(aRow + o) * BK + aCol] = (gr + aRow + o < M && k0 + aCol < K) ? A[(gr + aRow + o) * K + k0 + aCol] : 0.f;
    for (int o = 0; o < BK; o += strideB)
      Bs[(bRow + o) * BN + bCol] = (k0 + bRow + o < K && gc + bCol < N) ? B[(k0 + bRow + o) * N + gc + bCol] : 0.f;
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) rm[i] = As[(tr * TM + i) * BK + k];
      for (int i = 0; i < TN; ++i) rn[i] = Bs[k * BN + tc * TN + i];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) res[i * TN + j] += rm[i] * rn[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      const int m = gr + tr * TM + i, n = gc + tc * TN + j;
      if (m < M && n < N) C[m * N + n] = alpha * res[i * TN + j] + beta * C[m * N + n];
    }
}

__device__ __forceinline__ float4 ld4(const float *p, bool ok) {
  return ok ? *reinterpret_cast<const float4 *>(p) : make_float4(0.f, 0.f, 0.f, 0.f);
}
__device__ __forceinline__ void st4(float *p, float4 v, float alpha, float beta) {
  float4 c = *reinterpret_cast<float4 *>(p);
  c.x = alpha * v.x + beta * c.x;
  c.y = alpha * v.y + beta * c.y;
  c.z = alpha * v.z + beta * c.z;
  c.w = alpha * v.w + beta * c.w;
  *reinterpret_cast<float4 *>(p) = c;
}

// ---------------------------------------------------------------- k4
// 128x128x8 tile, 256 threads, 8x8 per thread split in 4 quadrants of 4x4
__global__ void __launch_bounds__(256)
sgemm_vec_doublebuf(int M, int N, int K, float alpha, const float *__restrict__ A, const float *__restrict__ B, float beta,
                    float *__restrict__ C) {
  constexpr int BM = 128, BN = 128, BK = 8;
  __shared__ __align__(16) float As[2][BK][BM];
  __shared__ __align__(16) float Bs[2][BK][BN];
  const int tid = threadIdx.x;
  const int gr = blockIdx.y * BM, gc = blockIdx.x * BN;
  const int aRow = tid >> 1, aCol = (tid & 1) << 2;
  const int bRow = tid >> 5, bCol = (tid & 31) << 2;
  const int ty = (tid >> 4) << 2, tx = (tid & 15) << 2;

  const bool aOk = gr + aRow < M, bOk = gc + bCol < N;
  const float *Ap = A + (size_t)(gr + aRow) * K + aCol;
  const float *Bp = B + (size_t)bRow * N + gc + bCol;

  float4 ra = ld4(Ap, aOk && aCol < K);
  float4 rb = ld4(Bp, bOk && bRow < K);
  As[0][aCol + 0][aRow] = ra.x;
  As[0][aCol + 1][aRow] = ra.y;
  As[0][aCol + 2][aRow] = ra.z;
  As[0][aCol + 3][aRow] = ra.w;
  *reinterpret_cast<float4 *>(&Bs[0][bRow][bCol]) = rb;
  __syncthreads();

  float acc[8][8] = {};
  int buf = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int kn = k0 + BK;
    if (kn < K) {
      ra = ld4(Ap + kn, aOk && kn + aCol < K);
      rb = ld4(Bp + (size_t)kn * N, bOk && kn + bRow < K);
    }
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float fa[8], fb[8];
      *reinterpret_cast<float4 *>(&fa[0]) = *reinterpret_cast<const float4 *>(&As[buf][k][ty]);
      *reinterpret_cast<float4 *>(&fa[4]) = *reinterpret_cast<const float4 *>(&As[buf][k][ty + 64]);
      *reinterpret_cast<float4 *>(&fb[0]) = *reinterpret_cast<const float4 *>(&Bs[buf][k][tx]);
      *reinterpret_cast<float4 *>(&fb[4]) = *reinterpret_cast<const float4 *>(&Bs[buf][k][tx + 64]);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
    }
    if (kn < K) {
      buf ^= 1;
      As[buf][aCol + 0][aRow] = ra.x;
      As[buf][aCol + 1][aRow] = ra.y;
      As[buf][aCol + 2][aRow] = ra.z;
      As[buf][aCol + 3][aRow] = ra.w;
      *reinterpret_cast<float4 *>(&Bs[buf][bRow][bCol]) = rb;
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int m = gr + ty + (i & 3) + (i >> 2) * 64;
    if (m >= M) continue;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int n = gc + tx + h * 64;
      if (n < N)
        st4(C + (size_t)m * N + n, make_float4(acc[i][4 * h], acc[i][4 * h + 1], acc[i][4 * h + 2], acc[i][4 * h + 3]), alpha, beta);
    }
  }
}

// ---------------------------------------------------------------- k5
template <int BM, int BN, int BK, int WM, int WN, int WNITER, int TM, int TN, int NUM_THREADS>
__global__ void __launch_bounds__(NUM_THREADS)
sgemm_warptile(int M, int N, int K, float alpha, const float *__restrict__ A, const float *__restrict__ B, float beta,
               float *__restrict__ C) {
  constexpr int WMITER = (WM * WN) / (32 * TM * TN * WNITER);
  constexpr int WSUBM = WM / WMITER, WSUBN = WN / WNITER;
  static_assert((BM / WM) * (BN / WN) * 32 == NUM_THREADS, "warps must cover the block tile");
  __shared__ __align__(16) float As[BK * BM];  // transposed
  __shared__ __align__(16) float Bs[BK * BN];

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int wCol = warp % (BN / WN), wRow = warp / (BN / WN);
  const int tCol = lane % (WSUBN / TN), tRow = lane / (WSUBN / TN);
  const int gr = blockIdx.y * BM, gc = blockIdx.x * BN;

  const int aRow = threadIdx.x / (BK / 4), aCol = threadIdx.x % (BK / 4);
  const int bRow = threadIdx.x / (BN / 4), bCol = threadIdx.x % (BN / 4);
  constexpr int rsA = NUM_THREADS * 4 / BK, rsB = NUM_THREADS / (BN / 4);

  float res[WMITER * TM * WNITER * TN] = {0.f};
  float rM[WMITER * TM], rN[WNITER * TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int o = 0; o + rsA <= BM; o += rsA) {
      const float4 t = ld4(A + (size_t)(gr + aRow + o) * K + k0 + aCol * 4, gr + aRow + o < M && k0 + aCol * 4 < K);
      As[(aCol * 4 + 0) * BM + aRow + o] = t.x;
      As[(aCol * 4 + 1) * BM + aRow + o] = t.y;
      As[(aCol * 4 + 2) * BM + aRow + o] = t.z;
      As[(aCol * 4 + 3) * BM + aRow + o] = t.w;
    }
#pragma unroll
    for (int o = 0; o + rsB <= BK; o += rsB)
      *reinterpret_cast<float4 *>(&Bs[(bRow + o) * BN + bCol * 4]) =
          ld4(B + (size_t)(k0 + bRow + o) * N + gc + bCol * 4, k0 + bRow + o < K && gc + bCol * 4 < N);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int si = 0; si < WMITER; ++si)
#pragma unroll
        for (int i = 0; i < TM; ++i) rM[si * TM + i] = As[k * BM + wRow * WM + si * WSUBM + tRow * TM + i];
#pragma unroll
      for (int sj = 0; sj < WNITER; ++sj)
#pragma unroll
        for (int j = 0; j < TN; ++j) rN[sj * TN + j] = Bs[k * BN + wCol * WN + sj * WSUBN + tCol * TN + j];
#pragma unroll
      for (int i = 0; i < WMITER * TM; ++i)
#pragma unroll
        for (int j = 0; j < WNITER * TN; ++j) res[i * WNITER * TN + j] += rM[i] * rN[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int si = 0; si < WMITER; ++si)
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int m = gr + wRow * WM + si * WSUBM + tRow * TM + i;
      if (m >= M) continue;
#pragma unroll
      for (int sj = 0; sj < WNITER; ++sj)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
          const int n = gc + wCol * WN + sj * WSUBN + tCol * TN + j;
          const float *r = &res[(si * TM + i) * WNITER * TN + sj * TN + j];
          if (n < N) st4(C + (size_t)m * N + n, make_float4(r[0], r[1], r[2], r[3]), alpha, beta);
        }
    }
}

// ---------------------------------------------------------------- k6
__device__ __forceinline__ void cp_async16(float *dst, const float *src, bool ok) {
  const uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(dst));
  const int bytes = ok ? 16 : 0;  // remaining bytes are zero filled
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(s), "l"(src), "r"(bytes));
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::); }
template <int n>
__device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(n)); }

template <int BM, int BN, int BK, int TM>
__global__ void __launch_bounds__(256)
sgemm_cp_async(int M, int N, int K, float alpha, const float *__restrict__ A, const float *__restrict__ B, float beta,
               float *__restrict__ C) {
  // 16x16 threads; each owns TM rows (strided by 16) and 4 consecutive columns
  static_assert(BM == 16 * TM && BN == 64, "");
  constexpr int LDA = BK + 4;
  __shared__ __align__(16) float As[2][BM][LDA];
  __shared__ __align__(16) float Bs[2][BK][BN];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int gr = blockIdx.y * BM, gc = blockIdx.x * BN;

  auto load_tile = [&](int st, int k0) {
    for (int i = tid; i < BM * BK / 4; i += 256) {
      const int r = i / (BK / 4), c = (i % (BK / 4)) * 4;
      const bool ok = gr + r < M && k0 + c < K;
      cp_async16(&As[st][r][c], ok ? A + (size_t)(gr + r) * K + k0 + c : A, ok);
    }
    for (int i = tid; i < BK * BN / 4; i += 256) {
      const int r = i / (BN / 4), c = (i % (BN / 4)) * 4;
      const bool ok = k0 + r < K && gc + c < N;
      cp_async16(&Bs[st][r][c], ok ? B + (size_t)(k0 + r) * N + gc + c : B, ok);
    }
    cp_async_commit();
  };

  float acc[TM][4] = {};
  const int nk = (K + BK - 1) / BK;
  load_tile(0, 0);
  for (int it = 0; it < nk; ++it) {
    if (it + 1 < nk) {
      load_tile((it + 1) & 1, (it + 1) * BK);
      cp_async_wait<1>();
    } else {
      cp_async_wait<0>();
    }
    __syncthreads();
    const int st = it & 1;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float4 b = *reinterpret_cast<const float4 *>(&Bs[st][k][tx * 4]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        const float a = As[st][ty + 16 * i][k];
        acc[i][0] = fmaf(a, b.x, acc[i][0]);
        acc[i][1] = fmaf(a, b.y, acc[i][1]);
        acc[i][2] = fmaf(a, b.z, acc[i][2]);
        acc[i][3] = fmaf(a, b.w, acc[i][3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int m = gr + ty + 16 * i, n = gc + tx * 4;
    if (m < M && n < N) st4(C + (size_t)m * N + n, make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]), alpha, beta);
  }
}

// ----------------------------------------------------------------
int main(int argc, char **argv) {
  int M = argc > 1 ? std::atoi(argv[1]) : 1090;
  int N = argc > 2 ? std::atoi(argv[2]) : 1240;
  int K = argc > 3 ? std::atoi(argv[3]) : 716;
  if (N % 4 || K % 4) { std::fprintf(stderr, "N and K must be multiples of 4\n"); return 1; }
  const float alpha = 0.5f, beta = 3.0f;

  std::mt19937 gen(20240607);
  std::uniform_real_distribution<float> dist(-1.f, 1.f);
  std::vector<float> A((size_t)M * K), B((size_t)K * N), C0((size_t)M * N), ref((size_t)M * N), out((size_t)M * N);
  for (auto &v : A) v = dist(gen);
  for (auto &v : B) v = dist(gen);
  for (auto &v : C0) v = dist(gen);

  std::fill(ref.begin(), ref.end(), 0.f);
  for (int m = 0; m < M; ++m) {
    float *c = &ref[(size_t)m * N];
    for (int k = 0; k < K; ++k) {
      const float a = A[(size_t)m * K + k];
      const float *b = &B[(size_t)k * N];
      for (int n = 0; n < N; ++n) c[n] += a * b[n];
    }
    for (int n = 0; n < N; ++n) c[n] = alpha * c[n] + beta * C0[(size_t)m * N + n];
  }

  float *dA, *dB, *dC;
  CK(cudaMalloc(&dA, A.size() * 4));
  CK(cudaMalloc(&dB, B.size() * 4));
  CK(cudaMalloc(&dC, C0.size() * 4));
  CK(cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice));

  cudaEvent_t beg, end;
  CK(cudaEventCreate(&beg));
  CK(cudaEventCreate(&end));
  bool allOk = true;
  auto bench = [&](const std::string &name, const std::function<void()> &launch) {
    CK(cudaMemcpy(dC, C0.data(), C0.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaEventRecord(beg));
    launch();
    CK(cudaGetLastError());
    CK(cudaEventRecord(end));
    CK(cudaEventSynchronize(end));
    float ms;
    CK(cudaEventElapsedTime(&ms, beg, end));
    CK(cudaMemcpy(out.data(), dC, out.size() * 4, cudaMemcpyDeviceToHost));
    double err = 0;
    for (size_t i = 0; i < out.size(); ++i) err = std::max(err, (double)std::fabs(out[i] - ref[i]));
    const bool ok = err < 2e-3;
    allOk &= ok;
    std::printf("%-20s %8.3f ms %9.1f GFLOP/s  max err %.2e %s\n", name.c_str(), ms, 2e-6 * M * N * K / ms, err, ok ? "ok" : "WRONG");
  };

  bench("naive", [&] { sgemm_naive<<<dim3(cdiv(N, 32), cdiv(M, 8)), dim3(32, 8)>>>(M, N, K, alpha, dA, dB, beta, dC); });
  bench("smem 32", [&] { sgemm_smem<32><<<dim3(cdiv(N, 32), cdiv(M, 32)), 32 * 32>>>(M, N, K, alpha, dA, dB, beta, dC); });
  bench("1D blocktile", [&] {
    sgemm_blocktile_1d<64, 64, 8, 8><<<dim3(cdiv(N, 64), cdiv(M, 64)), 512>>>(M, N, K, alpha, dA, dB, beta, dC);
  });
  bench("2D blocktile", [&] {
    sgemm_blocktile_2d<64, 64, 8, 4, 4><<<dim3(cdiv(N, 64), cdiv(M, 64)), 256>>>(M, N, K, alpha, dA, dB, beta, dC);
  });
  bench("float4 + dbuf", [&] {
    sgemm_vec_doublebuf<<<dim3(cdiv(N, 128), cdiv(M, 128)), 256>>>(M, N, K, alpha, dA, dB, beta, dC);
  });
  bench("warptile", [&] {
    sgemm_warptile<128, 128, 16, 64, 64, 4, 8, 4, 128>
        <<<dim3(cdiv(N, 128), cdiv(M, 128)), 128>>>(M, N, K, alpha, dA, dB, beta, dC);
  });
  bench("cp.async 2-stage", [&] {
    sgemm_cp_async<96, 64, 16, 6><<<dim3(cdiv(N, 64), cdiv(M, 96)), 256>>>(M, N, K, alpha, dA, dB, beta, dC);
  });

  CK(cudaFree(dA));
  CK(cudaFree(dB));
  CK(cudaFree(dC));
  return allOk ? 0 : 1;
}
