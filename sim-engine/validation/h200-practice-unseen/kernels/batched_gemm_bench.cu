// batched_gemm_bench.cu : many middling or tiny fp32 products at once (strided, pointer arrays, shared B),
// plus one large product with a three-stage cp.async pipeline.  Loops over tables of configurations.
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define GPU(stmt) do { cudaError_t gpu_rc = (stmt); if (gpu_rc) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(gpu_rc)); exit(9); } } while (0)

struct Batch {
    int m, n, k, count;
    long long sa, sb, sc;      // strides between the matrices; 0 = the same one for all
    float alpha, beta;
};
typedef void (*Kernel)(Batch, const float*, const float*, float*);

// ---- no tiling, the block shape decides what coalesces
__global__ void bg_naive(Batch g, const float* A, const float* B, float* C) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= g.m || j >= g.n) return;
    A += blockIdx.z * g.sa; B += blockIdx.z * g.sb; C += blockIdx.z * g.sc;
    float s = 0.f;
#pragma unroll 4
    for (int k = 0; k < g.k; ++k) s += A[i * g.k + k] * B[k * g.n + j];
    C[i * g.n + j] = g.alpha * s + g.beta * C[i * g.n + j];
}

// ---- square tiles
template <int T>
__global__ void __launch_bounds__(T * T) bg_square(Batch g, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
    __shared__ float a[T][T], b[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
    A += blockIdx.z * g.sa; B += blockIdx.z * g.sb; C += blockIdx.z * g.sc;
    float s = 0.f;
    for (int k0 = 0; k0 < g.k; k0 += T) {
        a[ty][tx] = A[i * g.k + k0 + tx];
        b[ty][tx] = B[(k0 + ty) * g.n + j];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k) s = fmaf(a[ty][k], b[k][tx], s);
        __syncthreads();
    }
    C[i * g.n + j] = g.alpha * s + g.beta * C[i * g.n + j];
}

// ---- register tiles, float4 loads, A transposed
template <int BM, int BN, int BK, int TM, int TN>
__device__ __forceinline__ void reg_tile(const Batch& g, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
    constexpr int NT = (BM / TM) * (BN / TN);
    __shared__ __align__(16) float sa[BK][BM + 4];
    __shared__ __align__(16) float sb[BK][BN];
    const int tid = threadIdx.x, tx = tid % (BN / TN), ty = tid / (BN / TN);
    const int i0 = blockIdx.y * BM, j0 = blockIdx.x * BN;
    float acc[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = 0.f;
    for (int k0 = 0; k0 < g.k; k0 += BK) {
        for (int q = tid; q < BM * BK / 4; q += NT) {
            int r = q / (BK / 4), c = q % (BK / 4) * 4;
            float4 v = *(const float4*)&A[(i0 + r) * g.k + k0 + c];
            sa[c][r] = v.x; sa[c + 1][r] = v.y; sa[c + 2][r] = v.z; sa[c + 3][r] = v.w;
        }
        for (int q = tid; q < BK * BN / 4; q += NT) {
            int r = q / (BN / 4), c = q % (BN / 4) * 4;
            *(float4*)&sb[r][c] = *(const float4*)&B[(k0 + r) * g.n + j0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float x[TM], y[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4) *(float4*)&x[i] = *(const float4*)&sa[k][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j += 4) *(float4*)&y[j] = *(const float4*)&sb[k][tx * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4* p = (float4*)&C[(i0 + ty * TM + i) * g.n + j0 + tx * TN + j];
            float4 o = make_float4(g.alpha * acc[i][j], g.alpha * acc[i][j + 1], g.alpha * acc[i][j + 2], g.alpha * acc[i][j + 3]);
            if (g.beta != 0.f) {       // beta 0: do not even read C
                float4 c = *p;
                o.x += g.beta * c.x; o.y += g.beta * c.y; o.z += g.beta * c.z; o.w += g.beta * c.w;
            }
            *p = o;
        }
}
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN)) bg_reg(Batch g, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
    reg_tile<BM, BN, BK, TM, TN>(g, A + blockIdx.z * g.sa, B + blockIdx.z * g.sb, C + blockIdx.z * g.sc);
}
__global__ void __launch_bounds__(256) bg_pointers(Batch g, const float* const* A, const float* const* B, float* const* C) {
    reg_tile<64, 64, 16, 4, 4>(g, A[blockIdx.z], B[blockIdx.z], C[blockIdx.z]);
}

// ---- 32 x 32 matrices: a warp each, B in registers by column, A rows passed around by shuffles
__global__ void __launch_bounds__(128) small_warp(int count, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
    const int w = (blockIdx.x * 128 + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (w >= count) return;
    A += (size_t)w * 1024; B += (size_t)w * 1024; C += (size_t)w * 1024;
    float b[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) b[k] = B[k * 32 + lane];
    for (int i = 0; i < 32; ++i) {
        float a = A[i * 32 + lane], s = 0.f;
#pragma unroll
        for (int k = 0; k < 32; ++k) s = fmaf(__shfl_sync(0xffffffffu, a, k), b[k], s);
        C[i * 32 + lane] = s;
    }
}
// ---- 32 x 32 matrices: four per block in shared memory, 64 threads each, 4x4 per thread
__global__ void __launch_bounds__(256) small_shared(int count, const float4* __restrict__ A, const float4* __restrict__ B, float4* __restrict__ C) {
    __shared__ float4 a[4][32][9], b[4][32][8];
    const int which = threadIdx.x >> 6, t = threadIdx.x & 63;
    const size_t mat = (size_t)blockIdx.x * 4 + which;
    for (int q = t; q < 256; q += 64) {
        a[which][q >> 3][q & 7] = A[mat * 256 + q];
        b[which][q >> 3][q & 7] = B[mat * 256 + q];
    }
    __syncthreads();
    const int tx = t & 7, ty = t >> 3;
    float4 acc[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) acc[i] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 2
    for (int k4 = 0; k4 < 8; ++k4) {
        float4 x[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = a[which][ty + 8 * i][k4];
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            float4 y = b[which][k4 * 4 + u][tx];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                float s = u == 0 ? x[i].x : u == 1 ? x[i].y : u == 2 ? x[i].z : x[i].w;
                acc[i].x += s * y.x; acc[i].y += s * y.y; acc[i].z += s * y.z; acc[i].w += s * y.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) C[mat * 256 + (ty + 8 * i) * 8 + tx] = acc[i];
}

// ---- one large product, 128x128x16, STAGES slots of cp.async, blocks taken in groups of rows for the L2
template <int STAGES, int GROUP>
__global__ void __launch_bounds__(256) big_async(Batch g, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
    constexpr int BM = 128, BN = 128, BK = 16, LA = BK + 4;
    extern __shared__ __align__(16) float pool[];
    float* sA = pool;                              // STAGES x BM x LA
    float* sB = pool + STAGES * BM * LA;           // STAGES x BK x BN
    const int nby = g.m / BM, nbx = g.n / BN;
    const int per = GROUP * nbx, grp = blockIdx.x / per, first = grp * GROUP, rows = min(GROUP, nby - first);
    const int by = first + (blockIdx.x % per) % rows, bx = (blockIdx.x % per) / rows;
    const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4;
    const float* a = A + (size_t)by * BM * g.k;
    const float* b = B + bx * BN;
    const uint32_t ua = (uint32_t)__cvta_generic_to_shared(sA), ub = (uint32_t)__cvta_generic_to_shared(sB);
    auto fetch = [&](int slot, int kt) {
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            int q = tid + u * 256;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(ua + 4u * (slot * BM * LA + (q >> 2) * LA + (q & 3) * 4)),
                         "l"(a + (size_t)(q >> 2) * g.k + kt * BK + (q & 3) * 4) : "memory");
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(ub + 4u * (slot * BK * BN + (q >> 5) * BN + (q & 31) * 4)),
                         "l"(b + (size_t)(kt * BK + (q >> 5)) * g.n + (q & 31) * 4) : "memory");
        }
    };
    float acc[8][8] = {};
    const int nk = g.k / BK;
    for (int s = 0; s < STAGES - 1; ++s) { fetch(s, s); asm volatile("cp.async.commit_group;" ::: "memory"); }
    for (int t = 0; t < nk; ++t) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (t + STAGES - 1 < nk) fetch((t + STAGES - 1) % STAGES, t + STAGES - 1);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const float* pa = sA + (t % STAGES) * BM * LA;
        const float* pb = sB + (t % STAGES) * BK * BN;
#pragma unroll 4
        for (int k = 0; k < BK; ++k) {
            float x[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) x[i] = pa[(ty + 16 * i) * LA + k];
            float4 y0 = *(const float4*)&pb[k * BN + tx * 4], y1 = *(const float4*)&pb[k * BN + 64 + tx * 4];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                acc[i][0] += x[i] * y0.x; acc[i][1] += x[i] * y0.y; acc[i][2] += x[i] * y0.z; acc[i][3] += x[i] * y0.w;
                acc[i][4] += x[i] * y1.x; acc[i][5] += x[i] * y1.y; acc[i][6] += x[i] * y1.z; acc[i][7] += x[i] * y1.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float4* p = (float4*)&C[(size_t)(by * BM + ty + 16 * i) * g.n + bx * BN + h * 64 + tx * 4];
            float4 c = *p;
            c.x = g.alpha * acc[i][4 * h] + g.beta * c.x;
            c.y = g.alpha * acc[i][4 * h + 1] + g.beta * c.y;
            c.z = g.alpha * acc[i][4 * h + 2] + g.beta * c.z;
            c.w = g.alpha * acc[i][4 * h + 3] + g.beta * c.w;
            *p = c;
        }
}

// =================================================================================== tables
struct Config { const char* name; Kernel k; dim3 block; int tile_m, tile_n; bool share_b; float beta; };
static const Config STRIDED[] = {
    {"naive, block 8x32", bg_naive, dim3(8, 32), 32, 8, false, 0.25f},
    {"naive, block 64x4", bg_naive, dim3(64, 4), 4, 64, false, 0.25f},
    {"square 8", bg_square<8>, dim3(8, 8), 8, 8, false, 0.25f},
    {"square 32", bg_square<32>, dim3(32, 32), 32, 32, false, 0.25f},
    {"regs 64x64x8 4x4", bg_reg<64, 64, 8, 4, 4>, dim3(256), 64, 64, false, 0.f},
    {"regs 64x64x16 8x4, shared B", bg_reg<64, 64, 16, 8, 4>, dim3(128), 64, 64, true, 0.25f},
    {"regs 128x64x16 8x8", bg_reg<128, 64, 16, 8, 8>, dim3(128), 128, 64, false, 0.f},
};

static std::vector<float> A, B, C0, C;
static float *dA, *dB, *dC;
static cudaEvent_t ev[2];
static int wrong;

static void judge(const char* name, const Batch& g, float ms) {
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(C.data(), dC, sizeof(float) * g.m * g.n * g.count, cudaMemcpyDeviceToHost));
    double worst = 0;
    uint32_t s = 3;
    for (int t = 0; t < 4000; ++t) {
        s = s * 1664525u + 1013904223u; int z = (s >> 8) % g.count;
        s = s * 1664525u + 1013904223u; int i = (s >> 8) % g.m;
        s = s * 1664525u + 1013904223u; int j = (s >> 8) % g.n;
        double w = 0;
        for (int k = 0; k < g.k; ++k) w += (double)A[z * g.sa + (size_t)i * g.k + k] * B[z * g.sb + (size_t)k * g.n + j];
        size_t at = z * g.sc + (size_t)i * g.n + j;
        double d = fabs(g.alpha * w + g.beta * C0[at] - C[at]);
        if (!(d <= worst)) worst = d;
    }
    int ok = worst < 2e-3;
    wrong += !ok;
    printf("%-30s %9.1f us %8.2f TFLOP/s  err %.1e  %s\n", name, ms * 1e3, 2e-9 * g.m * g.n * g.k * g.count / ms, worst, ok ? "PASS" : "FAIL");
}
static void begin(const Batch& g) {
    GPU(cudaMemcpy(dC, C0.data(), sizeof(float) * g.m * g.n * g.count, cudaMemcpyHostToDevice));
    GPU(cudaEventRecord(ev[0]));
}
static float end() {
    float ms;
    GPU(cudaEventRecord(ev[1]));
    GPU(cudaEventSynchronize(ev[1]));
    GPU(cudaEventElapsedTime(&ms, ev[0], ev[1]));
    return ms;
}

int main() {
    const size_t cap = 4u << 20;                 // floats in each array
    A.resize(cap); B.resize(cap); C0.resize(cap); C.resize(cap);
    uint32_t s = 1;
    for (std::vector<float>* v : {&A, &B, &C0})
        for (float& x : *v) { s = s * 1103515245u + 12345u; x = (float)((int)(s >> 12) % 2000 - 1000) * 1e-3f; }
    GPU(cudaMalloc(&dA, cap * 4)); GPU(cudaMalloc(&dB, cap * 4)); GPU(cudaMalloc(&dC, cap * 4));
    GPU(cudaMemcpy(dA, A.data(), cap * 4, cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dB, B.data(), cap * 4, cudaMemcpyHostToDevice));
    GPU(cudaEventCreate(&ev[0])); GPU(cudaEventCreate(&ev[1]));

    // a batch of 16 products 256 x 512 x 384
    for (const Config& c : STRIDED) {
        Batch g = {256, 512, 384, 16, 256 * 384, c.share_b ? 0 : 384 * 512, 256 * 512, 1.5f, c.beta};
        begin(g);
        c.k<<<dim3(g.n / c.tile_n, g.m / c.tile_m, g.count), c.block>>>(g, dA, dB, dC);
        judge(c.name, g, end());
    }
    {   // pointers, in reverse order of the matrices for A and C
        Batch g = {256, 512, 384, 16, 256 * 384, 384 * 512, 256 * 512, -1.f, 1.f};
        const float *pa[16], *pb[16];
        float* pc[16];
        for (int z = 0; z < 16; ++z) { int r = 15 - z; pa[z] = dA + r * g.sa; pb[z] = dB + r * g.sb; pc[z] = dC + r * g.sc; }
        const float **ta, **tb;
        float** tc;
        GPU(cudaMalloc(&ta, sizeof pa)); GPU(cudaMalloc(&tb, sizeof pb)); GPU(cudaMalloc(&tc, sizeof pc));
        GPU(cudaMemcpy(ta, pa, sizeof pa, cudaMemcpyHostToDevice));
        GPU(cudaMemcpy(tb, pb, sizeof pb, cudaMemcpyHostToDevice));
        GPU(cudaMemcpy(tc, pc, sizeof pc, cudaMemcpyHostToDevice));
        begin(g);
        bg_pointers<<<dim3(g.n / 64, g.m / 64, 16), 256>>>(g, ta, tb, tc);
        judge("pointer array", g, end());
        GPU(cudaFree(ta)); GPU(cudaFree(tb)); GPU(cudaFree(tc));
    }
    {   // four thousand little ones
        Batch g = {32, 32, 32, 4096, 1024, 1024, 1024, 1.f, 0.f};
        begin(g);
        small_warp<<<g.count / 4, 128>>>(g.count, dA, dB, dC);
        judge("32x32, warp + shuffles", g, end());
        begin(g);
        small_shared<<<g.count / 4, 256>>>(g.count, (const float4*)dA, (const float4*)dB, (float4*)dC);
        judge("32x32, shared, 4 a block", g, end());
    }
    {   // one large
        Batch g = {2048, 1536, 1024, 1, 0, 0, 0, 1.f, 0.5f};
        const int bytes3 = 3 * (128 * 20 + 16 * 128) * 4, bytes4 = 4 * (128 * 20 + 16 * 128) * 4;
        GPU(cudaFuncSetAttribute(big_async<3, 4>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes3));
        GPU(cudaFuncSetAttribute(big_async<4, 16>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes4));
        const int blocks = (g.m / 128) * (g.n / 128);
        begin(g);
        big_async<3, 4><<<blocks, 256, bytes3>>>(g, dA, dB, dC);
        judge("2048x1536x1024, 3 stages", g, end());
        begin(g);
        big_async<4, 16><<<blocks, 256, bytes4>>>(g, dA, dB, dC);
        judge("2048x1536x1024, 4 stages", g, end());
    }
    GPU(cudaEventDestroy(ev[0])); GPU(cudaEventDestroy(ev[1]));
    GPU(cudaFree(dA)); GPU(cudaFree(dB)); GPU(cudaFree(dC));
    printf("%d wrong\n", wrong);
    return wrong;
}
