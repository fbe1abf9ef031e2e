// Row-wise and channel-wise kernels of a transformer / convnet, half and float.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cfloat>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CUCHK(x)                                                                     \
  do {                                                                               \
    cudaError_t s__ = (x);                                                           \
    if (s__ != cudaSuccess) {                                                        \
      fprintf(stderr, "cuda: %s (%s:%d)\n", cudaGetErrorString(s__), __FILE__, __LINE__); \
      exit(2);                                                                       \
    }                                                                                \
  } while (0)

constexpr unsigned FULL = 0xffffffffu;

struct SumOp { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };

template <class Op, class T>
__device__ __forceinline__ T warpAllReduce(T v, Op op) {
#pragma unroll
  for (int m = 16; m >= 1; m >>= 1) v = op(v, __shfl_xor_sync(FULL, v, m));
  return v;
}

template <int BLOCK, class Op>
__device__ __forceinline__ float blockAllReduce(float v, Op op, float identity) {
  __shared__ float sh[BLOCK / 32];
  v = warpAllReduce(v, op);
  if constexpr (BLOCK > 32) {
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = v;
    __syncthreads();
    v = (threadIdx.x & 31) < BLOCK / 32 ? sh[threadIdx.x & 31] : identity;
    v = warpAllReduce(v, op);
    __syncthreads();
  }
  return v;
}

template <typename T, int N>
struct alignas(sizeof(T) * N) Vec { T v[N]; };

// ------------------------------------------------------------------- RMSNorm (half, row kept in registers)
template <int BLOCK, int PER>
__global__ void rmsnorm_kernel(const half *__restrict__ x, const half *__restrict__ w, half *__restrict__ y, int hidden, float eps) {
  using V = Vec<half, 8>;
  const size_t base = (size_t)blockIdx.x * hidden;
  V reg[PER];
  float ss = 0.f;
#pragma unroll
  for (int i = 0; i < PER; ++i) {
    int c = (i * BLOCK + threadIdx.x) * 8;
    if (c < hidden) {
      reg[i] = *reinterpret_cast<const V *>(x + base + c);
#pragma unroll
      for (int k = 0; k < 8; ++k) { float f = __half2float(reg[i].v[k]); ss += f * f; }
    }
  }
  ss = blockAllReduce<BLOCK>(ss, SumOp(), 0.f);
  const float r = rsqrtf(ss / hidden + eps);
#pragma unroll
  for (int i = 0; i < PER; ++i) {
    int c = (i * BLOCK + threadIdx.x) * 8;
    if (c < hidden) {
      V ww = *reinterpret_cast<const V *>(w + c), o;
#pragma unroll
      for (int k = 0; k < 8; ++k) o.v[k] = __float2half(__half2float(reg[i].v[k]) * r * __half2float(ww.v[k]));
      *reinterpret_cast<V *>(y + base + c) = o;
    }
  }
}

// ------------------------------------------------------------------- GroupNorm, NCHW float, block per (n, group)
__global__ void groupnorm_kernel(const float *x, float *y, const float *gamma, const float *beta,
                                 int C, int HW, int G, float eps) {
  const int n = blockIdx.x / G, g = blockIdx.x % G;
  const int cpg = C / G, D = cpg * HW;
  const float *xp = x + ((size_t)n * C + g * cpg) * HW;
  float *yp = y + ((size_t)n * C + g * cpg) * HW;
  float s = 0.f, s2 = 0.f;
  for (int i = threadIdx.x; i < D; i += blockDim.x) {
    float v = xp[i];
    s += v;
    s2 += v * v;
  }
  s = blockAllReduce<256>(s, SumOp(), 0.f);
  s2 = blockAllReduce<256>(s2, SumOp(), 0.f);
  float mean = s / D, rstd = rsqrtf(s2 / D - mean * mean + eps);
  for (int i = threadIdx.x; i < D; i += blockDim.x) {
    int c = g * cpg + i / HW;
    yp[i] = (xp[i] - mean) * rstd * gamma[c] + beta[c];
  }
}

// ------------------------------------------------------------------- BatchNorm statistics: Welford, block per channel
__global__ void batchnorm_stats(const float *__restrict__ in, float *__restrict__ mean, float *__restrict__ var,
                                int N, int C, int HW) {
  const int c = blockIdx.x;
  float mu = 0.f, m2 = 0.f;
  int cnt = 0;
  for (int n = threadIdx.y; n < N; n += blockDim.y)
    for (int i = threadIdx.x; i < HW; i += blockDim.x) {
      float v = in[((size_t)n * C + c) * HW + i];
      float d = v - mu;
      ++cnt;
      mu += d / cnt;
      m2 += d * (v - mu);
    }
  __shared__ float smu[32], sm2[32];
  __shared__ int sc[32];
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  auto merge = [](float &mu, float &m2, int &n, float omu, float om2, int on) {
    int t = n + on;
    float f = 1.f / fmaxf(1.f, (float)t);
    float d = omu - mu;
    m2 += om2 + d * d * n * on * f;
    mu = (n * mu + on * omu) * f;
    n = t;
  };
  for (int o = 16; o > 0; o >>= 1) {
    float omu = __shfl_xor_sync(FULL, mu, o), om2 = __shfl_xor_sync(FULL, m2, o);
    int on = __shfl_xor_sync(FULL, cnt, o);
    merge(mu, m2, cnt, omu, om2, on);
  }
  if ((tid & 31) == 0) { smu[tid >> 5] = mu; sm2[tid >> 5] = m2; sc[tid >> 5] = cnt; }
  __syncthreads();
  if (tid < 32) {
    const int nw = blockDim.x * blockDim.y / 32;
    mu = tid < nw ? smu[tid] : 0.f;
    m2 = tid < nw ? sm2[tid] : 0.f;
    cnt = tid < nw ? sc[tid] : 0;
    for (int o = 16; o > 0; o >>= 1) {
      float omu = __shfl_xor_sync(FULL, mu, o), om2 = __shfl_xor_sync(FULL, m2, o);
      int on = __shfl_xor_sync(FULL, cnt, o);
      merge(mu, m2, cnt, omu, om2, on);
    }
    if (tid == 0) { mean[c] = mu; var[c] = m2 / cnt; }
  }
}

// ------------------------------------------------------------------- L2 normalise, warp per row of 128
__global__ void l2_normalize_rows(const float4 *__restrict__ x, float4 *__restrict__ y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float4 v = x[(size_t)row * 32 + lane];
  float s = warpAllReduce(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, SumOp());
  float r = rsqrtf(fmaxf(s, 1e-12f));
  y[(size_t)row * 32 + lane] = make_float4(v.x * r, v.y * r, v.z * r, v.w * r);
}

// ------------------------------------------------------------------- softmax, block per row, online max and sum
template <int BLOCK>
__global__ void softmax_rows(const float *__restrict__ in, float *__restrict__ out, int cols) {
  const float *xi = in + (size_t)blockIdx.x * cols;
  float *yo = out + (size_t)blockIdx.x * cols;
  float m = -FLT_MAX, d = 0.f;
  for (int i = threadIdx.x; i < cols; i += BLOCK) {
    float v = xi[i];
    float nm = fmaxf(m, v);
    d = d * __expf(m - nm) + __expf(v - nm);
    m = nm;
  }
  float gm = blockAllReduce<BLOCK>(m, MaxOp(), -FLT_MAX);
  d = blockAllReduce<BLOCK>(d * __expf(m - gm), SumOp(), 0.f);
  const float inv = 1.f / d;
  for (int i = threadIdx.x; i < cols; i += BLOCK) yo[i] = __expf(xi[i] - gm) * inv;
}

// ------------------------------------------------------------------- argmax over a vocabulary
struct Pair { float v; int i; };
__device__ __forceinline__ Pair better(Pair a, Pair b) { return (b.v > a.v || (b.v == a.v && b.i < a.i)) ? b : a; }

__global__ void argmax_rows(const float *__restrict__ logits, int *__restrict__ idx, int cols) {
  __shared__ Pair sh[32];
  const float4 *row = reinterpret_cast<const float4 *>(logits + (size_t)blockIdx.x * cols);
  Pair best{-FLT_MAX, 0};
  for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
    float4 q = row[i];
    best = better(best, Pair{q.x, 4 * i});
    best = better(best, Pair{q.y, 4 * i + 1});
    best = better(best, Pair{q.z, 4 * i + 2});
    best = better(best, Pair{q.w, 4 * i + 3});
  }
  auto wr = [](Pair p) {
    for (int o = 16; o; o >>= 1) {
      Pair q{__shfl_xor_sync(FULL, p.v, o), __shfl_xor_sync(FULL, p.i, o)};
      p = better(p, q);
    }
    return p;
  };
  best = wr(best);
  if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = best;
  __syncthreads();
  if (threadIdx.x < 32) {
    best = threadIdx.x < blockDim.x / 32 ? sh[threadIdx.x] : Pair{-FLT_MAX, 0x7fffffff};
    best = wr(best);
    if (threadIdx.x == 0) idx[blockIdx.x] = best.i;
  }
}

// ------------------------------------------------------------------- top-2, warp per row (router of experts)
__global__ void top2_rows(const half *__restrict__ gate, int2 *__restrict__ ids, float2 *__restrict__ wts, int rows, int experts) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int lane = threadIdx.x;
  Pair a{-FLT_MAX, 0x7fffffff}, b{-FLT_MAX, 0x7fffffff};
  for (int e = lane; e < experts; e += 32) {
    Pair p{__half2float(gate[(size_t)row * experts + e]), e};
    if (better(a, p).i == p.i) { b = a; a = p; }
    else b = better(b, p);
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    Pair oa{__shfl_xor_sync(FULL, a.v, o), __shfl_xor_sync(FULL, a.i, o)};
    Pair ob{__shfl_xor_sync(FULL, b.v, o), __shfl_xor_sync(FULL, b.i, o)};
    if (better(a, oa).i == a.i) b = better(b, oa);
    else { b = better(a, ob); a = oa; }
  }
  if (lane == 0) {
    float e = expf(b.v - a.v), s = 1.f / (1.f + e);
    ids[row] = make_int2(a.i, b.i);
    wts[row] = make_float2(s, e * s);
  }
}

// ------------------------------------------------------------------- RoPE, rotate-half layout, in place
__global__ void rope_kernel(half *qk, const float2 *__restrict__ cs, const int *__restrict__ pos, int heads, int dim) {
  const int token = blockIdx.x;
  const int halfd = dim / 2;
  const float2 *row = cs + (size_t)pos[token] * halfd;
  for (int i = threadIdx.x; i < heads * halfd / 2; i += blockDim.x) {
    int h = i / (halfd / 2), d = (i % (halfd / 2)) * 2;
    half2 *p = reinterpret_cast<half2 *>(qk + ((size_t)token * heads + h) * dim + d);
    half2 *q = reinterpret_cast<half2 *>(qk + ((size_t)token * heads + h) * dim + d + halfd);
    float2 a = __half22float2(*p), b = __half22float2(*q);
    float2 c0 = row[d], c1 = row[d + 1];
    *p = __floats2half2_rn(a.x * c0.x - b.x * c0.y, a.y * c1.x - b.y * c1.y);
    *q = __floats2half2_rn(b.x * c0.x + a.x * c0.y, b.y * c1.x + a.y * c1.y);
  }
}

// ------------------------------------------------------------------- SwiGLU on packed [gate | up]
__global__ void swiglu_kernel(const half *__restrict__ in, half *__restrict__ out, int rows, int inter) {
  using V = Vec<half, 8>;
  const int per_row = inter / 8;
  const size_t total = (size_t)rows * per_row;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += (size_t)gridDim.x * blockDim.x) {
    size_t r = i / per_row;
    int c = (int)(i % per_row) * 8;
    V g = *reinterpret_cast<const V *>(in + r * 2 * inter + c);
    V u = *reinterpret_cast<const V *>(in + r * 2 * inter + inter + c);
    V o;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float x = __half2float(g.v[k]);
      o.v[k] = __float2half(x / (1.f + __expf(-x)) * __half2float(u.v[k]));
    }
    *reinterpret_cast<V *>(out + r * inter + c) = o;
  }
}

template <typename T> T *dev(size_t n) { T *p; CUCHK(cudaMalloc(&p, n * sizeof(T))); return p; }
template <typename T> double csum(const T *d, size_t n) {
  std::vector<T> h(n);
  CUCHK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  double s = 0;
  for (auto &x : h) s += (double)(float)x;
  return s;
}

int main() {
  const size_t MAXE = 32u << 20;   // 32M elements
  std::vector<float> hf(MAXE);
  std::vector<half> hh(MAXE);
  uint64_t st = 88172645463325252ull;
  for (size_t i = 0; i < MAXE; ++i) {
    st ^= st << 13; st ^= st >> 7; st ^= st << 17;
    hf[i] = (float)(st & 0xffff) / 8192.f - 4.f;
    hh[i] = __float2half(hf[i]);
  }
  float *x = dev<float>(MAXE), *y = dev<float>(MAXE);
  half *hx = dev<half>(MAXE), *hy = dev<half>(MAXE);
  CUCHK(cudaMemcpy(x, hf.data(), MAXE * 4, cudaMemcpyHostToDevice));
  CUCHK(cudaMemcpy(hx, hh.data(), MAXE * 2, cudaMemcpyHostToDevice));
  double cs = 0;

  {  // 4096 tokens of 4096
    rmsnorm_kernel<256, 2><<<4096, 256>>>(hx, hx + 12345 * 8, hy, 4096, 1e-5f);
    CUCHK(cudaGetLastError());
    cs += csum(hy, 4096 * 4096);
  }
  {
    const int N = 16, C = 320, HW = 48 * 48, G = 32;
    groupnorm_kernel<<<N * G, 256>>>(x, y, x + 1000, x + 5000, C, HW, G, 1e-5f);
    CUCHK(cudaGetLastError());
    cs += csum(y, (size_t)N * C * HW);
  }
  {
    const int N = 32, C = 512, HW = 28 * 28;
    batchnorm_stats<<<C, dim3(32, 16)>>>(x, y, y + C, N, C, HW);
    CUCHK(cudaGetLastError());
    cs += csum(y, 2 * C);
  }
  {
    const int rows = 150000;
    l2_normalize_rows<<<(rows + 7) / 8, 256>>>((const float4 *)x, (float4 *)y, rows);
    CUCHK(cudaGetLastError());
    cs += csum(y, (size_t)rows * 128);
  }
  {
    softmax_rows<128><<<16384, 128>>>(x, y, 512);
    CUCHK(cudaGetLastError());
    cs += csum(y, (size_t)16384 * 512);
    softmax_rows<256><<<8192, 256>>>(x, y, 2049);
    CUCHK(cudaGetLastError());
    cs += csum(y, (size_t)8192 * 2049);
    softmax_rows<1024><<<512, 1024>>>(x, y, 50257);
    CUCHK(cudaGetLastError());
    cs += csum(y, (size_t)512 * 50257);
  }
  {
    int *idx = dev<int>(1024);
    argmax_rows<<<1024, 512>>>(x, idx, 32000);
    CUCHK(cudaGetLastError());
    cs += csum(idx, 1024);
    const int rows = 100000, experts = 64;
    int2 *ids = dev<int2>(rows);
    float2 *w = dev<float2>(rows);
    top2_rows<<<(rows + 3) / 4, dim3(32, 4)>>>(hx, ids, w, rows, experts);
    CUCHK(cudaGetLastError());
    cs += csum((int *)ids, 2 * rows) + csum((float *)w, 2 * rows);
    cudaFree(idx); cudaFree(ids); cudaFree(w);
  }
  {
    const int tokens = 4096, heads = 32, dim = 128;
    std::vector<float2> tab(4096 * 64);
    std::vector<int> pos(tokens);
    for (int p = 0; p < 4096; ++p)
      for (int i = 0; i < 64; ++i) {
        double a = p * pow(10000.0, -2.0 * i / dim);
        tab[p * 64 + i] = make_float2((float)cos(a), (float)sin(a));
      }
    for (int i = 0; i < tokens; ++i) pos[i] = i % 2048;
    float2 *dt = dev<float2>(tab.size());
    int *dp = dev<int>(tokens);
    CUCHK(cudaMemcpy(dt, tab.data(), tab.size() * sizeof(float2), cudaMemcpyHostToDevice));
    CUCHK(cudaMemcpy(dp, pos.data(), tokens * 4, cudaMemcpyHostToDevice));
    rope_kernel<<<tokens, 256>>>(hx, dt, dp, heads, dim);
    CUCHK(cudaGetLastError());
    cs += csum(hx, (size_t)tokens * heads * dim);
    cudaFree(dt); cudaFree(dp);
  }
  {
    const int rows = 1500, inter = 11008;
    swiglu_kernel<<<132 * 8, 256>>>(hx, hy, rows, inter);
    CUCHK(cudaGetLastError());
    CUCHK(cudaDeviceSynchronize());
    cs += csum(hy, (size_t)rows * inter);
  }
  printf("norms_and_rows checksum: %.4f\n", cs);
  cudaFree(x); cudaFree(y); cudaFree(hx); cudaFree(hy);
  return 0;
}
