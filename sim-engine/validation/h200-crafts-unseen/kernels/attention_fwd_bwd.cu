// Causal multi-head attention, from three naive kernels to a tiled flash style forward + backward.
// q, k, v, o : (B*H, T, D) fp32, D = 64
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define CHECK(x) do { cudaError_t err = x; if (err != cudaSuccess) { printf("cuda error %s (line %d)\n", cudaGetErrorString(err), __LINE__); exit(1); } } while (0)

constexpr int D = 64;

__device__ inline float warpMax(float v) { for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o)); return v; }
__device__ inline float warpSum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }

// ---------------------------------------------------------------- naive
__global__ void qk_naive(const float* q, const float* k, float* att, int T, float scale) {
  int t2 = blockIdx.x * blockDim.x + threadIdx.x;
  int t = blockIdx.y * blockDim.y + threadIdx.y;
  int bh = blockIdx.z;
  if (t >= T || t2 >= T) return;
  float* out = att + ((size_t)bh * T + t) * T + t2;
  if (t2 > t) { *out = -INFINITY; return; }
  const float* qp = q + ((size_t)bh * T + t) * D;
  const float* kp = k + ((size_t)bh * T + t2) * D;
  float s = 0.f;
  for (int i = 0; i < D; i++) s += qp[i] * kp[i];
  *out = s * scale;
}

__global__ void qk_tiled(const float* q, const float* k, float* att, int T, float scale) {
  __shared__ float qs[32][D + 1], ks[32][D + 1];
  int bh = blockIdx.z, t0 = blockIdx.y * 32, s0 = blockIdx.x * 32;
  float* out = att + (size_t)bh * T * T;
  if (s0 > t0 + 31) {  // fully masked tile
    for (int r = threadIdx.y; r < 32; r += blockDim.y) if (t0 + r < T && s0 + threadIdx.x < T) out[(size_t)(t0 + r) * T + s0 + threadIdx.x] = -INFINITY;
    return;
  }
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 32 * D; i += 32 * blockDim.y) {
    int r = i / D, c = i % D;
    qs[r][c] = t0 + r < T ? q[((size_t)bh * T + t0 + r) * D + c] : 0.f;
    ks[r][c] = s0 + r < T ? k[((size_t)bh * T + s0 + r) * D + c] : 0.f;
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += blockDim.y) {
    float s = 0.f;
#pragma unroll 16
    for (int i = 0; i < D; i++) s += qs[r][i] * ks[threadIdx.x][i];
    int t = t0 + r, u = s0 + threadIdx.x;
    if (t < T && u < T) out[(size_t)t * T + u] = u > t ? -INFINITY : s * scale;
  }
}

// block per row, three passes over global memory
__global__ void softmax_rows(float* att, int T) {
  __shared__ float buf[32];
  float* row = att + (size_t)blockIdx.x * T;
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < T; i += blockDim.x) m = fmaxf(m, row[i]);
  m = warpMax(m);
  if (lane == 0) buf[w] = m;
  __syncthreads();
  m = warpMax(lane < nw ? buf[lane] : -INFINITY);
  __syncthreads();
  float s = 0.f;
  for (int i = threadIdx.x; i < T; i += blockDim.x) { float e = expf(row[i] - m); row[i] = e; s += e; }
  s = warpSum(s);
  if (lane == 0) buf[w] = s;
  __syncthreads();
  s = warpSum(lane < nw ? buf[lane] : 0.f);
  float inv = 1.f / s;
  for (int i = threadIdx.x; i < T; i += blockDim.x) row[i] *= inv;
}

// warp per row, online, only touches the causal part
__global__ void softmax_online_warp(float* att, int T, int rows) {
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  int n = r % T + 1;
  float* row = att + (size_t)r * T;
  float m = -1e30f, s = 0.f;
  for (int i = lane; i < n; i += 32) {
    float v = row[i];
    if (v > m) { s *= __expf(m - v); m = v; }
    s += __expf(v - m);
  }
  float gm = warpMax(m);
  s = warpSum(s * __expf(m - gm));
  float inv = 1.f / s;
  for (int i = lane; i < T; i += 32) row[i] = i < n ? __expf(row[i] - gm) * inv : 0.f;
}

__global__ void av_naive(const float* att, const float* v, float* o, int T) {
  int t = blockIdx.x, bh = blockIdx.y, d = threadIdx.x;
  const float* a = att + ((size_t)bh * T + t) * T;
  float s = 0.f;
  for (int u = 0; u <= t; u++) s += a[u] * v[((size_t)bh * T + u) * D + d];
  o[((size_t)bh * T + t) * D + d] = s;
}

// ---------------------------------------------------------------- flash v0: thread per query row
template <int BC>
__global__ void flash_fwd_row(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ o, int T, float scale) {
  __shared__ float ks[BC][D], vs[BC][D];
  int bh = blockIdx.y, t = blockIdx.x * blockDim.x + threadIdx.x;
  const float* kb = k + (size_t)bh * T * D;
  const float* vb = v + (size_t)bh * T * D;
  float qr[D], acc[D], m = -1e30f, l = 0.f;
  for (int i = 0; i < D; i++) { qr[i] = t < T ? q[((size_t)bh * T + t) * D + i] * scale : 0.f; acc[i] = 0.f; }
  int last = min(T, (int)((blockIdx.x + 1) * blockDim.x));
  for (int j0 = 0; j0 < last; j0 += BC) {
    __syncthreads();
    for (int i = threadIdx.x; i < BC * D; i += blockDim.x) {
      bool in = j0 + i / D < T;
      ks[i / D][i % D] = in ? kb[(size_t)j0 * D + i] : 0.f;
      vs[i / D][i % D] = in ? vb[(size_t)j0 * D + i] : 0.f;
    }
    __syncthreads();
    for (int j = 0; j < BC && j0 + j <= t; j++) {
      float s = 0.f;
#pragma unroll
      for (int i = 0; i < D; i++) s += qr[i] * ks[j][i];
      float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
      l = l * c + p;
#pragma unroll
      for (int i = 0; i < D; i++) acc[i] = acc[i] * c + p * vs[j][i];
      m = mn;
    }
  }
  if (t < T) for (int i = 0; i < D; i++) o[((size_t)bh * T + t) * D + i] = acc[i] / l;
}

// ---------------------------------------------------------------- flash v1: 64x64 tiles, 16x16 threads, 4x4 each
constexpr int BR = 64, LDT = 68;

__device__ inline void load_tile_T(float* dst, const float* src, int r0, int T) {  // dst[d][r]
  for (int i = threadIdx.x; i < BR * D / 4; i += 256) {
    int r = i / (D / 4), c = (i % (D / 4)) * 4;
    float4 x = r0 + r < T ? *(const float4*)(src + (size_t)(r0 + r) * D + c) : make_float4(0, 0, 0, 0);
    dst[(c + 0) * LDT + r] = x.x; dst[(c + 1) * LDT + r] = x.y; dst[(c + 2) * LDT + r] = x.z; dst[(c + 3) * LDT + r] = x.w;
  }
}
__device__ inline void load_tile(float* dst, const float* src, int r0, int T) {  // dst[r][d]
  for (int i = threadIdx.x; i < BR * D / 4; i += 256) {
    int r = i / (D / 4), c = (i % (D / 4)) * 4;
    *(float4*)(dst + r * LDT + c) = r0 + r < T ? *(const float4*)(src + (size_t)(r0 + r) * D + c) : make_float4(0, 0, 0, 0);
  }
}
// acc[4][4] += X^T Y with X[k][row], Y[k][col]
__device__ inline void mm(float (&acc)[4][4], const float* X, const float* Y, int ty, int tx) {
#pragma unroll 8
  for (int k = 0; k < 64; k++) {
    float4 a = *(const float4*)(X + k * LDT + ty * 4), b = *(const float4*)(Y + k * LDT + tx * 4);
    float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) acc[i][j] += av[i] * bv[j];
  }
}

__global__ void __launch_bounds__(256) flash_fwd_tile(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ o, float* __restrict__ lse, int T, float scale) {
  extern __shared__ float sm[];
  float *Qt = sm, *Kt = Qt + 64 * LDT, *Vs = Kt + 64 * LDT, *Pt = Vs + 64 * LDT;
  int bh = blockIdx.y, r0 = (gridDim.x - 1 - blockIdx.x) * BR;  // long rows first
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  q += (size_t)bh * T * D; k += (size_t)bh * T * D; v += (size_t)bh * T * D;
  load_tile_T(Qt, q, r0, T);
  float m[4], l[4], acc[4][4] = {};
  for (int i = 0; i < 4; i++) { m[i] = -1e30f; l[i] = 0.f; }
  for (int j0 = 0; j0 <= r0; j0 += BR) {
    __syncthreads();
    load_tile_T(Kt, k, j0, T);
    load_tile(Vs, v, j0, T);
    __syncthreads();
    float s[4][4] = {};
    mm(s, Qt, Kt, ty, tx);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      float mx = -1e30f;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        int row = r0 + ty * 4 + i, col = j0 + tx * 4 + j;
        s[i][j] = col <= row && col < T ? s[i][j] * scale : -1e30f;
        mx = fmaxf(mx, s[i][j]);
      }
      for (int off = 8; off; off >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, off));
      float mn = fmaxf(m[i], mx), c = __expf(m[i] - mn), sum = 0.f;
#pragma unroll
      for (int j = 0; j < 4; j++) { s[i][j] = __expf(s[i][j] - mn); sum += s[i][j]; Pt[(tx * 4 + j) * LDT + ty * 4 + i] = s[i][j]; }
      for (int off = 8; off; off >>= 1) sum += __shfl_xor_sync(~0u, sum, off);
      l[i] = l[i] * c + sum;
      m[i] = mn;
#pragma unroll
      for (int j = 0; j < 4; j++) acc[i][j] *= c;
    }
    __syncthreads();
    mm(acc, Pt, Vs, ty, tx);
  }
  for (int i = 0; i < 4; i++) {
    int row = r0 + ty * 4 + i;
    if (row >= T) continue;
    float inv = 1.f / l[i];
    *(float4*)(o + ((size_t)bh * T + row) * D + tx * 4) = make_float4(acc[i][0] * inv, acc[i][1] * inv, acc[i][2] * inv, acc[i][3] * inv);
    if (tx == 0) lse[(size_t)bh * T + row] = m[i] + logf(l[i]);
  }
}

// ---------------------------------------------------------------- backward
__global__ void bwd_delta(const float* o, const float* dout, float* delta, int rows) {
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (r >= rows) return;
  float2 a = ((const float2*)(o + (size_t)r * D))[lane], b = ((const float2*)(dout + (size_t)r * D))[lane];
  float s = warpSum(a.x * b.x + a.y * b.y);
  if (lane == 0) delta[r] = s;
}

// one block per key tile, loops over the query tiles below the diagonal; dq through atomics
__global__ void __launch_bounds__(256) flash_bwd_tile(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, const float* __restrict__ dout, const float* __restrict__ lse, const float* __restrict__ delta, float* dq, float* dk, float* dv, int T, float scale) {
  extern __shared__ float sm[];
  float *Kt = sm, *Vt = Kt + 64 * LDT, *K = Vt + 64 * LDT, *Q = K + 64 * LDT, *dO = Q + 64 * LDT, *Tmp = dO + 64 * LDT, *P = Tmp + 64 * LDT;
  int bh = blockIdx.y, j0 = blockIdx.x * BR, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  size_t base = (size_t)bh * T * D;
  q += base; k += base; v += base; dout += base; dq += base; dk += base; dv += base;
  lse += (size_t)bh * T; delta += (size_t)bh * T;
  load_tile_T(Kt, k, j0, T);
  load_tile_T(Vt, v, j0, T);
  load_tile(K, k, j0, T);
  float adk[4][4] = {}, adv[4][4] = {};
  for (int r0 = j0; r0 < T; r0 += BR) {
    __syncthreads();
    load_tile(Q, q, r0, T);
    load_tile(dO, dout, r0, T);
    load_tile_T(Tmp, q, r0, T);
    __syncthreads();
    float s[4][4] = {};
    mm(s, Tmp, Kt, ty, tx);
    __syncthreads();
    load_tile_T(Tmp, dout, r0, T);
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) {
        int row = r0 + ty * 4 + i, col = j0 + tx * 4 + j;
        s[i][j] = row < T && col <= row ? __expf(s[i][j] * scale - lse[row]) : 0.f;
        P[(ty * 4 + i) * LDT + tx * 4 + j] = s[i][j];
      }
    __syncthreads();
    float dp[4][4] = {};
    mm(dp, Tmp, Vt, ty, tx);
    mm(adv, P, dO, ty, tx);  // dv[col][d] += sum_row p[row][col] do[row][d]
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) {
        int row = r0 + ty * 4 + i;
        float ds = row < T ? s[i][j] * (dp[i][j] - delta[row]) * scale : 0.f;
        P[(ty * 4 + i) * LDT + tx * 4 + j] = ds;
        Tmp[(tx * 4 + j) * LDT + ty * 4 + i] = ds;
      }
    __syncthreads();
    mm(adk, P, Q, ty, tx);
    float adq[4][4] = {};
    mm(adq, Tmp, K, ty, tx);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        if (r0 + ty * 4 + i < T) atomicAdd(dq + (size_t)(r0 + ty * 4 + i) * D + tx * 4 + j, adq[i][j]);
  }
  for (int i = 0; i < 4; i++) {
    int col = j0 + ty * 4 + i;
    if (col >= T) continue;
    *(float4*)(dk + (size_t)col * D + tx * 4) = make_float4(adk[i][0], adk[i][1], adk[i][2], adk[i][3]);
    *(float4*)(dv + (size_t)col * D + tx * 4) = make_float4(adv[i][0], adv[i][1], adv[i][2], adv[i][3]);
  }
}

// ---------------------------------------------------------------- host side
struct Ref { std::vector<float> o, dq; };

static bool near(const char* name, const std::vector<float>& got, size_t off, const float* want, float tol) {
  for (int i = 0; i < D; i++) if (!(fabsf(got[off + i] - want[i]) < tol)) { printf("%s wrong at +%zu: %f %f\n", name, off + i, got[off + i], want[i]); return false; }
  return true;
}

int main(int argc, char** argv) {
  const int B = 2, H = 12, T = argc > 1 ? atoi(argv[1]) : 1000, BH = B * H;
  const float scale = 1.f / sqrtf(D);
  size_t n = (size_t)BH * T * D;
  std::vector<float> q(n), k(n), v(n), dO(n), o(n), g(n), g2(n);
  unsigned seed = 17;
  for (auto* x : {&q, &k, &v, &dO}) for (auto& e : *x) { seed = seed * 1103515245u + 12345u; e = ((seed >> 16) & 0x7fff) / 16384.f - 1.f; }
  float *dq_, *dk_, *dv_, *q_, *k_, *v_, *o_, *do_, *att, *lse, *delta;
  for (float** p : {&dq_, &dk_, &dv_, &q_, &k_, &v_, &o_, &do_}) CHECK(cudaMalloc(p, n * 4));
  CHECK(cudaMalloc(&att, (size_t)BH * T * T * 4)); CHECK(cudaMalloc(&lse, BH * T * 4)); CHECK(cudaMalloc(&delta, BH * T * 4));
  CHECK(cudaMemcpy(q_, q.data(), n * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(k_, k.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(v_, v.data(), n * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(do_, dO.data(), n * 4, cudaMemcpyHostToDevice));
  bool ok = true;

  auto probs = [&](int bh, int t, std::vector<float>& p) {
    p.assign(t + 1, 0.f);
    float m = -1e30f, l = 0;
    for (int u = 0; u <= t; u++) { float s = 0; for (int i = 0; i < D; i++) s += q[((size_t)bh * T + t) * D + i] * k[((size_t)bh * T + u) * D + i]; p[u] = s * scale; m = fmaxf(m, p[u]); }
    for (auto& e : p) { e = expf(e - m); l += e; }
    for (auto& e : p) e /= l;
  };
  auto check_o = [&](const char* name) {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(o.data(), o_, n * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(o_, 0, n * 4));
    bool good = true;
    std::vector<float> p;
    for (int s = 0; s < 24; s++) {
      int bh = s % BH, t = s == 0 ? T - 1 : (s * 331) % T;
      float want[D] = {};
      probs(bh, t, p);
      for (int u = 0; u <= t; u++) for (int i = 0; i < D; i++) want[i] += p[u] * v[((size_t)bh * T + u) * D + i];
      good &= near(name, o, ((size_t)bh * T + t) * D, want, 2e-4f);
    }
    printf("%-24s %s\n", name, good ? "ok" : "bad");
    ok &= good;
  };

  // naive pipeline
  qk_naive<<<dim3((T + 15) / 16, (T + 15) / 16, BH), dim3(16, 16)>>>(q_, k_, att, T, scale);
  softmax_rows<<<BH * T, 128>>>(att, T);
  av_naive<<<dim3(T, BH), D>>>(att, v_, o_, T);
  check_o("naive");
  // better pieces
  qk_tiled<<<dim3((T + 31) / 32, (T + 31) / 32, BH), dim3(32, 8)>>>(q_, k_, att, T, scale);
  softmax_online_warp<<<(BH * T + 3) / 4, 128>>>(att, T, BH * T);
  av_naive<<<dim3(T, BH), D>>>(att, v_, o_, T);
  check_o("tiled + online softmax");
  // flash
  flash_fwd_row<32><<<dim3((T + 63) / 64, BH), 64>>>(q_, k_, v_, o_, T, scale);
  check_o("flash, row per thread");
  int smem = 4 * 64 * LDT * 4;
  CHECK(cudaFuncSetAttribute(flash_fwd_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
  flash_fwd_tile<<<dim3((T + BR - 1) / BR, BH), 256, smem>>>(q_, k_, v_, o_, lse, T, scale);
  check_o("flash, 64x64 tiles");

  CHECK(cudaMemcpy(o_, o.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dq_, 0, n * 4));
  bwd_delta<<<(BH * T + 7) / 8, 256>>>(o_, do_, delta, BH * T);
  smem = 7 * 64 * LDT * 4;
  CHECK(cudaFuncSetAttribute(flash_bwd_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
  flash_bwd_tile<<<dim3((T + BR - 1) / BR, BH), 256, smem>>>(q_, k_, v_, do_, lse, delta, dq_, dk_, dv_, T, scale);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(g.data(), dq_, n * 4, cudaMemcpyDeviceToHost));
  for (int s = 0; s < 12; s++) {  // dq rows
    int bh = (s * 5) % BH, t = (s * 613 + 40) % T;
    std::vector<float> p;
    probs(bh, t, p);
    std::vector<float> dp(t + 1);
    float del = 0, want[D] = {};
    for (int u = 0; u <= t; u++) { float x = 0; for (int i = 0; i < D; i++) x += dO[((size_t)bh * T + t) * D + i] * v[((size_t)bh * T + u) * D + i]; dp[u] = x; del += x * p[u]; }
    for (int u = 0; u <= t; u++) for (int i = 0; i < D; i++) want[i] += p[u] * (dp[u] - del) * scale * k[((size_t)bh * T + u) * D + i];
    ok &= near("dq", g, ((size_t)bh * T + t) * D, want, 1e-3f);
  }
  CHECK(cudaMemcpy(g.data(), dk_, n * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(g2.data(), dv_, n * 4, cudaMemcpyDeviceToHost));
  {  // dk, dv of the rows T-3 .. T-1 need only the last queries
    int bh = BH - 1;
    for (int u = T - 3; u < T; u++) {
      float wk[D] = {}, wv[D] = {};
      for (int t = u; t < T; t++) {
        std::vector<float> p;
        probs(bh, t, p);
        float del = 0, mine = 0;
        for (int x = 0; x <= t; x++) { float y = 0; for (int i = 0; i < D; i++) y += dO[((size_t)bh * T + t) * D + i] * v[((size_t)bh * T + x) * D + i]; del += y * p[x]; if (x == u) mine = y; }
        for (int i = 0; i < D; i++) { wv[i] += p[u] * dO[((size_t)bh * T + t) * D + i]; wk[i] += p[u] * (mine - del) * scale * q[((size_t)bh * T + t) * D + i]; }
      }
      ok &= near("dk", g, ((size_t)bh * T + u) * D, wk, 1e-3f) && near("dv", g2, ((size_t)bh * T + u) * D, wv, 1e-3f);
    }
  }
  printf("%s\n", ok ? "PASS" : "FAIL");
  return !ok;
}
