// Tensor cores through nvcuda::wmma, in bf16 with float sums and in int8.
#include <cuda_bf16.h>
#include <mma.h>
#include <cstdio>
#include <cstdlib>
using namespace nvcuda;

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

// A warp's 32 × 32 of the result, operands straight from global memory.
__global__ void direct(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K) {
  const int warp = threadIdx.x / 32;
  const int row = (blockIdx.y * 2 + warp / 2) * 32, col = (blockIdx.x * 2 + warp % 2) * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b[2];
    for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], A + (size_t)(row + i * 16) * K + k, K);
    for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], B + (size_t)k * N + col + j * 16, N);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::store_matrix_sync(C + (size_t)(row + i * 16) * N + col + j * 16, c[i][j], N, wmma::mem_row_major);
}

// 64 × 128 a block of eight warps over tiles in shared memory, with PAD values between rows.
template <int PAD>
__global__ void tiled(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K) {
  __shared__ __align__(32) __nv_bfloat16 sa[64][64 + PAD];
  __shared__ __align__(32) __nv_bfloat16 sb[64][128 + PAD];
  const int warp = threadIdx.x / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 128;
  const int wr = warp / 4 * 32, wc = warp % 4 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.0f);
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int e = threadIdx.x; e < 64 * 8; e += 256)
      *(uint4 *)&sa[e / 8][e % 8 * 8] = *(const uint4 *)&A[(size_t)(row0 + e / 8) * K + k0 + e % 8 * 8];
    for (int e = threadIdx.x; e < 64 * 16; e += 256)
      *(uint4 *)&sb[e / 16][e % 16 * 8] = *(const uint4 *)&B[(size_t)(k0 + e / 16) * N + col0 + e % 16 * 8];
    __syncthreads();
    for (int k = 0; k < 64; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], &sa[wr + i * 16][k], 64 + PAD);
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], &sb[k][wc + j * 16], 128 + PAD);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(C + (size_t)(row0 + wr + i * 16) * N + col0 + wc + j * 16, c[i][j], N, wmma::mem_row_major);
}

// Bytes, with sums in int.
__global__ void bytes(const signed char *A, const signed char *B, int *C, int N, int K) {
  const int warp = threadIdx.x / 32;
  const int row = (blockIdx.y * 4 + warp) * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(c, 0);
  for (int k = 0; k < K; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
    wmma::load_matrix_sync(a, A + (size_t)row * K + k, K);
    wmma::load_matrix_sync(b, B + (size_t)col * K + k, K);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + (size_t)row * N + col, c, N, wmma::mem_row_major);
}

int main() {
  const int M = 2048, N = 2048, K = 1024;
  __nv_bfloat16 *A, *B;
  signed char *P, *Q;
  float *C;
  int *D;
  OK(cudaMalloc(&A, (size_t)M * K * sizeof(__nv_bfloat16)));
  OK(cudaMalloc(&B, (size_t)K * N * sizeof(__nv_bfloat16)));
  OK(cudaMalloc(&P, (size_t)M * K));
  OK(cudaMalloc(&Q, (size_t)K * N));
  OK(cudaMalloc(&C, (size_t)M * N * sizeof(float)));
  OK(cudaMalloc(&D, (size_t)M * N * sizeof(int)));
  OK(cudaMemset(A, 0, (size_t)M * K * sizeof(__nv_bfloat16)));
  OK(cudaMemset(B, 0, (size_t)K * N * sizeof(__nv_bfloat16)));
  OK(cudaMemset(P, 1, (size_t)M * K));
  OK(cudaMemset(Q, 1, (size_t)K * N));
  direct<<<dim3(N / 64, M / 64), 128>>>(A, B, C, N, K);
  tiled<0><<<dim3(N / 128, M / 64), 256>>>(A, B, C, N, K);
  tiled<8><<<dim3(N / 128, M / 64), 256>>>(A, B, C, N, K);
  bytes<<<dim3(N / 16, M / 64), 128>>>(P, Q, D, N, K);
  OK(cudaDeviceSynchronize());
  return 0;
}
