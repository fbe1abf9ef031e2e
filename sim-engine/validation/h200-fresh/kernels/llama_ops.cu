// Operations of a newer transformer: rotary positions, gated activation, a cache of keys and values, a token's scores.
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void rope(float *q, float *k, int T, int NH, int HS) {
  int half_size = HS / 2;
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int i = idx % half_size, h = (idx / half_size) % NH, t = idx / (half_size * NH);
  if (t >= T) return;
  float freq = 1.0f / powf(10000.0f, (float)(2 * i) / HS);
  float s, c;
  sincosf(t * freq, &s, &c);
  int at = (t * NH + h) * HS + 2 * i;
  float q0 = q[at], q1 = q[at + 1];
  q[at] = q0 * c - q1 * s;
  q[at + 1] = q0 * s + q1 * c;
  float k0 = k[at], k1 = k[at + 1];
  k[at] = k0 * c - k1 * s;
  k[at + 1] = k0 * s + k1 * c;
}

__global__ void siluGate(half2 *out, const half2 *gate, const half2 *up, int n2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n2) return;
  float2 g = __half22float2(gate[i]), u = __half22float2(up[i]);
  g.x = g.x / (1.0f + __expf(-g.x)) * u.x;
  g.y = g.y / (1.0f + __expf(-g.y)) * u.y;
  out[i] = __float22half2_rn(g);
}

// One query a head against a cache of past keys and values; a block a head and sequence.
__global__ void decodeAttention(half *out, const half *q, const half *keys, const half *values, int T, int HS, float scale) {
  extern __shared__ float scores[];
  __shared__ float red[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const half2 *q2 = (const half2 *)(q + (size_t)blockIdx.x * HS);
  const half2 *k2 = (const half2 *)(keys + (size_t)blockIdx.x * T * HS);
  for (int t = warp; t < T; t += 8) {
    float sum = 0.f;
    for (int i = lane; i < HS / 2; i += 32) {
      float2 a = __half22float2(q2[i]), b = __half22float2(k2[(size_t)t * HS / 2 + i]);
      sum += a.x * b.x + a.y * b.y;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) scores[t] = sum * scale;
  }
  __syncthreads();
  float m = -1e30f;
  for (int t = threadIdx.x; t < T; t += 256) m = fmaxf(m, scores[t]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (lane == 0) red[warp] = m;
  __syncthreads();
  m = red[0];
  for (int w = 1; w < 8; w++) m = fmaxf(m, red[w]);
  __syncthreads();
  float s = 0.f;
  for (int t = threadIdx.x; t < T; t += 256) {
    float e = __expf(scores[t] - m);
    scores[t] = e;
    s += e;
  }
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0) red[warp] = s;
  __syncthreads();
  s = 0.f;
  for (int w = 0; w < 8; w++) s += red[w];
  for (int c = threadIdx.x; c < HS; c += 256) {
    float acc = 0.f;
    for (int t = 0; t < T; t++) acc += scores[t] * __half2float(values[((size_t)blockIdx.x * T + t) * HS + c]);
    out[(size_t)blockIdx.x * HS + c] = __float2half(acc / s);
  }
}

int main() {
  const int T = 2048, NH = 32, HS = 128, B = 8, H = 11008;
  float *q, *k;
  half *gate, *up, *out, *cacheK, *cacheV;
  cudaMalloc(&q, (size_t)T * NH * HS * sizeof(float));
  cudaMalloc(&k, (size_t)T * NH * HS * sizeof(float));
  cudaMalloc(&gate, (size_t)T * H * sizeof(half));
  cudaMalloc(&up, (size_t)T * H * sizeof(half));
  cudaMalloc(&out, (size_t)T * H * sizeof(half));
  cudaMalloc(&cacheK, (size_t)B * NH * T * HS * sizeof(half));
  cudaMalloc(&cacheV, (size_t)B * NH * T * HS * sizeof(half));
  cudaMemset(q, 0, (size_t)T * NH * HS * sizeof(float));
  cudaMemset(k, 0, (size_t)T * NH * HS * sizeof(float));
  cudaMemset(gate, 0, (size_t)T * H * sizeof(half));
  cudaMemset(up, 0, (size_t)T * H * sizeof(half));
  cudaMemset(cacheK, 0, (size_t)B * NH * T * HS * sizeof(half));
  cudaMemset(cacheV, 0, (size_t)B * NH * T * HS * sizeof(half));
  rope<<<(T * NH * HS / 2 + 255) / 256, 256>>>(q, k, T, NH, HS);
  siluGate<<<(T * H / 2 + 255) / 256, 256>>>((half2 *)out, (const half2 *)gate, (const half2 *)up, T * H / 2);
  decodeAttention<<<B * NH, 256, T * sizeof(float)>>>(out, gate, cacheK, cacheV, T, HS, 0.088f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
