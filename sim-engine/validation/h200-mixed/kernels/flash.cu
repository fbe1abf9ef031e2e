// Attention in tiles, a softmax by several means, a wmma product with its epilogue, a convolution by tiles.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cfloat>
#include <cstdio>
#include <vector>
using namespace nvcuda;

// One thread a query; keys and values of 32 tokens in shared memory.
template <int D>
__global__ void attentionTiles(float* out, const float* q, const float* k, const float* v, int length, float scale) {
  __shared__ float ks[32][D], vs[32][D];
  const int head = blockIdx.y, token = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t base = (size_t)head * length * D;
  float qi[D], o[D], m = -FLT_MAX, l = 0.f;
  for (int d = 0; d < D; d++) {
    qi[d] = q[base + (size_t)token * D + d];
    o[d] = 0.f;
  }
  for (int start = 0; start < length; start += 32) {
    for (int i = threadIdx.x; i < 32 * D; i += blockDim.x) {
      ks[i / D][i % D] = k[base + (size_t)start * D + i];
      vs[i / D][i % D] = v[base + (size_t)start * D + i];
    }
    __syncthreads();
    for (int j = 0; j < 32; j++) {
      float s = 0.f;
      for (int d = 0; d < D; d++) s += qi[d] * ks[j][d];
      s *= scale;
      const float top = fmaxf(m, s), keep = __expf(m - top), p = __expf(s - top);
      l = l * keep + p;
      for (int d = 0; d < D; d++) o[d] = o[d] * keep + p * vs[j][d];
      m = top;
    }
    __syncthreads();
  }
  for (int d = 0; d < D; d++) out[base + (size_t)token * D + d] = o[d] / l;
}

// A row of scores a block; values in registers.
template <int PER>
__global__ void softmaxRegisters(float* out, const float* in, int columns) {
  __shared__ float shared[32];
  const float* row = in + (size_t)blockIdx.x * columns;
  float values[PER], top = -FLT_MAX;
#pragma unroll
  for (int i = 0; i < PER; i++) {
    values[i] = row[threadIdx.x + i * blockDim.x];
    top = fmaxf(top, values[i]);
  }
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = top;
  __syncthreads();
  top = shared[0];
  for (int w = 1; w < blockDim.x / 32; w++) top = fmaxf(top, shared[w]);
  __syncthreads();
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < PER; i++) {
    values[i] = __expf(values[i] - top);
    sum += values[i];
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0.f;
  for (int w = 0; w < blockDim.x / 32; w++) sum += shared[w];
  const float inverse = 1.0f / sum;
#pragma unroll
  for (int i = 0; i < PER; i++) out[(size_t)blockIdx.x * columns + threadIdx.x + i * blockDim.x] = values[i] * inverse;
}

// Halves multiplied by tensor cores through shared memory, bias and ReLU behind.
__global__ void wmmaBias(half* c, const half* a, const half* b, const half* bias, int m, int n, int k) {
  __shared__ half as[64][40], bs[32][72];
  __shared__ float cs[64][68];
  const int warp = threadIdx.x / 32, wr = warp / 2, wc = warp % 2;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += blockDim.x)
      *reinterpret_cast<uint4*>(&as[i / 4][i % 4 * 8]) = *reinterpret_cast<const uint4*>(&a[(blockIdx.y * 64 + i / 4) * k + k0 + i % 4 * 8]);
    for (int i = threadIdx.x; i < 32 * 8; i += blockDim.x)
      *reinterpret_cast<uint4*>(&bs[i / 8][i % 8 * 8]) = *reinterpret_cast<const uint4*>(&b[(k0 + i / 8) * n + blockIdx.x * 64 + i % 8 * 8]);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fa[i], &as[wr * 32 + i * 16][kk], 40);
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], &bs[kk][wc * 32 + j * 16], 72);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::store_matrix_sync(&cs[wr * 32 + i * 16][wc * 32 + j * 16], acc[i][j], 68, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x) {
    const float v = cs[i / 64][i % 64] + __half2float(bias[blockIdx.x * 64 + i % 64]);
    c[(blockIdx.y * 64 + i / 64) * n + blockIdx.x * 64 + i % 64] = __float2half(fmaxf(v, 0.0f));
  }
}

__constant__ float filter[16 * 16 * 9];

// Sixteen channels in and out, three by three, a tile of 16 by 16 pixels.
__global__ void convolve(float* out, const float* in, int width, int height) {
  __shared__ float tile[18][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float acc[16] = {};
  for (int c = 0; c < 16; c++) {
    const float* image = in + (size_t)c * width * height;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
      const int px = (int)blockIdx.x * 16 + i % 18 - 1, py = (int)blockIdx.y * 16 + i / 18 - 1;
      tile[i / 18][i % 18] = px >= 0 && py >= 0 && px < width && py < height ? image[py * width + px] : 0.f;
    }
    __syncthreads();
    float window[9];
    for (int i = 0; i < 9; i++) window[i] = tile[threadIdx.y + i / 3][threadIdx.x + i % 3];
    for (int o = 0; o < 16; o++)
      for (int i = 0; i < 9; i++) acc[o] += filter[(o * 16 + c) * 9 + i] * window[i];
    __syncthreads();
  }
  for (int o = 0; o < 16; o++) out[(size_t)o * width * height + y * width + x] = acc[o];
}

int main() {
  const int n = 1 << 23;
  float *a, *b, *c, *d;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  cudaMalloc(&d, n * 4);
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = (float)(i % 101) / 101.f - 0.5f;
  cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(c, host.data(), n * 4, cudaMemcpyHostToDevice);
  attentionTiles<32><<<dim3(1024 / 128, 32), 128>>>(d, a, b, c, 1024, 0.17f);
  attentionTiles<64><<<dim3(1024 / 64, 16), 64>>>(d, a, b, c, 1024, 0.125f);
  softmaxRegisters<4><<<8192, 256>>>(d, a, 1024);
  softmaxRegisters<16><<<4096, 128>>>(d, a, 2048);
  wmmaBias<<<dim3(1024 / 64, 1024 / 64), 128>>>((half*)d, (const half*)a, (const half*)b, (const half*)c, 1024, 1024, 1024);
  convolve<<<dim3(512 / 16, 512 / 16), dim3(16, 16)>>>(d, a, 512, 512);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
