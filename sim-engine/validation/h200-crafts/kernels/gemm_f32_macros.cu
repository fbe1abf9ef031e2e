/* fp32 gemm, hand written for 128x128x8 tiles.  A is MxK, B is KxN, both row major.
 * usage: ./gemm_f32_macros [M N K]     (the unaligned case)                          */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_) { fprintf(stderr, "%s:%d %s -> %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e_)); exit(1); } } while (0)
#define OFFSET(r, c, ld) ((r) * (ld) + (c))
#define FLOAT4(p) (*(float4 *)&(p))
#define CFLOAT4(p) (*(const float4 *)&(p))
#define DIVUP(a, b) (((a) + (b) - 1) / (b))

#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8

#define FMA8x8(acc, a, b) \
    _Pragma("unroll") for (int i_ = 0; i_ < 8; i_++) \
    _Pragma("unroll") for (int j_ = 0; j_ < 8; j_++) acc[i_][j_] = fmaf(a[i_], b[j_], acc[i_][j_])

__global__ void gemm_v0(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int M, int N, int K)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m >= M || n >= N) return;
    float s = 0.f;
    #pragma unroll 4
    for (int k = 0; k < K; k++) s += a[OFFSET(m, k, K)] * b[OFFSET(k, n, N)];
    c[OFFSET(m, n, N)] = s;
}

#define TS 16
__global__ void gemm_v1_tile16(const float *a, const float *b, float *c, int M, int N, int K)
{
    __shared__ float sa[TS][TS], sb[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * TS + ty, n = blockIdx.x * TS + tx;
    float s = 0.f;
    for (int t = 0; t < DIVUP(K, TS); t++) {
        int ka = t * TS + tx, kb = t * TS + ty;
        sa[ty][tx] = (m < M && ka < K) ? a[OFFSET(m, ka, K)] : 0.f;
        sb[ty][tx] = (n < N && kb < K) ? b[OFFSET(kb, n, N)] : 0.f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TS; k++) s += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    if (m < M && n < N) c[OFFSET(m, n, N)] = s;
}

/* any size: scalar guarded loads, 8x8 outputs a thread, strided by 16 */
__global__ void __launch_bounds__(256) gemm_v2_guard(const float *a, const float *b, float *c, int M, int N, int K)
{
    __shared__ float sa[BK][BM + 4];
    __shared__ float sb[BK][BN];
    int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4;
    int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    float acc[TM][TN] = {{0.f}};
    for (int k0 = 0; k0 < K; k0 += BK) {
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            int e = tid + i * 256;
            int r = e >> 3, k = e & 7;
            sa[k][r] = (m0 + r < M && k0 + k < K) ? a[OFFSET(m0 + r, k0 + k, K)] : 0.f;
            int kk = e >> 7, n = e & 127;
            sb[kk][n] = (n0 + n < N && k0 + kk < K) ? b[OFFSET(k0 + kk, n0 + n, N)] : 0.f;
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < BK; k++) {
            float ra[TM], rb[TN];
            #pragma unroll
            for (int i = 0; i < 8; i++) { ra[i] = sa[k][ty + 16 * i]; rb[i] = sb[k][tx + 16 * i]; }
            FMA8x8(acc, ra, rb);
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; i++)
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            int m = m0 + ty + 16 * i, n = n0 + tx + 16 * j;
            if (m < M && n < N) c[OFFSET(m, n, N)] = acc[i][j];
        }
}

/* 4+4 split fragments, bank conflict free */
#define LOAD_FRAGS(ra, rb, sa, sb, k) \
    FLOAT4(ra[0]) = FLOAT4(sa[k][ty * 4]);      FLOAT4(ra[4]) = FLOAT4(sa[k][64 + ty * 4]); \
    FLOAT4(rb[0]) = FLOAT4(sb[k][tx * 4]);      FLOAT4(rb[4]) = FLOAT4(sb[k][64 + tx * 4])

#define STORE_C(c) \
    _Pragma("unroll") for (int i = 0; i < 8; i++) { \
        int m = m0 + (i < 4 ? ty * 4 + i : 60 + ty * 4 + i); \
        FLOAT4(c[OFFSET(m, n0 + tx * 4, N)]) = FLOAT4(acc[i][0]); \
        FLOAT4(c[OFFSET(m, n0 + 64 + tx * 4, N)]) = FLOAT4(acc[i][4]); }

__global__ void __launch_bounds__(256, 2) gemm_v3_prefetch(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int M, int N, int K)
{
    __shared__ float sa[2][BK][BM];
    __shared__ float sb[2][BK][BN];
    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    const int lam = tid >> 1, lak = (tid & 1) << 2;
    const int lbk = tid >> 5, lbn = (tid & 31) << 2;
    float ra[2][8], rb[2][8], ga[4], gb[4];
    float acc[8][8] = {{0.f}};

    FLOAT4(ga[0]) = CFLOAT4(a[OFFSET(m0 + lam, lak, K)]);
    FLOAT4(sb[0][lbk][lbn]) = CFLOAT4(b[OFFSET(lbk, n0 + lbn, N)]);
    sa[0][lak][lam] = ga[0]; sa[0][lak + 1][lam] = ga[1]; sa[0][lak + 2][lam] = ga[2]; sa[0][lak + 3][lam] = ga[3];
    __syncthreads();
    LOAD_FRAGS(ra[0], rb[0], sa[0], sb[0], 0);

    int w = 1;
    for (int k0 = BK; k0 <= K; k0 += BK) {
        if (k0 < K) {
            FLOAT4(ga[0]) = CFLOAT4(a[OFFSET(m0 + lam, k0 + lak, K)]);
            FLOAT4(gb[0]) = CFLOAT4(b[OFFSET(k0 + lbk, n0 + lbn, N)]);
        }
        int r = w ^ 1;
        #pragma unroll
        for (int k = 0; k < BK - 1; k++) {
            LOAD_FRAGS(ra[(k + 1) & 1], rb[(k + 1) & 1], sa[r], sb[r], k + 1);
            FMA8x8(acc, ra[k & 1], rb[k & 1]);
        }
        if (k0 < K) {
            sa[w][lak][lam] = ga[0]; sa[w][lak + 1][lam] = ga[1]; sa[w][lak + 2][lam] = ga[2]; sa[w][lak + 3][lam] = ga[3];
            FLOAT4(sb[w][lbk][lbn]) = FLOAT4(gb[0]);
            __syncthreads();
            LOAD_FRAGS(ra[0], rb[0], sa[w], sb[w], 0);
            w ^= 1;
        }
        FMA8x8(acc, ra[1], rb[1]);
    }
    STORE_C(c)
}

#define CP_ASYNC16(dst, src) do { unsigned d_ = (unsigned)__cvta_generic_to_shared(dst); \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(d_), "l"(src)); } while (0)
#define CP_ASYNC4(dst, src) do { unsigned d_ = (unsigned)__cvta_generic_to_shared(dst); \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(d_), "l"(src)); } while (0)
#define CP_COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define CP_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

/* 3 stages of cp.async; A is transposed on the fly with 4 byte copies */
#define STAGES 3
__global__ void __launch_bounds__(256) gemm_v4_cpasync(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int M, int N, int K)
{
    __shared__ __align__(16) float sa[STAGES][BK][BM + 4];
    __shared__ __align__(16) float sb[STAGES][BK][BN];
    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    const int lbk = tid >> 5, lbn = (tid & 31) << 2;
    float acc[8][8] = {{0.f}};
    const int nk = K / BK;

#define FETCH(s, kt) do { \
        _Pragma("unroll") for (int q = 0; q < 4; q++) { int e = tid + q * 256; \
            CP_ASYNC4(&sa[s][e & 7][e >> 3], &a[OFFSET(m0 + (e >> 3), (kt) * BK + (e & 7), K)]); } \
        CP_ASYNC16(&sb[s][lbk][lbn], &b[OFFSET((kt) * BK + lbk, n0 + lbn, N)]); } while (0)

    FETCH(0, 0); CP_COMMIT();
    FETCH(1, 1); CP_COMMIT();
    for (int kt = 0; kt < nk; kt++) {
        CP_WAIT(1);
        __syncthreads();
        if (kt + 2 < nk) FETCH((kt + 2) % STAGES, kt + 2);
        CP_COMMIT();
        int s = kt % STAGES;
        #pragma unroll
        for (int k = 0; k < BK; k++) {
            float ra[8], rb[8];
            LOAD_FRAGS(ra, rb, sa[s], sb[s], k);
            FMA8x8(acc, ra, rb);
        }
    }
    STORE_C(c)
}

/* split-K; blockIdx.z owns a slice of k.  64x64x16 tiles, 4x4 a thread */
template <bool ATOMIC>
__global__ void __launch_bounds__(256) gemm_v5_splitk(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int M, int N, int K, int kslice)
{
    __shared__ float sa[16][64 + 4];
    __shared__ float sb[16][64];
    const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4;
    const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    const int kbeg = blockIdx.z * kslice, kend = min(K, kbeg + kslice);
    float acc[4][4] = {{0.f}};
    for (int k0 = kbeg; k0 < kend; k0 += 16) {
        float4 va = CFLOAT4(a[OFFSET(m0 + (tid >> 2), k0 + (tid & 3) * 4, K)]);
        float4 vb = CFLOAT4(b[OFFSET(k0 + (tid >> 4), n0 + (tid & 15) * 4, N)]);
        __syncthreads();
        int kk = (tid & 3) * 4, mm = tid >> 2;
        sa[kk][mm] = va.x; sa[kk + 1][mm] = va.y; sa[kk + 2][mm] = va.z; sa[kk + 3][mm] = va.w;
        FLOAT4(sb[tid >> 4][(tid & 15) * 4]) = vb;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 x = FLOAT4(sa[k][ty * 4]), y = FLOAT4(sb[k][tx * 4]);
            float xa[4] = {x.x, x.y, x.z, x.w}, yb[4] = {y.x, y.y, y.z, y.w};
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += xa[i] * yb[j];
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int o = OFFSET(m0 + ty * 4 + i, n0 + tx * 4 + j, N);
            if (ATOMIC) atomicAdd(&c[o], acc[i][j]);
            else c[(size_t)blockIdx.z * M * N + o] = acc[i][j];
        }
}

__global__ void splitk_reduce(const float *ws, float *c, int n4, int splits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 s = ((const float4 *)ws)[i];
    for (int z = 1; z < splits; z++) {
        float4 t = ((const float4 *)ws)[(size_t)z * n4 + i];
        s.x += t.x; s.y += t.y; s.z += t.z; s.w += t.w;
    }
    ((float4 *)c)[i] = s;
}

/* strided batches of small matrices, a 32x32 tile for 8x32 threads */
__global__ void gemm_v6_batched(const float *a, const float *b, float *c, int M, int N, int K)
{
    a += (size_t)blockIdx.z * M * K; b += (size_t)blockIdx.z * K * N; c += (size_t)blockIdx.z * M * N;
    __shared__ float sa[32][33], sb[32][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    float acc[4] = {0, 0, 0, 0};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int j = 0; j < 32; j += 8) {
            int m = blockIdx.y * 32 + ty + j, n = blockIdx.x * 32 + tx;
            sa[ty + j][tx] = (m < M && k0 + tx < K) ? a[OFFSET(m, k0 + tx, K)] : 0.f;
            sb[ty + j][tx] = (n < N && k0 + ty + j < K) ? b[OFFSET(k0 + ty + j, n, N)] : 0.f;
        }
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < 32; k++) {
            float y = sb[k][tx];
            for (int j = 0; j < 4; j++) acc[j] += sa[ty + 8 * j][k] * y;
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) {
        int m = blockIdx.y * 32 + ty + 8 * j, n = blockIdx.x * 32 + tx;
        if (m < M && n < N) c[OFFSET(m, n, N)] = acc[j];
    }
}

static float *hA, *hB, *hC, *dA, *dB, *dC, *dW;
static cudaEvent_t t0, t1;
static int bad = 0;

static void check(const char *what, int M, int N, int K, int batch)
{
    CK(cudaEventRecord(t1)); CK(cudaGetLastError()); CK(cudaEventSynchronize(t1));
    float ms; CK(cudaEventElapsedTime(&ms, t0, t1));
    CK(cudaMemcpy(hC, dC, sizeof(float) * batch * M * N, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int s = 0; s < 300; s++) {
        int z = s % batch, m = (s * 97 + s / 3) % M, n = (s * 389 + 5) % N;
        if (s == 0) { m = M - 1; n = N - 1; }
        double r = 0;
        for (int k = 0; k < K; k++) r += (double)hA[(size_t)z * M * K + OFFSET(m, k, K)] * hB[(size_t)z * K * N + OFFSET(k, n, N)];
        double d = fabs(r - hC[(size_t)z * M * N + OFFSET(m, n, N)]);
        if (!(d <= worst)) worst = d;
    }
    int f = !(worst < 5e-3);
    bad += f;
    printf("%-18s %4dx%4dx%4d b%-3d %8.3f ms %9.1f gflops  err %.1e %s\n", what, M, N, K, batch, ms, 2e-6 * batch * M * N * K / ms, worst, f ? "<-- BAD" : "");
    CK(cudaMemset(dC, 0xff, sizeof(float) * batch * M * N));
}
#define START() CK(cudaEventRecord(t0))

int main(int argc, char **argv)
{
    int M = argc > 3 ? atoi(argv[1]) : 1000, N = argc > 3 ? atoi(argv[2]) : 1111, K = argc > 3 ? atoi(argv[3]) : 777;
    const size_t cap = 2048 * 2048;
    hA = (float *)malloc(cap * 4); hB = (float *)malloc(cap * 4); hC = (float *)malloc(cap * 4);
    srand(7);
    for (size_t i = 0; i < cap; i++) { hA[i] = (rand() & 1023) / 512.f - 1.f; hB[i] = (rand() & 1023) / 512.f - 1.f; }
    CK(cudaMalloc(&dA, cap * 4)); CK(cudaMalloc(&dB, cap * 4)); CK(cudaMalloc(&dC, cap * 4)); CK(cudaMalloc(&dW, cap * 4));
    CK(cudaMemcpy(dA, hA, cap * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dB, hB, cap * 4, cudaMemcpyHostToDevice));
    CK(cudaEventCreate(&t0)); CK(cudaEventCreate(&t1));

    START(); gemm_v0<<<dim3(DIVUP(N, 32), DIVUP(M, 8)), dim3(32, 8)>>>(dA, dB, dC, M, N, K); check("v0 naive", M, N, K, 1);
    START(); gemm_v1_tile16<<<dim3(DIVUP(N, TS), DIVUP(M, TS)), dim3(TS, TS)>>>(dA, dB, dC, M, N, K); check("v1 tile16", M, N, K, 1);
    START(); gemm_v2_guard<<<dim3(DIVUP(N, BN), DIVUP(M, BM)), 256>>>(dA, dB, dC, M, N, K); check("v2 128 guarded", M, N, K, 1);

    int sq[2] = {1536, 2048};
    for (int i = 0; i < 2; i++) {
        int S = sq[i];
        dim3 g(S / BN, S / BM);
        START(); gemm_v3_prefetch<<<g, 256>>>(dA, dB, dC, S, S, S); check("v3 prefetch", S, S, S, 1);
        START(); gemm_v4_cpasync<<<g, 256>>>(dA, dB, dC, S, S, S); check("v4 cp.async", S, S, S, 1);
    }

    { /* skinny output, long k */
        int m = 256, n = 320, k = 4096, splits = 16, slice = 256;
        CK(cudaMemset(dC, 0, m * n * 4));
        START(); gemm_v5_splitk<true><<<dim3(n / 64, m / 64, splits), 256>>>(dA, dB, dC, m, n, k, slice); check("v5 splitk atomic", m, n, k, 1);
        START(); gemm_v5_splitk<false><<<dim3(n / 64, m / 64, splits), 256>>>(dA, dB, dW, m, n, k, slice);
        splitk_reduce<<<DIVUP(m * n / 4, 128), 128>>>(dW, dC, m * n / 4, splits); check("v5 splitk ws", m, n, k, 1);
    }
    START(); gemm_v6_batched<<<dim3(4, 4, 120), dim3(32, 8)>>>(dA, dB, dC, 100, 110, 96); check("v6 batched", 100, 110, 96, 120);

    puts(bad ? "FAIL" : "PASS");
    free(hA); free(hB); free(hC);
    cudaFree(dA); cudaFree(dB); cudaFree(dC); cudaFree(dW);
    return bad != 0;
}
