/* tile_ladder.cu - C = alpha*A*B + beta*C in single precision, one step at a time.
 * Plain C style.  Row-major everywhere.                                        */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                 \
                    cudaGetErrorString(e_));                                   \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#define CEIL(a, b) (((a) + (b) - 1) / (b))

#define M_ 1024
#define N_ 768
#define K_ 512

static float *h_A, *h_B, *h_C0, *h_C;
static float *d_A, *d_B, *d_C;
static int n_fail = 0;
static unsigned int seed = 12345u;

static float frand(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 9) / 4194304.0f - 1.0f;
}

/* step 1: threadIdx.x walks down the rows, nothing coalesces */
__global__ void k_naive_rows(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k)
            acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
    }
}

/* step 2: the same with x along the columns */
__global__ void k_naive_cols(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k)
            acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
    }
}

/* step 3: square shared tile */
#define TS 32
__global__ void k_shared(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float sA[TS * TS];
    __shared__ float sB[TS * TS];
    const int tx = threadIdx.x % TS, ty = threadIdx.x / TS;
    A += blockIdx.y * TS * K;
    B += blockIdx.x * TS;
    C += blockIdx.y * TS * N + blockIdx.x * TS;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TS) {
        sA[ty * TS + tx] = A[ty * K + tx];
        sB[ty * TS + tx] = B[ty * N + tx];
        __syncthreads();
        A += TS;
        B += TS * N;
        for (int k = 0; k < TS; ++k)
            acc += sA[ty * TS + k] * sB[k * TS + tx];
        __syncthreads();
    }
    C[ty * N + tx] = alpha * acc + beta * C[ty * N + tx];
}

/* step 4: a column of eight results per thread */
__global__ void k_tile_1d(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    enum { BM = 64, BN = 64, BK = 8, TM = 8 };
    __shared__ float sA[BM * BK];
    __shared__ float sB[BK * BN];
    const int tcol = threadIdx.x % BN, trow = threadIdx.x / BN;
    const int acol = threadIdx.x % BK, arow = threadIdx.x / BK;
    const int bcol = threadIdx.x % BN, brow = threadIdx.x / BN;
    float res[TM] = {0.0f};
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    for (int k0 = 0; k0 < K; k0 += BK) {
        sA[arow * BK + acol] = A[arow * K + acol];
        sB[brow * BN + bcol] = B[brow * N + bcol];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            float b = sB[k * BN + tcol];
            for (int i = 0; i < TM; ++i)
                res[i] += sA[(trow * TM + i) * BK + k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        float *p = &C[(trow * TM + i) * N + tcol];
        *p = alpha * res[i] + beta * *p;
    }
}

/* step 5: 8x8 results per thread, scalar traffic */
__global__ void __launch_bounds__(256)
k_tile_2d(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    enum { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8 };
    __shared__ float sA[BM * BK];
    __shared__ float sB[BK * BN];
    const int tcol = threadIdx.x % (BN / TN), trow = threadIdx.x / (BN / TN);
    const int acol = threadIdx.x % BK, arow = threadIdx.x / BK;
    const int bcol = threadIdx.x % BN, brow = threadIdx.x / BN;
    float res[TM * TN] = {0.0f};
    float ra[TM], rb[TN];
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int o = 0; o < BM; o += 256 / BK)
            sA[(arow + o) * BK + acol] = A[(arow + o) * K + acol];
        for (int o = 0; o < BK; o += 256 / BN)
            sB[(brow + o) * BN + bcol] = B[(brow + o) * N + bcol];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i) ra[i] = sA[(trow * TM + i) * BK + k];
            for (int j = 0; j < TN; ++j) rb[j] = sB[k * BN + tcol * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    res[i * TN + j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            float *p = &C[(trow * TM + i) * N + tcol * TN + j];
            *p = alpha * res[i * TN + j] + beta * *p;
        }
}

/* step 6: float4 both ways, A kept transposed in shared memory */
__global__ void __launch_bounds__(256)
k_tile_vec4(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C)
{
    enum { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8 };
    __shared__ __align__(16) float sA[BK * BM];
    __shared__ __align__(16) float sB[BK * BN];
    const int tcol = threadIdx.x % 16, trow = threadIdx.x / 16;
    const int arow = threadIdx.x / 2, acol = (threadIdx.x % 2) * 4;
    const int brow = threadIdx.x / 32, bcol = (threadIdx.x % 32) * 4;
    float res[TM * TN] = {0.0f};
    float ra[TM], rb[TN];
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    for (int k0 = 0; k0 < K; k0 += BK) {
        float4 t = *(float4 *)&A[arow * K + acol];
        sA[(acol + 0) * BM + arow] = t.x;
        sA[(acol + 1) * BM + arow] = t.y;
        sA[(acol + 2) * BM + arow] = t.z;
        sA[(acol + 3) * BM + arow] = t.w;
        *(float4 *)&sB[brow * BN + bcol] = *(float4 *)&B[brow * N + bcol];
        __syncthreads();
        A += BK;
        B += BK * N;
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            *(float4 *)&ra[0] = *(float4 *)&sA[k * BM + trow * TM];
            *(float4 *)&ra[4] = *(float4 *)&sA[k * BM + trow * TM + 4];
            *(float4 *)&rb[0] = *(float4 *)&sB[k * BN + tcol * TN];
            *(float4 *)&rb[4] = *(float4 *)&sB[k * BN + tcol * TN + 4];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    res[i * TN + j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 *p = (float4 *)&C[(trow * TM + i) * N + tcol * TN + j];
            float4 c = *p;
            c.x = alpha * res[i * TN + j + 0] + beta * c.x;
            c.y = alpha * res[i * TN + j + 1] + beta * c.y;
            c.z = alpha * res[i * TN + j + 2] + beta * c.z;
            c.w = alpha * res[i * TN + j + 3] + beta * c.w;
            *p = c;
        }
}

/* step 7: the next tile waits in registers while this one is multiplied; split 4+4 fragments */
__global__ void __launch_bounds__(256)
k_reg_prefetch(int M, int N, int K, float alpha, const float *__restrict__ A, const float *__restrict__ B, float beta,
               float *__restrict__ C)
{
    enum { BM = 128, BN = 128, BK = 8, PAD = 4 };
    __shared__ __align__(16) float sA[2][BK][BM + PAD];
    __shared__ __align__(16) float sB[2][BK][BN];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int arow = threadIdx.x / 2, acol = (threadIdx.x % 2) * 4;
    const int brow = threadIdx.x / 32, bcol = (threadIdx.x % 32) * 4;
    const float *gA = A + (size_t)(blockIdx.y * BM + arow) * K + acol;
    const float *gB = B + (size_t)brow * N + blockIdx.x * BN + bcol;
    float acc[8][8];
    int i, j, k;
#pragma unroll
    for (i = 0; i < 8; ++i)
#pragma unroll
        for (j = 0; j < 8; ++j) acc[i][j] = 0.0f;

    float4 va = *(const float4 *)gA, vb = *(const float4 *)gB;
    sA[0][acol + 0][arow] = va.x;
    sA[0][acol + 1][arow] = va.y;
    sA[0][acol + 2][arow] = va.z;
    sA[0][acol + 3][arow] = va.w;
    *(float4 *)&sB[0][brow][bcol] = vb;
    __syncthreads();

    int cur = 0;
    const int nt = K / BK;
    for (int t = 0; t < nt; ++t) {
        const int more = t + 1 < nt;
        if (more) {
            gA += BK;
            gB += (size_t)BK * N;
            va = *(const float4 *)gA;
            vb = *(const float4 *)gB;
        }
#pragma unroll
        for (k = 0; k < BK; ++k) {
            float a[8], b[8];
            *(float4 *)&a[0] = *(const float4 *)&sA[cur][k][ty * 4];
            *(float4 *)&a[4] = *(const float4 *)&sA[cur][k][64 + ty * 4];
            *(float4 *)&b[0] = *(const float4 *)&sB[cur][k][tx * 4];
            *(float4 *)&b[4] = *(const float4 *)&sB[cur][k][64 + tx * 4];
#pragma unroll
            for (i = 0; i < 8; ++i)
#pragma unroll
                for (j = 0; j < 8; ++j) acc[i][j] += a[i] * b[j];
        }
        if (more) {
            cur ^= 1;
            sA[cur][acol + 0][arow] = va.x;
            sA[cur][acol + 1][arow] = va.y;
            sA[cur][acol + 2][arow] = va.z;
            sA[cur][acol + 3][arow] = va.w;
            *(float4 *)&sB[cur][brow][bcol] = vb;
            __syncthreads();
        }
    }
#pragma unroll
    for (i = 0; i < 8; ++i) {
        int r = blockIdx.y * BM + (i < 4 ? ty * 4 + i : 64 + ty * 4 + i - 4);
#pragma unroll
        for (j = 0; j < 8; j += 4) {
            float4 *p = (float4 *)&C[(size_t)r * N + blockIdx.x * BN + (j ? 64 : 0) + tx * 4];
            float4 c = *p;
            c.x = alpha * acc[i][j] + beta * c.x;
            c.y = alpha * acc[i][j + 1] + beta * c.y;
            c.z = alpha * acc[i][j + 2] + beta * c.z;
            c.w = alpha * acc[i][j + 3] + beta * c.w;
            *p = c;
        }
    }
}

/* step 8: two shared stages filled with cp.async */
#define CP16(smem, gmem)                                                                              \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"((unsigned)__cvta_generic_to_shared(smem)), \
                 "l"(gmem))
#define CP_COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define CP_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

__global__ void __launch_bounds__(256)
k_cp_async(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    enum { BM = 128, BN = 64, BK = 16, LDA = 20 };
    __shared__ __align__(16) float sA[2][BM * LDA];
    __shared__ __align__(16) float sB[2][BK * BN];
    const int tid = threadIdx.x;
    const int tx = tid % 16, ty = tid / 16; /* 16 x 4 columns, 16 x 8 rows */
    const float *gA = A + (size_t)blockIdx.y * BM * K;
    const float *gB = B + blockIdx.x * BN;
    float acc[8][4] = {{0.0f}};
    const int nt = K / BK;

#define FILL(s, t)                                                                                  \
    do {                                                                                            \
        for (int q = tid; q < BM * 4; q += 256)                                                     \
            CP16(&sA[s][(q >> 2) * LDA + (q & 3) * 4], gA + (size_t)(q >> 2) * K + (t) * BK + (q & 3) * 4); \
        CP16(&sB[s][(tid >> 4) * BN + (tid & 15) * 4], gB + (size_t)((t) * BK + (tid >> 4)) * N + (tid & 15) * 4); \
        CP_COMMIT();                                                                                \
    } while (0)

    FILL(0, 0);
    for (int t = 0; t < nt; ++t) {
        if (t + 1 < nt) {
            FILL((t + 1) & 1, t + 1);
            CP_WAIT(1);
        } else {
            CP_WAIT(0);
        }
        __syncthreads();
        const float *pa = sA[t & 1], *pb = sB[t & 1];
#pragma unroll
        for (int k = 0; k < BK; k += 4) {
            float4 a4[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) a4[i] = *(const float4 *)&pa[(ty + 16 * i) * LDA + k];
#pragma unroll
            for (int kk = 0; kk < 4; ++kk) {
                float4 b = *(const float4 *)&pb[(k + kk) * BN + tx * 4];
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    float a = kk == 0 ? a4[i].x : kk == 1 ? a4[i].y : kk == 2 ? a4[i].z : a4[i].w;
                    acc[i][0] += a * b.x;
                    acc[i][1] += a * b.y;
                    acc[i][2] += a * b.z;
                    acc[i][3] += a * b.w;
                }
            }
        }
        __syncthreads();
    }
#undef FILL
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float4 *p = (float4 *)&C[(size_t)(blockIdx.y * BM + ty + 16 * i) * N + blockIdx.x * BN + tx * 4];
        float4 c = *p;
        c.x = alpha * acc[i][0] + beta * c.x;
        c.y = alpha * acc[i][1] + beta * c.y;
        c.z = alpha * acc[i][2] + beta * c.z;
        c.w = alpha * acc[i][3] + beta * c.w;
        *p = c;
    }
}

static void reset_c(void) { CHECK(cudaMemcpy(d_C, h_C0, sizeof(float) * M_ * N_, cudaMemcpyHostToDevice)); }

static void verify(const char *name, float alpha, float beta)
{
    int bad = 0;
    unsigned s = 777u;
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h_C, d_C, sizeof(float) * M_ * N_, cudaMemcpyDeviceToHost));
    for (int q = 0; q < 4096; ++q) {
        s = s * 1664525u + 1013904223u;
        int r = (int)((s >> 8) % M_);
        s = s * 1664525u + 1013904223u;
        int c = (int)((s >> 8) % N_);
        double acc = 0.0;
        for (int k = 0; k < K_; ++k) acc += (double)h_A[r * K_ + k] * h_B[k * N_ + c];
        double want = alpha * acc + beta * h_C0[r * N_ + c];
        if (!(fabs(want - h_C[r * N_ + c]) < 2e-3)) ++bad;
    }
    printf("%-16s %s\n", name, bad ? "FAIL" : "PASS");
    n_fail += bad != 0;
}

int main(void)
{
    const float al = 0.75f, be = -0.5f;
    h_A = (float *)malloc(sizeof(float) * M_ * K_);
    h_B = (float *)malloc(sizeof(float) * K_ * N_);
    h_C0 = (float *)malloc(sizeof(float) * M_ * N_);
    h_C = (float *)malloc(sizeof(float) * M_ * N_);
    for (int i = 0; i < M_ * K_; ++i) h_A[i] = frand();
    for (int i = 0; i < K_ * N_; ++i) h_B[i] = frand();
    for (int i = 0; i < M_ * N_; ++i) h_C0[i] = frand();
    CHECK(cudaMalloc((void **)&d_A, sizeof(float) * M_ * K_));
    CHECK(cudaMalloc((void **)&d_B, sizeof(float) * K_ * N_));
    CHECK(cudaMalloc((void **)&d_C, sizeof(float) * M_ * N_));
    CHECK(cudaMemcpy(d_A, h_A, sizeof(float) * M_ * K_, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_B, h_B, sizeof(float) * K_ * N_, cudaMemcpyHostToDevice));

    reset_c();
    k_naive_rows<<<dim3(CEIL(M_, 32), CEIL(N_, 8)), dim3(32, 8)>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("naive_rows", al, be);

    reset_c();
    k_naive_cols<<<dim3(CEIL(N_, 32), CEIL(M_, 8)), dim3(32, 8)>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("naive_cols", al, be);

    reset_c();
    k_shared<<<dim3(N_ / TS, M_ / TS), TS * TS>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("shared", al, be);

    reset_c();
    k_tile_1d<<<dim3(N_ / 64, M_ / 64), 512>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("tile_1d", al, be);

    reset_c();
    k_tile_2d<<<dim3(N_ / 128, M_ / 128), 256>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("tile_2d", al, be);

    reset_c();
    k_tile_vec4<<<dim3(N_ / 128, M_ / 128), 256>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("tile_vec4", al, be);

    reset_c();
    k_reg_prefetch<<<dim3(N_ / 128, M_ / 128), 256>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("reg_prefetch", al, be);

    reset_c();
    k_cp_async<<<dim3(N_ / 64, M_ / 128), 256>>>(M_, N_, K_, al, d_A, d_B, be, d_C);
    verify("cp_async", al, be);

    printf("%s\n", n_fail ? "SOME FAILED" : "ALL PASSED");
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_B));
    CHECK(cudaFree(d_C));
    free(h_A); free(h_B); free(h_C0); free(h_C);
    return n_fail != 0;
}
