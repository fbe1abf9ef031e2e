/* small kernels around an LLM decode step: rope, cache append, paged attention, logits processing, sampling */
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <utility>

#define checkCuda(e) do { cudaError_t r = (e); if (r) { printf("cuda: %s @%d\n", cudaGetErrorString(r), __LINE__); exit(1); } } while (0)

// one thread per rotated pair (neox style: i and i + D/2). q (tokens, H, D), k (tokens, HK, D), in place
__global__ void rope_neox(half* q, half* k, const int* pos, int H, int HK, int D, float theta) {
  const int t = blockIdx.x;
  const float p = (float)pos[t];
  const int half_d = D / 2;
  for (int i = threadIdx.x; i < (H + HK) * half_d; i += blockDim.x) {
    const int head = i / half_d, d = i % half_d;
    half* v = head < H ? q + ((size_t)t * H + head) * D : k + ((size_t)t * HK + head - H) * D;
    float s, c;
    sincosf(p * powf(theta, -2.f * d / D), &s, &c);
    const float a = __half2float(v[d]), b = __half2float(v[d + half_d]);
    v[d] = __float2half(a * c - b * s);
    v[d + half_d] = __float2half(b * c + a * s);
  }
}

// scatter k, v of every token into its slot: caches are (blocks, HK, BS, D)
__global__ void reshape_and_cache(const half* k, const half* v, half* kc, half* vc, const int* slot, int HK, int D, int BS) {
  const int t = blockIdx.x, s = slot[t];
  if (s < 0) return;
  const int blk = s / BS, off = s % BS;
  for (int i = threadIdx.x; i < HK * D; i += blockDim.x) {
    const int h = i / D, d = i % D;
    const size_t dst = (((size_t)blk * HK + h) * BS + off) * D + d;
    kc[dst] = k[(size_t)t * HK * D + i];
    vc[dst] = v[(size_t)t * HK * D + i];
  }
}

// one block per (head, sequence): scores in shared memory, then the value pass
template <int D, int BS, int THREADS>
__global__ void paged_attention_v1(half* out, const half* q, const half* kc, const half* vc, const int* table, const int* lens,
                                   int H, int HK, int max_blocks, float scale) {
  extern __shared__ float logits[];
  __shared__ float red[THREADS / 32];
  __shared__ float qs[D];
  const int h = blockIdx.x, b = blockIdx.y, hk = h / (H / HK), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  constexpr int NW = THREADS / 32;
  const int len = lens[b];
  for (int i = threadIdx.x; i < D; i += THREADS) qs[i] = __half2float(q[((size_t)b * H + h) * D + i]) * scale;
  __syncthreads();
  float mx = -FLT_MAX;
  for (int t = warp; t < len; t += NW) {
    const half2* kp = (const half2*)(kc + (((size_t)table[b * max_blocks + t / BS] * HK + hk) * BS + t % BS) * D);
    float s = 0.f;
    for (int i = lane; i < D / 2; i += 32) {
      float2 f = __half22float2(kp[i]);
      s += f.x * qs[2 * i] + f.y * qs[2 * i + 1];
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) logits[t] = s;
    mx = fmaxf(mx, s);
  }
  if (lane == 0) red[warp] = mx;
  __syncthreads();
  mx = red[0];
  for (int i = 1; i < NW; i++) mx = fmaxf(mx, red[i]);
  __syncthreads();
  float sum = 0.f;
  for (int t = threadIdx.x; t < len; t += THREADS) {
    float e = __expf(logits[t] - mx);
    logits[t] = e;
    sum += e;
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) red[warp] = sum;
  __syncthreads();
  sum = 0.f;
  for (int i = 0; i < NW; i++) sum += red[i];
  static_assert(THREADS % D == 0, "");
  // THREADS / D groups over time, each thread one output column
  __shared__ float part[THREADS];
  float acc = 0.f;
  const int d = threadIdx.x % D;
  for (int t = threadIdx.x / D; t < len; t += THREADS / D)
    acc += logits[t] * __half2float(vc[(((size_t)table[b * max_blocks + t / BS] * HK + hk) * BS + t % BS) * D + d]);
  part[threadIdx.x] = acc;
  __syncthreads();
  if (threadIdx.x < D) {
    for (int g = 1; g < THREADS / D; g++) acc += part[threadIdx.x + g * D];
    out[((size_t)b * H + h) * D + d] = __float2half(acc / sum);
  }
}

// repetition penalty (each distinct history token once) and temperature, a block per sequence
__global__ void repetition_penalty(float* logits, const int* hist, int hist_len, float penalty, int V) {
  float* l = logits + (size_t)blockIdx.x * V;
  const int* h = hist + blockIdx.x * hist_len;
  for (int i = threadIdx.x; i < hist_len; i += blockDim.x) {
    const int tok = h[i];
    bool first = true;
    for (int j = 0; j < i; j++) if (h[j] == tok) { first = false; break; }
    if (first) l[tok] = l[tok] > 0.f ? l[tok] / penalty : l[tok] * penalty;
  }
}

struct Best { float v; int i; };
__device__ __forceinline__ Best better(Best a, Best b) { return (b.v > a.v || (b.v == a.v && b.i < a.i)) ? b : a; }
__device__ Best block_best(Best x, Best* sh) {
  for (int o = 16; o; o >>= 1) x = better(x, Best{__shfl_xor_sync(~0u, x.v, o), __shfl_xor_sync(~0u, x.i, o)});
  __syncthreads();
  if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = x;
  __syncthreads();
  Best r = sh[0];
  for (int w = 1; w < blockDim.x / 32; w++) r = better(r, sh[w]);
  return r;
}

__global__ void argmax_rows(const float* logits, int* out, int V) {
  __shared__ Best sh[32];
  const float* l = logits + (size_t)blockIdx.x * V;
  Best x{-FLT_MAX, 0x7fffffff};
  for (int i = threadIdx.x; i < V; i += blockDim.x) x = better(x, Best{l[i], i});
  x = block_best(x, sh);
  if (threadIdx.x == 0) out[blockIdx.x] = x.i;
}

// top-k by k rounds of arg-max strictly below the previous winner (value, then index)
template <int K>
__global__ void topk_sample(const float* logits, const float* u, int* out, int V, float temp) {
  __shared__ Best sh[32];
  __shared__ Best win[K];
  const float* l = logits + (size_t)blockIdx.x * V;
  Best last{FLT_MAX, -1};
  for (int k = 0; k < K; k++) {
    Best x{-FLT_MAX, 0x7fffffff};
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
      float v = l[i];
      if (v < last.v || (v == last.v && i > last.i)) x = better(x, Best{v, i});
    }
    last = block_best(x, sh);
    if (threadIdx.x == 0) win[k] = last;
  }
  if (threadIdx.x == 0) {
    float s = 0.f, c = 0.f;
    for (int k = 0; k < K; k++) s += expf((win[k].v - win[0].v) / temp);
    int pick = win[K - 1].i;
    for (int k = 0; k < K; k++) {
      c += expf((win[k].v - win[0].v) / temp);
      if (c >= u[blockIdx.x] * s) { pick = win[k].i; break; }
    }
    out[blockIdx.x] = pick;
  }
}

// top-p: bisect a probability threshold, then walk the surviving tokens in index order
__global__ void topp_sample(const float* logits, const float* u, int* out, int V, float p) {
  __shared__ float sh[32];
  const float* l = logits + (size_t)blockIdx.x * V;
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
  auto reduce = [&](float v, bool is_max) {
    for (int o = 16; o; o >>= 1) { float t = __shfl_xor_sync(~0u, v, o); v = is_max ? fmaxf(v, t) : v + t; }
    __syncthreads();
    if (lane == 0) sh[w] = v;
    __syncthreads();
    v = sh[0];
    for (int i = 1; i < nw; i++) v = is_max ? fmaxf(v, sh[i]) : v + sh[i];
    return v;
  };
  float mx = -FLT_MAX, z = 0.f;
  for (int i = threadIdx.x; i < V; i += blockDim.x) mx = fmaxf(mx, l[i]);
  mx = reduce(mx, true);
  for (int i = threadIdx.x; i < V; i += blockDim.x) z += __expf(l[i] - mx);
  z = reduce(z, false);
  float lo = 0.f, hi = 1.f;       // threshold on exp(l - mx); mass(lo) >= p*z always
  float mass_lo = z;
  for (int it = 0; it < 20; it++) {
    float mid = 0.5f * (lo + hi), m = 0.f;
    for (int i = threadIdx.x; i < V; i += blockDim.x) { float e = __expf(l[i] - mx); m += e >= mid ? e : 0.f; }
    m = reduce(m, false);
    if (m >= p * z) { lo = mid; mass_lo = m; } else hi = mid;
  }
  // contiguous chunk per thread, serial scan over the chunk sums
  __shared__ float chunk[1024];
  const int per = (V + blockDim.x - 1) / blockDim.x, b0 = threadIdx.x * per, b1 = min(V, b0 + per);
  float c = 0.f;
  for (int i = b0; i < b1; i++) { float e = __expf(l[i] - mx); if (e >= lo) c += e; }
  chunk[threadIdx.x] = c;
  __syncthreads();
  if (threadIdx.x == 0) {
    float target = u[blockIdx.x] * mass_lo, run = 0.f;
    int t = 0, pick = 0;
    while (t < (int)blockDim.x - 1 && run + chunk[t] < target) run += chunk[t++];
    for (int i = t * per; i < min(V, (t + 1) * per); i++) {
      float e = __expf(l[i] - mx);
      if (e >= lo) { pick = i; run += e; if (run >= target) break; }
    }
    out[blockIdx.x] = pick;
  }
}

int main() {
  const int S = 32, H = 32, HK = 8, D = 128, BS = 16, MAXB = 64, V = 32000, HIST = 256;
  uint32_t seed = 5;
  auto rnd = [&] { seed = seed * 747796405u + 2891336453u; return (seed >> 9) / 8388608.f; };
  std::vector<half> q((size_t)S * H * D), k((size_t)S * HK * D), v(k.size());
  const size_t cache_n = (size_t)S * MAXB * HK * BS * D;
  std::vector<half> kc(cache_n), vc(cache_n);
  for (auto& e : q) e = __float2half(rnd() - .5f);
  for (auto& e : k) e = __float2half(rnd() - .5f);
  for (auto& e : v) e = __float2half(rnd() - .5f);
  for (auto& e : kc) e = __float2half(rnd() - .5f);
  for (auto& e : vc) e = __float2half(rnd() - .5f);
  std::vector<int> table(S * MAXB), lens(S), pos(S), slot(S), hist(S * HIST);
  for (int b = 0; b < S; b++) {
    for (int i = 0; i < MAXB; i++) table[b * MAXB + i] = (i * S + (b * 7 + i) % S);      // scattered, each used once
    lens[b] = 600 + 13 * b;
    pos[b] = lens[b] - 1;
    slot[b] = table[b * MAXB + pos[b] / BS] * BS + pos[b] % BS;
  }
  for (auto& e : hist) e = (int)(rnd() * (V - 1));
  std::vector<float> lg((size_t)S * V), u(S);
  for (auto& e : lg) e = 6.f * rnd() + 4.f * rnd() * rnd();
  for (auto& e : u) e = rnd();
  auto up = [](const auto& h) {
    void* d;
    size_t bytes = h.size() * sizeof(h[0]);
    checkCuda(cudaMalloc(&d, bytes));
    checkCuda(cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice));
    return d;
  };
  half *dq = (half*)up(q), *dk = (half*)up(k), *dv = (half*)up(v), *dkc = (half*)up(kc), *dvc = (half*)up(vc), *dout;
  int *dt = (int*)up(table), *dl = (int*)up(lens), *dp = (int*)up(pos), *ds = (int*)up(slot), *dh = (int*)up(hist), *dtok;
  float *dlg = (float*)up(lg), *du = (float*)up(u);
  checkCuda(cudaMalloc(&dout, q.size() * 2));
  checkCuda(cudaMalloc(&dtok, 3 * S * 4));

  rope_neox<<<S, 256>>>(dq, dk, dp, H, HK, D, 10000.f);
  reshape_and_cache<<<S, 256>>>(dk, dv, dkc, dvc, ds, HK, D, BS);
  paged_attention_v1<128, 16, 256><<<dim3(H, S), 256, MAXB * BS * sizeof(float)>>>(dout, dq, dkc, dvc, dt, dl, H, HK, MAXB, 1.f / sqrtf(D));
  repetition_penalty<<<S, 256>>>(dlg, dh, HIST, 1.1f, V);
  argmax_rows<<<S, 1024>>>(dlg, dtok, V);
  topk_sample<40><<<S, 1024>>>(dlg, du, dtok + S, V, 0.8f);
  topp_sample<<<S, 1024>>>(dlg, du, dtok + 2 * S, V, 0.9f);
  checkCuda(cudaGetLastError());
  checkCuda(cudaDeviceSynchronize());

  checkCuda(cudaMemcpy(q.data(), dq, q.size() * 2, cudaMemcpyDeviceToHost));
  checkCuda(cudaMemcpy(kc.data(), dkc, cache_n * 2, cudaMemcpyDeviceToHost));
  checkCuda(cudaMemcpy(vc.data(), dvc, cache_n * 2, cudaMemcpyDeviceToHost));
  std::vector<half> o(q.size());
  checkCuda(cudaMemcpy(o.data(), dout, o.size() * 2, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (auto bh : {std::pair<int, int>{0, 0}, std::pair<int, int>{11, 17}, std::pair<int, int>{31, 31}}) {
    const int b = bh.first, h = bh.second;
    std::vector<double> s(lens[b]), ref(D, 0.0);
    double m = -1e9, z = 0;
    auto at = [&](int t) { return (((size_t)table[b * MAXB + t / BS] * HK + h / (H / HK)) * BS + t % BS) * D; };
    for (int t = 0; t < lens[b]; t++) {
      for (int d = 0; d < D; d++) s[t] += (double)__half2float(q[((size_t)b * H + h) * D + d]) * __half2float(kc[at(t) + d]);
      s[t] /= sqrt((double)D);
      m = fmax(m, s[t]);
    }
    for (auto& e : s) z += e = exp(e - m);
    for (int t = 0; t < lens[b]; t++) for (int d = 0; d < D; d++) ref[d] += s[t] / z * __half2float(vc[at(t) + d]);
    for (int d = 0; d < D; d++) worst = fmax(worst, fabs(ref[d] - __half2float(o[((size_t)b * H + h) * D + d])));
  }
  int tok[3 * S];
  checkCuda(cudaMemcpy(tok, dtok, sizeof(tok), cudaMemcpyDeviceToHost));
  printf("paged attention err %.5f\n", worst);
  for (int b = 0; b < 4; b++) printf("seq %d: greedy %d, top-k %d, top-p %d\n", b, tok[b], tok[S + b], tok[2 * S + b]);
  return 0;
}
