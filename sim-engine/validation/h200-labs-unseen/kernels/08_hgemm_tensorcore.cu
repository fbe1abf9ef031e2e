// Half precision GEMM on tensor cores. D[M,N] = A[M,K] * B[K,N], row-major, fp32 accumulation.
//
//   v1 wmma, one warp per 16x16 tile, fragments straight from global memory
//   v2 wmma, 64x64x32 block tile in shared memory
//   v3 ldmatrix + mma.sync m16n8k16, 128x128x32, register prefetch
//   v4 same, multi-stage cp.async pipeline with XOR swizzle   (half and bf16)
//
// constraints: M, N multiples of 16 (v1) / N multiple of 8 (others), K multiple of 32
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <type_traits>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>

#define CUDA_ASSERT(x)                                                                         \
  {                                                                                            \
    cudaError_t rc = (x);                                                                      \
    if (rc != cudaSuccess) {                                                                   \
      fprintf(stderr, "[%s:%d] %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(rc));     \
      std::abort();                                                                            \
    }                                                                                          \
  }

using bf16 = __nv_bfloat16;

// ------------------------------------------------------------- init on the device
__device__ __forceinline__ float hash_uniform(uint32_t x) {
  x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
  return (x >> 8) * (1.0f / 8388608.0f) - 1.0f;  // [-1, 1)
}
__global__ void fill_uniform(half* h, bf16* b, size_t n, uint32_t seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    const float v = hash_uniform((uint32_t)i * 2654435761u + seed);
    h[i] = __float2half(v);
    b[i] = __float2bfloat16(v);
  }
}

// ------------------------------------------------------------- v1
__global__ void hgemm_wmma_naive(const half* A, const half* B, float* D, int M, int N, int K) {
  using namespace nvcuda;
  const int tile_n = blockIdx.x * blockDim.y + threadIdx.y;
  const int tile_m = blockIdx.y;
  if (tile_n * 16 >= N || tile_m * 16 >= M) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + (size_t)tile_m * 16 * K + k, K);
    wmma::load_matrix_sync(b, B + (size_t)k * N + tile_n * 16, N);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(D + (size_t)tile_m * 16 * N + tile_n * 16, c, N, wmma::mem_row_major);
}

// ------------------------------------------------------------- v2
__global__ void __launch_bounds__(128) hgemm_wmma_smem(const half* A, const half* B, float* D, int M, int N, int K) {
  using namespace nvcuda;
  constexpr int BM = 64, BN = 64, BK = 32, PA = BK + 8, PB = BN + 8;
  __shared__ __align__(32) half sA[BM * PA];
  __shared__ __align__(32) half sB[BK * PB];
  const int warp = threadIdx.x >> 5, wm = (warp >> 1) * 32, wn = (warp & 1) * 32;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(c[i][j], 0.0f);

  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < BM * BK / 8; i += 128) {
      const int r = i / (BK / 8), col = (i % (BK / 8)) * 8;
      uint4 v = make_uint4(0, 0, 0, 0);
      if (bm + r < M) v = *reinterpret_cast<const uint4*>(A + (size_t)(bm + r) * K + k0 + col);
      *reinterpret_cast<uint4*>(sA + r * PA + col) = v;
    }
    for (int i = threadIdx.x; i < BK * BN / 8; i += 128) {
      const int r = i / (BN / 8), col = (i % (BN / 8)) * 8;
      uint4 v = make_uint4(0, 0, 0, 0);
      if (bn + col < N) v = *reinterpret_cast<const uint4*>(B + (size_t)(k0 + r) * N + bn + col);
      *reinterpret_cast<uint4*>(sB + r * PB + col) = v;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], sA + (wm + i * 16) * PA + kk, PA);
#pragma unroll
      for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(b[j], sB + kk * PB + wn + j * 16, PB);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int m = bm + wm + i * 16, n = bn + wn + j * 16;
      if (m < M && n < N) wmma::store_matrix_sync(D + (size_t)m * N + n, c[i][j], N, wmma::mem_row_major);
    }
}

// ------------------------------------------------------------- PTX wrappers
template <typename T>
__device__ __forceinline__ void mma_m16n8k16(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  if constexpr (std::is_same<T, half>::value) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}
__device__ __forceinline__ uint32_t smem_u32(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldmatrix_x4(uint32_t& r0, uint32_t& r1, uint32_t& r2, uint32_t& r3, uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr) : "memory");
}
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t& r0, uint32_t& r1, uint32_t& r2, uint32_t& r3, uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr) : "memory");
}

// ------------------------------------------------------------- v3
// 256 threads = 8 warps as 2 (M) x 4 (N); warp tile 64 x 32
__global__ void __launch_bounds__(256) hgemm_mma_ldmatrix(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ D,
                                                          int M, int N, int K) {
  constexpr int BM = 128, BN = 128, BK = 32, PA = BK + 8, PB = BN + 8;
  __shared__ __align__(16) half sA[BM][PA];
  __shared__ __align__(16) half sB[BK][PB];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp >> 2) * 64, wn = (warp & 3) * 32;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
  const uint4 zero = make_uint4(0, 0, 0, 0);

  uint4 ra[2], rb[2];
  auto gload = [&](int k0) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int ia = tid + i * 256, r = ia >> 2, c = (ia & 3) * 8;
      ra[i] = bm + r < M ? *reinterpret_cast<const uint4*>(A + (size_t)(bm + r) * K + k0 + c) : zero;
      const int rB = ia >> 4, cB = (ia & 15) * 8;
      rb[i] = bn + cB < N ? *reinterpret_cast<const uint4*>(B + (size_t)(k0 + rB) * N + bn + cB) : zero;
    }
  };
  auto sstore = [&]() {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int ia = tid + i * 256;
      *reinterpret_cast<uint4*>(&sA[ia >> 2][(ia & 3) * 8]) = ra[i];
      *reinterpret_cast<uint4*>(&sB[ia >> 4][(ia & 15) * 8]) = rb[i];
    }
  };

  float acc[4][4][4] = {};
  gload(0);
  for (int k0 = 0; k0 < K; k0 += BK) {
    sstore();
    __syncthreads();
    if (k0 + BK < K) gload(k0 + BK);
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        ldmatrix_x4(a[i][0], a[i][1], a[i][2], a[i][3], smem_u32(&sA[wm + i * 16 + (lane & 15)][kk + (lane >> 4) * 8]));
#pragma unroll
      for (int j = 0; j < 4; j += 2)  // k rows 0-15, two 8-wide n tiles
        ldmatrix_x4_trans(b[j][0], b[j][1], b[j + 1][0], b[j + 1][1], smem_u32(&sB[kk + (lane & 15)][wn + j * 8 + (lane >> 4) * 8]));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) mma_m16n8k16<half>(acc[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  const int g = lane >> 2, t = lane & 3;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int n = bn + wn + j * 8 + t * 2;
      const int m0 = bm + wm + i * 16 + g, m1 = m0 + 8;
      if (n < N) {
        if (m0 < M) *reinterpret_cast<float2*>(D + (size_t)m0 * N + n) = make_float2(acc[i][j][0], acc[i][j][1]);
        if (m1 < M) *reinterpret_cast<float2*>(D + (size_t)m1 * N + n) = make_float2(acc[i][j][2], acc[i][j][3]);
      }
    }
}

// ------------------------------------------------------------- v4
__device__ __forceinline__ void cp16(uint32_t dst, const void* src, bool pred) {
  const int sz = pred ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(sz) : "memory");
}

template <typename T, int STAGES, int BM, int BN, int WARPS_M, int WARPS_N>
__global__ void __launch_bounds__(WARPS_M* WARPS_N * 32)
gemm_mma_multistage(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ D, int M, int N, int K) {
  constexpr int BK = 32, NT = WARPS_M * WARPS_N * 32;
  constexpr int WM = BM / WARPS_M, WN = BN / WARPS_N, MI = WM / 16, NI = WN / 8;
  static_assert(NI % 2 == 0 && BN % 64 == 0, "");
  extern __shared__ __align__(128) unsigned char smem[];
  T* sA = reinterpret_cast<T*>(smem);       // [STAGES][BM][32], 16-byte chunks swizzled
  T* sB = sA + STAGES * BM * BK;            // [STAGES][32][BN]
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp / WARPS_N) * WM, wn = (warp % WARPS_N) * WN;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;

  // chunk = 8 elements. A has 4 chunks a row: chunk ^= (row >> 1) & 3.  B has BN/8 chunks a row: chunk ^= row & 7.
  auto offA = [](int r, int ch) { return r * BK + ((ch ^ ((r >> 1) & 3)) << 3); };
  auto offB = [](int r, int ch) { return r * BN + ((ch ^ (r & 7)) << 3); };

  auto prefetch = [&](int stage, int k0) {
    T* a = sA + stage * BM * BK;
    T* b = sB + stage * BK * BN;
    for (int i = tid; i < BM * 4; i += NT) {
      const int r = i >> 2, ch = i & 3;
      const bool p = bm + r < M;
      cp16(smem_u32(a + offA(r, ch)), p ? A + (size_t)(bm + r) * K + k0 + ch * 8 : A, p);
    }
    for (int i = tid; i < BK * (BN / 8); i += NT) {
      const int r = i / (BN / 8), ch = i % (BN / 8);
      const bool p = bn + ch * 8 < N;
      cp16(smem_u32(b + offB(r, ch)), p ? B + (size_t)(k0 + r) * N + bn + ch * 8 : B, p);
    }
  };

  const int ktiles = K / BK;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < ktiles) prefetch(s, s * BK);
    asm volatile("cp.async.commit_group;");
  }
  float acc[MI][NI][4] = {};
  for (int kt = 0; kt < ktiles; ++kt) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    const int nxt = kt + STAGES - 1;
    if (nxt < ktiles) prefetch(nxt % STAGES, nxt * BK);
    asm volatile("cp.async.commit_group;");

    const T* a_s = sA + (kt % STAGES) * BM * BK;
    const T* b_s = sB + (kt % STAGES) * BK * BN;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t a[MI][4], b[NI][2];
#pragma unroll
      for (int i = 0; i < MI; ++i)
        ldmatrix_x4(a[i][0], a[i][1], a[i][2], a[i][3], smem_u32(a_s + offA(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4))));
#pragma unroll
      for (int j = 0; j < NI; j += 2)
        ldmatrix_x4_trans(b[j][0], b[j][1], b[j + 1][0], b[j + 1][1],
                          smem_u32(b_s + offB(kk * 16 + (lane & 15), wn / 8 + j + (lane >> 4))));
#pragma unroll
      for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) mma_m16n8k16<T>(acc[i][j], a[i], b[j]);
    }
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");

  using T2 = typename std::conditional<std::is_same<T, half>::value, __half2, __nv_bfloat162>::type;
  const int g = lane >> 2, t = lane & 3;
#pragma unroll
  for (int i = 0; i < MI; ++i)
#pragma unroll
    for (int j = 0; j < NI; ++j) {
      const int n = bn + wn + j * 8 + t * 2;
      if (n >= N) continue;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int m = bm + wm + i * 16 + g + h * 8;
        if (m >= M) continue;
        T2 v;
        v.x = T(acc[i][j][2 * h]);
        v.y = T(acc[i][j][2 * h + 1]);
        *reinterpret_cast<T2*>(D + (size_t)m * N + n) = v;
      }
    }
}

// ------------------------------------------------------------- host
static int ceil_div(int a, int b) { return (a + b - 1) / b; }

template <typename TI, typename TO>
static double check_rows(const TI* dA, const TI* dB, const TO* dD, int M, int N, int K) {
  std::vector<TI> A((size_t)M * K), B((size_t)K * N);
  std::vector<TO> D((size_t)M * N);
  CUDA_ASSERT(cudaMemcpy(A.data(), dA, A.size() * sizeof(TI), cudaMemcpyDeviceToHost));
  CUDA_ASSERT(cudaMemcpy(B.data(), dB, B.size() * sizeof(TI), cudaMemcpyDeviceToHost));
  CUDA_ASSERT(cudaMemcpy(D.data(), dD, D.size() * sizeof(TO), cudaMemcpyDeviceToHost));
  std::vector<float> Bf(B.size()), row(N);
  for (size_t i = 0; i < B.size(); ++i) Bf[i] = (float)B[i];
  double worst = 0;
  for (int m = 0; m < M; m = m + 37 < M || m == M - 1 ? m + 37 : M - 1) {  // every 37th row and the last one
    std::fill(row.begin(), row.end(), 0.f);
    for (int k = 0; k < K; ++k) {
      const float a = (float)A[(size_t)m * K + k];
      for (int n = 0; n < N; ++n) row[n] += a * Bf[(size_t)k * N + n];
    }
    for (int n = 0; n < N; ++n) worst = std::fmax(worst, std::fabs((double)(float)D[(size_t)m * N + n] - row[n]));
  }
  return worst;
}

int main() {
  const int M = 1040, N = 1200, K = 1056;
  half *hA, *hB, *hD;
  bf16 *bA, *bB, *bD;
  float* fD;
  CUDA_ASSERT(cudaMalloc(&hA, sizeof(half) * M * K));
  CUDA_ASSERT(cudaMalloc(&hB, sizeof(half) * K * N));
  CUDA_ASSERT(cudaMalloc(&hD, sizeof(half) * M * N));
  CUDA_ASSERT(cudaMalloc(&bA, sizeof(bf16) * M * K));
  CUDA_ASSERT(cudaMalloc(&bB, sizeof(bf16) * K * N));
  CUDA_ASSERT(cudaMalloc(&bD, sizeof(bf16) * M * N));
  CUDA_ASSERT(cudaMalloc(&fD, sizeof(float) * M * N));

  fill_uniform<<<264, 256>>>(hA, bA, (size_t)M * K, 12345u);
  fill_uniform<<<264, 256>>>(hB, bB, (size_t)K * N, 67890u);
  CUDA_ASSERT(cudaGetLastError());
  CUDA_ASSERT(cudaDeviceSynchronize());

  bool ok = true;
  auto say = [&](const char* name, double err, double tol) {
    printf("%-34s max err %.4g  %s\n", name, err, err < tol ? "ok" : "MISMATCH");
    ok = ok && err < tol;
  };

  hgemm_wmma_naive<<<dim3(ceil_div(N / 16, 4), M / 16), dim3(32, 4)>>>(hA, hB, fD, M, N, K);
  CUDA_ASSERT(cudaGetLastError());
  say("wmma naive", check_rows(hA, hB, fD, M, N, K), 1e-2);

  CUDA_ASSERT(cudaMemset(fD, 0, sizeof(float) * M * N));
  hgemm_wmma_smem<<<dim3(ceil_div(N, 64), ceil_div(M, 64)), 128>>>(hA, hB, fD, M, N, K);
  CUDA_ASSERT(cudaGetLastError());
  say("wmma smem 64x64x32", check_rows(hA, hB, fD, M, N, K), 1e-2);

  CUDA_ASSERT(cudaMemset(fD, 0, sizeof(float) * M * N));
  hgemm_mma_ldmatrix<<<dim3(ceil_div(N, 128), ceil_div(M, 128)), 256>>>(hA, hB, fD, M, N, K);
  CUDA_ASSERT(cudaGetLastError());
  say("mma.sync ldmatrix 128x128x32", check_rows(hA, hB, fD, M, N, K), 1e-2);

  {
    constexpr int ST = 3, BM = 128, BN = 128;
    auto kern = gemm_mma_multistage<half, ST, BM, BN, 2, 4>;
    const int smem = ST * (BM * 32 + 32 * BN) * (int)sizeof(half);
    CUDA_ASSERT(cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    kern<<<dim3(ceil_div(N, BN), ceil_div(M, BM)), 256, smem>>>(hA, hB, hD, M, N, K);
    CUDA_ASSERT(cudaGetLastError());
    say("mma.sync cp.async 3 stages, half", check_rows(hA, hB, hD, M, N, K), 0.1);
  }
  {
    constexpr int ST = 4, BM = 96, BN = 64;
    auto kern = gemm_mma_multistage<bf16, ST, BM, BN, 2, 2>;
    const int smem = ST * (BM * 32 + 32 * BN) * (int)sizeof(bf16);
    CUDA_ASSERT(cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    kern<<<dim3(ceil_div(N, BN), ceil_div(M, BM)), 128, smem>>>(bA, bB, bD, M, N, K);
    CUDA_ASSERT(cudaGetLastError());
    say("mma.sync cp.async 4 stages, bf16", check_rows(bA, bB, bD, M, N, K), 0.5);
  }

  cudaFree(hA); cudaFree(hB); cudaFree(hD); cudaFree(bA); cudaFree(bB); cudaFree(bD); cudaFree(fD);
  return ok ? 0 : 1;
}
