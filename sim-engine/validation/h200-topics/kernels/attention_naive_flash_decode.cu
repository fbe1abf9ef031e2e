// Attention kernels: permute, naive QK^T / softmax / AV, unpermute, flash style fp32, GQA decode with KV cache, split-K decode.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cfloat>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define GPU_CHECK(e) gpu_check((e), __LINE__)
static void gpu_check(cudaError_t e, int line) { if (e != cudaSuccess) { printf("line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
__host__ __device__ constexpr int cdiv(int a, int b) { return (a + b - 1) / b; }

struct AttnShape { int B, T, NH, HS; int C() const { return NH * HS; } };

__global__ void fill_uniform(float* x, size_t n, unsigned seed) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 747796405u + seed;
    h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
    h = (h >> 22) ^ h;
    x[i] = (h >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

// (B,T,3,NH,HS) -> q,k,v (B,NH,T,HS)
__global__ void permute_kernel(float* q, float* k, float* v, const float* inp, int B, int T, int NH, int HS) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * NH * T * HS) return;
    int b = idx / (NH * T * HS), rest = idx % (NH * T * HS);
    int nh = rest / (T * HS);
    rest %= T * HS;
    int t = rest / HS, d = rest % HS;
    size_t src = (((size_t)b * T + t) * 3 * NH + nh) * HS + d;
    q[idx] = __ldcs(inp + src);
    k[idx] = __ldcs(inp + src + NH * HS);
    v[idx] = __ldcs(inp + src + 2 * NH * HS);
}
__global__ void unpermute_kernel(float* out, const float* inp, int B, int T, int NH, int HS) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * NH * T * HS) return;
    int b = idx / (NH * T * HS), rest = idx % (NH * T * HS);
    int nh = rest / (T * HS);
    rest %= T * HS;
    out[(((size_t)b * T + rest / HS) * NH + nh) * HS + rest % HS] = __ldcs(inp + idx);
}
// one thread per (b,h,t,t2)
__global__ void qk_kernel1(float* pre, const float* q, const float* k, int T, int HS, float scale) {
    int t2 = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y * blockDim.y + threadIdx.y;
    if (t2 >= T || t >= T) return;
    size_t head = blockIdx.z;
    float s = -INFINITY;
    if (t2 <= t) {
        const float *qr = q + (head * T + t) * HS, *kr = k + (head * T + t2) * HS;
        s = 0.0f;
        for (int i = 0; i < HS; i++) s += qr[i] * kr[i];
        s *= scale;
    }
    pre[(head * T + t) * T + t2] = s;
}
__global__ void softmax_rows(float* att, int T) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, t = row % T;
    float* x = att + (size_t)row * T;
    float m = -FLT_MAX, s = 0.0f;
    for (int i = threadIdx.x; i <= t; i += 32) m = fmaxf(m, x[i]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    for (int i = threadIdx.x; i <= t; i += 32) s += __expf(x[i] - m);
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    for (int i = threadIdx.x; i < T; i += 32) x[i] = i <= t ? __expf(x[i] - m) / s : 0.0f;
}
// block (HS, rows): each thread one output channel, loop over the causal prefix
__global__ void av_kernel1(float* out, const float* att, const float* v, int T, int HS) {
    int t = blockIdx.x * blockDim.y + threadIdx.y, d = threadIdx.x;
    size_t head = blockIdx.y;
    const float* a = att + (head * T + t) * T;
    float acc = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) acc += a[t2] * v[(head * T + t2) * HS + d];
    out[(head * T + t) * HS + d] = acc;
}

// flash style: block of BR query rows, one thread per (row, slice of 4); KV tiles of BC in shared memory
template <int HS, int BR, int BC>
__global__ void __launch_bounds__(BR * 4) flash_forward(float* __restrict__ out, const float* __restrict__ q, const float* __restrict__ k,
                                                        const float* __restrict__ v, int T, float scale) {
    constexpr int PART = HS / 4;                  // channels owned by a thread, interleaved by 4
    __shared__ float ks[BC][HS];
    __shared__ float vs[BC][HS];
    const int row = threadIdx.x / 4, part = threadIdx.x % 4;
    const int tile = gridDim.x - 1 - blockIdx.x;  // longest first
    const int t = tile * BR + row;
    const size_t base = (size_t)blockIdx.y * T * HS;
    float qr[PART], acc[PART];
#pragma unroll
    for (int i = 0; i < PART; i++) { qr[i] = q[base + (size_t)t * HS + i * 4 + part] * scale; acc[i] = 0.0f; }
    float m = -FLT_MAX, l = 0.0f;
    const int last = tile * BR + BR - 1;
    for (int j0 = 0; j0 <= last; j0 += BC) {
        __syncthreads();
        for (int i = threadIdx.x; i < BC * HS / 4; i += BR * 4) {
            reinterpret_cast<float4*>(&ks[0][0])[i] = reinterpret_cast<const float4*>(k + base + (size_t)j0 * HS)[i];
            reinterpret_cast<float4*>(&vs[0][0])[i] = reinterpret_cast<const float4*>(v + base + (size_t)j0 * HS)[i];
        }
        __syncthreads();
        float s[BC], mt = m;
#pragma unroll
        for (int j = 0; j < BC; j++) {
            float x = 0.0f;
#pragma unroll
            for (int i = 0; i < PART; i++) x += qr[i] * ks[j][i * 4 + part];
            x += __shfl_xor_sync(0xffffffff, x, 1);
            x += __shfl_xor_sync(0xffffffff, x, 2);
            s[j] = j0 + j <= t ? x : -FLT_MAX;
            mt = fmaxf(mt, s[j]);
        }
        float corr = __expf(m - mt);
        m = mt;
        l *= corr;
#pragma unroll
        for (int i = 0; i < PART; i++) acc[i] *= corr;
#pragma unroll
        for (int j = 0; j < BC; j++) {
            float p = j0 + j <= t ? __expf(s[j] - m) : 0.0f;
            l += p;
#pragma unroll
            for (int i = 0; i < PART; i++) acc[i] += p * vs[j][i * 4 + part];
        }
    }
    float inv = 1.0f / l;
#pragma unroll
    for (int i = 0; i < PART; i++) out[base + (size_t)t * HS + i * 4 + part] = acc[i] * inv;
}

// ---- decode: one query token per sequence; cache (B, KVH, L, HS) in half; GQA: GROUP query heads share a kv head ----
__global__ void cache_to_half(half2* dst, const float2* src, size_t n2) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += (size_t)gridDim.x * blockDim.x) dst[i] = __float22half2_rn(src[i]);
}
// Block = (b, kv head, split): GROUP warps, each a query head. With gridDim.z==1 writes final output, else partials.
template <int HS, int GROUP>
__global__ void decode_attn(float* out, float* part_o, float2* part_ml, const float* q, const half* kc, const half* vc,
                            int L, int KVH, float scale) {
    constexpr int E = HS / 32, TL = 32;
    __shared__ half ksm[TL][HS], vsm[TL][HS];
    int lane = threadIdx.x % 32, g = threadIdx.x / 32;
    int b = blockIdx.y, kvh = blockIdx.x, S = gridDim.z, per = cdiv(cdiv(L, TL), S) * TL;
    int begin = blockIdx.z * per, end = min(L, begin + per);
    size_t head = (size_t)b * KVH * GROUP + kvh * GROUP + g, cache = ((size_t)b * KVH + kvh) * L * HS;
    float qr[E], acc[E] = {}, m = -FLT_MAX, l = 0.0f;
    for (int e = 0; e < E; e++) qr[e] = q[head * HS + lane * E + e] * scale;
    for (int j0 = begin; j0 < end; j0 += TL) {
        int cnt = min(TL, end - j0);
        __syncthreads();
        for (int i = threadIdx.x; i < cnt * HS / 8; i += GROUP * 32) {
            reinterpret_cast<uint4*>(&ksm[0][0])[i] = __ldg(reinterpret_cast<const uint4*>(kc + cache + (size_t)j0 * HS) + i);
            reinterpret_cast<uint4*>(&vsm[0][0])[i] = __ldg(reinterpret_cast<const uint4*>(vc + cache + (size_t)j0 * HS) + i);
        }
        __syncthreads();
        for (int j = 0; j < cnt; j++) {
            float x = 0.0f;
#pragma unroll
            for (int e = 0; e < E; e++) x += qr[e] * __half2float(ksm[j][lane * E + e]);
            for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(0xffffffff, x, o);
            float mn = fmaxf(m, x), c = __expf(m - mn), p = __expf(x - mn);
            m = mn;
            l = l * c + p;
#pragma unroll
            for (int e = 0; e < E; e++) acc[e] = acc[e] * c + p * __half2float(vsm[j][lane * E + e]);
        }
    }
    if (S == 1) {
        for (int e = 0; e < E; e++) out[head * HS + lane * E + e] = acc[e] / l;
    } else {
        for (int e = 0; e < E; e++) part_o[(head * S + blockIdx.z) * HS + lane * E + e] = acc[e];
        if (lane == 0) part_ml[head * S + blockIdx.z] = make_float2(m, l);
    }
}
template <int HS>
__global__ void decode_combine(float* out, const float* part_o, const float2* part_ml, int S) {
    size_t head = blockIdx.x;
    float m = -FLT_MAX, l = 0.0f, o = 0.0f;
    for (int s = 0; s < S; s++) m = fmaxf(m, part_ml[head * S + s].x);
    for (int s = 0; s < S; s++) {
        float2 ml = part_ml[head * S + s];
        float w = __expf(ml.x - m);
        l += ml.y * w;
        o += part_o[(head * S + s) * HS + threadIdx.x] * w;
    }
    out[head * HS + threadIdx.x] = o / l;
}

static int bad_runs = 0;
static void result(const char* name, double err, double tol) {
    bool ok = err <= tol;
    printf("%-30s %.2e %s\n", name, err, ok ? "ok" : "BAD");
    if (!ok) bad_runs++;
}
static double vec_err(const std::vector<float>& a, const std::vector<double>& b) {
    double e = 0;
    for (size_t i = 0; i < a.size(); i++) { double d = std::fabs(a[i] - b[i]); if (!(d <= e)) e = d; }
    return e;
}

int main() {
    AttnShape s{2, 1024, 12, 64};
    const int C = s.C();
    const size_t BTC = (size_t)s.B * s.T * C, ATT = (size_t)s.B * s.NH * s.T * s.T;
    const float scale = 1.0f / sqrtf((float)s.HS);
    float *qkv, *q, *k, *v, *att, *o, *out;
    GPU_CHECK(cudaMalloc(&qkv, 3 * BTC * 4));
    for (float** p : {&q, &k, &v, &o, &out}) GPU_CHECK(cudaMalloc(p, BTC * 4));
    GPU_CHECK(cudaMalloc(&att, ATT * 4));
    fill_uniform<<<(unsigned)((3 * BTC + 255) / 256), 256>>>(qkv, 3 * BTC, 99u);
    GPU_CHECK(cudaGetLastError());
    std::vector<float> h(3 * BTC);
    GPU_CHECK(cudaMemcpy(h.data(), qkv, 3 * BTC * 4, cudaMemcpyDeviceToHost));

    auto reference = [&](int b, int t, int nh) {
        auto at = [&](int tt, int which) { return &h[(((size_t)b * s.T + tt) * 3 + which) * C + nh * s.HS]; };
        std::vector<double> p(t + 1), r(s.HS, 0.0);
        double mx = -1e300, sum = 0;
        for (int j = 0; j <= t; j++) {
            double d = 0;
            for (int i = 0; i < s.HS; i++) d += (double)at(t, 0)[i] * at(j, 1)[i];
            p[j] = d * scale;
            mx = std::fmax(mx, p[j]);
        }
        for (auto& x : p) sum += x = std::exp(x - mx);
        for (int j = 0; j <= t; j++) for (int i = 0; i < s.HS; i++) r[i] += p[j] / sum * at(j, 2)[i];
        return r;
    };
    auto sample = [&](const char* name, const float* dev, bool permuted) {
        double e = 0;
        for (int t : {0, 1, 63, 64, 500, 1023}) for (int nh : {0, 7, 11}) {
            int b = (t + nh) % s.B;
            size_t at = permuted ? (((size_t)b * s.NH + nh) * s.T + t) * s.HS : ((size_t)b * s.T + t) * C + nh * s.HS;
            std::vector<float> got(s.HS);
            GPU_CHECK(cudaMemcpy(got.data(), dev + at, s.HS * 4, cudaMemcpyDeviceToHost));
            double d = vec_err(got, reference(b, t, nh));
            if (!(d <= e)) e = d;
        }
        result(name, e, 1e-4);
    };

    const int total = s.B * s.NH * s.T * s.HS, heads = s.B * s.NH;
    permute_kernel<<<cdiv(total, 256), 256>>>(q, k, v, qkv, s.B, s.T, s.NH, s.HS);
    GPU_CHECK(cudaGetLastError());
    qk_kernel1<<<dim3(s.T / 32, s.T / 8, heads), dim3(32, 8)>>>(att, q, k, s.T, s.HS, scale);
    GPU_CHECK(cudaGetLastError());
    softmax_rows<<<heads * s.T / 8, dim3(32, 8)>>>(att, s.T);
    GPU_CHECK(cudaGetLastError());
    av_kernel1<<<dim3(s.T / 4, heads), dim3(s.HS, 4)>>>(o, att, v, s.T, s.HS);
    GPU_CHECK(cudaGetLastError());
    unpermute_kernel<<<cdiv(total, 512), 512>>>(out, o, s.B, s.T, s.NH, s.HS);
    GPU_CHECK(cudaGetLastError());
    sample("naive + unpermute", out, false);

    GPU_CHECK(cudaMemset(o, 0, BTC * 4));
    flash_forward<64, 64, 32><<<dim3(s.T / 64, heads), 256>>>(o, q, k, v, s.T, scale);
    GPU_CHECK(cudaGetLastError());
    sample("flash 64x32", o, true);
    GPU_CHECK(cudaMemset(o, 0, BTC * 4));
    flash_forward<64, 32, 16><<<dim3(s.T / 32, heads), 128>>>(o, q, k, v, s.T, scale);
    GPU_CHECK(cudaGetLastError());
    sample("flash 32x16", o, true);

    // decode: Llama-like GQA, 32 query heads over 8 kv heads of 128; both caches carved out of the attention matrix
    constexpr int DB = 4, KVH = 8, GROUP = 4, HS = 128, S = 8;
    const int L = 2000;
    const size_t cn = (size_t)DB * KVH * L * HS;          // elements of each cache, 8.2M
    half* kc = reinterpret_cast<half*>(att);
    half* vc = kc + cn;
    float* part_o = att + cn + 1024;                      // caches take cn floats together
    float2* part_ml = reinterpret_cast<float2*>(part_o + DB * KVH * GROUP * S * HS);
    cache_to_half<<<264, 256>>>(reinterpret_cast<half2*>(kc), reinterpret_cast<const float2*>(qkv), BTC * 3 / 2);
    GPU_CHECK(cudaGetLastError());
    // the first 3*BTC half values are filled from qkv; the rest of both caches repeats them
    for (size_t at = 3 * BTC; at < 2 * cn; at += 3 * BTC) {
        size_t m = std::min(3 * BTC, 2 * cn - at);
        GPU_CHECK(cudaMemcpy(kc + at, kc, m * sizeof(half), cudaMemcpyDeviceToDevice));
    }
    std::vector<half> hc(2 * cn);
    GPU_CHECK(cudaMemcpy(hc.data(), kc, 2 * cn * sizeof(half), cudaMemcpyDeviceToHost));
    const float dscale = 1.0f / sqrtf(128.0f);
    for (int splits : {1, S}) {
        GPU_CHECK(cudaMemset(out, 0, BTC * 4));
        decode_attn<HS, GROUP><<<dim3(KVH, DB, splits), GROUP * 32>>>(out, part_o, part_ml, qkv, kc, vc, L, KVH, dscale);
        GPU_CHECK(cudaGetLastError());
        if (splits > 1) decode_combine<HS><<<DB * KVH * GROUP, HS>>>(out, part_o, part_ml, splits);
        GPU_CHECK(cudaGetLastError());
        double e = 0;
        for (int head = 0; head < DB * KVH * GROUP; head += 9) {
            const half *kk = &hc[(size_t)(head / GROUP) * L * HS], *vv = kk + cn;
            std::vector<double> p(L), r(HS, 0.0);
            double mx = -1e300, sum = 0;
            for (int j = 0; j < L; j++) {
                double d = 0;
                for (int i = 0; i < HS; i++) d += (double)h[head * HS + i] * __half2float(kk[(size_t)j * HS + i]);
                p[j] = d * dscale;
                mx = std::fmax(mx, p[j]);
            }
            for (auto& x : p) sum += x = std::exp(x - mx);
            for (int j = 0; j < L; j++) for (int i = 0; i < HS; i++) r[i] += p[j] / sum * __half2float(vv[(size_t)j * HS + i]);
            std::vector<float> got(HS);
            GPU_CHECK(cudaMemcpy(got.data(), out + head * HS, HS * 4, cudaMemcpyDeviceToHost));
            double d = vec_err(got, r);
            if (!(d <= e)) e = d;
        }
        result(splits == 1 ? "decode GQA" : "decode GQA split-K", e, 1e-4);
    }
    for (float* p : {qkv, q, k, v, att, o, out}) cudaFree(p);
    printf("%s\n", bad_runs ? "FAIL" : "PASS");
    return bad_runs ? 1 : 0;
}
