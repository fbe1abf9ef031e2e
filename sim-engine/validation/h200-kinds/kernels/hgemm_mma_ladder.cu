// Half GEMM with mma.sync m16n8k16 and ldmatrix (A row-major, B given as N x K): naive, warp tiles, cp.async, swizzle.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LDMATRIX_X4(R, addr)                                                                      \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"                  \
               : "=r"((R)[0]), "=r"((R)[1]), "=r"((R)[2]), "=r"((R)[3]) : "r"(addr) : "memory")
#define CP_ASYNC_16(dst, src) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src) : "memory")
#define CP_COMMIT() asm volatile("cp.async.commit_group;\n" ::: "memory")
#define CP_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n) : "memory")

__device__ __forceinline__ void mma16816(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ uint32_t smem_u32(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// a warp makes one 16x8 tile, fragments gathered by hand from global memory
__global__ void mma_naive(const half *A, const half *Bt, half *C, int M, int N, int K) {
  int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  int row = blockIdx.y * 16, col = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8;
  if (row >= M || col >= N) return;
  float c[4] = {0.f, 0.f, 0.f, 0.f};
  const half *a0 = A + (size_t)(row + g) * K + t * 2, *a1 = a0 + (size_t)8 * K, *b0 = Bt + (size_t)(col + g) * K + t * 2;
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4] = {*(const uint32_t *)(a0 + k), *(const uint32_t *)(a1 + k), *(const uint32_t *)(a0 + k + 8), *(const uint32_t *)(a1 + k + 8)};
    uint32_t b[2] = {*(const uint32_t *)(b0 + k), *(const uint32_t *)(b0 + k + 8)};
    mma16816(c, a, b);
  }
  *(half2 *)&C[(size_t)(row + g) * N + col + t * 2] = __floats2half2_rn(c[0], c[1]);
  *(half2 *)&C[(size_t)(row + g + 8) * N + col + t * 2] = __floats2half2_rn(c[2], c[3]);
}

// where the 8-half chunk `ch` of row `r` lies: padded rows, or rows of 64 with chunks xored by the row
template <int BK, bool SWZ>
__device__ __forceinline__ int place(int r, int ch) {
  return SWZ ? r * BK + ((ch ^ (r & 7)) << 3) : r * (BK + 8) + (ch << 3);
}

// one 128 x 128 x BK step of a block of eight warps (2 x 4, each 64 x 32)
template <int BK, bool SWZ>
__device__ __forceinline__ void step(const half *sA, const half *sB, int wm, int wn, int lane, float (&acc)[4][4][4]) {
#pragma unroll
  for (int kk = 0; kk < BK / 8; kk += 2) {
    uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int i = 0; i < 4; i++) LDMATRIX_X4(a[i], smem_u32(sA + place<BK, SWZ>(wm * 64 + i * 16 + (lane & 15), kk + (lane >> 4))));
#pragma unroll
    for (int j = 0; j < 2; j++)
      LDMATRIX_X4(b[j], smem_u32(sB + place<BK, SWZ>(wn * 32 + j * 16 + (lane & 7) + (lane >> 4) * 8, kk + ((lane >> 3) & 1))));
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) mma16816(acc[i][j], a[i], &b[j / 2][(j & 1) * 2]);
  }
}

__device__ __forceinline__ void put(half *C, int N, int row, int col, int lane, float (&acc)[4][4][4]) {
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      half *p = C + (size_t)(row + i * 16 + lane / 4) * N + col + j * 8 + lane % 4 * 2;
      *(half2 *)p = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)(p + (size_t)8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void __launch_bounds__(256) mma_warp_tiles(const half *__restrict__ A, const half *__restrict__ Bt, half *__restrict__ C, int N, int K) {
  constexpr int BK = 32;
  __shared__ __align__(16) half sA[128 * (BK + 8)], sB[128 * (BK + 8)];
  int tid = threadIdx.x, lane = tid & 31, wm = tid / 128, wn = tid / 32 % 4;
  float acc[4][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid; i < 128 * BK / 8; i += 256) {
      int r = i / (BK / 8), ch = i % (BK / 8);
      *(uint4 *)(sA + place<BK, false>(r, ch)) = *(const uint4 *)(A + (size_t)(blockIdx.y * 128 + r) * K + k0 + ch * 8);
      *(uint4 *)(sB + place<BK, false>(r, ch)) = *(const uint4 *)(Bt + (size_t)(blockIdx.x * 128 + r) * K + k0 + ch * 8);
    }
    __syncthreads();
    step<BK, false>(sA, sB, wm, wn, lane, acc);
    __syncthreads();
  }
  put(C, N, blockIdx.y * 128 + wm * 64, blockIdx.x * 128 + wn * 32, lane, acc);
}

template <int BK, int STAGES, bool SWZ>
__global__ void __launch_bounds__(256) mma_cp_async(const half *__restrict__ A, const half *__restrict__ Bt, half *__restrict__ C, int N, int K) {
  constexpr int TILE = 128 * (SWZ ? BK : BK + 8);
  extern __shared__ __align__(128) half smem[];
  int tid = threadIdx.x, lane = tid & 31, wm = tid / 128, wn = tid / 32 % 4, tiles = K / BK;
  auto load = [&](int kt) {
    half *sA = smem + kt % STAGES * 2 * TILE, *sB = sA + TILE;
#pragma unroll
    for (int i = tid; i < 128 * BK / 8; i += 256) {
      int r = i / (BK / 8), ch = i % (BK / 8);
      CP_ASYNC_16(smem_u32(sA + place<BK, SWZ>(r, ch)), A + (size_t)(blockIdx.y * 128 + r) * K + kt * BK + ch * 8);
      CP_ASYNC_16(smem_u32(sB + place<BK, SWZ>(r, ch)), Bt + (size_t)(blockIdx.x * 128 + r) * K + kt * BK + ch * 8);
    }
  };
  float acc[4][4][4] = {};
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) { load(s); CP_COMMIT(); }
  for (int kt = 0; kt < tiles; kt++) {
    CP_WAIT(STAGES - 2);
    __syncthreads();
    if (kt + STAGES - 1 < tiles) load(kt + STAGES - 1);
    CP_COMMIT();
    step<BK, SWZ>(smem + kt % STAGES * 2 * TILE, smem + kt % STAGES * 2 * TILE + TILE, wm, wn, lane, acc);
  }
  put(C, N, blockIdx.y * 128 + wm * 64, blockIdx.x * 128 + wn * 32, lane, acc);
}

int main() {
  const int M = 2048, N = 2048, K = 2048;
  half *h = (half *)malloc(sizeof(half) * M * K), *A, *Bt, *C;
  for (int i = 0; i < M * K; i++) h[i] = __float2half((rand() & 1023) / 1024.f - 0.5f);
  cudaMalloc(&A, sizeof(half) * M * K), cudaMalloc(&Bt, sizeof(half) * N * K), cudaMalloc(&C, sizeof(half) * M * N);
  cudaMemcpy(A, h, sizeof(half) * M * K, cudaMemcpyHostToDevice), cudaMemcpy(Bt, h, sizeof(half) * N * K, cudaMemcpyHostToDevice);
  auto two = mma_cp_async<32, 2, false>, three = mma_cp_async<32, 3, false>, swizzled = mma_cp_async<64, 3, true>;
  int b2 = 2 * 2 * 128 * 40 * 2, b3 = 3 * 2 * 128 * 40 * 2, bs = 3 * 2 * 128 * 64 * 2;
  cudaFuncSetAttribute(three, cudaFuncAttributeMaxDynamicSharedMemorySize, b3);
  cudaFuncSetAttribute(swizzled, cudaFuncAttributeMaxDynamicSharedMemorySize, bs);
  dim3 grid(N / 128, M / 128);
  mma_naive<<<dim3(N / 32, M / 16), 128>>>(A, Bt, C, M, N, K);
  mma_warp_tiles<<<grid, 256>>>(A, Bt, C, N, K);
  two<<<grid, 256, b2>>>(A, Bt, C, N, K);
  three<<<grid, 256, b3>>>(A, Bt, C, N, K);
  swizzled<<<grid, 256, bs>>>(A, Bt, C, N, K);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
