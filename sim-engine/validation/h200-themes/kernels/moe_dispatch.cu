// Mixture of experts layer, dispatch by counting sort.  tokens x hidden -> top-2 of 16 experts.
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cfloat>
#include <vector>
#include <algorithm>

namespace {

constexpr int kExperts = 16;
constexpr int kTopK = 2;

#define RT(call)                                                            \
  do {                                                                      \
    cudaError_t st = (call);                                                \
    if (st != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(st)); \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

// logits = x @ Wg^T, warp per token; softmax over the experts, top-k, renormalise
template <int E, int K>
__global__ void router_topk(const float* __restrict__ x, const float* __restrict__ wg, int* __restrict__ expert_of,
                            float* __restrict__ gate, int tokens, int hidden) {
  const int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (token >= tokens) return;
  float acc[E];
#pragma unroll
  for (int e = 0; e < E; ++e) acc[e] = 0.f;
  for (int h = lane; h < hidden; h += 32) {
    const float v = x[(size_t)token * hidden + h];
#pragma unroll
    for (int e = 0; e < E; ++e) acc[e] = fmaf(v, wg[e * hidden + h], acc[e]);
  }
#pragma unroll
  for (int e = 0; e < E; ++e)
    for (int o = 16; o > 0; o >>= 1) acc[e] += __shfl_xor_sync(0xffffffffu, acc[e], o);
  if (lane == 0) {
    float top[K];
    int idx[K];
    unsigned used = 0;
    for (int k = 0; k < K; ++k) {
      float best = -FLT_MAX;
      int bi = 0;
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (!((used >> e) & 1u) && acc[e] > best) { best = acc[e]; bi = e; }
      used |= 1u << bi;
      top[k] = best;
      idx[k] = bi;
    }
    float s = 0.f;
    for (int k = 0; k < K; ++k) s += __expf(top[k] - top[0]);
    for (int k = 0; k < K; ++k) {
      expert_of[token * K + k] = idx[k];
      gate[token * K + k] = __expf(top[k] - top[0]) / s;
    }
  }
}

// per-block histogram
__global__ void count_tokens(const int* expert_of, int n, int* counts) {
  __shared__ int h[kExperts];
  if (threadIdx.x < kExperts) h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[expert_of[i]], 1);
  __syncthreads();
  if (threadIdx.x < kExperts && h[threadIdx.x]) atomicAdd(&counts[threadIdx.x], h[threadIdx.x]);
}

// stable permutation: one block per expert scans all assignments in order (ballot + block prefix)
__global__ void __launch_bounds__(256) build_permutation(const int* expert_of, int n, const int* counts, int* offsets,
                                                         int* sorted_slot, int* where) {
  const int e = blockIdx.x;
  int base = 0;
  for (int j = 0; j < e; ++j) base += counts[j];
  if (threadIdx.x == 0) {
    offsets[e] = base;
    if (e == gridDim.x - 1) offsets[e + 1] = base + counts[e];
  }
  __shared__ int wsum[8];
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int start = 0; start < n; start += 256) {
    const int i = start + threadIdx.x;
    const bool mine = i < n && expert_of[i] == e;
    const unsigned b = __ballot_sync(0xffffffffu, mine);
    if (lane == 0) wsum[w] = __popc(b);
    __syncthreads();
    int before = 0, total = 0;
    for (int j = 0; j < 8; ++j) {
      before += j < w ? wsum[j] : 0;
      total += wsum[j];
    }
    if (mine) {
      const int pos = base + before + __popc(b & ((1u << lane) - 1));
      sorted_slot[pos] = i;
      where[i] = pos;
    }
    base += total;
    __syncthreads();
  }
}

// argsort of packed keys in one block by bitonic network (reference for the permutation), n power of two <= 4096
__global__ void bitonic_argsort(const int* keys, int* order, int n) {
  extern __shared__ unsigned buf[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) buf[i] = ((unsigned)keys[i] << 16) | (unsigned)i;
  __syncthreads();
  for (int k = 2; k <= n; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int p = i ^ j;
        if (p > i) {
          const bool up = (i & k) == 0;
          const unsigned a = buf[i], c = buf[p];
          if ((a > c) == up) { buf[i] = c; buf[p] = a; }
        }
      }
      __syncthreads();
    }
  for (int i = threadIdx.x; i < n; i += blockDim.x) order[i] = buf[i] & 0xffffu;
}

// copy rows into expert order
__global__ void gather_rows(const float4* x, const int* sorted_slot, float4* xp, int hidden4) {
  const int token = sorted_slot[blockIdx.x] / kTopK;
  for (int i = threadIdx.x; i < hidden4; i += blockDim.x)
    xp[(size_t)blockIdx.x * hidden4 + i] = __ldg(&x[(size_t)token * hidden4 + i]);
}

// grouped gemm: for expert z, Y[rows of z] = act(X[rows of z] @ W[z]) ; W (E, K, N)
template <int BM, int BN, int BK, bool SILU>
__global__ void __launch_bounds__(256) grouped_gemm(const float* __restrict__ X, const float* __restrict__ W, float* __restrict__ Y,
                                                    const int* __restrict__ offsets, int N, int K) {
  const int r0 = offsets[blockIdx.z] + blockIdx.y * BM, r1 = offsets[blockIdx.z + 1];
  if (r0 >= r1) return;
  constexpr int TM = BM / 16, TN = BN / 16;
  __shared__ float xs[BK][BM + 1];
  __shared__ float ws[BK][BN];
  const float* w = W + (size_t)blockIdx.z * K * N + blockIdx.x * BN;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += 256) {
      const int r = i / BK, k = i % BK;
      xs[k][r] = r0 + r < r1 ? X[(size_t)(r0 + r) * K + k0 + k] : 0.f;
    }
    for (int i = threadIdx.x; i < BK * BN; i += 256) ws[i / BN][i % BN] = w[(size_t)(k0 + i / BN) * N + i % BN];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = xs[k][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = ws[k][tx + 16 * j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int r = r0 + ty * TM + i;
      if (r < r1) {
        float v = acc[i][j];
        if (SILU) v = v / (1.f + __expf(-v));
        Y[(size_t)r * N + blockIdx.x * BN + tx + 16 * j] = v;
      }
    }
}

__global__ void combine(const float4* yp, const int* where, const float* gate, float4* out, int hidden4) {
  const int t = blockIdx.x;
  for (int i = threadIdx.x; i < hidden4; i += blockDim.x) {
    float4 s = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < kTopK; ++k) {
      const float g = gate[t * kTopK + k];
      const float4 v = yp[(size_t)where[t * kTopK + k] * hidden4 + i];
      s.x += g * v.x; s.y += g * v.y; s.z += g * v.z; s.w += g * v.w;
    }
    out[(size_t)t * hidden4 + i] = s;
  }
}

template <class T>
T* dev(size_t n) {
  void* p;
  RT(cudaMalloc(&p, n * sizeof(T)));
  RT(cudaMemset(p, 0, n * sizeof(T)));
  return (T*)p;
}
}  // namespace

int main() {
  const int tokens = 2048, hidden = 512, inner = 1024, slots = tokens * kTopK;
  srand(3);
  auto fill = [](std::vector<float>& v, float s) { for (auto& e : v) e = s * ((rand() & 0xffff) / 32768.f - 1.f); };
  std::vector<float> x((size_t)tokens * hidden), wg(kExperts * hidden), w1((size_t)kExperts * hidden * inner), w2(w1.size());
  fill(x, 1.f); fill(wg, .2f); fill(w1, .05f); fill(w2, .05f);
  auto *dx = dev<float>(x.size()), *dwg = dev<float>(wg.size()), *dw1 = dev<float>(w1.size()), *dw2 = dev<float>(w2.size());
  RT(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
  RT(cudaMemcpy(dwg, wg.data(), wg.size() * 4, cudaMemcpyHostToDevice));
  RT(cudaMemcpy(dw1, w1.data(), w1.size() * 4, cudaMemcpyHostToDevice));
  RT(cudaMemcpy(dw2, w2.data(), w2.size() * 4, cudaMemcpyHostToDevice));
  auto *eo = dev<int>(slots), *cnt = dev<int>(kExperts), *off = dev<int>(kExperts + 1), *ss = dev<int>(slots), *wh = dev<int>(slots),
       *ord = dev<int>(slots);
  auto *gate = dev<float>(slots), *xp = dev<float>((size_t)slots * hidden), *hp = dev<float>((size_t)slots * inner),
       *yp = dev<float>((size_t)slots * hidden), *out = dev<float>((size_t)tokens * hidden);

  router_topk<kExperts, kTopK><<<(tokens * 32 + 127) / 128, 128>>>(dx, dwg, eo, gate, tokens, hidden);
  count_tokens<<<8, 256>>>(eo, slots, cnt);
  build_permutation<<<kExperts, 256>>>(eo, slots, cnt, off, ss, wh);
  bitonic_argsort<<<1, 1024, slots * sizeof(unsigned)>>>(eo, ord, slots);
  gather_rows<<<slots, 128>>>((const float4*)dx, ss, (float4*)xp, hidden / 4);
  // worst case: every slot of one expert; empty tiles leave at once
  grouped_gemm<64, 64, 16, true><<<dim3(inner / 64, slots / 64, kExperts), 256>>>(xp, dw1, hp, off, inner, hidden);
  grouped_gemm<32, 64, 32, false><<<dim3(hidden / 64, slots / 32, kExperts), 256>>>(hp, dw2, yp, off, hidden, inner);
  combine<<<tokens, 128>>>((const float4*)yp, wh, gate, (float4*)out, hidden / 4);
  RT(cudaGetLastError());
  RT(cudaDeviceSynchronize());

  std::vector<int> a(slots), b(slots), heo(slots), hc(kExperts);
  std::vector<float> ho((size_t)tokens * hidden), hgate(slots);
  RT(cudaMemcpy(a.data(), ss, slots * 4, cudaMemcpyDeviceToHost));
  RT(cudaMemcpy(b.data(), ord, slots * 4, cudaMemcpyDeviceToHost));
  RT(cudaMemcpy(heo.data(), eo, slots * 4, cudaMemcpyDeviceToHost));
  RT(cudaMemcpy(hc.data(), cnt, kExperts * 4, cudaMemcpyDeviceToHost));
  RT(cudaMemcpy(hgate.data(), gate, slots * 4, cudaMemcpyDeviceToHost));
  RT(cudaMemcpy(ho.data(), out, ho.size() * 4, cudaMemcpyDeviceToHost));
  printf("tokens per expert:");
  for (int c : hc) printf(" %d", c);
  printf("\npermutation %s argsort\n", a == b ? "equals" : "DIFFERS FROM");
  double worst = 0;
  for (int t : {0, 777, 2047}) {
    std::vector<double> ref(hidden, 0.0), mid(inner);
    for (int k = 0; k < kTopK; ++k) {
      const int e = heo[t * kTopK + k];
      for (int i = 0; i < inner; ++i) {
        double s = 0;
        for (int h = 0; h < hidden; ++h) s += (double)x[(size_t)t * hidden + h] * w1[((size_t)e * hidden + h) * inner + i];
        mid[i] = s / (1 + exp(-s));
      }
      for (int h = 0; h < hidden; ++h) {
        double s = 0;
        for (int i = 0; i < inner; ++i) s += mid[i] * w2[((size_t)e * inner + i) * hidden + h];
        ref[h] += hgate[t * kTopK + k] * s;
      }
    }
    for (int h = 0; h < hidden; ++h) worst = std::max(worst, fabs(ref[h] - ho[(size_t)t * hidden + h]));
  }
  printf("moe output max err %.2e\n", worst);
  return 0;
}
