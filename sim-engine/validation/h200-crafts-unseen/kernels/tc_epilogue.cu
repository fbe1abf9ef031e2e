// Tensor core GEMMs with fused epilogues: bf16 (+bias, +gelu, +residual), int8 (per channel scales), tf32.
// Layout everywhere: X[M][K] row major, W[N][K] row major (as in nn.Linear), Y[M][N].
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(expr)                                                              \
  do {                                                                                \
    cudaError_t _err = (expr);                                                        \
    if (_err != cudaSuccess) {                                                        \
      fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(_err), __FILE__, \
              __LINE__);                                                              \
      std::abort();                                                                   \
    }                                                                                 \
  } while (0)

using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

namespace ptx {
__device__ inline uint32_t saddr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void cp16(void* s, const void* g) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(saddr(s)), "l"(g));
}
__device__ inline void commit() { asm volatile("cp.async.commit_group;"); }
template <int n> __device__ inline void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(n)); }
__device__ inline void ldsm4(uint32_t (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(saddr(p)));
}
__device__ inline void mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void mma_s8(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline uint32_t to_tf32(float x) {
  uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
}
}  // namespace ptx

__host__ __device__ inline float gelu_tanh(float x) {
  return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

// ------------------------------------------------------------------ epilogues
struct EpiNone {
  __device__ void operator()(bf16* y, int m, int n, int N, float v0, float v1) const {
    *reinterpret_cast<bf162*>(y + (size_t)m * N + n) = __floats2bfloat162_rn(v0, v1);
  }
};
struct EpiBiasGelu {
  const bf16* bias;
  __device__ void operator()(bf16* y, int m, int n, int N, float v0, float v1) const {
    float2 b = __bfloat1622float2(*reinterpret_cast<const bf162*>(bias + n));
    *reinterpret_cast<bf162*>(y + (size_t)m * N + n) = __floats2bfloat162_rn(gelu_tanh(v0 + b.x), gelu_tanh(v1 + b.y));
  }
};
struct EpiBiasResidual {
  const bf16* bias;
  const bf16* res;
  __device__ void operator()(bf16* y, int m, int n, int N, float v0, float v1) const {
    float2 b = __bfloat1622float2(*reinterpret_cast<const bf162*>(bias + n));
    float2 r = __bfloat1622float2(*reinterpret_cast<const bf162*>(res + (size_t)m * N + n));
    *reinterpret_cast<bf162*>(y + (size_t)m * N + n) = __floats2bfloat162_rn(v0 + b.x + r.x, v1 + b.y + r.y);
  }
};

template <int BM, int BN, int BK, int WM, int WN, int STAGES, class Epi>
__global__ void __launch_bounds__(32 * (BM / WM) * (BN / WN))
linear_bf16(const bf16* __restrict__ x, const bf16* __restrict__ w, bf16* __restrict__ y, int M, int N, int K, Epi epi) {
  constexpr int T = 32 * (BM / WM) * (BN / WN), LD = BK + 8;
  extern __shared__ __align__(16) unsigned char raw[];
  bf16* xs = reinterpret_cast<bf16*>(raw);
  bf16* ws = xs + STAGES * BM * LD;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;
  const int wm = warp % (BM / WM) * WM, wn = warp / (BM / WM) * WN;

  auto fetch = [&](int s, int k) {
    for (int i = threadIdx.x; i < BM * BK / 8; i += T) {
      int r = i / (BK / 8), c = i % (BK / 8) * 8;
      ptx::cp16(xs + (s * BM + r) * LD + c, x + (size_t)(m0 + r) * K + k + c);
    }
    for (int i = threadIdx.x; i < BN * BK / 8; i += T) {
      int r = i / (BK / 8), c = i % (BK / 8) * 8;
      ptx::cp16(ws + (s * BN + r) * LD + c, w + (size_t)(n0 + r) * K + k + c);
    }
  };
  float acc[WM / 16][WN / 8][4] = {};
  const int nk = K / BK;
  for (int s = 0; s < STAGES - 1; s++) { fetch(s, s * BK); ptx::commit(); }
  for (int t = 0; t < nk; t++) {
    ptx::wait<STAGES - 2>();
    __syncthreads();
    if (t + STAGES - 1 < nk) fetch((t + STAGES - 1) % STAGES, (t + STAGES - 1) * BK);
    ptx::commit();
    const bf16* xt = xs + (t % STAGES) * BM * LD;
    const bf16* wt = ws + (t % STAGES) * BN * LD;
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      uint32_t a[WM / 16][4], b[WN / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; i++) ptx::ldsm4(a[i], xt + (wm + i * 16 + lane % 16) * LD + k + lane / 16 * 8);
#pragma unroll
      for (int j = 0; j < WN / 16; j++)
        ptx::ldsm4(b[j], wt + (wn + j * 16 + lane % 8 + lane / 16 * 8) * LD + k + (lane / 8 % 2) * 8);
#pragma unroll
      for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++) ptx::mma_bf16(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < WM / 16; i++)
#pragma unroll
    for (int j = 0; j < WN / 8; j++) {
      int m = m0 + wm + i * 16 + lane / 4, n = n0 + wn + j * 8 + lane % 4 * 2;
      epi(y, m, n, N, acc[i][j][0], acc[i][j][1]);
      epi(y, m + 8, n, N, acc[i][j][2], acc[i][j][3]);
    }
}

// W8A8: per token scale for x, per channel scale for w
template <int BM, int BN>
__global__ void __launch_bounds__(128)
linear_w8a8(const int8_t* __restrict__ x, const int8_t* __restrict__ w, const float* __restrict__ xscale,
            const float* __restrict__ wscale, const bf16* __restrict__ bias, bf16* __restrict__ y, int M, int N, int K) {
  constexpr int BK = 64, LD = BK + 16, WM = BM / 2, WN = BN / 2;
  __shared__ __align__(16) int8_t xs[2][BM][LD];
  __shared__ __align__(16) int8_t ws[2][BN][LD];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, wm = warp / 2 * WM, wn = warp % 2 * WN;
  auto fetch = [&](int s, int k) {
#pragma unroll
    for (int i = threadIdx.x; i < BM * 4; i += 128) {
      int r = min(m0 + i / 4, M - 1);  // ragged batch: repeat the last row
      ptx::cp16(&xs[s][i / 4][i % 4 * 16], x + (size_t)r * K + k + i % 4 * 16);
    }
#pragma unroll
    for (int i = threadIdx.x; i < BN * 4; i += 128) ptx::cp16(&ws[s][i / 4][i % 4 * 16], w + (size_t)(n0 + i / 4) * K + k + i % 4 * 16);
    ptx::commit();
  };
  int acc[WM / 16][WN / 8][4] = {};
  fetch(0, 0);
  for (int k0 = 0, s = 0; k0 < K; k0 += BK, s ^= 1) {
    if (k0 + BK < K) { fetch(s ^ 1, k0 + BK); ptx::wait<1>(); } else ptx::wait<0>();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; k += 32) {
      uint32_t a[WM / 16][4], b[WN / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; i++) ptx::ldsm4(a[i], &xs[s][wm + i * 16 + lane % 16][k + lane / 16 * 16]);
#pragma unroll
      for (int j = 0; j < WN / 16; j++) ptx::ldsm4(b[j], &ws[s][wn + j * 16 + lane % 8 + lane / 16 * 8][k + lane / 8 % 2 * 16]);
#pragma unroll
      for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++) ptx::mma_s8(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
  for (int i = 0; i < WM / 16; i++)
    for (int h = 0; h < 2; h++) {
      int m = m0 + wm + i * 16 + h * 8 + lane / 4;
      if (m >= M) continue;
      float sx = xscale[m];
#pragma unroll
      for (int j = 0; j < WN / 8; j++) {
        int n = n0 + wn + j * 8 + lane % 4 * 2;
        float v0 = acc[i][j][h * 2] * sx * wscale[n] + __bfloat162float(bias[n]);
        float v1 = acc[i][j][h * 2 + 1] * sx * wscale[n + 1] + __bfloat162float(bias[n + 1]);
        *reinterpret_cast<bf162*>(y + (size_t)m * N + n) = __floats2bfloat162_rn(v0, v1);
      }
    }
}

// fp32 in and out, tf32 multiply; 64x128x16 tile, 8 warps of 32x32
__global__ void __launch_bounds__(256) linear_tf32(const float* __restrict__ x, const float* __restrict__ w,
                                                   const float* __restrict__ bias, float* __restrict__ y, int M, int N, int K, bool relu) {
  __shared__ __align__(16) float xs[2][64][20];
  __shared__ __align__(16) float ws[2][128][20];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, g = lane >> 2, t = lane & 3;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128, wm = (warp & 1) * 32, wn = (warp >> 1) * 32;
  auto fetch = [&](int s, int k) {
    int r = tid >> 2, c = (tid & 3) * 4;
    ptx::cp16(&xs[s][r][c], x + (size_t)(m0 + r) * K + k + c);
    ptx::cp16(&ws[s][r][c], w + (size_t)(n0 + r) * K + k + c);
    ptx::cp16(&ws[s][r + 64][c], w + (size_t)(n0 + r + 64) * K + k + c);
    ptx::commit();
  };
  float acc[2][4][4] = {};
  fetch(0, 0);
  int s = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    ptx::wait<0>();
    __syncthreads();
    if (k0 + 16 < K) fetch(s ^ 1, k0 + 16);
#pragma unroll
    for (int k = 0; k < 16; k += 8) {
      uint32_t a[2][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        a[i][0] = ptx::to_tf32(xs[s][wm + i * 16 + g][k + t]);
        a[i][1] = ptx::to_tf32(xs[s][wm + i * 16 + g + 8][k + t]);
        a[i][2] = ptx::to_tf32(xs[s][wm + i * 16 + g][k + t + 4]);
        a[i][3] = ptx::to_tf32(xs[s][wm + i * 16 + g + 8][k + t + 4]);
      }
#pragma unroll
      for (int j = 0; j < 4; j++) {
        b[j][0] = ptx::to_tf32(ws[s][wn + j * 8 + g][k + t]);
        b[j][1] = ptx::to_tf32(ws[s][wn + j * 8 + g][k + t + 4]);
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) ptx::mma_tf32(acc[i][j], a[i], b[j][0], b[j][1]);
    }
    s ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        int m = m0 + wm + i * 16 + g + h * 8, n = n0 + wn + j * 8 + t * 2;
        float v0 = acc[i][j][h * 2] + bias[n], v1 = acc[i][j][h * 2 + 1] + bias[n + 1];
        if (relu) { v0 = fmaxf(v0, 0.f); v1 = fmaxf(v1, 0.f); }
        *reinterpret_cast<float2*>(y + (size_t)m * N + n) = make_float2(v0, v1);
      }
}

// --------------------------------------------------------------------- host
template <class T> T* to_device(const std::vector<T>& v) {
  T* p;
  CUDA_CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
static uint32_t rng_state = 42;
static float frand() { rng_state = rng_state * 747796405u + 2891336453u; return (rng_state >> 8) * (1.0f / 16777216.0f) - 0.5f; }

template <class Y, class F>
bool compare(const char* what, const Y* dev, int M, int N, float rtol, F ref) {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<Y> h((size_t)M * N);
  CUDA_CHECK(cudaMemcpy(h.data(), dev, h.size() * sizeof(Y), cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int s = 0; s < 200; s++) {
    int m = (s * 61 + 5) % M, n = (s * 487 + 11) % N;
    float e = ref(m, n), v = (float)h[(size_t)m * N + n];
    if (!(fabsf(e - v) <= rtol * (1.f + fabsf(e)))) { if (bad++ < 3) printf("  %s (%d,%d) %f expected %f\n", what, m, n, v, e); }
  }
  printf("%-28s %s\n", what, bad ? "mismatch" : "ok");
  return bad == 0;
}

template <int BM, int BN, int BK, int WM, int WN, int ST, class Epi>
void launch_bf16(const bf16* x, const bf16* w, bf16* y, int M, int N, int K, Epi e) {
  auto k = linear_bf16<BM, BN, BK, WM, WN, ST, Epi>;
  int bytes = ST * (BM + BN) * (BK + 8) * sizeof(bf16);
  CUDA_CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  k<<<dim3(M / BM, N / BN), 32 * (BM / WM) * (BN / WN), bytes>>>(x, w, y, M, N, K, e);
}

int main() {
  bool ok = true;
  {
    const int M = 2048, C = 768, H = 3072;
    std::vector<bf16> x((size_t)M * C), w1((size_t)H * C), w2((size_t)C * H), b1(H), b2(C), r((size_t)M * C), hid((size_t)M * H);
    for (auto* v : {&x, &b1, &b2, &r}) for (auto& e : *v) e = __float2bfloat16(frand());
    for (auto* v : {&w1, &w2}) for (auto& e : *v) e = __float2bfloat16(frand() * 0.2f);
    bf16 *dx = to_device(x), *dw1 = to_device(w1), *dw2 = to_device(w2), *db1 = to_device(b1), *db2 = to_device(b2), *dr = to_device(r), *dh = to_device(hid), *dy = to_device(x);
    auto dot = [](const bf16* a, const bf16* b, int n) { float s = 0; for (int i = 0; i < n; i++) s += (float)a[i] * (float)b[i]; return s; };
    auto up = [&](int m, int n) { return gelu_tanh(dot(&x[(size_t)m * C], &w1[(size_t)n * C], C) + (float)b1[n]); };
    auto plain = [&](int m, int n) { return dot(&x[(size_t)m * C], &w1[(size_t)n * C], C); };
    launch_bf16<64, 64, 32, 32, 32, 2>(dx, dw1, dh, M, H, C, EpiNone{});
    ok &= compare("bf16 64x64 plain", dh, M, H, 0.02f, plain);
    launch_bf16<128, 128, 32, 64, 32, 3>(dx, dw1, dh, M, H, C, EpiNone{});
    ok &= compare("bf16 128x128 plain", dh, M, H, 0.02f, plain);
    launch_bf16<128, 64, 64, 32, 32, 3>(dx, dw1, dh, M, H, C, EpiBiasGelu{db1});
    ok &= compare("bf16 128x64 bias gelu", dh, M, H, 0.02f, up);
    launch_bf16<128, 128, 64, 64, 32, 3>(dx, dw1, dh, M, H, C, EpiBiasGelu{db1});
    ok &= compare("bf16 128x128 bias gelu", dh, M, H, 0.02f, up);
    CUDA_CHECK(cudaMemcpy(hid.data(), dh, hid.size() * sizeof(bf16), cudaMemcpyDeviceToHost));
    auto down = [&](int m, int n) { return dot(&hid[(size_t)m * H], &w2[(size_t)n * H], H) + (float)b2[n] + (float)r[(size_t)m * C + n]; };
    launch_bf16<64, 128, 64, 32, 32, 4>(dh, dw2, dy, M, C, H, EpiBiasResidual{db2, dr});
    ok &= compare("bf16 64x128 bias residual", dy, M, C, 0.02f, down);
    launch_bf16<128, 96, 32, 32, 48, 4>(dh, dw2, dy, M, C, H, EpiBiasResidual{db2, dr});
    ok &= compare("bf16 128x96 bias residual", dy, M, C, 0.02f, down);
    for (void* p : {(void*)dx, (void*)dw1, (void*)dw2, (void*)db1, (void*)db2, (void*)dr, (void*)dh, (void*)dy}) cudaFree(p);
  }
  {
    const int N = 4096, K = 2048;
    std::vector<int8_t> w((size_t)N * K), x((size_t)1000 * K);
    std::vector<float> ws(N), xs(1000);
    std::vector<bf16> b(N), y((size_t)1000 * N);
    for (auto& e : w) e = (int8_t)(frand() * 254);
    for (auto& e : x) e = (int8_t)(frand() * 254);
    for (auto& e : ws) e = 1e-3f * (1 + frand());
    for (auto& e : xs) e = 1e-2f * (1 + frand());
    for (auto& e : b) e = __float2bfloat16(frand());
    auto *dw = to_device(w), *dx = to_device(x);
    auto *dws = to_device(ws), *dxs = to_device(xs);
    auto *db = to_device(b), *dy = to_device(y);
    auto ref = [&](int m, int n) { int s = 0; for (int k = 0; k < K; k++) s += (int)x[(size_t)m * K + k] * w[(size_t)n * K + k]; return s * xs[m] * ws[n] + (float)b[n]; };
    for (int M : {48, 1000}) {
      if (M <= 64) linear_w8a8<64, 64><<<dim3(N / 64, (M + 63) / 64), 128>>>(dx, dw, dxs, dws, db, dy, M, N, K);
      else linear_w8a8<128, 64><<<dim3(N / 64, (M + 127) / 128), 128>>>(dx, dw, dxs, dws, db, dy, M, N, K);
      ok &= compare(M <= 64 ? "w8a8 decode" : "w8a8 prefill", dy, M, N, 0.01f, ref);
    }
    cudaFree(dw); cudaFree(dx); cudaFree(dws); cudaFree(dxs); cudaFree(db); cudaFree(dy);
  }
  {
    const int M = 1024, N = 1280, K = 1024;
    std::vector<float> x((size_t)M * K), w((size_t)N * K), b(N), y((size_t)M * N);
    for (auto* v : {&x, &w, &b}) for (auto& e : *v) e = frand();
    auto *dx = to_device(x), *dw = to_device(w), *db = to_device(b), *dy = to_device(y);
    linear_tf32<<<dim3(N / 128, M / 64), 256>>>(dx, dw, db, dy, M, N, K, true);
    ok &= compare("tf32 bias relu", dy, M, N, 0.02f, [&](int m, int n) {
      float s = b[n];
      for (int k = 0; k < K; k++) s += x[(size_t)m * K + k] * w[(size_t)n * K + k];
      return fmaxf(s, 0.f); });
    cudaFree(dx); cudaFree(dw); cudaFree(db); cudaFree(dy);
  }
  printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
