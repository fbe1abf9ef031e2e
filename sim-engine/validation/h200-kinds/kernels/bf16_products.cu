// Linear layers in bf16 with fp32 sums: CUDA cores, tensor cores by wmma, bias+GELU at the end, batches of small products.
#include <cstdio>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;
typedef __nv_bfloat16 bf16;

// out[m][o] = sum_c x[m][c] * w[o][c], a thread per output
__global__ void linearPlain(bf16 *out, const bf16 *x, const bf16 *w, int M, int C, int O) {
  int o = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
  if (m >= M || o >= O) return;
  const __nv_bfloat162 *xr = (const __nv_bfloat162 *)(x + (size_t)m * C), *wr = (const __nv_bfloat162 *)(w + (size_t)o * C);
  float sum = 0.f;
  for (int c = 0; c < C / 2; c++) {
    float2 a = __bfloat1622float2(xr[c]), b = __bfloat1622float2(wr[c]);
    sum += a.x * b.x + a.y * b.y;
  }
  out[(size_t)m * O + o] = __float2bfloat16(sum);
}
// 64x64 tile, 16 deep, 256 threads with 4x4 sums each; bf16 widened on the way into shared memory
__global__ void __launch_bounds__(256) linearTiled(bf16 *__restrict__ out, const bf16 *__restrict__ x, const bf16 *__restrict__ w, int C, int O) {
  __shared__ __align__(16) float xs[16][68], ws[16][68];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, r = threadIdx.x / 4, q = threadIdx.x % 4 * 4;
  float acc[4][4] = {};
  for (int c0 = 0; c0 < C; c0 += 16) {
    uint2 px = *(const uint2 *)(x + (size_t)(blockIdx.y * 64 + r) * C + c0 + q), pw = *(const uint2 *)(w + (size_t)(blockIdx.x * 64 + r) * C + c0 + q);
    const bf16 *bx = (const bf16 *)&px, *bw = (const bf16 *)&pw;
    for (int i = 0; i < 4; i++) xs[q + i][r] = __bfloat162float(bx[i]), ws[q + i][r] = __bfloat162float(bw[i]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      float4 a = *(float4 *)&xs[k][ty * 4], b = *(float4 *)&ws[k][tx * 4];
      float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) acc[i][j] = fmaf(av[i], bv[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j += 2)
      *(__nv_bfloat162 *)(out + (size_t)(blockIdx.y * 64 + ty * 4 + i) * O + blockIdx.x * 64 + tx * 4 + j) = __floats2bfloat162_rn(acc[i][j], acc[i][j + 1]);
}
struct None { __device__ float operator()(float v, float) const { return v; } };
struct BiasGelu {
  __device__ float operator()(float v, float b) const {
    v += b;
    return 0.5f * v * (1.f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
};
// 128x64 tile of eight warps (4x2, each 32x32), 32 deep
template <class Epilogue>
__global__ void linearWmma(bf16 *out, const bf16 *x, const bf16 *w, const float *bias, int C, int O, Epilogue fn) {
  __shared__ __align__(128) bf16 xs[128][40], ws[64][40];
  __shared__ __align__(128) float stage[8][16][16];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp / 2, wn = warp % 2;
  int row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 4; i++) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
  for (int c0 = 0; c0 < C; c0 += 32) {
    for (int i = threadIdx.x; i < 512; i += 256) *(uint4 *)&xs[i / 4][i % 4 * 8] = *(const uint4 *)(x + (size_t)(row0 + i / 4) * C + c0 + i % 4 * 8);
    *(uint4 *)&ws[threadIdx.x / 4][threadIdx.x % 4 * 8] = *(const uint4 *)(w + (size_t)(col0 + threadIdx.x / 4) * C + c0 + threadIdx.x % 4 * 8);
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> b[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], &xs[wm * 32 + i * 16][k], 40);
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], &ws[wn * 32 + j * 16][k], 40);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      wmma::store_matrix_sync(&stage[warp][0][0], acc[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      for (int e = lane; e < 256; e += 32) {
        int col = col0 + wn * 32 + j * 16 + e % 16;
        out[(size_t)(row0 + wm * 32 + i * 16 + e / 16) * O + col] = __float2bfloat16(fn(stage[warp][e / 16][e % 16], bias[col]));
      }
      __syncwarp();
    }
}
// one 64x64x64 product to a block of four warps, fragments from global memory
__global__ void batchedWmma(float *c, const bf16 *a, const bf16 *b, float alpha) {
  size_t at = (size_t)blockIdx.x * 4096;
  int row = threadIdx.x / 32 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
  for (int j = 0; j < 4; j++) wmma::fill_fragment(acc[j], 0.f);
  for (int k = 0; k < 64; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> fa;
    wmma::load_matrix_sync(fa, a + at + row * 64 + k, 64);
    for (int j = 0; j < 4; j++) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> fb;
      wmma::load_matrix_sync(fb, b + at + k * 64 + j * 16, 64);
      wmma::mma_sync(acc[j], fa, fb, acc[j]);
    }
  }
  for (int j = 0; j < 4; j++) {
    for (float &v : acc[j].x) v *= alpha;
    wmma::store_matrix_sync(c + at + row * 64 + j * 16, acc[j], 64, wmma::mem_row_major);
  }
}
// products of D x D matrices found through arrays of pointers, no tensor cores
template <int D>
__global__ void batchedPointers(float *const *c, const bf16 *const *a, const bf16 *const *b) {
  __shared__ float as[D][D + 1], bs[D][D + 1];
  for (int i = threadIdx.x; i < D * D; i += blockDim.x)
    as[i / D][i % D] = __bfloat162float(a[blockIdx.x][i]), bs[i / D][i % D] = __bfloat162float(b[blockIdx.x][i]);
  __syncthreads();
  for (int i = threadIdx.x; i < D * D; i += blockDim.x) {
    float s = 0.f;
    for (int k = 0; k < D; k++) s += as[i / D][k] * bs[k][i % D];
    c[blockIdx.x][i] = s;
  }
}

int main() {
  const size_t M = 2048, C = 768, O = 3072, BATCH = 1536, D = 32, n = BATCH * 4096;
  std::vector<bf16> h(n);
  for (size_t i = 0; i < n; i++) h[i] = __float2bfloat16(((i * 2654435761u >> 8) & 255) / 256.f - 0.5f);
  bf16 *x, *w, *out;
  float *bias, *c, **table;
  cudaMalloc(&x, n * 2), cudaMalloc(&w, n * 2), cudaMalloc(&out, M * O * 2);
  cudaMalloc(&bias, O * 4), cudaMalloc(&c, n * 4), cudaMalloc(&table, 3 * BATCH * sizeof(void *));
  cudaMemset(bias, 0, O * 4), cudaMemcpy(x, h.data(), n * 2, cudaMemcpyHostToDevice), cudaMemcpy(w, h.data(), n * 2, cudaMemcpyHostToDevice);
  std::vector<void *> t(3 * BATCH);
  for (size_t i = 0; i < BATCH; i++) t[i] = c + i * D * D, t[BATCH + i] = x + i * D * D, t[2 * BATCH + i] = w + (BATCH - 1 - i) * D * D;
  cudaMemcpy(table, t.data(), t.size() * sizeof(void *), cudaMemcpyHostToDevice);
  linearPlain<<<dim3(C / 16, 1024 / 16), dim3(16, 16)>>>(out, x, w, 1024, C, C);
  linearTiled<<<dim3(O / 64, M / 64), 256>>>(out, x, w, C, O);
  linearWmma<<<dim3(O / 64, M / 128), 256>>>(out, x, w, bias, C, O, None());
  linearWmma<<<dim3(O / 64, M / 128), 256>>>(out, x, w, bias, C, O, BiasGelu());
  batchedWmma<<<BATCH, 128>>>(c, x, w, 0.125f);
  batchedPointers<D><<<BATCH, 192>>>(table, (bf16 **)table + BATCH, (bf16 **)table + 2 * BATCH);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
