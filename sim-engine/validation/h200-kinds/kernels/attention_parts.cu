// Attention in pieces: head permutes, plain QK^T and scores x V, a small fused causal kernel, one-token decode with grouped heads.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void fillUniform(float *p, int n, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned h = (i + seed) * 2246822519u;
    h = (h ^ (h >> 13)) * 3266489917u;
    p[i] = (h >> 16) / 32768.f - 1.f;
  }
}
// scores straight from the packed (B, T, 3C) projection; -inf above the diagonal
__global__ void queryKey(float *scores, const float *qkv, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * NH * T * T) return;
  int t2 = idx % T, t = idx / T % T;
  int h = idx / (T * T) % NH, b = idx / (NH * T * T), hs = C / NH;
  const float *q = qkv + (size_t)(b * T + t) * 3 * C + h * hs;
  const float *k = qkv + (size_t)(b * T + t2) * 3 * C + C + h * hs;
  float dot = 0.f;
  if (t2 <= t)
    for (int i = 0; i < hs; i++) dot += q[i] * k[i];
  scores[idx] = t2 <= t ? dot * rsqrtf((float)hs) : -INFINITY;
}
// (B, T, 3, NH, HS) -> three of (B, NH, T, HS)
__global__ void permuteHeads(float *q, float *k, float *v, const float *qkv, int B, int T, int NH, int HS) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * NH * T * HS) return;
  int d = i % HS, t = i / HS % T, h = i / (HS * T) % NH, b = i / (HS * T * NH);
  int from = ((b * T + t) * 3 * NH + h) * HS + d;
  q[i] = __ldcs(&qkv[from]);
  k[i] = __ldcs(&qkv[from + NH * HS]);
  v[i] = __ldcs(&qkv[from + 2 * NH * HS]);
}
// (B, NH, T, HS) -> (B, T, NH, HS), a block of HS/4 x rows per position
__global__ void unpermuteHeads(float4 *out, const float4 *in, int T, int NH, int HS4) {
  int t = blockIdx.x, b = blockIdx.y, h = threadIdx.y;
  out[((size_t)(b * T + t) * NH + h) * HS4 + threadIdx.x] = in[((size_t)(b * NH + h) * T + t) * HS4 + threadIdx.x];
}
__global__ void scoresTimesValues(float *out, const float *att, const float *v, int T, int HS) {
  int bh = blockIdx.y, t = blockIdx.x * blockDim.y + threadIdx.y, d = threadIdx.x;
  if (t >= T) return;
  const float *a = att + ((size_t)bh * T + t) * T, *vh = v + (size_t)bh * T * HS;
  float sum = 0.f;
  for (int s = 0; s <= t; s++) sum += a[s] * vh[s * HS + d];
  out[((size_t)bh * T + t) * HS + d] = sum;
}
// 32 queries to a block, four lanes to a query, keys and values by tiles of 32
template <int D>
__global__ __launch_bounds__(128) void fusedCausal(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v, float *__restrict__ o, int T, float scale) {
  __shared__ float sq[32][D + 1], sk[32][D + 1], sv[32][D], sp[32][33];
  const size_t head = (size_t)blockIdx.y * T * D;
  const int row = threadIdx.x / 4, part = threadIdx.x % 4, mine = blockIdx.x * 32 + row;
  for (int i = threadIdx.x; i < 32 * D; i += 128) sq[i / D][i % D] = q[head + blockIdx.x * 32 * D + i] * scale;
  float acc[D / 4] = {}, m = -INFINITY, l = 0.f;
  for (int tile = 0; tile <= blockIdx.x; tile++) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * D; i += 128)
      sk[i / D][i % D] = k[head + tile * 32 * D + i], sv[i / D][i % D] = v[head + tile * 32 * D + i];
    __syncthreads();
    float s[8] = {}, top = m, sum = 0.f;
    for (int d = 0; d < D; d++)
#pragma unroll
      for (int j = 0; j < 8; j++) s[j] += sq[row][d] * sk[part + 4 * j][d];
#pragma unroll
    for (int j = 0; j < 8; j++) {
      if (tile * 32 + part + 4 * j > mine) s[j] = -INFINITY;
      top = fmaxf(top, s[j]);
    }
    top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
    top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
#pragma unroll
    for (int j = 0; j < 8; j++) sum += sp[row][part + 4 * j] = __expf(s[j] - top);
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    float fade = __expf(m - top);
    l = l * fade + sum, m = top;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < D / 4; i++) acc[i] *= fade;
    for (int j = 0; j < 32; j++) {
      float p = sp[row][j];
#pragma unroll
      for (int i = 0; i < D / 4; i++) acc[i] += p * sv[j][part + 4 * i];
    }
  }
#pragma unroll
  for (int i = 0; i < D / 4; i++) o[head + (size_t)mine * D + part + 4 * i] = acc[i] / l;
}
// one new token per sequence against an fp16 cache (B, KVH, S, 128); a block per query head
__global__ void decodeOne(float *out, const float *q, const half *kc, const half *vc, const int *lens, int NH, int KVH, int S) {
  extern __shared__ float p[];
  __shared__ float red[4];
  int h = blockIdx.x, b = blockIdx.y, n = lens[b], warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  size_t base = (size_t)(b * KVH + h / (NH / KVH)) * S * 128;
  float4 qv = ((const float4 *)(q + (size_t)(b * NH + h) * 128))[lane];
  float top = -INFINITY, sum = 0.f, acc = 0.f;
  for (int s = warp; s < n; s += 4) {
    const half2 *kr = (const half2 *)(kc + base + (size_t)s * 128) + lane * 2;
    float2 a = __half22float2(kr[0]), c = __half22float2(kr[1]);
    float dot = qv.x * a.x + qv.y * a.y + qv.z * c.x + qv.w * c.y;
    for (int o = 16; o; o >>= 1) dot += __shfl_xor_sync(0xffffffff, dot, o);
    dot *= 0.08838835f;
    if (lane == 0) p[s] = dot;
    top = fmaxf(top, dot);
  }
  if (lane == 0) red[warp] = top;
  __syncthreads();
  top = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
  for (int s = threadIdx.x; s < n; s += 128) p[s] = __expf(p[s] - top);
  __syncthreads();
  for (int s = 0; s < n; s++) sum += p[s], acc += p[s] * __half2float(vc[base + (size_t)s * 128 + threadIdx.x]);
  out[(size_t)(b * NH + h) * 128 + threadIdx.x] = acc / sum;
}

int main() {
  const int B = 6, T = 512, NH = 8, HS = 64, C = NH * HS, n = B * T * C, DB = 16, QH = 32, KVH = 8, S = 2048;
  float *qkv, *q, *k, *v, *o, *att, *dq, *dout;
  half *cache;
  int *lens, hl[DB];
  const size_t cacheN = (size_t)DB * KVH * S * 128;
  cudaMalloc(&qkv, 3 * n * 4), cudaMalloc(&att, (size_t)B * NH * T * T * 4), cudaMalloc(&cache, 2 * cacheN * sizeof(half));
  for (float **p : {&q, &k, &v, &o}) cudaMalloc(p, n * 4);
  cudaMalloc(&dq, DB * QH * 128 * 4), cudaMalloc(&dout, DB * QH * 128 * 4), cudaMalloc(&lens, sizeof(hl));
  for (int i = 0; i < DB; i++) hl[i] = 1024 + rand() % 1024;
  cudaMemcpy(lens, hl, sizeof(hl), cudaMemcpyHostToDevice);
  cudaMemset(cache, 0x2a, 2 * cacheN * sizeof(half)), cudaMemset(dq, 0x3c, DB * QH * 128 * 4);
  fillUniform<<<3 * n / 256, 256>>>(qkv, 3 * n, 7);
  queryKey<<<B * NH * T * T / 256, 256>>>(att, qkv, B, T, C, NH);
  permuteHeads<<<n / 256, 256>>>(q, k, v, qkv, B, T, NH, HS);
  scoresTimesValues<<<dim3(T / 4, B * NH), dim3(HS, 4)>>>(o, att, v, T, HS);
  fusedCausal<HS><<<dim3(T / 32, B * NH), 128>>>(q, k, v, o, T, 0.125f);
  unpermuteHeads<<<dim3(T, B), dim3(HS / 4, NH)>>>((float4 *)qkv, (const float4 *)o, T, NH, HS / 4);
  decodeOne<<<dim3(QH, DB), 128, S * sizeof(float)>>>(dout, dq, cache, cache + cacheN, lens, QH, KVH, S);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
