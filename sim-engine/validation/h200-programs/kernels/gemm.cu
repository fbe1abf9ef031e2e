#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

const int M = 1024, N = 1024, K = 512;

__global__ void sgemmNaive(int m, int n, int k, float alpha, const float *A, const float *B, float beta, float *C) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < m && y < n) {
    float tmp = 0.0;
    for (int i = 0; i < k; ++i) tmp += A[x * k + i] * B[i * n + y];
    C[x * n + y] = alpha * tmp + beta * C[x * n + y];
  }
}

template <int BM, int BN, int BK, int TM>
__global__ void sgemm1dTile(int m, int n, int k, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
  A += blockIdx.y * BM * k;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * n + blockIdx.x * BN;
  const int innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
  const int innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
  float results[TM] = {0.0};
  for (int bk = 0; bk < k; bk += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * k + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * n + innerColB];
    __syncthreads();
    A += BK;
    B += BK * n;
    for (int dot = 0; dot < BK; ++dot) {
      float tmpB = Bs[dot * BN + threadCol];
      for (int r = 0; r < TM; ++r) results[r] += As[(threadRow * TM + r) * BK + dot] * tmpB;
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r)
    C[(threadRow * TM + r) * n + threadCol] = alpha * results[r] + beta * C[(threadRow * TM + r) * n + threadCol];
}

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
sgemmVectorized(int m, int n, int k, float alpha, float *A, float *B, float beta, float *C) {
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * k;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * n + blockIdx.x * BN;
  const unsigned innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
  const unsigned innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  float results[TM * TN] = {0.0};
  float regM[TM] = {0.0}, regN[TN] = {0.0};
  for (unsigned bk = 0; bk < k; bk += BK) {
    float4 tmp = reinterpret_cast<float4 *>(&A[innerRowA * k + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] = reinterpret_cast<float4 *>(&B[innerRowB * n + innerColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * n;
    for (unsigned dot = 0; dot < BK; ++dot) {
      for (unsigned i = 0; i < TM; ++i) regM[i] = As[dot * BM + threadRow * TM + i];
      for (unsigned i = 0; i < TN; ++i) regN[i] = Bs[dot * BN + threadCol * TN + i];
      for (unsigned i = 0; i < TM; ++i)
        for (unsigned j = 0; j < TN; ++j) results[i * TN + j] += regM[i] * regN[j];
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < TM; i += 1)
    for (unsigned j = 0; j < TN; j += 4) {
      float4 tmp = reinterpret_cast<float4 *>(&C[(threadRow * TM + i) * n + threadCol * TN + j])[0];
      tmp.x = alpha * results[i * TN + j] + beta * tmp.x;
      tmp.y = alpha * results[i * TN + j + 1] + beta * tmp.y;
      tmp.z = alpha * results[i * TN + j + 2] + beta * tmp.z;
      tmp.w = alpha * results[i * TN + j + 3] + beta * tmp.w;
      reinterpret_cast<float4 *>(&C[(threadRow * TM + i) * n + threadCol * TN + j])[0] = tmp;
    }
}

__global__ void gemvWarp(const float4 *__restrict__ A, const float4 *__restrict__ x, float *__restrict__ y, int rows, int cols4) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  float sum = 0;
  for (int c = warp.thread_rank(); c < cols4; c += warp.size()) {
    float4 a = A[row * cols4 + c], b = x[c];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) y[row] = sum;
}

__global__ void transposeInPlaceTiles(float *a, int n) {
  __shared__ float s[2][32][33];
  if (blockIdx.x < blockIdx.y) return;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) {
    s[0][threadIdx.y + r][threadIdx.x] = a[(y + r) * n + x];
    s[1][threadIdx.y + r][threadIdx.x] = a[(ty + r) * n + tx];
  }
  __syncthreads();
  for (int r = 0; r < 32; r += 8) {
    a[(ty + r) * n + tx] = s[0][threadIdx.x][threadIdx.y + r];
    a[(y + r) * n + x] = s[1][threadIdx.x][threadIdx.y + r];
  }
}

struct Shape { int m, n, k; };

static void runAll(const Shape &s, float *A, float *B, float *C) {
  {
    dim3 grid((s.m + 31) / 32, (s.n + 31) / 32), block(32, 32);
    sgemmNaive<<<grid, block>>>(s.m, s.n, s.k, 1.f, A, B, 0.f, C);
  }
  {
    constexpr unsigned BM = 64, BN = 64, BK = 8, TM = 8;
    dim3 grid(s.n / BN, s.m / BM);
    sgemm1dTile<BM, BN, BK, TM><<<grid, (BM * BN) / TM>>>(s.m, s.n, s.k, 1.f, A, B, 0.f, C);
  }
  {
    const unsigned BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    dim3 grid(s.n / BN, s.m / BM);
    sgemmVectorized<BM, BN, BK, TM, TN><<<grid, (BM * BN) / (TM * TN)>>>(s.m, s.n, s.k, 1.f, A, B, 0.f, C);
  }
  gemvWarp<<<s.m / 8, 256>>>((const float4 *)A, (const float4 *)B, C, s.m, s.k / 4);
  transposeInPlaceTiles<<<dim3(s.n / 32, s.n / 32), dim3(32, 8)>>>(C, s.n);
}

int main() {
  float *A, *B, *C;
  cudaMalloc(&A, M * K * sizeof(float));
  cudaMalloc(&B, K * N * sizeof(float));
  cudaMalloc(&C, M * N * sizeof(float));
  cudaMemset(A, 0, M * K * sizeof(float));
  cudaMemset(B, 0, K * N * sizeof(float));
  Shape shape{M, N, K};
  runAll(shape, A, B, C);
  return cudaDeviceSynchronize();
}
