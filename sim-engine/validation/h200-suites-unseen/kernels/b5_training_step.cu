// b5_training_step.cu
//
// Element-wise, normalisation, loss and optimiser kernels of a transformer
// training step.  Kernel traits + parameter structs + thin launchers, each
// kernel is launched once on deterministic data and checked on the host.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK_CUDA(call)                                                                          \
  do {                                                                                            \
    cudaError_t status_ = call;                                                                   \
    if (status_ != cudaSuccess) {                                                                 \
      fprintf(stderr, "CUDA error (%s:%d): %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)
#define CHECK_CUDA_KERNEL_LAUNCH() CHECK_CUDA(cudaGetLastError())

// ---------------------------------------------------------------------------
// Problem shape
// ---------------------------------------------------------------------------
constexpr int kBatch = 4;
constexpr int kSeq = 256;
constexpr int kRows = kBatch * kSeq;  // 1024
constexpr int kDim = 768;
constexpr int kFfn = 4 * kDim;  // 3072
constexpr int kVocab = 16384;
constexpr int kHeads = 12;
constexpr int kHeadDim = kDim / kHeads;  // 64

// ---------------------------------------------------------------------------
// Reductions
// ---------------------------------------------------------------------------
struct SumOp {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};
struct MaxOp {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <int THREADS>
struct Allreduce {
  static_assert(THREADS == 32 || THREADS == 16 || THREADS == 8 || THREADS == 4);
  template <typename Op>
  static __device__ __forceinline__ float run(float x, Op op) {
    constexpr int OFFSET = THREADS / 2;
    x = op(x, __shfl_xor_sync(uint32_t(-1), x, OFFSET));
    return Allreduce<OFFSET>::run(x, op);
  }
};
template <>
struct Allreduce<2> {
  template <typename Op>
  static __device__ __forceinline__ float run(float x, Op op) {
    return op(x, __shfl_xor_sync(uint32_t(-1), x, 1));
  }
};

template <int kNThreads, typename Op>
__device__ __forceinline__ float block_allreduce(float x, Op op, float identity, float* smem) {
  x = Allreduce<32>::run(x, op);
  if (threadIdx.x % 32 == 0) smem[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x % 32 < kNThreads / 32 ? smem[threadIdx.x % 32] : identity;
  x = Allreduce<32>::run(x, op);
  __syncthreads();
  return x;
}

__device__ __forceinline__ float4 ld4(const float* p) { return *reinterpret_cast<const float4*>(p); }
__device__ __forceinline__ void st4(float* p, float4 v) { *reinterpret_cast<float4*>(p) = v; }

__host__ __device__ inline uint32_t pcg_hash(uint32_t x) {
  uint32_t state = x * 747796405u + 2891336453u;
  uint32_t word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}
__host__ __device__ inline float logit_value(uint32_t i) {
  return float(pcg_hash(i) >> 8) * (8.0f / 16777216.0f) - 4.0f;
}

// ---------------------------------------------------------------------------
// Data
// ---------------------------------------------------------------------------
__global__ void init_logits_kernel(float* __restrict__ logits, size_t n) {
  const size_t i = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) * 4;
  if (i >= n) return;
  const uint32_t u = uint32_t(i);
  st4(logits + i, make_float4(logit_value(u), logit_value(u + 1), logit_value(u + 2), logit_value(u + 3)));
}

// ---------------------------------------------------------------------------
// LayerNorm: one warp per row, the row is kept in registers
// ---------------------------------------------------------------------------
template <int kDim_, int kWarps_>
struct Ln_traits {
  static constexpr int kWarps = kWarps_;
  static constexpr int kNThreads = kWarps * 32;
  static constexpr int kCols = kDim_;
  static constexpr int kVecs = kCols / 128;  // float4 per lane
  static_assert(kCols % 128 == 0);
};

struct Ln_params {
  const float* __restrict__ x;
  const float* __restrict__ gamma;
  const float* __restrict__ beta;
  const float* __restrict__ dout;
  float* __restrict__ out;
  float* __restrict__ mean;
  float* __restrict__ rstd;
  float* __restrict__ dx;
  float* __restrict__ dgamma;
  float* __restrict__ dbeta;
  int rows;
  float eps;
};

template <typename Traits>
__global__ void __launch_bounds__(Traits::kNThreads) ln_fwd_kernel(const Ln_params p) {
  const int row = blockIdx.x * Traits::kWarps + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= p.rows) return;
  const float* x = p.x + size_t(row) * Traits::kCols;
  float4 v[Traits::kVecs];
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < Traits::kVecs; ++i) {
    v[i] = ld4(x + (i * 32 + lane) * 4);
    sum += v[i].x + v[i].y + v[i].z + v[i].w;
  }
  const float mean = Allreduce<32>::run(sum, SumOp()) / Traits::kCols;
  float var = 0.f;
#pragma unroll
  for (int i = 0; i < Traits::kVecs; ++i) {
    v[i].x -= mean;
    v[i].y -= mean;
    v[i].z -= mean;
    v[i].w -= mean;
    var += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
  }
  var = Allreduce<32>::run(var, SumOp()) / Traits::kCols;
  const float rstd = rsqrtf(var + p.eps);
  float* out = p.out + size_t(row) * Traits::kCols;
#pragma unroll
  for (int i = 0; i < Traits::kVecs; ++i) {
    const int c = (i * 32 + lane) * 4;
    const float4 g = ld4(p.gamma + c), b = ld4(p.beta + c);
    st4(out + c, make_float4(v[i].x * rstd * g.x + b.x, v[i].y * rstd * g.y + b.y, v[i].z * rstd * g.z + b.z,
                             v[i].w * rstd * g.w + b.w));
  }
  if (lane == 0) {
    p.mean[row] = mean;
    p.rstd[row] = rstd;
  }
}

template <typename Traits>
__global__ void __launch_bounds__(Traits::kNThreads) ln_bwd_dx_kernel(const Ln_params p) {
  const int row = blockIdx.x * Traits::kWarps + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= p.rows) return;
  const float mean = p.mean[row], rstd = p.rstd[row];
  const float* x = p.x + size_t(row) * Traits::kCols;
  const float* dy = p.dout + size_t(row) * Traits::kCols;
  float4 xh[Traits::kVecs], dn[Traits::kVecs];
  float s1 = 0.f, s2 = 0.f;
#pragma unroll
  for (int i = 0; i < Traits::kVecs; ++i) {
    const int c = (i * 32 + lane) * 4;
    const float4 a = ld4(x + c), d = ld4(dy + c), g = ld4(p.gamma + c);
    xh[i] = make_float4((a.x - mean) * rstd, (a.y - mean) * rstd, (a.z - mean) * rstd, (a.w - mean) * rstd);
    dn[i] = make_float4(d.x * g.x, d.y * g.y, d.z * g.z, d.w * g.w);
    s1 += dn[i].x + dn[i].y + dn[i].z + dn[i].w;
    s2 += dn[i].x * xh[i].x + dn[i].y * xh[i].y + dn[i].z * xh[i].z + dn[i].w * xh[i].w;
  }
  s1 = Allreduce<32>::run(s1, SumOp()) / Traits::kCols;
  s2 = Allreduce<32>::run(s2, SumOp()) / Traits::kCols;
  float* dx = p.dx + size_t(row) * Traits::kCols;
#pragma unroll
  for (int i = 0; i < Traits::kVecs; ++i) {
    st4(dx + (i * 32 + lane) * 4,
        make_float4((dn[i].x - s1 - xh[i].x * s2) * rstd, (dn[i].y - s1 - xh[i].y * s2) * rstd,
                    (dn[i].z - s1 - xh[i].z * s2) * rstd, (dn[i].w - s1 - xh[i].w * s2) * rstd));
  }
}

// dgamma, dbeta: 32 columns per block, 8 row groups, partial sums by atomics
__global__ void __launch_bounds__(256) ln_bwd_params_kernel(const Ln_params p, int rows_per_block) {
  __shared__ float sg[8][33], sb[8][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  const int r0 = blockIdx.y * rows_per_block;
  const int r1 = min(p.rows, r0 + rows_per_block);
  float dg = 0.f, db = 0.f;
  for (int r = r0 + threadIdx.y; r < r1; r += 8) {
    const float d = p.dout[size_t(r) * kDim + c];
    const float xh = (p.x[size_t(r) * kDim + c] - p.mean[r]) * p.rstd[r];
    dg = fmaf(d, xh, dg);
    db += d;
  }
  sg[threadIdx.y][threadIdx.x] = dg;
  sb[threadIdx.y][threadIdx.x] = db;
  __syncthreads();
  if (threadIdx.y == 0) {
#pragma unroll
    for (int k = 1; k < 8; ++k) {
      dg += sg[k][threadIdx.x];
      db += sb[k][threadIdx.x];
    }
    atomicAdd(p.dgamma + c, dg);
    atomicAdd(p.dbeta + c, db);
  }
}

// ---------------------------------------------------------------------------
// GELU backward (tanh form), bias gradient
// ---------------------------------------------------------------------------
__host__ __device__ inline float gelu_grad(float x) {
  const float k = 0.7978845608f;
  const float cube = 0.044715f * x * x * x;
  const float t = tanhf(k * (x + cube));
  const float sech2 = 1.f - t * t;
  return 0.5f * (1.f + t) + 0.5f * x * sech2 * k * (1.f + 3.f * 0.044715f * x * x);
}

__global__ void gelu_bwd_inplace_kernel(float* __restrict__ d_inout, const float* __restrict__ x, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  float4 d = ld4(d_inout + i);
  const float4 a = ld4(x + i);
  d.x *= gelu_grad(a.x);
  d.y *= gelu_grad(a.y);
  d.z *= gelu_grad(a.z);
  d.w *= gelu_grad(a.w);
  st4(d_inout + i, d);
}

// 128 columns per block (float4 per lane), 8 warps stride over the rows of a slab
__global__ void __launch_bounds__(256)
bias_grad_kernel(float* __restrict__ dbias, const float* __restrict__ dout, int rows, int cols, int rows_per_block) {
  __shared__ float4 part[8][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int c = blockIdx.x * 128 + lane * 4;
  const int r0 = blockIdx.y * rows_per_block, r1 = min(rows, r0 + rows_per_block);
  float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 4
  for (int r = r0 + warp; r < r1; r += 8) {
    const float4 v = ld4(dout + size_t(r) * cols + c);
    acc.x += v.x;
    acc.y += v.y;
    acc.z += v.z;
    acc.w += v.w;
  }
  part[warp][lane] = acc;
  __syncthreads();
  if (threadIdx.x < 128) {
    const float* flat = reinterpret_cast<const float*>(part);
    float s = 0.f;
#pragma unroll
    for (int w = 0; w < 8; ++w) s += flat[w * 128 + threadIdx.x];
    atomicAdd(dbias + blockIdx.x * 128 + threadIdx.x, s);
  }
}

// ---------------------------------------------------------------------------
// Dropout with Philox 4x32-10: the backward pass regenerates the mask
// ---------------------------------------------------------------------------
struct Philox {
  uint32_t key0, key1;
  __host__ __device__ static inline void mulhilo(uint32_t a, uint32_t b, uint32_t& hi, uint32_t& lo) {
    const uint64_t p = uint64_t(a) * b;
    hi = uint32_t(p >> 32);
    lo = uint32_t(p);
  }
  __host__ __device__ inline uint4 operator()(uint64_t subsequence, uint64_t offset) const {
    uint32_t c0 = uint32_t(offset), c1 = uint32_t(offset >> 32);
    uint32_t c2 = uint32_t(subsequence), c3 = uint32_t(subsequence >> 32);
    uint32_t k0 = key0, k1 = key1;
#pragma unroll
    for (int r = 0; r < 10; ++r) {
      uint32_t h0, l0, h1, l1;
      mulhilo(0xD2511F53u, c0, h0, l0);
      mulhilo(0xCD9E8D57u, c2, h1, l1);
      const uint32_t n0 = h1 ^ c1 ^ k0, n2 = h0 ^ c3 ^ k1;
      c0 = n0;
      c1 = l1;
      c2 = n2;
      c3 = l0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return make_uint4(c0, c1, c2, c3);
  }
};

struct Dropout_params {
  Philox rng;
  uint64_t offset;
  uint32_t keep_threshold;  // keep if r < threshold
  float scale;
  int n;
};

__global__ void dropout_residual_fwd_kernel(float* __restrict__ out, const float* __restrict__ x,
                                            const float* __restrict__ residual, const Dropout_params p) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v * 4 >= p.n) return;
  const uint4 r = p.rng(uint64_t(v), p.offset);
  const float4 a = ld4(x + v * 4), b = ld4(residual + v * 4);
  st4(out + v * 4, make_float4(b.x + (r.x < p.keep_threshold ? a.x * p.scale : 0.f),
                               b.y + (r.y < p.keep_threshold ? a.y * p.scale : 0.f),
                               b.z + (r.z < p.keep_threshold ? a.z * p.scale : 0.f),
                               b.w + (r.w < p.keep_threshold ? a.w * p.scale : 0.f)));
}

__global__ void dropout_bwd_kernel(float* __restrict__ dx, const float* __restrict__ dout, const Dropout_params p) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v * 4 < p.n; v += gridDim.x * blockDim.x) {
    const uint4 r = p.rng(uint64_t(v), p.offset);
    const float4 d = ld4(dout + v * 4);
    st4(dx + v * 4, make_float4(r.x < p.keep_threshold ? d.x * p.scale : 0.f,
                                r.y < p.keep_threshold ? d.y * p.scale : 0.f,
                                r.z < p.keep_threshold ? d.z * p.scale : 0.f,
                                r.w < p.keep_threshold ? d.w * p.scale : 0.f));
  }
}

// ---------------------------------------------------------------------------
// Softmax cross entropy
// ---------------------------------------------------------------------------
template <int kNThreads>
__global__ void __launch_bounds__(kNThreads)
xent_fwd_kernel(float* __restrict__ loss, float* __restrict__ lse, const float* __restrict__ logits,
                const int* __restrict__ target, int vocab) {
  __shared__ float smem[kNThreads / 32];
  const float* x = logits + size_t(blockIdx.x) * vocab;
  float m = -INFINITY, s = 0.f;
  for (int i = threadIdx.x * 4; i < vocab; i += kNThreads * 4) {
    const float4 v = ld4(x + i);
    const float vm = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    const float m_new = fmaxf(m, vm);
    s = s * __expf(m - m_new) + __expf(v.x - m_new) + __expf(v.y - m_new) + __expf(v.z - m_new) +
        __expf(v.w - m_new);
    m = m_new;
  }
  const float m_all = block_allreduce<kNThreads>(m, MaxOp(), -INFINITY, smem);
  s = block_allreduce<kNThreads>(s * __expf(m - m_all), SumOp(), 0.f, smem);
  if (threadIdx.x == 0) {
    const float l = m_all + logf(s);
    lse[blockIdx.x] = l;
    loss[blockIdx.x] = l - x[target[blockIdx.x]];
  }
}

// in place: logits become their gradient
__global__ void xent_bwd_kernel(float* __restrict__ logits, const float* __restrict__ lse,
                                const int* __restrict__ target, int vocab, float dloss) {
  const int row = blockIdx.y;
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= vocab) return;
  float* x = logits + size_t(row) * vocab;
  const float l = __ldg(lse + row);
  const int t = __ldg(target + row);
  float4 v = ld4(x + i);
  v.x = (__expf(v.x - l) - (i + 0 == t ? 1.f : 0.f)) * dloss;
  v.y = (__expf(v.y - l) - (i + 1 == t ? 1.f : 0.f)) * dloss;
  v.z = (__expf(v.z - l) - (i + 2 == t ? 1.f : 0.f)) * dloss;
  v.w = (__expf(v.w - l) - (i + 3 == t ? 1.f : 0.f)) * dloss;
  st4(x + i, v);
}

// ---------------------------------------------------------------------------
// Mixed precision: unscale fp16 gradients, detect overflow
// ---------------------------------------------------------------------------
__global__ void unscale_check_kernel(float* __restrict__ grad32, const __half* __restrict__ grad16, int n,
                                     float inv_scale, int* __restrict__ found_inf) {
  bool bad = false;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8; i < n; i += gridDim.x * blockDim.x * 8) {
    const uint4 raw = *reinterpret_cast<const uint4*>(grad16 + i);
    const uint32_t w[4] = {raw.x, raw.y, raw.z, raw.w};
    float f[8];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float2 t = __half22float2(*reinterpret_cast<const __half2*>(&w[k]));
      f[2 * k] = t.x;
      f[2 * k + 1] = t.y;
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      bad |= !isfinite(f[k]);
      f[k] *= inv_scale;
    }
    st4(grad32 + i, make_float4(f[0], f[1], f[2], f[3]));
    st4(grad32 + i + 4, make_float4(f[4], f[5], f[6], f[7]));
  }
  if (__syncthreads_or(bad) && threadIdx.x == 0) *found_inf = 1;
}

// ---------------------------------------------------------------------------
// Gradient norm in two deterministic stages
// ---------------------------------------------------------------------------
template <int kNThreads>
__global__ void __launch_bounds__(kNThreads)
grad_norm_partial_kernel(float* __restrict__ partial, const float* __restrict__ grad, int n) {
  __shared__ float smem[kNThreads / 32];
  float s = 0.f;
  for (int i = (blockIdx.x * kNThreads + threadIdx.x) * 4; i < n; i += gridDim.x * kNThreads * 4) {
    const float4 g = ld4(grad + i);
    s += g.x * g.x + g.y * g.y + g.z * g.z + g.w * g.w;
  }
  s = block_allreduce<kNThreads>(s, SumOp(), 0.f, smem);
  if (threadIdx.x == 0) partial[blockIdx.x] = s;
}

__global__ void __launch_bounds__(1024)
grad_norm_finish_kernel(float* __restrict__ norm_and_clip, const float* __restrict__ partial, int n, float max_norm) {
  __shared__ float smem[32];
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += 1024) s += partial[i];
  s = block_allreduce<1024>(s, SumOp(), 0.f, smem);
  if (threadIdx.x == 0) {
    const float norm = sqrtf(s);
    norm_and_clip[0] = norm;
    norm_and_clip[1] = norm > max_norm ? max_norm / norm : 1.f;
  }
}

// ---------------------------------------------------------------------------
// AdamW on fp32 master weights, writes a bf16 copy
// ---------------------------------------------------------------------------
struct Adamw_params {
  float* __restrict__ w;
  float* __restrict__ m;
  float* __restrict__ v;
  __nv_bfloat16* __restrict__ w16;
  const float* __restrict__ grad;
  const float* __restrict__ norm_and_clip;
  const int* __restrict__ found_inf;
  int n;
  float lr, beta1, beta2, eps, weight_decay, correction1, correction2;
};

__device__ __forceinline__ void adamw_element(float& w, float& m, float& v, float g, const Adamw_params& p) {
  m = fmaf(p.beta1, m - g, g);
  v = fmaf(p.beta2, v - g * g, g * g);
  const float mh = m / p.correction1;
  const float vh = v / p.correction2;
  w -= p.lr * (mh / (sqrtf(vh) + p.eps) + p.weight_decay * w);
}

__global__ void adamw_kernel(const Adamw_params p) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= p.n || *p.found_inf) return;
  const float clip = p.norm_and_clip[1];
  const float4 g = ld4(p.grad + i);
  float4 w = ld4(p.w + i), m = ld4(p.m + i), v = ld4(p.v + i);
  adamw_element(w.x, m.x, v.x, g.x * clip, p);
  adamw_element(w.y, m.y, v.y, g.y * clip, p);
  adamw_element(w.z, m.z, v.z, g.z * clip, p);
  adamw_element(w.w, m.w, v.w, g.w * clip, p);
  st4(p.w + i, w);
  st4(p.m + i, m);
  st4(p.v + i, v);
  const __nv_bfloat162 lo = __floats2bfloat162_rn(w.x, w.y), hi = __floats2bfloat162_rn(w.z, w.w);
  uint2 packed;
  packed.x = *reinterpret_cast<const uint32_t*>(&lo);
  packed.y = *reinterpret_cast<const uint32_t*>(&hi);
  *reinterpret_cast<uint2*>(p.w16 + i) = packed;
}

// ---------------------------------------------------------------------------
// Embedding backward
// ---------------------------------------------------------------------------
__global__ void embedding_bwd_wte_kernel(float* dwte, const float* __restrict__ dout, const int* __restrict__ tokens) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= kRows * (kDim / 4)) return;
  const int row = idx / (kDim / 4), c = (idx % (kDim / 4)) * 4;
  const float4 d = ld4(dout + size_t(row) * kDim + c);
  float* dst = dwte + size_t(tokens[row]) * kDim + c;
  atomicAdd(dst + 0, d.x);
  atomicAdd(dst + 1, d.y);
  atomicAdd(dst + 2, d.z);
  atomicAdd(dst + 3, d.w);
}

__global__ void embedding_bwd_wpe_kernel(float* __restrict__ dwpe, const float* __restrict__ dout) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= kSeq * kDim) return;
  float s = 0.f;
#pragma unroll
  for (int b = 0; b < kBatch; ++b) s += dout[size_t(b) * kSeq * kDim + idx];
  dwpe[idx] += s;
}

// ---------------------------------------------------------------------------
// Attention backward pieces
// ---------------------------------------------------------------------------
// delta = rowsum(dO * O) per (token, head): 16 lanes x float4 cover a head of 64
__global__ void attn_bwd_dot_do_o_kernel(float* __restrict__ delta, const float* __restrict__ dO,
                                         const float* __restrict__ O) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  const int th = gid / 16, l = gid % 16;  // th = token * heads + head
  float s = 0.f;
  if (th < kRows * kHeads) {
    const float4 a = ld4(dO + size_t(th) * kHeadDim + l * 4);
    const float4 b = ld4(O + size_t(th) * kHeadDim + l * 4);
    s = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  s = Allreduce<16>::run(s, SumOp());
  if (th < kRows * kHeads && l == 0) {
    const int t = th / kHeads, h = th % kHeads;
    const int b = t / kSeq;
    delta[(size_t(b) * kHeads + h) * kSeq + t % kSeq] = s;  // [b][h][t]
  }
}

// dS = scale * P * (dP - delta) below the diagonal, zero above; a warp per row
__global__ void attn_bwd_softmax_kernel(float* __restrict__ dS, const float* __restrict__ P,
                                        const float* __restrict__ dP, const float* __restrict__ delta, float scale) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;  // (b*heads + h)*seq + t
  const int lane = threadIdx.x % 32;
  if (row >= kBatch * kHeads * kSeq) return;
  const int t = row % kSeq;
  const float dl = delta[row];
  const size_t base = size_t(row) * kSeq;
  for (int j = lane * 4; j < kSeq; j += 128) {
    float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
    if (j <= t) {
      const float4 p = ld4(P + base + j), d = ld4(dP + base + j);
      r.x = scale * p.x * (d.x - dl);
      r.y = j + 1 <= t ? scale * p.y * (d.y - dl) : 0.f;
      r.z = j + 2 <= t ? scale * p.z * (d.z - dl) : 0.f;
      r.w = j + 3 <= t ? scale * p.w * (d.w - dl) : 0.f;
    }
    st4(dS + base + j, r);
  }
}

// ---------------------------------------------------------------------------
// Host
// ---------------------------------------------------------------------------
template <typename T>
T* dev(const std::vector<T>& h) {
  T* d;
  CHECK_CUDA(cudaMalloc(&d, h.size() * sizeof(T)));
  CHECK_CUDA(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}
template <typename T>
T* dev_zero(size_t n) {
  T* d;
  CHECK_CUDA(cudaMalloc(&d, n * sizeof(T)));
  CHECK_CUDA(cudaMemset(d, 0, n * sizeof(T)));
  return d;
}
template <typename T>
std::vector<T> host(const T* d, size_t n) {
  std::vector<T> h(n);
  CHECK_CUDA(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  return h;
}
static std::mt19937 g_rng(42);
static std::vector<float> uniform(size_t n, float lo, float hi) {
  std::vector<float> v(n);
  std::generate(v.begin(), v.end(), [&] { return lo + (hi - lo) * float(g_rng() >> 8) * (1.f / 16777216.f); });
  return v;
}
static int g_bad = 0;
static void verify(const char* name, double err, double tol) {
  printf("%-28s error %.3e %s\n", name, err, err <= tol ? "pass" : "FAIL");
  g_bad += !(err <= tol);
}

int main() {
  // ---- layer norm ----
  const auto hx = uniform(size_t(kRows) * kDim, -2.f, 2.f), hdo = uniform(size_t(kRows) * kDim, -1.f, 1.f);
  const auto hg = uniform(kDim, 0.5f, 1.5f), hb = uniform(kDim, -0.2f, 0.2f);
  Ln_params ln{};
  float *d_x = dev(hx), *d_do = dev(hdo), *d_g = dev(hg), *d_b = dev(hb);
  ln.x = d_x;
  ln.dout = d_do;
  ln.gamma = d_g;
  ln.beta = d_b;
  float *d_out = dev_zero<float>(size_t(kRows) * kDim), *d_dx = dev_zero<float>(size_t(kRows) * kDim);
  float *d_mean = dev_zero<float>(kRows), *d_rstd = dev_zero<float>(kRows);
  float *d_dg = dev_zero<float>(kDim), *d_db = dev_zero<float>(kDim);
  ln.out = d_out;
  ln.mean = d_mean;
  ln.rstd = d_rstd;
  ln.dx = d_dx;
  ln.dgamma = d_dg;
  ln.dbeta = d_db;
  ln.rows = kRows;
  ln.eps = 1e-5f;
  using Traits = Ln_traits<kDim, 4>;
  ln_fwd_kernel<Traits><<<(kRows + Traits::kWarps - 1) / Traits::kWarps, Traits::kNThreads>>>(ln);
  CHECK_CUDA_KERNEL_LAUNCH();
  ln_bwd_dx_kernel<Traits><<<(kRows + Traits::kWarps - 1) / Traits::kWarps, Traits::kNThreads>>>(ln);
  CHECK_CUDA_KERNEL_LAUNCH();
  ln_bwd_params_kernel<<<dim3(kDim / 32, 8), dim3(32, 8)>>>(ln, kRows / 8);
  CHECK_CUDA_KERNEL_LAUNCH();
  {
    const auto out = host(d_out, hx.size()), dx = host(d_dx, hx.size());
    const auto dg = host(d_dg, kDim), db = host(d_db, kDim);
    double e1 = 0, e2 = 0, e3 = 0;
    std::vector<double> rg(kDim, 0.0), rb(kDim, 0.0);
    for (int r = 0; r < kRows; ++r) {
      const float* x = &hx[size_t(r) * kDim];
      const float* d = &hdo[size_t(r) * kDim];
      double mean = 0, var = 0;
      for (int c = 0; c < kDim; ++c) mean += x[c];
      mean /= kDim;
      for (int c = 0; c < kDim; ++c) var += (x[c] - mean) * (x[c] - mean);
      const double rstd = 1.0 / std::sqrt(var / kDim + 1e-5);
      double s1 = 0, s2 = 0;
      for (int c = 0; c < kDim; ++c) {
        const double xh = (x[c] - mean) * rstd;
        rg[c] += d[c] * xh;
        rb[c] += d[c];
        s1 += d[c] * hg[c];
        s2 += d[c] * hg[c] * xh;
        e1 = std::max(e1, std::fabs(xh * hg[c] + hb[c] - out[size_t(r) * kDim + c]));
      }
      for (int c = 0; c < kDim; ++c) {
        const double xh = (x[c] - mean) * rstd;
        const double want = (d[c] * hg[c] - s1 / kDim - xh * s2 / kDim) * rstd;
        e2 = std::max(e2, std::fabs(want - dx[size_t(r) * kDim + c]));
      }
    }
    for (int c = 0; c < kDim; ++c) e3 = std::max({e3, std::fabs(rg[c] - dg[c]), std::fabs(rb[c] - db[c])});
    verify("layernorm fwd", e1, 1e-4);
    verify("layernorm bwd dx", e2, 1e-4);
    verify("layernorm bwd params", e3, 1e-2);
  }

  // ---- gelu backward, bias gradient ----
  const size_t nf = size_t(kRows) * kFfn;
  const auto hpre = uniform(nf, -4.f, 4.f), hdf = uniform(nf, -1.f, 1.f);
  float *d_pre = dev(hpre), *d_df = dev(hdf), *d_dbias = dev_zero<float>(kFfn);
  gelu_bwd_inplace_kernel<<<int(nf / 4 / 256), 256>>>(d_df, d_pre, int(nf));
  CHECK_CUDA_KERNEL_LAUNCH();
  bias_grad_kernel<<<dim3(kFfn / 128, 16), 256>>>(d_dbias, d_df, kRows, kFfn, kRows / 16);
  CHECK_CUDA_KERNEL_LAUNCH();
  {
    const auto df = host(d_df, nf);
    const auto dbias = host(d_dbias, kFfn);
    double e1 = 0, e2 = 0;
    for (size_t i = 0; i < nf; i += 7) e1 = std::max(e1, double(std::fabs(hdf[i] * gelu_grad(hpre[i]) - df[i])));
    for (int c = 0; c < kFfn; c += 5) {
      double s = 0;
      for (int r = 0; r < kRows; ++r) s += df[size_t(r) * kFfn + c];
      e2 = std::max(e2, std::fabs(s - dbias[c]));
    }
    verify("gelu bwd", e1, 1e-4);
    verify("bias grad", e2, 1e-2);
  }

  // ---- dropout ----
  float *d_drop = dev_zero<float>(nf), *d_ddrop = dev_zero<float>(nf);
  const float p_keep = 0.9f;
  Dropout_params dp{{0x1234567u, 0x89abcdefu}, 77ull, uint32_t(double(p_keep) * 4294967296.0), 1.f / p_keep, int(nf)};
  dropout_residual_fwd_kernel<<<int(nf / 4 / 256), 256>>>(d_drop, d_pre, d_df, dp);
  CHECK_CUDA_KERNEL_LAUNCH();
  dropout_bwd_kernel<<<132 * 8, 256>>>(d_ddrop, d_pre, dp);
  CHECK_CUDA_KERNEL_LAUNCH();
  {
    const auto y = host(d_drop, nf), dd = host(d_ddrop, nf), res = host(d_df, nf);
    double e1 = 0, e2 = 0;
    for (size_t v = 0; v < nf / 4; v += 5) {
      const uint4 r = dp.rng(v, dp.offset);
      const uint32_t w[4] = {r.x, r.y, r.z, r.w};
      for (int k = 0; k < 4; ++k) {
        const size_t i = v * 4 + k;
        const double kept = w[k] < dp.keep_threshold ? double(hpre[i]) * dp.scale : 0.0;
        e1 = std::max(e1, std::fabs(res[i] + kept - y[i]));
        e2 = std::max(e2, std::fabs(kept - dd[i]));
      }
    }
    verify("dropout + residual fwd", e1, 1e-4);
    verify("dropout bwd", e2, 1e-4);
  }

  // ---- softmax cross entropy ----
  const size_t nl = size_t(kRows) * kVocab;
  float* d_logits = dev_zero<float>(nl);
  std::vector<int> htok(kRows);
  for (int r = 0; r < kRows; ++r) htok[r] = int(pcg_hash(r + 5u) % 300u) * 53;  // repeated tokens
  int* d_tok = dev(htok);
  float *d_loss = dev_zero<float>(kRows), *d_lse = dev_zero<float>(kRows);
  init_logits_kernel<<<int(nl / 4 / 256), 256>>>(d_logits, nl);
  CHECK_CUDA_KERNEL_LAUNCH();
  xent_fwd_kernel<256><<<kRows, 256>>>(d_loss, d_lse, d_logits, d_tok, kVocab);
  CHECK_CUDA_KERNEL_LAUNCH();
  xent_bwd_kernel<<<dim3(kVocab / 4 / 256, kRows), 256>>>(d_logits, d_lse, d_tok, kVocab, 1.f / kRows);
  CHECK_CUDA_KERNEL_LAUNCH();
  {
    const auto loss = host(d_loss, kRows);
    double e1 = 0, e2 = 0;
    for (int r = 0; r < kRows; r += 100) {
      double s = 0;
      for (int i = 0; i < kVocab; ++i) s += std::exp(double(logit_value(uint32_t(r) * kVocab + i)));
      e1 = std::max(e1, std::fabs(std::log(s) - logit_value(uint32_t(r) * kVocab + htok[r]) - loss[r]));
      const auto g = host(d_logits + size_t(r) * kVocab, kVocab);
      for (int i = 0; i < kVocab; ++i) {
        const double want = (std::exp(double(logit_value(uint32_t(r) * kVocab + i))) / s - (i == htok[r])) / kRows;
        e2 = std::max(e2, std::fabs(want - g[i]));
      }
    }
    verify("cross entropy fwd", e1, 1e-3);
    verify("cross entropy bwd", e2, 1e-6);
  }

  // ---- unscale, gradient norm, AdamW ----
  const int np = 4 * 1024 * 1024;
  const float loss_scale = 1024.f;
  std::vector<__half> hg16(np);
  for (int i = 0; i < np; ++i) hg16[i] = __float2half(std::sin(0.001f * float(i % 6283)) * 4.f);
  __half* d_g16 = dev(hg16);
  float* d_g32 = dev_zero<float>(np);
  int* d_inf = dev_zero<int>(1);
  unscale_check_kernel<<<132 * 4, 256>>>(d_g32, d_g16, np, 1.f / loss_scale, d_inf);
  CHECK_CUDA_KERNEL_LAUNCH();
  const int norm_blocks = 132 * 2;
  float *d_partial = dev_zero<float>(norm_blocks), *d_norm = dev_zero<float>(2);
  grad_norm_partial_kernel<512><<<norm_blocks, 512>>>(d_partial, d_g32, np);
  CHECK_CUDA_KERNEL_LAUNCH();
  grad_norm_finish_kernel<<<1, 1024>>>(d_norm, d_partial, norm_blocks, 1.0f);
  CHECK_CUDA_KERNEL_LAUNCH();
  std::vector<float> hw(np);
  for (int i = 0; i < np; ++i) hw[i] = 0.02f * float((i * 7) % 101 - 50);
  Adamw_params ap{};
  ap.w = dev(hw);
  ap.m = dev_zero<float>(np);
  ap.v = dev_zero<float>(np);
  ap.w16 = dev_zero<__nv_bfloat16>(np);
  ap.grad = d_g32;
  ap.norm_and_clip = d_norm;
  ap.found_inf = d_inf;
  ap.n = np;
  ap.lr = 1e-3f;
  ap.beta1 = 0.9f;
  ap.beta2 = 0.95f;
  ap.eps = 1e-8f;
  ap.weight_decay = 0.1f;
  ap.correction1 = 1.f - ap.beta1;
  ap.correction2 = 1.f - ap.beta2;
  adamw_kernel<<<np / 4 / 256, 256>>>(ap);
  CHECK_CUDA_KERNEL_LAUNCH();
  {
    double ss = 0;
    for (int i = 0; i < np; ++i) {
      const double g = double(__half2float(hg16[i])) / loss_scale;
      ss += g * g;
    }
    const auto norm = host(d_norm, 2);
    verify("gradient norm", std::fabs(std::sqrt(ss) - norm[0]) / std::sqrt(ss) + host(d_inf, 1)[0], 1e-4);
    const auto w = host(ap.w, np);
    double e = 0;
    for (int i = 0; i < np; i += 11) {
      const double g = double(__half2float(hg16[i])) / loss_scale * norm[1];
      const double want = hw[i] - 1e-3 * (g / (std::fabs(g) + 1e-8) + 0.1 * hw[i]);
      if (std::fabs(g) > 1e-7) e = std::max(e, std::fabs(want - w[i]));
    }
    verify("adamw", e, 1e-4);
  }

  // ---- embedding backward ----
  float *d_dwte = dev_zero<float>(size_t(kVocab) * kDim), *d_dwpe = dev_zero<float>(size_t(kSeq) * kDim);
  embedding_bwd_wte_kernel<<<(kRows * (kDim / 4) + 255) / 256, 256>>>(d_dwte, d_do, d_tok);
  CHECK_CUDA_KERNEL_LAUNCH();
  embedding_bwd_wpe_kernel<<<(kSeq * kDim + 255) / 256, 256>>>(d_dwpe, d_do);
  CHECK_CUDA_KERNEL_LAUNCH();
  {
    double e1 = 0, e2 = 0;
    const auto dwpe = host(d_dwpe, size_t(kSeq) * kDim);
    for (int i = 0; i < kSeq * kDim; i += 3) {
      double s = 0;
      for (int b = 0; b < kBatch; ++b) s += hdo[size_t(b) * kSeq * kDim + i];
      e2 = std::max(e2, std::fabs(s - dwpe[i]));
    }
    for (int r = 0; r < kRows; r += 111) {
      const auto row = host(d_dwte + size_t(htok[r]) * kDim, kDim);
      std::vector<double> want(kDim, 0.0);
      for (int q = 0; q < kRows; ++q)
        if (htok[q] == htok[r])
          for (int c = 0; c < kDim; ++c) want[c] += hdo[size_t(q) * kDim + c];
      for (int c = 0; c < kDim; ++c) e1 = std::max(e1, std::fabs(want[c] - row[c]));
    }
    verify("embedding bwd wte", e1, 1e-4);
    verify("embedding bwd wpe", e2, 1e-5);
  }

  // ---- attention backward ----
  const size_t na = size_t(kBatch) * kHeads * kSeq * kSeq;
  std::vector<float> hP(na, 0.f);
  for (size_t row = 0; row < na / kSeq; ++row) {
    const int t = int(row % kSeq);
    float sum = 0.f;
    for (int j = 0; j <= t; ++j) sum += hP[row * kSeq + j] = 1.f + float((row * 31 + j * 17) % 97);
    for (int j = 0; j <= t; ++j) hP[row * kSeq + j] /= sum;
  }
  const auto hdP = uniform(na, -1.f, 1.f);
  float *d_P = dev(hP), *d_dP = dev(hdP), *d_dS = dev_zero<float>(na), *d_delta = dev_zero<float>(na / kSeq);
  attn_bwd_dot_do_o_kernel<<<kRows * kHeads * 16 / 256, 256>>>(d_delta, d_do, d_x);
  CHECK_CUDA_KERNEL_LAUNCH();
  attn_bwd_softmax_kernel<<<int(na / kSeq / 8), 256>>>(d_dS, d_P, d_dP, d_delta, 1.f / std::sqrt(float(kHeadDim)));
  CHECK_CUDA_KERNEL_LAUNCH();
  {
    const auto delta = host(d_delta, na / kSeq);
    const auto dS = host(d_dS, na);
    double e1 = 0, e2 = 0;
    for (int row = 0; row < int(na / kSeq); row += 17) {
      const int t = row % kSeq, h = row / kSeq % kHeads, b = row / kSeq / kHeads;
      double s = 0;
      for (int i = 0; i < kHeadDim; ++i) {
        const size_t at = (size_t(b) * kSeq + t) * kDim + h * kHeadDim + i;
        s += double(hdo[at]) * hx[at];
      }
      e1 = std::max(e1, std::fabs(s - delta[row]));
      for (int j = 0; j < kSeq; ++j) {
        const double want = j <= t ? 0.125 * hP[size_t(row) * kSeq + j] * (hdP[size_t(row) * kSeq + j] - s) : 0.0;
        e2 = std::max(e2, std::fabs(want - dS[size_t(row) * kSeq + j]));
      }
    }
    verify("attn bwd dot(dO, O)", e1, 1e-3);
    verify("attn bwd softmax", e2, 1e-4);
  }

  CHECK_CUDA(cudaDeviceSynchronize());
  printf("%s\n", g_bad ? "FAILED" : "OK");
  return 0;
}
