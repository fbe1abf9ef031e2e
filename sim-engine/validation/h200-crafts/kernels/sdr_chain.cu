/*
 * sdr_chain.cu - pieces of a software radio receiver:
 * window, FIR (several attempts), decimator, mixer, FFT, Goertzel, IIR bank.
 */
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define TRY(x) do { if (cudaError_t err = (x)) { printf("%s: %s\n", #x, cudaGetErrorString(err)); exit(1); } } while (0)

enum { TAPS = 63 };
__constant__ float c_taps[TAPS];

/* FIR 1: taps and samples in global memory */
__global__ void fir_naive(const float *x, const float *taps, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.f;
    for (int k = 0; k < TAPS; k++)
        if (i - k >= 0) acc += taps[k] * x[i - k];
    y[i] = acc;
}

/* FIR 2: taps in constant memory */
__global__ void fir_const(const float *__restrict__ x, float *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.f;
#pragma unroll 9
    for (int k = 0; k < TAPS; k++)
        if (i - k >= 0) acc += c_taps[k] * x[i - k];
    y[i] = acc;
}

/* FIR 3: samples staged in shared memory */
__global__ void fir_shared(const float *__restrict__ x, float *__restrict__ y, int n)
{
    extern __shared__ float s[];
    int base = blockIdx.x * blockDim.x;
    for (int j = threadIdx.x; j < (int)blockDim.x + TAPS - 1; j += blockDim.x) {
        int g = base + j - (TAPS - 1);
        s[j] = (g >= 0 && g < n) ? x[g] : 0.f;
    }
    __syncthreads();
    int i = base + threadIdx.x;
    if (i >= n) return;
    float acc = 0.f;
#pragma unroll
    for (int k = 0; k < TAPS; k++) acc += c_taps[k] * s[threadIdx.x + TAPS - 1 - k];
    y[i] = acc;
}

/* FIR 4: R outputs per thread kept in registers, sliding window */
template <int BS, int R>
__global__ void fir_regs(const float *__restrict__ x, float *__restrict__ y, int n)
{
    __shared__ float s[BS * R + TAPS + R];
    __shared__ float o[BS * R];
    int base = blockIdx.x * BS * R;
    for (int j = threadIdx.x; j < BS * R + TAPS - 1; j += BS) {
        int g = base + j - (TAPS - 1);
        s[j] = (g >= 0 && g < n) ? x[g] : 0.f;
    }
    __syncthreads();
    float acc[R], w[R];
    int t0 = threadIdx.x * R + TAPS - 1;
#pragma unroll
    for (int r = 0; r < R; r++) { acc[r] = 0.f; w[r] = s[t0 + r]; }
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        float c = c_taps[k];
#pragma unroll
        for (int r = 0; r < R; r++) acc[r] += c * w[r];
#pragma unroll
        for (int r = R - 1; r > 0; r--) w[r] = w[r - 1];
        if (k + 1 < TAPS) w[0] = s[t0 - k - 1];
    }
#pragma unroll
    for (int r = 0; r < R; r++) o[threadIdx.x * R + r] = acc[r];
    __syncthreads();
    for (int j = threadIdx.x; j < BS * R; j += BS)
        if (base + j < n) y[base + j] = o[j];
}

/* FIR 5: two channels at once in half precision */
__global__ void fir_half2(const __half2 *__restrict__ x, const __half2 *__restrict__ taps, __half2 *__restrict__ y, int n)
{
    __shared__ __half2 s[256 + TAPS - 1];
    __shared__ __half2 h[TAPS];
    int base = blockIdx.x * 256;
    for (int j = threadIdx.x; j < 256 + TAPS - 1; j += 256) {
        int g = base + j - (TAPS - 1);
        s[j] = (g >= 0 && g < n) ? x[g] : __float2half2_rn(0.f);
    }
    if (threadIdx.x < TAPS) h[threadIdx.x] = taps[threadIdx.x];
    __syncthreads();
    int i = base + threadIdx.x;
    if (i >= n) return;
    __half2 acc = __float2half2_rn(0.f);
    for (int k = 0; k < TAPS; k++) acc = __hfma2(h[k], s[threadIdx.x + TAPS - 1 - k], acc);
    y[i] = acc;
}

/* mix to baseband: real -> complex, with accurate and fast trig */
template <bool FAST>
__global__ void mixer(const float *x, float2 *z, float step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s, c, ph = step * (float)(i & 4095);
    if (FAST) __sincosf(ph, &s, &c); else sincosf(ph, &s, &c);
    float v = x[i];
    z[i] = make_float2(v * c, -v * s);
}

/* radix-2 FFT, one transform per block, all in shared */
template <int LOGN>
__global__ void fft_block(const float2 *in, float2 *out)
{
    constexpr int N = 1 << LOGN;
    __shared__ float2 s[N];
    const float2 *src = in + (size_t)blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[__brev(i) >> (32 - LOGN)] = src[i];
    for (int half = 1; half < N; half *= 2) {
        __syncthreads();
        for (int b = threadIdx.x; b < N / 2; b += blockDim.x) {
            int k = b & (half - 1), i = 2 * b - k;
            float ws, wc;
            sincospif(-(float)k / half, &ws, &wc);
            float2 u = s[i], v = s[i + half];
            float2 t = make_float2(v.x * wc - v.y * ws, v.x * ws + v.y * wc);
            s[i] = make_float2(u.x + t.x, u.y + t.y);
            s[i + half] = make_float2(u.x - t.x, u.y - t.y);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) out[(size_t)blockIdx.x * N + i] = s[i];
}

/* same answer from the definition, one thread per bin */
__global__ void dft_direct(const float2 *in, float2 *out, int N)
{
    const float2 *x = in + (size_t)blockIdx.y * N;
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= N) return;
    float2 a = make_float2(0, 0);
    for (int j = 0; j < N; j++) {
        int m = (int)((unsigned)k * j % N);
        float s, c;
        sincospif(-2.f * m / N, &s, &c);
        float2 v = x[j];
        a.x += v.x * c - v.y * s;
        a.y += v.x * s + v.y * c;
    }
    out[(size_t)blockIdx.y * N + k] = a;
}

/* power spectrum averaged over frames */
__global__ void avg_power(const float2 *f, float *p, int N, int frames)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= N) return;
    float a = 0;
    for (int i = 0; i < frames; i++) { float2 v = f[(size_t)i * N + k]; a += v.x * v.x + v.y * v.y; }
    p[k] = a / frames;
}

/* biquad per channel; layout decides everything */
template <bool INTERLEAVED>
__global__ void iir_bank(const float *x, float *y, int ch, int len)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= ch) return;
    const float b0 = 0.2f, b1 = 0.3f, b2 = 0.2f, a1 = -0.5f, a2 = 0.25f;
    float z1 = 0, z2 = 0;
    for (int t = 0; t < len; t++) {
        size_t at = INTERLEAVED ? (size_t)t * ch + c : (size_t)c * len + t;
        float v = x[at], o = b0 * v + z1;
        z1 = b1 * v - a1 * o + z2;
        z2 = b2 * v - a2 * o;
        y[at] = o;
    }
}

int main(void)
{
    const int FRAME = 1024, FRAMES = 2000, n = FRAME * FRAMES;   /* 2M samples */
    std::vector<float> x(n), taps(TAPS), out(n);
    unsigned r = 1;
    for (int i = 0; i < n; i++) { r = r * 1103515245u + 12345u; x[i] = 0.5f * sinf(0.37f * (i % 8192)) + ((r >> 16) & 0xff) / 1024.f; }
    for (int k = 0; k < TAPS; k++) { float m = k - 31.f; taps[k] = (m == 0 ? 0.2f : sinf(0.2f * 3.14159265f * m) / (3.14159265f * m)) * (0.54f - 0.46f * cosf(6.2831853f * k / (TAPS - 1))); }
    float *dx, *dy, *dtaps, *dp; float2 *dz, *df; __half2 *hx, *hy, *ht;
    TRY(cudaMalloc(&dx, n * 4)); TRY(cudaMalloc(&dy, n * 4)); TRY(cudaMalloc(&dtaps, TAPS * 4)); TRY(cudaMalloc(&dp, FRAME * 4));
    TRY(cudaMalloc(&dz, n * 8)); TRY(cudaMalloc(&df, n * 8));
    TRY(cudaMalloc(&hx, n * 4)); TRY(cudaMalloc(&hy, n * 4)); TRY(cudaMalloc(&ht, TAPS * 4));
    TRY(cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dtaps, taps.data(), TAPS * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpyToSymbol(c_taps, taps.data(), TAPS * 4));
    int fails = 0;
    auto fir_ref = [&](int i) { double a = 0; for (int k = 0; k < TAPS && k <= i; k++) a += (double)taps[k] * x[i - k]; return a; };

    const char *fn[] = {"naive", "const", "shared 256", "shared 128", "regs 128x4", "regs 128x8"};
    for (int v = 0; v < 6; v++) {
        TRY(cudaMemset(dy, 0, n * 4));
        switch (v) {
        case 0: fir_naive<<<(n + 255) / 256, 256>>>(dx, dtaps, dy, n); break;
        case 1: fir_const<<<(n + 255) / 256, 256>>>(dx, dy, n); break;
        case 2: fir_shared<<<(n + 255) / 256, 256, (256 + TAPS - 1) * 4>>>(dx, dy, n); break;
        case 3: fir_shared<<<(n + 127) / 128, 128, (128 + TAPS - 1) * 4>>>(dx, dy, n); break;
        case 4: fir_regs<128, 4><<<(n + 511) / 512, 128>>>(dx, dy, n); break;
        case 5: fir_regs<128, 8><<<(n + 1023) / 1024, 128>>>(dx, dy, n); break;
        }
        TRY(cudaGetLastError());
        TRY(cudaMemcpy(out.data(), dy, n * 4, cudaMemcpyDeviceToHost));
        double e = 0;
        for (int i = 0; i < n; i += (i < 100 ? 1 : 157)) e = fmax(e, fabs(out[i] - fir_ref(i)));
        printf("fir %-12s err %.2e\n", fn[v], e);
        fails += !(e < 1e-4);
    }
    {
        std::vector<__half2> a(n), t(TAPS), b(n);
        for (int i = 0; i < n; i++) a[i] = __floats2half2_rn(x[i], -x[i]);
        for (int k = 0; k < TAPS; k++) t[k] = __float2half2_rn(taps[k]);
        TRY(cudaMemcpy(hx, a.data(), n * 4, cudaMemcpyHostToDevice));
        TRY(cudaMemcpy(ht, t.data(), TAPS * 4, cudaMemcpyHostToDevice));
        fir_half2<<<(n + 255) / 256, 256>>>(hx, ht, hy, n);
        TRY(cudaMemcpy(b.data(), hy, n * 4, cudaMemcpyDeviceToHost));
        double e = 0;
        for (int i = 0; i < n; i += 157) e = fmax(e, fmax(fabs(__low2float(b[i]) - fir_ref(i)), fabs(__high2float(b[i]) + fir_ref(i))));
        printf("fir half2        err %.2e\n", e);
        fails += !(e < 2e-2);
    }
    std::vector<float2> z(n), f(n);
    for (int v = 0; v < 2; v++) {
        if (v == 0) mixer<true><<<(n + 191) / 192, 192>>>(dx, dz, 0.001f, n);
        else mixer<false><<<(n + 255) / 256, 256>>>(dx, dz, 0.37f, n);
        TRY(cudaMemcpy(z.data(), dz, n * 8, cudaMemcpyDeviceToHost));
        double e = 0, st = v == 0 ? 0.001f : 0.37f;
        for (int i = 0; i < n; i += 331) e = fmax(e, fmax(fabs(z[i].x - x[i] * cos(st * (i & 4095))), fabs(z[i].y + x[i] * sin(st * (i & 4095)))));
        printf("mixer %d          err %.2e\n", v, e);
        fails += !(e < 1e-3);
    }
    fft_block<10><<<FRAMES, 256>>>(dz, df);
    TRY(cudaMemcpy(f.data(), df, n * 8, cudaMemcpyDeviceToHost));
    double e = 0;
    for (int fr = 0; fr < FRAMES; fr += 401)
        for (int k = 0; k < FRAME; k += 37) {
            std::complex<double> a = 0;
            for (int j = 0; j < FRAME; j++) a += std::complex<double>(z[fr * FRAME + j].x, z[fr * FRAME + j].y) * std::polar(1.0, -2 * M_PI * ((k * j) % FRAME) / FRAME);
            e = fmax(e, std::abs(a - std::complex<double>(f[fr * FRAME + k].x, f[fr * FRAME + k].y)));
        }
    printf("fft 1024         err %.2e\n", e);
    fails += !(e < 1e-2);
    avg_power<<<FRAME / 32, 32>>>(df, dp, FRAME, 256);
    std::vector<float> p(FRAME);
    TRY(cudaMemcpy(p.data(), dp, FRAME * 4, cudaMemcpyDeviceToHost));
    for (int k = 0; k < FRAME; k += 111) { double a = 0; for (int i = 0; i < 256; i++) a += (double)f[i * FRAME + k].x * f[i * FRAME + k].x + (double)f[i * FRAME + k].y * f[i * FRAME + k].y; fails += !(fabs(a / 256 - p[k]) <= 1e-3 * a / 256 + 1e-6); }

    std::vector<float2> g(64 * FRAME);
    dft_direct<<<dim3(FRAME / 128, 64), 128>>>(dz, df, FRAME);
    TRY(cudaMemcpy(g.data(), df, 64 * FRAME * 8, cudaMemcpyDeviceToHost));
    e = 0;
    for (size_t i = 0; i < g.size(); i++) e = fmax(e, fmax(fabs(g[i].x - f[i].x), fabs(g[i].y - f[i].y)));
    printf("dft vs fft       err %.2e\n", e);
    fails += !(e < 2e-2);
    fft_block<12><<<FRAMES / 4, 512>>>(dz, df);
    TRY(cudaMemcpy(f.data(), df, n * 8, cudaMemcpyDeviceToHost));
    double ein = 0, eout = 0;   /* Parseval */
    for (int i = 0; i < n; i++) { ein += (double)z[i].x * z[i].x + (double)z[i].y * z[i].y; eout += (double)f[i].x * f[i].x + (double)f[i].y * f[i].y; }
    fails += !(fabs(eout / 4096 - ein) < 1e-4 * ein);

    const int CH = 8000, LEN = 256;
    for (int inter = 0; inter < 2; inter++) {
        if (inter) iir_bank<true><<<(CH + 63) / 64, 64>>>(dx, dy, CH, LEN); else iir_bank<false><<<(CH + 63) / 64, 64>>>(dx, dy, CH, LEN);
        TRY(cudaGetLastError());
        TRY(cudaMemcpy(out.data(), dy, n * 4, cudaMemcpyDeviceToHost));
        e = 0;
        for (int c = 0; c < CH; c += 123) {
            double z1 = 0, z2 = 0;
            for (int t = 0; t < LEN; t++) { int at = inter ? t * CH + c : c * LEN + t; double v = x[at], o = 0.2 * v + z1; z1 = 0.3 * v + 0.5 * o + z2; z2 = 0.2 * v - 0.25 * o; e = fmax(e, fabs(o - out[at])); }
        }
        printf("iir %-12s err %.2e\n", inter ? "interleaved" : "planar", e);
        fails += !(e < 1e-4);
    }
    printf("%s\n", fails ? "FAIL" : "PASS");
    return fails;
}
