// Softmax ladder (plain over a row, and causal attention softmax with fused scale), forward + backward.
// Style: one struct per experiment, table of launches built out of lambdas.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

static void check(cudaError_t err, const char* expr) {
    if (err != cudaSuccess) { std::printf("%s -> %s\n", expr, cudaGetErrorString(err)); std::exit(1); }
}
#define CHECK(x) check((x), #x)
inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

struct MD { float m, d; };                       // running max, running denominator
__device__ __forceinline__ MD combine(MD a, MD b) {
    MD hi = a.m > b.m ? a : b, lo = a.m > b.m ? b : a;
    // when both are -inf-like, d is zero on both sides and the exponent is exp(0)
    return MD{hi.m, hi.d + lo.d * __expf(lo.m - hi.m)};
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

__host__ __device__ inline float logit(unsigned i) {
    i ^= i >> 16; i *= 0x7feb352du; i ^= i >> 15; i *= 0x846ca68bu; i ^= i >> 16;
    return (i >> 8) * (8.0f / 16777216.0f) - 4.0f;
}
__global__ void init_logits(float* x, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) x[i] = logit((unsigned)i);
}

// ---------------- plain softmax over rows of C ----------------
// v1: thread per row, three passes
__global__ void softmax_v1(float* out, const float* inp, int N, int C) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= N) return;
    const float* x = inp + (size_t)r * C;
    float* y = out + (size_t)r * C;
    float mx = -FLT_MAX;
    for (int i = 0; i < C; i++) mx = fmaxf(mx, x[i]);
    float sum = 0;
    for (int i = 0; i < C; i++) { y[i] = expf(x[i] - mx); sum += y[i]; }
    float inv = 1.0f / sum;
    for (int i = 0; i < C; i++) y[i] *= inv;
}
// v2: block per row, shared tree reductions
template <int BLOCK>
__global__ void softmax_v2(float* out, const float* inp, int C) {
    __shared__ float s[BLOCK];
    const float* x = inp + (size_t)blockIdx.x * C;
    float* y = out + (size_t)blockIdx.x * C;
    int t = threadIdx.x;
    float mx = -FLT_MAX;
    for (int i = t; i < C; i += BLOCK) mx = fmaxf(mx, x[i]);
    s[t] = mx;
    for (int k = BLOCK / 2; k > 0; k >>= 1) {
        __syncthreads();
        if (t < k) s[t] = fmaxf(s[t], s[t + k]);
    }
    __syncthreads();
    mx = s[0];
    __syncthreads();
    float sum = 0;
    for (int i = t; i < C; i += BLOCK) { float e = __expf(x[i] - mx); y[i] = e; sum += e; }
    s[t] = sum;
    for (int k = BLOCK / 2; k > 0; k >>= 1) {
        __syncthreads();
        if (t < k) s[t] += s[t + k];
    }
    __syncthreads();
    float inv = 1.0f / s[0];
    for (int i = t; i < C; i += BLOCK) y[i] *= inv;
}
// v3: block per row, online normaliser, float4, two passes
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) softmax_v3_online(float* out, const float* inp, int C) {
    __shared__ MD part[BLOCK / 32];
    const float4* x = reinterpret_cast<const float4*>(inp + (size_t)blockIdx.x * C);
    float4* y = reinterpret_cast<float4*>(out + (size_t)blockIdx.x * C);
    MD md{-FLT_MAX, 0.0f};
    for (int i = threadIdx.x; i < C / 4; i += BLOCK) {
        float4 v = x[i];
        float m = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        float d = __expf(v.x - m) + __expf(v.y - m) + __expf(v.z - m) + __expf(v.w - m);
        md = combine(md, MD{m, d});
    }
    for (int o = 16; o; o >>= 1) {
        MD other{__shfl_xor_sync(~0u, md.m, o), __shfl_xor_sync(~0u, md.d, o)};
        md = combine(md, other);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = md;
    __syncthreads();
    md = part[0];
    for (int w = 1; w < BLOCK / 32; w++) md = combine(md, part[w]);
    float inv = 1.0f / md.d;
    for (int i = threadIdx.x; i < C / 4; i += BLOCK) {
        float4 v = __ldcs(x + i);
        __stcs(y + i, make_float4(__expf(v.x - md.m) * inv, __expf(v.y - md.m) * inv,
                                  __expf(v.z - md.m) * inv, __expf(v.w - md.m) * inv));
    }
}
// v4: whole row held in registers, warp per row
template <int COLS>
__global__ void softmax_v4_regs(float* out, const float* inp, int N) {
    constexpr int P = COLS / 128;
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= N) return;
    const float4* x = reinterpret_cast<const float4*>(inp + (size_t)r * COLS) + lane;
    float4 v[P];
    float mx = -FLT_MAX, sum = 0;
#pragma unroll
    for (int i = 0; i < P; i++) {
        v[i] = __ldcs(x + 32 * i);
        mx = fmaxf(mx, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    mx = warp_max(mx);
#pragma unroll
    for (int i = 0; i < P; i++) {
        v[i].x = __expf(v[i].x - mx); v[i].y = __expf(v[i].y - mx);
        v[i].z = __expf(v[i].z - mx); v[i].w = __expf(v[i].w - mx);
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    float inv = 1.0f / warp_sum(sum);
    float4* y = reinterpret_cast<float4*>(out + (size_t)r * COLS) + lane;
#pragma unroll
    for (int i = 0; i < P; i++) __stcs(y + 32 * i, make_float4(v[i].x * inv, v[i].y * inv, v[i].z * inv, v[i].w * inv));
}

// ---------------- attention softmax: (B*NH, T, T), causal, scaled ----------------
// a1: block per row, masked part written as zero
__global__ void attn_softmax_block(float* att, const float* pre, int T, float scale) {
    __shared__ float sh[32];
    int t = blockIdx.x % T, lane = threadIdx.x % 32, w = threadIdx.x / 32, nw = blockDim.x / 32;
    const float* x = pre + (size_t)blockIdx.x * T;
    float* y = att + (size_t)blockIdx.x * T;
    float mx = -FLT_MAX;
    for (int i = threadIdx.x; i <= t; i += blockDim.x) mx = fmaxf(mx, x[i] * scale);
    mx = warp_max(mx);
    if (lane == 0) sh[w] = mx;
    __syncthreads();
    mx = warp_max(lane < nw ? sh[lane] : -FLT_MAX);
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i <= t; i += blockDim.x) sum += __expf(x[i] * scale - mx);
    sum = warp_sum(sum);
    if (lane == 0) sh[w] = sum;
    __syncthreads();
    float inv = 1.0f / warp_sum(lane < nw ? sh[lane] : 0.0f);
    for (int i = threadIdx.x; i < T; i += blockDim.x) y[i] = i <= t ? __expf(x[i] * scale - mx) * inv : 0.0f;
}
// a2: warp per row, online, rows taken backwards so that long rows start first (llm.c "softmax_forward_kernel5")
__global__ void attn_softmax_online(float* att, float inv_temp, const float* pre, int rows, int T) {
    int lane = threadIdx.x % 32, wpb = blockDim.x / 32;
    int idx = (gridDim.x - blockIdx.x - 1) * wpb + threadIdx.x / 32;
    if (idx >= rows) return;
    int own = idx % T, quads = own / 4;
    const float* x = pre + (size_t)idx * T;
    float mx = -FLT_MAX, sum = 0;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    for (int i = lane; i < quads; i += 32) {
        float4 v = x4[i];
        float old = mx;
        mx = fmaxf(mx, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        sum *= __expf(inv_temp * (old - mx));
        sum += __expf(inv_temp * (v.x - mx)) + __expf(inv_temp * (v.y - mx)) +
               __expf(inv_temp * (v.z - mx)) + __expf(inv_temp * (v.w - mx));
    }
    if (4 * quads + lane <= own) {
        float old = mx, v = x[4 * quads + lane];
        mx = fmaxf(mx, v);
        sum = sum * __expf(inv_temp * (old - mx)) + __expf(inv_temp * (v - mx));
    }
    float gm = warp_max(mx);
    float inv = 1.0f / warp_sum(sum * __expf(inv_temp * (mx - gm)));
    for (int i = lane; i < T; i += 32)
        __stcs(att + (size_t)idx * T + i, i <= own ? __expf(inv_temp * (__ldcs(x + i) - gm)) * inv : 0.0f);
}
// b1: backward, one block per row: dpre = scale * p * (dp - sum(p*dp))
template <int BLOCK>
__global__ void attn_softmax_backward_block(float* dpre, const float* datt, const float* att, int T, float scale) {
    __shared__ float sh[BLOCK / 32];
    size_t base = (size_t)blockIdx.x * T;
    int t = blockIdx.x % T;
    float dot = 0;
    for (int i = threadIdx.x; i <= t; i += BLOCK) dot += att[base + i] * datt[base + i];
    dot = warp_sum(dot);
    if (threadIdx.x % 32 == 0) sh[threadIdx.x / 32] = dot;
    __syncthreads();
    dot = 0;
    for (int w = 0; w < BLOCK / 32; w++) dot += sh[w];
    for (int i = threadIdx.x; i < T; i += BLOCK)
        dpre[base + i] = i <= t ? scale * att[base + i] * (datt[base + i] - dot) : 0.0f;
}
// b2: backward, warp per row with float4
__global__ void attn_softmax_backward_warp(float* dpre, const float* datt, const float* att, int rows, int T, float scale) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    size_t base = (size_t)row * T / 4;
    const float4 *p = reinterpret_cast<const float4*>(att) + base, *d = reinterpret_cast<const float4*>(datt) + base;
    float4* o = reinterpret_cast<float4*>(dpre) + base;
    int last = (row % T) / 4;                        // probabilities beyond the diagonal are zero
    float dot = 0;
    for (int i = lane; i <= last; i += 32) {
        float4 a = p[i], b = d[i];
        dot += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    dot = warp_sum(dot);
    for (int i = lane; i < T / 4; i += 32) {
        float4 r = make_float4(0, 0, 0, 0);
        if (i <= last) {
            float4 a = __ldcs(p + i), b = __ldcs(d + i);
            r = make_float4(scale * a.x * (b.x - dot), scale * a.y * (b.y - dot),
                            scale * a.z * (b.z - dot), scale * a.w * (b.w - dot));
        }
        __stcs(o + i, r);
    }
}

struct Experiment {
    std::string name;
    int kind;                     // 0 plain, 1 causal forward, 2 causal backward
    int rows, cols;
    std::function<void()> launch;
};

int main() {
    const int N = 8192, C = 1024;            // plain
    const int B = 4, NH = 12, T = 1024;      // attention: 48 * 1024 rows
    const int R = B * NH * T;
    const float scale = 0.125f;
    const size_t big = (size_t)R * T;
    float *x, *y, *dy;
    CHECK(cudaMalloc(&x, big * sizeof(float)));
    CHECK(cudaMalloc(&y, big * sizeof(float)));
    CHECK(cudaMalloc(&dy, big * sizeof(float)));
    init_logits<<<1056, 256>>>(x, big);
    CHECK(cudaGetLastError());

    std::vector<Experiment> todo = {
        {"v1 thread per row", 0, N, C, [&] { softmax_v1<<<ceil_div(N, 64), 64>>>(y, x, N, C); }},
        {"v2 block tree 256", 0, N, C, [&] { softmax_v2<256><<<N, 256>>>(y, x, C); }},
        {"v2 block tree 512, 32000", 0, 2048, 16000, [&] { softmax_v2<512><<<2048, 512>>>(y, x, 16000); }},
        {"v3 online 1024, 50304/2", 0, 1024, 25152, [&] { softmax_v3_online<1024><<<1024, 1024>>>(y, x, 25152); }},
        {"v4 regs warp per row", 0, N, C, [&] { softmax_v4_regs<1024><<<ceil_div(N, 8), 256>>>(y, x, N); }},
        {"a1 causal block per row", 1, R, T, [&] { attn_softmax_block<<<R, 128>>>(y, x, T, scale); }},
        {"a2 causal online warp", 1, R, T, [&] { attn_softmax_online<<<ceil_div(R, 8), 256>>>(y, scale, x, R, T); }},
        {"b1 backward block 256", 2, R, T, [&] { attn_softmax_backward_block<256><<<R, 256>>>(dy, x, y, T, scale); }},
        {"b2 backward warp 128", 2, R, T, [&] { attn_softmax_backward_warp<<<ceil_div(R, 4), 128>>>(dy, x, y, R, T, scale); }},
    };
    int fails = 0;
    for (auto& e : todo) {
        e.launch();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        const float* dev = e.kind == 2 ? dy : y;
        double worst = 0;
        std::vector<float> got(e.cols);
        std::vector<double> p(e.cols);
        for (int s = 0; s < 9; s++) {
            size_t row = s == 8 ? e.rows - 1 : ((size_t)s * (e.rows / 8) + s * 37) % e.rows;
            int len = e.kind == 0 ? e.cols : (int)(row % T) + 1;
            double sc = e.kind == 0 ? 1.0 : scale, mx = -1e30, sum = 0, dot = 0;
            auto in = [&](int i) { return (double)logit((unsigned)(row * e.cols + i)); };
            for (int i = 0; i < len; i++) mx = std::fmax(mx, in(i) * sc);
            for (int i = 0; i < len; i++) sum += p[i] = std::exp(in(i) * sc - mx);
            for (int i = 0; i < e.cols; i++) p[i] = i < len ? p[i] / sum : 0.0;
            if (e.kind == 2) {
                for (int i = 0; i < len; i++) dot += p[i] * in(i);
                for (int i = 0; i < len; i++) p[i] = scale * p[i] * (in(i) - dot);
            }
            CHECK(cudaMemcpy(got.data(), dev + row * e.cols, e.cols * sizeof(float), cudaMemcpyDeviceToHost));
            for (int i = 0; i < e.cols; i++) {
                double d = std::fabs(got[i] - p[i]);
                if (!(d <= worst)) worst = d;
            }
        }
        bool ok = worst < 2e-5;
        std::printf("%-28s worst %.2e %s\n", e.name.c_str(), worst, ok ? "ok" : "WRONG");
        fails += !ok;
    }
    cudaFree(x); cudaFree(y); cudaFree(dy);
    std::puts(fails ? "FAIL" : "PASS");
    return fails != 0;
}
