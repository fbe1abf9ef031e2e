// decode_attn.cu - one decoding step of grouped-query attention against a half precision KV cache:
// rotary embedding + cache append, then several ways of doing q.K and p.V, with and without splitting the sequence.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace decode {

constexpr int D = 128;              // head size
constexpr int HQ = 32, HKV = 8, GROUP = HQ / HKV;
constexpr int MAX_T = 2048, PAGE = 64;

#define CUDA_TRY(...)                                                                                     \
    if (const auto status = (__VA_ARGS__)) {                                                              \
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorString(status), #__VA_ARGS__);                       \
        std::exit(1);                                                                                     \
    }

template <class T>
struct Dev {
    T* p;
    std::size_t n;
    explicit Dev(std::size_t count) : n(count) { CUDA_TRY(cudaMalloc(&p, n * sizeof(T))); }
    explicit Dev(const std::vector<T>& v) : Dev(v.size()) { CUDA_TRY(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
    ~Dev() { cudaFree(p); }
    Dev(const Dev&) = delete;
    Dev& operator=(const Dev&) = delete;
    auto host() const {
        std::vector<T> v(n);
        CUDA_TRY(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

// cache layout: [batch][kv head][MAX_T][D]
__host__ __device__ inline std::size_t cache_at(int b, int h, int t) { return ((std::size_t(b) * HKV + h) * MAX_T + t) * D; }

// ------------------------------------------------------------------------------------ 1: rope on q, rope on k + append, append v
// one block per (head of q|k|v, batch); the new position of sequence b is len[b]-1
__global__ void rope_append(float* __restrict__ q, const float* __restrict__ knew, const float* __restrict__ vnew, half* __restrict__ kc,
                            half* __restrict__ vc, const int* __restrict__ len) {
    const int b = blockIdx.y, i = threadIdx.x, pos = len[b] - 1;      // i in [0, 64)
    int h = blockIdx.x;
    if (h >= HQ + HKV) {                                              // v: a plain conversion
        h -= HQ + HKV;
        const float2 v = reinterpret_cast<const float2*>(vnew + (std::size_t(b) * HKV + h) * D)[i];
        reinterpret_cast<half2*>(vc + cache_at(b, h, pos))[i] = __floats2half2_rn(v.x, v.y);
        return;
    }
    float s, c;
    sincosf(pos * exp2f(-float(i) / 64.f * 13.2877123795f), &s, &c);  // 10000^(-i/64)
    if (h < HQ) {
        float* x = q + (std::size_t(b) * HQ + h) * D;
        const float x0 = x[i], x1 = x[i + 64];
        x[i] = x0 * c - x1 * s;
        x[i + 64] = x1 * c + x0 * s;
    } else {
        h -= HQ;
        const float* x = knew + (std::size_t(b) * HKV + h) * D;
        half* o = kc + cache_at(b, h, pos);
        o[i] = __float2half(x[i] * c - x[i + 64] * s);
        o[i + 64] = __float2half(x[i + 64] * c + x[i] * s);
    }
}

// ------------------------------------------------------------------------------------ 2: a block per (query head, batch), scores kept in shared memory
__global__ void __launch_bounds__(128) one_head(const float* __restrict__ q, const half* __restrict__ kc, const half* __restrict__ vc, const int* __restrict__ len,
                                                float* __restrict__ out, float scale) {
    extern __shared__ float p[];                 // MAX_T scores
    __shared__ float red[4];
    __shared__ float sq[D];
    const int h = blockIdx.x, b = blockIdx.y, n = len[b], tid = threadIdx.x;
    const half* K = kc + cache_at(b, h / GROUP, 0);
    const half* V = vc + cache_at(b, h / GROUP, 0);
    sq[tid] = q[(std::size_t(b) * HQ + h) * D + tid] * scale;
    __syncthreads();
    float mx = -FLT_MAX;
    for (int t = tid; t < n; t += 128) {         // a thread per key: long strides between lanes
        const half2* k = reinterpret_cast<const half2*>(K + std::size_t(t) * D);
        float s = 0;
#pragma unroll 8
        for (int e = 0; e < D / 2; ++e) {
            const float2 x = __half22float2(k[e]);
            s += x.x * sq[2 * e] + x.y * sq[2 * e + 1];
        }
        p[t] = s;
        mx = fmaxf(mx, s);
    }
    for (int o = 16; o; o >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, o));
    if (tid % 32 == 0) red[tid / 32] = mx;
    __syncthreads();
    mx = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
    float sum = 0;
    for (int t = tid; t < n; t += 128) { p[t] = __expf(p[t] - mx); sum += p[t]; }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    __syncthreads();
    if (tid % 32 == 0) red[tid / 32] = sum;
    __syncthreads();
    sum = red[0] + red[1] + red[2] + red[3];
    float acc = 0;
#pragma unroll 4
    for (int t = 0; t < n; ++t) acc += p[t] * __half2float(V[std::size_t(t) * D + tid]);
    out[(std::size_t(b) * HQ + h) * D + tid] = acc / sum;
}

// ------------------------------------------------------------------------------------ 3: the four query heads of a group together, optional split and pages
// 8 warps; a warp takes every eighth key, each lane holds 4 of the 128 dims, running softmax per warp, merged at the end
struct Flat {
    const half *k, *v;
    __device__ std::size_t at(int b, int h, int t) const { return cache_at(b, h, t); }
};
struct Paged {                        // [page][kv head][PAGE][D] and a table of pages for each sequence
    const half *k, *v;
    const int* table;
    __device__ std::size_t at(int b, int h, int t) const {
        const int page = __ldg(table + b * (MAX_T / PAGE) + t / PAGE);
        return ((std::size_t(page) * HKV + h) * PAGE + t % PAGE) * D;
    }
};
struct Partial { float m, l; };

template <class Cache, bool SPLIT>
__global__ void __launch_bounds__(256) group_heads(const float* __restrict__ q, Cache cache, const int* __restrict__ len, float* __restrict__ out,
                                                   Partial* __restrict__ ml, float scale) {
    __shared__ __align__(16) float so[8][GROUP][D];
    __shared__ Partial sml[8][GROUP];
    const int hk = blockIdx.x, b = blockIdx.y, z = blockIdx.z, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int t0 = 0, t1 = len[b];
    if constexpr (SPLIT) {
        const int chunk = (t1 + gridDim.z - 1) / gridDim.z;
        t0 = z * chunk;
        t1 = min(t1, t0 + chunk);
    }
    float4 qv[GROUP], o[GROUP];
    Partial st[GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        qv[g] = reinterpret_cast<const float4*>(q + (std::size_t(b) * HQ + hk * GROUP + g) * D)[lane];
        qv[g].x *= scale; qv[g].y *= scale; qv[g].z *= scale; qv[g].w *= scale;
        o[g] = make_float4(0, 0, 0, 0);
        st[g] = {-1e30f, 0.f};
    }
    auto load4 = [&](const half* base, int t) {
        const uint2 raw = *reinterpret_cast<const uint2*>(base + cache.at(b, hk, t) + lane * 4);
        const float2 lo = __half22float2(*reinterpret_cast<const half2*>(&raw.x)), hi = __half22float2(*reinterpret_cast<const half2*>(&raw.y));
        return make_float4(lo.x, lo.y, hi.x, hi.y);
    };
    for (int t = t0 + warp; t < t1; t += 8) {
        const float4 k = load4(cache.k, t), v = load4(cache.v, t);
        float s[GROUP];
#pragma unroll
        for (int g = 0; g < GROUP; ++g) s[g] = k.x * qv[g].x + k.y * qv[g].y + k.z * qv[g].z + k.w * qv[g].w;
#pragma unroll
        for (int w = 16; w; w >>= 1)
#pragma unroll
            for (int g = 0; g < GROUP; ++g) s[g] += __shfl_xor_sync(~0u, s[g], w);
#pragma unroll
        for (int g = 0; g < GROUP; ++g) {
            const float m = fmaxf(st[g].m, s[g]), c = __expf(st[g].m - m), e = __expf(s[g] - m);
            st[g].m = m;
            st[g].l = st[g].l * c + e;
            o[g].x = o[g].x * c + e * v.x; o[g].y = o[g].y * c + e * v.y;
            o[g].z = o[g].z * c + e * v.z; o[g].w = o[g].w * c + e * v.w;
        }
    }
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        *reinterpret_cast<float4*>(&so[warp][g][lane * 4]) = o[g];
        if (lane == 0) sml[warp][g] = st[g];
    }
    __syncthreads();
    for (int x = threadIdx.x; x < GROUP * D; x += 256) {
        const int g = x / D, e = x % D;
        float m = -1e30f, l = 0, acc = 0;
        for (int w = 0; w < 8; ++w) m = fmaxf(m, sml[w][g].m);
        for (int w = 0; w < 8; ++w) {
            const float c = __expf(sml[w][g].m - m);
            l += c * sml[w][g].l;
            acc += c * so[w][g][e];
        }
        const std::size_t row = std::size_t(b) * HQ + hk * GROUP + g;
        if constexpr (SPLIT) {
            out[(row * gridDim.z + z) * D + e] = acc;
            if (e == 0) ml[row * gridDim.z + z] = {m, l};
        } else {
            out[row * D + e] = acc / l;
        }
    }
}

// ------------------------------------------------------------------------------------ 4: joining the splits
__global__ void join_splits(const float* __restrict__ part, const Partial* __restrict__ ml, float* __restrict__ out, int splits) {
    const std::size_t row = blockIdx.x;
    float m = -1e30f;
    for (int z = 0; z < splits; ++z) m = fmaxf(m, ml[row * splits + z].m);
    float l = 0, acc = 0;
    for (int z = 0; z < splits; ++z) {
        const float c = __expf(ml[row * splits + z].m - m);
        l += c * ml[row * splits + z].l;
        acc += c * part[(row * splits + z) * D + threadIdx.x];
    }
    out[row * D + threadIdx.x] = acc / l;
}

// ------------------------------------------------------------------------------------ 5: half2 arithmetic for q.K, keys staged by 16-byte loads, 64 keys a round
template <int KEYS>
__global__ void __launch_bounds__(128) split_staged(const float* __restrict__ q, const half* __restrict__ kc, const half* __restrict__ vc, const int* __restrict__ len,
                                                    float* __restrict__ part, Partial* __restrict__ ml, float scale) {
    constexpr int LD = D + 8;
    __shared__ __align__(16) half sk[KEYS * LD];
    __shared__ __align__(16) half sv[KEYS * D];
    __shared__ float sq[GROUP][D];
    __shared__ float sp[GROUP][KEYS];
    const int hk = blockIdx.x, b = blockIdx.y, z = blockIdx.z, tid = threadIdx.x, warp = tid / 32, lane = tid % 32;   // warp = query head of the group
    const int n = len[b], chunk = ((n + gridDim.z - 1) / gridDim.z + KEYS - 1) / KEYS * KEYS;
    const int t0 = z * chunk, t1 = min(n, t0 + chunk);
    for (int x = tid; x < GROUP * D; x += 128) sq[x / D][x % D] = q[(std::size_t(b) * HQ + hk * GROUP) * D + x] * scale;
    float m = -1e30f, l = 0;
    float4 o = make_float4(0, 0, 0, 0);          // dims 4*lane..
    for (int t = t0; t < t1; t += KEYS) {
        __syncthreads();
        for (int x = tid; x < KEYS * D / 8; x += 128) {
            const int r = x / (D / 8), c = x % (D / 8) * 8;
            uint4 a = make_uint4(0, 0, 0, 0), v = a;
            if (t + r < t1) {
                a = *reinterpret_cast<const uint4*>(kc + cache_at(b, hk, t + r) + c);
                v = *reinterpret_cast<const uint4*>(vc + cache_at(b, hk, t + r) + c);
            }
            *reinterpret_cast<uint4*>(sk + r * LD + c) = a;
            *reinterpret_cast<uint4*>(sv + r * D + c) = v;
        }
        __syncthreads();
        float s[KEYS / 32], mx = m;
#pragma unroll
        for (int u = 0; u < KEYS / 32; ++u) {
            const half* k = sk + (u * 32 + lane) * LD;
            float a = 0;
#pragma unroll 4
            for (int e = 0; e < D; e += 8) {
                const uint4 raw = *reinterpret_cast<const uint4*>(k + e);
                const half2* h = reinterpret_cast<const half2*>(&raw);
#pragma unroll
                for (int y = 0; y < 4; ++y) {
                    const float2 f = __half22float2(h[y]);
                    a = fmaf(f.x, sq[warp][e + 2 * y], a);
                    a = fmaf(f.y, sq[warp][e + 2 * y + 1], a);
                }
            }
            s[u] = t + u * 32 + lane < t1 ? a : -1e30f;
            mx = fmaxf(mx, s[u]);
        }
        for (int w = 16; w; w >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, w));
        const float c = __expf(m - mx);
        m = mx;
        float sum = 0;
#pragma unroll
        for (int u = 0; u < KEYS / 32; ++u) {
            s[u] = t + u * 32 + lane < t1 ? __expf(s[u] - m) : 0.f;
            sum += s[u];
            sp[warp][u * 32 + lane] = s[u];
        }
        for (int w = 16; w; w >>= 1) sum += __shfl_xor_sync(~0u, sum, w);
        l = l * c + sum;
        o.x *= c; o.y *= c; o.z *= c; o.w *= c;
        __syncwarp();
#pragma unroll 8
        for (int r = 0; r < KEYS; ++r) {
            const float pr = sp[warp][r];
            const half2* v = reinterpret_cast<const half2*>(sv + r * D + lane * 4);
            const float2 lo = __half22float2(v[0]), hi = __half22float2(v[1]);
            o.x = fmaf(pr, lo.x, o.x); o.y = fmaf(pr, lo.y, o.y);
            o.z = fmaf(pr, hi.x, o.z); o.w = fmaf(pr, hi.y, o.w);
        }
    }
    const std::size_t row = (std::size_t(b) * HQ + hk * GROUP + warp) * gridDim.z + z;
    reinterpret_cast<float4*>(part + row * D)[lane] = o;
    if (lane == 0) ml[row] = {m, l};
}

}  // namespace decode

int main() {
    using namespace decode;
    const std::vector<int> len = {2048, 1031, 777, 1900, 64, 1500, 2000, 333};
    const int B = int(len.size());
    const float scale = 1.f / std::sqrt(float(D));
    std::uint64_t state = 88172645463325252ull;
    auto rnd = [&] { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return float(state >> 40) / 8388608.f - 1.f; };
    auto fvec = [&](std::size_t n) { std::vector<float> v(n); std::generate(v.begin(), v.end(), rnd); return v; };

    const auto q0 = fvec(std::size_t(B) * HQ * D), kn = fvec(std::size_t(B) * HKV * D), vn = fvec(std::size_t(B) * HKV * D);
    std::vector<half> kh(std::size_t(B) * HKV * MAX_T * D), vh(kh.size());
    for (auto& x : kh) x = __float2half(1.5f * rnd());
    for (auto& x : vh) x = __float2half(rnd());

    Dev<float> q(q0), dkn(kn), dvn(vn), out(q0.size());
    Dev<half> kc(kh), vc(vh);
    Dev<int> dlen(len);
    int bad = 0;
    auto verdict = [&](const char* name, double worst, double tol) {
        const bool ok = worst < tol;
        bad += !ok;
        std::printf("%-26s worst %.2e %s\n", name, worst, ok ? "PASS" : "FAIL");
    };

    // --- rope and append
    rope_append<<<dim3(HQ + 2 * HKV, B), 64>>>(q.p, dkn.p, dvn.p, kc.p, vc.p, dlen.p);
    CUDA_TRY(cudaGetLastError());
    const auto qr = q.host();
    const auto kr = kc.host(), vr = vc.host();
    {
        double worst = 0;
        for (int b = 0; b < B; ++b) {
            const int pos = len[b] - 1;
            for (int i = 0; i < 64; ++i) {
                const double ang = pos * std::pow(10000.0, -i / 64.0), c = std::cos(ang), s = std::sin(ang);
                auto seen = [&](double d) { d = std::fabs(d); if (!(d <= worst)) worst = d; };
                for (int h = 0; h < HQ; ++h) {
                    const float *x = &q0[(std::size_t(b) * HQ + h) * D], *y = &qr[(std::size_t(b) * HQ + h) * D];
                    seen(x[i] * c - x[i + 64] * s - y[i]);
                    seen(x[i + 64] * c + x[i] * s - y[i + 64]);
                }
                for (int h = 0; h < HKV; ++h) {
                    const float *x = &kn[(std::size_t(b) * HKV + h) * D], *v = &vn[(std::size_t(b) * HKV + h) * D];
                    seen(x[i] * c - x[i + 64] * s - __half2float(kr[cache_at(b, h, pos) + i]));
                    seen(v[i + 64] - __half2float(vr[cache_at(b, h, pos) + i + 64]));
                }
            }
        }
        verdict("rope + append", worst, 5e-3);
    }
    // --- reference with the device's rotated q and caches, every second head
    std::vector<double> want(q0.size(), 0.0);
    auto sampled = [](int h) { return h % 2 == 0 || h == 31; };
    {
        std::vector<float> row(D);
        for (int b = 0; b < B; ++b)
            for (int h = 0; h < HQ; ++h) {
                if (!sampled(h)) continue;
                const float* x = &qr[(std::size_t(b) * HQ + h) * D];
                double* w = &want[(std::size_t(b) * HQ + h) * D];
                std::vector<double> s(len[b]);
                for (int t = 0; t < len[b]; ++t) {
                    const half* k = &kr[cache_at(b, h / GROUP, t)];
                    double a = 0;
                    for (int e = 0; e < D; ++e) a += double(x[e]) * __half2float(k[e]);
                    s[t] = a * scale;
                }
                const double m = *std::max_element(s.begin(), s.end());
                double l = 0;
                for (int t = 0; t < len[b]; ++t) {
                    const double p = std::exp(s[t] - m);
                    l += p;
                    const half* v = &vr[cache_at(b, h / GROUP, t)];
                    for (int e = 0; e < D; ++e) w[e] += p * __half2float(v[e]);
                }
                for (int e = 0; e < D; ++e) w[e] /= l;
            }
    }
    auto check_out = [&](const char* name) {
        CUDA_TRY(cudaGetLastError());
        const auto got = out.host();
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (!sampled(int(i / D) % HQ)) continue;
            const double d = std::fabs(got[i] - want[i]);
            if (!(d <= worst)) worst = d;
        }
        verdict(name, worst, 1e-3);
        CUDA_TRY(cudaMemset(out.p, 0xff, out.n * sizeof(float)));
    };

    one_head<<<dim3(HQ, B), 128, MAX_T * sizeof(float)>>>(q.p, kc.p, vc.p, dlen.p, out.p, scale);
    check_out("one head a block");

    const Flat flat{kc.p, vc.p};
    group_heads<Flat, false><<<dim3(HKV, B), 256>>>(q.p, flat, dlen.p, out.p, nullptr, scale);
    check_out("grouped heads");

    for (int splits : {4, 16}) {
        Dev<float> part(std::size_t(B) * HQ * splits * D);
        Dev<Partial> ml(std::size_t(B) * HQ * splits);
        group_heads<Flat, true><<<dim3(HKV, B, splits), 256>>>(q.p, flat, dlen.p, part.p, ml.p, scale);
        join_splits<<<B * HQ, D>>>(part.p, ml.p, out.p, splits);
        check_out(("grouped heads, split " + std::to_string(splits)).c_str());
    }
    {
        const int splits = 8;
        Dev<float> part(std::size_t(B) * HQ * splits * D);
        Dev<Partial> ml(std::size_t(B) * HQ * splits);
        split_staged<64><<<dim3(HKV, B, splits), 128>>>(q.p, kc.p, vc.p, dlen.p, part.p, ml.p, scale);
        join_splits<<<B * HQ, D>>>(part.p, ml.p, out.p, splits);
        check_out("staged keys, split 8");
    }
    {   // the same cache cut into pages that lie in a scrambled order
        const int per = MAX_T / PAGE, pages = B * per;
        std::vector<int> table(pages);
        std::iota(table.begin(), table.end(), 0);
        for (int i = pages - 1; i > 0; --i) { state = state * 6364136223846793005ull + 1; std::swap(table[i], table[(state >> 33) % (i + 1)]); }
        std::vector<half> pk(kh.size()), pv(kh.size());
        for (int b = 0; b < B; ++b)
            for (int pg = 0; pg < per; ++pg)
                for (int h = 0; h < HKV; ++h) {
                    const std::size_t to = (std::size_t(table[b * per + pg]) * HKV + h) * PAGE * D, from = cache_at(b, h, pg * PAGE);
                    std::copy_n(kr.begin() + from, PAGE * D, pk.begin() + to);
                    std::copy_n(vr.begin() + from, PAGE * D, pv.begin() + to);
                }
        Dev<half> dk(pk), dv(pv);
        Dev<int> dt(table);
        const int splits = 8;
        Dev<float> part(std::size_t(B) * HQ * splits * D);
        Dev<Partial> ml(std::size_t(B) * HQ * splits);
        group_heads<Paged, true><<<dim3(HKV, B, splits), 256>>>(q.p, Paged{dk.p, dv.p, dt.p}, dlen.p, part.p, ml.p, scale);
        join_splits<<<B * HQ, D>>>(part.p, ml.p, out.p, splits);
        check_out("paged cache, split 8");
    }
    std::puts(bad ? "not all right" : "all right");
    return bad;
}
