// Half-precision GEMM building blocks, header style: policies + one kernel template per generation.
//   A: [M,K] row major, B: [K,N] row major, C: [M,N] row major fp32 or half
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
namespace tc {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
  }
}
namespace ptx {
__device__ __forceinline__ uint32_t smem_addr(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem_addr(p)));
}
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem_addr(p)));
}
template <class T>
__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if constexpr (std::is_same_v<T, __half>)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void cp_async16(void* dst, const void* src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(smem_addr(dst)), "l"(src));
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;\n" ::); }
template <int N> __device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }
}  // namespace ptx
// ---- generation 0: scalar half ------------------------------------------------------------------
template <int TX, int TY>
__global__ void hgemm_scalar(const __half* __restrict__ A, const __half* __restrict__ B, float* __restrict__ C,
                             int M, int N, int K) {
  int n = 2 * (blockIdx.x * TX + threadIdx.x), m = blockIdx.y * TY + threadIdx.y;
  if (m >= M || n >= N) return;
  float2 acc = {0.f, 0.f};
  for (int k = 0; k < K; ++k) {
    float a = __half2float(A[m * K + k]);
    float2 b = __half22float2(*reinterpret_cast<const __half2*>(B + k * N + n));
    acc.x = fmaf(a, b.x, acc.x);
    acc.y = fmaf(a, b.y, acc.y);
  }
  *reinterpret_cast<float2*>(C + m * N + n) = acc;
}
// ---- generation 1: wmma straight from global ---------------------------------------------------
template <class T, int WARPS_M, int WARPS_N>
__global__ void wmma_direct(const T* A, const T* B, float* C, int M, int N, int K) {
  using namespace nvcuda::wmma;
  int warp = threadIdx.x / 32;
  int m0 = (blockIdx.y * WARPS_M + warp / WARPS_N) * 16, n0 = (blockIdx.x * WARPS_N + warp % WARPS_N) * 16;
  if (m0 >= M || n0 >= N) return;
  fragment<matrix_a, 16, 16, 16, T, row_major> a;
  fragment<matrix_b, 16, 16, 16, T, row_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.f);
  for (int k = 0; k < K; k += 16) {
    load_matrix_sync(a, A + m0 * K + k, K);
    load_matrix_sync(b, B + k * N + n0, N);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(C + m0 * N + n0, c, N, mem_row_major);
}
// ---- generation 2: wmma through shared memory, Pad halfs of skew per row -----------------------
template <int BM, int BN, int BK, int Pad>
__global__ void __launch_bounds__(256) wmma_smem(const __half* __restrict__ A, const __half* __restrict__ B,
                                                 float* __restrict__ C, int M, int N, int K) {
  using namespace nvcuda::wmma;
  constexpr int WN = BN / 2, WM = BM / 4, FM = WM / 16, FN = WN / 16;  // 4x2 warps
  __shared__ __align__(32) __half sA[BM][BK + Pad];
  __shared__ __align__(32) __half sB[BK][BN + Pad];
  const int tid = threadIdx.x, wm = (tid / 32) / 2, wn = (tid / 32) % 2;
  const int mb = blockIdx.y * BM, nb = blockIdx.x * BN;
  fragment<accumulator, 16, 16, 16, float> acc[FM][FN];
#pragma unroll
  for (int i = 0; i < FM; ++i)
#pragma unroll
    for (int j = 0; j < FN; ++j) fill_fragment(acc[i][j], 0.f);
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int v = tid; v < BM * BK / 8; v += 256) {
      int r = v / (BK / 8), c = v % (BK / 8) * 8;
      *reinterpret_cast<uint4*>(&sA[r][c]) = *reinterpret_cast<const uint4*>(A + (mb + r) * K + k0 + c);
    }
    for (int v = tid; v < BK * BN / 8; v += 256) {
      int r = v / (BN / 8), c = v % (BN / 8) * 8;
      *reinterpret_cast<uint4*>(&sB[r][c]) = *reinterpret_cast<const uint4*>(B + (k0 + r) * N + nb + c);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      fragment<matrix_a, 16, 16, 16, __half, row_major> a[FM];
      fragment<matrix_b, 16, 16, 16, __half, row_major> b[FN];
#pragma unroll
      for (int i = 0; i < FM; ++i) load_matrix_sync(a[i], &sA[wm * WM + i * 16][kk], BK + Pad);
#pragma unroll
      for (int j = 0; j < FN; ++j) load_matrix_sync(b[j], &sB[kk][wn * WN + j * 16], BN + Pad);
#pragma unroll
      for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j) mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < FM; ++i)
#pragma unroll
    for (int j = 0; j < FN; ++j)
      store_matrix_sync(C + (mb + wm * WM + i * 16) * N + nb + wn * WN + j * 16, acc[i][j], N, mem_row_major);
}
// ---- generation 3: ldmatrix + mma.sync + cp.async ring -----------------------------------------
template <class T_, int BM_, int BN_, int BK_, int WM_, int WN_, int Stages_, int Pad_ = 8>
struct Tile {
  using T = T_;
  static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, Stages = Stages_, Pad = Pad_;
  static constexpr int Threads = (BM / WM) * (BN / WN) * 32;
  static constexpr int LdA = BK + Pad, LdB = BN + Pad;
  static constexpr int StageA = BM * LdA, StageB = BK * LdB;
  static constexpr size_t SmemBytes = sizeof(T) * Stages * (StageA + StageB);
};
template <class P, class Out>
__global__ void __launch_bounds__(P::Threads) mma_pipeline(const typename P::T* __restrict__ A,
                                                           const typename P::T* __restrict__ B, Out* __restrict__ C,
                                                           int M, int N, int K) {
  using T = typename P::T;
  extern __shared__ __align__(16) unsigned char raw[];
  T* sA = reinterpret_cast<T*>(raw);
  T* sB = sA + P::Stages * P::StageA;
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int wm = warp / (P::BN / P::WN) * P::WM, wn = warp % (P::BN / P::WN) * P::WN;
  const int mb = blockIdx.y * P::BM, nb = blockIdx.x * P::BN;
  constexpr int FM = P::WM / 16, FN = P::WN / 16;

  auto load_stage = [&](int s, int k0) {
#pragma unroll
    for (int v = tid; v < P::BM * P::BK / 8; v += P::Threads) {
      int r = v / (P::BK / 8), c = v % (P::BK / 8) * 8;
      ptx::cp_async16(sA + s * P::StageA + r * P::LdA + c, A + (mb + r) * K + k0 + c);
    }
#pragma unroll
    for (int v = tid; v < P::BK * P::BN / 8; v += P::Threads) {
      int r = v / (P::BN / 8), c = v % (P::BN / 8) * 8;
      ptx::cp_async16(sB + s * P::StageB + r * P::LdB + c, B + (k0 + r) * N + nb + c);
    }
  };
  float acc[FM][2 * FN][4] = {};
  const int nk = K / P::BK;
  for (int s = 0; s < P::Stages - 1; ++s) {
    if (s < nk) load_stage(s, s * P::BK);
    ptx::cp_commit();
  }
  for (int kt = 0; kt < nk; ++kt) {
    ptx::cp_wait<P::Stages - 2>();
    __syncthreads();
    int next = kt + P::Stages - 1;
    if (next < nk) load_stage(next % P::Stages, next * P::BK);
    ptx::cp_commit();
    const T* a_s = sA + (kt % P::Stages) * P::StageA;
    const T* b_s = sB + (kt % P::Stages) * P::StageB;
#pragma unroll
    for (int kk = 0; kk < P::BK; kk += 16) {
      uint32_t a[FM][4], b[FN][4];
#pragma unroll
      for (int i = 0; i < FM; ++i)
        ptx::ldmatrix_x4(a[i], a_s + (wm + i * 16 + lane % 16) * P::LdA + kk + lane / 16 * 8);
#pragma unroll
      for (int j = 0; j < FN; ++j)
        ptx::ldmatrix_x4_trans(b[j], b_s + (kk + lane % 16) * P::LdB + wn + j * 16 + lane / 16 * 8);
#pragma unroll
      for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j) {
          ptx::mma_m16n8k16<T>(acc[i][2 * j], a[i], b[j][0], b[j][1]);
          ptx::mma_m16n8k16<T>(acc[i][2 * j + 1], a[i], b[j][2], b[j][3]);
        }
    }
  }
#pragma unroll
  for (int i = 0; i < FM; ++i)
#pragma unroll
    for (int j = 0; j < 2 * FN; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        int r = mb + wm + i * 16 + h * 8 + lane / 4, c = nb + wn + j * 8 + lane % 4 * 2;
        if constexpr (std::is_same_v<Out, float>)
          *reinterpret_cast<float2*>(C + r * N + c) = make_float2(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
        else
          *reinterpret_cast<__half2*>(C + r * N + c) = __floats2half2_rn(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
      }
}
template <class P, class Out>
void run_pipeline(const typename P::T* A, const typename P::T* B, Out* C, int M, int N, int K) {
  auto kern = mma_pipeline<P, Out>;
  check(cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)P::SmemBytes), "smem attr");
  kern<<<dim3(N / P::BN, M / P::BM), P::Threads, P::SmemBytes>>>(A, B, C, M, N, K);
  check(cudaGetLastError(), "mma_pipeline launch");
  check(cudaDeviceSynchronize(), "mma_pipeline");
}
}  // namespace tc

int main() {
  using namespace tc;
  constexpr int S = 2048;
  std::vector<__half> h(2 * S * S);
  std::vector<__nv_bfloat16> hb(2 * S * S);
  uint32_t lcg = 12345u;
  for (size_t i = 0; i < h.size(); ++i) {
    lcg = lcg * 1664525u + 1013904223u;
    float v = (float)(int)((lcg >> 20) & 255) / 256.f - 0.5f;
    h[i] = __float2half(v);
    hb[i] = __float2bfloat16(v);
  }
  __half *dh, *ch;
  __nv_bfloat16* db;
  float* c;
  check(cudaMalloc(&dh, sizeof(__half) * 2 * S * S), "malloc");
  check(cudaMalloc(&db, sizeof(__nv_bfloat16) * 2 * S * S), "malloc");
  check(cudaMalloc(&c, sizeof(float) * S * S), "malloc");
  check(cudaMalloc(&ch, sizeof(__half) * S * S), "malloc");
  check(cudaMemcpy(dh, h.data(), sizeof(__half) * 2 * S * S, cudaMemcpyHostToDevice), "copy");
  check(cudaMemcpy(db, hb.data(), sizeof(__nv_bfloat16) * 2 * S * S, cudaMemcpyHostToDevice), "copy");
  const __half *A = dh, *B = dh + S * S;
  const __nv_bfloat16 *Ab = db, *Bb = db + S * S;

  hgemm_scalar<16, 16><<<dim3(1024 / 32, 1024 / 16), dim3(16, 16)>>>(A, B, c, 1024, 1024, 1024);
  hgemm_scalar<32, 4><<<dim3(512 / 64, 1024 / 4), dim3(32, 4)>>>(A, B, c, 1024, 512, 512);
  wmma_direct<__half, 2, 2><<<dim3(S / 32, S / 32), 128>>>(A, B, c, S, S, S);
  wmma_direct<__nv_bfloat16, 4, 2><<<dim3(1024 / 32, 1024 / 64), 256>>>(Ab, Bb, c, 1024, 1024, 2048);
  wmma_smem<128, 128, 32, 8><<<dim3(S / 128, S / 128), 256>>>(A, B, c, S, S, S);
  wmma_smem<128, 64, 32, 0><<<dim3(S / 64, S / 128), 256>>>(A, B, c, S, S, S);
  check(cudaGetLastError(), "wmma");
  check(cudaDeviceSynchronize(), "wmma");
  run_pipeline<Tile<__half, 64, 64, 32, 32, 32, 2>>(A, B, c, 1024, 1024, 1024);
  run_pipeline<Tile<__half, 128, 128, 32, 64, 32, 2>>(A, B, c, S, S, S);
  run_pipeline<Tile<__half, 128, 128, 32, 64, 64, 4>>(A, B, c, S, S, S);
  run_pipeline<Tile<__half, 128, 128, 64, 64, 32, 3>>(A, B, ch, S, S, S);
  run_pipeline<Tile<__half, 128, 256, 32, 64, 64, 3>>(A, B, ch, S, S, 1024);
  run_pipeline<Tile<__half, 128, 64, 32, 32, 32, 3, 0>>(A, B, ch, S, 1024, S);
  run_pipeline<Tile<__nv_bfloat16, 128, 128, 32, 64, 64, 3>>(Ab, Bb, c, S, S, S);

  std::vector<float> out(S * S);
  check(cudaMemcpy(out.data(), c, sizeof(float) * S * S, cudaMemcpyDeviceToHost), "copy back");
  double worst = 0;
  for (int s = 0; s < 64; ++s) {
    int m = s * 31 % S, n = s * 977 % S;
    double ref = 0;
    for (int k = 0; k < S; ++k) ref += (double)__bfloat162float(hb[m * S + k]) * __bfloat162float(hb[(size_t)S * S + k * S + n]);
    worst = std::max(worst, std::abs(ref - out[m * S + n]));
  }
  std::printf("bf16 pipeline max abs err %.3e\n", worst);
  return 0;
}
