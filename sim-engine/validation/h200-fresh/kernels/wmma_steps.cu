// Tensor cores by wmma: straight from memory, a tile a block, tiles in shared memory.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void fill(half *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = __float2half((i % 7) * 0.125f);
}

__global__ void wmmaSimple(const half *a, const half *b, float *c, int M, int N, int K, float alpha, float beta) {
  int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warpN = blockIdx.y * blockDim.y + threadIdx.y;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> aFrag;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> bFrag;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> accFrag, cFrag;
  wmma::fill_fragment(accFrag, 0.0f);
  for (int i = 0; i < K; i += 16) {
    int aRow = warpM * 16, aCol = i, bRow = i, bCol = warpN * 16;
    if (aRow < M && aCol < K && bRow < K && bCol < N) {
      wmma::load_matrix_sync(aFrag, a + aRow + aCol * M, M);
      wmma::load_matrix_sync(bFrag, b + bRow + bCol * K, K);
      wmma::mma_sync(accFrag, aFrag, bFrag, accFrag);
    }
  }
  int cRow = warpM * 16, cCol = warpN * 16;
  if (cRow < M && cCol < N) {
    wmma::load_matrix_sync(cFrag, c + cRow + cCol * M, M, wmma::mem_col_major);
    for (int i = 0; i < cFrag.num_elements; i++) cFrag.x[i] = alpha * accFrag.x[i] + beta * cFrag.x[i];
    wmma::store_matrix_sync(c + cRow + cCol * M, cFrag, M, wmma::mem_col_major);
  }
}

// Four warps, 64 by 64, 16 of k at a time.
__global__ void wmmaShared(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ half As[64][16];
  __shared__ half Bs[16][64];
  int warp = threadIdx.x / 32;
  int wm = warp / 2 * 32, wn = warp % 2 * 32;
  int bm = blockIdx.y * 64, bn = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], __float2half(0.0f));
  for (int k = 0; k < K; k += 16) {
    int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
    *(int4 *)&As[r][c] = *(const int4 *)&A[(bm + r) * K + k + c];
    r = threadIdx.x / 8;
    c = threadIdx.x % 8 * 8;
    *(int4 *)&Bs[r][c] = *(const int4 *)&B[(k + r) * N + bn + c];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
    for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], &As[wm + i * 16][0], 16);
    for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], &Bs[0][wn + j * 16], 64);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&C[(bm + wm + i * 16) * N + bn + wn + j * 16], acc[i][j], N, wmma::mem_row_major);
}

int main() {
  const int M = 2048, N = 2048, K = 2048;
  half *a, *b;
  float *c;
  cudaMalloc(&a, M * K * sizeof(half));
  cudaMalloc(&b, K * N * sizeof(half));
  cudaMalloc(&c, M * N * sizeof(float));
  cudaMemset(c, 0, M * N * sizeof(float));
  fill<<<(M * K + 255) / 256, 256>>>(a, M * K);
  fill<<<(K * N + 255) / 256, 256>>>(b, K * N);
  dim3 block(128, 4);
  dim3 grid((M + (16 * block.x / 32 - 1)) / (16 * block.x / 32), (N + 16 * block.y - 1) / (16 * block.y));
  wmmaSimple<<<grid, block>>>(a, b, c, M, N, K, 2.0f, 2.0f);
  wmmaShared<<<dim3(N / 64, M / 64), 128>>>(a, b, (half *)c, M, N, K);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
