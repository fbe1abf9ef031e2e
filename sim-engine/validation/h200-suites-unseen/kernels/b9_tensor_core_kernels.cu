// b9_tensor_core_kernels.cu
//
// Tensor-core and half-precision kernels, from the plain wmma GEMM to a
// multi-stage mma.sync GEMM with cp.async and a fused attention forward.
//   fp16: wmma naive / shared / double-buffered, mma.sync + ldmatrix + cp.async
//   half2 FMA GEMM, bf16 batched matvec, int8 wmma, tf32 wmma
//   attention: QK^T, softmax, PV by wmma, and fused with mma.sync
//   linear layer with bias + gelu epilogue
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace nvcuda;

#define CUDA_CHECK(status)                                                         \
  do {                                                                             \
    cudaError_t error = status;                                                    \
    if (error != cudaSuccess) {                                                    \
      fprintf(stderr, "Got bad cuda status: %s at line: %d\n", cudaGetErrorString(error), __LINE__); \
      exit(EXIT_FAILURE);                                                          \
    }                                                                              \
  } while (0)

// ============================================================================
// PTX wrappers
// ============================================================================
__device__ __forceinline__ uint32_t smem_u32(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void cp_async16(uint32_t dst, const void* src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr)
               : "memory");
}
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t (&r)[4], uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr)
               : "memory");
}
__device__ __forceinline__ void mma_16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t pack_half2(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t*>(&h);
}

// ============================================================================
// wmma GEMMs: C[M,N] (fp32) = A[M,K] B[K,N], all row-major
// ============================================================================

// one warp per 16x16 tile, operands straight from global memory
__global__ void wmma_gemm_naive(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C, int M,
                                int N, int K) {
  const int warp_m = blockIdx.y * blockDim.y + threadIdx.y;
  const int warp_n = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (warp_m * 16 >= M || warp_n * 16 >= N) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + (size_t)warp_m * 16 * K + k, K);
    wmma::load_matrix_sync(b, B + (size_t)k * N + warp_n * 16, N);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + (size_t)warp_m * 16 * N + warp_n * 16, c, N, wmma::mem_row_major);
}

// 64x64 block tile, 4 warps of 32x32, one shared stage
__global__ void __launch_bounds__(128)
wmma_gemm_shared(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 32;
  __shared__ __align__(32) half As[BM][BK + 8];
  __shared__ __align__(32) half Bs[BK][BN + 8];
  const int warp = threadIdx.x / 32;
  const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);

  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int it = 0; it < 2; it++) {
      const int c = threadIdx.x + it * 128;  // 256 chunks of 8 halves each for A and B
      const int ar = c / 4, ac = (c % 4) * 8;
      *reinterpret_cast<uint4*>(&As[ar][ac]) =
          *reinterpret_cast<const uint4*>(A + (size_t)(m0 + ar) * K + k0 + ac);
      const int br = c / 8, bc = (c % 8) * 8;
      *reinterpret_cast<uint4*>(&Bs[br][bc]) =
          *reinterpret_cast<const uint4*>(B + (size_t)(k0 + br) * N + n0 + bc);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(a[i], &As[wm + i * 16][kk], BK + 8);
        wmma::load_matrix_sync(b[i], &Bs[kk][wn + i * 16], BN + 8);
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(C + (size_t)(m0 + wm + i * 16) * N + n0 + wn + j * 16, acc[i][j], N,
                              wmma::mem_row_major);
}

// 128x128 block tile, 8 warps of 32x64, two shared stages, register prefetch
__global__ void __launch_bounds__(256)
wmma_gemm_double_buffered(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C, int M, int N,
                          int K) {
  constexpr int BM = 128, BN = 128, BK = 32;
  __shared__ __align__(32) half As[2][BM][BK + 8];
  __shared__ __align__(32) half Bs[2][BK][BN + 8];
  const int warp = threadIdx.x / 32;
  const int wm = (warp / 2) * 32, wn = (warp % 2) * 64;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;

  uint4 ra[2], rb[2];
  auto fetch = [&](int k0) {
#pragma unroll
    for (int it = 0; it < 2; it++) {
      const int c = threadIdx.x + it * 256;
      ra[it] = *reinterpret_cast<const uint4*>(A + (size_t)(m0 + c / 4) * K + k0 + (c % 4) * 8);
      rb[it] = *reinterpret_cast<const uint4*>(B + (size_t)(k0 + c / 16) * N + n0 + (c % 16) * 8);
    }
  };
  auto stash = [&](int buf) {
#pragma unroll
    for (int it = 0; it < 2; it++) {
      const int c = threadIdx.x + it * 256;
      *reinterpret_cast<uint4*>(&As[buf][c / 4][(c % 4) * 8]) = ra[it];
      *reinterpret_cast<uint4*>(&Bs[buf][c / 16][(c % 16) * 8]) = rb[it];
    }
  };

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][4];
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) wmma::fill_fragment(acc[i][j], 0.0f);

  fetch(0);
  stash(0);
  __syncthreads();
  int buf = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const bool more = k0 + BK < K;
    if (more) fetch(k0 + BK);
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[4];
#pragma unroll
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], &As[buf][wm + i * 16][kk], BK + 8);
#pragma unroll
      for (int j = 0; j < 4; j++) wmma::load_matrix_sync(b[j], &Bs[buf][kk][wn + j * 16], BN + 8);
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    if (more) stash(buf ^ 1);
    __syncthreads();
    buf ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      wmma::store_matrix_sync(C + (size_t)(m0 + wm + i * 16) * N + n0 + wn + j * 16, acc[i][j], N,
                              wmma::mem_row_major);
}

// ============================================================================
// mma.sync GEMM: 128x128x32 tiles, four cp.async stages, XOR-swizzled shared
// memory, 8 warps of 64x32.  C is fp16.
// ============================================================================
template <int BM_, int BN_, int BK_, int STAGES_>
struct GemmTraits {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, STAGES = STAGES_;
  static constexpr int THREADS = 256;
  static constexpr int A_BYTES = BM * BK * 2, B_BYTES = BK * BN * 2;
  static constexpr int SMEM = STAGES * (A_BYTES + B_BYTES);
  static_assert(BM == 128 && BN == 128 && BK == 32);
};

template <typename T>
__global__ void __launch_bounds__(T::THREADS)
mma_gemm_multistage(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  extern __shared__ __align__(128) unsigned char smem[];
  const uint32_t sA = smem_u32(smem), sB = sA + T::STAGES * T::A_BYTES;
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int wm = (warp / 4) * 64, wn = (warp % 4) * 32;
  const int m0 = blockIdx.y * T::BM, n0 = blockIdx.x * T::BN;

  // A rows are 64 bytes (4 chunks), B rows 256 bytes (16 chunks).
  auto a_addr = [&](int stage, int row, int chunk) {
    return sA + stage * T::A_BYTES + row * 64 + ((chunk ^ ((row >> 1) & 3)) << 4);
  };
  auto b_addr = [&](int stage, int row, int chunk) {
    return sB + stage * T::B_BYTES + row * 256 + ((chunk ^ (row & 7)) << 4);
  };
  auto load_stage = [&](int stage, int k0) {
#pragma unroll
    for (int it = 0; it < 2; it++) {
      const int c = tid + it * 256;
      cp_async16(a_addr(stage, c / 4, c % 4), A + (size_t)(m0 + c / 4) * K + k0 + (c % 4) * 8);
      cp_async16(b_addr(stage, c / 16, c % 16), B + (size_t)(k0 + c / 16) * N + n0 + (c % 16) * 8);
    }
  };

  float acc[4][4][4] = {};
  const int k_tiles = K / T::BK;
#pragma unroll
  for (int s = 0; s < T::STAGES - 1; s++) {
    if (s < k_tiles) load_stage(s, s * T::BK);
    cp_async_commit();
  }
  for (int kt = 0; kt < k_tiles; kt++) {
    cp_async_wait<T::STAGES - 2>();
    __syncthreads();
    const int next = kt + T::STAGES - 1;
    if (next < k_tiles) load_stage(next % T::STAGES, next * T::BK);
    cp_async_commit();

    const int stage = kt % T::STAGES;
#pragma unroll
    for (int kk = 0; kk < T::BK / 16; kk++) {
      uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; i++) ldmatrix_x4(a[i], a_addr(stage, wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
      for (int j = 0; j < 2; j++)
        ldmatrix_x4_trans(b[j], b_addr(stage, kk * 16 + (lane & 15), (wn + j * 16) / 8 + (lane >> 4)));
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma_16816(acc[i][j], a[i], b[j / 2][(j % 2) * 2], b[j / 2][(j % 2) * 2 + 1]);
    }
  }
  cp_async_wait<0>();

#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int r = m0 + wm + i * 16 + lane / 4, c = n0 + wn + j * 8 + (lane % 4) * 2;
      *reinterpret_cast<uint32_t*>(C + (size_t)r * N + c) = pack_half2(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<uint32_t*>(C + (size_t)(r + 8) * N + c) = pack_half2(acc[i][j][2], acc[i][j][3]);
    }
}

// ============================================================================
// half2 GEMM on the FMA pipes: 64x64 tile, 4x4 per thread, promoted to fp32
// after every k-slab to keep the error down
// ============================================================================
__global__ void __launch_bounds__(256)
half2_gemm(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 16;
  __shared__ half2 As[BK][BM + 1];  // every element duplicated
  __shared__ __align__(16) half2 Bs[BK][BN / 2];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  float2 sum[4][2] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    {
      const int r = threadIdx.x / 4, c = (threadIdx.x % 4) * 4;  // 64 rows x 16 columns, four each
      const uint2 v = *reinterpret_cast<const uint2*>(A + (size_t)(m0 + r) * K + k0 + c);
      const half2 lo = *reinterpret_cast<const half2*>(&v.x), hi = *reinterpret_cast<const half2*>(&v.y);
      As[c + 0][r] = __low2half2(lo);
      As[c + 1][r] = __high2half2(lo);
      As[c + 2][r] = __low2half2(hi);
      As[c + 3][r] = __high2half2(hi);
      const int br = threadIdx.x / 16, bc = (threadIdx.x % 16) * 4;
      *reinterpret_cast<uint2*>(&Bs[br][bc / 2]) =
          *reinterpret_cast<const uint2*>(B + (size_t)(k0 + br) * N + n0 + bc);
    }
    __syncthreads();
    half2 acc[4][2];
#pragma unroll
    for (int i = 0; i < 4; i++) acc[i][0] = acc[i][1] = __float2half2_rn(0.f);
#pragma unroll
    for (int k = 0; k < BK; k++) {
      const half2 b0 = Bs[k][tx * 2], b1 = Bs[k][tx * 2 + 1];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const half2 a = As[k][ty * 4 + i];
        acc[i][0] = __hfma2(a, b0, acc[i][0]);
        acc[i][1] = __hfma2(a, b1, acc[i][1]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 2; j++) {
        const float2 f = __half22float2(acc[i][j]);
        sum[i][j].x += f.x;
        sum[i][j].y += f.y;
      }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint2 o;
    o.x = pack_half2(sum[i][0].x, sum[i][0].y);
    o.y = pack_half2(sum[i][1].x, sum[i][1].y);
    *reinterpret_cast<uint2*>(C + (size_t)(m0 + ty * 4 + i) * N + n0 + tx * 4) = o;
  }
}

// ============================================================================
// bf16 batched matvec: a warp per row, 128-bit loads
// ============================================================================
__global__ void bf16_batched_matvec(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ x,
                                    float* __restrict__ y, int batch, int rows, int cols) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (warp >= batch * rows) return;
  const int b = warp / rows;
  const uint4* a4 = reinterpret_cast<const uint4*>(A + (size_t)warp * cols);
  const uint4* x4 = reinterpret_cast<const uint4*>(x + (size_t)b * cols);
  float acc = 0.f;
  for (int i = lane; i < cols / 8; i += 32) {
    const uint4 av = __ldcs(a4 + i), xv = __ldg(x4 + i);
    const __nv_bfloat162* ap = reinterpret_cast<const __nv_bfloat162*>(&av);
    const __nv_bfloat162* xp = reinterpret_cast<const __nv_bfloat162*>(&xv);
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const float2 fa = __bfloat1622float2(ap[j]), fx = __bfloat1622float2(xp[j]);
      acc = fmaf(fa.x, fx.x, fmaf(fa.y, fx.y, acc));
    }
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
  if (lane == 0) y[warp] = acc;
}

// ============================================================================
// int8 wmma: C[M,N] (int32) = A[M,K] W[N,K]^T, 64x64 tile, k-slab of 64
// ============================================================================
__global__ void __launch_bounds__(128)
wmma_gemm_int8(const int8_t* __restrict__ A, const int8_t* __restrict__ W, int* __restrict__ C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 64, LD = BK + 16;
  __shared__ __align__(32) signed char As[BM * LD];
  __shared__ __align__(32) signed char Ws[BN * LD];
  const int warp = threadIdx.x / 32;
  const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0);
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int it = 0; it < 2; it++) {
      const int c = threadIdx.x + it * 128;  // 64 rows of four 16-byte chunks
      const int r = c / 4, col = (c % 4) * 16;
      *reinterpret_cast<uint4*>(As + r * LD + col) = *reinterpret_cast<const uint4*>(A + (size_t)(m0 + r) * K + k0 + col);
      *reinterpret_cast<uint4*>(Ws + r * LD + col) = *reinterpret_cast<const uint4*>(W + (size_t)(n0 + r) * K + k0 + col);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(a[i], As + (wm + i * 16) * LD + kk, LD);
        wmma::load_matrix_sync(b[i], Ws + (wn + i * 16) * LD + kk, LD);
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(C + (size_t)(m0 + wm + i * 16) * N + n0 + wn + j * 16, acc[i][j], N,
                              wmma::mem_row_major);
}

// ============================================================================
// tf32 wmma, fp32 operands, 64x64 tile, k-slab of 16
// ============================================================================
__global__ void __launch_bounds__(128)
wmma_gemm_tf32(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 16;
  __shared__ __align__(32) float As[BM][BK + 4];
  __shared__ __align__(32) float Bs[BK][BN + 4];
  const int warp = threadIdx.x / 32;
  const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int it = 0; it < 2; it++) {
      const int c = threadIdx.x + it * 128;
      const int ar = c / 4, ac = (c % 4) * 4, br = c / 16, bc = (c % 16) * 4;
      float4 a = *reinterpret_cast<const float4*>(A + (size_t)(m0 + ar) * K + k0 + ac);
      float4 b = *reinterpret_cast<const float4*>(B + (size_t)(k0 + br) * N + n0 + bc);
      a.x = wmma::__float_to_tf32(a.x), a.y = wmma::__float_to_tf32(a.y);
      a.z = wmma::__float_to_tf32(a.z), a.w = wmma::__float_to_tf32(a.w);
      b.x = wmma::__float_to_tf32(b.x), b.y = wmma::__float_to_tf32(b.y);
      b.z = wmma::__float_to_tf32(b.z), b.w = wmma::__float_to_tf32(b.w);
      *reinterpret_cast<float4*>(&As[ar][ac]) = a;
      *reinterpret_cast<float4*>(&Bs[br][bc]) = b;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(a[i], &As[wm + i * 16][kk], BK + 4);
        wmma::load_matrix_sync(b[i], &Bs[kk][wn + i * 16], BN + 4);
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(C + (size_t)(m0 + wm + i * 16) * N + n0 + wn + j * 16, acc[i][j], N,
                              wmma::mem_row_major);
}

// ============================================================================
// Linear layer: out = gelu(X[M,K] W[N,K]^T + bias), fp16 out.  Accumulators go
// through shared memory so that the epilogue writes 128-bit vectors.
// ============================================================================
__device__ __forceinline__ float gelu(float x) {
  return 0.5f * x * (1.f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__global__ void __launch_bounds__(128)
wmma_linear_bias_gelu(const half* __restrict__ X, const half* __restrict__ W, const half* __restrict__ bias,
                      half* __restrict__ out, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 32, LD = BK + 8, LDC = BN + 4;
  __shared__ __align__(32) half Xs[BM][LD];
  __shared__ __align__(32) half Ws[BN][LD];
  __shared__ __align__(32) float Cs[BM][LDC];
  const int warp = threadIdx.x / 32;
  const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int it = 0; it < 2; it++) {
      const int c = threadIdx.x + it * 128;
      const int r = c / 4, col = (c % 4) * 8;
      *reinterpret_cast<uint4*>(&Xs[r][col]) = *reinterpret_cast<const uint4*>(X + (size_t)(m0 + r) * K + k0 + col);
      *reinterpret_cast<uint4*>(&Ws[r][col]) = *reinterpret_cast<const uint4*>(W + (size_t)(n0 + r) * K + k0 + col);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(a[i], &Xs[wm + i * 16][kk], LD);
        wmma::load_matrix_sync(b[i], &Ws[wn + i * 16][kk], LD);
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&Cs[wm + i * 16][wn + j * 16], acc[i][j], LDC, wmma::mem_row_major);
  __syncthreads();
  for (int c = threadIdx.x; c < BM * BN / 8; c += 128) {
    const int r = c / 8, col = (c % 8) * 8;
    half bv[8], ov[8];
    *reinterpret_cast<uint4*>(bv) = *reinterpret_cast<const uint4*>(bias + n0 + col);
#pragma unroll
    for (int k = 0; k < 8; k++) ov[k] = __float2half(gelu(Cs[r][col + k] + __half2float(bv[k])));
    *reinterpret_cast<uint4*>(out + (size_t)(m0 + r) * N + n0 + col) = *reinterpret_cast<uint4*>(ov);
  }
}

// ============================================================================
// Attention in three kernels.  Q, K, V: [BH][T][64] fp16.
// ============================================================================
constexpr int HD = 64;

// S = scale * Q K^T, a 64x64 tile of S per block, 4 warps of 32x32
__global__ void __launch_bounds__(128)
wmma_attention_scores(const half* __restrict__ Q, const half* __restrict__ K, float* __restrict__ S, int T,
                      float scale) {
  const int bh = blockIdx.z, warp = threadIdx.x / 32;
  const int q0 = blockIdx.y * 64 + (warp / 2) * 32, k0 = blockIdx.x * 64 + (warp % 2) * 32;
  const half* q = Q + ((size_t)bh * T + q0) * HD;
  const half* k = K + ((size_t)bh * T + k0) * HD;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
#pragma unroll
  for (int d = 0; d < HD; d += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      wmma::load_matrix_sync(a[i], q + i * 16 * HD + d, HD);
      wmma::load_matrix_sync(b[i], k + i * 16 * HD + d, HD);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) {
#pragma unroll
      for (int e = 0; e < acc[i][j].num_elements; e++) acc[i][j].x[e] *= scale;
      wmma::store_matrix_sync(S + ((size_t)bh * T + q0 + i * 16) * T + k0 + j * 16, acc[i][j], T,
                              wmma::mem_row_major);
    }
}

// P = softmax(S), a warp per row of T = 512 values held in registers
__global__ void __launch_bounds__(256) attention_softmax_512(const float* __restrict__ S, half* __restrict__ P, int rows) {
  constexpr int T = 512;
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* src = reinterpret_cast<const float4*>(S + (size_t)row * T);
  float4 v[4];
  float m = -INFINITY;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    v[i] = src[i * 32 + lane];
    m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float l = 0.f;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    v[i].x = __expf(v[i].x - m);
    v[i].y = __expf(v[i].y - m);
    v[i].z = __expf(v[i].z - m);
    v[i].w = __expf(v[i].w - m);
    l += v[i].x + v[i].y + v[i].z + v[i].w;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) l += __shfl_xor_sync(0xffffffffu, l, o);
  const float inv = 1.f / l;
  uint2* dst = reinterpret_cast<uint2*>(P + (size_t)row * T);
#pragma unroll
  for (int i = 0; i < 4; i++)
    dst[i * 32 + lane] = make_uint2(pack_half2(v[i].x * inv, v[i].y * inv), pack_half2(v[i].z * inv, v[i].w * inv));
}

// O = P V, 64 rows per block, a warp per 16 rows x 64 columns; V slabs in shared memory
__global__ void __launch_bounds__(128)
wmma_attention_output(const half* __restrict__ P, const half* __restrict__ V, float* __restrict__ O, int T) {
  __shared__ __align__(32) half Vs[64][HD + 8];
  const int bh = blockIdx.y, warp = threadIdx.x / 32;
  const int q0 = blockIdx.x * 64 + warp * 16;
  const half* p = P + ((size_t)bh * T + q0) * T;
  const half* v = V + (size_t)bh * T * HD;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
#pragma unroll
  for (int j = 0; j < 4; j++) wmma::fill_fragment(acc[j], 0.0f);
  for (int t0 = 0; t0 < T; t0 += 64) {
#pragma unroll
    for (int it = 0; it < 4; it++) {
      const int c = threadIdx.x + it * 128;  // 64 rows of 8 chunks
      *reinterpret_cast<uint4*>(&Vs[c / 8][(c % 8) * 8]) =
          *reinterpret_cast<const uint4*>(v + (size_t)(t0 + c / 8) * HD + (c % 8) * 8);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 64; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
      wmma::load_matrix_sync(a, p + t0 + kk, T);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::load_matrix_sync(b, &Vs[kk][j * 16], HD + 8);
        wmma::mma_sync(acc[j], a, b, acc[j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
    wmma::store_matrix_sync(O + ((size_t)bh * T + q0) * HD + j * 16, acc[j], HD, wmma::mem_row_major);
}

// ============================================================================
// Fused attention forward: 64 queries per block, 16 per warp, key/value tiles of
// 64, online softmax in registers; K and V arrive by cp.async, V during QK^T and
// the next K during PV.
// ============================================================================
__global__ void __launch_bounds__(128)
flash_attention_fwd(const half* __restrict__ Q, const half* __restrict__ K, const half* __restrict__ V,
                    float* __restrict__ O, int T, float scale_log2) {
  __shared__ __align__(128) half sQ[64 * HD], sK[64 * HD], sV[64 * HD];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int bh = blockIdx.y, q0 = blockIdx.x * 64;
  const half* gQ = Q + ((size_t)bh * T + q0) * HD;
  const half* gK = K + (size_t)bh * T * HD;
  const half* gV = V + (size_t)bh * T * HD;
  const uint32_t aQ = smem_u32(sQ), aK = smem_u32(sK), aV = smem_u32(sV);

  auto at = [](uint32_t base, int row, int chunk) { return base + row * 128 + ((chunk ^ (row & 7)) << 4); };
  auto load_tile = [&](uint32_t base, const half* src) {
#pragma unroll
    for (int it = 0; it < 4; it++) {
      const int c = tid + it * 128;
      cp_async16(at(base, c / 8, c % 8), src + (c / 8) * HD + (c % 8) * 8);
    }
  };

  load_tile(aQ, gQ);
  load_tile(aK, gK);
  cp_async_commit();

  uint32_t q[4][4];
  float o[8][4] = {};
  float m[2] = {-INFINITY, -INFINITY}, l[2] = {0.f, 0.f};

  const int tiles = T / 64;
  for (int t = 0; t < tiles; t++) {
    load_tile(aV, gV + (size_t)t * 64 * HD);
    cp_async_commit();
    cp_async_wait<1>();  // K (and Q) have arrived
    __syncthreads();
    if (t == 0) {
#pragma unroll
      for (int d = 0; d < 4; d++) ldmatrix_x4(q[d], at(aQ, warp * 16 + (lane & 15), d * 2 + (lane >> 4)));
    }

    float s[8][4] = {};
#pragma unroll
    for (int d = 0; d < 4; d++) {
#pragma unroll
      for (int n = 0; n < 4; n++) {
        uint32_t b[4];
        ldmatrix_x4(b, at(aK, n * 16 + (lane & 7) + ((lane >> 4) << 3), d * 2 + ((lane >> 3) & 1)));
        mma_16816(s[2 * n], q[d], b[0], b[1]);
        mma_16816(s[2 * n + 1], q[d], b[2], b[3]);
      }
    }
    __syncthreads();  // everyone is done with this K tile
    if (t + 1 < tiles) load_tile(aK, gK + (size_t)(t + 1) * 64 * HD);
    cp_async_commit();

    // online softmax; a thread holds two rows, four lanes share a row
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float mx = m[r];
#pragma unroll
      for (int n = 0; n < 8; n++) mx = fmaxf(mx, fmaxf(s[n][2 * r], s[n][2 * r + 1]));
      mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, 1));
      mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, 2));
      const float corr = exp2f((m[r] - mx) * scale_log2);
      m[r] = mx;
      float sum = 0.f;
#pragma unroll
      for (int n = 0; n < 8; n++) {
        s[n][2 * r] = exp2f((s[n][2 * r] - mx) * scale_log2);
        s[n][2 * r + 1] = exp2f((s[n][2 * r + 1] - mx) * scale_log2);
        sum += s[n][2 * r] + s[n][2 * r + 1];
        o[n][2 * r] *= corr;
        o[n][2 * r + 1] *= corr;
      }
      l[r] = l[r] * corr + sum;
    }

    cp_async_wait<1>();  // V has arrived
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 4; kk++) {
      const uint32_t p[4] = {pack_half2(s[2 * kk][0], s[2 * kk][1]), pack_half2(s[2 * kk][2], s[2 * kk][3]),
                             pack_half2(s[2 * kk + 1][0], s[2 * kk + 1][1]),
                             pack_half2(s[2 * kk + 1][2], s[2 * kk + 1][3])};
#pragma unroll
      for (int n = 0; n < 4; n++) {
        uint32_t b[4];
        ldmatrix_x4_trans(b, at(aV, kk * 16 + (lane & 15), n * 2 + (lane >> 4)));
        mma_16816(o[2 * n], p, b[0], b[1]);
        mma_16816(o[2 * n + 1], p, b[2], b[3]);
      }
    }
    __syncthreads();  // V may be overwritten
  }

#pragma unroll
  for (int r = 0; r < 2; r++) {
    l[r] += __shfl_xor_sync(0xffffffffu, l[r], 1);
    l[r] += __shfl_xor_sync(0xffffffffu, l[r], 2);
    const float inv = 1.f / l[r];
    const int row = q0 + warp * 16 + lane / 4 + 8 * r;
    float* dst = O + ((size_t)bh * T + row) * HD + (lane % 4) * 2;
#pragma unroll
    for (int n = 0; n < 8; n++)
      *reinterpret_cast<float2*>(dst + n * 8) = make_float2(o[n][2 * r] * inv, o[n][2 * r + 1] * inv);
  }
}

// ============================================================================
// Host
// ============================================================================
static float noise(uint32_t i, uint32_t salt) {  // [-0.5, 0.5)
  uint32_t h = (i + salt * 0x9E3779B9u) * 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  h ^= h >> 16;
  return float(h >> 8) * (1.f / 16777216.f) - 0.5f;
}
static std::vector<half> half_data(size_t n, uint32_t salt) {
  std::vector<half> v(n);
  for (size_t i = 0; i < n; i++) v[i] = __float2half(noise(uint32_t(i), salt));
  return v;
}
template <typename T>
T* to_device(const std::vector<T>& h) {
  T* d;
  CUDA_CHECK(cudaMalloc(&d, h.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}
template <typename T>
T* device_empty(size_t n) {
  T* d;
  CUDA_CHECK(cudaMalloc(&d, n * sizeof(T)));
  CUDA_CHECK(cudaMemset(d, 0, n * sizeof(T)));
  return d;
}
template <typename T>
std::vector<T> to_host(const T* d, size_t n) {
  std::vector<T> h(n);
  CUDA_CHECK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  return h;
}

static int g_errors = 0;
static void verdict(const char* name, double err, double tol) {
  CUDA_CHECK(cudaGetLastError());
  const bool ok = err <= tol;
  g_errors += !ok;
  printf("%-30s max |error| %.3e %s\n", name, err, ok ? "Passed" : "Failed");
}
// Compares about 300 entries of an MxN result with a host dot product.
static double sample_error(int M, int N, const std::function<double(int, int)>& got,
                           const std::function<double(int, int)>& want) {
  double e = 0;
  for (int s = 0; s < 300; s++) {
    const int r = int((s * 7919u + 13u) % unsigned(M)), c = int((s * 104729u + 7u) % unsigned(N));
    e = std::fmax(e, std::fabs(got(r, c) - want(r, c)));
  }
  return e;
}

int main() {
  {  // ---- wmma, 1024^3 ----
    const int M = 1024, N = 1024, K = 1024;
    const auto hA = half_data(size_t(M) * K, 1), hB = half_data(size_t(K) * N, 2);
    half *A = to_device(hA), *B = to_device(hB);
    float* C = device_empty<float>(size_t(M) * N);
    auto want = [&](int r, int c) {
      double s = 0;
      for (int k = 0; k < K; k++) s += double(__half2float(hA[size_t(r) * K + k])) * __half2float(hB[size_t(k) * N + c]);
      return s;
    };
    auto check = [&](const char* name) {
      const auto h = to_host(C, size_t(M) * N);
      verdict(name, sample_error(M, N, [&](int r, int c) { return double(h[size_t(r) * N + c]); }, want), 1e-2);
    };
    wmma_gemm_naive<<<dim3(N / 64, M / 64), dim3(128, 4)>>>(A, B, C, M, N, K);
    check("wmma_gemm_naive");
    wmma_gemm_shared<<<dim3(N / 64, M / 64), 128>>>(A, B, C, M, N, K);
    check("wmma_gemm_shared");
    wmma_gemm_double_buffered<<<dim3(N / 128, M / 128), 256>>>(A, B, C, M, N, K);
    check("wmma_gemm_double_buffered");
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
  }

  {  // ---- mma.sync, two shapes ----
    using Traits = GemmTraits<128, 128, 32, 4>;
    CUDA_CHECK(cudaFuncSetAttribute(mma_gemm_multistage<Traits>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    Traits::SMEM));
    const int shapes[2][3] = {{2048, 2048, 2048}, {512, 1024, 4096}};
    for (const auto& s : shapes) {
      const int M = s[0], N = s[1], K = s[2];
      const auto hA = half_data(size_t(M) * K, 3), hB = half_data(size_t(K) * N, 4);
      half *A = to_device(hA), *B = to_device(hB), *C = device_empty<half>(size_t(M) * N);
      mma_gemm_multistage<Traits><<<dim3(N / Traits::BN, M / Traits::BM), Traits::THREADS, Traits::SMEM>>>(A, B, C, M,
                                                                                                         N, K);
      CUDA_CHECK(cudaGetLastError());
      const auto h = to_host(C, size_t(M) * N);
      verdict("mma_gemm_multistage",
              sample_error(M, N, [&](int r, int c) { return double(__half2float(h[size_t(r) * N + c])); },
                           [&](int r, int c) {
                             double v = 0;
                             for (int k = 0; k < K; k++)
                               v += double(__half2float(hA[size_t(r) * K + k])) * __half2float(hB[size_t(k) * N + c]);
                             return v;
                           }),
              3e-2);
      cudaFree(A);
      cudaFree(B);
      cudaFree(C);
    }
  }

  {  // ---- half2 ----
    const int M = 1024, N = 512, K = 512;
    const auto hA = half_data(size_t(M) * K, 5), hB = half_data(size_t(K) * N, 6);
    half *A = to_device(hA), *B = to_device(hB), *C = device_empty<half>(size_t(M) * N);
    half2_gemm<<<dim3(N / 64, M / 64), 256>>>(A, B, C, M, N, K);
    const auto h = to_host(C, size_t(M) * N);
    verdict("half2_gemm",
            sample_error(M, N, [&](int r, int c) { return double(__half2float(h[size_t(r) * N + c])); },
                         [&](int r, int c) {
                           double v = 0;
                           for (int k = 0; k < K; k++)
                             v += double(__half2float(hA[size_t(r) * K + k])) * __half2float(hB[size_t(k) * N + c]);
                           return v;
                         }),
            3e-2);
  }

  {  // ---- bf16 matvec ----
    const int batch = 32, rows = 256, cols = 512;
    std::vector<__nv_bfloat16> hA(size_t(batch) * rows * cols), hx(size_t(batch) * cols);
    for (size_t i = 0; i < hA.size(); i++) hA[i] = __float2bfloat16(noise(uint32_t(i), 7));
    for (size_t i = 0; i < hx.size(); i++) hx[i] = __float2bfloat16(std::sin(0.01f * float(i)));
    auto *A = to_device(hA), *x = to_device(hx);
    float* y = device_empty<float>(size_t(batch) * rows);
    bf16_batched_matvec<<<batch * rows / 8, 256>>>(A, x, y, batch, rows, cols);
    const auto h = to_host(y, size_t(batch) * rows);
    double e = 0;
    for (int w = 0; w < batch * rows; w += 11) {
      double s = 0;
      for (int k = 0; k < cols; k++)
        s += double(__bfloat162float(hA[size_t(w) * cols + k])) * __bfloat162float(hx[size_t(w / rows) * cols + k]);
      e = std::fmax(e, std::fabs(s - h[w]));
    }
    verdict("bf16_batched_matvec", e, 1e-3);
  }

  {  // ---- int8 ----
    const int M = 1024, N = 1024, K = 1024;
    std::vector<int8_t> hA(size_t(M) * K), hW(size_t(N) * K);
    for (size_t i = 0; i < hA.size(); i++) hA[i] = int8_t(int((i * 31 + i / 1024) % 255) - 127);
    for (size_t i = 0; i < hW.size(); i++) hW[i] = int8_t(int((i * 17 + i / 512) % 251) - 125);
    int8_t *A = to_device(hA), *W = to_device(hW);
    int* C = device_empty<int>(size_t(M) * N);
    wmma_gemm_int8<<<dim3(N / 64, M / 64), 128>>>(A, W, C, M, N, K);
    const auto h = to_host(C, size_t(M) * N);
    verdict("wmma_gemm_int8",
            sample_error(M, N, [&](int r, int c) { return double(h[size_t(r) * N + c]); },
                         [&](int r, int c) {
                           long long v = 0;
                           for (int k = 0; k < K; k++) v += int(hA[size_t(r) * K + k]) * int(hW[size_t(c) * K + k]);
                           return double(v);
                         }),
            0.0);
  }

  {  // ---- tf32 ----
    const int M = 1024, N = 1024, K = 512;
    std::vector<float> hA(size_t(M) * K), hB(size_t(K) * N);
    for (size_t i = 0; i < hA.size(); i++) hA[i] = noise(uint32_t(i), 8);
    for (size_t i = 0; i < hB.size(); i++) hB[i] = noise(uint32_t(i), 9);
    float *A = to_device(hA), *B = to_device(hB), *C = device_empty<float>(size_t(M) * N);
    wmma_gemm_tf32<<<dim3(N / 64, M / 64), 128>>>(A, B, C, M, N, K);
    const auto h = to_host(C, size_t(M) * N);
    verdict("wmma_gemm_tf32",
            sample_error(M, N, [&](int r, int c) { return double(h[size_t(r) * N + c]); },
                         [&](int r, int c) {
                           double v = 0;
                           for (int k = 0; k < K; k++) v += double(hA[size_t(r) * K + k]) * hB[size_t(k) * N + c];
                           return v;
                         }),
            2e-2);
  }

  {  // ---- linear + bias + gelu ----
    const int M = 1024, N = 2048, K = 512;
    const auto hX = half_data(size_t(M) * K, 10), hW = half_data(size_t(N) * K, 11), hb = half_data(N, 12);
    half *X = to_device(hX), *W = to_device(hW), *b = to_device(hb), *out = device_empty<half>(size_t(M) * N);
    wmma_linear_bias_gelu<<<dim3(N / 64, M / 64), 128>>>(X, W, b, out, M, N, K);
    const auto h = to_host(out, size_t(M) * N);
    verdict("wmma_linear_bias_gelu",
            sample_error(M, N, [&](int r, int c) { return double(__half2float(h[size_t(r) * N + c])); },
                         [&](int r, int c) {
                           double v = __half2float(hb[c]);
                           for (int k = 0; k < K; k++)
                             v += double(__half2float(hX[size_t(r) * K + k])) * __half2float(hW[size_t(c) * K + k]);
                           return 0.5 * v * (1.0 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
                         }),
            2e-2);
  }

  {  // ---- attention ----
    const int BH = 32, T = 512;
    const size_t n = size_t(BH) * T * HD;
    auto hQ = half_data(n, 13), hK = half_data(n, 14);
    const auto hV = half_data(n, 15);
    for (size_t i = 0; i < n; i++) hQ[i] = __float2half(4.f * __half2float(hQ[i]));
    half *Q = to_device(hQ), *K = to_device(hK), *V = to_device(hV);
    float *S = device_empty<float>(size_t(BH) * T * T), *O1 = device_empty<float>(n), *O2 = device_empty<float>(n);
    half* P = device_empty<half>(size_t(BH) * T * T);
    const float scale = 1.f / std::sqrt(float(HD));
    wmma_attention_scores<<<dim3(T / 64, T / 64, BH), 128>>>(Q, K, S, T, scale);
    CUDA_CHECK(cudaGetLastError());
    attention_softmax_512<<<BH * T / 8, 256>>>(S, P, BH * T);
    CUDA_CHECK(cudaGetLastError());
    wmma_attention_output<<<dim3(T / 64, BH), 128>>>(P, V, O1, T);
    CUDA_CHECK(cudaGetLastError());
    flash_attention_fwd<<<dim3(T / 64, BH), 128>>>(Q, K, V, O2, T, scale * 1.44269504f);
    CUDA_CHECK(cudaGetLastError());
    const auto o1 = to_host(O1, n), o2 = to_host(O2, n);
    double e1 = 0, e2 = 0;
    for (int s = 0; s < 60; s++) {
      const int bh = s % BH, r = (s * 137 + 5) % T;
      const half* q = &hQ[(size_t(bh) * T + r) * HD];
      std::vector<double> p(T), o(HD, 0.0);
      double sum = 0;
      for (int t = 0; t < T; t++) {
        double d = 0;
        for (int i = 0; i < HD; i++) d += double(__half2float(q[i])) * __half2float(hK[(size_t(bh) * T + t) * HD + i]);
        sum += p[t] = std::exp(d * scale);
      }
      for (int t = 0; t < T; t++)
        for (int i = 0; i < HD; i++) o[i] += p[t] / sum * __half2float(hV[(size_t(bh) * T + t) * HD + i]);
      for (int i = 0; i < HD; i++) {
        e1 = std::fmax(e1, std::fabs(o[i] - o1[(size_t(bh) * T + r) * HD + i]));
        e2 = std::fmax(e2, std::fabs(o[i] - o2[(size_t(bh) * T + r) * HD + i]));
      }
    }
    verdict("attention in three kernels", e1, 2e-3);
    verdict("flash_attention_fwd", e2, 2e-3);
  }

  CUDA_CHECK(cudaDeviceSynchronize());
  printf("%s\n", g_errors ? "Some kernels failed" : "All kernels passed");
  CUDA_CHECK(cudaDeviceReset());
  return 0;
}
