// C = A * B^T in half precision on tensor cores, by mma.sync: A is m x k, B is n x k, both row-major. From the plain use of the
// instruction to swizzled shared memory that is filled by cp.async, in 2 to 4 stages.
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

__device__ __forceinline__ void ldmatrix4(uint32_t (&r)[4], const half *at) {
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void copy16(half *to, const half *from) {
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from));
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;"); }
template <int N>
__device__ __forceinline__ void waitFor() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N));
}

// One warp a block, one 16 x 8 tile of C, operands through shared memory.
__global__ void oneTile(int m, int n, int k, const half *a, const half *b, half *c) {
  __shared__ half as[16][16];
  __shared__ half bs[8][16];
  const int row = blockIdx.y * 16, col = blockIdx.x * 8, lane = threadIdx.x;
  float acc[4] = {};
  for (int base = 0; base < k; base += 16) {
    *reinterpret_cast<int4 *>(&as[lane / 2][lane % 2 * 8]) = *reinterpret_cast<const int4 *>(&a[(row + lane / 2) * k + base + lane % 2 * 8]);
    if (lane < 16)
      *reinterpret_cast<int4 *>(&bs[lane / 2][lane % 2 * 8]) = *reinterpret_cast<const int4 *>(&b[(col + lane / 2) * k + base + lane % 2 * 8]);
    __syncthreads();
    uint32_t x[4];
    ldmatrix4(x, &as[lane % 16][lane / 16 * 8]);
    const uint32_t *y = reinterpret_cast<const uint32_t *>(&bs[lane / 4][0]);
    mma16816(acc, x, y[lane % 4], y[lane % 4 + 4]);
    __syncthreads();
  }
  half *to = c + (row + lane / 4) * n + col + lane % 4 * 2;
  *reinterpret_cast<half2 *>(to) = __floats2half2_rn(acc[0], acc[1]);
  *reinterpret_cast<half2 *>(to + 8 * n) = __floats2half2_rn(acc[2], acc[3]);
}

// Tiles of 128 x 128 x 32 in shared memory, with a padding or with the chunks of a row exchanged (SWIZZLE), copied through registers.
template <int BM, int BN, int BK, int PAD, bool SWIZZLE>
__global__ void __launch_bounds__(256) blockTile(int m, int n, int k, const half *a, const half *b, half *c) {
  constexpr int LINE = BK + PAD;
  __shared__ __align__(128) half as[BM * LINE];
  __shared__ __align__(128) half bs[BN * LINE];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warpRow = warp / 4 * 64, warpCol = warp % 4 * (BN / 4);
  constexpr int MT = 4, NT = BN / 4 / 8;
  auto place = [](int row, int chunk) { return row * LINE + (SWIZZLE ? (chunk ^ (row / 2 % 4)) : chunk) * 8; };
  float acc[MT][NT][4] = {};
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN * k;
  for (int base = 0; base < k; base += BK) {
#pragma unroll
    for (int i = 0; i < BM * BK / 8 / 256; i++) {
      int chunk = threadIdx.x + i * 256, row = chunk / (BK / 8), col = chunk % (BK / 8);
      *reinterpret_cast<int4 *>(&as[place(row, col)]) = *reinterpret_cast<const int4 *>(&a[row * k + base + col * 8]);
    }
#pragma unroll
    for (int i = 0; i < BN * BK / 8 / 256; i++) {
      int chunk = threadIdx.x + i * 256, row = chunk / (BK / 8), col = chunk % (BK / 8);
      *reinterpret_cast<int4 *>(&bs[place(row, col)]) = *reinterpret_cast<const int4 *>(&b[row * k + base + col * 8]);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK / 16; kk++) {
      uint32_t x[MT][4], y[NT / 2][4];
#pragma unroll
      for (int i = 0; i < MT; i++) ldmatrix4(x[i], &as[place(warpRow + i * 16 + lane % 16, kk * 2 + lane / 16)]);
#pragma unroll
      for (int j = 0; j < NT / 2; j++)
        ldmatrix4(y[j], &bs[place(warpCol + j * 16 + lane / 16 * 8 + lane % 8, kk * 2 + lane / 8 % 2)]);
#pragma unroll
      for (int i = 0; i < MT; i++)
#pragma unroll
        for (int j = 0; j < NT; j++) mma16816(acc[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < MT; i++)
#pragma unroll
    for (int j = 0; j < NT; j++) {
      half *to = c + (blockIdx.y * BM + warpRow + i * 16 + lane / 4) * n + blockIdx.x * BN + warpCol + j * 8 + lane % 4 * 2;
      *reinterpret_cast<half2 *>(to) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2 *>(to + 8 * n) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// The same with STAGES tiles in flight by cp.async.
template <int BM, int BN, int BK, int STAGES>
__global__ void __launch_bounds__(256) pipelined(int m, int n, int k, const half *a, const half *b, half *c) {
  extern __shared__ __align__(128) half memory[];
  half *as = memory;
  half *bs = memory + STAGES * BM * BK;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warpRow = warp / 4 * (BM / 2), warpCol = warp % 4 * (BN / 4);
  constexpr int MT = BM / 2 / 16, NT = BN / 4 / 8;
  auto place = [](int row, int chunk) { return row * BK + (chunk ^ (row / 2 % 4)) * 8; };
  float acc[MT][NT][4] = {};
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN * k;
  auto fetch = [&](int stage, int base) {
#pragma unroll
    for (int i = 0; i < BM * BK / 8 / 256; i++) {
      int chunk = threadIdx.x + i * 256, row = chunk / (BK / 8), col = chunk % (BK / 8);
      copy16(&as[stage * BM * BK + place(row, col)], &a[row * k + base + col * 8]);
    }
#pragma unroll
    for (int i = 0; i < BN * BK / 8 / 256; i++) {
      int chunk = threadIdx.x + i * 256, row = chunk / (BK / 8), col = chunk % (BK / 8);
      copy16(&bs[stage * BN * BK + place(row, col)], &b[row * k + base + col * 8]);
    }
  };
  const int tiles = k / BK;
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    fetch(s, s * BK);
    commit();
  }
  for (int t = 0; t < tiles; t++) {
    waitFor<STAGES - 2>();
    __syncthreads();
    if (t + STAGES - 1 < tiles) fetch((t + STAGES - 1) % STAGES, (t + STAGES - 1) * BK);
    commit();
    const half *at = as + t % STAGES * BM * BK;
    const half *bt = bs + t % STAGES * BN * BK;
#pragma unroll
    for (int kk = 0; kk < BK / 16; kk++) {
      uint32_t x[MT][4], y[NT / 2][4];
#pragma unroll
      for (int i = 0; i < MT; i++) ldmatrix4(x[i], &at[place(warpRow + i * 16 + lane % 16, kk * 2 + lane / 16)]);
#pragma unroll
      for (int j = 0; j < NT / 2; j++)
        ldmatrix4(y[j], &bt[place(warpCol + j * 16 + lane / 16 * 8 + lane % 8, kk * 2 + lane / 8 % 2)]);
#pragma unroll
      for (int i = 0; i < MT; i++)
#pragma unroll
        for (int j = 0; j < NT; j++) mma16816(acc[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < MT; i++)
#pragma unroll
    for (int j = 0; j < NT; j++) {
      half *to = c + (blockIdx.y * BM + warpRow + i * 16 + lane / 4) * n + blockIdx.x * BN + warpCol + j * 8 + lane % 4 * 2;
      *reinterpret_cast<half2 *>(to) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2 *>(to + 8 * n) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

template <int BM, int BN, int BK, int STAGES>
void runPipelined(int m, int n, int k, const half *a, const half *b, half *c) {
  const int bytes = STAGES * (BM + BN) * BK * sizeof(half);
  CHECK(cudaFuncSetAttribute(pipelined<BM, BN, BK, STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  pipelined<BM, BN, BK, STAGES><<<dim3(n / BN, m / BM), 256, bytes>>>(m, n, k, a, b, c);
  CHECK(cudaGetLastError());
}

int main() {
  const int m = 4096, n = 4096, k = 2048;
  std::vector<half> host(m * k);
  for (int i = 0; i < m * k; i++) host[i] = __float2half((i * 7 % 13) * 0.1f - 0.5f);
  half *a, *b, *c;
  CHECK(cudaMalloc(&a, sizeof(half) * m * k));
  CHECK(cudaMalloc(&b, sizeof(half) * n * k));
  CHECK(cudaMalloc(&c, sizeof(half) * m * n));
  CHECK(cudaMemcpy(a, host.data(), sizeof(half) * m * k, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host.data(), sizeof(half) * n * k, cudaMemcpyHostToDevice));

  oneTile<<<dim3(n / 8, m / 16), 32>>>(m, n, k, a, b, c);
  blockTile<128, 128, 32, 0, false><<<dim3(n / 128, m / 128), 256>>>(m, n, k, a, b, c);
  blockTile<128, 128, 32, 8, false><<<dim3(n / 128, m / 128), 256>>>(m, n, k, a, b, c);
  blockTile<128, 128, 32, 0, true><<<dim3(n / 128, m / 128), 256>>>(m, n, k, a, b, c);
  runPipelined<128, 128, 32, 2>(m, n, k, a, b, c);
  runPipelined<128, 128, 32, 3>(m, n, k, a, b, c);
  runPipelined<128, 128, 32, 4>(m, n, k, a, b, c);
  runPipelined<128, 256, 32, 3>(m, n, k, a, b, c);
  runPipelined<64, 128, 32, 4>(m, n, k, a, b, c);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
