// Optimizer step kernels: global norm -> clip -> AdamW (a few ways), loss scale check, EMA.
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
#include <cmath>
#include <vector>
#include <memory>

namespace opt {

struct Hyper {
  float lr = 3e-4f, beta1 = 0.9f, beta2 = 0.95f, eps = 1e-8f, wd = 0.1f;
  float bc1 = 1.f, bc2 = 1.f;
};

__device__ __forceinline__ float lerp_fma(float start, float end, float w) { return fmaf(w, end, fmaf(-w, start, start)); }

// squirrel-ish integer noise
__device__ __forceinline__ uint32_t noise(uint32_t pos, uint32_t seed) {
  uint32_t m = pos * 0xB5297A4Du + seed;
  m ^= m >> 8; m += 0x68E31DA4u; m ^= m << 8; m *= 0x1B56C4E9u; m ^= m >> 8;
  return m;
}
__device__ __forceinline__ __nv_bfloat16 stochastic_round(float x, uint32_t rnd) {
  uint32_t bits = __float_as_uint(x);
  bits += rnd & 0xFFFFu;
  return __ushort_as_bfloat16((unsigned short)(bits >> 16));
}

// ---- norms
template <typename T, int BLOCK>
__global__ void sumsq_partial(const T* g, size_t n, float* partial) {
  float s = 0.f;
  for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK) {
    float v = (float)g[i];
    s += v * v;
  }
  __shared__ float sh[BLOCK / 32];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
  if (threadIdx.x % 32 == 0) sh[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < BLOCK / 32 ? sh[threadIdx.x] : 0.f;
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
    if (threadIdx.x == 0) partial[blockIdx.x] = s;
  }
}
__global__ void finish_norm(const float* partial, int n, float max_norm, float* norm_and_scale) {
  __shared__ float sh[1024];
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += 1024) s += partial[i];
  sh[threadIdx.x] = s;
  __syncthreads();
  for (int k = 512; k > 0; k >>= 1) {
    if (threadIdx.x < k) sh[threadIdx.x] += sh[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    float norm = sqrtf(sh[0]);
    norm_and_scale[0] = norm;
    norm_and_scale[1] = norm > max_norm ? max_norm / (norm + 1e-6f) : 1.f;
  }
}

// ---- loss scaling: unscale fp16 grads to fp32, raise a flag on inf/nan
__global__ void unscale_and_check(const __half2* g, float2* out, size_t n2, float inv_scale, int* found_inf) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  bool bad = false;
  if (i < n2) {
    float2 v = __half22float2(g[i]);
    v.x *= inv_scale; v.y *= inv_scale;
    bad = !isfinite(v.x) || !isfinite(v.y);
    out[i] = v;
  }
  if (__syncthreads_or(bad) && threadIdx.x == 0) atomicExch(found_inf, 1);
}

// ---- AdamW 1: textbook
__global__ void adamw_plain(float* p, const float* g, float* m, float* v, size_t n, Hyper h) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  m[i] = h.beta1 * m[i] + (1.0f - h.beta1) * g[i];
  v[i] = h.beta2 * v[i] + (1.0f - h.beta2) * g[i] * g[i];
  float mh = m[i] / h.bc1, vh = v[i] / h.bc2;
  p[i] -= h.lr * (mh / (sqrtf(vh) + h.eps) + h.wd * p[i]);
}

// ---- AdamW 2: float4 and lerp, gradient scale from device memory
__global__ void adamw_vec4(float4* p, const float4* g, float4* m, float4* v, size_t n4, Hyper h, const float* norm_and_scale) {
  const float gs = norm_and_scale[1];
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
    float4 pp = p[i], gg = __ldcs(g + i), mm = m[i], vv = v[i];
    auto one = [&](float& P, float G, float& Mo, float& Va) {
      G *= gs;
      Mo = lerp_fma(G, Mo, h.beta1);
      Va = lerp_fma(G * G, Va, h.beta2);
      P -= h.lr * ((Mo / h.bc1) / (sqrtf(Va / h.bc2) + h.eps) + h.wd * P);
    };
    one(pp.x, gg.x, mm.x, vv.x); one(pp.y, gg.y, mm.y, vv.y);
    one(pp.z, gg.z, mm.z, vv.z); one(pp.w, gg.w, mm.w, vv.w);
    p[i] = pp; m[i] = mm; v[i] = vv;
  }
}

// ---- AdamW 3: bf16 params and grads, optional fp32 master, stochastic rounding, several tensors in one launch
struct TensorList {
  static constexpr int MAX = 8;
  __nv_bfloat16* p[MAX];
  const __nv_bfloat16* g[MAX];
  float* m[MAX];
  float* v[MAX];
  float* master[MAX];     // may be null
  int n[MAX];
  float wd[MAX];
};
__global__ void adamw_multi_bf16(TensorList L, Hyper h, const float* norm_and_scale, uint32_t seed) {
  const int t = blockIdx.y;
  const int n = L.n[t];
  const float gs = norm_and_scale[1];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float g = gs * __bfloat162float(L.g[t][i]);
    float m = lerp_fma(g, L.m[t][i], h.beta1);
    float v = lerp_fma(g * g, L.v[t][i], h.beta2);
    L.m[t][i] = m;
    L.v[t][i] = v;
    float old = L.master[t] ? L.master[t][i] : __bfloat162float(L.p[t][i]);
    float upd = old - h.lr * ((m / h.bc1) / (sqrtf(v / h.bc2) + h.eps) + L.wd[t] * old);
    L.p[t][i] = stochastic_round(upd, noise((uint32_t)i + (uint32_t)t * 0x9E3779B9u, seed));
    if (L.master[t]) L.master[t][i] = upd;
  }
}

// ---- EMA of the weights (reads bf16, keeps float)
__global__ void ema_update(float* ema, const __nv_bfloat162* p, size_t n2, float decay) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n2) return;
  float2 w = __bfloat1622float2(p[i]);
  float2 e = reinterpret_cast<float2*>(ema)[i];
  e.x = decay * e.x + (1.f - decay) * w.x;
  e.y = decay * e.y + (1.f - decay) * w.y;
  reinterpret_cast<float2*>(ema)[i] = e;
}

__global__ void init_bf16(__nv_bfloat16* p, size_t n, uint32_t seed, float amp) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = __float2bfloat16(amp * ((noise((uint32_t)i, seed) >> 8) / 8388608.f - 1.f));
}
}  // namespace opt

static void must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) { printf("%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
}
template <typename T> std::shared_ptr<T> gpu(size_t n, int fill = 0) {
  T* p = nullptr;
  must(cudaMalloc((void**)&p, n * sizeof(T)), "cudaMalloc");
  must(cudaMemset(p, fill, n * sizeof(T)), "memset");
  return std::shared_ptr<T>(p, [](T* q) { cudaFree(q); });
}

int main() {
  using namespace opt;
  const size_t n = 16u << 20;
  std::vector<float> hp(n), hg(n);
  std::vector<__half> hh(n);
  for (size_t i = 0; i < n; ++i) {
    hp[i] = 0.02f * std::sin(0.001f * (i % 65521));
    hg[i] = 0.01f * std::cos(0.003f * (i % 32749));
    hh[i] = __float2half(hg[i] * 1024.f);
  }
  auto p = gpu<float>(n), p2 = gpu<float>(n), g = gpu<float>(n), m = gpu<float>(n), v = gpu<float>(n), m2 = gpu<float>(n), v2 = gpu<float>(n);
  auto gh = gpu<__half>(n);
  auto part = gpu<float>(4096), ns = gpu<float>(2);
  auto flag = gpu<int>(1);
  must(cudaMemcpy(p.get(), hp.data(), n * 4, cudaMemcpyHostToDevice), "copy");
  must(cudaMemcpy(p2.get(), hp.data(), n * 4, cudaMemcpyHostToDevice), "copy");
  must(cudaMemcpy(gh.get(), hh.data(), n * 2, cudaMemcpyHostToDevice), "copy");

  Hyper h;
  h.bc1 = 1.f - h.beta1; h.bc2 = 1.f - h.beta2;   // step 1

  unscale_and_check<<<(n / 2 + 511) / 512, 512>>>((const __half2*)gh.get(), (float2*)g.get(), n / 2, 1.f / 1024.f, flag.get());
  sumsq_partial<float, 512><<<1056, 512>>>(g.get(), n, part.get());
  finish_norm<<<1, 1024>>>(part.get(), 1056, 1e9f, ns.get());
  adamw_plain<<<(n + 255) / 256, 256>>>(p.get(), g.get(), m.get(), v.get(), n, h);
  adamw_vec4<<<132 * 8, 256>>>((float4*)p2.get(), (const float4*)g.get(), (float4*)m2.get(), (float4*)v2.get(), n / 4, h, ns.get());
  must(cudaGetLastError(), "launch A");

  // bf16 model of 6 tensors
  const int sizes[6] = {50304 * 64, 768 * 2304, 768 * 768, 768 * 3072, 3072 * 768, 768};
  TensorList L{};
  size_t total = 0;
  for (int s : sizes) total += s;
  auto bp = gpu<__nv_bfloat16>(total), bg = gpu<__nv_bfloat16>(total);
  auto bm = gpu<float>(total), bv = gpu<float>(total), bw = gpu<float>(total), ema = gpu<float>(total);
  init_bf16<<<(total + 255) / 256, 256>>>(bp.get(), total, 1u, 0.02f);
  init_bf16<<<(total + 255) / 256, 256>>>(bg.get(), total, 2u, 0.01f);
  std::vector<__nv_bfloat16> hb(total);
  must(cudaMemcpy(hb.data(), bp.get(), total * 2, cudaMemcpyDeviceToHost), "copy");
  std::vector<float> hw(total);
  for (size_t i = 0; i < total; ++i) hw[i] = __bfloat162float(hb[i]);
  must(cudaMemcpy(bw.get(), hw.data(), total * 4, cudaMemcpyHostToDevice), "copy");
  size_t off = 0;
  for (int t = 0; t < 6; ++t) {
    L.p[t] = bp.get() + off; L.g[t] = bg.get() + off; L.m[t] = bm.get() + off; L.v[t] = bv.get() + off;
    L.master[t] = t % 2 == 0 ? bw.get() + off : nullptr;
    L.n[t] = sizes[t];
    L.wd[t] = sizes[t] == 768 ? 0.f : h.wd;
    off += sizes[t];
  }
  sumsq_partial<__nv_bfloat16, 1024><<<528, 1024>>>(bg.get(), total, part.get());
  finish_norm<<<1, 1024>>>(part.get(), 528, 1.0f, ns.get());
  adamw_multi_bf16<<<dim3(264, 6), 512>>>(L, h, ns.get(), 1234u);
  ema_update<<<(total / 2 + 255) / 256, 256>>>(ema.get(), (const __nv_bfloat162*)bp.get(), total / 2, 0.999f);
  must(cudaGetLastError(), "launch B");
  must(cudaDeviceSynchronize(), "sync");

  std::vector<float> a(n), b(n);
  must(cudaMemcpy(a.data(), p.get(), n * 4, cudaMemcpyDeviceToHost), "copy");
  must(cudaMemcpy(b.data(), p2.get(), n * 4, cudaMemcpyDeviceToHost), "copy");
  double d = 0;
  for (size_t i = 0; i < n; ++i) d = std::max(d, (double)std::fabs(a[i] - b[i]));
  float hns[2]; int hf = 0;
  must(cudaMemcpy(hns, ns.get(), 8, cudaMemcpyDeviceToHost), "copy");
  must(cudaMemcpy(&hf, flag.get(), 4, cudaMemcpyDeviceToHost), "copy");
  must(cudaMemcpy(hb.data(), bp.get(), total * 2, cudaMemcpyDeviceToHost), "copy");
  printf("plain vs vec4: %.3e   bf16 grad norm %.4f clip %.4f   found_inf %d   p[0] %.6f -> %.6f\n", d, hns[0], hns[1], hf, hw[0],
         __bfloat162float(hb[0]));
  return 0;
}
