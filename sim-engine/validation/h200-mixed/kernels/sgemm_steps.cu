// A tutorial's ladder of matrix products, rewritten: naive, tiled, one and two dimensions of registers, vectors, warp tiles, double buffers.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void naive(int M, int N, int K, const float* A, const float* B, float* C) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float acc = 0.f;
  for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
  C[row * N + col] = acc;
}

template <int T>
__global__ void tiled(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[T][T], Bs[T][T];
  const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float acc = 0.f;
  for (int k0 = 0; k0 < K; k0 += T) {
    As[threadIdx.y][threadIdx.x] = A[row * K + k0 + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < T; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  C[row * N + col] = acc;
}

template <int BM, int BN, int BK, int TM>
__global__ void column(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[BM * BK], Bs[BK * BN];
  const int tx = threadIdx.x % BN, ty = threadIdx.x / BN;
  const int aCol = threadIdx.x % BK, aRow = threadIdx.x / BK, bCol = threadIdx.x % BN, bRow = threadIdx.x / BN;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[TM] = {0.f};
  for (int k0 = 0; k0 < K; k0 += BK) {
    As[aRow * BK + aCol] = A[aRow * K + aCol];
    Bs[bRow * BN + bCol] = B[bRow * N + bCol];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k * BN + tx];
      for (int i = 0; i < TM; ++i) acc[i] += As[(ty * TM + i) * BK + k] * b;
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) C[(ty * TM + i) * N + tx] = acc[i];
}

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM* BN / (TM * TN)) square(int M, int N, int K, const float* A, const float* B, float* C) {
  constexpr int threads = BM * BN / (TM * TN);
  __shared__ float As[BK][BM], Bs[BK][BN];
  const int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[TM][TN] = {}, a[TM], b[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < BM * BK / 4; i += threads) {
      const int r = i / (BK / 4), c = i % (BK / 4) * 4;
      const float4 v = *reinterpret_cast<const float4*>(&A[r * K + k0 + c]);
      As[c][r] = v.x;
      As[c + 1][r] = v.y;
      As[c + 2][r] = v.z;
      As[c + 3][r] = v.w;
    }
    for (int i = threadIdx.x; i < BK * BN / 4; i += threads) {
      const int r = i / (BN / 4), c = i % (BN / 4) * 4;
      *reinterpret_cast<float4*>(&Bs[r][c]) = *reinterpret_cast<const float4*>(&B[(k0 + r) * N + c]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[k][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&C[(ty * TM + i) * N + tx * TN + j]) = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}

// Two buffers: the next tile is read into registers while this one is multiplied.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(256) buffered(int M, int N, int K, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  static_assert(BM * BN / (TM * TN) == 256, "256 threads");
  __shared__ float As[2][BK][BM + 4], Bs[2][BK][BN];
  const int tid = threadIdx.x, tx = tid % (BN / TN), ty = tid / (BN / TN);
  const int aRow = tid / (BK / 4), aCol = tid % (BK / 4) * 4, bRow = tid / (BN / 4), bCol = tid % (BN / 4) * 4;
  const float* a0 = A + (blockIdx.y * BM + aRow) * K + aCol;
  const float* b0 = B + bRow * N + blockIdx.x * BN + bCol;
  float4 ra = *reinterpret_cast<const float4*>(a0), rb = *reinterpret_cast<const float4*>(b0);
  As[0][aCol][aRow] = ra.x; As[0][aCol + 1][aRow] = ra.y; As[0][aCol + 2][aRow] = ra.z; As[0][aCol + 3][aRow] = ra.w;
  *reinterpret_cast<float4*>(&Bs[0][bRow][bCol]) = rb;
  __syncthreads();
  float acc[TM][TN] = {};
  int buffer = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    const bool more = k0 + BK < K;
    if (more) {
      a0 += BK;
      b0 += BK * N;
      ra = *reinterpret_cast<const float4*>(a0);
      rb = *reinterpret_cast<const float4*>(b0);
    }
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&As[buffer][k][ty * TM + i]);
#pragma unroll
      for (int j = 0; j < TN; j += 4) *reinterpret_cast<float4*>(&b[j]) = *reinterpret_cast<const float4*>(&Bs[buffer][k][tx * TN + j]);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    if (more) {
      buffer ^= 1;
      As[buffer][aCol][aRow] = ra.x; As[buffer][aCol + 1][aRow] = ra.y; As[buffer][aCol + 2][aRow] = ra.z; As[buffer][aCol + 3][aRow] = ra.w;
      *reinterpret_cast<float4*>(&Bs[buffer][bRow][bCol]) = rb;
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&C[(blockIdx.y * BM + ty * TM + i) * N + blockIdx.x * BN + tx * TN + j]) =
          make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}

int main() {
  const int n = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * 4);
  cudaMalloc(&b, n * n * 4);
  cudaMalloc(&c, n * n * 4);
  std::vector<float> host(n * n);
  for (int i = 0; i < n * n; i++) host[i] = (float)(i % 11) - 5.f;
  cudaMemcpy(a, host.data(), n * n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), n * n * 4, cudaMemcpyHostToDevice);
  naive<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, n, n, a, b, c);
  naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, n, n, a, b, c);
  tiled<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, n, n, a, b, c);
  tiled<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(n, n, n, a, b, c);
  column<64, 64, 8, 8><<<dim3(n / 64, n / 64), 512>>>(n, n, n, a, b, c);
  square<64, 64, 8, 4, 4><<<dim3(n / 64, n / 64), 256>>>(n, n, n, a, b, c);
  square<128, 64, 16, 8, 4><<<dim3(n / 64, n / 128), 256>>>(n, n, n, a, b, c);
  square<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(n, n, n, a, b, c);
  buffered<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(n, n, n, a, b, c);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
