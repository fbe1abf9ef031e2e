// Softmax over rows short and long, causal in place, log-sum-exp and the backward pass.
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

__global__ void init_logits(float *x, size_t n, float scale) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned h = (unsigned)i * 747796405u + 2891336453u;
    h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
    x[i] = scale * ((h >> 8) * (1.0f / 16777216.0f) - 0.5f);
  }
}

struct Max { static __device__ float unit() { return -FLT_MAX; } static __device__ float of(float a, float b) { return fmaxf(a, b); } };
struct Sum { static __device__ float unit() { return 0.0f; } static __device__ float of(float a, float b) { return a + b; } };

template <class Op>
__device__ __forceinline__ float warp_all(float v) {
  for (int mask = 16; mask > 0; mask >>= 1) v = Op::of(v, __shfl_xor_sync(0xFFFFFFFFu, v, mask));
  return v;
}

template <class Op>
__device__ float block_all(float v) {
  __shared__ float part[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  v = warp_all<Op>(v);
  __syncthreads();
  if (lane == 0) part[warp] = v;
  __syncthreads();
  return warp_all<Op>(lane < warps ? part[lane] : Op::unit());
}

// rows of 32 * COLS, held in the registers of a warp
template <int COLS>
__global__ void softmax_short(float *y, const float *x, int rows) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float *src = x + (size_t)row * 32 * COLS;
  float v[COLS], m = -FLT_MAX, s = 0.0f;
#pragma unroll
  for (int i = 0; i < COLS; i++) m = fmaxf(m, v[i] = src[i * 32 + threadIdx.x]);
  m = warp_all<Max>(m);
#pragma unroll
  for (int i = 0; i < COLS; i++) s += v[i] = __expf(v[i] - m);
  s = 1.0f / warp_all<Sum>(s);
#pragma unroll
  for (int i = 0; i < COLS; i++) y[(size_t)row * 32 * COLS + i * 32 + threadIdx.x] = v[i] * s;
}
// a block per long row: maximum, exponentials with their sum, division
__global__ void softmax_three_pass(float *y, const float *x, int V) {
  const float *src = x + (size_t)blockIdx.x * V;
  float *dst = y + (size_t)blockIdx.x * V;
  float m = -FLT_MAX, s = 0.0f;
  for (int i = threadIdx.x; i < V; i += blockDim.x) m = fmaxf(m, src[i]);
  m = block_all<Max>(m);
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    float e = expf(src[i] - m);
    dst[i] = e;
    s += e;
  }
  s = block_all<Sum>(s);
  for (int i = threadIdx.x; i < V; i += blockDim.x) dst[i] /= s;
}
// maximum and sum together, rescaling when the maximum moves
__global__ void __launch_bounds__(1024) softmax_online(float *__restrict__ y, const float *__restrict__ x, int V) {
  const float *src = x + (size_t)blockIdx.x * V;
  float m = -FLT_MAX, s = 0.0f;
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    float v = src[i];
    if (v > m) {
      s *= __expf(m - v);
      m = v;
    }
    s += __expf(v - m);
  }
  float top = block_all<Max>(m);
  float inv = 1.0f / block_all<Sum>(s * __expf(m - top));
  for (int i = threadIdx.x; i < V; i += blockDim.x) y[(size_t)blockIdx.x * V + i] = __expf(src[i] - top) * inv;
}
// attention scores (rows, T) with T query positions to a head; in place, zeros above the diagonal
__global__ void softmax_causal(float *att, int rows, int T, float scale) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float *a = att + (size_t)row * T;
  int own = row % T;
  float m = -FLT_MAX, s = 0.0f;
  for (int i = lane; i <= own; i += 32) m = fmaxf(m, a[i]);
  m = warp_all<Max>(m);
  for (int i = lane; i <= own; i += 32) s += expf(scale * (a[i] - m));
  s = warp_all<Sum>(s);
  float inv = 1.0f / s;
  for (int i = lane; i < T; i += 32) a[i] = i <= own ? expf(scale * (a[i] - m)) * inv : 0.0f;
}
__global__ void log_sum_exp(float *lse, const float4 *x, int V4) {
  const float4 *src = x + (size_t)blockIdx.x * V4;
  float m = -FLT_MAX, s = 0.0f;
  for (int i = threadIdx.x; i < V4; i += blockDim.x) {
    float4 v = src[i];
    float n = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), m);
    s = s * __expf(m - n) + __expf(v.x - n) + __expf(v.y - n) + __expf(v.z - n) + __expf(v.w - n);
    m = n;
  }
  float top = block_all<Max>(m);
  s = block_all<Sum>(s * __expf(m - top));
  if (threadIdx.x == 0) lse[blockIdx.x] = top + logf(s);
}
// dx = scale * p * (dp - sum(dp * p)) over the causal part of each row
__global__ void softmax_backward(float *dx, const float *dp, const float *p, int T, float scale) {
  size_t base = ((size_t)blockIdx.y * T + blockIdx.x) * T;
  int own = blockIdx.x;
  float dot = 0.0f;
  for (int i = threadIdx.x; i <= own; i += blockDim.x) dot += dp[base + i] * p[base + i];
  dot = block_all<Sum>(dot);
  for (int i = threadIdx.x; i <= own; i += blockDim.x) dx[base + i] = scale * p[base + i] * (dp[base + i] - dot);
}

int main() {
  const int V = 50257, LONG = 1024, T = 1024, HEADS = 4 * 12;
  const size_t n = (size_t)LONG * V, t = (size_t)HEADS * T * T;
  float *x, *y, *lse;
  cudaMalloc(&x, (n > t ? n : t) * sizeof(float));
  cudaMalloc(&y, (n > t ? n : t) * sizeof(float));
  cudaMalloc(&lse, LONG * sizeof(float));
  init_logits<<<(unsigned)((n + 511) / 512), 512>>>(x, n, 12.0f);
  cudaMemset(y, 0, n * sizeof(float));
  softmax_short<8><<<65536 / 4, dim3(32, 4)>>>(y, x, 65536);
  softmax_three_pass<<<LONG, 256>>>(y, x, V);
  softmax_online<<<LONG, 1024>>>(y, x, V);
  log_sum_exp<<<LONG, 320>>>(lse, (const float4 *)x, 50176 / 4);
  softmax_causal<<<HEADS * T / 8, 256>>>(x, HEADS * T, T, 0.125f);
  softmax_backward<<<dim3(T, HEADS), 128>>>(y, y, x, T, 0.125f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
