// Softmax, online softmax, cross entropy and the fused classifier of a language-model head.
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cmath>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

using bf16 = __nv_bfloat16;

#define CK(expr)                                                                     \
  if (cudaError_t err__ = (expr); err__ != cudaSuccess) {                            \
    std::fprintf(stderr, "%s failed: %s (line %d)\n", #expr, cudaGetErrorString(err__), __LINE__); \
    std::abort();                                                                    \
  }

struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct SumOp { __device__ float operator()(float a, float b) const { return a + b; } };

template <class Op>
__device__ float warp_reduce(float v, Op op) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(~0u, v, o));
  return v;
}

template <class Op>
__device__ float block_reduce(float v, Op op, float init) {
  __shared__ float buf[32];
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
  v = warp_reduce(v, op);
  __syncthreads();                 // buf may still be read by a previous call
  if (lane == 0) buf[w] = v;
  __syncthreads();
  return warp_reduce(lane < nw ? buf[lane] : init, op);
}

// (max, sum of exp) pair of the online algorithm
struct __align__(8) MD { float m, d; };
__device__ __forceinline__ MD merge(MD a, MD b) {
  const bool ab = a.m > b.m;
  const MD hi = ab ? a : b, lo = ab ? b : a;
  return {hi.m, hi.d + lo.d * __expf(lo.m - hi.m)};
}
__device__ __forceinline__ MD warp_merge(MD v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    MD u{__shfl_xor_sync(~0u, v.m, o), __shfl_xor_sync(~0u, v.d, o)};
    v = merge(v, u);
  }
  return v;
}

// 1. three passes, tree in shared memory (the classic lecture version)
__global__ void softmax_tree(const float *in, float *out, int cols) {
  extern __shared__ float sm[];
  const float *x = in + (size_t)blockIdx.x * cols;
  float *y = out + (size_t)blockIdx.x * cols;
  const int t = threadIdx.x;
  float mx = -FLT_MAX;
  for (int i = t; i < cols; i += blockDim.x) mx = fmaxf(mx, x[i]);
  sm[t] = mx;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) sm[t] = fmaxf(sm[t], sm[t + s]);
    __syncthreads();
  }
  mx = sm[0];
  __syncthreads();
  float sum = 0.f;
  for (int i = t; i < cols; i += blockDim.x) {
    float e = expf(x[i] - mx);
    y[i] = e;
    sum += e;
  }
  sm[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) sm[t] += sm[t + s];
    __syncthreads();
  }
  const float inv = 1.f / sm[0];
  for (int i = t; i < cols; i += blockDim.x) y[i] *= inv;
}

// 2. online, float4, block per row
__global__ void softmax_online_vec4(const float *in, float *out, int cols) {
  __shared__ MD part[32];
  const float4 *x = reinterpret_cast<const float4 *>(in + (size_t)blockIdx.x * cols);
  float4 *y = reinterpret_cast<float4 *>(out + (size_t)blockIdx.x * cols);
  MD s{-FLT_MAX, 0.f};
  for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
    float4 v = x[i];
    float m4 = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    MD u{m4, __expf(v.x - m4) + __expf(v.y - m4) + __expf(v.z - m4) + __expf(v.w - m4)};
    s = merge(s, u);
  }
  s = warp_merge(s);
  const int lane = threadIdx.x & 31, nw = blockDim.x >> 5;
  if (lane == 0) part[threadIdx.x >> 5] = s;
  __syncthreads();
  s = lane < nw ? part[lane] : MD{-FLT_MAX, 0.f};
  s = warp_merge(s);
  const float inv = 1.f / s.d;
  for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
    float4 v = x[i];
    v.x = __expf(v.x - s.m) * inv; v.y = __expf(v.y - s.m) * inv;
    v.z = __expf(v.z - s.m) * inv; v.w = __expf(v.w - s.m) * inv;
    y[i] = v;
  }
}

// 3. whole row in registers, one warp per row (attention sized rows)
template <int COLS>
__global__ void softmax_warp_regs(const float *in, float *out, int rows, float scale) {
  constexpr int PER = COLS / 32;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float *x = in + (size_t)row * COLS;
  float v[PER], mx = -FLT_MAX, sum = 0.f;
#pragma unroll
  for (int i = 0; i < PER; ++i) { v[i] = x[i * 32 + threadIdx.x] * scale; mx = fmaxf(mx, v[i]); }
  mx = warp_reduce(mx, MaxOp{});
#pragma unroll
  for (int i = 0; i < PER; ++i) { v[i] = __expf(v[i] - mx); sum += v[i]; }
  sum = warp_reduce(sum, SumOp{});
  const float inv = __fdividef(1.f, sum);
#pragma unroll
  for (int i = 0; i < PER; ++i) out[(size_t)row * COLS + i * 32 + threadIdx.x] = v[i] * inv;
}

// 4. softmax backward: dx = y * (dy - sum(y*dy))
__global__ void softmax_backward(const float *y, const float *dy, float *dx, int cols) {
  const size_t base = (size_t)blockIdx.x * cols;
  float dot = 0.f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) dot += y[base + i] * dy[base + i];
  dot = block_reduce(dot, SumOp{}, 0.f);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) dx[base + i] = y[base + i] * (dy[base + i] - dot);
}

// 5. cross entropy from logits (bf16), forward only: keeps logsumexp
__global__ void xent_forward(const bf16 *logits, const int *target, float *loss, float *lse, int V, int Vp) {
  const bf16 *x = logits + (size_t)blockIdx.x * Vp;
  float mx = -FLT_MAX;
  for (int i = threadIdx.x; i < V; i += blockDim.x) mx = fmaxf(mx, __bfloat162float(x[i]));
  mx = block_reduce(mx, MaxOp{}, -FLT_MAX);
  float s = 0.f;
  for (int i = threadIdx.x; i < V; i += blockDim.x) s += __expf(__bfloat162float(x[i]) - mx);
  s = block_reduce(s, SumOp{}, 0.f);
  if (threadIdx.x == 0) {
    const float l = mx + logf(s);
    lse[blockIdx.x] = l;
    loss[blockIdx.x] = l - __bfloat162float(x[target[blockIdx.x]]);
  }
}

// 6. its backward, 2-wide
__global__ void xent_backward(const bf16 *logits, const int *target, const float *lse, bf16 *dlogits, float dloss, int V, int Vp) {
  const int row = blockIdx.y;
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (i >= Vp) return;
  const float l = lse[row];
  const int tg = target[row];
  __nv_bfloat162 v = *reinterpret_cast<const __nv_bfloat162 *>(logits + (size_t)row * Vp + i);
  float a = i < V ? (__expf(__low2float(v) - l) - (i == tg)) * dloss : 0.f;
  float b = i + 1 < V ? (__expf(__high2float(v) - l) - (i + 1 == tg)) * dloss : 0.f;
  *reinterpret_cast<__nv_bfloat162 *>(dlogits + (size_t)row * Vp + i) = __floats2bfloat162_rn(a, b);
}

// 7. fused classifier: online stats, loss and gradient written over the logits, 16-byte accesses
__global__ void __launch_bounds__(1024) fused_classifier(bf16 *logits, float *loss, const int *target, float dloss, int V, int Vp) {
  const int row = gridDim.x - (blockIdx.x + 1);
  bf16 *x = logits + (size_t)row * Vp;
  const int tg = target[row];
  MD s{-FLT_MAX, 0.f};
  for (int i = (int)threadIdx.x * 8; i < Vp; i += blockDim.x * 8) {
    int4 raw = *reinterpret_cast<const int4 *>(x + i);
    const bf16 *e = reinterpret_cast<const bf16 *>(&raw);
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (i + k < V) {
        float v = __bfloat162float(e[k]), old = s.m;
        s.m = fmaxf(s.m, v);
        s.d = s.d * __expf(old - s.m) + __expf(v - s.m);
      }
  }
  const float mx = block_reduce(s.m, MaxOp{}, -FLT_MAX);
  const float sum = block_reduce(s.d * __expf(s.m - mx), SumOp{}, 0.f);
  const float inv = 1.f / sum;
  if (threadIdx.x == 0) loss[row] = -logf(__expf(__bfloat162float(x[tg]) - mx) * inv);
  __syncthreads();                 // x[tg] is overwritten below
  for (int i = (int)threadIdx.x * 8; i < Vp; i += blockDim.x * 8) {
    int4 raw = __ldcs(reinterpret_cast<const int4 *>(x + i));
    bf16 *e = reinterpret_cast<bf16 *>(&raw);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float p = i + k < V ? __expf(__bfloat162float(e[k]) - mx) * inv - (i + k == tg ? 1.f : 0.f) : 0.f;
      e[k] = __float2bfloat16(p * dloss);
    }
    __stcs(reinterpret_cast<int4 *>(x + i), raw);
  }
}

template <class T> T *dalloc(size_t n) { T *p; CK(cudaMalloc(&p, n * sizeof(T))); return p; }

int main() {
  // ---- plain softmax on rows x cols
  const int rows = 4096, cols = 4096;
  std::vector<float> x((size_t)rows * cols), y(cols);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 4.f * std::sin(0.37f * (float)(i % 9973)) + (float)((i * 31) % 17) * 0.1f;
  float *dx = dalloc<float>(x.size()), *dy = dalloc<float>(x.size()), *dg = dalloc<float>(x.size());
  CK(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));

  auto compare = [&](const char *tag, int width, size_t row, float scale) {
    CK(cudaGetLastError());
    CK(cudaMemcpy(y.data(), dy + row * width, width * 4, cudaMemcpyDeviceToHost));
    const float *r = x.data() + row * width;
    double m = -1e30, s = 0, e = 0;
    for (int i = 0; i < width; ++i) m = std::max(m, (double)r[i] * scale);
    for (int i = 0; i < width; ++i) s += std::exp((double)r[i] * scale - m);
    for (int i = 0; i < width; ++i) e = std::max(e, std::abs(std::exp((double)r[i] * scale - m) / s - y[i]));
    std::printf("%-22s row %zu err %.3e\n", tag, row, e);
  };
  softmax_tree<<<rows, 256, 256 * sizeof(float)>>>(dx, dy, cols);
  compare("softmax_tree", cols, 4095, 1.f);
  softmax_online_vec4<<<rows, 512>>>(dx, dy, cols);
  compare("softmax_online_vec4", cols, 1234, 1.f);
  softmax_backward<<<rows, 256>>>(dy, dx, dg, cols);
  const int short_rows = rows * cols / 512;
  softmax_warp_regs<512><<<(short_rows + 7) / 8, dim3(32, 8)>>>(dx, dy, short_rows, 0.125f);
  compare("softmax_warp_regs<512>", 512, 20000, 0.125f);

  // ---- LM head
  const int BT = 1024, V = 50257, Vp = 50304;
  std::vector<bf16> lg((size_t)BT * Vp);
  unsigned r = 99;
  for (auto &v : lg) { r = r * 1664525u + 1013904223u; v = __float2bfloat16((float)(r >> 16) / 8192.f - 4.f); }
  std::vector<int> tgt(BT);
  for (int i = 0; i < BT; ++i) tgt[i] = (int)((i * 7919LL + 11) % V);
  bf16 *dl = dalloc<bf16>(lg.size()), *ddl = dalloc<bf16>(lg.size());
  int *dt = dalloc<int>(BT);
  float *loss1 = dalloc<float>(BT), *loss2 = dalloc<float>(BT), *lse = dalloc<float>(BT);
  CK(cudaMemcpy(dl, lg.data(), lg.size() * 2, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(dt, tgt.data(), BT * 4, cudaMemcpyHostToDevice));
  const float dloss = 1.f / BT;
  xent_forward<<<BT, 512>>>(dl, dt, loss1, lse, V, Vp);
  xent_backward<<<dim3((Vp / 2 + 255) / 256, BT), 256>>>(dl, dt, lse, ddl, dloss, V, Vp);
  fused_classifier<<<BT, 1024>>>(dl, loss2, dt, dloss, V, Vp);
  CK(cudaGetLastError());
  std::vector<float> a(BT), b(BT);
  CK(cudaMemcpy(a.data(), loss1, BT * 4, cudaMemcpyDeviceToHost));
  CK(cudaMemcpy(b.data(), loss2, BT * 4, cudaMemcpyDeviceToHost));
  std::vector<bf16> g1(Vp), g2(Vp);
  CK(cudaMemcpy(g1.data(), ddl + 500ull * Vp, Vp * 2, cudaMemcpyDeviceToHost));
  CK(cudaMemcpy(g2.data(), dl + 500ull * Vp, Vp * 2, cudaMemcpyDeviceToHost));
  double mean = 0, dmax = 0, gmax = 0;
  for (int i = 0; i < BT; ++i) { mean += a[i] / BT; dmax = std::max(dmax, (double)std::fabs(a[i] - b[i])); }
  for (int i = 0; i < Vp; ++i) gmax = std::max(gmax, (double)std::fabs(__bfloat162float(g1[i]) - __bfloat162float(g2[i])));
  std::printf("mean loss %.5f, two versions differ by %.2e (loss) %.2e (grad)\n", mean, dmax, gmax);
  return 0;
}
