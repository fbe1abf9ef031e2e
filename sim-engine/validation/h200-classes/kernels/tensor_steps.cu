// Products by mma.sync: fragments read straight from memory, from shared memory, by ldmatrix, with copies ahead.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A warp makes 16 by 8; B is stored by columns.
__global__ void straight(const half *A, const half *B, float *C, int M, int N, int K) {
  int lane = threadIdx.x, g = lane / 4, t = lane % 4, m = blockIdx.y * 16, n = blockIdx.x * 8;
  float d[4] = {0, 0, 0, 0};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    a[0] = *(const uint32_t *)&A[(m + g) * K + k + t * 2];
    a[1] = *(const uint32_t *)&A[(m + g + 8) * K + k + t * 2];
    a[2] = *(const uint32_t *)&A[(m + g) * K + k + t * 2 + 8];
    a[3] = *(const uint32_t *)&A[(m + g + 8) * K + k + t * 2 + 8];
    b[0] = *(const uint32_t *)&B[(n + g) * K + k + t * 2];
    b[1] = *(const uint32_t *)&B[(n + g) * K + k + t * 2 + 8];
    mma(d, a, b);
  }
  C[(m + g) * N + n + t * 2] = d[0];
  C[(m + g) * N + n + t * 2 + 1] = d[1];
  C[(m + g + 8) * N + n + t * 2] = d[2];
  C[(m + g + 8) * N + n + t * 2 + 1] = d[3];
}

// 64 by 64 a block of four warps, 32 deep.
__global__ void throughShared(const half *A, const half *B, float *C, int M, int N, int K) {
  __shared__ half sa[64][40], sb[64][40];
  int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, g = lane / 4, t = lane % 4;
  int m = blockIdx.y * 64, n = blockIdx.x * 64, wm = (warp / 2) * 32, wn = (warp % 2) * 32;
  float d[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    for (int i = tid; i < 64 * 4; i += 128) {
      int r = i / 4, c = i % 4 * 8;
      *(uint4 *)&sa[r][c] = *(const uint4 *)&A[(m + r) * K + k + c];
      *(uint4 *)&sb[r][c] = *(const uint4 *)&B[(n + r) * K + k + c];
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[4][2];
      for (int i = 0; i < 2; i++) {
        a[i][0] = *(uint32_t *)&sa[wm + i * 16 + g][kk + t * 2];
        a[i][1] = *(uint32_t *)&sa[wm + i * 16 + g + 8][kk + t * 2];
        a[i][2] = *(uint32_t *)&sa[wm + i * 16 + g][kk + t * 2 + 8];
        a[i][3] = *(uint32_t *)&sa[wm + i * 16 + g + 8][kk + t * 2 + 8];
      }
      for (int j = 0; j < 4; j++) {
        b[j][0] = *(uint32_t *)&sb[wn + j * 8 + g][kk + t * 2];
        b[j][1] = *(uint32_t *)&sb[wn + j * 8 + g][kk + t * 2 + 8];
      }
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) mma(d[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) {
      float *c = &C[(m + wm + i * 16 + g) * N + n + wn + j * 8 + t * 2];
      *(float2 *)c = make_float2(d[i][j][0], d[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(d[i][j][2], d[i][j][3]);
    }
}

__device__ __forceinline__ void load4(uint32_t *r, const half *p) {
  uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}

__device__ __forceinline__ void copy16(half *to, const half *from) {
  uint32_t s = (uint32_t)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(from));
}

// 128 by 128 a block of eight warps, 32 deep, two tiles in turn.
__global__ void __launch_bounds__(256) copiedAhead(const half *A, const half *B, float *C, int M, int N, int K) {
  __shared__ half sa[2][128][40], sb[2][128][40];
  int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, g = lane / 4, t = lane % 4;
  int m = blockIdx.y * 128, n = blockIdx.x * 128, wm = (warp / 4) * 64, wn = (warp % 4) * 32;
  float d[4][4][4] = {};
  auto fetch = [&](int stage, int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int r = tid / 4 + i * 64, c = tid % 4 * 8;
      copy16(&sa[stage][r][c], &A[(size_t)(m + r) * K + k + c]);
      copy16(&sb[stage][r][c], &B[(size_t)(n + r) * K + k + c]);
    }
    asm volatile("cp.async.commit_group;");
  };
  fetch(0, 0);
  for (int k = 0; k < K; k += 32) {
    int s = (k / 32) & 1;
    if (k + 32 < K) {
      fetch(s ^ 1, k + 32);
      asm volatile("cp.async.wait_group 1;");
    } else
      asm volatile("cp.async.wait_group 0;");
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; i++) load4(a[i], &sa[s][wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < 2; j++) load4(b[j], &sb[s][wn + j * 16 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma(d[i][j], a[i], &b[j / 2][j % 2 * 2]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float *c = &C[(size_t)(m + wm + i * 16 + g) * N + n + wn + j * 8 + t * 2];
      *(float2 *)c = make_float2(d[i][j][0], d[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(d[i][j][2], d[i][j][3]);
    }
}

int main() {
  const int n = 2048;
  half *a, *b;
  float *c;
  cudaMalloc(&a, n * n * sizeof(half));
  cudaMalloc(&b, n * n * sizeof(half));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(half));
  cudaMemset(b, 0, n * n * sizeof(half));
  straight<<<dim3(n / 8, n / 16), 32>>>(a, b, c, n, n, n);
  throughShared<<<dim3(n / 64, n / 64), 128>>>(a, b, c, n, n, n);
  copiedAhead<<<dim3(n / 128, n / 128), 256>>>(a, b, c, n, n, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
