// Gradients of layernorm and RMSnorm: by input, by weight and by bias, with atomics, shared partial sums and scratch rows.
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void fillNoise(float *p, size_t n, uint32_t seed, float lo, float hi) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    uint32_t h = ((uint32_t)i ^ seed) * 0x9E3779B1u;
    h ^= h >> 15;
    p[i] = lo + (hi - lo) * ((h & 0xffff) / 65536.f);
  }
}
__device__ inline float warpSum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  return v;
}
// warp per row, everything at once, atomics for the parameters
__global__ void layernormBackwardAtomic(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                                        const float *weight, const float *mean, const float *rstd, int N, int C) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= N) return;
  const float *dy = dout + (size_t)row * C, *x = inp + (size_t)row * C;
  float *dx = dinp + (size_t)row * C;
  float m = mean[row], r = rstd[row], s1 = 0.f, s2 = 0.f;
  for (int c = lane; c < C; c += 32) {
    float g = weight[c] * dy[c];
    s1 += g;
    s2 += g * (x[c] - m) * r;
  }
  s1 = warpSum(s1) / C;
  s2 = warpSum(s2) / C;
  for (int c = lane; c < C; c += 32) {
    float xhat = (x[c] - m) * r;
    atomicAdd(&dbias[c], dy[c]);
    atomicAdd(&dweight[c], xhat * dy[c]);
    dx[c] += (weight[c] * dy[c] - s1 - xhat * s2) * r;
  }
}
// block per row, each thread holds C / blockDim.x values
template <int PER>
__global__ void layernormBackwardInput(float *__restrict__ dinp, const float *__restrict__ dout, const float *__restrict__ inp,
                                       const float *__restrict__ weight, const float *__restrict__ mean, const float *__restrict__ rstd) {
  __shared__ float s1[32], s2[32];
  size_t base = (size_t)blockIdx.x * blockDim.x * PER + threadIdx.x;
  float m = mean[blockIdx.x], r = rstd[blockIdx.x], xhat[PER], g[PER], a = 0.f, b = 0.f;
#pragma unroll
  for (int i = 0; i < PER; i++) {
    xhat[i] = (inp[base + i * blockDim.x] - m) * r;
    g[i] = dout[base + i * blockDim.x] * weight[threadIdx.x + i * blockDim.x];
    a += g[i];
    b += g[i] * xhat[i];
  }
  a = warpSum(a), b = warpSum(b);
  if (threadIdx.x % 32 == 0) s1[threadIdx.x / 32] = a, s2[threadIdx.x / 32] = b;
  __syncthreads();
  a = b = 0.f;
  for (int w = 0; w < blockDim.x / 32; w++) a += s1[w], b += s2[w];
  float inv = 1.f / (blockDim.x * PER);
#pragma unroll
  for (int i = 0; i < PER; i++) dinp[base + i * blockDim.x] = r * (g[i] - (a + xhat[i] * b) * inv);
}
// 32 columns and `rows` rows to a block of 32x8; one row of scratch is written per block row
__global__ void layernormBackwardParams(float *scratchW, float *scratchB, const float *dout, const float *inp,
                                        const float *mean, const float *rstd, int C, int rows) {
  __shared__ float pw[8][33], pb[8][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float w = 0.f, b = 0.f;
  for (int n = blockIdx.y * rows + threadIdx.y; n < (blockIdx.y + 1) * rows; n += 8) {
    float dy = dout[(size_t)n * C + c];
    b += dy;
    w += dy * (inp[(size_t)n * C + c] - mean[n]) * rstd[n];
  }
  pw[threadIdx.y][threadIdx.x] = w;
  pb[threadIdx.y][threadIdx.x] = b;
  __syncthreads();
  if (threadIdx.y < 2) {
    float s = 0.f;
    for (int k = 0; k < 8; k++) s += threadIdx.y ? pb[k][threadIdx.x] : pw[k][threadIdx.x];
    (threadIdx.y ? scratchB : scratchW)[(size_t)blockIdx.y * C + c] = s;
  }
}
__global__ void addScratchRows(float *grad, const float *scratch, int G, int C) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= C) return;
  float s = 0.f;
  for (int g = 0; g < G; g++) s += scratch[(size_t)g * C + c];
  grad[c] += s;
}
// RMSnorm by input: bf16 values in fours, a block per row
__global__ void __launch_bounds__(256) rmsnormBackwardInput(uint2 *dx, const uint2 *dy, const uint2 *x, const float4 *w, int C4) {
  __shared__ float ss[8], sd[8];
  const uint2 *xr = x + (size_t)blockIdx.x * C4, *gr = dy + (size_t)blockIdx.x * C4;
  float sq = 0.f, dot = 0.f;
  auto lo = [](uint32_t u) { return __uint_as_float(u << 16); };
  auto hi = [](uint32_t u) { return __uint_as_float(u & 0xffff0000u); };
  for (int i = threadIdx.x; i < C4; i += 256) {
    uint2 a = xr[i], g = gr[i];
    float4 v = w[i];
    sq += lo(a.x) * lo(a.x) + hi(a.x) * hi(a.x) + lo(a.y) * lo(a.y) + hi(a.y) * hi(a.y);
    dot += lo(a.x) * lo(g.x) * v.x + hi(a.x) * hi(g.x) * v.y + lo(a.y) * lo(g.y) * v.z + hi(a.y) * hi(g.y) * v.w;
  }
  sq = warpSum(sq), dot = warpSum(dot);
  if (threadIdx.x % 32 == 0) ss[threadIdx.x / 32] = sq, sd[threadIdx.x / 32] = dot;
  __syncthreads();
  sq = warpSum(threadIdx.x % 32 < 8 ? ss[threadIdx.x % 32] : 0.f);
  dot = warpSum(threadIdx.x % 32 < 8 ? sd[threadIdx.x % 32] : 0.f);
  float r = rsqrtf(sq / (4 * C4) + 1e-6f), k = dot * r * r * r / (4 * C4);
  for (int i = threadIdx.x; i < C4; i += 256) {
    uint2 a = xr[i], g = gr[i];
    float4 v = w[i];
    __nv_bfloat162 p = __floats2bfloat162_rn(lo(g.x) * v.x * r - lo(a.x) * k, hi(g.x) * v.y * r - hi(a.x) * k);
    __nv_bfloat162 q = __floats2bfloat162_rn(lo(g.y) * v.z * r - lo(a.y) * k, hi(g.y) * v.w * r - hi(a.y) * k);
    dx[(size_t)blockIdx.x * C4 + i] = make_uint2(*(uint32_t *)&p, *(uint32_t *)&q);
  }
}

int main() {
  const int N = 8 * 1024, C = 768, G = 128, H = 2048;
  float *inp, *dout, *dinp, *w, *dw, *db, *mean, *rstd, *scratch;
  cudaMalloc(&inp, N * C * 4), cudaMalloc(&dout, N * C * 4), cudaMalloc(&dinp, N * C * 4), cudaMalloc(&scratch, 2 * G * C * 4);
  for (float **p : {&w, &dw, &db, &mean, &rstd}) cudaMalloc(p, N * 4), cudaMemset(*p, 0, N * 4);
  uint2 *x16, *g16, *d16;
  for (uint2 **p : {&x16, &g16, &d16}) cudaMalloc(p, (size_t)N * H * 2), cudaMemset(*p, 0x3e, (size_t)N * H * 2);
  cudaMemset(dinp, 0, N * C * 4);
  fillNoise<<<528, 256>>>(inp, N * C, 1, -1.f, 1.f);
  fillNoise<<<528, 256>>>(dout, N * C, 2, -.01f, .01f);
  cudaMemcpy(w, inp, H * 4, cudaMemcpyDeviceToDevice), cudaMemcpy(rstd, inp, N * 4, cudaMemcpyDeviceToDevice);
  layernormBackwardAtomic<<<N / 8, 256>>>(dinp, dw, db, dout, inp, w, mean, rstd, N, C);
  layernormBackwardInput<4><<<N, C / 4>>>(dinp, dout, inp, w, mean, rstd);
  layernormBackwardParams<<<dim3(C / 32, G), dim3(32, 8)>>>(scratch, scratch + G * C, dout, inp, mean, rstd, C, N / G);
  addScratchRows<<<C / 96, 96>>>(dw, scratch, G, C);
  rmsnormBackwardInput<<<N, 256>>>(d16, g16, x16, (const float4 *)w, H / 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
