// optimiser kernels: adamw (several), grad norm, sgd momentum, stochastic rounding, multi tensor apply
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

#define CUDA_TRY(call)                                                                         \
  do {                                                                                         \
    cudaError_t const status = (call);                                                         \
    if (cudaSuccess != status) {                                                               \
      std::cerr << "CUDA error: " << cudaGetErrorString(status) << " @" << __LINE__ << "\n";   \
      std::exit(1);                                                                            \
    }                                                                                          \
  } while (0)

struct AdamArgs {
  float lr, beta1, beta2, c1, c2, eps, wd;  // c1, c2: bias corrections
};

__host__ __device__ inline float lerp_(float start, float end, float w) { return fmaf(w, end, fmaf(-w, start, start)); }

__global__ void adamw_simple(float* p, const float* g, float* m, float* v, size_t n, AdamArgs a) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  m[i] = a.beta1 * m[i] + (1.0f - a.beta1) * g[i];
  v[i] = a.beta2 * v[i] + (1.0f - a.beta2) * g[i] * g[i];
  float mh = m[i] / a.c1, vh = v[i] / a.c2;
  p[i] -= a.lr * (mh / (sqrtf(vh) + a.eps) + a.wd * p[i]);
}

__global__ void adamw_lerp(float* __restrict__ p, const float* __restrict__ g, float* __restrict__ m, float* __restrict__ v, long n, AdamArgs a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float gr = g[i], mm = lerp_(gr, m[i], a.beta1), vv = lerp_(gr * gr, v[i], a.beta2);
  m[i] = mm;
  v[i] = vv;
  p[i] -= a.lr * (mm / a.c1 / (sqrtf(vv / a.c2) + a.eps) + a.wd * p[i]);
}

__device__ inline float adam_one(float p, float g, float& m, float& v, const AdamArgs& a) {
  m = lerp_(g, m, a.beta1);
  v = lerp_(g * g, v, a.beta2);
  return p - a.lr * ((m / a.c1) / (sqrtf(v / a.c2) + a.eps) + a.wd * p);
}

template <int ILP>
__global__ void adamw_vec(float4* __restrict__ p, const float4* __restrict__ g, float4* __restrict__ m, float4* __restrict__ v, int n4, AdamArgs a) {
  int base = blockIdx.x * blockDim.x * ILP + threadIdx.x;
  float4 P[ILP], G[ILP], M[ILP], V[ILP];
#pragma unroll
  for (int j = 0; j < ILP; j++) {
    int i = base + j * blockDim.x;
    if (i < n4) { P[j] = p[i]; G[j] = g[i]; M[j] = m[i]; V[j] = v[i]; }
  }
#pragma unroll
  for (int j = 0; j < ILP; j++) {
    int i = base + j * blockDim.x;
    if (i >= n4) continue;
    P[j].x = adam_one(P[j].x, G[j].x, M[j].x, V[j].x, a);
    P[j].y = adam_one(P[j].y, G[j].y, M[j].y, V[j].y, a);
    P[j].z = adam_one(P[j].z, G[j].z, M[j].z, V[j].z, a);
    P[j].w = adam_one(P[j].w, G[j].w, M[j].w, V[j].w, a);
    p[i] = P[j]; m[i] = M[j]; v[i] = V[j];
  }
}

__host__ __device__ inline uint32_t squirrel5(uint32_t pos, uint32_t seed) {
  uint32_t h = pos * 0xd2a80a3fu + seed;
  h ^= h >> 9; h += 0xa884f197u; h ^= h >> 11; h *= 0x6c736f4bu; h ^= h >> 13; h += 0xb79f3abbu; h ^= h >> 15; h += 0x1b56c4f5u; h ^= h >> 17;
  return h;
}
__host__ __device__ inline uint32_t bits(float f) {
  union { float f; uint32_t u; } c;
  c.f = f;
  return c.u;
}

// bf16 params and grads, fp32 master copy, stochastic rounding of the new params
__global__ void adamw_master_sr(__nv_bfloat16* p, float* master, const __nv_bfloat16* g, float* m, float* v, int n, float gscale, uint32_t seed, AdamArgs a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float mm = m[i], vv = v[i];
    float x = adam_one(master[i], __bfloat162float(g[i]) * gscale, mm, vv, a);
    m[i] = mm; v[i] = vv; master[i] = x;
    uint32_t u = bits(x), r = squirrel5(i, seed) & 0xffff;
    u = (u & 0xffff) > r ? (u | 0xffff) + 1 : u;  // round away
    p[i] = __ushort_as_bfloat16((unsigned short)(u >> 16));
  }
}

// ---- global norm
__global__ void norm_atomic_every_warp(float* out, const float* x, size_t n) {
  float s = 0.f;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += x[i] * x[i];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
template <int BS>
__global__ void norm_blocks(float* partial, const float4* x, int n4) {
  __shared__ float sh[BS / 32];
  float s = 0.f;
  for (int i = blockIdx.x * BS + threadIdx.x; i < n4; i += gridDim.x * BS) { float4 t = x[i]; s += t.x * t.x + t.y * t.y + t.z * t.z + t.w * t.w; }
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
  if (threadIdx.x % 32 == 0) sh[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < BS / 32 ? sh[threadIdx.x] : 0.f;
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
    if (threadIdx.x == 0) partial[blockIdx.x] = s;
  }
}
__global__ void norm_finish(float* out, const float* partial, int n) {
  __shared__ double sh[1024];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += partial[i];
  sh[threadIdx.x] = s;
  __syncthreads();
  for (int k = blockDim.x / 2; k; k >>= 1) {
    if (threadIdx.x < k) sh[threadIdx.x] += sh[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = (float)sqrt(sh[0]);
}

__global__ void sgd_momentum(float* w, float* buf, const float* g, int n, float lr, float mom, bool nesterov) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float b = mom * buf[i] + g[i];
    buf[i] = b;
    w[i] -= lr * (nesterov ? g[i] + mom * b : b);
  }
}

// ---- apex like: a list of tensors and a chunk table, passed by value
constexpr int MAX_T = 48, MAX_B = 320, CHUNK = 65536;
struct TensorList {
  float* w[MAX_T];
  const float* g[MAX_T];
  int size[MAX_T];
  unsigned char block_tensor[MAX_B];
  int block_chunk[MAX_B];
};
__global__ void __launch_bounds__(512) multi_tensor_sgd(TensorList tl, float lr, float wd) {
  int t = tl.block_tensor[blockIdx.x], off = tl.block_chunk[blockIdx.x] * CHUNK;
  float* w = tl.w[t] + off;
  const float* g = tl.g[t] + off;
  int n = min(CHUNK, tl.size[t] - off);
  for (int i0 = 0; i0 < n; i0 += blockDim.x * 4) {
    float a[4], b[4];
#pragma unroll
    for (int k = 0; k < 4; k++) { int i = i0 + threadIdx.x + k * blockDim.x; a[k] = b[k] = 0.f; if (i < n) { a[k] = w[i]; b[k] = g[i]; } }
#pragma unroll
    for (int k = 0; k < 4; k++) { int i = i0 + threadIdx.x + k * blockDim.x; if (i < n) w[i] = a[k] - lr * (b[k] + wd * a[k]); }
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) / 4 * 4 : 10000004;
  std::vector<float> p(n), g(n), m(n), v(n), h(n);
  std::minstd_rand gen(5);
  for (int i = 0; i < n; i++) { p[i] = gen() / 1073741824.f - 1.f; g[i] = (gen() / 1073741824.f - 1.f) * 0.1f; m[i] = g[i] * 0.5f; v[i] = g[i] * g[i] * 0.3f; }
  float *dp, *dg, *dm, *dv, *dsum, *dpart;
  for (float** x : {&dp, &dg, &dm, &dv}) CUDA_TRY(cudaMalloc(x, n * 4ll));
  CUDA_TRY(cudaMalloc(&dsum, 4)); CUDA_TRY(cudaMalloc(&dpart, 4096 * 4));
  CUDA_TRY(cudaMemcpy(dg, g.data(), n * 4ll, cudaMemcpyHostToDevice));
  auto reset = [&] {
    CUDA_TRY(cudaMemcpy(dp, p.data(), n * 4ll, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(dm, m.data(), n * 4ll, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(dv, v.data(), n * 4ll, cudaMemcpyHostToDevice));
  };
  AdamArgs a{1e-3f, 0.9f, 0.95f, 1.f - powf(0.9f, 10), 1.f - powf(0.95f, 10), 1e-8f, 0.1f};
  auto ref = [&](int i, float gr) {
    double mm = a.beta1 * (double)m[i] + (1 - a.beta1) * (double)gr, vv = a.beta2 * (double)v[i] + (1 - a.beta2) * (double)gr * gr;
    return (float)(p[i] - a.lr * (mm / a.c1 / (std::sqrt(vv / a.c2) + a.eps) + a.wd * p[i]));
  };
  bool pass = true;
  auto report = [&](const char* what, double err, double tol) {
    bool ok = err < tol;
    pass &= ok;
    std::cout << what << ": err " << err << (ok ? "" : "  <== too large") << std::endl;
  };
  auto check = [&](const char* what) {
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaMemcpy(h.data(), dp, n * 4ll, cudaMemcpyDeviceToHost));
    double e = 0;
    for (int i = 0; i < n; i += 1009) e = std::max(e, (double)std::fabs(h[i] - ref(i, g[i])));
    e = std::max(e, (double)std::fabs(h[n - 1] - ref(n - 1, g[n - 1])));
    report(what, e, 2e-6);
    reset();
  };
  reset();
  adamw_simple<<<(n + 511) / 512, 512>>>(dp, dg, dm, dv, n, a); check("adamw simple");
  adamw_lerp<<<(n + 255) / 256, 256>>>(dp, dg, dm, dv, n, a); check("adamw lerp");
  int n4 = n / 4;
  adamw_vec<1><<<(n4 + 255) / 256, 256>>>((float4*)dp, (float4*)dg, (float4*)dm, (float4*)dv, n4, a); check("adamw float4");
  adamw_vec<2><<<(n4 + 2 * 128 - 1) / (2 * 128), 128>>>((float4*)dp, (float4*)dg, (float4*)dm, (float4*)dv, n4, a); check("adamw float4 ilp2");

  {  // mixed precision
    std::vector<__nv_bfloat16> gb(n), pb(n);
    for (int i = 0; i < n; i++) gb[i] = __float2bfloat16(g[i]);
    __nv_bfloat16 *dgb, *dpb;
    CUDA_TRY(cudaMalloc(&dgb, n * 2ll)); CUDA_TRY(cudaMalloc(&dpb, n * 2ll));
    CUDA_TRY(cudaMemcpy(dgb, gb.data(), n * 2ll, cudaMemcpyHostToDevice));
    adamw_master_sr<<<132 * 8, 256>>>(dpb, dp, dgb, dm, dv, n, 0.5f, 777u, a);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaMemcpy(pb.data(), dpb, n * 2ll, cudaMemcpyDeviceToHost));
    double e = 0;
    for (int i = 0; i < n; i += 1009) { float r = ref(i, __bfloat162float(gb[i]) * 0.5f); e = std::max(e, (double)std::fabs(__bfloat162float(pb[i]) - r) / (std::fabs(r) + 1e-3)); }
    report("adamw bf16 stochastic rounding", e, 0.0082);
    cudaFree(dgb); cudaFree(dpb);
    reset();
  }

  double norm = 0;
  for (int i = 0; i < n; i++) norm += (double)g[i] * g[i];
  norm = std::sqrt(norm);
  float got;
  CUDA_TRY(cudaMemset(dsum, 0, 4));
  norm_atomic_every_warp<<<132 * 4, 512>>>(dsum, dg, n);
  CUDA_TRY(cudaMemcpy(&got, dsum, 4, cudaMemcpyDeviceToHost));
  report("norm, atomics", std::fabs(std::sqrt(got) / norm - 1), 1e-3);
  norm_blocks<256><<<1056, 256>>>(dpart, (float4*)dg, n4);
  norm_finish<<<1, 1024>>>(dsum, dpart, 1056);
  CUDA_TRY(cudaMemcpy(&got, dsum, 4, cudaMemcpyDeviceToHost));
  report("norm, two kernels", std::fabs(got / norm - 1), 1e-4);

  sgd_momentum<<<(n + 127) / 128, 128>>>(dp, dm, dg, n, 0.01f, 0.9f, true);
  CUDA_TRY(cudaMemcpy(h.data(), dp, n * 4ll, cudaMemcpyDeviceToHost));
  double e = 0;
  for (int i = 0; i < n; i += 501) e = std::max(e, (double)std::fabs(h[i] - (p[i] - 0.01f * (g[i] + 0.9f * (0.9f * m[i] + g[i])))));
  report("sgd nesterov", e, 1e-6);
  reset();

  {  // 12 layers x 3 tensors packed into the same arena
    TensorList tl{};
    int off = 0, blocks = 0, sizes[3] = {589824, 768, 150001};
    for (int t = 0; t < 36 && off + sizes[t % 3] <= n; t++) {
      tl.w[t] = dp + off; tl.g[t] = dg + off; tl.size[t] = sizes[t % 3];
      off += sizes[t % 3];
      for (int c = 0; c * CHUNK < tl.size[t] && blocks < MAX_B; c++) { tl.block_tensor[blocks] = t; tl.block_chunk[blocks++] = c; }
    }
    multi_tensor_sgd<<<blocks, 512>>>(tl, 0.1f, 0.01f);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaMemcpy(h.data(), dp, n * 4ll, cudaMemcpyDeviceToHost));
    e = 0;
    for (int i = 0; i < n; i += 303) e = std::max(e, (double)std::fabs(h[i] - (i < off ? p[i] - 0.1f * (g[i] + 0.01f * p[i]) : p[i])));
    report("multi tensor sgd", e, 1e-6);
  }
  std::cout << (pass ? "PASS" : "FAIL") << std::endl;
  return !pass;
}
