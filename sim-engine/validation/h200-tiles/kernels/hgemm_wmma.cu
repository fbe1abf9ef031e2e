// C = A * B^T in half precision by the wmma interface: A is m x k, B is n x k, both row-major.
#include <cuda_fp16.h>
#include <mma.h>
#include <cuda_pipeline.h>
#include <cstdio>
#include <cstdlib>

using namespace nvcuda;

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

// A warp a tile of 16 x 16, straight from global memory.
__global__ void fromGlobal(const half *a, const half *b, half *c, int m, int n, int k) {
  const int warpCol = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int warpRow = blockIdx.y * blockDim.y + threadIdx.y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
  wmma::fill_fragment(sum, __float2half(0.0f));
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::load_matrix_sync(x, a + warpRow * 16 * k + i, k);
    wmma::load_matrix_sync(y, b + warpCol * 16 * k + i, k);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + warpRow * 16 * n + warpCol * 16, sum, n, wmma::mem_row_major);
}

// Blocks of 128 x 128, 8 warps of 64 x 32 each; shared memory with PAD halves behind each line.
template <int PAD>
__global__ void __launch_bounds__(256) sharedTiles(const half *a, const half *b, half *c, int m, int n, int k) {
  constexpr int BK = 32, LINE = BK + PAD;
  __shared__ half as[128 * LINE];
  __shared__ half bs[128 * LINE];
  const int warp = threadIdx.x / 32;
  const int warpRow = warp / 4 * 64, warpCol = warp % 4 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4][2];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[i][j], 0.0f);
  for (int base = 0; base < k; base += BK) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int row = threadIdx.x / 4 + i * 64, col = threadIdx.x % 4 * 8;
      *(int4 *)&as[row * LINE + col] = *(const int4 *)&a[(size_t)(blockIdx.y * 128 + row) * k + base + col];
      *(int4 *)&bs[row * LINE + col] = *(const int4 *)&b[(size_t)(blockIdx.x * 128 + row) * k + base + col];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y[2];
#pragma unroll
      for (int i = 0; i < 4; i++) wmma::load_matrix_sync(x[i], &as[(warpRow + i * 16) * LINE + kk], LINE);
#pragma unroll
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(y[j], &bs[(warpCol + j * 16) * LINE + kk], LINE);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(sums[i][j], x[i], y[j], sums[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, half> out;
#pragma unroll
      for (int e = 0; e < out.num_elements; e++) out.x[e] = __float2half(sums[i][j].x[e]);
      wmma::store_matrix_sync(c + (size_t)(blockIdx.y * 128 + warpRow + i * 16) * n + blockIdx.x * 128 + warpCol + j * 16, out, n,
                              wmma::mem_row_major);
    }
}

// Half accumulators, two stages filled by asynchronous copies, results through shared memory.
__global__ void __launch_bounds__(256) asyncStages(const half *a, const half *b, half *c, int m, int n, int k) {
  constexpr int BK = 32, LINE = BK + 8;
  extern __shared__ half memory[];
  half *as[2] = {memory, memory + 128 * LINE};
  half *bs[2] = {memory + 256 * LINE, memory + 384 * LINE};
  const int warp = threadIdx.x / 32;
  const int warpRow = warp / 4 * 64, warpCol = warp % 4 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sums[4][2];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[i][j], __float2half(0.0f));
  auto fetch = [&](int stage, int base) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int row = threadIdx.x / 4 + i * 64, col = threadIdx.x % 4 * 8;
      __pipeline_memcpy_async(as[stage] + row * LINE + col, &a[(size_t)(blockIdx.y * 128 + row) * k + base + col], 16);
      __pipeline_memcpy_async(bs[stage] + row * LINE + col, &b[(size_t)(blockIdx.x * 128 + row) * k + base + col], 16);
    }
    __pipeline_commit();
  };
  fetch(0, 0);
  int stage = 0;
  for (int base = 0; base < k; base += BK) {
    if (base + BK < k) {
      fetch(stage ^ 1, base + BK);
      __pipeline_wait_prior(1);
    } else
      __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y[2];
#pragma unroll
      for (int i = 0; i < 4; i++) wmma::load_matrix_sync(x[i], as[stage] + (warpRow + i * 16) * LINE + kk, LINE);
#pragma unroll
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(y[j], bs[stage] + (warpCol + j * 16) * LINE + kk, LINE);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(sums[i][j], x[i], y[j], sums[i][j]);
    }
    __syncthreads();
    stage ^= 1;
  }
  half *out = memory + warp * 64 * 40;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) wmma::store_matrix_sync(out + i * 16 * 40 + j * 16, sums[i][j], 40, wmma::mem_row_major);
  __syncwarp();
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const int row = i * 8 + lane / 4, col = lane % 4 * 8;
    *(int4 *)&c[(size_t)(blockIdx.y * 128 + warpRow + row) * n + blockIdx.x * 128 + warpCol + col] = *(const int4 *)&out[row * 40 + col];
  }
}

int main() {
  const int m = 2048, n = 4096, k = 2048;
  half *a, *b, *c;
  CHECK(cudaMalloc(&a, sizeof(half) * m * k));
  CHECK(cudaMalloc(&b, sizeof(half) * n * k));
  CHECK(cudaMalloc(&c, sizeof(half) * m * n));
  CHECK(cudaMemset(a, 0x38, sizeof(half) * m * k));
  CHECK(cudaMemset(b, 0x34, sizeof(half) * n * k));
  fromGlobal<<<dim3(n / 64, m / 64), dim3(128, 4)>>>(a, b, c, m, n, k);
  sharedTiles<0><<<dim3(n / 128, m / 128), 256>>>(a, b, c, m, n, k);
  sharedTiles<8><<<dim3(n / 128, m / 128), 256>>>(a, b, c, m, n, k);
  const int bytes = 512 * 40 * sizeof(half);
  asyncStages<<<dim3(n / 128, m / 128), 256, bytes>>>(a, b, c, m, n, k);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return 0;
}
