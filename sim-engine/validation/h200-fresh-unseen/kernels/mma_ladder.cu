// Half products by mma.sync: plain loads, ldmatrix, copies a step and two ahead.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldmatrix4(uint32_t (&r)[4], const half *p) {
  uint32_t address = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
__device__ __forceinline__ void ldmatrix2t(uint32_t (&r)[2], const half *p) {
  uint32_t address = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\n" : "=r"(r[0]), "=r"(r[1]) : "r"(address));
}
__device__ __forceinline__ void copyAsync16(half *to, const half *from) {
  uint32_t address = (uint32_t)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address), "l"(from));
}
#define COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

// A warp a tile of 16 by 8, straight from memory; B is transposed.
__global__ void mmaStraight(const half *A, const half *B, half *C, int M, int N, int K) {
  const int lane = threadIdx.x;
  const int row = blockIdx.y * 16, col = blockIdx.x * 8;
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *pa = A + (row + lane / 4) * K + k + lane % 4 * 2;
    a[0] = *(const uint32_t *)pa;
    a[1] = *(const uint32_t *)(pa + 8 * K);
    a[2] = *(const uint32_t *)(pa + 8);
    a[3] = *(const uint32_t *)(pa + 8 * K + 8);
    const half *pb = B + (col + lane / 4) * K + k + lane % 4 * 2;
    b[0] = *(const uint32_t *)pb;
    b[1] = *(const uint32_t *)(pb + 8);
    mma16816(acc, a, b);
  }
  half *pc = C + (row + lane / 4) * N + col + lane % 4 * 2;
  *(half2 *)pc = __floats2half2_rn(acc[0], acc[1]);
  *(half2 *)(pc + 8 * N) = __floats2half2_rn(acc[2], acc[3]);
}

// Blocks of 128 by 128 by 32, eight warps of 64 by 32, STAGES buffers.
template <int STAGES>
__global__ void __launch_bounds__(256) mmaStages(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M, int N, int K) {
  constexpr int PA = 40, PB = 136;
  extern __shared__ half smem[];
  half *sa = smem, *sb = smem + STAGES * 128 * PA;
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int wm = warp % 2 * 64, wn = warp / 2 * 32;
  const half *ga = A + blockIdx.y * 128 * K, *gb = B + blockIdx.x * 128;
  float acc[4][4][4] = {};
  auto load = [&](int stage, int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + i * 256;
      copyAsync16(&sa[(stage * 128 + c / 4) * PA + c % 4 * 8], &ga[(c / 4) * K + k + c % 4 * 8]);
      copyAsync16(&sb[(stage * 32 + c / 16) * PB + c % 16 * 8], &gb[(k + c / 16) * N + c % 16 * 8]);
    }
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    load(s, s * 32);
    COMMIT();
  }
  const int steps = K / 32;
  for (int step = 0; step < steps; step++) {
    WAIT(STAGES - 2);
    __syncthreads();
    int ahead = step + STAGES - 1;
    if (ahead < steps) load(ahead % STAGES, ahead * 32);
    COMMIT();
    int stage = step % STAGES;
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 4; i++) ldmatrix4(a[i], &sa[(stage * 128 + wm + i * 16 + lane % 16) * PA + kk + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < 4; j++) ldmatrix2t(b[j], &sb[(stage * 32 + kk + lane % 16) * PB + wn + j * 8]);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma16816(acc[i][j], a[i], b[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      half *p = &C[(blockIdx.y * 128 + wm + i * 16 + lane / 4) * N + blockIdx.x * 128 + wn + j * 8 + lane % 4 * 2];
      *(half2 *)p = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)(p + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

int main() {
  const int n = 4096;
  half *A, *B, *C;
  cudaMalloc(&A, n * n * sizeof(half));
  cudaMalloc(&B, n * n * sizeof(half));
  cudaMalloc(&C, n * n * sizeof(half));
  cudaMemset(A, 0, n * n * sizeof(half));
  cudaMemset(B, 0, n * n * sizeof(half));
  mmaStraight<<<dim3(1024 / 8, 1024 / 16), 32>>>(A, B, C, 1024, 1024, 1024);
  const int bytes2 = 2 * (128 * 40 + 32 * 136) * 2, bytes3 = 3 * (128 * 40 + 32 * 136) * 2;
  cudaFuncSetAttribute(mmaStages<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes3);
  mmaStages<2><<<dim3(n / 128, n / 128), 256, bytes2>>>(A, B, C, n, n, n);
  mmaStages<3><<<dim3(n / 128, n / 128), 256, bytes3>>>(A, B, C, n, n, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
