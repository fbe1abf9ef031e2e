// Matrix products with tiles of registers: a column, a square, float4 and a transposed tile, two buffers.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemmColumn(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int bx = blockIdx.x, by = blockIdx.y;
  const int tcol = threadIdx.x % BN, trow = threadIdx.x / BN;
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += by * BM * K;
  B += bx * BN;
  C += by * BM * N + bx * BN;
  const int acol = threadIdx.x % BK, arow = threadIdx.x / BK;
  const int bcol = threadIdx.x % BN, brow = threadIdx.x / BN;
  float sums[TM] = {0.0f};
  for (int k = 0; k < K; k += BK) {
    As[arow * BK + acol] = A[arow * K + acol];
    Bs[brow * BN + bcol] = B[brow * N + bcol];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int d = 0; d < BK; ++d) {
      float b = Bs[d * BN + tcol];
      for (int r = 0; r < TM; ++r) sums[r] += As[(trow * TM + r) * BK + d] * b;
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r) C[(trow * TM + r) * N + tcol] = alpha * sums[r] + beta * C[(trow * TM + r) * N + tcol];
}

template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemmSquare(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  const int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
  const int rowA = threadIdx.x / (BK / 4), colA = threadIdx.x % (BK / 4);
  const int rowB = threadIdx.x / (BN / 4), colB = threadIdx.x % (BN / 4);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[TM][TN] = {0.0f};
  float a[TM], b[TN];
  for (int k = 0; k < K; k += BK) {
    float4 v = reinterpret_cast<float4 *>(&A[rowA * K + colA * 4])[0];
    As[colA * 4 + 0][rowA] = v.x;
    As[colA * 4 + 1][rowA] = v.y;
    As[colA * 4 + 2][rowA] = v.z;
    As[colA * 4 + 3][rowA] = v.w;
    reinterpret_cast<float4 *>(&Bs[rowB][colB * 4])[0] = reinterpret_cast<float4 *>(&B[rowB * N + colB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
#pragma unroll
    for (int d = 0; d < BK; d++) {
#pragma unroll
      for (int i = 0; i < TM; i++) a[i] = As[d][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; j++) b[j] = Bs[d][tx * TN + j];
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      float4 t = reinterpret_cast<float4 *>(&C[(ty * TM + i) * N + tx * TN + j])[0];
      t.x = alpha * acc[i][j] + beta * t.x;
      t.y = alpha * acc[i][j + 1] + beta * t.y;
      t.z = alpha * acc[i][j + 2] + beta * t.z;
      t.w = alpha * acc[i][j + 3] + beta * t.w;
      reinterpret_cast<float4 *>(&C[(ty * TM + i) * N + tx * TN + j])[0] = t;
    }
}

// 128 by 128 by 8, 256 threads, what comes next is loaded while this is computed.
__global__ void __launch_bounds__(256) sgemmTwoBuffers(const float *A, const float *B, float *C, int n) {
  __shared__ float As[2][8][128];
  __shared__ float Bs[2][8][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int ar = t / 2, ac = t % 2 * 4, br = t / 32, bc = t % 32 * 4;
  const float *pa = A + (blockIdx.y * 128 + ar) * n + ac;
  const float *pb = B + br * n + blockIdx.x * 128 + bc;
  float acc[8][8] = {};
  float4 va = *(const float4 *)pa, vb = *(const float4 *)pb;
  As[0][ac][ar] = va.x;
  As[0][ac + 1][ar] = va.y;
  As[0][ac + 2][ar] = va.z;
  As[0][ac + 3][ar] = va.w;
  *(float4 *)&Bs[0][br][bc] = vb;
  __syncthreads();
  int buffer = 0;
  for (int k = 8; k <= n; k += 8) {
    if (k < n) {
      va = *(const float4 *)(pa + k);
      vb = *(const float4 *)(pb + k * n);
    }
#pragma unroll
    for (int d = 0; d < 8; d++) {
      float4 a0 = *(float4 *)&As[buffer][d][ty * 4], a1 = *(float4 *)&As[buffer][d][64 + ty * 4];
      float4 b0 = *(float4 *)&Bs[buffer][d][tx * 4], b1 = *(float4 *)&Bs[buffer][d][64 + tx * 4];
      float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    if (k < n) {
      buffer ^= 1;
      As[buffer][ac][ar] = va.x;
      As[buffer][ac + 1][ar] = va.y;
      As[buffer][ac + 2][ar] = va.z;
      As[buffer][ac + 3][ar] = va.w;
      *(float4 *)&Bs[buffer][br][bc] = vb;
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int row = blockIdx.y * 128 + (i / 4) * 64 + ty * 4 + i % 4;
    *(float4 *)&C[row * n + blockIdx.x * 128 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    *(float4 *)&C[row * n + blockIdx.x * 128 + 64 + tx * 4] = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
  }
}

int main() {
  const int n = 2048;
  std::vector<float> h(n * n);
  for (int i = 0; i < n * n; i++) h[i] = (i % 17) * 0.25f;
  float *A, *B, *C;
  cudaMalloc(&A, n * n * 4);
  cudaMalloc(&B, n * n * 4);
  cudaMalloc(&C, n * n * 4);
  cudaMemcpy(A, h.data(), n * n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(B, h.data(), n * n * 4, cudaMemcpyHostToDevice);
  cudaMemset(C, 0, n * n * 4);
  sgemmColumn<64, 64, 8, 8><<<dim3(CEIL_DIV(n, 64), CEIL_DIV(n, 64)), 64 * 64 / 8>>>(n, n, n, 1.0f, A, B, 0.0f, C);
  sgemmSquare<64, 64, 16, 4, 4><<<dim3(CEIL_DIV(n, 64), CEIL_DIV(n, 64)), 256>>>(n, n, n, 1.0f, A, B, 0.5f, C);
  sgemmSquare<128, 128, 8, 8, 8><<<dim3(CEIL_DIV(n, 128), CEIL_DIV(n, 128)), 256>>>(n, n, n, 1.0f, A, B, 0.5f, C);
  sgemmTwoBuffers<<<dim3(n / 128, n / 128), 256>>>(A, B, C, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
