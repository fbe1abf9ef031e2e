// Single-token decoding: GEMV shapes, small-batch GEMM, MoE routing, sampling, rotary + KV-cache append.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using bf16 = __nv_bfloat16;
constexpr int WARP = 32;
constexpr unsigned FULL = 0xffffffffu;

struct Fatal { const char* file; int line; void operator()(cudaError_t e) const { if (e != cudaSuccess) { printf("%s:%d %s\n", file, line, cudaGetErrorString(e)); exit(1); } } };
#define GPU Fatal{__FILE__, __LINE__}

template <class T> struct DeviceArray {
    T* p = nullptr; size_t n;
    explicit DeviceArray(size_t count) : n(count) { GPU(cudaMalloc(&p, n * sizeof(T))); GPU(cudaMemset(p, 0, n * sizeof(T))); }
    ~DeviceArray() { cudaFree(p); }
    DeviceArray(const DeviceArray&) = delete;
    void put(const std::vector<T>& h) { GPU(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice)); }
    std::vector<T> get(size_t count) const { std::vector<T> h(count); GPU(cudaMemcpy(h.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost)); return h; }
};

__host__ __device__ inline unsigned scramble(unsigned x) { x *= 0xcc9e2d51u; x = (x << 15) | (x >> 17); x *= 0x1b873593u; x ^= x >> 13; x *= 0xc2b2ae35u; return x ^ (x >> 16); }
__host__ __device__ inline float weight_at(unsigned i) { return ((int)(scramble(i + 17u) & 255) - 128) / 128.0f; }   // exact in bf16 and half
__global__ void make_weights(bf16* wb, half* wh, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float v = weight_at((unsigned)i);
        wb[i] = __float2bfloat16(v);
        wh[i] = __float2half(v);
    }
}
__device__ inline float warp_sum(float v) { for (int o = WARP / 2; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o); return v; }

// y = W x, W [N,K] bf16: a warp a row, 8 weights a lane and step
__global__ void gemv_warp_row(float* y, const bf16* __restrict__ W, const float* __restrict__ x, int N, int K) {
    int row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= N) return;
    const uint4* w = reinterpret_cast<const uint4*>(W + (size_t)row * K);
    const float4* xv = reinterpret_cast<const float4*>(x);
    float acc = 0;
    for (int i = lane; i < K / 8; i += WARP) {
        uint4 raw = __ldcs(w + i);
        const __nv_bfloat162* h = reinterpret_cast<const __nv_bfloat162*>(&raw);
        float4 a = xv[2 * i], b = xv[2 * i + 1];
        float2 c0 = __bfloat1622float2(h[0]), c1 = __bfloat1622float2(h[1]), c2 = __bfloat1622float2(h[2]), c3 = __bfloat1622float2(h[3]);
        acc += c0.x * a.x + c0.y * a.y + c1.x * a.z + c1.y * a.w + c2.x * b.x + c2.y * b.y + c3.x * b.z + c3.y * b.w;
    }
    acc = warp_sum(acc);
    if (lane == 0) y[row] = acc;
}
// a block a row, half2 weights, x staged in shared memory
template <int THREADS>
__global__ void __launch_bounds__(THREADS) gemv_block_row(float* y, const half2* __restrict__ W, const float2* __restrict__ x, int K2) {
    extern __shared__ float2 xs[];
    __shared__ float part[THREADS / WARP];
    for (int i = threadIdx.x; i < K2; i += THREADS) xs[i] = x[i];
    __syncthreads();
    float acc = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < K2; i += THREADS) {
        float2 w = __half22float2(W[(size_t)blockIdx.x * K2 + i]);
        acc += w.x * xs[i].x + w.y * xs[i].y;
    }
    acc = warp_sum(acc);
    if (threadIdx.x % WARP == 0) part[threadIdx.x / WARP] = acc;
    __syncthreads();
    if (threadIdx.x == 0) { for (int i = 1; i < THREADS / WARP; i++) acc += part[i]; y[blockIdx.x] = acc; }
}
// W stored [K,N]: thread owns two columns, K split over blockIdx.y, atomics into y
__global__ void gemv_column_split(float* y, const half2* __restrict__ W, const float* __restrict__ x, int N2, int K, int rows) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= N2) return;
    int k0 = blockIdx.y * rows, k1 = min(K, k0 + rows);
    float2 acc = {0, 0};
    for (int k = k0; k < k1; k++) {
        float2 w = __half22float2(__ldcs(W + (size_t)k * N2 + c));
        float v = __ldg(x + k);
        acc.x += w.x * v;
        acc.y += w.y * v;
    }
    atomicAdd(y + 2 * c, acc.x);
    atomicAdd(y + 2 * c + 1, acc.y);
}
// BATCH tokens at once, warp per output row: Y[b,n]
template <int BATCH>
__global__ void small_batch_gemm(float* Y, const bf16* __restrict__ W, const float* __restrict__ X, int N, int K) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= N) return;
    float acc[BATCH] = {};
    for (int k = lane * 4; k < K; k += WARP * 4) {
        uint2 raw = *reinterpret_cast<const uint2*>(W + (size_t)row * K + k);
        float2 lo = __bfloat1622float2(reinterpret_cast<__nv_bfloat162*>(&raw)[0]), hi = __bfloat1622float2(reinterpret_cast<__nv_bfloat162*>(&raw)[1]);
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            float4 v = *reinterpret_cast<const float4*>(X + (size_t)b * K + k);
            acc[b] += lo.x * v.x + lo.y * v.y + hi.x * v.z + hi.y * v.w;
        }
    }
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
        float s = warp_sum(acc[b]);
        if (lane == 0) Y[(size_t)b * N + row] = s;
    }
}

// ---- mixture of experts: E experts (<=32), top 2, warp per token: logits, softmax over the chosen two, slots by atomics
template <int E>
__global__ void moe_gate_top2(int* expert, float* gate, int* slot, int* counts, const float* __restrict__ x, const float* __restrict__ Wg, int T, int C) {
    int tok = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (tok >= T) return;
    float logit[E] = {};
    for (int c = lane; c < C; c += WARP) {
        float v = x[(size_t)tok * C + c];
#pragma unroll
        for (int e = 0; e < E; e++) logit[e] += v * Wg[e * C + c];
    }
    float v1 = -FLT_MAX, v2 = -FLT_MAX; int e1 = 0, e2 = 0;
#pragma unroll
    for (int e = 0; e < E; e++) {
        float l = warp_sum(logit[e]);
        if (l > v1) { v2 = v1; e2 = e1; v1 = l; e1 = e; } else if (l > v2) { v2 = l; e2 = e; }
    }
    if (lane < 2) {
        float p1 = 1.0f / (1.0f + __expf(v2 - v1));
        int e = lane == 0 ? e1 : e2;
        expert[tok * 2 + lane] = e;
        gate[tok * 2 + lane] = lane == 0 ? p1 : 1.0f - p1;
        slot[tok * 2 + lane] = atomicAdd(counts + e, 1);
    }
}
// copy each (token, choice) to offset[expert] + slot; a block per pair
__global__ void moe_gather(float4* buf, int* row_of, const float4* x, const int* expert, const int* slot, const int* counts, int C4) {
    int pair = blockIdx.x, e = expert[pair], row = slot[pair];
    for (int i = 0; i < e; i++) row += counts[i];
    if (threadIdx.x == 0) row_of[pair] = row;
    for (int c = threadIdx.x; c < C4; c += blockDim.x) buf[(size_t)row * C4 + c] = x[(size_t)(pair / 2) * C4 + c];
}
// out[tok] = sum of gate * (expert + 1) * buf[row]   (the expert itself is a plain scaling here)
__global__ void moe_combine(float4* out, const float4* buf, const int* row_of, const int* expert, const float* gate, int T, int C4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * C4) return;
    int tok = i / C4, c = i % C4;
    float w0 = gate[2 * tok] * (expert[2 * tok] + 1), w1 = gate[2 * tok + 1] * (expert[2 * tok + 1] + 1);
    float4 a = __ldcs(buf + (size_t)row_of[2 * tok] * C4 + c), b = __ldcs(buf + (size_t)row_of[2 * tok + 1] * C4 + c);
    out[i] = make_float4(w0 * a.x + w1 * b.x, w0 * a.y + w1 * b.y, w0 * a.z + w1 * b.z, w0 * a.w + w1 * b.w);
}

// ---- sampling
__global__ void argmax_rows(int* out, const float* logits, int V) {
    __shared__ unsigned long long best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    unsigned long long mine = 0;
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
        unsigned u = __float_as_uint(logits[(size_t)blockIdx.x * V + i]);
        u = u & 0x80000000u ? ~u : u | 0x80000000u;                         // order-preserving
        mine = max(mine, (unsigned long long)u << 32 | (unsigned)(0x7fffffff - i));   // ties: lowest index
    }
    for (int o = WARP / 2; o; o >>= 1) mine = max(mine, __shfl_xor_sync(FULL, mine, o));
    if (threadIdx.x % WARP == 0) atomicMax(&best, mine);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = 0x7fffffff - (int)(unsigned)best;
}
// top-p over V == 2048 candidates: bitonic sort descending in shared memory, prefix scan, pick by a coin
__global__ void __launch_bounds__(1024) top_p_sample(int* out, int* kept, const float* logits, const float* coins, float top_p) {
    constexpr int V = 2048;
    __shared__ float val[V];
    __shared__ short id[V];
    __shared__ float wsum[WARP];
    int t = threadIdx.x;
    for (int i = t; i < V; i += 1024) { val[i] = logits[(size_t)blockIdx.x * V + i]; id[i] = (short)i; }
    __syncthreads();
    for (int k = 2; k <= V; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            int a = 2 * t - (t & (j - 1)), b = a + j;
            bool desc = (a & k) == 0;
            if ((val[a] < val[b]) == desc) {
                float f = val[a]; val[a] = val[b]; val[b] = f;
                short s = id[a]; id[a] = id[b]; id[b] = s;
            }
            __syncthreads();
        }
    float mx = val[0];
    __syncthreads();
    float p0 = __expf(val[2 * t] - mx), p1 = __expf(val[2 * t + 1] - mx), s = p0 + p1, inc = s;
    int lane = t % WARP, w = t / WARP;
    for (int o = 1; o < WARP; o <<= 1) { float u = __shfl_up_sync(FULL, inc, o); if (lane >= o) inc += u; }
    if (lane == WARP - 1) wsum[w] = inc;
    __syncthreads();
    if (w == 0) {
        float u = wsum[lane];
        for (int o = 1; o < WARP; o <<= 1) { float q = __shfl_up_sync(FULL, u, o); if (lane >= o) u += q; }
        wsum[lane] = u;
    }
    __syncthreads();
    float total = wsum[WARP - 1], before = inc - s + (w ? wsum[w - 1] : 0.0f);
    val[2 * t] = (before + p0) / total;             // inclusive cumulative probability
    val[2 * t + 1] = (before + s) / total;
    __syncthreads();
    if (t == 0) {
        int n = 0;
        while (n < V - 1 && val[n] < top_p) n++;    // element n is the last one kept
        float r = coins[blockIdx.x] * val[n];
        int pick = 0;
        while (pick < n && val[pick] <= r) pick++;
        out[blockIdx.x] = id[pick];
        kept[blockIdx.x] = n + 1;
    }
}
// rotary (half-split pairs) on q and k of one token, then k and v appended to caches (B, KVH, L, HD)
template <int HD>
__global__ void rope_append(float* q, bf16* kc, bf16* vc, const float* qkv, const int* pos, int NH, int KVH, int L) {
    int b = blockIdx.y, h = blockIdx.x, d = threadIdx.x, at = pos[b];      // HD/2 threads
    const float* src = qkv + ((size_t)b * (NH + 2 * KVH) + h) * HD;
    float x0 = src[d], x1 = src[d + HD / 2], s, c;
    sincosf(at * powf(10000.0f, -2.0f * d / HD), &s, &c);
    float r0 = x0 * c - x1 * s, r1 = x1 * c + x0 * s;
    if (h < NH) {
        float* o = q + ((size_t)b * NH + h) * HD;
        o[d] = r0; o[d + HD / 2] = r1;
    } else {
        bool is_v = h >= NH + KVH;
        bf16* o = (is_v ? vc : kc) + (((size_t)b * KVH + (h - NH) % KVH) * L + at) * HD;
        o[d] = __float2bfloat16(is_v ? x0 : r0);
        o[d + HD / 2] = __float2bfloat16(is_v ? x1 : r1);
    }
}

int main() {
    int failures = 0;
    auto verdict = [&](const char* name, bool ok, double err) { printf("%-22s %.2e %s\n", name, err, ok ? "ok" : "BAD"); failures += !ok; };
    const int N = 11008, K = 4096, BATCH = 8;
    const size_t NW = (size_t)N * K;
    DeviceArray<bf16> wb(NW);
    DeviceArray<half> wh(NW);
    const int T = 2048, C = 2048, E = 8;
    std::vector<float> hx((size_t)T * C);
    for (size_t i = 0; i < hx.size(); i++) hx[i] = weight_at((unsigned)i * 3 + 1000003u) + 0.001f * (i % 7);
    DeviceArray<float> x(hx.size()), y((size_t)N * BATCH);
    x.put(hx);
    make_weights<<<1056, 256>>>(wb.p, wh.p, NW);
    GPU(cudaGetLastError());

    auto check_mv = [&](const char* name, int n, int k, int batch, bool col) {
        GPU(cudaGetLastError());
        auto hy = y.get((size_t)n * batch);
        double worst = 0;
        for (int b = 0; b < batch; b++) for (int r = b; r < n; r += 53) {
            double d = 0;
            for (int i = 0; i < k; i++) d += (double)weight_at(col ? (unsigned)(i * (size_t)n + r) : (unsigned)(r * (size_t)k + i)) * hx[(size_t)b * k + i];
            double e = std::fabs(d - hy[(size_t)b * n + r]);
            if (!(e <= worst)) worst = e;
        }
        verdict(name, worst < 5e-3, worst);
        GPU(cudaMemset(y.p, 0, y.n * sizeof(float)));
    };
    gemv_warp_row<<<(N + 7) / 8, 256>>>(y.p, wb.p, x.p, N, K);
    check_mv("gemv warp per row", N, K, 1, false);
    gemv_block_row<256><<<4096, 256, 11008 * 4>>>(y.p, (const half2*)wh.p, (const float2*)x.p, 11008 / 2);
    check_mv("gemv block per row", 4096, 11008, 1, false);
    gemv_column_split<<<dim3((N / 2 + 127) / 128, 32), 128>>>(y.p, (const half2*)wh.p, x.p, N / 2, K, K / 32);
    check_mv("gemv column split", N, K, 1, true);
    small_batch_gemm<BATCH><<<(N + 3) / 4, dim3(32, 4)>>>(y.p, wb.p, x.p, N, K);
    check_mv("small batch gemm", N, K, BATCH, false);

    // mixture of experts on the T x C activations; the gate weights are made on the host
    std::vector<float> hg((size_t)E * C);
    for (size_t i = 0; i < hg.size(); i++) hg[i] = weight_at((unsigned)i + 777u) * 0.05f;
    DeviceArray<float> wg(hg.size()), gate(2 * T), buf((size_t)2 * T * C), out((size_t)T * C);
    DeviceArray<int> expert(2 * T), slot(2 * T), counts(E), row_of(2 * T);
    wg.put(hg);
    moe_gate_top2<E><<<T / 8, 256>>>(expert.p, gate.p, slot.p, counts.p, x.p, wg.p, T, C);
    GPU(cudaGetLastError());
    moe_gather<<<2 * T, 128>>>((float4*)buf.p, row_of.p, (const float4*)x.p, expert.p, slot.p, counts.p, C / 4);
    GPU(cudaGetLastError());
    moe_combine<<<T * C / 4 / 256, 256>>>((float4*)out.p, (const float4*)buf.p, row_of.p, expert.p, gate.p, T, C / 4);
    GPU(cudaGetLastError());
    {
        auto he = expert.get(2 * T), hr = row_of.get(2 * T);
        auto ho = out.get((size_t)T * C), hgate = gate.get(2 * T);
        std::sort(hr.begin(), hr.end());
        bool perm = true;
        for (int i = 0; i < 2 * T; i++) perm = perm && hr[i] == i;
        double worst = 0;
        for (int t = 0; t < T; t += 13) {
            double l[E], top = -1e30, second = -1e30;
            for (int e = 0; e < E; e++) { l[e] = 0; for (int c = 0; c < C; c++) l[e] += (double)hx[(size_t)t * C + c] * hg[(size_t)e * C + c]; }
            for (double v : l) { if (v > top) { second = top; top = v; } else if (v > second) second = v; }
            worst = std::max({worst, std::fabs(l[he[2 * t]] - top), std::fabs(l[he[2 * t + 1]] - second),
                              std::fabs(hgate[2 * t] - 1.0 / (1.0 + std::exp(second - top)))});
            double f = hgate[2 * t] * (he[2 * t] + 1) + hgate[2 * t + 1] * (he[2 * t + 1] + 1);
            for (int c = 0; c < C; c++) worst = std::max(worst, std::fabs(f * hx[(size_t)t * C + c] - ho[(size_t)t * C + c]));
        }
        verdict("moe route + combine", perm && worst < 1e-3, worst);
    }

    // greedy over a GPT-2 sized vocabulary: 64 rows inside x; 50257 * 64 = 3.2M of 4.2M values
    const int V = 50257, ROWS = 64;
    DeviceArray<int> picks(T), kept(T);
    argmax_rows<<<ROWS, 512>>>(picks.p, x.p, V);
    GPU(cudaGetLastError());
    {
        auto hp = picks.get(ROWS);
        bool ok = true;
        for (int r = 0; r < ROWS; r++) {
            const float* row = &hx[(size_t)r * V];
            ok = ok && hp[r] == (int)(std::max_element(row, row + V) - row);
        }
        verdict("argmax", ok, 0);
    }
    // nucleus sampling, a row of 2048 candidates per token
    std::vector<float> coin(T);
    for (int i = 0; i < T; i++) coin[i] = (scramble(i + 5) >> 8) / 16777216.0f;
    DeviceArray<float> coins(T);
    coins.put(coin);
    const float top_p = 0.9f;
    top_p_sample<<<T, 1024>>>(picks.p, kept.p, x.p, coins.p, top_p);
    GPU(cudaGetLastError());
    {
        auto hp = picks.get(T), hk = kept.get(T);
        bool ok = true;
        double worst = 0;
        for (int r = 0; r < T; r += 7) {
            std::vector<float> s(&hx[(size_t)r * C], &hx[(size_t)r * C] + C);
            float chosen = hp[r] >= 0 && hp[r] < C ? s[hp[r]] : NAN;
            std::sort(s.begin(), s.end(), [](float a, float b) { return a > b; });
            double total = 0, cum = 0, lo = 0, hi = 0;
            for (float v : s) total += std::exp((double)v);
            for (int i = 0; i < hk[r]; i++) cum += std::exp((double)s[i]) / total;
            double want = coin[r] * cum;                      // the pick covers this point, up to rounding and ties
            for (float v : s) { double p = std::exp((double)v) / total; if (v > chosen) lo += p; if (v >= chosen) hi += p; }
            ok = ok && want >= lo - 1e-4 && want <= hi + 1e-4;
            worst = std::max(worst, std::fabs(cum - top_p));
        }
        verdict("top-p", ok && worst < 2e-3, worst);          // one candidate weighs about 1/1000
    }

    constexpr int B = 64, NH = 32, KVH = 8, HD = 128, L = 512;
    std::vector<int> hpos(B);
    for (int b = 0; b < B; b++) hpos[b] = (b * 37) % L;
    DeviceArray<int> pos(B);
    DeviceArray<bf16> kc((size_t)B * KVH * L * HD), vc((size_t)B * KVH * L * HD);
    pos.put(hpos);
    rope_append<HD><<<dim3(NH + 2 * KVH, B), HD / 2>>>(out.p, kc.p, vc.p, x.p, pos.p, NH, KVH, L);
    GPU(cudaGetLastError());
    {
        auto hq = out.get((size_t)B * NH * HD);
        auto hk = kc.get(kc.n), hv = vc.get(vc.n);
        double worst = 0, other = 0;
        for (int b = 0; b < B; b++) for (int h = 0; h < NH + 2 * KVH; h++) for (int d = 0; d < HD; d++) {
            const float* s = &hx[((size_t)b * (NH + 2 * KVH) + h) * HD];
            int j = d % (HD / 2);
            double a = hpos[b] * std::pow(10000.0, -2.0 * j / HD), x0 = s[j], x1 = s[j + HD / 2];
            double rot = d < HD / 2 ? x0 * std::cos(a) - x1 * std::sin(a) : x1 * std::cos(a) + x0 * std::sin(a);
            size_t c = (((size_t)b * KVH + (h - NH + KVH) % KVH) * L + hpos[b]) * HD + d;
            if (h < NH) worst = std::max(worst, std::fabs(rot - hq[((size_t)b * NH + h) * HD + d]));
            else if (h < NH + KVH) other = std::max(other, std::fabs(rot - (double)__bfloat162float(hk[c])));
            else other = std::max(other, std::fabs((double)s[d] - (double)__bfloat162float(hv[c])));
        }
        verdict("rotary + append", worst < 1e-3 && other < 1.2e-2, worst);
    }
    GPU(cudaDeviceSynchronize());
    puts(failures ? "FAIL" : "PASS");
    return failures ? 1 : 0;
}
