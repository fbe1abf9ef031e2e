// One optimiser step's worth of fused training kernels, in the order a trainer would call them.
// Compact style: every op is a functor or a small struct, host launchers at the bottom.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

using bf16 = __nv_bfloat16;
static void cudaOk(cudaError_t e, const char* f, int l) { if (e) { std::fprintf(stderr, "%s:%d %s\n", f, l, cudaGetErrorString(e)); std::exit(1); } }
#define CUDA_OK(e) cudaOk((e), __FILE__, __LINE__)

template <class T> __host__ __device__ constexpr T cdiv(T a, T b) { return (a + b - 1) / b; }

struct alignas(16) bf16x8 { bf16 v[8]; };

__device__ inline uint32_t hash_rng(uint32_t seed, uint32_t i) {  // stateless counter based generator
  uint32_t x = i * 0x9E3779B1u ^ seed;
  x ^= x >> 16; x *= 0x85EBCA6Bu; x ^= x >> 13; x *= 0xC2B2AE35u; x ^= x >> 16;
  return x;
}
__device__ inline float warpSum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }
__device__ inline float warpMax(float v) { for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o)); return v; }

// token + position embedding, one float4 per thread
__global__ void encoder_forward(float4* out, const int* tokens, const float4* wte, const float4* wpe, int B, int T, int C4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * T * C4) return;
  int bt = i / C4, c = i % C4, t = bt % T;
  float4 a = wte[(size_t)tokens[bt] * C4 + c], b = wpe[t * C4 + c];
  out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
// scatter-add of output gradients into the table; hot tokens collide
__global__ void encoder_backward_wte(float* dwte, const float* dout, const int* tokens, int BT, int C) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)BT * C; i += (size_t)gridDim.x * blockDim.x)
    atomicAdd(&dwte[(size_t)tokens[i / C] * C + i % C], dout[i]);
}

struct GeluTanh {
  static constexpr float k = 0.7978845608f;
  __device__ float fwd(float x) const { return 0.5f * x * (1.f + tanhf(k * (x + 0.044715f * x * x * x))); }
  __device__ float bwd(float x, float g) const {
    float th = tanhf(k * (x + 0.044715f * x * x * x));
    return g * (0.5f * (1.f + th) + 0.5f * x * (1.f - th * th) * k * (1.f + 3.f * 0.044715f * x * x));
  }
};
struct GeluErf {
  __device__ float fwd(float x) const { return 0.5f * x * (1.f + erff(x * 0.70710678f)); }
  __device__ float bwd(float x, float g) const { return g * (0.5f * (1.f + erff(x * 0.70710678f)) + x * 0.39894228f * __expf(-0.5f * x * x)); }
};

// bias + activation + dropout, mask stored as one bit per element (warp ballot)
template <class Act>
__global__ void bias_act_dropout(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y, uint32_t* __restrict__ mask,
                                 int n, int C, float p, uint32_t seed, Act act) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool in = i < n;
  bool keep = in && hash_rng(seed, i) >= (uint32_t)(p * 4294967295.f);
  uint32_t bits = __ballot_sync(~0u, keep);
  if (in && threadIdx.x % 32 == 0) mask[i / 32] = bits;
  if (in) y[i] = keep ? act.fwd(x[i] + bias[i % C]) / (1.f - p) : 0.f;
}
template <class Act>
__global__ void act_backward_bf16(const bf16x8* __restrict__ x, bf16x8* __restrict__ dinout, int n8, Act act) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n8) return;
  bf16x8 a = x[i], g = dinout[i];
#pragma unroll
  for (int k = 0; k < 8; ++k) g.v[k] = __float2bfloat16(act.bwd(__bfloat162float(a.v[k]), __bfloat162float(g.v[k])));
  dinout[i] = g;
}
// dbias: column sums of dout [N, C]; block owns 32 columns, warps stride over rows
__global__ void bias_backward(float* dbias, const float* __restrict__ dout, int N, int C) {
  __shared__ float part[32][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float s = 0.f;
  for (int r = threadIdx.y; r < N; r += blockDim.y) s += dout[(size_t)r * C + c];
  part[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int k = 1; k < blockDim.y; ++k) s += part[k][threadIdx.x];
    dbias[c] += s;
  }
}

// fused softmax cross entropy: loss and dlogits in one block per row, V padded to Vp
template <int NT>
__global__ void __launch_bounds__(NT) fused_classifier(float* __restrict__ logits, float* __restrict__ losses, const int* __restrict__ targets, int V, int Vp, float scale) {
  __shared__ float sm[NT / 32], ss[NT / 32];
  float* row = logits + (size_t)blockIdx.x * Vp;
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  float m = -FLT_MAX, s = 0.f;
  for (int i = threadIdx.x; i < V; i += NT) {
    float v = row[i];
    if (v > m) { s *= __expf(m - v); m = v; }
    s += __expf(v - m);
  }
  float wm = warpMax(m), wsum = warpSum(s * __expf(m - wm));
  if (l == 0) { sm[w] = wm; ss[w] = wsum; }
  __syncthreads();
  float bm = warpMax(l < NT / 32 ? sm[l] : -FLT_MAX);
  float bs = warpSum(l < NT / 32 ? ss[l] * __expf(sm[l] - bm) : 0.f);
  int ix = targets[blockIdx.x];
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(bs) - (row[ix] - bm);
  __syncthreads();
  for (int i = threadIdx.x; i < Vp; i += NT) row[i] = i < V ? (__expf(row[i] - bm) / bs - (i == ix ? 1.f : 0.f)) * scale : 0.f;
}
// loss only, a warp per row
__global__ void crossentropy_warp(const float* logits, float* losses, const int* targets, int rows, int V) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x % 32;
  if (r >= rows) return;
  const float* p = logits + (size_t)r * V;
  float m = -FLT_MAX, s = 0.f;
  for (int i = l; i < V; i += 32) m = fmaxf(m, p[i]);
  m = warpMax(m);
  for (int i = l; i < V; i += 32) s += expf(p[i] - m);
  s = warpSum(s);
  if (l == 0) losses[r] = logf(s) + m - p[targets[r]];
}

// global gradient norm: last block to finish reduces the partials (threadfence reduction)
__device__ unsigned int g_done = 0;
__global__ void grad_norm_last_block(const float* __restrict__ g, size_t n, volatile float* partial, float* out) {
  __shared__ float ws[32];
  __shared__ bool last;
  float s = 0.f;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += g[i] * g[i];
  auto blockSum = [&](float v) {
    v = warpSum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0) ws[threadIdx.x / 32] = v;
    __syncthreads();
    return warpSum(threadIdx.x % 32 < blockDim.x / 32 ? ws[threadIdx.x % 32] : 0.f);
  };
  s = blockSum(s);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicAdd(&g_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float t = 0.f;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) t += partial[i];
  t = blockSum(t);
  if (threadIdx.x == 0) { *out = sqrtf(t); g_done = 0; }
}

struct AdamArgs { float lr, b1, b2, eps, wd, c1, c2, clip; };
// fp32 master weights, bf16 copy with stochastic rounding
__global__ void adamw_master(float* __restrict__ w, bf16* __restrict__ w16, const float* __restrict__ g, float* __restrict__ m, float* __restrict__ v,
                             size_t n, const float* norm, AdamArgs a, uint32_t seed) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float gs = g[i] * fminf(1.f, a.clip / (*norm + 1e-6f));
  float mi = a.b1 * m[i] + (1.f - a.b1) * gs, vi = a.b2 * v[i] + (1.f - a.b2) * gs * gs;
  m[i] = mi; v[i] = vi;
  float p = w[i] - a.lr * ((mi / a.c1) / (sqrtf(vi / a.c2) + a.eps) + a.wd * w[i]);
  w[i] = p;
  uint32_t b = __float_as_uint(p) + (hash_rng(seed, (uint32_t)i) & 0xffff);
  w16[i] = __float2bfloat16_rn(__uint_as_float(b & 0xffff0000u));
}
template <int UNROLL>
__global__ void __launch_bounds__(256, 4) adamw_vec4(float4* __restrict__ w, const float4* __restrict__ g, float4* __restrict__ m, float4* __restrict__ v, int n4, AdamArgs a) {
  auto upd = [&](float& w_, float g_, float& m_, float& v_) {
    m_ = fmaf(a.b1, m_ - g_, g_); v_ = fmaf(a.b2, v_ - g_ * g_, g_ * g_);
    w_ -= a.lr * (__fdividef(m_, a.c1) * rsqrtf(v_ / a.c2 + a.eps) + a.wd * w_);
  };
  int base = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    int i = base + u * blockDim.x;
    if (i >= n4) break;
    float4 W = w[i], G = g[i], M = m[i], V = v[i];
    upd(W.x, G.x, M.x, V.x); upd(W.y, G.y, M.y, V.y); upd(W.z, G.z, M.z, V.z); upd(W.w, G.w, M.w, V.w);
    w[i] = W; m[i] = M; v[i] = V;
  }
}

int main() {
  const int B = 8, T = 512, C = 768, VOC = 10000, VP = 10048, ROWS = 512;
  const size_t n = (size_t)B * T * C * 2;  // 6.3M parameters / activations
  std::vector<float> h(n);
  std::vector<bf16> h16(n);
  std::vector<int> tok(B * T);
  uint32_t s = 4242;
  auto rnd = [&] { s = s * 1664525u + 1013904223u; return s >> 8; };
  for (size_t i = 0; i < n; ++i) { h[i] = (rnd() & 0xffff) / 32768.f - 1.f; h16[i] = __float2bfloat16(h[i]); }
  for (auto& t : tok) { uint32_t a = rnd() % 2000, b = rnd() % 2000; t = (int)((uint64_t)a * b / 2000 * 2); }  // skewed towards 0, < 4000
  float *x, *y, *g, *m, *v, *loss, *part, *norm; bf16 *x16, *g16; int* dtok; uint32_t* mask;
  for (float** p : {&x, &y, &g, &m, &v}) { CUDA_OK(cudaMalloc(p, n * 4)); CUDA_OK(cudaMemcpy(*p, h.data(), n * 4, cudaMemcpyHostToDevice)); }
  for (bf16** p : {&x16, &g16}) { CUDA_OK(cudaMalloc(p, n * 2)); CUDA_OK(cudaMemcpy(*p, h16.data(), n * 2, cudaMemcpyHostToDevice)); }
  CUDA_OK(cudaMalloc(&loss, 4096 * 4)); CUDA_OK(cudaMalloc(&part, 4096 * 4)); CUDA_OK(cudaMalloc(&norm, 4)); CUDA_OK(cudaMalloc(&dtok, B * T * 4)); CUDA_OK(cudaMalloc(&mask, n / 8 + 4));
  CUDA_OK(cudaMemcpy(dtok, tok.data(), B * T * 4, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemset(part, 0, 4096 * 4)); CUDA_OK(cudaMemset(m, 0, n * 4)); CUDA_OK(cudaMemset(v, 0, n * 4));

  const int act = B * T * C;
  encoder_forward<<<cdiv(act / 4, 256), 256>>>((float4*)y, dtok, (const float4*)x, (const float4*)g, B, T, C / 4);
  bias_act_dropout<<<cdiv(act - 7, 256), 256>>>(x, g, y, mask, act - 7, C, 0.1f, 17u, GeluTanh{});
  bias_act_dropout<<<cdiv((int)n, 512), 512>>>(x, g, y, mask, (int)n, 3 * C, 0.5f, 18u, GeluErf{});
  act_backward_bf16<<<cdiv((int)n / 8, 256), 256>>>((const bf16x8*)x16, (bf16x8*)g16, (int)n / 8, GeluTanh{});
  fused_classifier<1024><<<ROWS, 1024>>>(y, loss, dtok, VOC, VP, 1.f / ROWS);
  crossentropy_warp<<<cdiv(1400, 4), 128>>>(x, loss, dtok, 1400, 4096);
  bias_backward<<<C / 32, dim3(32, 32)>>>(part, g, B * T, C);
  encoder_backward_wte<<<132 * 4, 256>>>(y, g, dtok, B * T, C);
  grad_norm_last_block<<<132 * 2, 512>>>(g, n, part, norm);
  AdamArgs a{3e-4f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.1f, 0.05f, 1.f};
  adamw_master<<<(unsigned)cdiv(n, (size_t)256), 256>>>(x, x16, g, m, v, n, norm, a, 99u);
  adamw_vec4<4><<<cdiv((int)n / 4, 256 * 4), 256>>>((float4*)x, (const float4*)g, (float4*)m, (float4*)v, (int)n / 4, a);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaDeviceSynchronize());
  float hn = 0;
  CUDA_OK(cudaMemcpy(&hn, norm, 4, cudaMemcpyDeviceToHost));
  double ref = 0;
  for (float f : h) ref += (double)f * f;
  std::printf("grad norm %.4f, expected %.4f\n", hn, std::sqrt(ref));
  return 0;
}
