// wmma_steps.cu
// Half-precision products through nvcuda::wmma, from one-warp-per-tile straight from global
// memory to a staged, padded, asynchronously copied version.  D = A * B (+ bias, + relu at the end)
// A: [M,K] half row major, B: [K,N] half row major, D: float or half.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

#define GPU_OK(x) { cudaError_t rc = (x); if (rc != cudaSuccess) { printf("cuda: %s at line %d\n", cudaGetErrorString(rc), __LINE__); exit(2); } }

struct Problem {
    int M, N, K;
    half *hA, *hB, *A, *B;
    float *hBias, *bias;
    float *D;          // device result, float
    half *Dh;          // device result, half
    float *hD;
};

// ---------------------------------------------------------------- 1: one warp, one 16x16 tile
__global__ void wmma_plain(const half* A, const half* B, float* D, int M, int N, int K) {
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = blockIdx.y * blockDim.y + threadIdx.y;
    if (warpM * 16 >= M || warpN * 16 >= N) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(a, A + (size_t)warpM * 16 * K + k, K);
        wmma::load_matrix_sync(b, B + (size_t)k * N + warpN * 16, N);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(D + (size_t)warpM * 16 * N + warpN * 16, c, N, wmma::mem_row_major);
}

// ---------------------------------------------------------------- 2: each warp keeps a 32x64 block of results
__global__ void __launch_bounds__(128) wmma_warp_block(const half* A, const half* B, float* D, int M, int N, int K) {
    const int warp = threadIdx.x >> 5;
    const int row0 = blockIdx.y * 64 + (warp >> 1) * 32;
    const int col0 = blockIdx.x * 128 + (warp & 1) * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][4];
    for (auto& r : c) for (auto& f : r) wmma::fill_fragment(f, 0.f);
    for (int k = 0; k < K; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], A + (size_t)(row0 + 16 * i) * K + k, K);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::load_matrix_sync(b, B + (size_t)k * N + col0 + 16 * j, N);
            for (int i = 0; i < 2; ++i) wmma::mma_sync(c[i][j], a[i], b, c[i][j]);
        }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            wmma::store_matrix_sync(D + (size_t)(row0 + 16 * i) * N + col0 + 16 * j, c[i][j], N, wmma::mem_row_major);
}

// ---------------------------------------------------------------- 3/4: shared tiles, with and without padding
// 128x128 block, BK 32, 8 warps as 4x2, warp tile 32x64
template <int PADA, int PADB>
__global__ void __launch_bounds__(256) wmma_shared(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ D,
                                                    int M, int N, int K) {
    constexpr int BM = 128, BN = 128, BK = 32;
    constexpr int LA = BK + PADA, LB = BN + PADB;
    __shared__ __align__(32) half sA[BM * LA];
    __shared__ __align__(32) half sB[BK * LB];
    const int tid = threadIdx.x, warp = tid >> 5;
    const int wr = (warp >> 1) * 32, wc = (warp & 1) * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) wmma::fill_fragment(c[i][j], 0.f);

    const half* gA = A + (size_t)blockIdx.y * BM * K;
    const half* gB = B + blockIdx.x * BN;
    for (int k0 = 0; k0 < K; k0 += BK) {
        // A: 128 rows x 4 chunks of 8 halves, B: 32 rows x 16 chunks
        for (int q = tid; q < BM * BK / 8; q += 256) {
            int r = q / (BK / 8), ch = q % (BK / 8);
            *reinterpret_cast<uint4*>(&sA[r * LA + ch * 8]) = *reinterpret_cast<const uint4*>(gA + (size_t)r * K + k0 + ch * 8);
        }
        for (int q = tid; q < BK * BN / 8; q += 256) {
            int r = q / (BN / 8), ch = q % (BN / 8);
            *reinterpret_cast<uint4*>(&sB[r * LB + ch * 8]) = *reinterpret_cast<const uint4*>(gB + (size_t)(k0 + r) * N + ch * 8);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], &sA[(wr + 16 * i) * LA + k], LA);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
                wmma::load_matrix_sync(b, &sB[k * LB + wc + 16 * j], LB);
#pragma unroll
                for (int i = 0; i < 2; ++i) wmma::mma_sync(c[i][j], a[i], b, c[i][j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            wmma::store_matrix_sync(D + (size_t)(blockIdx.y * BM + wr + 16 * i) * N + blockIdx.x * BN + wc + 16 * j, c[i][j], N,
                                    wmma::mem_row_major);
}

// ---------------------------------------------------------------- 5: three stages with __pipeline_memcpy_async, dynamic shared memory
constexpr int P_BM = 128, P_BN = 128, P_BK = 32, P_ST = 3, P_LA = P_BK + 8, P_LB = P_BN + 8;
constexpr size_t P_STAGE_HALVES = (size_t)P_BM * P_LA + (size_t)P_BK * P_LB;
constexpr size_t P_BYTES = P_ST * P_STAGE_HALVES * sizeof(half);

__device__ __forceinline__ void stage_in(half* st, const half* gA, const half* gB, int k0, int N, int K) {
    half* a = st;
    half* b = st + P_BM * P_LA;
    for (int q = threadIdx.x; q < P_BM * P_BK / 8; q += blockDim.x) {
        int r = q >> 2, ch = (q & 3) * 8;
        __pipeline_memcpy_async(a + r * P_LA + ch, gA + (size_t)r * K + k0 + ch, 16);
    }
    for (int q = threadIdx.x; q < P_BK * P_BN / 8; q += blockDim.x) {
        int r = q >> 4, ch = (q & 15) * 8;
        __pipeline_memcpy_async(b + r * P_LB + ch, gB + (size_t)(k0 + r) * N + ch, 16);
    }
}

__global__ void __launch_bounds__(256) wmma_async3(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ D,
                                                    int M, int N, int K) {
    extern __shared__ __align__(128) half pool[];
    const int warp = threadIdx.x >> 5;
    const int wr = (warp & 1) * 64, wc = (warp >> 1) * 32;   // 2x4 warps, 64x32 each
    const half* gA = A + (size_t)blockIdx.y * P_BM * K;
    const half* gB = B + blockIdx.x * P_BN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(c[i][j], 0.f);
    const int nk = K / P_BK;
    for (int s = 0; s < P_ST - 1; ++s) {
        if (s < nk) stage_in(pool + s * P_STAGE_HALVES, gA, gB, s * P_BK, N, K);
        __pipeline_commit();
    }
    for (int t = 0; t < nk; ++t) {
        __pipeline_wait_prior(P_ST - 2);
        __syncthreads();
        int nx = t + P_ST - 1;
        if (nx < nk) stage_in(pool + (nx % P_ST) * P_STAGE_HALVES, gA, gB, nx * P_BK, N, K);
        __pipeline_commit();
        const half* sa = pool + (t % P_ST) * P_STAGE_HALVES;
        const half* sb = sa + P_BM * P_LA;
#pragma unroll
        for (int k = 0; k < P_BK; k += 16) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
            for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(b[j], sb + k * P_LB + wc + 16 * j, P_LB);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
                wmma::load_matrix_sync(a, sa + (wr + 16 * i) * P_LA + k, P_LA);
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(c[i][j], a, b[j], c[i][j]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(D + (size_t)(blockIdx.y * P_BM + wr + 16 * i) * N + blockIdx.x * P_BN + wc + 16 * j, c[i][j], N,
                                    wmma::mem_row_major);
}

// ---------------------------------------------------------------- 6: half accumulators, half output, 64x64 block
__global__ void __launch_bounds__(128) wmma_half_acc(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ D,
                                                      int M, int N, int K) {
    __shared__ __align__(32) half sA[2][64][24];
    __shared__ __align__(32) half sB[2][16][72];
    const int tid = threadIdx.x, warp = tid >> 5;
    const int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> c[2][2];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(c[i][j], __float2half(0.f));
    const int ar = tid >> 1, ac = (tid & 1) * 8;
    const int br = tid >> 3, bc = (tid & 7) * 8;
    const half* pa = A + (size_t)(blockIdx.y * 64 + ar) * K + ac;
    const half* pb = B + (size_t)br * N + blockIdx.x * 64 + bc;
    float4 ra = *(const float4*)pa, rb = *(const float4*)pb;
    int buf = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        *(float4*)&sA[buf][ar][ac] = ra;
        *(float4*)&sB[buf][br][bc] = rb;
        __syncthreads();
        if (k0 + 16 < K) {
            pa += 16;
            pb += (size_t)16 * N;
            ra = *(const float4*)pa;
            rb = *(const float4*)pb;
        }
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(a[i], &sA[buf][wr + 16 * i][0], 24);
            wmma::load_matrix_sync(b[i], &sB[buf][0][wc + 16 * i], 72);
        }
    #pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
        buf ^= 1;
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(D + (size_t)(blockIdx.y * 64 + wr + 16 * i) * N + blockIdx.x * 64 + wc + 16 * j, c[i][j], N,
                                    wmma::mem_row_major);
}

// ---------------------------------------------------------------- 7: epilogue through shared memory: bias, relu, packed half stores
__global__ void __launch_bounds__(256) wmma_bias_relu(const half* __restrict__ A, const half* __restrict__ B,
                                                       const float* __restrict__ bias, half* __restrict__ D, int M, int N, int K) {
    constexpr int LA = 40, LB = 72, LC = 68;
    __shared__ __align__(32) union { struct { half a[128 * LA]; half b[32 * LB]; } in; float c[128 * LC]; } sm;
    const int tid = threadIdx.x, warp = tid >> 5;
    const int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(c[i >> 1][i & 1], 0.f);
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            int q = tid + u * 256;
            *(int4*)&sm.in.a[(q >> 2) * LA + (q & 3) * 8] =
                __ldg((const int4*)(A + (size_t)(blockIdx.y * 128 + (q >> 2)) * K + k0 + (q & 3) * 8));
        }
        *(int4*)&sm.in.b[(tid >> 3) * LB + (tid & 7) * 8] =
            __ldg((const int4*)(B + (size_t)(k0 + (tid >> 3)) * N + blockIdx.x * 64 + (tid & 7) * 8));
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(a[i], &sm.in.a[(wr + 16 * i) * LA + k], LA);
                wmma::load_matrix_sync(b[i], &sm.in.b[k * LB + wc + 16 * i], LB);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&sm.c[(wr + 16 * i) * LC + wc + 16 * j], c[i][j], LC, wmma::mem_row_major);
    __syncthreads();
    for (int q = tid; q < 128 * 32; q += 256) {
        int r = q >> 5, cc = (q & 31) * 2;
        float2 v = *(const float2*)&sm.c[r * LC + cc];
        float2 bb = *(const float2*)&bias[blockIdx.x * 64 + cc];
        *(half2*)&D[(size_t)(blockIdx.y * 128 + r) * N + blockIdx.x * 64 + cc] =
            __floats2half2_rn(fmaxf(v.x + bb.x, 0.f), fmaxf(v.y + bb.y, 0.f));
    }
}

// ---------------------------------------------------------------- host
static int failures = 0;
enum Mode { FLOAT_OUT, HALF_OUT, BIAS_RELU };

static void judge(Problem& p, const char* what, Mode mode, double tol) {
    GPU_OK(cudaGetLastError());
    GPU_OK(cudaDeviceSynchronize());
    if (mode == FLOAT_OUT) {
        GPU_OK(cudaMemcpy(p.hD, p.D, sizeof(float) * p.M * p.N, cudaMemcpyDeviceToHost));
    } else {
        half* tmp = (half*)malloc(sizeof(half) * p.M * p.N);
        GPU_OK(cudaMemcpy(tmp, p.Dh, sizeof(half) * p.M * p.N, cudaMemcpyDeviceToHost));
        for (int i = 0; i < p.M * p.N; ++i) p.hD[i] = __half2float(tmp[i]);
        free(tmp);
    }
    double worst = 0;
    unsigned lcg = 99;
    for (int t = 0; t < 2000; ++t) {
        lcg = lcg * 22695477u + 1u; int r = (lcg >> 10) % p.M;
        lcg = lcg * 22695477u + 1u; int c = (lcg >> 10) % p.N;
        double s = 0;
        for (int k = 0; k < p.K; ++k) s += (double)__half2float(p.hA[(size_t)r * p.K + k]) * __half2float(p.hB[(size_t)k * p.N + c]);
        if (mode == BIAS_RELU) { s += p.hBias[c]; if (s < 0) s = 0; }
        double d = fabs(s - p.hD[(size_t)r * p.N + c]);
        if (!(d <= worst)) worst = d;
    }
    bool ok = worst < tol;
    if (!ok) ++failures;
    printf("%-20s max err %.5f  %s\n", what, worst, ok ? "PASS" : "FAIL");
    GPU_OK(cudaMemset(p.D, 0xff, sizeof(float) * p.M * p.N));
    GPU_OK(cudaMemset(p.Dh, 0xff, sizeof(half) * p.M * p.N));
}

int main() {
    Problem p;
    p.M = 1536; p.N = 1024; p.K = 1024;
    size_t na = (size_t)p.M * p.K, nb = (size_t)p.K * p.N, nc = (size_t)p.M * p.N;
    p.hA = (half*)malloc(na * 2); p.hB = (half*)malloc(nb * 2);
    p.hBias = (float*)malloc(p.N * 4); p.hD = (float*)malloc(nc * 4);
    unsigned x = 1;
    auto rnd = [&x] { x = x * 1103515245u + 12345u; return (float)((x >> 16) & 0x7fff) / 32768.f - 0.5f; };
    for (size_t i = 0; i < na; ++i) p.hA[i] = __float2half(rnd());
    for (size_t i = 0; i < nb; ++i) p.hB[i] = __float2half(rnd());
    for (int i = 0; i < p.N; ++i) p.hBias[i] = rnd();
    GPU_OK(cudaMalloc(&p.A, na * 2)); GPU_OK(cudaMalloc(&p.B, nb * 2));
    GPU_OK(cudaMalloc(&p.bias, p.N * 4)); GPU_OK(cudaMalloc(&p.D, nc * 4)); GPU_OK(cudaMalloc(&p.Dh, nc * 2));
    GPU_OK(cudaMemcpy(p.A, p.hA, na * 2, cudaMemcpyHostToDevice));
    GPU_OK(cudaMemcpy(p.B, p.hB, nb * 2, cudaMemcpyHostToDevice));
    GPU_OK(cudaMemcpy(p.bias, p.hBias, p.N * 4, cudaMemcpyHostToDevice));

    wmma_plain<<<dim3(p.M / 64, p.N / 64), dim3(128, 4)>>>(p.A, p.B, p.D, p.M, p.N, p.K);
    judge(p, "plain", FLOAT_OUT, 2e-2);
    wmma_warp_block<<<dim3(p.N / 128, p.M / 64), 128>>>(p.A, p.B, p.D, p.M, p.N, p.K);
    judge(p, "warp block 32x64", FLOAT_OUT, 2e-2);
    wmma_shared<0, 0><<<dim3(p.N / 128, p.M / 128), 256>>>(p.A, p.B, p.D, p.M, p.N, p.K);
    judge(p, "shared, no pad", FLOAT_OUT, 2e-2);
    wmma_shared<8, 8><<<dim3(p.N / 128, p.M / 128), 256>>>(p.A, p.B, p.D, p.M, p.N, p.K);
    judge(p, "shared, pad 8", FLOAT_OUT, 2e-2);
    GPU_OK(cudaFuncSetAttribute(wmma_async3, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)P_BYTES));
    wmma_async3<<<dim3(p.N / P_BN, p.M / P_BM), 256, P_BYTES>>>(p.A, p.B, p.D, p.M, p.N, p.K);
    judge(p, "async 3 stages", FLOAT_OUT, 2e-2);
    wmma_half_acc<<<dim3(p.N / 64, p.M / 64), 128>>>(p.A, p.B, p.Dh, p.M, p.N, p.K);
    judge(p, "half accumulators", HALF_OUT, 0.25);
    wmma_bias_relu<<<dim3(p.N / 64, p.M / 128), 256>>>(p.A, p.B, p.bias, p.Dh, p.M, p.N, p.K);
    judge(p, "bias + relu", BIAS_RELU, 3e-2);
    printf("failures: %d\n", failures);
    return failures;
}
