// half precision GEMM with mma.sync.m16n8k16 and ldmatrix
//   TN kernels: A[M][K], B stored as [N][K]
//   NN kernels: A[M][K], B stored as [K][N] (ldmatrix.trans)
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
  if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

#define LDMATRIX_X2(R0, R1, addr) asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(R0), "=r"(R1) : "r"(addr))
#define LDMATRIX_X4(R0, R1, R2, R3, addr) asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define LDMATRIX_X4_T(R0, R1, R2, R3, addr) asm volatile("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define HMMA16816F32(d, a, b0, b1) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n" : "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3]) : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"(b0), "r"(b1))
#define HMMA16816F16(d, a, b0, b1) asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};\n" : "+r"((d)[0]), "+r"((d)[1]) : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"(b0), "r"(b1))
#define CP_ASYNC_CG(dst, src, bytes) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src), "n"(bytes))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

__device__ __forceinline__ uint32_t smem_u32(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// ---- 1. single warp, 16x8 tile -------------------------------------------------
__global__ void hgemm_mma_naive(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ __align__(16) half sA[16][16];
  __shared__ __align__(16) half sB[8][16];
  const int bm = blockIdx.y * 16, bn = blockIdx.x * 8, lane = threadIdx.x;
  uint32_t acc[2] = {0, 0};
  for (int k = 0; k < K; k += 16) {
    *(int4 *)&sA[lane / 2][(lane % 2) * 8] = *(const int4 *)&A[(bm + lane / 2) * K + k + (lane % 2) * 8];
    if (lane < 16) *(int4 *)&sB[lane / 2][(lane % 2) * 8] = *(const int4 *)&B[(bn + lane / 2) * K + k + (lane % 2) * 8];
    __syncthreads();
    uint32_t a[4], b[2];
    LDMATRIX_X4(a[0], a[1], a[2], a[3], smem_u32(&sA[lane % 16][(lane / 16) * 8]));
    LDMATRIX_X2(b[0], b[1], smem_u32(&sB[lane % 8][((lane / 8) % 2) * 8]));
    HMMA16816F16(acc, a, b[0], b[1]);
    __syncthreads();
  }
  const int g = lane / 4, t = lane % 4;
  *(uint32_t *)&C[(bm + g) * N + bn + t * 2] = acc[0];
  *(uint32_t *)&C[(bm + g + 8) * N + bn + t * 2] = acc[1];
}

// ---- 2. 128x128x16, 8 warps, no swizzle, B [K][N] through ldmatrix.trans ---------
__global__ void __launch_bounds__(256) hgemm_mma_nn_128x128(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ __align__(16) half sA[128][16];
  __shared__ __align__(16) half sB[16][128];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp >> 2) * 64, wn = (warp & 3) * 32;
  const int bm = blockIdx.y * 128, bn = blockIdx.x * 128;
  float acc[4][4][4] = {};
  for (int k = 0; k < K; k += 16) {
    *(int4 *)&sA[tid >> 1][(tid & 1) * 8] = *(const int4 *)&A[(size_t)(bm + (tid >> 1)) * K + k + (tid & 1) * 8];
    *(int4 *)&sB[tid >> 4][(tid & 15) * 8] = *(const int4 *)&B[(size_t)(k + (tid >> 4)) * N + bn + (tid & 15) * 8];
    __syncthreads();
    uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) LDMATRIX_X4(a[i][0], a[i][1], a[i][2], a[i][3], smem_u32(&sA[wm + i * 16 + lane % 16][(lane / 16) * 8]));
#pragma unroll
    for (int j = 0; j < 2; ++j) LDMATRIX_X4_T(b[j][0], b[j][1], b[j][2], b[j][3], smem_u32(&sB[lane % 16][wn + j * 16 + (lane / 16) * 8]));
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) HMMA16816F32(acc[i][j], a[i], b[j >> 1][(j & 1) * 2], b[j >> 1][(j & 1) * 2 + 1]);
    __syncthreads();
  }
  const int g = lane >> 2, t = lane & 3;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      half *p = C + (size_t)(bm + wm + i * 16 + g) * N + bn + wn + j * 8 + t * 2;
      *(half2 *)p = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)(p + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// ---- 3. multistage, xor swizzle, B [K][N] ---------------------------------------
template <int BM, int BN, int WARPS_M, int WARPS_N, int STAGES, bool SWZ>
__global__ void __launch_bounds__(WARPS_M * WARPS_N * 32)
hgemm_mma_nn_stages(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M, int N, int K) {
  constexpr int BK = 32, NT = WARPS_M * WARPS_N * 32, WM = BM / WARPS_M, WN = BN / WARPS_N;
  constexpr int MI = WM / 16, NI = WN / 8;
  extern __shared__ __align__(128) half sm[];
  half *sA = sm, *sB = sm + STAGES * BM * BK;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp / WARPS_N) * WM, wn = (warp % WARPS_N) * WN;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
  auto offA = [](int r, int c) { return r * BK + ((SWZ ? c ^ ((r >> 1) & 3) : c) << 3); };
  auto offB = [](int r, int c) { return r * BN + ((SWZ ? c ^ (r & 7) : c) << 3); };
  auto copy = [&](int st, int k) {
#pragma unroll
    for (int i = 0; i < BM * BK / 8 / NT; ++i) {
      int e = tid + i * NT, r = e / (BK / 8), c = e % (BK / 8);
      CP_ASYNC_CG(smem_u32(sA + st * BM * BK + offA(r, c)), A + (size_t)(bm + r) * K + k + c * 8, 16);
    }
#pragma unroll
    for (int i = 0; i < BN * BK / 8 / NT; ++i) {
      int e = tid + i * NT, r = e / (BN / 8), c = e % (BN / 8);
      CP_ASYNC_CG(smem_u32(sB + st * BK * BN + offB(r, c)), B + (size_t)(k + r) * N + bn + c * 8, 16);
    }
  };
  float acc[MI][NI][4] = {};
  const int nk = K / BK;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) { copy(s, s * BK); CP_ASYNC_COMMIT_GROUP(); }
  for (int kt = 0; kt < nk; ++kt) {
    CP_ASYNC_WAIT_GROUP(STAGES - 2);
    __syncthreads();
    if (kt + STAGES - 1 < nk) copy((kt + STAGES - 1) % STAGES, (kt + STAGES - 1) * BK);
    CP_ASYNC_COMMIT_GROUP();
    const half *a_s = sA + (kt % STAGES) * BM * BK, *b_s = sB + (kt % STAGES) * BK * BN;
#pragma unroll
    for (int ks = 0; ks < 2; ++ks) {
      uint32_t a[MI][4], b[NI / 2][4];
#pragma unroll
      for (int i = 0; i < MI; ++i) LDMATRIX_X4(a[i][0], a[i][1], a[i][2], a[i][3], smem_u32(a_s + offA(wm + i * 16 + (lane & 15), ks * 2 + (lane >> 4))));
#pragma unroll
      for (int j = 0; j < NI / 2; ++j) LDMATRIX_X4_T(b[j][0], b[j][1], b[j][2], b[j][3], smem_u32(b_s + offB(ks * 16 + (lane & 15), wn / 8 + j * 2 + (lane >> 4))));
#pragma unroll
      for (int i = 0; i < MI; ++i)
#pragma unroll
        for (int j = 0; j < NI; ++j) HMMA16816F32(acc[i][j], a[i], b[j >> 1][(j & 1) * 2], b[j >> 1][(j & 1) * 2 + 1]);
    }
  }
  const int g = lane >> 2, t = lane & 3;
#pragma unroll
  for (int i = 0; i < MI; ++i)
#pragma unroll
    for (int j = 0; j < NI; ++j) {
      half *p = C + (size_t)(bm + wm + i * 16 + g) * N + bn + wn + j * 8 + t * 2;
      *(half2 *)p = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)(p + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// ---- 4. TN, BK = 64, register double buffering, fp16 accumulate, C through smem ---
template <int STAGES>
__global__ void __launch_bounds__(256)
hgemm_mma_tn_rbuf(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M, int N, int K) {
  constexpr int BM = 128, BN = 128, BK = 64;
  extern __shared__ __align__(128) half sm[];
  half *sA = sm, *sB = sm + STAGES * BM * BK;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp >> 2) * 64, wn = (warp & 3) * 32;
  // walk the grid in column strips of 8 so that the L2 gets reused
  const int strip = blockIdx.x / (8 * (M / BM)), rem = blockIdx.x % (8 * (M / BM));
  const int bm = (rem / 8) * BM, bn = (strip * 8 + rem % 8) * BN;
  if (bn >= N) return;
  auto swz = [](int r, int c) { return r * BK + ((c ^ (r & 7)) << 3); };
  auto copy = [&](int st, int k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int r = (tid >> 3) + i * 32, c = tid & 7;
      CP_ASYNC_CG(smem_u32(sA + st * BM * BK + swz(r, c)), A + (size_t)(bm + r) * K + k + c * 8, 16);
      CP_ASYNC_CG(smem_u32(sB + st * BN * BK + swz(r, c)), B + (size_t)(bn + r) * K + k + c * 8, 16);
    }
  };
  uint32_t acc[4][4][2] = {};
  uint32_t ra[2][4][4], rb[2][2][4];
  auto frag = [&](int buf, int st, int ks) {
    const half *a_s = sA + st * BM * BK, *b_s = sB + st * BN * BK;
#pragma unroll
    for (int i = 0; i < 4; ++i) LDMATRIX_X4(ra[buf][i][0], ra[buf][i][1], ra[buf][i][2], ra[buf][i][3], smem_u32(a_s + swz(wm + i * 16 + (lane & 15), ks * 2 + (lane >> 4))));
#pragma unroll
    for (int j = 0; j < 2; ++j) LDMATRIX_X4(rb[buf][j][0], rb[buf][j][1], rb[buf][j][2], rb[buf][j][3], smem_u32(b_s + swz(wn + j * 16 + (lane & 7) + ((lane >> 4) << 3), ks * 2 + ((lane >> 3) & 1))));
  };
  const int nk = K / BK;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) { copy(s, s * BK); CP_ASYNC_COMMIT_GROUP(); }
  CP_ASYNC_WAIT_GROUP(STAGES - 2);
  __syncthreads();
  frag(0, 0, 0);
  for (int kt = 0; kt < nk; ++kt) {
#pragma unroll
    for (int ks = 0; ks < 4; ++ks) {
      if (ks == 0) {
        if (kt + STAGES - 1 < nk) copy((kt + STAGES - 1) % STAGES, (kt + STAGES - 1) * BK);
        CP_ASYNC_COMMIT_GROUP();
      }
      if (ks == 3) {
        CP_ASYNC_WAIT_GROUP(STAGES - 2);
        __syncthreads();
        if (kt + 1 < nk) frag(0, (kt + 1) % STAGES, 0);
      } else {
        frag((ks + 1) & 1, kt % STAGES, ks + 1);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) HMMA16816F16(acc[i][j], ra[ks & 1][i], rb[ks & 1][j >> 1][(j & 1) * 2], rb[ks & 1][j >> 1][(j & 1) * 2 + 1]);
    }
  }
  CP_ASYNC_WAIT_GROUP(0);
  __syncthreads();
  // stage the result so that every row leaves as 16 byte stores
  constexpr int LDC = BN + 8;
  const int g = lane >> 2, t = lane & 3;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      half *p = sm + (wm + i * 16 + g) * LDC + wn + j * 8 + t * 2;
      *(uint32_t *)p = acc[i][j][0];
      *(uint32_t *)(p + 8 * LDC) = acc[i][j][1];
    }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int e = tid + i * 256, r = e >> 4, c = (e & 15) * 8;
    *(int4 *)&C[(size_t)(bm + r) * N + bn + c] = *(int4 *)&sm[r * LDC + c];
  }
}

struct Bench {
  int M, N, K;
  std::vector<half> a, b, c;
  half *da, *db, *dbt, *dc;
  cudaEvent_t e0, e1;
  bool pass = true;
  Bench(int m, int n, int k) : M(m), N(n), K(k), a((size_t)m * k), b((size_t)n * k), c((size_t)m * n) {
    uint32_t s = 99;
    auto rnd = [&] { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return __float2half((int)(s % 65) / 64.f - 0.5f); };
    for (auto &x : a) x = rnd();
    for (auto &x : b) x = rnd();
    std::vector<half> bt(b.size());  // b is [K][N], bt is [N][K]
    for (int i = 0; i < K; i++) for (int j = 0; j < N; j++) bt[(size_t)j * K + i] = b[(size_t)i * N + j];
    gpuErrchk(cudaMalloc(&da, a.size() * 2)); gpuErrchk(cudaMalloc(&db, b.size() * 2));
    gpuErrchk(cudaMalloc(&dbt, b.size() * 2)); gpuErrchk(cudaMalloc(&dc, c.size() * 2));
    gpuErrchk(cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dbt, bt.data(), b.size() * 2, cudaMemcpyHostToDevice));
    gpuErrchk(cudaEventCreate(&e0)); gpuErrchk(cudaEventCreate(&e1));
  }
  ~Bench() { cudaFree(da); cudaFree(db); cudaFree(dbt); cudaFree(dc); }
  void begin() { gpuErrchk(cudaMemset(dc, 0xff, c.size() * 2)); gpuErrchk(cudaEventRecord(e0)); }
  void finish(const char *tag, float tol) {
    gpuErrchk(cudaEventRecord(e1)); gpuErrchk(cudaGetLastError()); gpuErrchk(cudaEventSynchronize(e1));
    float ms; gpuErrchk(cudaEventElapsedTime(&ms, e0, e1));
    gpuErrchk(cudaMemcpy(c.data(), dc, c.size() * 2, cudaMemcpyDeviceToHost));
    float worst = 0;
    for (int s = 0; s < 300; s++) {
      int r = (s * 37 + s / 7) % M, q = (s * 211 + 1) % N; float ref = 0;
      for (int k = 0; k < K; k++) ref += __half2float(a[(size_t)r * K + k]) * __half2float(b[(size_t)k * N + q]);
      float d = fabsf(ref - __half2float(c[(size_t)r * N + q]));
      if (!(d <= worst)) worst = d;
    }
    bool ok = worst < tol; pass &= ok;
    printf("%-30s %5d %5d %5d: %.3f ms, %7.2f TFLOPS, err %.4f %s\n", tag, M, N, K, ms, 2e-9 * M * N * K / ms, worst, ok ? "" : "X");
  }
};

template <int BM, int BN, int WARPS_M, int WARPS_N, int ST, bool SWZ>
void nn_stages(Bench &t, const char *tag) {
  auto k = hgemm_mma_nn_stages<BM, BN, WARPS_M, WARPS_N, ST, SWZ>;
  int bytes = ST * (BM + BN) * 32 * 2;
  gpuErrchk(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  t.begin(); k<<<dim3(t.N / BN, t.M / BM), WARPS_M * WARPS_N * 32, bytes>>>(t.da, t.db, t.dc, t.M, t.N, t.K); t.finish(tag, 0.1f);
}
template <int ST>
void tn_rbuf(Bench &t, const char *tag) {
  auto k = hgemm_mma_tn_rbuf<ST>;
  int bytes = ST * 256 * 64 * 2;
  gpuErrchk(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  int strips = (t.N / 128 + 7) / 8;
  t.begin(); k<<<strips * 8 * (t.M / 128), 256, bytes>>>(t.da, t.dbt, t.dc, t.M, t.N, t.K); t.finish(tag, 1.0f);
}

int main() {
  bool pass = true;
  {
    Bench t(1024, 1024, 768);
    t.begin(); hgemm_mma_naive<<<dim3(t.N / 8, t.M / 16), 32>>>(t.da, t.dbt, t.dc, t.M, t.N, t.K); t.finish("mma naive", 0.5f);
    t.begin(); hgemm_mma_nn_128x128<<<dim3(t.N / 128, t.M / 128), 256>>>(t.da, t.db, t.dc, t.M, t.N, t.K); t.finish("nn 128x128x16", 0.1f);
    nn_stages<64, 64, 2, 2, 3, true>(t, "nn 64x64x32 s3 swz");
    pass &= t.pass;
  }
  {
    Bench t(2048, 2560, 1024);
    t.begin(); hgemm_mma_nn_128x128<<<dim3(t.N / 128, t.M / 128), 256>>>(t.da, t.db, t.dc, t.M, t.N, t.K); t.finish("nn 128x128x16", 0.1f);
    nn_stages<128, 128, 2, 4, 2, false>(t, "nn 128x128x32 s2");
    nn_stages<128, 128, 2, 4, 2, true>(t, "nn 128x128x32 s2 swz");
    nn_stages<128, 128, 2, 4, 4, true>(t, "nn 128x128x32 s4 swz");
    nn_stages<128, 256, 2, 4, 3, true>(t, "nn 128x256x32 s3 swz");
    tn_rbuf<2>(t, "tn 128x128x64 s2 rbuf");
    tn_rbuf<3>(t, "tn 128x128x64 s3 rbuf");
    tn_rbuf<4>(t, "tn 128x128x64 s4 rbuf");
    pass &= t.pass;
  }
  puts(pass ? "PASS" : "FAIL");
  return !pass;
}
