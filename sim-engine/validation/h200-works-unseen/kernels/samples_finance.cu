// Option pricing samples: Black-Scholes, binomial tree, Monte Carlo, quasi random sequences.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define SAFE_CALL(call) do {                                                     \
    cudaError_t err = call;                                                      \
    if (cudaSuccess != err) {                                                    \
        fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n",            \
                __FILE__, __LINE__, cudaGetErrorString(err));                    \
        exit(EXIT_FAILURE);                                                      \
    } } while (0)
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

typedef struct { float S, X, T, R, V; } TOptionData;

// ---------------------------------------------------------------- Black-Scholes
__device__ inline float cndGPU(float d) {
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__device__ inline void BlackScholesBody(float &call, float &put, float S, float X, float T, float R, float V) {
    float sqrtT = __fdividef(1.0F, rsqrtf(T));
    float d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2);
    float expRT = __expf(-R * T);
    call = S * CNDD1 - X * expRT * CNDD2;
    put = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}

__launch_bounds__(128)
__global__ void BlackScholesGPU(float2 *__restrict call, float2 *__restrict put, const float2 *__restrict price,
                                const float2 *__restrict strike, const float2 *__restrict years,
                                float R, float V, int optN) {
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt < optN / 2) {
        float c1, c2, p1, p2;
        BlackScholesBody(c1, p1, price[opt].x, strike[opt].x, years[opt].x, R, V);
        BlackScholesBody(c2, p2, price[opt].y, strike[opt].y, years[opt].y, R, V);
        call[opt] = make_float2(c1, c2);
        put[opt] = make_float2(p1, p2);
    }
}

// double precision with the real erfc
__global__ void blackScholesDouble(double *call, const float *price, const float *strike, const float *years,
                                   double R, double V, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double S = price[i], X = strike[i], T = years[i];
        double st = sqrt(T);
        double d1 = (log(S / X) + (R + 0.5 * V * V) * T) / (V * st);
        double d2 = d1 - V * st;
        double n1 = 0.5 * erfc(-d1 * M_SQRT1_2), n2 = 0.5 * erfc(-d2 * M_SQRT1_2);
        call[i] = S * n1 - X * exp(-R * T) * n2;
    }
}

// ---------------------------------------------------------------- binomial tree, one block per option
#define NUM_STEPS 512
__global__ void binomialOptionsShared(float *callValue, const TOptionData *opts) {
    __shared__ float buf[2][NUM_STEPS + 1];
    TOptionData o = opts[blockIdx.x];
    const float dt = o.T / NUM_STEPS;
    const float vDt = o.V * sqrtf(dt);
    const float rDt = o.R * dt;
    const float If = expf(rDt), Df = expf(-rDt);
    const float u = expf(vDt), d = expf(-vDt);
    const float pu = (If - d) / (u - d), pd = 1.0f - pu;
    const float puByDf = pu * Df, pdByDf = pd * Df;
    for (int i = threadIdx.x; i <= NUM_STEPS; i += blockDim.x) {
        float v = o.S * expf(vDt * (2.0f * i - NUM_STEPS)) - o.X;
        buf[0][i] = v > 0 ? v : 0;
    }
    __syncthreads();
    int cur = 0;
    for (int i = NUM_STEPS; i > 0; i--) {
        for (int c = threadIdx.x; c < i; c += blockDim.x)
            buf[cur ^ 1][c] = puByDf * buf[cur][c + 1] + pdByDf * buf[cur][c];
        __syncthreads();
        cur ^= 1;
    }
    if (threadIdx.x == 0) callValue[blockIdx.x] = buf[cur][0];
}

// ---------------------------------------------------------------- Monte Carlo
struct XorShift {
    unsigned x, y, z, w;
    __device__ XorShift(unsigned seed) {
        x = seed * 1664525u + 1013904223u;
        y = x * 1664525u + 1013904223u;
        z = y * 1664525u + 1013904223u;
        w = z * 1664525u + 1013904223u;
    }
    __device__ unsigned next() {
        unsigned t = x ^ (x << 11);
        x = y; y = z; z = w;
        w = w ^ (w >> 19) ^ (t ^ (t >> 8));
        return w;
    }
    __device__ float uniform() { return ((next() >> 8) + 0.5f) * (1.0f / 16777216.0f); }
    __device__ float2 normal2() {
        float r = sqrtf(-2.0f * __logf(uniform()));
        float s, c;
        __sincosf(6.2831853f * uniform(), &s, &c);
        return make_float2(r * c, r * s);
    }
};

// European option: each block simulates a slice of the paths of one option
#define MC_THREADS 256
__global__ void monteCarloEuropean(const TOptionData *opts, float2 *sums, int pathN) {
    __shared__ float s1[MC_THREADS / 32], s2[MC_THREADS / 32];
    TOptionData o = opts[blockIdx.y];
    float mu = (o.R - 0.5f * o.V * o.V) * o.T, vs = o.V * sqrtf(o.T);
    XorShift rng((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x + 1);
    float a = 0, b = 0;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pathN; p += gridDim.x * blockDim.x) {
        float2 g = rng.normal2();
        float v0 = fmaxf(o.S * __expf(mu + vs * g.x) - o.X, 0.f);
        float v1 = fmaxf(o.S * __expf(mu + vs * g.y) - o.X, 0.f);
        a += v0 + v1;
        b += v0 * v0 + v1 * v1;
    }
    for (int off = 16; off > 0; off >>= 1) {
        a += __shfl_down_sync(0xffffffffu, a, off);
        b += __shfl_down_sync(0xffffffffu, b, off);
    }
    if ((threadIdx.x & 31) == 0) { s1[threadIdx.x >> 5] = a; s2[threadIdx.x >> 5] = b; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < MC_THREADS / 32; i++) { a += s1[i]; b += s2[i]; }
        atomicAdd(&sums[blockIdx.y].x, a);
        atomicAdd(&sums[blockIdx.y].y, b);
    }
}

// Asian arithmetic option with LCG, path per thread
__global__ void monteCarloAsian(float *payoff, TOptionData o, int steps, int paths) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= paths) return;
    unsigned long long state = 0x9E3779B97F4A7C15ULL * (tid + 1);
    float dt = o.T / steps;
    float drift = (o.R - 0.5f * o.V * o.V) * dt, vol = o.V * sqrtf(dt);
    float s = o.S, avg = 0.f;
    for (int i = 0; i < steps; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        float u1 = ((unsigned)(state >> 40) + 1) * (1.0f / 16777217.0f);
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        float u2 = (unsigned)(state >> 40) * (1.0f / 16777216.0f);
        float g = sqrtf(-2.0f * logf(u1)) * cospif(2.0f * u2);
        s *= expf(drift + vol * g);
        avg += s;
    }
    payoff[tid] = expf(-o.R * o.T) * fmaxf(avg / steps - o.X, 0.f);
}

// ---------------------------------------------------------------- quasi random
// Sobol: block.y = dimension, direction numbers cached in shared memory, gray code order
__global__ void sobolGPU(unsigned n_vectors, unsigned n_dims, const unsigned *d_directions, float *d_output) {
    __shared__ unsigned v[32];
    d_directions += 32 * blockIdx.y;
    d_output += (size_t)n_vectors * blockIdx.y;
    if (threadIdx.x < 32) v[threadIdx.x] = d_directions[threadIdx.x];
    __syncthreads();
    unsigned i0 = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned stride = gridDim.x * blockDim.x;  // power of two
    unsigned g = i0 ^ (i0 >> 1);
    unsigned X = 0;
    for (unsigned k = 0; k < __ffs(stride) - 1; k++) {
        unsigned mask = -(g & 1);
        X ^= mask & v[k];
        g >>= 1;
    }
    if (i0 < n_vectors) d_output[i0] = X * 2.3283064365386963e-10f;
    unsigned v_log2stridem1 = v[__ffs(stride) - 2];
    unsigned v_stridemask = stride - 1;
    for (unsigned i = i0 + stride; i < n_vectors; i += stride) {
        X ^= v_log2stridem1 ^ v[__ffs(~((i - stride) | v_stridemask)) - 1];
        d_output[i] = X * 2.3283064365386963e-10f;
    }
}

// Moro's inverse of the normal CDF on the sequence
__device__ float moroInvCND(float p) {
    const float a1 = 2.50662823884f, a2 = -18.61500062529f, a3 = 41.39119773534f, a4 = -25.44106049637f;
    const float b1 = -8.4735109309f, b2 = 23.08336743743f, b3 = -21.06224101826f, b4 = 3.13082909833f;
    const float c1 = 0.337475482272615f, c2 = 0.976169019091719f, c3 = 0.160797971491821f, c4 = 2.76438810333863E-02f,
                c5 = 3.8405729373609E-03f, c6 = 3.951896511919E-04f, c7 = 3.21767881768E-05f, c8 = 2.888167364E-07f,
                c9 = 3.960315187E-07f;
    p = fminf(fmaxf(p, 1e-7f), 1.0f - 1e-7f);
    float y = p - 0.5f, z;
    if (fabsf(y) < 0.42f) {
        z = y * y;
        return y * (((a4 * z + a3) * z + a2) * z + a1) / ((((b4 * z + b3) * z + b2) * z + b1) * z + 1.0f);
    }
    z = y > 0 ? __logf(-__logf(1.0f - p)) : __logf(-__logf(p));
    z = c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * (c6 + z * (c7 + z * (c8 + z * c9)))))));
    return y < 0 ? -z : z;
}
__global__ void inverseCNDKernel(float *d_Output, const float *d_Input, unsigned pathN) {
    unsigned tid = blockDim.x * blockIdx.x + threadIdx.x;
    for (unsigned pos = tid; pos < pathN; pos += blockDim.x * gridDim.x) d_Output[pos] = moroInvCND(d_Input[pos]);
}

static float RandFloat(float low, float high) {
    float t = (float)rand() / (float)RAND_MAX;
    return (1.0f - t) * low + t * high;
}

int main(int argc, char **argv) {
    const int OPT_N = 4000000, OPT_D = 500000, BIN_N = 1024, MC_N = 64, PATHS = 1 << 18, ASIAN = 1 << 17;
    const unsigned NV = 1 << 18, ND = 16;
    float *h = (float *)malloc(OPT_N * sizeof(float));
    float *price, *strike, *years, *call, *put, *bin, *pay, *qr, *qn;
    double *calld;
    float2 *mc;
    TOptionData *opts;
    unsigned *dirs;
    srand(5347);
    SAFE_CALL(cudaMalloc(&price, OPT_N * sizeof(float)));
    SAFE_CALL(cudaMalloc(&strike, OPT_N * sizeof(float)));
    SAFE_CALL(cudaMalloc(&years, OPT_N * sizeof(float)));
    SAFE_CALL(cudaMalloc(&call, OPT_N * sizeof(float)));
    SAFE_CALL(cudaMalloc(&put, OPT_N * sizeof(float)));
    SAFE_CALL(cudaMalloc(&calld, OPT_D * sizeof(double)));
    SAFE_CALL(cudaMalloc(&bin, BIN_N * sizeof(float)));
    SAFE_CALL(cudaMalloc(&pay, ASIAN * sizeof(float)));
    SAFE_CALL(cudaMalloc(&qr, (size_t)NV * ND * sizeof(float)));
    SAFE_CALL(cudaMalloc(&qn, (size_t)NV * ND * sizeof(float)));
    SAFE_CALL(cudaMalloc(&mc, MC_N * sizeof(float2)));
    SAFE_CALL(cudaMalloc(&opts, BIN_N * sizeof(TOptionData)));
    SAFE_CALL(cudaMalloc(&dirs, ND * 32 * sizeof(unsigned)));
    for (int i = 0; i < OPT_N; i++) h[i] = RandFloat(5.0f, 30.0f);
    SAFE_CALL(cudaMemcpy(price, h, OPT_N * sizeof(float), cudaMemcpyHostToDevice));
    for (int i = 0; i < OPT_N; i++) h[i] = RandFloat(1.0f, 100.0f);
    SAFE_CALL(cudaMemcpy(strike, h, OPT_N * sizeof(float), cudaMemcpyHostToDevice));
    for (int i = 0; i < OPT_N; i++) h[i] = RandFloat(0.25f, 10.0f);
    SAFE_CALL(cudaMemcpy(years, h, OPT_N * sizeof(float), cudaMemcpyHostToDevice));
    TOptionData ho[1024];
    for (int i = 0; i < BIN_N; i++) {
        ho[i].S = RandFloat(5, 30); ho[i].X = RandFloat(5, 50); ho[i].T = RandFloat(0.25f, 5);
        ho[i].R = 0.06f; ho[i].V = 0.10f + 0.1f * (i % 3);
    }
    SAFE_CALL(cudaMemcpy(opts, ho, sizeof(ho), cudaMemcpyHostToDevice));
    // van der Corput for dim 0, simple random-start odd direction numbers for the other ones
    unsigned hd[16 * 32];
    for (unsigned d = 0; d < ND; d++)
        for (int k = 0; k < 32; k++) {
            unsigned m = d == 0 ? 1u : (((unsigned)rand() & ((1u << (k < 16 ? k : 16)) - 1)) * 2 + 1);
            hd[d * 32 + k] = (k < 16 || d == 0) ? m << (31 - k) : (m << 15) >> (k - 16);
        }
    SAFE_CALL(cudaMemcpy(dirs, hd, sizeof(hd), cudaMemcpyHostToDevice));
    SAFE_CALL(cudaMemset(mc, 0, MC_N * sizeof(float2)));

    BlackScholesGPU<<<DIV_UP(OPT_N / 2, 128), 128>>>((float2 *)call, (float2 *)put, (float2 *)price, (float2 *)strike,
                                                     (float2 *)years, 0.02f, 0.30f, OPT_N);
    blackScholesDouble<<<528, 128>>>(calld, price, strike, years, 0.02, 0.30, OPT_D);
    binomialOptionsShared<<<BIN_N, 128>>>(bin, opts);
    monteCarloEuropean<<<dim3(16, MC_N), MC_THREADS>>>(opts, mc, PATHS);
    monteCarloAsian<<<DIV_UP(ASIAN, 256), 256>>>(pay, ho[3], 250, ASIAN);
    sobolGPU<<<dim3(64, ND), 64>>>(NV, ND, dirs, qr);
    inverseCNDKernel<<<512, 128>>>(qn, qr, NV * ND);
    SAFE_CALL(cudaGetLastError());
    SAFE_CALL(cudaDeviceSynchronize());

    double s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
    SAFE_CALL(cudaMemcpy(h, call, OPT_N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < OPT_N; i++) s1 += h[i];
    SAFE_CALL(cudaMemcpy(h, bin, BIN_N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < BIN_N; i++) s2 += h[i];
    float2 hm[64];
    SAFE_CALL(cudaMemcpy(hm, mc, sizeof(hm), cudaMemcpyDeviceToHost));
    for (int i = 0; i < MC_N; i++) s3 += expf(-ho[i].R * ho[i].T) * hm[i].x / (2.0 * PATHS);
    SAFE_CALL(cudaMemcpy(h, pay, ASIAN * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < ASIAN; i++) s4 += h[i];
    SAFE_CALL(cudaMemcpy(h, qn, NV * sizeof(float), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < NV; i++) s5 += fabs(h[i]);
    printf("BS %.4f binomial %.4f MC %.4f asian %.5f quasi |n| %.5f\n", s1 / OPT_N, s2, s3, s4 / ASIAN, s5 / NV);
    printf("checksum %.6f\n", s1 + s2 + s3 + s4 + s5);
    free(h);
    return 0;
}
