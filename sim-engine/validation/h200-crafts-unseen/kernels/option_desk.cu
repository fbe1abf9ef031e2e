// option_desk.cu : a tour of pricing kernels (closed form, trees, Monte Carlo, PDE)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iomanip>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

inline void cu(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }

template <class T>
class DeviceBuffer {
    T* p_ = nullptr; size_t n_;
public:
    explicit DeviceBuffer(size_t n) : n_(n) { cu(cudaMalloc(&p_, n * sizeof(T))); }
    explicit DeviceBuffer(const std::vector<T>& h) : DeviceBuffer(h.size()) { cu(cudaMemcpy(p_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice)); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    ~DeviceBuffer() { cudaFree(p_); }
    T* get() { return p_; }
    void zero() { cu(cudaMemset(p_, 0, n_ * sizeof(T))); }
    std::vector<T> host() const { std::vector<T> h(n_); cu(cudaMemcpy(h.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost)); return h; }
};

struct Option { float spot, strike, expiry, vol, rate; int isPut; };   // 24 bytes, AoS
struct Quote { float price, delta, vega; };

template <class Real>
__host__ __device__ inline Real cnd(Real x) { return Real(0.5) * erfc(-x * Real(0.70710678118654752440)); }

template <class Real>
__host__ __device__ inline Real bsCall(Real S, Real K, Real T, Real v, Real r, Real* d1out = nullptr)
{
    Real sq = v * sqrt(T);
    Real d1 = (log(S / K) + (r + Real(0.5) * v * v) * T) / sq;
    if (d1out) *d1out = d1;
    return S * cnd(d1) - K * exp(-r * T) * cnd(d1 - sq);
}

// v1: array of structures, writes a structure
__global__ void priceAoS(const Option* o, Quote* q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Option x = o[i];
    float d1, c = bsCall<float>(x.spot, x.strike, x.expiry, x.vol, x.rate, &d1);
    Quote out;
    out.price = x.isPut ? c - x.spot + x.strike * expf(-x.rate * x.expiry) : c;
    out.delta = x.isPut ? cnd(d1) - 1.f : cnd(d1);
    out.vega = x.spot * 0.39894228f * expf(-0.5f * d1 * d1) * sqrtf(x.expiry);
    q[i] = out;
}

// v2: structure of arrays
__global__ void priceSoA(const float* S, const float* K, const float* T, float* call, float* put, float v, float r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float c = bsCall<float>(S[i], K[i], T[i], v, r);
    call[i] = c;
    put[i] = c - S[i] + K[i] * expf(-r * T[i]);
}

// v3: vectorised + fast intrinsics (Abramowitz-Stegun CND)
__device__ __forceinline__ float cndFast(float d)
{
    float k = __fdividef(1.f, 1.f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * __expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.f - c : c;
}
__device__ __forceinline__ void one(float S, float K, float T, float v, float r, float& c, float& p)
{
    float sq = v * sqrtf(T), d1 = __fdividef(__logf(__fdividef(S, K)) + (r + 0.5f * v * v) * T, sq), df = K * __expf(-r * T);
    c = S * cndFast(d1) - df * cndFast(d1 - sq);
    p = c - S + df;
}
__global__ void priceVec4(const float4* S, const float4* K, const float4* T, float4* call, float4* put, float v, float r, int n4)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 s = S[i], k = K[i], t = T[i], c, p;
        one(s.x, k.x, t.x, v, r, c.x, p.x);
        one(s.y, k.y, t.y, v, r, c.y, p.y);
        one(s.z, k.z, t.z, v, r, c.z, p.z);
        one(s.w, k.w, t.w, v, r, c.w, p.w);
        call[i] = c;
        put[i] = p;
    }
}

// double precision check run
__global__ void priceDouble(const float* S, const float* K, const float* T, double* call, double v, double r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) call[i] = bsCall<double>(S[i], K[i], T[i], v, r);
}

// implied volatility, Newton with data dependent trip count
__global__ void impliedVol(const float* S, const float* K, const float* T, const double* target, float r, float* iv, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = S[i], k = K[i], t = T[i], v = 0.6f, goal = (float)target[i];
    for (int it = 0; it < 12; ++it) {
        float d1, c = bsCall<float>(s, k, t, v, r, &d1);
        float vega = s * 0.39894228f * expf(-0.5f * d1 * d1) * sqrtf(t);
        float step = (c - goal) / fmaxf(vega, 1e-4f);
        v = fminf(fmaxf(v - step, 0.01f), 3.f);
        if (fabsf(step) < 1e-5f) break;
    }
    iv[i] = v;
}

// binomial tree, one block per option, prices kept in shared memory
template <int STEPS>
__global__ void binomial(const float* S, const float* K, const float* T, float v, float r, float* out)
{
    __shared__ float a[STEPS + 1];
    int o = blockIdx.x;
    float dt = T[o] / STEPS, u = expf(v * sqrtf(dt)), d = 1.f / u;
    float p = (expf(r * dt) - d) / (u - d), df = expf(-r * dt), pu = p * df, pd = (1.f - p) * df;
    for (int i = threadIdx.x; i <= STEPS; i += blockDim.x)
        a[i] = fmaxf(S[o] * expf(v * sqrtf(dt) * (2.f * i - STEPS)) - K[o], 0.f);
    for (int lvl = STEPS; lvl > 0; --lvl)
        for (int base = 0; base < lvl; base += blockDim.x) {
            int i = base + threadIdx.x;
            __syncthreads();
            float x = i < lvl ? pu * a[i + 1] + pd * a[i] : 0.f;
            __syncthreads();
            if (i < lvl) a[i] = x;
        }
    if (threadIdx.x == 0) out[o] = a[0];
}

// ---- Monte Carlo ------------------------------------------------------------
__device__ __forceinline__ uint32_t pcg(uint64_t& st)
{
    uint64_t old = st;
    st = old * 6364136223846793005ULL + 1442695040888963407ULL;
    uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27), rot = (uint32_t)(old >> 59);
    return (x >> rot) | (x << ((-rot) & 31));
}
__device__ __forceinline__ float2 gauss2(uint64_t& st)
{
    float u = (pcg(st) + 1.f) * 2.3283064e-10f, w = pcg(st) * 2.3283064e-10f, s, c;
    u = fminf(u, 1.f);
    float R = sqrtf(-2.f * logf(u));
    sincospif(2.f * w, &s, &c);
    return make_float2(R * c, R * s);
}
__device__ __forceinline__ void blockAdd(float v, double* dst)
{
    double d = v;
    for (int o = 16; o; o /= 2) d += __shfl_down_sync(~0u, d, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(dst, d);
}
__global__ void mcEuropean(float S, float K, float T, float v, float r, int perThread, double* sum)
{
    uint64_t st = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9E3779B97F4A7C15ULL + 77;
    pcg(st);
    float mu = (r - 0.5f * v * v) * T, sg = v * sqrtf(T), acc = 0;
    for (int i = 0; i < perThread; i++) {
        float2 z = gauss2(st);
        acc += fmaxf(S * expf(mu + sg * z.x) - K, 0.f) + fmaxf(S * expf(mu + sg * z.y) - K, 0.f);
    }
    blockAdd(acc, sum);
}
__global__ void mcAsianAntithetic(float S, float K, float T, float v, float r, int dates, double* sum)
{
    uint64_t st = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9E3779B97F4A7C15ULL + 99;
    pcg(st);
    float dt = T / dates, mu = (r - 0.5f * v * v) * dt, sg = v * sqrtf(dt), x = 0, y = 0, ax = 0, ay = 0;
    for (int i = 0; i < dates; i += 2) {
        float2 z = gauss2(st);
        x += mu + sg * z.x; y += mu - sg * z.x; ax += expf(x); ay += expf(y);
        x += mu + sg * z.y; y += mu - sg * z.y; ax += expf(x); ay += expf(y);
    }
    blockAdd(0.5f * (fmaxf(S * ax / dates - K, 0.f) + fmaxf(S * ay / dates - K, 0.f)), sum);
}

// five asset basket, Cholesky factor in constant memory
__constant__ float cL[5][5];
__constant__ float cW[5];
__global__ void mcBasket(float K, float T, float v, float r, double* sum)
{
    uint64_t st = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9E3779B97F4A7C15ULL + 5;
    pcg(st);
    float acc = 0;
    for (int path = 0; path < 16; path++) {
        float z[6];
        for (int k = 0; k < 6; k += 2) { float2 g = gauss2(st); z[k] = g.x; z[k + 1] = g.y; }
        float b = 0;
        #pragma unroll
        for (int i = 0; i < 5; i++) {
            float e = 0;
            #pragma unroll
            for (int j = 0; j <= i; j++) e += cL[i][j] * z[j];
            b += cW[i] * 100.f * expf((r - 0.5f * v * v) * T + v * sqrtf(T) * e);
        }
        acc += fmaxf(b - K, 0.f);
    }
    blockAdd(acc, sum);
}

int main(int argc, char** argv)
try {
    const int n = argc > 1 ? std::stoi(argv[1]) : 1500000;
    const int n4 = n / 4;
    const float v = 0.3f, r = 0.02f;
    std::mt19937 g(42);
    std::uniform_real_distribution<float> uS(20, 60), uK(20, 60), uT(0.3f, 3);
    std::vector<float> S(n), K(n), T(n);
    std::vector<Option> book(n);
    for (int i = 0; i < n; i++) {
        S[i] = uS(g); K[i] = uK(g); T[i] = uT(g);
        book[i] = {S[i], K[i], T[i], v, r, i % 3 == 0};
    }
    DeviceBuffer<float> dS(S), dK(K), dT(T), call(n), put(n), iv(n);
    DeviceBuffer<Option> dBook(book);
    DeviceBuffer<Quote> quotes(n);
    DeviceBuffer<double> dCall(n), acc(1);
    bool ok = true;
    auto verdict = [&](const char* name, bool good) { std::cout << std::left << std::setw(22) << name << (good ? "ok" : "MISMATCH") << "\n"; ok = ok && good; };
    auto blocks = [](int m, int b) { return (m + b - 1) / b; };

    priceAoS<<<blocks(n, 256), 256>>>(dBook.get(), quotes.get(), n);
    { auto q = quotes.host(); bool good = true;
      for (int i = 0; i < n; i += 997) { double c = bsCall<double>(S[i], K[i], T[i], v, r); if (book[i].isPut) c += K[i] * exp(-double(r) * T[i]) - S[i]; good &= fabs(c - q[i].price) < 1e-3; }
      verdict("AoS", good); }
    auto checkCalls = [&](const char* nm, int m) { auto c = call.host(), p = put.host(); bool good = true;
      for (int i = 0; i < m; i += 1009) { double e = bsCall<double>(S[i], K[i], T[i], v, r); good &= fabs(e - c[i]) < 2e-3 && fabs(e - S[i] + K[i] * exp(-double(r) * T[i]) - p[i]) < 2e-3; }
      verdict(nm, good); };
    for (int bs : {128, 384}) {
        call.zero(); put.zero();
        priceSoA<<<blocks(n, bs), bs>>>(dS.get(), dK.get(), dT.get(), call.get(), put.get(), v, r, n);
        cu(cudaGetLastError());
        checkCalls(bs == 128 ? "SoA 128" : "SoA 384", n);
    }
    call.zero(); put.zero();
    priceVec4<<<660, 256>>>((float4*)dS.get(), (float4*)dK.get(), (float4*)dT.get(), (float4*)call.get(), (float4*)put.get(), v, r, n4);
    checkCalls("SoA float4 fast", 4 * n4);
    priceDouble<<<blocks(n, 256), 256>>>(dS.get(), dK.get(), dT.get(), dCall.get(), v, r, n);
    { auto c = dCall.host(); bool good = true; for (int i = 0; i < n; i += 1013) good &= fabs(c[i] - bsCall<double>(S[i], K[i], T[i], v, r)) < 1e-9; verdict("double", good); }
    impliedVol<<<blocks(n, 128), 128>>>(dS.get(), dK.get(), dT.get(), dCall.get(), r, iv.get(), n);
    { auto x = iv.host(); int bad = 0, seen = 0; for (int i = 0; i < n; i += 211) { float m = S[i] / K[i]; if (m < 0.8f || m > 1.25f) continue; seen++; bad += fabsf(x[i] - v) > 5e-3f; } verdict("implied vol", bad * 100 < seen); }
    binomial<511><<<600, 256>>>(dS.get(), dK.get(), dT.get(), v, r, call.get());
    { auto c = call.host(); bool good = true; for (int i = 0; i < 600; i++) good &= fabs(c[i] - bsCall<double>(S[i], K[i], T[i], v, r)) < 0.05; verdict("binomial 511", good); }
    binomial<1000><<<264, 512>>>(dS.get(), dK.get(), dT.get(), v, r, call.get());
    { auto c = call.host(); bool good = true; for (int i = 0; i < 264; i++) good &= fabs(c[i] - bsCall<double>(S[i], K[i], T[i], v, r)) < 0.05; verdict("binomial 1000", good); }

    const int mb = 528, mt = 256;
    acc.zero();
    mcEuropean<<<mb, mt>>>(100, 105, 1, v, r, 32, acc.get());
    double e = acc.host()[0] / (double(mb) * mt * 64) * exp(-double(r)), ref = bsCall<double>(100, 105, 1, v, r);
    std::cout << "  mc " << e << " vs " << ref << "\n";
    verdict("mc european", fabs(e - ref) < 0.1);
    acc.zero();
    mcAsianAntithetic<<<mb, mt>>>(100, 100, 1, v, r, 64, acc.get());
    e = acc.host()[0] / (double(mb) * mt) * exp(-double(r));
    verdict("mc asian", e > 5.5 && e < 9.5);
    float L[5][5] = {}, W[5] = {0.2f, 0.2f, 0.2f, 0.2f, 0.2f};
    for (int i = 0; i < 5; i++)           // correlation 0.5 everywhere
        for (int j = 0; j <= i; j++) {
            float s = i == j ? 1.f : 0.5f;
            for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrtf(s) : s / L[j][j];
        }
    cu(cudaMemcpyToSymbol(cL, L, sizeof L));
    cu(cudaMemcpyToSymbol(cW, W, sizeof W));
    acc.zero();
    mcBasket<<<400, 192>>>(100, 1, v, r, acc.get());
    e = acc.host()[0] / (400.0 * 192 * 16) * exp(-double(r));
    verdict("mc basket", e > 8.5 && e < 12.0);
    cu(cudaDeviceSynchronize());
    std::cout << (ok ? "PASS" : "FAIL") << std::endl;
    return !ok;
} catch (const std::exception& ex) { std::cerr << "exception: " << ex.what() << "\n"; return 1; }
