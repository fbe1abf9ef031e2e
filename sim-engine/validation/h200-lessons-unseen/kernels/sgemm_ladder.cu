// SGEMM, one optimisation at a time. C = A * B, row-major, square, n = 1536.
// Every size used here divides n, so no kernel has edge handling.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define cuda_try(x)                                                        \
  {                                                                        \
    cudaError_t e = (x);                                                   \
    if (e != cudaSuccess) {                                                \
      printf("%s line %d: %s\n", #x, __LINE__, cudaGetErrorString(e));     \
      exit(1);                                                             \
    }                                                                      \
  }

// 1 ------------------------------------------------------------------------
// one output per thread, neighbouring threads on neighbouring columns
__global__ void k1_naive(const float *A, const float *B, float *C, int n) {
  int col = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  float acc = 0.f;
  for (int k = 0; k < n; k++) acc += A[row * n + k] * B[k * n + col];
  C[row * n + col] = acc;
}

// 2 ------------------------------------------------------------------------
// 32x32 tiles of both operands in shared memory
__global__ void k2_shared(const float *A, const float *B, float *C, int n) {
  __shared__ float a[32][32], b[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
  float acc = 0.f;
  for (int k0 = 0; k0 < n; k0 += 32) {
    a[ty][tx] = A[row * n + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; k++) acc += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * n + col] = acc;
}

// 3 ------------------------------------------------------------------------
// 64x64 block tile, eight outputs of one column per thread, 512 threads
__global__ void __launch_bounds__(512) k3_tile1d(const float *A, const float *B, float *C, int n) {
  const int BM = 64, BN = 64, BK = 8, TM = 8;
  __shared__ float a[BM * BK], b[BK * BN];
  int tid = threadIdx.x;
  int tcol = tid % BN, trow = tid / BN;
  A += blockIdx.y * BM * n;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * n + blockIdx.x * BN;
  float acc[TM] = {0.f};
  for (int k0 = 0; k0 < n; k0 += BK) {
    a[tid] = A[(tid / BK) * n + tid % BK];
    b[tid] = B[(tid / BN) * n + tid % BN];
    __syncthreads();
    A += BK;
    B += BK * n;
    for (int k = 0; k < BK; k++) {
      float bv = b[k * BN + tcol];
      for (int i = 0; i < TM; i++) acc[i] += a[(trow * TM + i) * BK + k] * bv;
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++) C[(trow * TM + i) * n + tcol] = acc[i];
}

// 4 ------------------------------------------------------------------------
// 128x128 block tile, 8x8 outputs per thread, 256 threads, scalar loads
__global__ void __launch_bounds__(256) k4_tile2d(const float *A, const float *B, float *C, int n) {
  const int BM = 128, BN = 128, BK = 8;
  __shared__ float a[BM * BK], b[BK * BN];
  int tid = threadIdx.x;
  int tcol = tid % 16, trow = tid / 16;
  A += blockIdx.y * BM * n;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * n + blockIdx.x * BN;
  float acc[8][8] = {{0.f}};
  for (int k0 = 0; k0 < n; k0 += BK) {
    for (int i = tid; i < BM * BK; i += 256) a[i] = A[(i / BK) * n + i % BK];
    for (int i = tid; i < BK * BN; i += 256) b[i] = B[(i / BN) * n + i % BN];
    __syncthreads();
    A += BK;
    B += BK * n;
    for (int k = 0; k < BK; k++) {
      float ra[8], rb[8];
      for (int i = 0; i < 8; i++) ra[i] = a[(trow * 8 + i) * BK + k];
      for (int j = 0; j < 8; j++) rb[j] = b[k * BN + tcol * 8 + j];
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) C[(trow * 8 + i) * n + tcol * 8 + j] = acc[i][j];
}

// 5, 6 -----------------------------------------------------------------------
// float4 global loads, A stored transposed; EXTRA pads the rows of the A tile
template <int EXTRA>
__device__ void vectorised(const float *A, const float *B, float *C, int n) {
  const int BM = 128, BN = 128, BK = 8, LDA = BM + EXTRA;
  __shared__ __align__(16) float a[BK * LDA];
  __shared__ __align__(16) float b[BK * BN];
  int tid = threadIdx.x;
  int tcol = tid % 16, trow = tid / 16;
  int ar = tid / 2, ac = (tid % 2) * 4;
  int br = tid / 32, bc = (tid % 32) * 4;
  A += blockIdx.y * BM * n;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * n + blockIdx.x * BN;
  float acc[8][8] = {{0.f}};
  for (int k0 = 0; k0 < n; k0 += BK) {
    float4 va = *(const float4 *)&A[ar * n + k0 + ac];
    a[(ac + 0) * LDA + ar] = va.x;
    a[(ac + 1) * LDA + ar] = va.y;
    a[(ac + 2) * LDA + ar] = va.z;
    a[(ac + 3) * LDA + ar] = va.w;
    *(float4 *)&b[br * BN + bc] = *(const float4 *)&B[(k0 + br) * n + bc];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; k++) {
      float ra[8], rb[8];
      *(float4 *)&ra[0] = *(float4 *)&a[k * LDA + trow * 8];
      *(float4 *)&ra[4] = *(float4 *)&a[k * LDA + trow * 8 + 4];
      *(float4 *)&rb[0] = *(float4 *)&b[k * BN + tcol * 4];
      *(float4 *)&rb[4] = *(float4 *)&b[k * BN + 64 + tcol * 4];
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++) {
    *(float4 *)&C[(trow * 8 + i) * n + tcol * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    *(float4 *)&C[(trow * 8 + i) * n + 64 + tcol * 4] = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
  }
}
__global__ void __launch_bounds__(256) k5_float4(const float *A, const float *B, float *C, int n) { vectorised<0>(A, B, C, n); }
__global__ void __launch_bounds__(256) k6_padded(const float *A, const float *B, float *C, int n) { vectorised<4>(A, B, C, n); }

// 7 ------------------------------------------------------------------------
// warp tiling: four warps as 2x2, each 64x64, made of 2x2 sub-tiles of 32x32 in
// which a lane holds 4x8 outputs
__global__ void __launch_bounds__(128) k7_warptile(const float *A, const float *B, float *C, int n) {
  const int BM = 128, BN = 128, BK = 16;
  __shared__ __align__(16) float a[BK][BM + 4];
  __shared__ __align__(16) float b[BK][BN];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  int wr = (warp >> 1) * 64, wc = (warp & 1) * 64;
  int lr = (lane >> 2) * 4, lc = (lane & 3) * 8;
  A += blockIdx.y * BM * n;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * n + blockIdx.x * BN;
  float acc[2][2][4][8] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
    for (int i = tid; i < BM * BK / 4; i += 128) {
      int r = i / 4, c = (i % 4) * 4;
      float4 v = *(const float4 *)&A[r * n + k0 + c];
      a[c][r] = v.x; a[c + 1][r] = v.y; a[c + 2][r] = v.z; a[c + 3][r] = v.w;
    }
    for (int i = tid; i < BK * BN / 4; i += 128) {
      int r = i / 32, c = (i % 32) * 4;
      *(float4 *)&b[r][c] = *(const float4 *)&B[(k0 + r) * n + c];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; k++) {
      float ra[2][4], rb[2][8];
#pragma unroll
      for (int s = 0; s < 2; s++) {
        *(float4 *)&ra[s][0] = *(float4 *)&a[k][wr + s * 32 + lr];
        *(float4 *)&rb[s][0] = *(float4 *)&b[k][wc + s * 32 + lc];
        *(float4 *)&rb[s][4] = *(float4 *)&b[k][wc + s * 32 + lc + 4];
      }
#pragma unroll
      for (int si = 0; si < 2; si++)
#pragma unroll
        for (int sj = 0; sj < 2; sj++)
#pragma unroll
          for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) acc[si][sj][i][j] += ra[si][i] * rb[sj][j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int si = 0; si < 2; si++)
#pragma unroll
    for (int sj = 0; sj < 2; sj++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
          float *p = acc[si][sj][i] + j;
          *(float4 *)&C[(wr + si * 32 + lr + i) * n + wc + sj * 32 + lc + j] = make_float4(p[0], p[1], p[2], p[3]);
        }
}

// 8 ------------------------------------------------------------------------
// as 6, with two shared buffers and the next tile travelling through registers
__global__ void __launch_bounds__(256) k8_double(const float *A, const float *B, float *C, int n) {
  const int BM = 128, BN = 128, BK = 8;
  __shared__ __align__(16) float a[2][BK][BM + 4];
  __shared__ __align__(16) float b[2][BK][BN];
  int tid = threadIdx.x;
  int tcol = tid % 16, trow = tid / 16;
  int ar = tid / 2, ac = (tid % 2) * 4, br = tid / 32, bc = (tid % 32) * 4;
  const float *pa = A + (blockIdx.y * BM + ar) * n + ac;
  const float *pb = B + br * n + blockIdx.x * BN + bc;
  float acc[8][8] = {{0.f}};
  float4 va = *(const float4 *)pa, vb = *(const float4 *)pb;
  int buf = 0;
  a[0][ac][ar] = va.x; a[0][ac + 1][ar] = va.y; a[0][ac + 2][ar] = va.z; a[0][ac + 3][ar] = va.w;
  *(float4 *)&b[0][br][bc] = vb;
  __syncthreads();
  for (int k0 = 0; k0 < n; k0 += BK) {
    bool more = k0 + BK < n;
    if (more) {
      pa += BK;
      pb += BK * n;
      va = *(const float4 *)pa;
      vb = *(const float4 *)pb;
    }
#pragma unroll
    for (int k = 0; k < BK; k++) {
      float ra[8], rb[8];
      *(float4 *)&ra[0] = *(float4 *)&a[buf][k][trow * 4];
      *(float4 *)&ra[4] = *(float4 *)&a[buf][k][64 + trow * 4];
      *(float4 *)&rb[0] = *(float4 *)&b[buf][k][tcol * 4];
      *(float4 *)&rb[4] = *(float4 *)&b[buf][k][64 + tcol * 4];
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];
    }
    if (more) {
      buf ^= 1;
      a[buf][ac][ar] = va.x; a[buf][ac + 1][ar] = va.y; a[buf][ac + 2][ar] = va.z; a[buf][ac + 3][ar] = va.w;
      *(float4 *)&b[buf][br][bc] = vb;
      __syncthreads();
    }
  }
  for (int i = 0; i < 8; i++) {
    int row = blockIdx.y * BM + (i / 4) * 64 + trow * 4 + i % 4;
    float *c = C + row * n + blockIdx.x * BN + tcol * 4;
    *(float4 *)c = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    *(float4 *)(c + 64) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
  }
}

typedef void (*kernel_t)(const float *, const float *, float *, int);

int main() {
  const int n = 1536;
  const size_t bytes = (size_t)n * n * sizeof(float);
  float *A = (float *)malloc(bytes), *B = (float *)malloc(bytes), *C = (float *)malloc(bytes);
  unsigned s = 42;
  for (int i = 0; i < n * n; i++) {
    s = s * 1664525u + 1013904223u; A[i] = (float)(s >> 16) / 65536.f - 0.5f;
    s = s * 1664525u + 1013904223u; B[i] = (float)(s >> 16) / 65536.f - 0.5f;
  }
  float *dA, *dB, *dC;
  cuda_try(cudaMalloc(&dA, bytes));
  cuda_try(cudaMalloc(&dB, bytes));
  cuda_try(cudaMalloc(&dC, bytes));
  cuda_try(cudaMemcpy(dA, A, bytes, cudaMemcpyHostToDevice));
  cuda_try(cudaMemcpy(dB, B, bytes, cudaMemcpyHostToDevice));

  struct { const char *name; kernel_t f; int tile; dim3 block; } ladder[] = {
      {"naive", k1_naive, 32, dim3(32, 32)},   {"shared", k2_shared, 32, dim3(32, 32)},
      {"tile1d", k3_tile1d, 64, dim3(512)},    {"tile2d", k4_tile2d, 128, dim3(256)},
      {"float4", k5_float4, 128, dim3(256)},   {"padded", k6_padded, 128, dim3(256)},
      {"warptile", k7_warptile, 128, dim3(128)}, {"double", k8_double, 128, dim3(256)}};
  int bad = 0;
  for (auto &k : ladder) {
    cuda_try(cudaMemset(dC, 0xff, bytes));
    k.f<<<dim3(n / k.tile, n / k.tile), k.block>>>(dA, dB, dC, n);
    cuda_try(cudaGetLastError());
    cuda_try(cudaDeviceSynchronize());
    cuda_try(cudaMemcpy(C, dC, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int t = 0; t < 256; t++) {
      int r = (t * 509 + 3) % n, c = (t * 1201 + 17) % n;
      double ref = 0;
      for (int i = 0; i < n; i++) ref += (double)A[r * n + i] * B[i * n + c];
      if (!(fabs(ref - C[r * n + c]) < 1e-3)) wrong++;
    }
    printf("%-9s %s\n", k.name, wrong ? "WRONG" : "ok");
    bad += wrong;
  }
  printf("%s\n", bad ? "FAIL" : "PASS");
  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  free(A); free(B); free(C);
  return bad != 0;
}
