// dsp_kernels.cu
// Batched signal processing: FFT (radix 2 and 4), DCT, FIR, IIR, Haar, autocorrelation.
#include <cuda_runtime.h>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

namespace dsp {

static void throwOnError(cudaError_t err, char const* file, int line)
{
    if (err == cudaSuccess) return;
    std::fprintf(stderr, "%s(%d): CUDA: %s\n", file, line, cudaGetErrorString(err));
    std::exit(3);
}
#define DSP_CHECK(e) ::dsp::throwOnError((e), __FILE__, __LINE__)

constexpr float kPi = 3.14159265358979f;

__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }

// Decimation in time, one transform of N points per block, N/2 threads
template <int LOGN>
__global__ void fftRadix2(float2 const* __restrict__ in, float2* __restrict__ out)
{
    constexpr int N = 1 << LOGN;
    __shared__ float2 s[N];
    float2 const* src = in + (size_t)blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += N / 2) s[__brev(i) >> (32 - LOGN)] = src[i];
    __syncthreads();
#pragma unroll
    for (int st = 0; st < LOGN; ++st) {
        int half = 1 << st;
        int j = threadIdx.x & (half - 1);
        int a = ((threadIdx.x >> st) << (st + 1)) + j;
        float2 w;
        sincospif(-(float)j / half, &w.y, &w.x);
        float2 u = s[a], v = cmul(w, s[a + half]);
        s[a] = u + v;
        s[a + half] = u - v;
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N; i += N / 2) out[(size_t)blockIdx.x * N + i] = s[i];
}

// Stockham radix 4, N = 4^P, N/4 threads, ping-pong shared buffers
template <int P>
__global__ void fftRadix4Stockham(float2 const* __restrict__ in, float2* __restrict__ out)
{
    constexpr int N = 1 << (2 * P), Q = N / 4;
    __shared__ float2 buf[2][N];
    const int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) buf[0][t + k * Q] = in[(size_t)blockIdx.x * N + t + k * Q];
    __syncthreads();
    int cur = 0;
#pragma unroll
    for (int p = 0; p < P; ++p) {
        const int Ns = 1 << (2 * p);
        const int j = t & (Ns - 1);
        float2 v[4];
        float ang = -0.5f * j / Ns;               // in half turns: -2 * j / (4 Ns)
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 w;
            sincospif(ang * k, &w.y, &w.x);
            v[k] = cmul(w, buf[cur][t + k * Q]);
        }
        float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
        float2 md = {d.y, -d.x};                  // -i d
        const int dst = ((t - j) << 2) + j;
        buf[cur ^ 1][dst] = a + c;
        buf[cur ^ 1][dst + Ns] = b + md;
        buf[cur ^ 1][dst + 2 * Ns] = a - c;
        buf[cur ^ 1][dst + 3 * Ns] = b - md;
        cur ^= 1;
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) out[(size_t)blockIdx.x * N + t + k * Q] = buf[cur][t + k * Q];
}

__constant__ float dctBasis[8][8];

// 8x8 DCT-II: 4 tiles (x) per block of 32 x 8 threads
__global__ void dct8x8(float const* __restrict__ img, float* __restrict__ coef, int pitch)
{
    __shared__ float a[8][33], b[8][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int u = threadIdx.x & 7, base = threadIdx.x & ~7;
    a[threadIdx.y][threadIdx.x] = img[(size_t)y * pitch + x];
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) s += a[threadIdx.y][base + k] * dctBasis[u][k];
    b[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) s += b[k][threadIdx.x] * dctBasis[threadIdx.y][k];
    coef[(size_t)y * pitch + x] = s;
}

constexpr int kTaps = 65;
__constant__ float taps[kTaps];

// FIR, 4 outputs a thread kept in registers
__global__ void firRegisterBlocked(float const* __restrict__ x, float* __restrict__ y, int n)
{
    constexpr int PER = 4, B = 256;
    __shared__ float s[B * PER + kTaps - 1];
    const int base = blockIdx.x * B * PER;
    for (int k = threadIdx.x; k < B * PER + kTaps - 1; k += B) {
        int g = base + k - (kTaps - 1);
        s[k] = (g >= 0 && g < n) ? x[g] : 0.f;
    }
    __syncthreads();
    float acc[PER] = {0, 0, 0, 0};
    for (int t = 0; t < kTaps; ++t) {
        float c = taps[t];
#pragma unroll
        for (int r = 0; r < PER; ++r) acc[r] += c * s[r * B + threadIdx.x + kTaps - 1 - t];
    }
#pragma unroll
    for (int r = 0; r < PER; ++r) {
        int g = base + r * B + threadIdx.x;
        if (g < n) y[g] = acc[r];
    }
}

struct Biquad { float b0, b1, b2, a1, a2; };

// a cascade of two biquads per channel; samples interleaved (frame-major), channel = thread
__global__ void iirPerChannel(float const* __restrict__ x, float* __restrict__ y, int frames, int channels, Biquad p, Biquad q)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    float z1 = 0, z2 = 0, w1 = 0, w2 = 0;
    for (int f = 0; f < frames; ++f) {
        float v = x[(size_t)f * channels + ch];
        float o = p.b0 * v + z1;
        z1 = p.b1 * v - p.a1 * o + z2;
        z2 = p.b2 * v - p.a2 * o;
        float r = q.b0 * o + w1;
        w1 = q.b1 * o - q.a1 * r + w2;
        w2 = q.b2 * o - q.a2 * r;
        y[(size_t)f * channels + ch] = r;
    }
}

// full Haar pyramid of 1024 samples a block, 512 threads
__global__ void haarPyramid(float const* __restrict__ x, float* __restrict__ w)
{
    __shared__ float s[1024];
    const float r = 0.70710678f;
    const size_t o = (size_t)blockIdx.x * 1024;
    s[threadIdx.x] = x[o + threadIdx.x];
    s[threadIdx.x + 512] = x[o + threadIdx.x + 512];
    __syncthreads();
    for (int len = 512; len >= 1; len >>= 1) {
        float lo = 0, hi = 0;
        if (threadIdx.x < len) {
            float a = s[2 * threadIdx.x], b = s[2 * threadIdx.x + 1];
            lo = (a + b) * r;
            hi = (a - b) * r;
        }
        __syncthreads();
        if (threadIdx.x < len) {
            s[threadIdx.x] = lo;
            w[o + len + threadIdx.x] = hi;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) w[o] = s[0];
}

// autocorrelation of frames of 1024 samples for 128 lags; a warp handles lags in turn
__global__ void autocorrelate(float const* __restrict__ x, float* __restrict__ r)
{
    __shared__ float s[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = x[(size_t)blockIdx.x * 1024 + k];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    for (int lag = threadIdx.x >> 5; lag < 128; lag += blockDim.x >> 5) {
        float acc = 0;
        for (int k = lane; k + lag < 1024; k += 32) acc += s[k] * s[k + lag];
        for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
        if (lane == 0) r[(size_t)blockIdx.x * 128 + lag] = acc;
    }
}

// power spectrum in dB, and magnitude peak per frame
__global__ void powerPeak(float2 const* __restrict__ X, float* __restrict__ db, int* __restrict__ peak, int N)
{
    __shared__ unsigned long long best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < N / 2; k += blockDim.x) {
        float2 c = X[(size_t)blockIdx.x * N + k];
        float p = c.x * c.x + c.y * c.y;
        db[(size_t)blockIdx.x * (N / 2) + k] = 10.f * log10f(p + 1e-12f);
        atomicMax(&best, ((unsigned long long)__float_as_uint(p) << 32) | (unsigned)k);
    }
    __syncthreads();
    if (threadIdx.x == 0) peak[blockIdx.x] = (int)(best & 0xffffffffu);
}

}  // namespace dsp

int main()
{
    using namespace dsp;
    constexpr int N = 1024, batch = 8192;
    const size_t total = (size_t)N * batch;
    std::vector<float2> sig(total);
    std::vector<float> real(total);
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < N; ++i) {
            int f = (b * 5) % 500 + 1;
            long long ph = (long long)f * i % N;
            float v = cosf(2 * kPi * ph / N) + 0.1f * ((i * 29 + b) % 7 - 3);
            sig[(size_t)b * N + i] = make_float2(v, 0.f);
            real[(size_t)b * N + i] = v;
        }
    float2 *dIn, *d2, *d4;
    float *dx, *dy;
    int* dPeak;
    DSP_CHECK(cudaMalloc(&dIn, total * sizeof(float2)));
    DSP_CHECK(cudaMalloc(&d2, total * sizeof(float2)));
    DSP_CHECK(cudaMalloc(&d4, total * sizeof(float2)));
    DSP_CHECK(cudaMalloc(&dx, total * sizeof(float)));
    DSP_CHECK(cudaMalloc(&dy, total * sizeof(float)));
    DSP_CHECK(cudaMalloc(&dPeak, batch * sizeof(int)));
    DSP_CHECK(cudaMemcpy(dIn, sig.data(), total * sizeof(float2), cudaMemcpyHostToDevice));
    DSP_CHECK(cudaMemcpy(dx, real.data(), total * sizeof(float), cudaMemcpyHostToDevice));

    float basis[8][8], h[kTaps], sum = 0;
    for (int u = 0; u < 8; ++u)
        for (int k = 0; k < 8; ++k) basis[u][k] = (u ? 0.5f : sqrtf(0.125f)) * cosf((2 * k + 1) * u * kPi / 16);
    for (int k = 0; k < kTaps; ++k) {
        float m = k - (kTaps - 1) / 2.f;
        float sinc = m == 0 ? 0.25f : sinf(0.25f * kPi * m) / (kPi * m);
        h[k] = sinc * (0.54f - 0.46f * cosf(2 * kPi * k / (kTaps - 1)));
        sum += h[k];
    }
    for (float& c : h) c /= sum;
    DSP_CHECK(cudaMemcpyToSymbol(dctBasis, basis, sizeof basis));
    DSP_CHECK(cudaMemcpyToSymbol(taps, h, sizeof h));

    fftRadix2<10><<<batch, N / 2>>>(dIn, d2);
    fftRadix4Stockham<5><<<batch, N / 4>>>(dIn, d4);
    powerPeak<<<batch, 256>>>(d4, dy, dPeak, N);
    DSP_CHECK(cudaGetLastError());
    std::vector<float2> a(N * 16), b(N * 16);
    DSP_CHECK(cudaMemcpy(a.data(), d2, a.size() * sizeof(float2), cudaMemcpyDeviceToHost));
    DSP_CHECK(cudaMemcpy(b.data(), d4, b.size() * sizeof(float2), cudaMemcpyDeviceToHost));
    float err = 0;
    for (size_t k = 0; k < a.size(); ++k) err = fmaxf(err, fmaxf(fabsf(a[k].x - b[k].x), fabsf(a[k].y - b[k].y)));
    int peaks[4];
    DSP_CHECK(cudaMemcpy(peaks, dPeak, sizeof peaks, cudaMemcpyDeviceToHost));
    std::printf("radix 2 vs radix 4: %g; peaks %d %d %d %d (expected 1 6 11 16)\n", err, peaks[0], peaks[1], peaks[2], peaks[3]);

    // the batch seen as an image, 4096 wide
    const int W = 4096, H = (int)(total / W);
    dct8x8<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(dx, dy, W);
    firRegisterBlocked<<<(unsigned)(total / 1024), 256>>>(dx, dy, (int)total);
    DSP_CHECK(cudaGetLastError());
    std::vector<float> y(4096);
    DSP_CHECK(cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost));
    float worst = 0;
    for (int i = 100; i < 4096; i += 37) {
        double r = 0;
        for (int t = 0; t < kTaps; ++t) r += (double)h[t] * real[i - t];
        worst = fmaxf(worst, (float)fabs(r - y[i]));
    }
    std::printf("FIR error %g\n", worst);

    Biquad lp{0.0675f, 0.1349f, 0.0675f, -1.1430f, 0.4128f}, hp{0.9f, -1.8f, 0.9f, -1.79f, 0.81f};
    const int channels = 16384;
    iirPerChannel<<<channels / 128, 128>>>(dx, dy, (int)(total / channels), channels, lp, hp);
    haarPyramid<<<batch, 512>>>(dx, dy);
    DSP_CHECK(cudaGetLastError());
    DSP_CHECK(cudaMemcpy(y.data(), dy, 1024 * 4, cudaMemcpyDeviceToHost));
    double e0 = 0, e1 = 0;
    for (int i = 0; i < 1024; ++i) { e0 += real[i] * real[i]; e1 += y[i] * y[i]; }
    std::printf("Haar energy %.4f / %.4f\n", e0, e1);
    autocorrelate<<<batch, 256>>>(dx, dy);
    DSP_CHECK(cudaGetLastError());
    float r0;
    DSP_CHECK(cudaMemcpy(&r0, dy, 4, cudaMemcpyDeviceToHost));
    std::printf("autocorrelation at lag 0: %.4f\n", r0);
    for (void* p : {(void*)dIn, (void*)d2, (void*)d4, (void*)dx, (void*)dy, (void*)dPeak}) cudaFree(p);
    return 0;
}
