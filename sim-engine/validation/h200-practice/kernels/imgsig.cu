// imgsig.cu : image filters, transposes and one-dimensional signal kernels, timed from tables.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CALL(f)                                                                                   \
    {                                                                                             \
        const cudaError_t st = f;                                                                 \
        if (st != cudaSuccess) { printf("%s -> %s\n", #f, cudaGetErrorString(st)); exit(4); }     \
    }

using u8 = unsigned char;
__host__ __device__ inline int cl(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

// ------------------------------------------------------------------------------- transposes
__global__ void tr_naive(const float* in, float* out, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(size_t)x * h + y + j] = in[(size_t)(y + j) * w + x];
}
enum Trick { NONE, PAD, XOR };
template <Trick T>
__global__ void __launch_bounds__(256) tr_tile(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
    __shared__ float t[32][32 + (T == PAD)];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8) {
        int r = threadIdx.y + j;
        t[r][T == XOR ? threadIdx.x ^ r : threadIdx.x] = in[(size_t)(y + j) * w + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8) {
        int c = threadIdx.y + j;
        out[(size_t)(y + j) * h + x] = t[threadIdx.x][T == XOR ? c ^ threadIdx.x : c];
    }
}

// ------------------------------------------------------------------------------- picture filters on bytes
__global__ void sobel(const u8* in, u8* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int p[3][3];
    for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) p[j][i] = in[(size_t)cl(y + j - 1, h) * w + cl(x + i - 1, w)];
    int gx = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
    int gy = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
    out[(size_t)y * w + x] = (u8)min(255, (abs(gx) + abs(gy)) / 2);
}
// four pixels a thread from words; rows y-1..y+1, columns 4x-1..4x+4
__global__ void __launch_bounds__(128) sobel4(const u8* __restrict__ in, uchar4* __restrict__ out, int w, int h) {
    int x4 = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x4 * 4 >= w) return;
    int p[3][6];
#pragma unroll
    for (int j = 0; j < 3; ++j) {
        const u8* row = in + (size_t)cl(y + j - 1, h) * w;
        uchar4 m = reinterpret_cast<const uchar4*>(row)[x4];
        p[j][0] = row[cl(4 * x4 - 1, w)];
        p[j][1] = m.x; p[j][2] = m.y; p[j][3] = m.z; p[j][4] = m.w;
        p[j][5] = row[cl(4 * x4 + 4, w)];
    }
    int r[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int gx = p[0][i + 2] + 2 * p[1][i + 2] + p[2][i + 2] - p[0][i] - 2 * p[1][i] - p[2][i];
        int gy = p[2][i] + 2 * p[2][i + 1] + p[2][i + 2] - p[0][i] - 2 * p[0][i + 1] - p[0][i + 2];
        r[i] = min(255, (abs(gx) + abs(gy)) / 2);
    }
    out[(size_t)y * (w / 4) + x4] = make_uchar4(r[0], r[1], r[2], r[3]);
}
// 5x5 binomial blur, both directions in one kernel through shared memory
__global__ void __launch_bounds__(256) gauss5(const u8* __restrict__ in, u8* __restrict__ out, int w, int h) {
    __shared__ u8 t[20][68];
    __shared__ unsigned short m[20][64];
    const int x0 = blockIdx.x * 64, y0 = blockIdx.y * 16;
    for (int q = threadIdx.x; q < 20 * 68; q += 256) t[q / 68][q % 68] = in[(size_t)cl(y0 + q / 68 - 2, h) * w + cl(x0 + q % 68 - 2, w)];
    __syncthreads();
    for (int q = threadIdx.x; q < 20 * 64; q += 256) {
        const u8* p = &t[q >> 6][q & 63];
        m[q >> 6][q & 63] = p[0] + 4 * p[1] + 6 * p[2] + 4 * p[3] + p[4];
    }
    __syncthreads();
    for (int q = threadIdx.x; q < 16 * 64; q += 256) {
        int r = q >> 6, c = q & 63;
        int s = m[r][c] + 4 * m[r + 1][c] + 6 * m[r + 2][c] + 4 * m[r + 3][c] + m[r + 4][c];
        if (x0 + c < w && y0 + r < h) out[(size_t)(y0 + r) * w + x0 + c] = (u8)((s + 128) >> 8);
    }
}
template <int R>
__global__ void __launch_bounds__(256) bilateral(const float* __restrict__ in, float* __restrict__ out, int w, int h, float ks, float kr) {
    __shared__ float t[16 + 2 * R][16 + 2 * R];
    const int x0 = blockIdx.x * 16 - R, y0 = blockIdx.y * 16 - R;
    for (int j = threadIdx.y; j < 16 + 2 * R; j += 16)
        for (int i = threadIdx.x; i < 16 + 2 * R; i += 16) t[j][i] = in[(size_t)cl(y0 + j, h) * w + cl(x0 + i, w)];
    __syncthreads();
    const float c = t[threadIdx.y + R][threadIdx.x + R];
    float num = 0.f, den = 0.f;
#pragma unroll
    for (int j = -R; j <= R; ++j)
#pragma unroll
        for (int i = -R; i <= R; ++i) {
            float v = t[threadIdx.y + R + j][threadIdx.x + R + i], d = v - c;
            float g = __expf(-ks * (i * i + j * j) - kr * d * d);
            num = fmaf(g, v, num);
            den += g;
        }
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) out[(size_t)y * w + x] = num / den;
}

// ------------------------------------------------------------------------------- summed area table and box filter
// a block per row, the row in chunks of 1024 with a carry
__global__ void __launch_bounds__(256) sat_rows(const u8* __restrict__ in, unsigned* __restrict__ sat, int w) {
    __shared__ unsigned ws[8];
    const int lane = threadIdx.x & 31, wp = threadIdx.x >> 5;
    unsigned carry = 0;
    for (int x0 = 0; x0 < w; x0 += 1024) {
        const int x = x0 + threadIdx.x * 4;
        uchar4 v = x < w ? *reinterpret_cast<const uchar4*>(in + (size_t)blockIdx.x * w + x) : make_uchar4(0, 0, 0, 0);
        uint4 s;
        s.x = v.x; s.y = s.x + v.y; s.z = s.y + v.z; s.w = s.z + v.w;
        unsigned inc = s.w;
        for (int o = 1; o < 32; o *= 2) { unsigned u = __shfl_up_sync(~0u, inc, o); if (lane >= o) inc += u; }
        if (lane == 31) ws[wp] = inc;
        __syncthreads();
        unsigned base = carry + inc - s.w, all = 0;
        for (int k = 0; k < 8; ++k) { if (k < wp) base += ws[k]; all += ws[k]; }
        carry += all;
        s.x += base; s.y += base; s.z += base; s.w += base;
        if (x < w) *reinterpret_cast<uint4*>(sat + (size_t)blockIdx.x * w + x) = s;
        __syncthreads();
    }
}
// 32 columns a block, 8 warps each take a stripe of rows, stripes are joined through shared memory
__global__ void __launch_bounds__(256) sat_cols(unsigned* __restrict__ sat, int w, int h) {
    __shared__ unsigned tot[8][32];
    const int x = blockIdx.x * 32 + threadIdx.x, per = h / 8, r0 = threadIdx.y * per;
    unsigned s = 0;
    for (int r = r0; r < r0 + per; ++r) s += sat[(size_t)r * w + x];
    tot[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    s = 0;
    for (int k = 0; k < threadIdx.y; ++k) s += tot[k][threadIdx.x];
    for (int r = r0; r < r0 + per; ++r) { s += sat[(size_t)r * w + x]; sat[(size_t)r * w + x] = s; }
}
__global__ void box_from_sat(const unsigned* __restrict__ sat, float* __restrict__ out, int w, int h, int rad) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int xa = max(x - rad, 0) - 1, xb = min(x + rad, w - 1), ya = max(y - rad, 0) - 1, yb = min(y + rad, h - 1);
    unsigned s = sat[(size_t)yb * w + xb];
    if (xa >= 0) s -= sat[(size_t)yb * w + xa];
    if (ya >= 0) s -= sat[(size_t)ya * w + xb];
    if (xa >= 0 && ya >= 0) s += sat[(size_t)ya * w + xa];
    out[(size_t)y * w + x] = (float)s / ((xb - xa) * (yb - ya));
}

// ------------------------------------------------------------------------------- NV12 -> packed RGB, 2x2 pixels a thread
__host__ __device__ inline uchar3 yuv(int y, int u, int v) {
    int c = 298 * (y - 16), d = u - 128, e = v - 128;
    int r = (c + 409 * e + 128) >> 8, g = (c - 100 * d - 208 * e + 128) >> 8, b = (c + 516 * d + 128) >> 8;
    auto s = [](int k) { return (u8)(k < 0 ? 0 : k > 255 ? 255 : k); };
    return make_uchar3(s(r), s(g), s(b));
}
__global__ void nv12_rgb(const u8* __restrict__ luma, const uchar2* __restrict__ chroma, u8* __restrict__ rgb, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (2 * x >= w || 2 * y >= h) return;
    uchar2 uv = chroma[(size_t)y * (w / 2) + x];
    for (int j = 0; j < 2; ++j) {
        uchar2 l = *reinterpret_cast<const uchar2*>(luma + (size_t)(2 * y + j) * w + 2 * x);
        uchar3 a = yuv(l.x, uv.x, uv.y), b = yuv(l.y, uv.x, uv.y);
        u8* o = rgb + ((size_t)(2 * y + j) * w + 2 * x) * 3;
        o[0] = a.x; o[1] = a.y; o[2] = a.z; o[3] = b.x; o[4] = b.y; o[5] = b.z;
    }
}

// ------------------------------------------------------------------------------- FFT, radix 2, one transform of 1024 points a block
template <int LOGN>
__global__ void __launch_bounds__(1 << (LOGN - 1)) fft_radix2(const float2* __restrict__ in, float2* __restrict__ out) {
    constexpr int N = 1 << LOGN, H = N / 2;
    __shared__ float re[N], im[N];
    const float2* src = in + (size_t)blockIdx.x * N;
    for (int q = threadIdx.x; q < N; q += H) {
        int r = __brev(q) >> (32 - LOGN);
        float2 v = src[q];
        re[r] = v.x;
        im[r] = v.y;
    }
#pragma unroll
    for (int s = 0; s < LOGN; ++s) {
        __syncthreads();
        const int half = 1 << s, k = threadIdx.x & (half - 1), i = ((threadIdx.x >> s) << (s + 1)) + k, j = i + half;
        float sn, cs;
        sincospif(-(float)k / half, &sn, &cs);
        float tr = cs * re[j] - sn * im[j], ti = cs * im[j] + sn * re[j];
        float ar = re[i], ai = im[i];
        re[i] = ar + tr; im[i] = ai + ti;
        re[j] = ar - tr; im[j] = ai - ti;
    }
    __syncthreads();
    for (int q = threadIdx.x; q < N; q += H) out[(size_t)blockIdx.x * N + q] = make_float2(re[q], im[q]);
}

// ------------------------------------------------------------------------------- FIR
constexpr int TAPS = 64;
__constant__ float fir_taps[TAPS];
__global__ void fir_plain(const float* x, const float* taps, float* y, int n) {       // y[i] = sum taps[k] * x[i+k]
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.f;
    for (int k = 0; k < TAPS; ++k) s += taps[k] * x[i + k];
    y[i] = s;
}
template <int PER>
__global__ void __launch_bounds__(128) fir_registers(const float* __restrict__ x, float* __restrict__ y, int n) {
    __shared__ float t[128 * PER + TAPS];
    const int i0 = blockIdx.x * 128 * PER;
    for (int q = threadIdx.x; q < 128 * PER + TAPS; q += 128) t[q] = x[min(i0 + q, n + TAPS - 1)];
    __syncthreads();
    float s[PER];
#pragma unroll
    for (int r = 0; r < PER; ++r) s[r] = 0.f;
#pragma unroll 8
    for (int k = 0; k < TAPS; ++k) {
        float c = fir_taps[k];
#pragma unroll
        for (int r = 0; r < PER; ++r) s[r] = fmaf(c, t[threadIdx.x + 128 * r + k], s[r]);
    }
#pragma unroll
    for (int r = 0; r < PER; ++r) if (i0 + 128 * r + threadIdx.x < n) y[i0 + 128 * r + threadIdx.x] = s[r];
}

// ------------------------------------------------------------------------------- harness
static int failures;
struct Clock {
    cudaEvent_t a, b;
    Clock() { CALL(cudaEventCreate(&a)); CALL(cudaEventCreate(&b)); }
    ~Clock() { cudaEventDestroy(a); cudaEventDestroy(b); }
    template <class F> float operator()(F f) {
        float ms;
        CALL(cudaEventRecord(a));
        f();
        CALL(cudaEventRecord(b));
        CALL(cudaGetLastError());
        CALL(cudaEventSynchronize(b));
        CALL(cudaEventElapsedTime(&ms, a, b));
        return ms;
    }
};
static void row(const std::string& name, float ms, double bytes, double worst, double tol) {
    bool ok = worst <= tol;
    failures += !ok;
    printf("%-24s %9.1f us %9.1f GB/s  worst %.2e  %s\n", name.c_str(), ms * 1e3, bytes / ms * 1e-6, worst, ok ? "PASS" : "FAIL");
}
template <class T> T* up(const std::vector<T>& v) {
    T* d;
    CALL(cudaMalloc(&d, v.size() * sizeof(T)));
    CALL(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <class T> std::vector<T> down(const T* d, size_t n) {
    std::vector<T> v(n);
    CALL(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
template <class A, class F> double worst_of(const std::vector<A>& got, F want, size_t step = 1) {
    double w = 0;
    for (size_t i = 0; i < got.size(); i += step) { double e = std::fabs((double)got[i] - (double)want(i)); if (!(e <= w)) w = e; }
    return w;
}

int main() {
    Clock clock;
    uint32_t seed = 99;
    auto rnd = [&] { seed = seed * 1664525u + 1013904223u; return seed >> 8; };
    {
        const int w = 2048, h = 1024;
        std::vector<float> a((size_t)w * h);
        for (auto& v : a) v = (float)(rnd() & 65535);
        float *d = up(a), *o = up(a);
        struct { const char* n; void (*k)(const float*, float*, int, int); } list[] = {
            {"transpose naive", tr_naive}, {"transpose tile", tr_tile<NONE>}, {"transpose padded", tr_tile<PAD>}, {"transpose xor", tr_tile<XOR>}};
        for (auto& t : list) {
            CALL(cudaMemset(o, 0xff, a.size() * 4));
            float ms = clock([&] { t.k<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(d, o, w, h); });
            row(t.n, ms, 8.0 * a.size(), worst_of(down(o, a.size()), [&](size_t i) { return a[(i % h) * w + i / h]; }), 0);
        }
        CALL(cudaFree(d)); CALL(cudaFree(o));
    }
    const int w = 1920, h = 1080;
    const size_t n = (size_t)w * h;
    std::vector<u8> pic(n);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) pic[(size_t)y * w + x] = (u8)((x * 3 + y * 2 + ((x / 40 + y / 40) & 1) * 90 + (rnd() & 15)) & 255);
    u8 *dp = up(pic), *db;
    CALL(cudaMalloc(&db, n));
    auto px = [&](int y, int x) { return (int)pic[(size_t)cl(y, h) * w + cl(x, w)]; };
    auto sob = [&](size_t i) {
        int y = int(i / w), x = int(i % w);
        int gx = px(y - 1, x + 1) + 2 * px(y, x + 1) + px(y + 1, x + 1) - px(y - 1, x - 1) - 2 * px(y, x - 1) - px(y + 1, x - 1);
        int gy = px(y + 1, x - 1) + 2 * px(y + 1, x) + px(y + 1, x + 1) - px(y - 1, x - 1) - 2 * px(y - 1, x) - px(y - 1, x + 1);
        return std::min(255, (std::abs(gx) + std::abs(gy)) / 2);
    };
    float ms = clock([&] { sobel<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(dp, db, w, h); });
    row("sobel", ms, 2.0 * n, worst_of(down(db, n), sob), 0);
    CALL(cudaMemset(db, 0, n));
    ms = clock([&] { sobel4<<<dim3((w / 4 + 127) / 128, h), 128>>>(dp, (uchar4*)db, w, h); });
    row("sobel, 4 pixels", ms, 2.0 * n, worst_of(down(db, n), sob), 0);
    ms = clock([&] { gauss5<<<dim3(w / 64, (h + 15) / 16), 256>>>(dp, db, w, h); });
    row("gauss 5x5", ms, 2.0 * n, worst_of(down(db, n), [&](size_t i) {
        const int y = int(i / w), x = int(i % w), b[5] = {1, 4, 6, 4, 1};
        int s = 0;
        for (int j = 0; j < 5; ++j) for (int k = 0; k < 5; ++k) s += b[j] * b[k] * px(y + j - 2, x + k - 2);
        return (s + 128) >> 8; }, 3), 0);

    std::vector<float> fpic(n);
    for (size_t i = 0; i < n; ++i) fpic[i] = pic[i] / 255.f;
    float *df = up(fpic), *dg = up(fpic);
    ms = clock([&] { bilateral<4><<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(df, dg, w, h, 0.08f, 20.f); });
    row("bilateral r4", ms, 8.0 * n, worst_of(down(dg, n), [&](size_t i) {
        const int y = int(i / w), x = int(i % w);
        double num = 0, den = 0, c = fpic[i];
        for (int j = -4; j <= 4; ++j) for (int k = -4; k <= 4; ++k) {
            double v = fpic[(size_t)cl(y + j, h) * w + cl(x + k, w)], g = std::exp(-0.08 * (j * j + k * k) - 20.0 * (v - c) * (v - c));
            num += g * v; den += g;
        }
        return num / den; }, 211), 1e-4);

    unsigned* sat;
    CALL(cudaMalloc(&sat, n * 4));
    ms = clock([&] {
        sat_rows<<<h, 256>>>(dp, sat, w);
        sat_cols<<<w / 32, dim3(32, 8)>>>(sat, w, h);
    });
    std::vector<unsigned> ref(n);
    for (int y = 0; y < h; ++y) {
        unsigned r = 0;
        for (int x = 0; x < w; ++x) { r += pic[(size_t)y * w + x]; ref[(size_t)y * w + x] = r + (y ? ref[(size_t)(y - 1) * w + x] : 0); }
    }
    row("summed area table", ms, 13.0 * n, worst_of(down(sat, n), [&](size_t i) { return ref[i]; }), 0);
    ms = clock([&] { box_from_sat<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(sat, dg, w, h, 9); });
    row("box 19x19", ms, 20.0 * n, worst_of(down(dg, n), [&](size_t i) {
        const int y = int(i / w), x = int(i % w);
        long s = 0, c = 0;
        for (int j = std::max(0, y - 9); j <= std::min(h - 1, y + 9); ++j) for (int k = std::max(0, x - 9); k <= std::min(w - 1, x + 9); ++k) { s += pic[(size_t)j * w + k]; ++c; }
        return (double)s / c; }, 101), 1e-3);
    {
        std::vector<u8> uvp(n / 2);
        for (auto& v : uvp) v = (u8)(rnd() & 255);
        u8 *duv = up(uvp), *rgb;
        CALL(cudaMalloc(&rgb, n * 3));
        ms = clock([&] { nv12_rgb<<<dim3(w / 2 / 32, (h / 2 + 7) / 8), dim3(32, 8)>>>(dp, (const uchar2*)duv, rgb, w, h); });
        row("nv12 to rgb", ms, 4.5 * n, worst_of(down(rgb, n * 3), [&](size_t i) {
            size_t p = i / 3, y = p / w, x = p % w, c = (y / 2) * (w / 2) + x / 2;
            uchar3 v = yuv(pic[p], uvp[2 * c], uvp[2 * c + 1]);
            return i % 3 == 0 ? v.x : i % 3 == 1 ? v.y : v.z; }), 0);
        CALL(cudaFree(duv)); CALL(cudaFree(rgb));
    }
    {
        constexpr int LOGN = 10, N = 1 << LOGN, COUNT = 1024;
        std::vector<float2> s((size_t)N * COUNT);
        for (auto& v : s) v = make_float2((rnd() & 4095) / 2048.f - 1.f, (rnd() & 4095) / 2048.f - 1.f);
        float2 *di = up(s), *dO = up(s);
        ms = clock([&] { fft_radix2<LOGN><<<COUNT, N / 2>>>(di, dO); });
        auto g = down(dO, s.size());
        double worst = 0;
        for (int b = 0; b < COUNT; b += 37)
            for (int k = b % 11; k < N; k += 29) {
                std::complex<double> acc = 0;
                for (int t = 0; t < N; ++t) acc += std::complex<double>(s[(size_t)b * N + t].x, s[(size_t)b * N + t].y) * std::polar(1.0, -2 * M_PI * ((k * t) % N) / N);
                double e = std::abs(acc - std::complex<double>(g[(size_t)b * N + k].x, g[(size_t)b * N + k].y));
                if (!(e <= worst)) worst = e;
            }
        row("fft 1024", ms, 16.0 * s.size(), worst, 1e-3);
        CALL(cudaFree(di)); CALL(cudaFree(dO));
    }
    {
        const int m = 3000000;
        std::vector<float> x(m + TAPS), taps(TAPS);
        for (auto& v : x) v = (rnd() & 65535) / 32768.f - 1.f;
        for (int k = 0; k < TAPS; ++k) taps[k] = (float)std::sin(0.2 * k + 0.1) / (k + 1);
        float *dx = up(x), *dt = up(taps), *dy;
        CALL(cudaMalloc(&dy, (size_t)m * 4));
        CALL(cudaMemcpyToSymbol(fir_taps, taps.data(), TAPS * 4));
        auto want = [&](size_t i) { double s = 0; for (int k = 0; k < TAPS; ++k) s += (double)taps[k] * x[i + k]; return s; };
        ms = clock([&] { fir_plain<<<(m + 255) / 256, 256>>>(dx, dt, dy, m); });
        row("fir plain", ms, 8.0 * m, worst_of(down(dy, m), want, 5), 1e-4);
        CALL(cudaMemset(dy, 0xff, (size_t)m * 4));
        ms = clock([&] { fir_registers<8><<<(m + 1023) / 1024, 128>>>(dx, dy, m); });
        row("fir registers", ms, 8.0 * m, worst_of(down(dy, m), want, 5), 1e-4);
        CALL(cudaFree(dx)); CALL(cudaFree(dt)); CALL(cudaFree(dy));
    }
    CALL(cudaFree(dp)); CALL(cudaFree(db)); CALL(cudaFree(df)); CALL(cudaFree(dg)); CALL(cudaFree(sat));
    printf("failures %d\n", failures);
    return failures;
}
