/*
 * Option pricing collection:
 *   - Black-Scholes closed form for a large portfolio
 *   - binomial tree, one thread block per option, tree row kept in registers
 *   - Monte Carlo, one thread block per option
 *   - Sobol quasirandom sequence + inverse cumulative normal + arithmetic Asian call
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static const char *_cudaErr(cudaError_t e) { return cudaGetErrorString(e); }
#define checkCudaErrors(x)                                                              \
    {                                                                                   \
        cudaError_t _e = (x);                                                           \
        if (_e != cudaSuccess) {                                                        \
            printf("%s(%d): %s failed: %s\n", __FILE__, __LINE__, #x, _cudaErr(_e));    \
            exit(EXIT_FAILURE);                                                         \
        }                                                                               \
    }
#define getLastCudaError(msg)                                                           \
    {                                                                                   \
        cudaError_t _e = cudaGetLastError();                                            \
        if (_e != cudaSuccess) {                                                        \
            printf("%s(%d): %s: %s\n", __FILE__, __LINE__, msg, _cudaErr(_e));          \
            exit(EXIT_FAILURE);                                                         \
        }                                                                               \
    }

#define DIV_UP(a, b) (((a) + (b)-1) / (b))

////////////////////////////////////////////////////////////////////////////////
// Global parameters
////////////////////////////////////////////////////////////////////////////////
const int OPT_N = 900002; // even: the kernel works on float2
const float RISKFREE = 0.02f;
const float VOLATILITY = 0.30f;

#define THREADBLOCK_SIZE 96
#define ELEMS_PER_THREAD 8
#define NUM_STEPS (THREADBLOCK_SIZE * ELEMS_PER_THREAD)
#define BINOMIAL_OPTIONS 500

#define MC_OPTIONS 330
#define MC_PATHS 60000

#define SOBOL_DIMS 8
#define SOBOL_BITS 32

typedef struct {
    float S;
    float X;
    float vDt;
    float puByDf;
    float pdByDf;
} __TOptionData;

__constant__ __TOptionData d_OptionData[BINOMIAL_OPTIONS];

////////////////////////////////////////////////////////////////////////////////
// Black-Scholes
////////////////////////////////////////////////////////////////////////////////
__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f;
    const float A2 = -0.356563782f;
    const float A3 = 1.781477937f;
    const float A4 = -1.821255978f;
    const float A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;

    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0)
        cnd = 1.0f - cnd;
    return cnd;
}

__device__ inline void BlackScholesBodyGPU(float &CallResult, float &PutResult, float S, float X, float T, float R, float V)
{
    float sqrtT = __fdividef(1.0F, rsqrtf(T));
    float d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float CNDD1 = cndGPU(d1);
    float CNDD2 = cndGPU(d2);
    float expRT = __expf(-R * T);
    CallResult = S * CNDD1 - X * expRT * CNDD2;
    PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}

__launch_bounds__(128)
__global__ void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult, float2 *__restrict d_StockPrice,
                                float2 *__restrict d_OptionStrike, float2 *__restrict d_OptionYears, float Riskfree, float Volatility, int optN)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt < (optN / 2)) {
        float callResult1, callResult2;
        float putResult1, putResult2;
        BlackScholesBodyGPU(callResult1, putResult1, d_StockPrice[opt].x, d_OptionStrike[opt].x, d_OptionYears[opt].x, Riskfree, Volatility);
        BlackScholesBodyGPU(callResult2, putResult2, d_StockPrice[opt].y, d_OptionStrike[opt].y, d_OptionYears[opt].y, Riskfree, Volatility);
        d_CallResult[opt] = make_float2(callResult1, callResult2);
        d_PutResult[opt] = make_float2(putResult1, putResult2);
    }
}

////////////////////////////////////////////////////////////////////////////////
// Binomial tree
////////////////////////////////////////////////////////////////////////////////
__device__ inline float expiryCallValue(float S, float X, float vDt, int i)
{
    float d = S * __expf(vDt * (2.0f * i - NUM_STEPS)) - X;
    return (d > 0.0F) ? d : 0.0F;
}

__global__ void binomialOptionsKernel(float *d_CallValue)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ float call_exchange[THREADBLOCK_SIZE + 1];

    const int tid = threadIdx.x;
    const float S = d_OptionData[blockIdx.x].S;
    const float X = d_OptionData[blockIdx.x].X;
    const float vDt = d_OptionData[blockIdx.x].vDt;
    const float puByDf = d_OptionData[blockIdx.x].puByDf;
    const float pdByDf = d_OptionData[blockIdx.x].pdByDf;

    float call[ELEMS_PER_THREAD + 1];
#pragma unroll
    for (int i = 0; i < ELEMS_PER_THREAD; ++i)
        call[i] = expiryCallValue(S, X, vDt, tid * ELEMS_PER_THREAD + i);

    if (tid == 0)
        call_exchange[THREADBLOCK_SIZE] = expiryCallValue(S, X, vDt, NUM_STEPS);

    int final_it = max(0, tid * ELEMS_PER_THREAD - 1);

#pragma unroll 8
    for (int i = NUM_STEPS; i > 0; --i) {
        call_exchange[tid] = call[0];
        cg::sync(cta);
        call[ELEMS_PER_THREAD] = call_exchange[tid + 1];
        cg::sync(cta);

        if (i > final_it) {
#pragma unroll
            for (int j = 0; j < ELEMS_PER_THREAD; ++j)
                call[j] = puByDf * call[j + 1] + pdByDf * call[j];
        }
    }
    if (tid == 0)
        d_CallValue[blockIdx.x] = call[0];
}

////////////////////////////////////////////////////////////////////////////////
// Monte Carlo
////////////////////////////////////////////////////////////////////////////////
__device__ inline unsigned int pcgHash(unsigned int v)
{
    unsigned int state = v * 747796405u + 2891336453u;
    unsigned int word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

__device__ inline float2 boxMuller(unsigned int a, unsigned int b)
{
    float u1 = (a + 0.5f) * 2.3283064e-10f;
    float u2 = b * 2.3283064e-10f;
    float r = sqrtf(-2.0f * logf(fminf(u1, 0.99999994f)));
    float s, c;
    sincospif(2.0f * u2, &s, &c);
    return make_float2(r * s, r * c);
}

// x: sum of payoffs, y: sum of squared payoffs
__global__ void MonteCarloOneBlockPerOption(float2 *d_Result, const float *d_S, const float *d_X, const float *d_T, float R, float V, int pathN)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    __shared__ double s_Sum[32], s_Sum2[32];

    const int opt = blockIdx.x;
    const float S = d_S[opt], X = d_X[opt], T = d_T[opt];
    const float MuByT = (R - 0.5f * V * V) * T;
    const float VBySqrtT = V * sqrtf(T);

    double sum = 0, sum2 = 0;
    for (int pair = cta.thread_rank(); pair < pathN / 2; pair += cta.size()) {
        unsigned int key = (unsigned)opt * 0x9E3779B9u + 2u * pair;
        float2 z = boxMuller(pcgHash(pcgHash(key)), pcgHash(pcgHash(key + 1u) ^ 0x5bd1e995u));
        float p0 = fmaxf(S * __expf(MuByT + VBySqrtT * z.x) - X, 0.0f);
        float p1 = fmaxf(S * __expf(MuByT + VBySqrtT * z.y) - X, 0.0f);
        sum += p0 + p1;
        sum2 += p0 * p0 + p1 * p1;
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        sum += tile32.shfl_down(sum, offset);
        sum2 += tile32.shfl_down(sum2, offset);
    }
    if (tile32.thread_rank() == 0) {
        s_Sum[tile32.meta_group_rank()] = sum;
        s_Sum2[tile32.meta_group_rank()] = sum2;
    }
    cg::sync(cta);
    if (cta.thread_rank() == 0) {
        for (unsigned i = 1; i < tile32.meta_group_size(); i++) {
            sum += s_Sum[i];
            sum2 += s_Sum2[i];
        }
        d_Result[opt] = make_float2((float)sum, (float)sum2);
    }
}

////////////////////////////////////////////////////////////////////////////////
// Sobol quasirandom numbers and the Asian option
////////////////////////////////////////////////////////////////////////////////
__global__ void sobolGPU(unsigned n_vectors, unsigned *d_directions, float *d_output)
{
    __shared__ unsigned v[SOBOL_BITS];
    const unsigned dim = blockIdx.y;
    if (threadIdx.x < SOBOL_BITS)
        v[threadIdx.x] = d_directions[dim * SOBOL_BITS + threadIdx.x];
    __syncthreads();

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n_vectors; i += gridDim.x * blockDim.x) {
        unsigned g = i ^ (i >> 1); // gray code
        unsigned X = 0;
        while (g) {
            X ^= v[__ffs(g) - 1];
            g &= g - 1;
        }
        d_output[dim * n_vectors + i] = (float)X * 2.3283064365386963e-10f;
    }
}

// Moro's algorithm
__device__ inline float MoroInvCNDgpu(float P)
{
    const float a1 = 2.50662823884f, a2 = -18.61500062529f, a3 = 41.39119773534f, a4 = -25.44106049637f;
    const float b1 = -8.4735109309f, b2 = 23.08336743743f, b3 = -21.06224101826f, b4 = 3.13082909833f;
    const float c1 = 0.337475482272615f, c2 = 0.976169019091719f, c3 = 0.160797971491821f;
    const float c4 = 2.76438810333863E-02f, c5 = 3.8405729373609E-03f, c6 = 3.951896511919E-04f;
    const float c7 = 3.21767881768E-05f, c8 = 2.888167364E-07f, c9 = 3.960315187E-07f;

    float y = P - 0.5f, z;
    if (fabsf(y) < 0.42f) {
        z = y * y;
        z = y * (((a4 * z + a3) * z + a2) * z + a1) / ((((b4 * z + b3) * z + b2) * z + b1) * z + 1.0f);
    } else {
        z = y > 0 ? logf(-logf(1.0f - P)) : logf(-logf(P));
        z = c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * (c6 + z * (c7 + z * (c8 + z * c9)))))));
        if (y < 0)
            z = -z;
    }
    return z;
}

__global__ void inverseCNDKernel(float *d_Data, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float p = fminf(fmaxf(d_Data[i], 1.0e-7f), 0.9999999f);
        d_Data[i] = MoroInvCNDgpu(p);
    }
}

__global__ void asianCallKernel(const float *d_normals, unsigned n_vectors, float S, float X, float T, float R, float V, double *d_sum)
{
    __shared__ double s[192];
    const float dt = T / SOBOL_DIMS;
    const float mu = (R - 0.5f * V * V) * dt, sd = V * sqrtf(dt);
    double acc = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n_vectors; i += gridDim.x * blockDim.x) {
        float price = S, avg = 0;
#pragma unroll
        for (int d = 0; d < SOBOL_DIMS; d++) {
            price *= __expf(mu + sd * d_normals[d * n_vectors + i]);
            avg += price;
        }
        acc += fmaxf(avg / SOBOL_DIMS - X, 0.0f);
    }
    s[threadIdx.x] = acc;
    __syncthreads();
    if (threadIdx.x < 64)
        s[threadIdx.x] += s[threadIdx.x + 64] + s[threadIdx.x + 128];
    __syncthreads();
    for (int k = 32; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(d_sum, s[0] * exp(-(double)R * T));
}

////////////////////////////////////////////////////////////////////////////////
// CPU side
////////////////////////////////////////////////////////////////////////////////
static double CND(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }

static double callBS(double S, double X, double T, double R, double V)
{
    double sq = sqrt(T), d1 = (log(S / X) + (R + 0.5 * V * V) * T) / (V * sq), d2 = d1 - V * sq;
    return S * CND(d1) - X * exp(-R * T) * CND(d2);
}

static double callBinomial(double S, double X, double T, double R, double V)
{
    static double Call[NUM_STEPS + 1];
    const double dt = T / NUM_STEPS, vDt = V * sqrt(dt), rDt = R * dt, If = exp(rDt), Df = exp(-rDt);
    const double u = exp(vDt), d = exp(-vDt), pu = (If - d) / (u - d), pd = 1.0 - pu;
    for (int i = 0; i <= NUM_STEPS; i++) {
        double v = S * exp(vDt * (2.0 * i - NUM_STEPS)) - X;
        Call[i] = v > 0 ? v : 0;
    }
    for (int i = NUM_STEPS; i > 0; i--)
        for (int j = 0; j <= i - 1; j++)
            Call[j] = pu * Df * Call[j + 1] + pd * Df * Call[j];
    return Call[0];
}

float RandFloat(float low, float high)
{
    float t = (float)rand() / (float)RAND_MAX;
    return (1.0f - t) * low + t * high;
}

// Joe-Kuo primitive polynomials for dimensions 2..8
static const int sob_s[SOBOL_DIMS] = {0, 1, 2, 3, 3, 4, 4, 5};
static const int sob_a[SOBOL_DIMS] = {0, 0, 1, 1, 2, 1, 4, 2};
static const int sob_m[SOBOL_DIMS][5] = {{0}, {1}, {1, 3}, {1, 3, 1}, {1, 1, 1}, {1, 1, 3, 3}, {1, 3, 5, 13}, {1, 1, 5, 5, 17}};

static void initSobolDirectionVectors(unsigned *dir)
{
    for (int d = 0; d < SOBOL_DIMS; d++) {
        unsigned *v = dir + d * SOBOL_BITS;
        if (d == 0) {
            for (int k = 0; k < SOBOL_BITS; k++)
                v[k] = 1u << (31 - k);
            continue;
        }
        int s = sob_s[d];
        for (int k = 0; k < s; k++)
            v[k] = (unsigned)sob_m[d][k] << (31 - k);
        for (int k = s; k < SOBOL_BITS; k++) {
            v[k] = v[k - s] ^ (v[k - s] >> s);
            for (int j = 1; j < s; j++)
                if ((sob_a[d] >> (s - 1 - j)) & 1)
                    v[k] ^= v[k - j];
        }
    }
}

int main(int argc, char **argv)
{
    printf("[%s] - Starting...\n", argv[0]);
    srand(5347);
    bool passed = true;

    float *h_S = (float *)malloc(OPT_N * sizeof(float)), *h_X = (float *)malloc(OPT_N * sizeof(float)), *h_T = (float *)malloc(OPT_N * sizeof(float));
    float *h_C = (float *)malloc(OPT_N * sizeof(float)), *h_P = (float *)malloc(OPT_N * sizeof(float));
    for (int i = 0; i < OPT_N; i++) {
        h_S[i] = RandFloat(5.0f, 30.0f);
        h_X[i] = RandFloat(1.0f, 100.0f);
        h_T[i] = RandFloat(0.25f, 10.0f);
    }
    const size_t OPT_SZ = OPT_N * sizeof(float);
    float *d_S, *d_X, *d_T, *d_C, *d_P;
    checkCudaErrors(cudaMalloc((void **)&d_S, OPT_SZ));
    checkCudaErrors(cudaMalloc((void **)&d_X, OPT_SZ));
    checkCudaErrors(cudaMalloc((void **)&d_T, OPT_SZ));
    checkCudaErrors(cudaMalloc((void **)&d_C, OPT_SZ));
    checkCudaErrors(cudaMalloc((void **)&d_P, OPT_SZ));
    checkCudaErrors(cudaMemcpy(d_S, h_S, OPT_SZ, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_X, h_X, OPT_SZ, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_T, h_T, OPT_SZ, cudaMemcpyHostToDevice));

    // 1. Black-Scholes
    BlackScholesGPU<<<DIV_UP((OPT_N / 2), 128), 128>>>((float2 *)d_C, (float2 *)d_P, (float2 *)d_S, (float2 *)d_X, (float2 *)d_T, RISKFREE, VOLATILITY, OPT_N);
    getLastCudaError("BlackScholesGPU() execution failed");
    checkCudaErrors(cudaMemcpy(h_C, d_C, OPT_SZ, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(h_P, d_P, OPT_SZ, cudaMemcpyDeviceToHost));
    double sum_delta = 0, sum_ref = 0;
    for (int i = 0; i < OPT_N; i++) {
        double ref = callBS(h_S[i], h_X[i], h_T[i], RISKFREE, VOLATILITY);
        double put = ref - h_S[i] + h_X[i] * exp(-(double)RISKFREE * h_T[i]);
        sum_delta += fabs(h_C[i] - ref) + fabs(h_P[i] - put);
        sum_ref += fabs(ref) + fabs(put);
    }
    printf("Black-Scholes   L1 norm: %E\n", sum_delta / sum_ref);
    passed = passed && sum_delta / sum_ref < 1e-4;

    // 2. binomial tree
    static __TOptionData h_OptionData[BINOMIAL_OPTIONS];
    for (int i = 0; i < BINOMIAL_OPTIONS; i++) {
        const double T = h_T[i], R = RISKFREE, V = VOLATILITY, dt = T / NUM_STEPS, vDt = V * sqrt(dt), rDt = R * dt;
        const double If = exp(rDt), Df = exp(-rDt), u = exp(vDt), d = exp(-vDt), pu = (If - d) / (u - d), pd = 1.0 - pu;
        h_OptionData[i].S = h_S[i];
        h_OptionData[i].X = h_X[i];
        h_OptionData[i].vDt = (float)vDt;
        h_OptionData[i].puByDf = (float)(pu * Df);
        h_OptionData[i].pdByDf = (float)(pd * Df);
    }
    checkCudaErrors(cudaMemcpyToSymbol(d_OptionData, h_OptionData, sizeof(h_OptionData)));
    binomialOptionsKernel<<<BINOMIAL_OPTIONS, THREADBLOCK_SIZE>>>(d_C);
    getLastCudaError("binomialOptionsKernel() execution failed.");
    checkCudaErrors(cudaMemcpy(h_C, d_C, BINOMIAL_OPTIONS * sizeof(float), cudaMemcpyDeviceToHost));
    sum_delta = sum_ref = 0;
    for (int i = 0; i < BINOMIAL_OPTIONS; i += 4) {
        double ref = callBinomial(h_S[i], h_X[i], h_T[i], RISKFREE, VOLATILITY);
        sum_delta += fabs(h_C[i] - ref);
        sum_ref += fabs(ref);
    }
    printf("binomial        L1 norm: %E\n", sum_delta / sum_ref);
    passed = passed && sum_delta / sum_ref < 1e-3;

    // 3. Monte Carlo
    float2 *d_MC, h_MC[MC_OPTIONS];
    checkCudaErrors(cudaMalloc((void **)&d_MC, sizeof(h_MC)));
    MonteCarloOneBlockPerOption<<<MC_OPTIONS, 224>>>(d_MC, d_S, d_X, d_T, RISKFREE, VOLATILITY, MC_PATHS);
    getLastCudaError("MonteCarloOneBlockPerOption() execution failed");
    checkCudaErrors(cudaMemcpy(h_MC, d_MC, sizeof(h_MC), cudaMemcpyDeviceToHost));
    int outside = 0;
    for (int i = 0; i < MC_OPTIONS; i++) {
        double mean = h_MC[i].x / MC_PATHS, var = h_MC[i].y / MC_PATHS - mean * mean;
        double expRT = exp(-(double)RISKFREE * h_T[i]);
        double conf = 1.96 * expRT * sqrt(fmax(var, 0.0) / MC_PATHS) + 1e-4;
        if (fabs(mean * expRT - callBS(h_S[i], h_X[i], h_T[i], RISKFREE, VOLATILITY)) > conf)
            outside++;
    }
    printf("Monte Carlo     %d of %d outside the 95%% interval\n", outside, MC_OPTIONS);
    passed = passed && outside < MC_OPTIONS / 6;

    // 4. Sobol + Asian option
    const unsigned n_vectors = 100000;
    unsigned h_dir[SOBOL_DIMS * SOBOL_BITS], *d_dir;
    float *d_sobol, *h_sobol = (float *)malloc(n_vectors * SOBOL_DIMS * sizeof(float));
    double *d_sum, asian;
    initSobolDirectionVectors(h_dir);
    checkCudaErrors(cudaMalloc((void **)&d_dir, sizeof(h_dir)));
    checkCudaErrors(cudaMalloc((void **)&d_sobol, n_vectors * SOBOL_DIMS * sizeof(float)));
    checkCudaErrors(cudaMalloc((void **)&d_sum, sizeof(double)));
    checkCudaErrors(cudaMemset(d_sum, 0, sizeof(double)));
    checkCudaErrors(cudaMemcpy(d_dir, h_dir, sizeof(h_dir), cudaMemcpyHostToDevice));
    sobolGPU<<<dim3(100, SOBOL_DIMS), 64>>>(n_vectors, d_dir, d_sobol);
    getLastCudaError("sobolGPU");
    checkCudaErrors(cudaMemcpy(h_sobol, d_sobol, n_vectors * SOBOL_DIMS * sizeof(float), cudaMemcpyDeviceToHost));
    int sobErr = 0;
    for (int d = 0; d < SOBOL_DIMS; d++) {
        unsigned X = 0; // gray code recurrence
        for (unsigned i = 0; i < n_vectors; i++) {
            if (i > 0) {
                int c = 0;
                for (unsigned t = i - 1; t & 1; t >>= 1) c++;
                X ^= h_dir[d * SOBOL_BITS + c];
            }
            if (h_sobol[d * n_vectors + i] != (float)X * 2.3283064365386963e-10f) sobErr++;
        }
    }
    inverseCNDKernel<<<DIV_UP(n_vectors * SOBOL_DIMS, 320), 320>>>(d_sobol, n_vectors * SOBOL_DIMS);
    getLastCudaError("inverseCNDKernel");
    asianCallKernel<<<130, 192>>>(d_sobol, n_vectors, 50.0f, 48.0f, 1.0f, RISKFREE, VOLATILITY, d_sum);
    getLastCudaError("asianCallKernel");
    checkCudaErrors(cudaMemcpy(h_sobol, d_sobol, n_vectors * SOBOL_DIMS * sizeof(float), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(&asian, d_sum, sizeof(double), cudaMemcpyDeviceToHost));
    asian /= n_vectors;
    double ref = 0;
    for (unsigned i = 0; i < n_vectors; i++) {
        double price = 50, avg = 0, dt = 1.0 / SOBOL_DIMS;
        for (int d = 0; d < SOBOL_DIMS; d++) {
            price *= exp((RISKFREE - 0.5 * VOLATILITY * VOLATILITY) * dt + VOLATILITY * sqrt(dt) * h_sobol[d * n_vectors + i]);
            avg += price / SOBOL_DIMS;
        }
        ref += fmax(avg - 48.0, 0.0);
    }
    ref = ref / n_vectors * exp(-(double)RISKFREE);
    printf("Sobol           %d mismatches, Asian call %.5f (CPU %.5f)\n", sobErr, asian, ref);
    passed = passed && sobErr == 0 && fabs(asian - ref) < 1e-3;

    checkCudaErrors(cudaFree(d_S)); checkCudaErrors(cudaFree(d_X)); checkCudaErrors(cudaFree(d_T));
    checkCudaErrors(cudaFree(d_C)); checkCudaErrors(cudaFree(d_P)); checkCudaErrors(cudaFree(d_MC));
    checkCudaErrors(cudaFree(d_dir)); checkCudaErrors(cudaFree(d_sobol)); checkCudaErrors(cudaFree(d_sum));
    free(h_S); free(h_X); free(h_T); free(h_C); free(h_P); free(h_sobol);
    printf(passed ? "Test passed\n" : "Test failed!\n");
    exit(passed ? EXIT_SUCCESS : EXIT_FAILURE);
}
