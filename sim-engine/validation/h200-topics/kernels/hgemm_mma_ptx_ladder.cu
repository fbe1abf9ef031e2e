// HGEMM with mma.sync.m16n8k16, ldmatrix, xor-swizzled shared memory and multi-stage cp.async.
// C(half)[M,N] = A[M,K] * op(B);  B is [N,K] (BT = true, "linear layer weights") or [K,N] (BT = false).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define HGEMM_CHECK(expr)                                                                  \
  do {                                                                                     \
    cudaError_t err_ = (expr);                                                             \
    if (err_ != cudaSuccess) {                                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));        \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                                  \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"        \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr) : "memory")
#define LDMATRIX_X4_T(R0, R1, R2, R3, addr)                                                \
  asm volatile("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"  \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr) : "memory")
#define HMMA16816F32(D, A, B0, B1)                                                         \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "                        \
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"         \
               : "+f"((D)[0]), "+f"((D)[1]), "+f"((D)[2]), "+f"((D)[3])                    \
               : "r"((A)[0]), "r"((A)[1]), "r"((A)[2]), "r"((A)[3]), "r"(B0), "r"(B1))
#define CP_ASYNC_CG(dst, src) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n" ::"r"(dst), "l"(src) : "memory")
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::: "memory")
#define CP_ASYNC_WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n) : "memory")

__global__ void hgemm_init(half* a, half* b, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto v = [](uint32_t x) { x = (x ^ 0xdeadbeefu) * 0x9e3779b1u; x ^= x >> 15; x *= 0x85ebca77u; x ^= x >> 13; return ((int)(x & 127) - 64) / 64.0f; };
  a[i] = __float2half(v((uint32_t)i * 2));
  b[i] = __float2half(v((uint32_t)i * 2 + 1));
}

// 1: no shared memory; a warp makes a 16 x 8 tile with fragments read straight from global. B is [N,K].
__global__ void hgemm_mma_naive_kernel(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.y * 16, col = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8;
  if (col >= N) return;
  float d[4] = {0.f, 0.f, 0.f, 0.f};
  const half *a_lo = A + (size_t)(row + g) * K + 2 * t, *a_hi = a_lo + (size_t)8 * K, *b = B + (size_t)(col + g) * K + 2 * t;
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4] = {*(const uint32_t*)(a_lo + k), *(const uint32_t*)(a_hi + k), *(const uint32_t*)(a_lo + k + 8), *(const uint32_t*)(a_hi + k + 8)};
    uint32_t b0 = *(const uint32_t*)(b + k), b1 = *(const uint32_t*)(b + k + 8);
    HMMA16816F32(d, a, b0, b1);
  }
  *(half2*)(C + (size_t)(row + g) * N + col + 2 * t) = __floats2half2_rn(d[0], d[1]);
  *(half2*)(C + (size_t)(row + g + 8) * N + col + 2 * t) = __floats2half2_rn(d[2], d[3]);
}

// offset in halves of 16-byte chunk `chunk` of row `row` where rows have COLS halves
template <int COLS>
__device__ __forceinline__ int swizzle(int row, int chunk) {
  static_assert(COLS == 32 || COLS >= 64, "32 or at least 64 halves a row");
  if (COLS == 32) return row * COLS + ((chunk ^ ((row >> 1) & 3)) << 3);
  return row * COLS + ((chunk ^ (row & 7)) << 3);
}

template <int BM_, int BN_, int BK_, int WM_, int WN_, int STAGES_, bool REG_DB_, int RASTER_, bool SMEM_EPI_, bool BT_>
struct Config {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, STAGES = STAGES_, RASTER = RASTER_;
  static constexpr bool REG_DB = REG_DB_, SMEM_EPI = SMEM_EPI_, BT = BT_;
  static constexpr int WARPS_M = BM / WM, WARPS_N = BN / WN, THREADS = WARPS_M * WARPS_N * 32;
  static constexpr int A_HALVES = BM * BK, B_HALVES = BN * BK;
  static constexpr int MAIN_BYTES = STAGES * (A_HALVES + B_HALVES) * 2, EPI_BYTES = SMEM_EPI ? BM * (BN + 8) * 2 : 0;
  static constexpr int SMEM = MAIN_BYTES > EPI_BYTES ? MAIN_BYTES : EPI_BYTES;
  static_assert(A_HALVES / 8 % THREADS == 0 && B_HALVES / 8 % THREADS == 0, "whole chunks per thread");
  static_assert(WM % 16 == 0 && WN % 16 == 0, "16x16 sub tiles");
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::THREADS)
hgemm_mma_stages_kernel(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  constexpr int BM = Cfg::BM, BN = Cfg::BN, BK = Cfg::BK, S = Cfg::STAGES;
  constexpr int MI = Cfg::WM / 16, NI = Cfg::WN / 16, KI = BK / 16;
  extern __shared__ __align__(1024) half smem[];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int wm = warp / Cfg::WARPS_N * Cfg::WM, wn = warp % Cfg::WARPS_N * Cfg::WN;

  int bm, bn;                                        // block raster
  {
    const int gm = M / BM, gn = N / BN, id = blockIdx.x;
    if (Cfg::RASTER > 1) {
      const int width = Cfg::RASTER * gn, first = id / width * Cfg::RASTER, size = min(gm - first, Cfg::RASTER);
      bm = first + id % width % size;
      bn = id % width / size;
    } else {
      bm = id / gn;
      bn = id % gn;
    }
  }
  const uint32_t smem_base = (uint32_t)__cvta_generic_to_shared(smem);
  const half* Ag = A + (size_t)bm * BM * K;
  const half* Bg = Cfg::BT ? B + (size_t)bn * BN * K : B + (size_t)bn * BN;
  const int tiles = K / BK;

  auto copy_tile = [&](int t) {
    if (t < tiles) {
      const uint32_t sa = smem_base + (t % S) * (Cfg::A_HALVES + Cfg::B_HALVES) * 2, sb = sa + Cfg::A_HALVES * 2;
#pragma unroll
      for (int i = 0; i < Cfg::A_HALVES / 8 / Cfg::THREADS; ++i) {
        const int e = tid + i * Cfg::THREADS, r = e / (BK / 8), c = e % (BK / 8);
        CP_ASYNC_CG(sa + swizzle<BK>(r, c) * 2, Ag + (size_t)r * K + t * BK + c * 8);
      }
#pragma unroll
      for (int i = 0; i < Cfg::B_HALVES / 8 / Cfg::THREADS; ++i) {
        const int e = tid + i * Cfg::THREADS;
        if (Cfg::BT) {
          const int r = e / (BK / 8), c = e % (BK / 8);
          CP_ASYNC_CG(sb + swizzle<BK>(r, c) * 2, Bg + (size_t)r * K + t * BK + c * 8);
        } else {
          const int r = e / (BN / 8), c = e % (BN / 8);
          CP_ASYNC_CG(sb + swizzle<BN>(r, c) * 2, Bg + (size_t)(t * BK + r) * N + c * 8);
        }
      }
    }
    CP_ASYNC_COMMIT_GROUP();
  };

  float acc[MI][NI][2][4] = {};
  uint32_t fa[2][MI][4], fb[2][NI][4];
  auto load_frag = [&](int t, int kk, int buf) {
    const uint32_t sa = smem_base + (t % S) * (Cfg::A_HALVES + Cfg::B_HALVES) * 2, sb = sa + Cfg::A_HALVES * 2;
#pragma unroll
    for (int i = 0; i < MI; ++i) {
      const uint32_t p = sa + swizzle<BK>(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4)) * 2;
      LDMATRIX_X4(fa[buf][i][0], fa[buf][i][1], fa[buf][i][2], fa[buf][i][3], p);
    }
#pragma unroll
    for (int j = 0; j < NI; ++j) {
      if (Cfg::BT) {
        const uint32_t p = sb + swizzle<BK>(wn + j * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1)) * 2;
        LDMATRIX_X4(fb[buf][j][0], fb[buf][j][1], fb[buf][j][2], fb[buf][j][3], p);
      } else {
        const uint32_t p = sb + swizzle<BN>(kk * 16 + (lane & 15), (wn + j * 16) / 8 + (lane >> 4)) * 2;
        LDMATRIX_X4_T(fb[buf][j][0], fb[buf][j][1], fb[buf][j][2], fb[buf][j][3], p);
      }
    }
  };
  auto mma = [&](int buf) {
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int j = 0; j < NI; ++j) {
        HMMA16816F32(acc[i][j][0], fa[buf][i], fb[buf][j][0], fb[buf][j][1]);
        HMMA16816F32(acc[i][j][1], fa[buf][i], fb[buf][j][2], fb[buf][j][3]);
      }
  };

#pragma unroll
  for (int t = 0; t < S - 1; ++t) copy_tile(t);
  for (int t = 0; t < tiles; ++t) {
    CP_ASYNC_WAIT_GROUP(S - 2);
    __syncthreads();
    copy_tile(t + S - 1);
    if (Cfg::REG_DB) {
      load_frag(t, 0, 0);
#pragma unroll
      for (int kk = 0; kk < KI; ++kk) {
        if (kk + 1 < KI) load_frag(t, kk + 1, (kk + 1) & 1);
        mma(kk & 1);
      }
    } else {
#pragma unroll
      for (int kk = 0; kk < KI; ++kk) {
        load_frag(t, kk, 0);
        mma(0);
      }
    }
  }

  const int g = lane / 4, q = lane % 4;
  half* Cg = C + (size_t)bm * BM * N + bn * BN;
  if (Cfg::SMEM_EPI) {
    constexpr int LD = BN + 8;
    CP_ASYNC_WAIT_GROUP(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int j = 0; j < NI; ++j)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          half* s = smem + (wm + i * 16 + g) * LD + wn + j * 16 + h * 8 + q * 2;
          *(half2*)s = __floats2half2_rn(acc[i][j][h][0], acc[i][j][h][1]);
          *(half2*)(s + 8 * LD) = __floats2half2_rn(acc[i][j][h][2], acc[i][j][h][3]);
        }
    __syncthreads();
    for (int e = tid; e < BM * BN / 8; e += Cfg::THREADS) {
      const int r = e / (BN / 8), c = e % (BN / 8) * 8;
      *(int4*)(Cg + (size_t)r * N + c) = *(const int4*)(smem + r * LD + c);
    }
  } else {
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int j = 0; j < NI; ++j)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          half* c = Cg + (size_t)(wm + i * 16 + g) * N + wn + j * 16 + h * 8 + q * 2;
          *(half2*)c = __floats2half2_rn(acc[i][j][h][0], acc[i][j][h][1]);
          *(half2*)(c + (size_t)8 * N) = __floats2half2_rn(acc[i][j][h][2], acc[i][j][h][3]);
        }
  }
}

template <class Cfg>
static void launch(const half* A, const half* B, half* C, int M, int N, int K) {
  if (M % Cfg::BM || N % Cfg::BN || K % Cfg::BK) { fprintf(stderr, "bad size\n"); exit(1); }
  HGEMM_CHECK(cudaFuncSetAttribute(hgemm_mma_stages_kernel<Cfg>, cudaFuncAttributeMaxDynamicSharedMemorySize, Cfg::SMEM));
  hgemm_mma_stages_kernel<Cfg><<<(M / Cfg::BM) * (N / Cfg::BN), Cfg::THREADS, Cfg::SMEM>>>(A, B, C, M, N, K);
}
static void launch_naive(const half* A, const half* B, half* C, int M, int N, int K) {
  hgemm_mma_naive_kernel<<<dim3((N + 31) / 32, M / 16), 128>>>(A, B, C, M, N, K);
}

struct Entry {
  const char* tag;
  void (*fn)(const half*, const half*, half*, int, int, int);
  int M, N, K;
  bool bt;
};

int main() {
  //                     BM   BN   BK  WM  WN  S  regdb  raster epi   BT
  using C64 = Config<    64,  64,  32, 32, 32, 2, false, 1, false, true>;
  using C128s2 = Config<128, 128,  32, 64, 32, 2, false, 1, false, true>;
  using C128s3 = Config<128, 128,  32, 64, 32, 3, false, 1, true,  true>;
  using C128s4 = Config<128, 128,  32, 64, 64, 4, true,  1, false, true>;
  using C256n = Config< 128, 256,  32, 64, 64, 3, true,  1, true,  true>;
  using Ck64 = Config<  128, 128,  64, 64, 32, 3, true,  8, false, true>;
  using Cnn = Config<   128, 128,  32, 32, 64, 4, false, 1, false, false>;
  using Cnn2 = Config<  256, 128,  32, 64, 64, 4, true,  4, true,  false>;
  using Cskinny = Config<64, 128,  64, 32, 32, 3, true,  1, true,  true>;
  const Entry entries[] = {
      {"mma naive 16x8", launch_naive, 1024, 1024, 1024, true},
      {"64x64x32 s2", launch<C64>, 1024, 1024, 1024, true},
      {"128x128x32 s2", launch<C128s2>, 2048, 2048, 1024, true},
      {"128x128x32 s3 smem epilogue", launch<C128s3>, 2048, 3072, 768, true},
      {"128x128x32 s4 reg double", launch<C128s4>, 4096, 2304, 768, true},
      {"128x256x32 s3 reg double epi", launch<C256n>, 2048, 4096, 1024, true},
      {"128x128x64 s3 raster 8", launch<Ck64>, 2944, 4096, 1024, true},
      {"NN 128x128x32 s4", launch<Cnn>, 1024, 768, 3072, false},
      {"NN 256x128x32 s4 raster 4 epi", launch<Cnn2>, 4096, 4096, 1024, false},
      {"64x128x64 s3, few rows", launch<Cskinny>, 128, 4096, 1024, true},
  };
  const size_t nab = (size_t)4096 * 1024, nc = (size_t)4096 * 4096;
  half *A, *B, *C;
  HGEMM_CHECK(cudaMalloc(&A, nab * 2));
  HGEMM_CHECK(cudaMalloc(&B, nab * 2));
  HGEMM_CHECK(cudaMalloc(&C, nc * 2));
  hgemm_init<<<(unsigned)((nab + 255) / 256), 256>>>(A, B, nab);
  HGEMM_CHECK(cudaGetLastError());
  std::vector<half> ha(nab), hb(nab), row;
  HGEMM_CHECK(cudaMemcpy(ha.data(), A, nab * 2, cudaMemcpyDeviceToHost));
  HGEMM_CHECK(cudaMemcpy(hb.data(), B, nab * 2, cudaMemcpyDeviceToHost));
  int bad = 0;
  for (const Entry& e : entries) {
    if ((size_t)e.M * e.K > nab || (size_t)e.N * e.K > nab) { puts("size"); return 1; }
    HGEMM_CHECK(cudaMemset(C, 0xff, nc * 2));
    e.fn(A, B, C, e.M, e.N, e.K);
    HGEMM_CHECK(cudaGetLastError());
    HGEMM_CHECK(cudaDeviceSynchronize());
    double worst = 0;
    row.resize(e.N);
    for (int s = 0; s < 12; ++s) {
      const int i = s == 11 ? e.M - 1 : (int)((long long)s * e.M / 11 + s * 3) % e.M;
      HGEMM_CHECK(cudaMemcpy(row.data(), C + (size_t)i * e.N, e.N * 2, cudaMemcpyDeviceToHost));
      for (int j = s; j < e.N; j += 41) {
        double r = 0;
        for (int k = 0; k < e.K; ++k)
          r += (double)__half2float(ha[(size_t)i * e.K + k]) * __half2float(hb[e.bt ? (size_t)j * e.K + k : (size_t)k * e.N + j]);
        const double d = std::fabs(r - (double)__half2float(row[j])) / (0.05 + 1e-3 * std::fabs(r));
        if (!(d <= worst)) worst = d;
      }
    }
    const bool ok = worst <= 1.0;
    printf("%-32s %4d %4d %4d  error/tolerance %.3f %s\n", e.tag, e.M, e.N, e.K, worst, ok ? "ok" : "WRONG");
    bad += !ok;
  }
  cudaFree(A); cudaFree(B); cudaFree(C);
  puts(bad ? "FAIL" : "PASS");
  return bad ? 1 : 0;
}
