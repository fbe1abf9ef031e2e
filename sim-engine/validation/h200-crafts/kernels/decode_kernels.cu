// Single token inference: gemv (fp32, fp16, int4 groups), decode attention over a kv cache, sampling.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(expr) do { cudaError_t rc_ = (expr); if (rc_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); exit(1); } } while (0)

#define FULL 0xffffffffu
__device__ inline float warp_sum(float v) { for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(FULL, v, d); return v; }

// ------------------------------------------------------------ gemv
__global__ void gemv_f32_block(const float* w, const float* x, float* y, int cols) {
  __shared__ float part[32];
  const float* row = w + (size_t)blockIdx.x * cols;
  float s = 0.f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) s += row[i] * x[i];
  s = warp_sum(s);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0.f;
    for (int i = 0; i < blockDim.x / 32; i++) t += part[i];
    y[blockIdx.x] = t;
  }
}

__global__ void gemv_f32_warp(const float4* __restrict__ w, const float4* __restrict__ x, float* __restrict__ y, int rows, int cols4) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  const float4* p = w + (size_t)r * cols4;
  float s = 0.f;
  for (int i = threadIdx.x; i < cols4; i += 32) {
    float4 a = __ldcs(p + i), b = x[i];
    s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  s = warp_sum(s);
  if (threadIdx.x == 0) y[r] = s;
}

// several rows a warp, x staged in shared memory as half2
template <int ROWS>
__global__ void __launch_bounds__(256) gemv_f16(const half* __restrict__ w, const half* __restrict__ x, half* __restrict__ y, int rows, int cols) {
  extern __shared__ __align__(16) half xs[];
  for (int i = threadIdx.x * 8; i < cols; i += blockDim.x * 8) *(uint4*)(xs + i) = *(const uint4*)(x + i);
  __syncthreads();
  int lane = threadIdx.x & 31, r0 = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * ROWS;
  float acc[ROWS] = {};
  for (int i = lane * 8; i < cols; i += 256) {
    uint4 xv = *(const uint4*)(xs + i);
    const half2* xh = (const half2*)&xv;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      if (r0 + r >= rows) break;
      uint4 wv = __ldg((const uint4*)(w + (size_t)(r0 + r) * cols + i));
      const half2* wh = (const half2*)&wv;
#pragma unroll
      for (int k = 0; k < 4; k++) { float2 a = __half22float2(wh[k]), b = __half22float2(xh[k]); acc[r] += a.x * b.x + a.y * b.y; }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    float s = warp_sum(acc[r]);
    if (lane == 0 && r0 + r < rows) y[r0 + r] = __float2half(s);
  }
}

// 8 nibbles in a word, one half scale per group of 128 columns, zero point 8
__global__ void gemv_int4(const uint32_t* __restrict__ qw, const half* __restrict__ scales, const half* __restrict__ x, half* __restrict__ y, int rows, int cols) {
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  const uint32_t* q = qw + (size_t)r * (cols / 8);
  const half* sc = scales + (size_t)r * (cols / 128);
  float s = 0.f;
  for (int c = lane; c < cols / 32; c += 32) {
    uint4 p = ((const uint4*)q)[c];
    float scale = __half2float(sc[c / 4]), t = 0.f;
    uint32_t words[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
      uint4 xv = *(const uint4*)(x + c * 32 + k * 8);
      const half* xh = (const half*)&xv;
#pragma unroll
      for (int n = 0; n < 8; n++) t += (float)((int)((words[k] >> (4 * n)) & 15) - 8) * __half2float(xh[n]);
    }
    s += t * scale;
  }
  s = warp_sum(s);
  if (lane == 0) y[r] = __float2half(s);
}

// ------------------------------------------------------------ decode attention, HD = 128, cache [b][kvh][t][HD], GQA
constexpr int HD = 128;

__global__ void decode_attn_simple(const half* q, const half* kc, const half* vc, float* out, const int* lens, int H, int KVH, int maxT) {
  extern __shared__ float att[];
  __shared__ float red[8];
  int h = blockIdx.x, b = blockIdx.y, len = lens[b], lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
  size_t base = ((size_t)b * KVH + h / (H / KVH)) * maxT * HD;
  const half2* qp = (const half2*)(q + ((size_t)b * H + h) * HD);
  float2 q0 = __half22float2(qp[lane * 2]), q1 = __half22float2(qp[lane * 2 + 1]);
  float mx = -FLT_MAX;
  for (int t = w; t < len; t += nw) {
    const half2* kp = (const half2*)(kc + base + (size_t)t * HD);
    float2 k0 = __half22float2(kp[lane * 2]), k1 = __half22float2(kp[lane * 2 + 1]);
    float s = warp_sum(q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y) * rsqrtf((float)HD);
    if (lane == 0) att[t] = s;
    mx = fmaxf(mx, s);
  }
  if (lane == 0) red[w] = mx;
  __syncthreads();
  for (int i = 0; i < nw; i++) mx = fmaxf(mx, red[i]);
  __syncthreads();
  float sum = 0.f;
  for (int t = threadIdx.x; t < len; t += blockDim.x) { float e = __expf(att[t] - mx); att[t] = e; sum += e; }
  sum = warp_sum(sum);
  if (lane == 0) red[w] = sum;
  __syncthreads();
  sum = 0.f;
  for (int i = 0; i < nw; i++) sum += red[i];
  if (threadIdx.x < HD) {
    float acc = 0.f;
    for (int t = 0; t < len; t++) acc += att[t] * __half2float(vc[base + (size_t)t * HD + threadIdx.x]);
    out[((size_t)b * H + h) * HD + threadIdx.x] = acc / sum;
  }
}

// flash decoding: every block takes a slice of the cache, each warp keeps an online softmax
__global__ void __launch_bounds__(128) decode_attn_split(const half* __restrict__ q, const half* __restrict__ kc, const half* __restrict__ vc, float* __restrict__ po, float2* __restrict__ pml, const int* __restrict__ lens, int H, int KVH, int maxT, int slice) {
  __shared__ float so[4][HD];
  __shared__ float sm[4], sl[4];
  int sp = blockIdx.x, h = blockIdx.y, b = blockIdx.z, ns = gridDim.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  int t0 = sp * slice, t1 = min(lens[b], t0 + slice);
  size_t base = ((size_t)b * KVH + h / (H / KVH)) * maxT * HD;
  const half2* qp = (const half2*)(q + ((size_t)b * H + h) * HD + lane * 4);
  float2 q0 = __half22float2(qp[0]), q1 = __half22float2(qp[1]);
  float m = -1e30f, l = 0.f, o[4] = {};
  for (int t = t0 + w; t < t1; t += 4) {
    uint2 kr = *(const uint2*)(kc + base + (size_t)t * HD + lane * 4), vr = *(const uint2*)(vc + base + (size_t)t * HD + lane * 4);
    float2 k0 = __half22float2(*(half2*)&kr.x), k1 = __half22float2(*(half2*)&kr.y);
    float2 v0 = __half22float2(*(half2*)&vr.x), v1 = __half22float2(*(half2*)&vr.y);
    float s = warp_sum(q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y) * 0.08838834764f;
    float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
    l = l * c + p; m = mn;
    o[0] = o[0] * c + p * v0.x; o[1] = o[1] * c + p * v0.y; o[2] = o[2] * c + p * v1.x; o[3] = o[3] * c + p * v1.y;
  }
  for (int i = 0; i < 4; i++) so[w][lane * 4 + i] = o[i];
  if (lane == 0) { sm[w] = m; sl[w] = l; }
  __syncthreads();
  float M = fmaxf(fmaxf(sm[0], sm[1]), fmaxf(sm[2], sm[3])), L = 0.f, acc = 0.f;
  for (int i = 0; i < 4; i++) { float c = __expf(sm[i] - M); L += sl[i] * c; acc += so[i][threadIdx.x] * c; }
  size_t slot = ((size_t)b * H + h) * ns + sp;
  po[slot * HD + threadIdx.x] = acc;
  if (threadIdx.x == 0) pml[slot] = make_float2(M, L);
}
__global__ void decode_attn_combine(const float* po, const float2* pml, float* out, int ns) {
  size_t bh = blockIdx.x;
  float M = -1e30f, L = 0.f, acc = 0.f;
  for (int i = 0; i < ns; i++) M = fmaxf(M, pml[bh * ns + i].x);
  for (int i = 0; i < ns; i++) {
    float2 ml = pml[bh * ns + i];
    float c = __expf(ml.x - M);
    L += ml.y * c;
    acc += po[(bh * ns + i) * HD + threadIdx.x] * c;
  }
  out[bh * HD + threadIdx.x] = acc / L;
}

// ------------------------------------------------------------ sampling
__device__ inline void better(float& v, int& i, float v2, int i2) { if (v2 > v || (v2 == v && i2 < i)) { v = v2; i = i2; } }
__device__ void block_argmax(float& v, int& i) {
  __shared__ float bv[32];
  __shared__ int bi[32];
  for (int d = 16; d; d >>= 1) { float v2 = __shfl_xor_sync(FULL, v, d); int i2 = __shfl_xor_sync(FULL, i, d); better(v, i, v2, i2); }
  __syncthreads();
  if ((threadIdx.x & 31) == 0) { bv[threadIdx.x >> 5] = v; bi[threadIdx.x >> 5] = i; }
  __syncthreads();
  v = bv[0]; i = bi[0];
  for (int k = 1; k < blockDim.x >> 5; k++) better(v, i, bv[k], bi[k]);
}
__global__ void argmax_rows(const float* logits, int* out, int V) {
  const float* x = logits + (size_t)blockIdx.x * V;
  float v = -FLT_MAX; int idx = 0x7fffffff;
  for (int j = threadIdx.x; j < V; j += blockDim.x) better(v, idx, x[j], j);
  block_argmax(v, idx);
  if (threadIdx.x == 0) out[blockIdx.x] = idx;
}
// K rounds of block argmax over the row kept in dynamic shared memory, then top-p among the K with a given coin
__global__ void __launch_bounds__(1024) topk_topp_sample(const float* logits, int* topk, int* sample, const float* coin, int V, int K, float temp, float p) {
  extern __shared__ float row[];
  __shared__ float kv[64];
  __shared__ int ki[64];
  for (int j = threadIdx.x; j < V; j += blockDim.x) row[j] = logits[(size_t)blockIdx.x * V + j];
  __syncthreads();
  for (int k = 0; k < K; k++) {
    float v = -FLT_MAX; int idx = 0x7fffffff;
    for (int j = threadIdx.x; j < V; j += blockDim.x) better(v, idx, row[j], j);
    block_argmax(v, idx);
    if (threadIdx.x == 0) { kv[k] = v; ki[k] = idx; row[idx] = -FLT_MAX; topk[blockIdx.x * K + k] = idx; }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    float sum = 0.f, top = kv[0];
    for (int k = 0; k < K; k++) { kv[k] = __expf((kv[k] - top) / temp); sum += kv[k]; }
    float cum = 0.f; int n = 0;
    while (n < K) { cum += kv[n++] / sum; if (cum >= p) break; }
    float r = coin[blockIdx.x] * cum * sum, c = 0.f;
    int pick = ki[n - 1];
    for (int k = 0; k < n; k++) { c += kv[k]; if (r < c) { pick = ki[k]; break; } }
    sample[blockIdx.x] = pick;
  }
}

static uint32_t rs = 2463534242u;
static float uni() { rs ^= rs << 13; rs ^= rs >> 17; rs ^= rs << 5; return (rs >> 8) / 8388608.f - 1.f; }
template <class T> T* push(const std::vector<T>& v) { T* d; CUDA_OK(cudaMalloc(&d, v.size() * sizeof(T))); CUDA_OK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return d; }
template <class T> std::vector<T> pull(const T* d, size_t n) { CUDA_OK(cudaGetLastError()); std::vector<T> v(n); CUDA_OK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }

int main() {
  bool ok = true;
  auto say = [&](const char* n, double err, double tol) { bool g = err < tol; ok &= g; printf("%-24s err %.2e %s\n", n, err, g ? "ok" : "BAD"); };
  {
    const int R = 4096, C = 2048;
    std::vector<float> w((size_t)R * C), x(C), y(R);
    for (auto& e : w) e = uni();
    for (auto& e : x) e = uni();
    float *dw = push(w), *dx = push(x), *dy = push(y);
    auto err = [&] { auto o = pull(dy, R); double m = 0; for (int r = 0; r < R; r += 37) { double s = 0; for (int c = 0; c < C; c++) s += (double)w[(size_t)r * C + c] * x[c]; m = std::max(m, fabs(s - o[r])); } return m; };
    gemv_f32_block<<<R, 128>>>(dw, dx, dy, C); say("gemv f32 block/row", err(), 1e-3);
    gemv_f32_warp<<<(R + 7) / 8, dim3(32, 8)>>>((float4*)dw, (float4*)dx, dy, R, C / 4); say("gemv f32 warp/row", err(), 1e-3);
    cudaFree(dw); cudaFree(dx); cudaFree(dy);
  }
  {
    const int R = 11008, C = 2048;
    std::vector<half> w((size_t)R * C), x(C), y(R), sc((size_t)R * C / 128);
    std::vector<uint32_t> q((size_t)R * C / 8);
    for (auto& e : w) e = __float2half(uni() * 0.1f);
    for (auto& e : x) e = __float2half(uni());
    for (auto& e : sc) e = __float2half(0.02f + 0.01f * uni());
    for (auto& e : q) { uni(); e = rs; }
    half *dw = push(w), *dx = push(x), *dy = push(y), *dsc = push(sc);
    uint32_t* dq = push(q);
    auto err = [&](bool i4) {
      auto o = pull(dy, R); double m = 0;
      for (int r = 0; r < R; r += 101) {
        double s = 0;
        for (int c = 0; c < C; c++) {
          float a = i4 ? ((int)((q[((size_t)r * C + c) / 8] >> (4 * (c % 8))) & 15) - 8) * __half2float(sc[((size_t)r * C + c) / 128]) : __half2float(w[(size_t)r * C + c]);
          s += (double)a * __half2float(x[c]);
        }
        m = std::max(m, fabs(s - __half2float(o[r])) / (1 + fabs(s)));
      }
      return m;
    };
    gemv_f16<1><<<(R + 7) / 8, 256, C * 2>>>(dw, dx, dy, R, C); say("gemv f16, 1 row", err(false), 5e-3);
    gemv_f16<4><<<(R + 31) / 32, 256, C * 2>>>(dw, dx, dy, R, C); say("gemv f16, 4 rows", err(false), 5e-3);
    gemv_int4<<<(R + 3) / 4, 128>>>(dq, dsc, dx, dy, R, C); say("gemv int4", err(true), 5e-3);
    cudaFree(dw); cudaFree(dx); cudaFree(dy); cudaFree(dsc); cudaFree(dq);
  }
  {
    const int B = 4, H = 32, KVH = 8, maxT = 2048, slice = 256, ns = maxT / slice;
    std::vector<int> lens = {2048, 1999, 777, 1300};
    std::vector<half> q(B * H * HD), k((size_t)B * KVH * maxT * HD), v(k.size());
    for (auto* p : {&q, &k, &v}) for (auto& e : *p) e = __float2half(uni());
    half *dq = push(q), *dk = push(k), *dv = push(v);
    int* dl = push(lens);
    float *out, *po; float2* pml;
    CUDA_OK(cudaMalloc(&out, B * H * HD * 4)); CUDA_OK(cudaMalloc(&po, (size_t)B * H * ns * HD * 4)); CUDA_OK(cudaMalloc(&pml, B * H * ns * 8));
    auto err = [&] {
      auto o = pull(out, B * H * HD); double m = 0;
      for (int bh = 1; bh < B * H; bh += 17) {
        int b = bh / H, h = bh % H; size_t base = ((size_t)b * KVH + h / (H / KVH)) * maxT * HD;
        std::vector<float> p(lens[b]); float mx = -1e30f, s = 0;
        for (int t = 0; t < lens[b]; t++) { float a = 0; for (int d = 0; d < HD; d++) a += __half2float(q[bh * HD + d]) * __half2float(k[base + (size_t)t * HD + d]); p[t] = a / sqrtf(HD); mx = std::max(mx, p[t]); }
        for (auto& e : p) { e = expf(e - mx); s += e; }
        for (int d = 0; d < HD; d += 5) { float a = 0; for (int t = 0; t < lens[b]; t++) a += p[t] * __half2float(v[base + (size_t)t * HD + d]); m = std::max(m, (double)fabsf(a / s - o[bh * HD + d])); }
      }
      return m;
    };
    for (int bs : {128, 256}) { decode_attn_simple<<<dim3(H, B), bs, maxT * 4>>>(dq, dk, dv, out, dl, H, KVH, maxT); say("decode attention", err(), 1e-3); }
    CUDA_OK(cudaMemset(out, 0, B * H * HD * 4));
    decode_attn_split<<<dim3(ns, H, B), 128>>>(dq, dk, dv, po, pml, dl, H, KVH, maxT, slice);
    decode_attn_combine<<<B * H, HD>>>(po, pml, out, ns); say("split kv + combine", err(), 1e-3);
    cudaFree(dq); cudaFree(dk); cudaFree(dv); cudaFree(dl); cudaFree(out); cudaFree(po); cudaFree(pml);
  }
  {
    const int B = 32, V = 32000, K = 40;
    std::vector<float> lg((size_t)B * V), coin(B);
    for (auto& e : lg) e = 4.f * uni();
    for (auto& e : coin) e = 0.5f * uni() + 0.5f;
    float *dl = push(lg), *dc = push(coin); int *da, *dk, *dsm;
    CUDA_OK(cudaMalloc(&da, B * 4)); CUDA_OK(cudaMalloc(&dk, B * K * 4)); CUDA_OK(cudaMalloc(&dsm, B * 4));
    argmax_rows<<<B, 512>>>(dl, da, V);
    CUDA_OK(cudaFuncSetAttribute(topk_topp_sample, cudaFuncAttributeMaxDynamicSharedMemorySize, V * 4));
    topk_topp_sample<<<B, 1024, V * 4>>>(dl, dk, dsm, dc, V, K, 0.8f, 0.9f);
    auto a = pull(da, B); auto t = pull(dk, B * K); auto sm = pull(dsm, B);
    int wrong = 0;
    for (int b = 0; b < B; b++) {
      std::vector<int> id(V);
      for (int i = 0; i < V; i++) id[i] = i;
      const float* x = &lg[(size_t)b * V];
      std::partial_sort(id.begin(), id.begin() + K, id.end(), [&](int i, int j) { return x[i] != x[j] ? x[i] > x[j] : i < j; });
      wrong += a[b] != id[0];
      for (int k = 0; k < K; k++) wrong += t[b * K + k] != id[k];
      wrong += std::find(id.begin(), id.begin() + K, sm[b]) == id.begin() + K;
    }
    say("argmax / top-k / top-p", wrong, 0.5);
  }
  printf(ok ? "PASS\n" : "FAIL\n");
  return !ok;
}
