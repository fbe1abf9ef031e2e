// Half precision on tensor cores: row-major A and B, mma.sync m16n8k16 with float sums, operands by ldmatrix (B transposed on the way).
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

__device__ __forceinline__ uint32_t shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(shared(to)), "l"(from));
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::); }
template <int N>
__device__ __forceinline__ void waitFor() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
}

__device__ __forceinline__ void loadA(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared(p)));
}
__device__ __forceinline__ void loadB(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(shared(p)));
}
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 × 64 a block of four warps, each 32 × 32; no stages.
__global__ void __launch_bounds__(128) small(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ __align__(16) half sa[64][32 + 8];
  __shared__ __align__(16) half sb[32][64 + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int e = threadIdx.x; e < 256; e += 128) {
      *(int4 *)&sa[e / 4][e % 4 * 8] = *(const int4 *)&A[(size_t)(row0 + e / 4) * K + k0 + e % 4 * 8];
      *(int4 *)&sb[e / 8][e % 8 * 8] = *(const int4 *)&B[(size_t)(k0 + e / 8) * N + col0 + e % 8 * 8];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 2; ++i) loadA(a[i], &sa[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < 4; ++j) loadB(b[j], &sb[kk + lane % 16][wn + j * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply(acc[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = row0 + wm + i * 16 + lane / 4, c = col0 + wn + j * 8 + lane % 4 * 2;
      *(half2 *)&C[(size_t)r * N + c] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)&C[(size_t)(r + 8) * N + c] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// 128 × 128 a block of eight warps, each 64 × 32, STAGES tiles of 32 on their way.
template <int STAGES>
__global__ void __launch_bounds__(256) staged(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M, int N,
                                              int K) {
  constexpr int LA = 32 + 8, LB = 128 + 8;
  extern __shared__ __align__(16) half pool[];
  half *const sa = pool, *const sb = pool + STAGES * 128 * LA;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int wm = warp / 4 * 64, wn = warp % 4 * 32;
  const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
  float acc[4][4][4] = {};
  const int steps = K / 32;
  auto fetch = [&](int stage, int step) {
    half *a = sa + stage * 128 * LA, *b = sb + stage * 32 * LB;
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const int e = t + q * 256;
      copy16(a + e / 4 * LA + e % 4 * 8, A + (size_t)(row0 + e / 4) * K + step * 32 + e % 4 * 8);
      copy16(b + e / 16 * LB + e % 16 * 8, B + (size_t)(step * 32 + e / 16) * N + col0 + e % 16 * 8);
    }
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    fetch(s, s);
    commit();
  }
  for (int step = 0; step < steps; ++step) {
    waitFor<STAGES - 2>();
    __syncthreads();
    const int next = step + STAGES - 1;
    if (next < steps) fetch(next % STAGES, next);
    commit();
    const half *a0 = sa + step % STAGES * 128 * LA, *b0 = sb + step % STAGES * 32 * LB;
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i) loadA(a[i], a0 + (wm + i * 16 + lane % 16) * LA + kk + lane / 16 * 8);
#pragma unroll
      for (int j = 0; j < 4; ++j) loadB(b[j], b0 + (kk + lane % 16) * LB + wn + j * 8);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply(acc[i][j], a[i], b[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int r = row0 + wm + i * 16 + lane / 4, c = col0 + wn + j * 8 + lane % 4 * 2;
      *(half2 *)&C[(size_t)r * N + c] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)&C[(size_t)(r + 8) * N + c] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

template <int STAGES>
void run(const half *A, const half *B, half *C, int M, int N, int K) {
  const int bytes = STAGES * (128 * 40 + 32 * 136) * sizeof(half);
  OK(cudaFuncSetAttribute(staged<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  staged<STAGES><<<dim3(N / 128, M / 128), 256, bytes>>>(A, B, C, M, N, K);
}

int main() {
  const int M = 2048, N = 2048, K = 2048;
  half *A, *B, *C;
  OK(cudaMalloc(&A, (size_t)M * K * sizeof(half)));
  OK(cudaMalloc(&B, (size_t)K * N * sizeof(half)));
  OK(cudaMalloc(&C, (size_t)M * N * sizeof(half)));
  OK(cudaMemset(A, 0, (size_t)M * K * sizeof(half)));
  OK(cudaMemset(B, 0, (size_t)K * N * sizeof(half)));
  small<<<dim3(N / 64, M / 64), 128>>>(A, B, C, M, N, K);
  run<2>(A, B, C, M, N, K);
  run<3>(A, B, C, M, N, K);
  run<4>(A, B, C, M, N, K);
  OK(cudaDeviceSynchronize());
  return 0;
}
