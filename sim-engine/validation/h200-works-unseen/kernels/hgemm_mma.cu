// HGEMM with raw mma.sync.m16n8k16 / ldmatrix / cp.async PTX.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(expr)                                                                     \
  do {                                                                                    \
    cudaError_t _s = (expr);                                                              \
    if (_s != cudaSuccess) {                                                              \
      std::fprintf(stderr, "%s failed at line %d: %s\n", #expr, __LINE__, cudaGetErrorString(_s)); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (0)

namespace ptx {

__device__ __forceinline__ uint32_t saddr(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void ldsm_x4(uint32_t (&r)[4], uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr) : "memory");
}

__device__ __forceinline__ void ldsm_x4_t(uint32_t& r0, uint32_t& r1, uint32_t& r2, uint32_t& r3, uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(addr) : "memory");
}

__device__ __forceinline__ void mma_16816_f32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_16816_f16(uint32_t (&d)[2], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
      "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};\n"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void cp16(uint32_t dst, const void* src) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n" ::"r"(dst), "l"(src) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

}  // namespace ptx

// A: MxK row-major, Bt: NxK row-major (i.e. B column-major). Fragments straight from global memory.
// One warp = 32x32 of C.
__global__ void mma_direct_global(const half* __restrict__ A, const half* __restrict__ Bt, half* __restrict__ C,
                                  int M, int N, int K) {
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int m0 = blockIdx.y * 64 + (warp >> 1) * 32;
  const int n0 = blockIdx.x * 64 + (warp & 1) * 32;
  const int g = lane >> 2, tq = (lane & 3) * 2;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const half* p = A + (size_t)(m0 + i * 16 + g) * K + k + tq;
      a[i][0] = *reinterpret_cast<const uint32_t*>(p);
      a[i][1] = *reinterpret_cast<const uint32_t*>(p + 8 * K);
      a[i][2] = *reinterpret_cast<const uint32_t*>(p + 8);
      a[i][3] = *reinterpret_cast<const uint32_t*>(p + 8 * K + 8);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const half* q = Bt + (size_t)(n0 + j * 8 + g) * K + k + tq;
      uint32_t b0 = *reinterpret_cast<const uint32_t*>(q);
      uint32_t b1 = *reinterpret_cast<const uint32_t*>(q + 8);
#pragma unroll
      for (int i = 0; i < 2; ++i) ptx::mma_16816_f32(acc[i][j], a[i], b0, b1);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      half* c = C + (size_t)(m0 + i * 16 + g) * N + n0 + j * 8 + tq;
      *reinterpret_cast<half2*>(c) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2*>(c + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// Single buffer, padded shared, B row-major (KxN) with ldmatrix.trans. 64x64x32, four warps of 32x32.
__global__ void __launch_bounds__(128)
mma_smem_padded(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 32, PAD = 8;
  __shared__ __align__(16) half As[BM][BK + PAD];
  __shared__ __align__(16) half Bs[BK][BN + PAD];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp >> 1) * 32, wn = (warp & 1) * 32;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int c = tid + i * 128;
      *reinterpret_cast<uint4*>(&As[c / 4][(c % 4) * 8]) =
          *reinterpret_cast<const uint4*>(&A[(size_t)(bm + c / 4) * K + k0 + (c % 4) * 8]);
      *reinterpret_cast<uint4*>(&Bs[c / 8][(c % 8) * 8]) =
          *reinterpret_cast<const uint4*>(&B[(size_t)(k0 + c / 8) * N + bn + (c % 8) * 8]);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[2][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        ptx::ldsm_x4(a[i], ptx::saddr(&As[wm + i * 16 + (lane & 15)][kk + (lane >> 4) * 8]));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        ptx::ldsm_x4_t(b[2 * j][0], b[2 * j][1], b[2 * j + 1][0], b[2 * j + 1][1],
                       ptx::saddr(&Bs[kk + (lane & 15)][wn + j * 16 + (lane >> 4) * 8]));
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) ptx::mma_16816_f32(acc[i][j], a[i], b[j][0], b[j][1]);
    }
    __syncthreads();
  }
  const int g = lane >> 2, tq = (lane & 3) * 2;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      half* c = C + (size_t)(bm + wm + i * 16 + g) * N + bn + wn + j * 8 + tq;
      *reinterpret_cast<half2*>(c) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2*>(c + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// Multistage pipeline, padded shared, B row-major.
template <int BM, int BN, int BK, int WM, int WN, int STAGES>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
mma_multistage_padded(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C,
                      int M, int N, int K) {
  constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
  constexpr int LDA = BK + 8, LDB = BN + 8;
  constexpr int MI = WM / 16, NI = WN / 8;
  extern __shared__ __align__(128) unsigned char raw[];
  half* sA = reinterpret_cast<half*>(raw);
  half* sB = sA + STAGES * BM * LDA;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp / (BN / WN)) * WM, wn = (warp % (BN / WN)) * WN;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
  const int KT = K / BK;

  auto fetch = [&](int kt) {
    if (kt < KT) {
      half* a = sA + (kt % STAGES) * BM * LDA;
      half* b = sB + (kt % STAGES) * BK * LDB;
#pragma unroll
      for (int c = tid; c < BM * BK / 8; c += THREADS) {
        int r = c / (BK / 8), col = (c % (BK / 8)) * 8;
        ptx::cp16(ptx::saddr(a + r * LDA + col), A + (size_t)(bm + r) * K + kt * BK + col);
      }
#pragma unroll
      for (int c = tid; c < BK * BN / 8; c += THREADS) {
        int r = c / (BN / 8), col = (c % (BN / 8)) * 8;
        ptx::cp16(ptx::saddr(b + r * LDB + col), B + (size_t)(kt * BK + r) * N + bn + col);
      }
    }
    ptx::commit();
  };

  float acc[MI][NI][4];
#pragma unroll
  for (int i = 0; i < MI; ++i)
#pragma unroll
    for (int j = 0; j < NI; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) acc[i][j][e] = 0.f;

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) fetch(s);

  for (int kt = 0; kt < KT; ++kt) {
    ptx::wait<STAGES - 2>();
    __syncthreads();
    fetch(kt + STAGES - 1);
    const half* a_s = sA + (kt % STAGES) * BM * LDA;
    const half* b_s = sB + (kt % STAGES) * BK * LDB;
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[MI][4], b[NI][2];
#pragma unroll
      for (int i = 0; i < MI; ++i)
        ptx::ldsm_x4(a[i], ptx::saddr(a_s + (wm + i * 16 + (lane & 15)) * LDA + kk + (lane >> 4) * 8));
#pragma unroll
      for (int j = 0; j < NI; j += 2)
        ptx::ldsm_x4_t(b[j][0], b[j][1], b[j + 1][0], b[j + 1][1],
                       ptx::saddr(b_s + (kk + (lane & 15)) * LDB + wn + j * 8 + (lane >> 4) * 8));
#pragma unroll
      for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) ptx::mma_16816_f32(acc[i][j], a[i], b[j][0], b[j][1]);
    }
  }
  ptx::wait<0>();

  const int g = lane >> 2, tq = (lane & 3) * 2;
#pragma unroll
  for (int i = 0; i < MI; ++i)
#pragma unroll
    for (int j = 0; j < NI; ++j) {
      half* c = C + (size_t)(bm + wm + i * 16 + g) * N + bn + wn + j * 8 + tq;
      *reinterpret_cast<half2*>(c) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2*>(c + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// XOR swizzle for rows of 32 halves (four 16-byte chunks; two rows share 128 bytes).
__device__ __forceinline__ int swz(int row, int chunk) { return row * 32 + ((chunk ^ ((row >> 1) & 3)) << 3); }

// Multistage, swizzled, both operands K-major (TN). half accumulators; register double buffering of fragments.
template <int BM, int BN, int WM, int WN, int STAGES>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
mma_multistage_swizzle_tn(const half* __restrict__ A, const half* __restrict__ Bt, half* __restrict__ C,
                          int M, int N, int K) {
  constexpr int BK = 32;
  constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
  constexpr int MI = WM / 16, NI = WN / 8;
  extern __shared__ __align__(128) half sm[];
  half* sA = sm;
  half* sB = sm + STAGES * BM * BK;

  // group blocks so that neighbouring ones share rows in L2
  const int GROUP = 4;
  const int nbx = N / BN;
  const int bid = blockIdx.x;
  const int gsz = GROUP * nbx;
  const int grp = bid / gsz;
  const int rows_in = min(M / BM - grp * GROUP, GROUP);
  const int by = grp * GROUP + (bid % gsz) % rows_in;
  const int bx = (bid % gsz) / rows_in;

  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp / (BN / WN)) * WM, wn = (warp % (BN / WN)) * WN;
  const half* gA = A + (size_t)by * BM * K;
  const half* gB = Bt + (size_t)bx * BN * K;
  const int KT = K / BK;

  auto fetch = [&](int kt) {
    if (kt < KT) {
      const int s = kt % STAGES;
#pragma unroll
      for (int c = tid; c < BM * 4; c += THREADS)
        ptx::cp16(ptx::saddr(sA + s * BM * BK + swz(c >> 2, c & 3)), gA + (size_t)(c >> 2) * K + kt * BK + (c & 3) * 8);
#pragma unroll
      for (int c = tid; c < BN * 4; c += THREADS)
        ptx::cp16(ptx::saddr(sB + s * BN * BK + swz(c >> 2, c & 3)), gB + (size_t)(c >> 2) * K + kt * BK + (c & 3) * 8);
    }
    ptx::commit();
  };

  uint32_t acc[MI][NI][2];
#pragma unroll
  for (int i = 0; i < MI; ++i)
#pragma unroll
    for (int j = 0; j < NI; ++j) acc[i][j][0] = acc[i][j][1] = 0u;

  uint32_t fa[2][MI][4], fb[2][NI / 2][4];
  auto load_frag = [&](int buf, int s, int kk) {   // kk = 0 or 1
    const half* a = sA + s * BM * BK;
    const half* b = sB + s * BN * BK;
#pragma unroll
    for (int i = 0; i < MI; ++i)
      ptx::ldsm_x4(fa[buf][i], ptx::saddr(a + swz(wm + i * 16 + (lane & 15), kk * 2 + (lane >> 4))));
#pragma unroll
    for (int j = 0; j < NI / 2; ++j)   // matrices: (n0-7,k0-7) (n0-7,k8-15) (n8-15,k0-7) (n8-15,k8-15)
      ptx::ldsm_x4(fb[buf][j],
                   ptx::saddr(b + swz(wn + j * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1))));
  };

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) fetch(s);
  ptx::wait<STAGES - 2>();
  __syncthreads();
  load_frag(0, 0, 0);

  for (int kt = 0; kt < KT; ++kt) {
    const int s = kt % STAGES;
    fetch(kt + STAGES - 1);
    load_frag(1, s, 1);
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int j = 0; j < NI; ++j)
        ptx::mma_16816_f16(acc[i][j], fa[0][i], fb[0][j >> 1][(j & 1) * 2], fb[0][j >> 1][(j & 1) * 2 + 1]);
    ptx::wait<STAGES - 2>();
    __syncthreads();
    if (kt + 1 < KT) load_frag(0, (kt + 1) % STAGES, 0);
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int j = 0; j < NI; ++j)
        ptx::mma_16816_f16(acc[i][j], fa[1][i], fb[1][j >> 1][(j & 1) * 2], fb[1][j >> 1][(j & 1) * 2 + 1]);
  }
  ptx::wait<0>();

  const int g = lane >> 2, tq = (lane & 3) * 2;
#pragma unroll
  for (int i = 0; i < MI; ++i)
#pragma unroll
    for (int j = 0; j < NI; ++j) {
      half* c = C + (size_t)(by * BM + wm + i * 16 + g) * N + bx * BN + wn + j * 8 + tq;
      *reinterpret_cast<uint32_t*>(c) = acc[i][j][0];
      *reinterpret_cast<uint32_t*>(c + 8 * N) = acc[i][j][1];
    }
}

template <int BM, int BN, int BK, int WM, int WN, int STAGES>
void run_padded(const half* A, const half* B, half* C, int M, int N, int K) {
  auto kern = mma_multistage_padded<BM, BN, BK, WM, WN, STAGES>;
  size_t smem = sizeof(half) * STAGES * (BM * (BK + 8) + BK * (BN + 8));
  CUDA_OK(cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
  kern<<<dim3(N / BN, M / BM), (BM / WM) * (BN / WN) * 32, smem>>>(A, B, C, M, N, K);
  CUDA_OK(cudaGetLastError());
}

template <int BM, int BN, int WM, int WN, int STAGES>
void run_swizzle(const half* A, const half* Bt, half* C, int M, int N, int K) {
  auto kern = mma_multistage_swizzle_tn<BM, BN, WM, WN, STAGES>;
  size_t smem = sizeof(half) * STAGES * (BM + BN) * 32;
  CUDA_OK(cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
  kern<<<(N / BN) * (M / BM), (BM / WM) * (BN / WN) * 32, smem>>>(A, Bt, C, M, N, K);
  CUDA_OK(cudaGetLastError());
}

static double fold(const half* d, size_t n) {
  std::vector<half> h(n);
  CUDA_OK(cudaMemcpy(h.data(), d, n * sizeof(half), cudaMemcpyDeviceToHost));
  double s = 0;
  for (size_t i = 0; i < n; ++i) s += __half2float(h[i]) * (double)(1 + (i & 3));
  return s;
}

int main() {
  const int NMAX = 4096;
  const size_t cnt = (size_t)NMAX * NMAX;
  std::vector<half> h(cnt);
  half *A, *B, *C;
  CUDA_OK(cudaMalloc(&A, cnt * 2));
  CUDA_OK(cudaMalloc(&B, cnt * 2));
  CUDA_OK(cudaMalloc(&C, cnt * 2));
  srand(7);
  for (auto& x : h) x = __float2half((rand() % 17 - 8) * 0.0625f);
  CUDA_OK(cudaMemcpy(A, h.data(), cnt * 2, cudaMemcpyHostToDevice));
  for (auto& x : h) x = __float2half((rand() % 17 - 8) * 0.0625f);
  CUDA_OK(cudaMemcpy(B, h.data(), cnt * 2, cudaMemcpyHostToDevice));

  double cs = 0;
  mma_direct_global<<<dim3(1024 / 64, 1024 / 64), 128>>>(A, B, C, 1024, 1024, 1024);
  CUDA_OK(cudaGetLastError());
  cs += fold(C, 1024 * 1024);
  mma_smem_padded<<<dim3(2048 / 64, 2048 / 64), 128>>>(A, B, C, 2048, 2048, 2048);
  CUDA_OK(cudaGetLastError());
  cs += fold(C, 2048 * 2048);
  run_padded<128, 128, 32, 64, 32, 2>(A, B, C, 2048, 2048, 2048);
  cs += fold(C, 2048 * 2048);
  run_padded<64, 64, 32, 32, 32, 4>(A, B, C, 1024, 2048, 1024);
  cs += fold(C, 1024 * 2048);
  run_padded<128, 128, 32, 64, 64, 3>(A, B, C, 4096, 2048, 2048);
  cs += fold(C, (size_t)4096 * 2048);
  run_swizzle<128, 128, 64, 64, 4>(A, B, C, 4096, 4096, 4096);
  cs += fold(C, cnt);
  run_swizzle<64, 64, 32, 32, 3>(A, B, C, 1024, 1024, 2048);
  cs += fold(C, 1024 * 1024);
  run_swizzle<128, 64, 32, 32, 2>(A, B, C, 2048, 2048, 1024);
  CUDA_OK(cudaDeviceSynchronize());
  cs += fold(C, 2048 * 2048);
  std::printf("hgemm_mma checksum: %.3f\n", cs);
  cudaFree(A); cudaFree(B); cudaFree(C);
  return 0;
}
