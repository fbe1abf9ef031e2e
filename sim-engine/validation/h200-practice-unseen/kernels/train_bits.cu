// train_bits.cu - the small kernels around the big products of a training step.
// Modern C++: RAII device buffers, templates over element type and functor, lambdas for the host references.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <typename T>
class Buffer {
    struct Free { void operator()(T* p) const { cudaFree(p); } };
    std::unique_ptr<T, Free> ptr_;
    std::size_t n_ = 0;

public:
    explicit Buffer(std::size_t n) : n_(n) {
        T* p = nullptr;
        check(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
        ptr_.reset(p);
    }
    explicit Buffer(const std::vector<T>& h) : Buffer(h.size()) { set(h); }
    void set(const std::vector<T>& h) { check(cudaMemcpy(ptr_.get(), h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "h2d"); }
    void zero() { check(cudaMemset(ptr_.get(), 0, n_ * sizeof(T)), "memset"); }
    std::vector<T> get() const {
        std::vector<T> h(n_);
        check(cudaMemcpy(h.data(), ptr_.get(), n_ * sizeof(T), cudaMemcpyDeviceToHost), "d2h");
        return h;
    }
    operator T*() { return ptr_.get(); }
    std::size_t size() const { return n_; }
};

using bf16 = __nv_bfloat16;

// ---------------------------------------------------------------- packs
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T v[N];
    __device__ T& operator[](int i) { return v[i]; }
    __device__ const T& operator[](int i) const { return v[i]; }
};
using Pack8 = Pack<bf16, 8>;

__host__ __device__ inline float up(bf16 x) { return __bfloat162float(x); }
__host__ __device__ inline bf16 down(float x) { return __float2bfloat16(x); }

// ---------------------------------------------------------------- random bits from a counter
__host__ __device__ inline std::uint32_t mix(std::uint32_t x, std::uint32_t key) {
    x ^= key;
    x *= 0x9E3779B1u; x ^= x >> 15;
    x *= 0x85EBCA77u; x ^= x >> 13;
    x *= 0xC2B2AE3Du; x ^= x >> 16;
    return x;
}

// ---------------------------------------------------------------- Adam
struct AdamArgs { float lr, b1, b2, eps, wd, c1, c2; };   // c1, c2: bias corrections

template <typename G>
__global__ void adam_plain(float* p, const G* g, float* m, float* v, std::size_t n, AdamArgs a) {
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    float gi = static_cast<float>(g[i]);
    float mi = a.b1 * m[i] + (1.f - a.b1) * gi;
    float vi = a.b2 * v[i] + (1.f - a.b2) * gi * gi;
    m[i] = mi;
    v[i] = vi;
    p[i] -= a.lr * ((mi * a.c1) / (sqrtf(vi * a.c2) + a.eps) + a.wd * p[i]);
}

// bf16 gradient and parameter copy, fp32 master and moments, four elements a thread
__global__ void __launch_bounds__(256) adam_master(bf16* __restrict__ p16, float4* __restrict__ master, const bf16* __restrict__ g16,
                                                   float4* __restrict__ m, float4* __restrict__ v, int n4, const float* __restrict__ gscale,
                                                   AdamArgs a) {
    const float s = *gscale;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        auto g = reinterpret_cast<const Pack<bf16, 4>*>(g16)[i];
        float4 M = m[i], V = v[i], P = master[i];
        auto step = [&](float& mm, float& vv, float& pp, float gg) {
            gg *= s;
            mm = fmaf(a.b1, mm - gg, gg);
            vv = fmaf(a.b2, vv - gg * gg, gg * gg);
            pp -= a.lr * (__fdividef(mm * a.c1, sqrtf(vv * a.c2) + a.eps) + a.wd * pp);
        };
        step(M.x, V.x, P.x, up(g[0])); step(M.y, V.y, P.y, up(g[1]));
        step(M.z, V.z, P.z, up(g[2])); step(M.w, V.w, P.w, up(g[3]));
        m[i] = M; v[i] = V; master[i] = P;
        Pack<bf16, 4> o{{down(P.x), down(P.y), down(P.z), down(P.w)}};
        reinterpret_cast<Pack<bf16, 4>*>(p16)[i] = o;
    }
}

// ---------------------------------------------------------------- gradient norm and the clip factor
template <int BLOCK>
__device__ float block_sum(float x) {
    __shared__ float lanes[BLOCK / 32];
    for (int o = 16; o; o /= 2) x += __shfl_xor_sync(0xffffffffu, x, o);
    if (threadIdx.x % 32 == 0) lanes[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x % 32 < BLOCK / 32 ? lanes[threadIdx.x % 32] : 0.f;
    for (int o = 16; o; o /= 2) x += __shfl_xor_sync(0xffffffffu, x, o);
    return x;
}

template <int BLOCK>
__global__ void sumsq_partial(const Pack8* __restrict__ g, float* __restrict__ part, int n8) {
    float s = 0.f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n8; i += gridDim.x * BLOCK) {
        Pack8 x = g[i];
#pragma unroll
        for (int k = 0; k < 8; ++k) { float f = up(x[k]); s = fmaf(f, f, s); }
    }
    s = block_sum<BLOCK>(s);
    if (threadIdx.x == 0) part[blockIdx.x] = s;
}
template <int BLOCK>
__global__ void clip_factor(const float* part, int n, float max_norm, float* out) {
    float s = 0.f;
    for (int i = threadIdx.x; i < n; i += BLOCK) s += part[i];
    s = block_sum<BLOCK>(s);
    if (threadIdx.x == 0) out[0] = fminf(1.f, max_norm / (sqrtf(s) + 1e-6f));
}

// ---------------------------------------------------------------- embedding
__global__ void embed_forward(const int* __restrict__ tok, const float4* __restrict__ wte, const float4* __restrict__ wpe,
                              float4* __restrict__ out, int T, int C4) {
    const int bt = blockIdx.x, id = tok[bt], t = bt % T;
    for (int c = threadIdx.x; c < C4; c += blockDim.x) {
        float4 a = wte[(std::size_t)id * C4 + c], b = wpe[(std::size_t)t * C4 + c];
        out[(std::size_t)bt * C4 + c] = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    }
}
__global__ void embed_backward_atomic(const int* tok, const float* dout, float* dwte, int BT, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BT * C) return;
    int bt = i / C, c = i % C;
    atomicAdd(&dwte[tok[bt] * C + c], dout[i]);
}
// no atomics for the positions: a thread owns (t, c) and walks over the batch
__global__ void embed_backward_pos(const float* dout, float* dwpe, int B, int T, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * C) return;
    float s = 0.f;
    for (int b = 0; b < B; ++b) s += dout[(std::size_t)b * T * C + i];
    dwpe[i] += s;
}

// ---------------------------------------------------------------- activations, one generic vectorised kernel
struct Gelu {
    static constexpr float k = 0.7978845608f, c = 0.044715f;
    __host__ __device__ static float fwd(float x) { return 0.5f * x * (1.f + tanhf(k * (x + c * x * x * x))); }
    __host__ __device__ static float bwd(float x, float dy) {
        float t = tanhf(k * (x + c * x * x * x));
        return dy * (0.5f * (1.f + t) + 0.5f * x * (1.f - t * t) * k * (1.f + 3.f * c * x * x));
    }
};
template <typename Op>
__global__ void __launch_bounds__(128) act_forward(const Pack8* __restrict__ x, Pack8* __restrict__ y, int n8) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n8) return;
    Pack8 a = x[i];
#pragma unroll
    for (int k = 0; k < 8; ++k) a[k] = down(Op::fwd(up(a[k])));
    y[i] = a;
}
template <typename Op>
__global__ void __launch_bounds__(128) act_backward(const Pack8* __restrict__ x, const Pack8* __restrict__ dy, Pack8* __restrict__ dx, int n8) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n8) return;
    Pack8 a = x[i], d = dy[i];
#pragma unroll
    for (int k = 0; k < 8; ++k) d[k] = down(Op::bwd(up(a[k]), up(d[k])));
    dx[i] = d;
}

// gate and up halves lie side by side: x is [rows][2*H], y is [rows][H]
__global__ void swiglu_forward(const half2* __restrict__ x, half2* __restrict__ y, int H2) {
    const half2* g = x + (std::size_t)blockIdx.y * 2 * H2;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= H2) return;
    float2 a = __half22float2(g[c]), b = __half22float2(g[c + H2]);
    a.x = a.x / (1.f + __expf(-a.x)) * b.x;
    a.y = a.y / (1.f + __expf(-a.y)) * b.y;
    y[(std::size_t)blockIdx.y * H2 + c] = __float22half2_rn(a);
}
__global__ void swiglu_backward(const half2* __restrict__ x, const half2* __restrict__ dy, half2* __restrict__ dx, int H2) {
    const std::size_t row = (std::size_t)blockIdx.y * 2 * H2;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= H2) return;
    float2 a = __half22float2(x[row + c]), b = __half22float2(x[row + c + H2]), d = __half22float2(dy[(std::size_t)blockIdx.y * H2 + c]);
    auto one = [](float g, float u, float dd, float& dg, float& du) {
        float s = 1.f / (1.f + __expf(-g));
        du = dd * g * s;
        dg = dd * u * s * (1.f + g * (1.f - s));
    };
    float2 dg, du;
    one(a.x, b.x, d.x, dg.x, du.x);
    one(a.y, b.y, d.y, dg.y, du.y);
    dx[row + c] = __float22half2_rn(dg);
    dx[row + c + H2] = __float22half2_rn(du);
}

// ---------------------------------------------------------------- dropout: the mask is never stored
template <bool ADD_RESIDUAL>
__global__ void dropout(const float4* __restrict__ x, const float4* __restrict__ res, float4* __restrict__ y, int n4, std::uint32_t key,
                        std::uint32_t keep_below, float scale) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
        float4 a = x[i];
        a.x = mix(4 * i + 0, key) < keep_below ? a.x * scale : 0.f;
        a.y = mix(4 * i + 1, key) < keep_below ? a.y * scale : 0.f;
        a.z = mix(4 * i + 2, key) < keep_below ? a.z * scale : 0.f;
        a.w = mix(4 * i + 3, key) < keep_below ? a.w * scale : 0.f;
        if constexpr (ADD_RESIDUAL) {
            float4 r = res[i];
            a.x += r.x; a.y += r.y; a.z += r.z; a.w += r.w;
        }
        y[i] = a;
    }
}

// ---------------------------------------------------------------- bias gradient
__global__ void bias_grad_thread(const float* dy, float* db, int R, int C) {      // a thread per column
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C) return;
    float s = 0.f;
    for (int r = 0; r < R; ++r) s += dy[(std::size_t)r * C + c];
    db[c] = s;
}
template <int ROWS>
__global__ void __launch_bounds__(32 * ROWS) bias_grad_block(const float4* __restrict__ dy, float* __restrict__ db, int R, int C4) {
    __shared__ float4 part[ROWS][32];
    const int c = blockIdx.x * 32 + threadIdx.x;
    float4 s = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int r = blockIdx.y * ROWS + threadIdx.y; r < R; r += gridDim.y * ROWS) {
        float4 v = dy[(std::size_t)r * C4 + c];
        s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w;
    }
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    for (int h = ROWS / 2; h > 0; h >>= 1) {
        if (threadIdx.y < h) {
            float4 &a = part[threadIdx.y][threadIdx.x], b = part[threadIdx.y + h][threadIdx.x];
            a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w;
        }
        __syncthreads();
    }
    // 128 floats, the first 128 threads add them
    int t = threadIdx.y * 32 + threadIdx.x;
    if (t < 128) atomicAdd(&db[blockIdx.x * 128 + t], reinterpret_cast<const float*>(&part[0][0])[t]);
}

// ---------------------------------------------------------------- host side
class Report {
    int bad_ = 0;

public:
    template <typename Got, typename Want>
    void compare(std::string_view name, const std::vector<Got>& got, Want want, double abs_tol, double rel_tol, std::size_t step = 1) {
        check(cudaGetLastError(), name.data());
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); i += step) {
            double w = want(i), g = static_cast<double>(static_cast<float>(got[i]));
            double e = std::fabs(w - g) / (abs_tol + rel_tol * std::fabs(w));
            if (!(e <= worst)) worst = e;
        }
        bool ok = worst <= 1.0;
        bad_ += !ok;
        std::printf("%-24s %.3f of tolerance  %s\n", name.data(), worst, ok ? "PASS" : "FAIL");
    }
    int bad() const { return bad_; }
};

struct Lcg {
    std::uint64_t s;
    float operator()() {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        return float(s >> 40) / 8388608.f - 1.f;
    }
};

template <typename T>
std::vector<T> random_vector(std::size_t n, std::uint64_t seed, float scale = 1.f) {
    Lcg rng{seed};
    std::vector<T> v(n);
    std::generate(v.begin(), v.end(), [&] { return T(scale * rng()); });
    return v;
}

constexpr int div_up(int a, int b) { return (a + b - 1) / b; }

int program() {
    Report rep;
    const std::size_t n = 1u << 21;

    {   // Adam, both kinds, with the clip factor in the second
        const AdamArgs a{1e-2f, 0.9f, 0.95f, 1e-8f, 0.1f, 1.f / (1.f - 0.9f), 1.f / (1.f - 0.95f)};
        auto p = random_vector<float>(n, 1), g = random_vector<float>(n, 2), m = random_vector<float>(n, 3, 0.1f);
        auto v = random_vector<float>(n, 4);
        for (auto& x : v) x = 0.01f + x * x;
        Buffer<float> dp(p), dg(g), dm(m), dv(v);
        adam_plain<float><<<div_up(n, 256), 256>>>(dp, dg, dm, dv, n, a);
        auto ref = [&](double pp, double mm, double vv, double gg) {
            mm = a.b1 * mm + (1 - a.b1) * gg;
            vv = a.b2 * vv + (1 - a.b2) * gg * gg;
            return pp - a.lr * (mm * a.c1 / (std::sqrt(vv * a.c2) + a.eps) + a.wd * pp);
        };
        rep.compare("adam fp32", dp.get(), [&](std::size_t i) { return ref(p[i], m[i], v[i], g[i]); }, 1e-5, 1e-5, 3);

        auto g16 = random_vector<bf16>(n, 5);
        Buffer<bf16> dg16(g16), dp16(n);
        Buffer<float> part(256), factor(1);
        sumsq_partial<512><<<256, 512>>>(reinterpret_cast<Pack8*>((bf16*)dg16), part, int(n / 8));
        clip_factor<256><<<1, 256>>>(part, 256, 1.0f, factor);
        const double ss = std::accumulate(g16.begin(), g16.end(), 0.0, [](double s, bf16 x) { return s + double(up(x)) * up(x); });
        const double clip = std::min(1.0, 1.0 / (std::sqrt(ss) + 1e-6));
        rep.compare("clip factor", factor.get(), [&](std::size_t) { return clip; }, 0, 1e-4);

        dp.set(p); dm.set(m); dv.set(v);
        adam_master<<<528, 256>>>(dp16, reinterpret_cast<float4*>((float*)dp), dg16, reinterpret_cast<float4*>((float*)dm),
                                  reinterpret_cast<float4*>((float*)dv), int(n / 4), factor, a);
        rep.compare("adam master", dp.get(), [&](std::size_t i) { return ref(p[i], m[i], v[i], up(g16[i]) * clip); }, 1e-4, 1e-4, 3);
        rep.compare("adam bf16 copy", dp16.get(), [&](std::size_t i) { return ref(p[i], m[i], v[i], up(g16[i]) * clip); }, 1e-3, 5e-3, 3);
    }
    {   // embeddings
        const int B = 8, T = 256, C = 512, V = 3000;
        auto wte = random_vector<float>(std::size_t(V) * C, 6), wpe = random_vector<float>(std::size_t(T) * C, 7),
             dout = random_vector<float>(std::size_t(B) * T * C, 8);
        std::vector<int> tok(B * T);
        Lcg rng{9};
        for (auto& t : tok) { float u = 0.5f * (rng() + 1.f); t = std::min(V - 1, int(u * u * u * V)); }   // small ids often
        Buffer<float> dwte_w(wte), dwpe_w(wpe), out(dout.size()), ddout(dout), gte(wte.size()), gpe(wpe.size());
        Buffer<int> dtok(tok);
        embed_forward<<<B * T, 128>>>(dtok, reinterpret_cast<float4*>((float*)dwte_w), reinterpret_cast<float4*>((float*)dwpe_w),
                                      reinterpret_cast<float4*>((float*)out), T, C / 4);
        rep.compare("embedding forward", out.get(), [&](std::size_t i) {
            std::size_t bt = i / C, c = i % C;
            return double(wte[std::size_t(tok[bt]) * C + c]) + wpe[(bt % T) * C + c]; }, 1e-6, 1e-6);
        gte.zero();
        embed_backward_atomic<<<div_up(B * T * C, 256), 256>>>(dtok, ddout, gte, B * T, C);
        std::vector<double> want(wte.size(), 0.0);
        for (int bt = 0; bt < B * T; ++bt)
            for (int c = 0; c < C; ++c) want[std::size_t(tok[bt]) * C + c] += dout[std::size_t(bt) * C + c];
        rep.compare("embedding backward", gte.get(), [&](std::size_t i) { return want[i]; }, 1e-3, 1e-4);
        gpe.zero();
        embed_backward_pos<<<div_up(T * C, 128), 128>>>(ddout, gpe, B, T, C);
        rep.compare("position backward", gpe.get(), [&](std::size_t i) {
            double s = 0;
            for (int b = 0; b < B; ++b) s += dout[std::size_t(b) * T * C + i];
            return s; }, 1e-4, 1e-4);
    }
    {   // gelu
        auto x = random_vector<bf16>(n, 10, 4.f), dy = random_vector<bf16>(n, 11);
        Buffer<bf16> dx(x), ddy(dy), y(n), gx(n);
        const int n8 = int(n / 8);
        auto p8 = [](Buffer<bf16>& b) { return reinterpret_cast<Pack8*>((bf16*)b); };
        act_forward<Gelu><<<div_up(n8, 128), 128>>>(p8(dx), p8(y), n8);
        rep.compare("gelu forward", y.get(), [&](std::size_t i) { return Gelu::fwd(up(x[i])); }, 1e-3, 1e-2, 7);
        act_backward<Gelu><<<div_up(n8, 128), 128>>>(p8(dx), p8(ddy), p8(gx), n8);
        rep.compare("gelu backward", gx.get(), [&](std::size_t i) { return Gelu::bwd(up(x[i]), up(dy[i])); }, 1e-3, 1e-2, 7);
    }
    {   // swiglu, half
        const int R = 1024, H = 1376;
        auto x = random_vector<half>(std::size_t(R) * 2 * H, 12, 3.f), dy = random_vector<half>(std::size_t(R) * H, 13);
        Buffer<half> dx(x), ddy(dy), y(dy.size()), gx(x.size());
        auto h2 = [](Buffer<half>& b) { return reinterpret_cast<half2*>((half*)b); };
        dim3 grid(div_up(H / 2, 256), R);
        swiglu_forward<<<grid, 256>>>(h2(dx), h2(y), H / 2);
        auto sig = [](double v) { return 1.0 / (1.0 + std::exp(-v)); };
        rep.compare("swiglu forward", y.get(), [&](std::size_t i) {
            std::size_t r = i / H, c = i % H;
            double g = __half2float(x[r * 2 * H + c]), u = __half2float(x[r * 2 * H + c + H]);
            return g * sig(g) * u; }, 2e-3, 2e-3, 3);
        swiglu_backward<<<grid, 256>>>(h2(dx), h2(ddy), h2(gx), H / 2);
        rep.compare("swiglu backward", gx.get(), [&](std::size_t i) {
            std::size_t r = i / (2 * H), c = i % (2 * H), k = c % H;
            double g = __half2float(x[r * 2 * H + k]), u = __half2float(x[r * 2 * H + k + H]), d = __half2float(dy[r * H + k]), s = sig(g);
            return c < std::size_t(H) ? d * u * s * (1 + g * (1 - s)) : d * g * s; }, 2e-3, 2e-3, 3);
    }
    {   // dropout
        auto x = random_vector<float>(n, 14), r = random_vector<float>(n, 15);
        Buffer<float> dx(x), dr(r), y(n);
        const std::uint32_t key = 0xABCD1234u, below = std::uint32_t(0.9 * 4294967296.0);
        const float scale = 1.f / 0.9f;
        auto f4 = [](Buffer<float>& b) { return reinterpret_cast<float4*>((float*)b); };
        auto keep = [&](std::size_t i) { return mix(std::uint32_t(i), key) < below; };
        dropout<false><<<264, 512>>>(f4(dx), nullptr, f4(y), int(n / 4), key, below, scale);
        rep.compare("dropout", y.get(), [&](std::size_t i) { return keep(i) ? double(x[i]) * scale : 0.0; }, 1e-6, 1e-5);
        dropout<true><<<1024, 128>>>(f4(dx), f4(dr), f4(y), int(n / 4), key, below, scale);
        rep.compare("dropout + residual", y.get(), [&](std::size_t i) { return r[i] + (keep(i) ? double(x[i]) * scale : 0.0); }, 1e-5, 1e-5);
    }
    {   // bias gradient
        const int R = 4096, C = 768;
        auto dy = random_vector<float>(std::size_t(R) * C, 16);
        Buffer<float> ddy(dy), db(C);
        std::vector<double> want(C, 0.0);
        for (int r = 0; r < R; ++r) for (int c = 0; c < C; ++c) want[c] += dy[std::size_t(r) * C + c];
        auto ref = [&](std::size_t i) { return want[i]; };
        bias_grad_thread<<<div_up(C, 64), 64>>>(ddy, db, R, C);
        rep.compare("bias grad, thread", db.get(), ref, 1e-2, 1e-4);
        db.zero();
        bias_grad_block<8><<<dim3(C / 128, 32), dim3(32, 8)>>>(reinterpret_cast<float4*>((float*)ddy), db, R, C / 4);
        rep.compare("bias grad, block", db.get(), ref, 1e-2, 1e-4);
    }
    std::printf("%d of the checks failed\n", rep.bad());
    return rep.bad();
}

}  // namespace

int main() {
    try {
        return program() ? EXIT_FAILURE : EXIT_SUCCESS;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
