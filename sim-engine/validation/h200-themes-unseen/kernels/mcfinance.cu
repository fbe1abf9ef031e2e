// Option pricing playground: closed form, lattice, Monte Carlo (several RNGs).
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define SAFE(x) do{cudaError_t rc=(x);if(rc){printf("%s: %s (%d)\n",#x,cudaGetErrorString(rc),__LINE__);exit(1);}}while(0)

struct Market { float S0, K, r, sigma, T; };

// ---------------------------------------------------------- generators
struct XorShift128 {
    uint32_t x, y, z, w;
    __device__ XorShift128(uint32_t seed) {
        // splitmix to spread the seeds
        uint32_t s[4];
        for (int i = 0; i < 4; ++i) {
            seed += 0x9e3779b9u;
            uint32_t q = seed;
            q = (q ^ (q >> 16)) * 0x85ebca6bu;
            q = (q ^ (q >> 13)) * 0xc2b2ae35u;
            s[i] = q ^ (q >> 16);
        }
        x = s[0]; y = s[1]; z = s[2]; w = s[3] | 1u;
    }
    __device__ uint32_t next() {
        uint32_t t = x ^ (x << 11);
        x = y; y = z; z = w;
        return w = w ^ (w >> 19) ^ t ^ (t >> 8);
    }
    __device__ float uniform() { return (next() >> 8) * (1.f / 16777216.f) + (0.5f / 16777216.f); }
};

__device__ uint4 philox4x32(uint4 c, uint2 k)
{
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        uint32_t h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}

__device__ float2 boxMuller(uint32_t a, uint32_t b)
{
    float u = (a >> 8) * 5.9604645e-8f + 2.98e-8f;
    float v = (b >> 8) * 5.9604645e-8f;
    float r = sqrtf(fmaxf(-2.f * __logf(u), 0.f)), s, c;
    __sincosf(6.2831853f * v, &s, &c);
    return make_float2(r * c, r * s);
}

__device__ double blockSum(double v)
{
    __shared__ double s[32];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0;
    if (threadIdx.x < 32) for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    return v;      // valid in thread 0
}

// ---------------------------------------------------------- kernels
__device__ __forceinline__ float cnd(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    float K = 1.f / (1.f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    return d > 0 ? 1.f - c : c;
}

__global__ void blackScholes(const float2 *SK, const float *T, float2 *callPut, float r, float v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float S = SK[i].x, X = SK[i].y, t = T[i];
        float sq = sqrtf(t);
        float d1 = (__logf(S / X) + (r + 0.5f * v * v) * t) / (v * sq), d2 = d1 - v * sq;
        float e = __expf(-r * t), c1 = cnd(d1), c2 = cnd(d2);
        callPut[i] = make_float2(S * c1 - X * e * c2, X * e * (1.f - c2) - S * (1.f - c1));
    }
}

// one option per block, American put on a CRR lattice held in shared memory
#define STEPS 1023
__global__ void binomialAmericanPut(const float2 *SK, const float *T, float *price, float r, float v)
{
    __shared__ float val[2][STEPS + 1];
    float S = SK[blockIdx.x].x, X = SK[blockIdx.x].y;
    float dt = T[blockIdx.x] / STEPS, u = expf(v * sqrtf(dt)), lnu = v * sqrtf(dt);
    float disc = expf(-r * dt), p = (expf(r * dt) - 1.f / u) / (u - 1.f / u);
    float pu = disc * p, pd = disc * (1.f - p);
    for (int j = threadIdx.x; j <= STEPS; j += blockDim.x)
        val[0][j] = fmaxf(X - S * __expf(lnu * (2 * j - STEPS)), 0.f);
    __syncthreads();
    int cur = 0;
    for (int t = STEPS - 1; t >= 0; --t) {
        for (int j = threadIdx.x; j <= t; j += blockDim.x) {
            float hold = pu * val[cur][j + 1] + pd * val[cur][j];
            float now = X - S * __expf(lnu * (2 * j - t));
            val[cur ^ 1][j] = fmaxf(hold, now);
        }
        cur ^= 1;
        __syncthreads();
    }
    if (threadIdx.x == 0) price[blockIdx.x] = val[cur][0];
}

__global__ void piXorshift(unsigned long long *hits, int perThread)
{
    XorShift128 g(blockIdx.x * blockDim.x + threadIdx.x + 1234u);
    unsigned in = 0;
    for (int k = 0; k < perThread; ++k) {
        float x = g.uniform(), y = g.uniform();
        in += x * x + y * y < 1.f;
    }
    in = __reduce_add_sync(~0u, in);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, (unsigned long long)in);
}

__global__ void europeanPhilox(Market m, double *sum, int pathsPerThread)
{
    uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
    float drift = (m.r - 0.5f * m.sigma * m.sigma) * m.T, vol = m.sigma * sqrtf(m.T);
    float acc = 0;
    for (int k = 0; k < pathsPerThread; k += 4) {
        uint4 q = philox4x32(make_uint4(k, id, 0, 0), make_uint2(42, 4711));
        float2 a = boxMuller(q.x, q.y), b = boxMuller(q.z, q.w);
        acc += fmaxf(m.S0 * __expf(drift + vol * a.x) - m.K, 0.f);
        acc += fmaxf(m.S0 * __expf(drift + vol * a.y) - m.K, 0.f);
        acc += fmaxf(m.S0 * __expf(drift + vol * b.x) - m.K, 0.f);
        acc += fmaxf(m.S0 * __expf(drift + vol * b.y) - m.K, 0.f);
    }
    double s = blockSum(acc);
    if (threadIdx.x == 0) atomicAdd(sum, s);
}

// arithmetic-average Asian call, antithetic pairs
__global__ void asianAntithetic(Market m, double *sum, int steps)
{
    XorShift128 g(blockIdx.x * blockDim.x + threadIdx.x + 77u);
    float dt = m.T / steps, drift = (m.r - 0.5f * m.sigma * m.sigma) * dt, vol = m.sigma * sqrtf(dt);
    float la = 0, lb = 0, sa = 0, sb = 0;
    for (int k = 0; k < steps; k += 2) {
        float2 z = boxMuller(g.next(), g.next());
        la += drift + vol * z.x; lb += drift - vol * z.x;
        sa += __expf(la); sb += __expf(lb);
        la += drift + vol * z.y; lb += drift - vol * z.y;
        sa += __expf(la); sb += __expf(lb);
    }
    float pay = 0.5f * (fmaxf(m.S0 * sa / steps - m.K, 0.f) + fmaxf(m.S0 * sb / steps - m.K, 0.f));
    double s = blockSum(pay);
    if (threadIdx.x == 0) atomicAdd(sum, s);
}

// first two Sobol dimensions, direction numbers held in constant memory
__constant__ uint32_t sobolDir[2][32];
__global__ void sobolPoints(float2 *out, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t gray = i ^ (i >> 1), x = 0, y = 0;
    for (int b = 0; gray; ++b, gray >>= 1)
        if (gray & 1) { x ^= sobolDir[0][b]; y ^= sobolDir[1][b]; }
    out[i] = make_float2(x * 2.3283064e-10f, y * 2.3283064e-10f);
}

template <int BASE> __device__ float radicalInverse(uint32_t i)
{
    float f = 1.f, r = 0.f;
    while (i) { f /= BASE; r += f * (i % BASE); i /= BASE; }
    return r;
}

// integrate sin(pi x) * y^2 + xy over the unit square with Halton 2,3
__global__ void haltonIntegral(double *sum, uint32_t n)
{
    double acc = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = radicalInverse<2>(i + 1), y = radicalInverse<3>(i + 1);
        acc += sinpif(x) * y * y + x * y;
    }
    acc = blockSum(acc);
    if (threadIdx.x == 0) atomicAdd(sum, acc);
}

int main()
{
    const int n = 1 << 22, nLat = 1024;
    std::vector<float2> sk(n);
    std::vector<float> t(n);
    for (int i = 0; i < n; ++i) {
        sk[i].x = 5.f + 25.f * ((i * 37u % 1009) / 1009.f);
        sk[i].y = 1.f + 99.f * ((i * 53u % 997) / 997.f);
        t[i] = 0.25f + 9.75f * ((i * 11u % 641) / 641.f);
    }
    float2 *dSK, *dCP; float *dT, *dLat; double *dSum; unsigned long long *dHits;
    SAFE(cudaMalloc(&dSK, n * sizeof(float2)));
    SAFE(cudaMalloc(&dCP, n * sizeof(float2)));
    SAFE(cudaMalloc(&dT, n * sizeof(float)));
    SAFE(cudaMalloc(&dLat, nLat * sizeof(float)));
    SAFE(cudaMalloc(&dSum, 4 * sizeof(double)));
    SAFE(cudaMalloc(&dHits, 8));
    SAFE(cudaMemset(dSum, 0, 4 * sizeof(double)));
    SAFE(cudaMemset(dHits, 0, 8));
    SAFE(cudaMemcpy(dSK, sk.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(dT, t.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    uint32_t dir[2][32];
    uint32_t m2[32];
    m2[0] = 1;
    for (int k = 1; k < 32; ++k) m2[k] = (m2[k - 1] << 1) ^ m2[k - 1];      // x + 1
    for (int k = 0; k < 32; ++k) { dir[0][k] = 1u << (31 - k); dir[1][k] = m2[k] << (31 - k); }
    SAFE(cudaMemcpyToSymbol(sobolDir, dir, sizeof dir));

    Market mk{100.f, 105.f, 0.03f, 0.25f, 1.f};
    blackScholes<<<1056, 128>>>(dSK, dT, dCP, 0.02f, 0.30f, n);
    binomialAmericanPut<<<nLat, 256>>>(dSK, dT, dLat, 0.02f, 0.30f);
    piXorshift<<<528, 256>>>(dHits, 512);
    europeanPhilox<<<528, 256>>>(mk, dSum, 128);
    asianAntithetic<<<1056, 256>>>(mk, dSum + 1, 252);
    sobolPoints<<<n / 256, 256>>>(dCP, n);
    haltonIntegral<<<528, 256>>>(dSum + 2, n);
    SAFE(cudaGetLastError());
    SAFE(cudaDeviceSynchronize());

    unsigned long long hits; double sums[4]; float lat[4]; float2 q[4];
    SAFE(cudaMemcpy(&hits, dHits, 8, cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(sums, dSum, sizeof sums, cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(lat, dLat, sizeof lat, cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(q, dCP, sizeof q, cudaMemcpyDeviceToHost));
    double disc = exp(-mk.r * mk.T);
    printf("pi ~ %.6f\n", 4.0 * hits / (528.0 * 256 * 512));
    printf("European call %.4f, Asian call %.4f\n", disc * sums[0] / (528.0 * 256 * 128), disc * sums[1] / (1056.0 * 256));
    printf("Halton integral %.6f (exact %.6f)\n", sums[2] / n, 2 / 3.14159265358979 / 3 + 0.25);
    printf("lattice %.4f %.4f  sobol (%.3f,%.3f) (%.3f,%.3f)\n", lat[0], lat[1], q[1].x, q[1].y, q[2].x, q[2].y);
    cudaFree(dSK); cudaFree(dCP); cudaFree(dT); cudaFree(dLat); cudaFree(dSum); cudaFree(dHits);
    return 0;
}
