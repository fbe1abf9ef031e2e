/* CUDA SGEMM optimisation notes, part 3.
 * C[M,N] = A[M,K] * B[K,N], row-major, fp32, CUDA cores only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <float.h>
#include <cuda_runtime.h>

#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])
#define CFETCH_FLOAT4(pointer) (reinterpret_cast<const float4*>(&(pointer))[0])

#define CHECK(call)                                                              \
do {                                                                             \
    const cudaError_t error_code = call;                                         \
    if (error_code != cudaSuccess) {                                             \
        printf("CUDA Error:\n    File: %s\n    Line: %d\n    Error text: %s\n",  \
               __FILE__, __LINE__, cudaGetErrorString(error_code));              \
        exit(1);                                                                 \
    }                                                                            \
} while (0)

/* ---- V1: 128x128x8 tile, 8x8 per thread, A transposed in smem ---- */
__global__ void mySgemmV1Aligned(float * __restrict__ a, float * __restrict__ b, float * __restrict__ c,
                                 const int M, const int N, const int K) {
    const int BM = 128;
    const int BN = 128;
    const int BK = 8;
    const int TM = 8;
    const int TN = 8;

    const int bx = blockIdx.x;
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * blockDim.x + tx;

    __shared__ __align__(16) float s_a[BM][BK];
    __shared__ __align__(16) float s_b[BK][BN];

    float r_c[TM][TN] = {0.0f};

    int load_a_smem_m = tid >> 1;
    int load_a_smem_k = (tid & 1) << 2;
    int load_b_smem_k = tid >> 5;
    int load_b_smem_n = (tid & 31) << 2;

    int load_a_gmem_m = by * BM + load_a_smem_m;
    int load_b_gmem_n = bx * BN + load_b_smem_n;

    for (int bk = 0; bk < (K + BK - 1) / BK; bk++) {
        int load_a_gmem_k = bk * BK + load_a_smem_k;
        int load_a_gmem_addr = OFFSET(load_a_gmem_m, load_a_gmem_k, K);
        FETCH_FLOAT4(s_a[load_a_smem_m][load_a_smem_k]) = FETCH_FLOAT4(a[load_a_gmem_addr]);
        int load_b_gmem_k = bk * BK + load_b_smem_k;
        int load_b_gmem_addr = OFFSET(load_b_gmem_k, load_b_gmem_n, N);
        FETCH_FLOAT4(s_b[load_b_smem_k][load_b_smem_n]) = FETCH_FLOAT4(b[load_b_gmem_addr]);

        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; k++) {
            #pragma unroll
            for (int m = 0; m < TM; m++) {
                #pragma unroll
                for (int n = 0; n < TN; n++) {
                    int comp_a_smem_m = ty * TM + m;
                    int comp_b_smem_n = tx * TN + n;
                    r_c[m][n] += s_a[comp_a_smem_m][k] * s_b[k][comp_b_smem_n];
                }
            }
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < TM; i++) {
        int store_c_gmem_m = by * BM + ty * TM + i;
        #pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int store_c_gmem_n = bx * BN + tx * TN + j;
            FETCH_FLOAT4(c[OFFSET(store_c_gmem_m, store_c_gmem_n, N)]) = FETCH_FLOAT4(r_c[i][j]);
        }
    }
}

/* ---- V2: conflict-free fragment layout (two 4-wide halves, 64 apart) ---- */
__global__ void mySgemmV2Aligned(float * __restrict__ a, float * __restrict__ b, float * __restrict__ c,
                                 const int M, const int N, const int K) {
    const int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;

    const int bx = blockIdx.x, by = blockIdx.y;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * blockDim.x + tx;

    __shared__ __align__(16) float s_a[BK][BM];
    __shared__ __align__(16) float s_b[BK][BN];

    float r_load_a[4];
    float r_load_b[4];
    float r_comp_a[TM];
    float r_comp_b[TN];
    float r_c[TM][TN] = {0.0f};

    int load_a_smem_m = tid >> 1;
    int load_a_smem_k = (tid & 1) << 2;
    int load_b_smem_k = tid >> 5;
    int load_b_smem_n = (tid & 31) << 2;
    int load_a_gmem_m = by * BM + load_a_smem_m;
    int load_b_gmem_n = bx * BN + load_b_smem_n;

    for (int bk = 0; bk < (K + BK - 1) / BK; bk++) {
        FETCH_FLOAT4(r_load_a[0]) = FETCH_FLOAT4(a[OFFSET(load_a_gmem_m, bk * BK + load_a_smem_k, K)]);
        FETCH_FLOAT4(r_load_b[0]) = FETCH_FLOAT4(b[OFFSET(bk * BK + load_b_smem_k, load_b_gmem_n, N)]);

        s_a[load_a_smem_k    ][load_a_smem_m] = r_load_a[0];
        s_a[load_a_smem_k + 1][load_a_smem_m] = r_load_a[1];
        s_a[load_a_smem_k + 2][load_a_smem_m] = r_load_a[2];
        s_a[load_a_smem_k + 3][load_a_smem_m] = r_load_a[3];
        FETCH_FLOAT4(s_b[load_b_smem_k][load_b_smem_n]) = FETCH_FLOAT4(r_load_b[0]);

        __syncthreads();

        #pragma unroll
        for (int tk = 0; tk < BK; tk++) {
            FETCH_FLOAT4(r_comp_a[0]) = FETCH_FLOAT4(s_a[tk][ty * TM / 2         ]);
            FETCH_FLOAT4(r_comp_a[4]) = FETCH_FLOAT4(s_a[tk][ty * TM / 2 + BM / 2]);
            FETCH_FLOAT4(r_comp_b[0]) = FETCH_FLOAT4(s_b[tk][tx * TN / 2         ]);
            FETCH_FLOAT4(r_comp_b[4]) = FETCH_FLOAT4(s_b[tk][tx * TN / 2 + BN / 2]);

            #pragma unroll
            for (int tm = 0; tm < TM; tm++) {
                #pragma unroll
                for (int tn = 0; tn < TN; tn++) {
                    r_c[tm][tn] += r_comp_a[tm] * r_comp_b[tn];
                }
            }
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < TM / 2; i++) {
        int addr = OFFSET(by * BM + ty * TM / 2 + i, bx * BN + tx * TN / 2, N);
        FETCH_FLOAT4(c[addr]) = FETCH_FLOAT4(r_c[i][0]);
        FETCH_FLOAT4(c[addr + BN / 2]) = FETCH_FLOAT4(r_c[i][4]);
    }
    #pragma unroll
    for (int i = 0; i < TM / 2; i++) {
        int addr = OFFSET(by * BM + BM / 2 + ty * TM / 2 + i, bx * BN + tx * TN / 2, N);
        FETCH_FLOAT4(c[addr]) = FETCH_FLOAT4(r_c[i + TM / 2][0]);
        FETCH_FLOAT4(c[addr + BN / 2]) = FETCH_FLOAT4(r_c[i + TM / 2][4]);
    }
}

/* ---- V3: V2 + double-buffered shared memory ---- */
__global__ void mySgemmV3Aligned(float * __restrict__ a, float * __restrict__ b, float * __restrict__ c,
                                 const int M, const int N, const int K) {
    const int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;

    const int bx = blockIdx.x, by = blockIdx.y;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * blockDim.x + tx;

    __shared__ __align__(16) float s_a[2][BK][BM];
    __shared__ __align__(16) float s_b[2][BK][BN];

    float r_load_a[4], r_load_b[4];
    float r_comp_a[TM], r_comp_b[TN];
    float r_c[TM][TN] = {0.0f};

    int load_a_smem_m = tid >> 1;
    int load_a_smem_k = (tid & 1) << 2;
    int load_b_smem_k = tid >> 5;
    int load_b_smem_n = (tid & 31) << 2;
    int load_a_gmem_m = by * BM + load_a_smem_m;
    int load_b_gmem_n = bx * BN + load_b_smem_n;

    {
        FETCH_FLOAT4(r_load_a[0]) = FETCH_FLOAT4(a[OFFSET(load_a_gmem_m, load_a_smem_k, K)]);
        FETCH_FLOAT4(r_load_b[0]) = FETCH_FLOAT4(b[OFFSET(load_b_smem_k, load_b_gmem_n, N)]);
        s_a[0][load_a_smem_k    ][load_a_smem_m] = r_load_a[0];
        s_a[0][load_a_smem_k + 1][load_a_smem_m] = r_load_a[1];
        s_a[0][load_a_smem_k + 2][load_a_smem_m] = r_load_a[2];
        s_a[0][load_a_smem_k + 3][load_a_smem_m] = r_load_a[3];
        FETCH_FLOAT4(s_b[0][load_b_smem_k][load_b_smem_n]) = FETCH_FLOAT4(r_load_b[0]);
    }
    __syncthreads();

    for (int bk = 1; bk < (K + BK - 1) / BK; bk++) {
        int smem_sel = (bk - 1) & 1;
        int smem_sel_next = bk & 1;

        FETCH_FLOAT4(r_load_a[0]) = FETCH_FLOAT4(a[OFFSET(load_a_gmem_m, bk * BK + load_a_smem_k, K)]);
        FETCH_FLOAT4(r_load_b[0]) = FETCH_FLOAT4(b[OFFSET(bk * BK + load_b_smem_k, load_b_gmem_n, N)]);

        #pragma unroll
        for (int tk = 0; tk < BK; tk++) {
            FETCH_FLOAT4(r_comp_a[0]) = FETCH_FLOAT4(s_a[smem_sel][tk][ty * TM / 2         ]);
            FETCH_FLOAT4(r_comp_a[4]) = FETCH_FLOAT4(s_a[smem_sel][tk][ty * TM / 2 + BM / 2]);
            FETCH_FLOAT4(r_comp_b[0]) = FETCH_FLOAT4(s_b[smem_sel][tk][tx * TN / 2         ]);
            FETCH_FLOAT4(r_comp_b[4]) = FETCH_FLOAT4(s_b[smem_sel][tk][tx * TN / 2 + BN / 2]);
            #pragma unroll
            for (int tm = 0; tm < TM; tm++)
                #pragma unroll
                for (int tn = 0; tn < TN; tn++)
                    r_c[tm][tn] += r_comp_a[tm] * r_comp_b[tn];
        }

        s_a[smem_sel_next][load_a_smem_k    ][load_a_smem_m] = r_load_a[0];
        s_a[smem_sel_next][load_a_smem_k + 1][load_a_smem_m] = r_load_a[1];
        s_a[smem_sel_next][load_a_smem_k + 2][load_a_smem_m] = r_load_a[2];
        s_a[smem_sel_next][load_a_smem_k + 3][load_a_smem_m] = r_load_a[3];
        FETCH_FLOAT4(s_b[smem_sel_next][load_b_smem_k][load_b_smem_n]) = FETCH_FLOAT4(r_load_b[0]);
        __syncthreads();
    }

    const int last = ((K + BK - 1) / BK - 1) & 1;
    #pragma unroll
    for (int tk = 0; tk < BK; tk++) {
        FETCH_FLOAT4(r_comp_a[0]) = FETCH_FLOAT4(s_a[last][tk][ty * TM / 2         ]);
        FETCH_FLOAT4(r_comp_a[4]) = FETCH_FLOAT4(s_a[last][tk][ty * TM / 2 + BM / 2]);
        FETCH_FLOAT4(r_comp_b[0]) = FETCH_FLOAT4(s_b[last][tk][tx * TN / 2         ]);
        FETCH_FLOAT4(r_comp_b[4]) = FETCH_FLOAT4(s_b[last][tk][tx * TN / 2 + BN / 2]);
        #pragma unroll
        for (int tm = 0; tm < TM; tm++)
            #pragma unroll
            for (int tn = 0; tn < TN; tn++)
                r_c[tm][tn] += r_comp_a[tm] * r_comp_b[tn];
    }

    #pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = by * BM + (i < 4 ? 0 : BM / 2) + ty * TM / 2 + (i & 3);
        int addr = OFFSET(row, bx * BN + tx * TN / 2, N);
        FETCH_FLOAT4(c[addr]) = FETCH_FLOAT4(r_c[i][0]);
        FETCH_FLOAT4(c[addr + BN / 2]) = FETCH_FLOAT4(r_c[i][4]);
    }
}

/* ---- generic: block tile, thread tile, padding on As, register prefetch of the next gmem tile
 *      and of the next k-slice fragment (the well known "ldg_reg / frag[2]" scheme) ---- */
template <
    const int BLOCK_SIZE_M,
    const int BLOCK_SIZE_K,
    const int BLOCK_SIZE_N,
    const int THREAD_SIZE_Y,
    const int THREAD_SIZE_X,
    const int PAD
>
__global__ void Sgemm(const float * __restrict__ A, const float * __restrict__ B, float * __restrict__ C,
                      const int M, const int N, const int K) {
    const int bx = blockIdx.x;
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    const int THREAD_X_PER_BLOCK = BLOCK_SIZE_N / THREAD_SIZE_X;
    const int THREAD_Y_PER_BLOCK = BLOCK_SIZE_M / THREAD_SIZE_Y;
    const int THREAD_NUM_PER_BLOCK = THREAD_X_PER_BLOCK * THREAD_Y_PER_BLOCK;
    const int tid = ty * THREAD_X_PER_BLOCK + tx;

    __shared__ __align__(16) float As[2][BLOCK_SIZE_K][BLOCK_SIZE_M + PAD];
    __shared__ __align__(16) float Bs[2][BLOCK_SIZE_K][BLOCK_SIZE_N];

    float accum[THREAD_SIZE_Y][THREAD_SIZE_X];
    #pragma unroll
    for (int i = 0; i < THREAD_SIZE_Y; i++)
        #pragma unroll
        for (int j = 0; j < THREAD_SIZE_X; j++)
            accum[i][j] = 0.0f;

    float frag_a[2][THREAD_SIZE_Y];
    float frag_b[2][THREAD_SIZE_X];
    const int ldg_num_a = BLOCK_SIZE_M * BLOCK_SIZE_K / (THREAD_NUM_PER_BLOCK * 4);
    const int ldg_num_b = BLOCK_SIZE_K * BLOCK_SIZE_N / (THREAD_NUM_PER_BLOCK * 4);
    static_assert(BLOCK_SIZE_M * BLOCK_SIZE_K % (THREAD_NUM_PER_BLOCK * 4) == 0, "A tile");
    static_assert(BLOCK_SIZE_N * BLOCK_SIZE_K % (THREAD_NUM_PER_BLOCK * 4) == 0, "B tile");
    float ldg_a_reg[4 * ldg_num_a];
    float ldg_b_reg[4 * ldg_num_b];

    const int A_TILE_THREAD_PER_ROW = BLOCK_SIZE_K / 4;
    const int B_TILE_THREAD_PER_ROW = BLOCK_SIZE_N / 4;
    const int A_TILE_ROW_START = tid / A_TILE_THREAD_PER_ROW;
    const int B_TILE_ROW_START = tid / B_TILE_THREAD_PER_ROW;
    const int A_TILE_COL = tid % A_TILE_THREAD_PER_ROW * 4;
    const int B_TILE_COL = tid % B_TILE_THREAD_PER_ROW * 4;
    const int A_TILE_ROW_STRIDE = THREAD_NUM_PER_BLOCK / A_TILE_THREAD_PER_ROW;
    const int B_TILE_ROW_STRIDE = THREAD_NUM_PER_BLOCK / B_TILE_THREAD_PER_ROW;

    A = &A[(BLOCK_SIZE_M * by) * K];
    B = &B[BLOCK_SIZE_N * bx];

    #pragma unroll
    for (int i = 0; i < BLOCK_SIZE_M; i += A_TILE_ROW_STRIDE) {
        int q = i / A_TILE_ROW_STRIDE * 4;
        FETCH_FLOAT4(ldg_a_reg[q]) = CFETCH_FLOAT4(A[OFFSET(A_TILE_ROW_START + i, A_TILE_COL, K)]);
        As[0][A_TILE_COL    ][A_TILE_ROW_START + i] = ldg_a_reg[q];
        As[0][A_TILE_COL + 1][A_TILE_ROW_START + i] = ldg_a_reg[q + 1];
        As[0][A_TILE_COL + 2][A_TILE_ROW_START + i] = ldg_a_reg[q + 2];
        As[0][A_TILE_COL + 3][A_TILE_ROW_START + i] = ldg_a_reg[q + 3];
    }
    #pragma unroll
    for (int i = 0; i < BLOCK_SIZE_K; i += B_TILE_ROW_STRIDE) {
        FETCH_FLOAT4(Bs[0][B_TILE_ROW_START + i][B_TILE_COL]) =
            CFETCH_FLOAT4(B[OFFSET(B_TILE_ROW_START + i, B_TILE_COL, N)]);
    }
    __syncthreads();

    #pragma unroll
    for (int t = 0; t < THREAD_SIZE_Y; t += 4)
        FETCH_FLOAT4(frag_a[0][t]) = FETCH_FLOAT4(As[0][0][THREAD_SIZE_Y * ty + t]);
    #pragma unroll
    for (int t = 0; t < THREAD_SIZE_X; t += 4)
        FETCH_FLOAT4(frag_b[0][t]) = FETCH_FLOAT4(Bs[0][0][THREAD_SIZE_X * tx + t]);

    int write_stage_idx = 1;
    int tile_idx = 0;
    do {
        tile_idx += BLOCK_SIZE_K;
        if (tile_idx < K) {
            #pragma unroll
            for (int i = 0; i < BLOCK_SIZE_M; i += A_TILE_ROW_STRIDE)
                FETCH_FLOAT4(ldg_a_reg[i / A_TILE_ROW_STRIDE * 4]) =
                    CFETCH_FLOAT4(A[OFFSET(A_TILE_ROW_START + i, A_TILE_COL + tile_idx, K)]);
            #pragma unroll
            for (int i = 0; i < BLOCK_SIZE_K; i += B_TILE_ROW_STRIDE)
                FETCH_FLOAT4(ldg_b_reg[i / B_TILE_ROW_STRIDE * 4]) =
                    CFETCH_FLOAT4(B[OFFSET(tile_idx + B_TILE_ROW_START + i, B_TILE_COL, N)]);
        }

        int load_stage_idx = write_stage_idx ^ 1;

        #pragma unroll
        for (int j = 0; j < BLOCK_SIZE_K - 1; j++) {
            #pragma unroll
            for (int t = 0; t < THREAD_SIZE_Y; t += 4)
                FETCH_FLOAT4(frag_a[(j + 1) % 2][t]) = FETCH_FLOAT4(As[load_stage_idx][j + 1][THREAD_SIZE_Y * ty + t]);
            #pragma unroll
            for (int t = 0; t < THREAD_SIZE_X; t += 4)
                FETCH_FLOAT4(frag_b[(j + 1) % 2][t]) = FETCH_FLOAT4(Bs[load_stage_idx][j + 1][THREAD_SIZE_X * tx + t]);
            #pragma unroll
            for (int y = 0; y < THREAD_SIZE_Y; ++y)
                #pragma unroll
                for (int x = 0; x < THREAD_SIZE_X; ++x)
                    accum[y][x] += frag_a[j % 2][y] * frag_b[j % 2][x];
        }

        if (tile_idx < K) {
            #pragma unroll
            for (int i = 0; i < BLOCK_SIZE_M; i += A_TILE_ROW_STRIDE) {
                int q = i / A_TILE_ROW_STRIDE * 4;
                As[write_stage_idx][A_TILE_COL    ][A_TILE_ROW_START + i] = ldg_a_reg[q];
                As[write_stage_idx][A_TILE_COL + 1][A_TILE_ROW_START + i] = ldg_a_reg[q + 1];
                As[write_stage_idx][A_TILE_COL + 2][A_TILE_ROW_START + i] = ldg_a_reg[q + 2];
                As[write_stage_idx][A_TILE_COL + 3][A_TILE_ROW_START + i] = ldg_a_reg[q + 3];
            }
            #pragma unroll
            for (int i = 0; i < BLOCK_SIZE_K; i += B_TILE_ROW_STRIDE)
                FETCH_FLOAT4(Bs[write_stage_idx][B_TILE_ROW_START + i][B_TILE_COL]) =
                    FETCH_FLOAT4(ldg_b_reg[i / B_TILE_ROW_STRIDE * 4]);
            __syncthreads();
            write_stage_idx ^= 1;
        }

        // last k slice of this tile (BLOCK_SIZE_K is even => it sits in frag[1])
        #pragma unroll
        for (int y = 0; y < THREAD_SIZE_Y; ++y)
            #pragma unroll
            for (int x = 0; x < THREAD_SIZE_X; ++x)
                accum[y][x] += frag_a[1][y] * frag_b[1][x];

        if (tile_idx < K) {
            // stage just written is now the one to read: (write_stage_idx ^ 1) after the flip
            #pragma unroll
            for (int t = 0; t < THREAD_SIZE_Y; t += 4)
                FETCH_FLOAT4(frag_a[0][t]) = FETCH_FLOAT4(As[load_stage_idx ^ 1][0][THREAD_SIZE_Y * ty + t]);
            #pragma unroll
            for (int t = 0; t < THREAD_SIZE_X; t += 4)
                FETCH_FLOAT4(frag_b[0][t]) = FETCH_FLOAT4(Bs[load_stage_idx ^ 1][0][THREAD_SIZE_X * tx + t]);
        }
    } while (tile_idx < K);

    #pragma unroll
    for (int y = 0; y < THREAD_SIZE_Y; ++y)
        #pragma unroll
        for (int x = 0; x < THREAD_SIZE_X; x += 4)
            FETCH_FLOAT4(C[OFFSET(BLOCK_SIZE_M * by + ty * THREAD_SIZE_Y + y,
                                  BLOCK_SIZE_N * bx + tx * THREAD_SIZE_X + x, N)]) = FETCH_FLOAT4(accum[y][x]);
}

/* ---- any-size version, scalar guarded loads ---- */
template <int BM, int BN, int BK, int TM, int TN>
__global__ void SgemmBoundary(const float *A, const float *B, float *C, int M, int N, int K) {
    const int nthreads = (BM / TM) * (BN / TN);
    __shared__ float As[BK][BM + 1];
    __shared__ float Bs[BK][BN + 1];
    const int tid = threadIdx.x;
    const int tx = tid % (BN / TN), ty = tid / (BN / TN);
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += nthreads) {
            int m = i / BK, k = i % BK;
            As[k][m] = (row0 + m < M && k0 + k < K) ? A[OFFSET(row0 + m, k0 + k, K)] : 0.f;
        }
        for (int i = tid; i < BN * BK; i += nthreads) {
            int k = i / BN, n = i % BN;
            Bs[k][n] = (k0 + k < K && col0 + n < N) ? B[OFFSET(k0 + k, col0 + n, N)] : 0.f;
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            #pragma unroll
            for (int i = 0; i < TM; i++) a[i] = As[k][ty + i * (BM / TM)];
            #pragma unroll
            for (int j = 0; j < TN; j++) b[j] = Bs[k][tx + j * (BN / TN)];
            #pragma unroll
            for (int i = 0; i < TM; i++)
                #pragma unroll
                for (int j = 0; j < TN; j++) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < TM; i++)
        #pragma unroll
        for (int j = 0; j < TN; j++) {
            int r = row0 + ty + i * (BM / TM), q = col0 + tx + j * (BN / TN);
            if (r < M && q < N) C[OFFSET(r, q, N)] = acc[i][j];
        }
}

/* ---- split-K partials + reduction, for skinny outputs ---- */
template <int BT, int BK>
__global__ void SgemmSplitK(const float *A, const float *B, float *part, int M, int N, int K, int k_per_split) {
    __shared__ __align__(16) float As[BK][BT + 4];
    __shared__ __align__(16) float Bs[BK][BT];
    const int tid = threadIdx.x;             // 256 = 16x16, 4x4 each, BT = 64
    const int tx = tid & 15, ty = tid >> 4;
    const int m0 = blockIdx.y * BT, n0 = blockIdx.x * BT;
    const int kb = blockIdx.z * k_per_split, ke = min(K, kb + k_per_split);
    float acc[4][4] = {};
    const int ar = tid / (BK / 4), ac = tid % (BK / 4) * 4;   // 64 rows x 4
    const int br = tid / (BT / 4), bc = tid % (BT / 4) * 4;   // 16 rows x 16
    for (int k0 = kb; k0 < ke; k0 += BK) {
        float4 va = CFETCH_FLOAT4(A[OFFSET(m0 + ar, k0 + ac, K)]);
        float4 vb = CFETCH_FLOAT4(B[OFFSET(k0 + br, n0 + bc, N)]);
        As[ac][ar] = va.x; As[ac + 1][ar] = va.y; As[ac + 2][ar] = va.z; As[ac + 3][ar] = va.w;
        FETCH_FLOAT4(Bs[br][bc]) = vb;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < BK; k++) {
            float4 a = FETCH_FLOAT4(As[k][ty * 4]);
            float4 b = FETCH_FLOAT4(Bs[k][tx * 4]);
            float aa[4] = {a.x, a.y, a.z, a.w}, bb[4] = {b.x, b.y, b.z, b.w};
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += aa[i] * bb[j];
        }
        __syncthreads();
    }
    float *dst = part + (size_t)blockIdx.z * M * N;
    #pragma unroll
    for (int i = 0; i < 4; i++)
        FETCH_FLOAT4(dst[OFFSET(m0 + ty * 4 + i, n0 + tx * 4, N)]) =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

__global__ void ReduceSplits(const float *part, float *C, int MN, int splits) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= MN) return;
    float4 s = make_float4(0, 0, 0, 0);
    for (int p = 0; p < splits; p++) {
        float4 v = CFETCH_FLOAT4(part[(size_t)p * MN + i]);
        s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w;
    }
    FETCH_FLOAT4(C[i]) = s;
}

static float maxError(const float *A, const float *B, const float *dC, int M, int N, int K, float *h) {
    CHECK(cudaMemcpy(h, dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost));
    float worst = 0.f;
    unsigned s = 12345u;
    for (int t = 0; t < 256; t++) {
        s = s * 1664525u + 1013904223u; int r = (s >> 8) % M;
        s = s * 1664525u + 1013904223u; int q = (s >> 8) % N;
        if (t == 0) { r = M - 1; q = N - 1; }
        double ref = 0;
        for (int k = 0; k < K; k++) ref += (double)A[OFFSET(r, k, K)] * B[OFFSET(k, q, N)];
        float e = (float)(ref - h[OFFSET(r, q, N)]);
        if (e < 0) e = -e;
        if (e > worst) worst = e;
    }
    return worst;
}

int main() {
    const int M = 2048, N = 2048, K = 1024;
    float *h_a = (float *)malloc(sizeof(float) * M * K);
    float *h_b = (float *)malloc(sizeof(float) * K * N);
    float *h_c = (float *)malloc(sizeof(float) * M * N);
    unsigned s = 1;
    for (int i = 0; i < M * K; i++) { s = s * 1103515245u + 12345u; h_a[i] = (float)((s >> 16) & 1023) / 1023.f - 0.5f; }
    for (int i = 0; i < K * N; i++) { s = s * 1103515245u + 12345u; h_b[i] = (float)((s >> 16) & 1023) / 1023.f - 0.5f; }

    float *d_a, *d_b, *d_c, *d_part;
    CHECK(cudaMalloc(&d_a, sizeof(float) * M * K));
    CHECK(cudaMalloc(&d_b, sizeof(float) * K * N));
    CHECK(cudaMalloc(&d_c, sizeof(float) * M * N));
    CHECK(cudaMemcpy(d_a, h_a, sizeof(float) * M * K, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, h_b, sizeof(float) * K * N, cudaMemcpyHostToDevice));

    dim3 blockDim(16, 16), gridDim(N / 128, M / 128);
    mySgemmV1Aligned<<<gridDim, blockDim>>>(d_a, d_b, d_c, M, N, K);
    CHECK(cudaGetLastError());
    printf("V1 128x128x8            err %g\n", maxError(h_a, h_b, d_c, M, N, K, h_c));
    CHECK(cudaMemset(d_c, 0, sizeof(float) * M * N));
    mySgemmV2Aligned<<<gridDim, blockDim>>>(d_a, d_b, d_c, M, N, K);
    CHECK(cudaGetLastError());
    printf("V2 conflict free        err %g\n", maxError(h_a, h_b, d_c, M, N, K, h_c));
    CHECK(cudaMemset(d_c, 0, sizeof(float) * M * N));
    mySgemmV3Aligned<<<gridDim, blockDim>>>(d_a, d_b, d_c, M, N, K);
    CHECK(cudaGetLastError());
    printf("V3 double buffer        err %g\n", maxError(h_a, h_b, d_c, M, N, K, h_c));
    CHECK(cudaMemset(d_c, 0, sizeof(float) * M * N));
    Sgemm<128, 8, 128, 8, 8, 4><<<dim3(N / 128, M / 128), dim3(16, 16)>>>(d_a, d_b, d_c, M, N, K);
    CHECK(cudaGetLastError());
    printf("prefetch 128x128x8 8x8  err %g\n", maxError(h_a, h_b, d_c, M, N, K, h_c));
    CHECK(cudaMemset(d_c, 0, sizeof(float) * M * N));
    Sgemm<64, 16, 64, 4, 4, 4><<<dim3(N / 64, M / 64), dim3(16, 16)>>>(d_a, d_b, d_c, M, N, K);
    CHECK(cudaGetLastError());
    printf("prefetch 64x64x16 4x4   err %g\n", maxError(h_a, h_b, d_c, M, N, K, h_c));
    CHECK(cudaMemset(d_c, 0, sizeof(float) * M * N));

    // odd sizes, same buffers reinterpreted
    const int m1 = 1000, n1 = 1531, k1 = 777;
    SgemmBoundary<64, 64, 16, 4, 4><<<dim3((n1 + 63) / 64, (m1 + 63) / 64), 256>>>(d_a, d_b, d_c, m1, n1, k1);
    CHECK(cudaGetLastError());
    printf("guarded %dx%dx%d    err %g\n", m1, n1, k1, maxError(h_a, h_b, d_c, m1, n1, k1, h_c));

    // skinny output, deep K:  128 x 256 x 8192 (fits in the same buffers)
    const int m2 = 128, n2 = 256, k2 = 8192, splits = 32;
    CHECK(cudaMalloc(&d_part, sizeof(float) * splits * m2 * n2));
    SgemmSplitK<64, 16><<<dim3(n2 / 64, m2 / 64, splits), 256>>>(d_a, d_b, d_part, m2, n2, k2, k2 / splits);
    ReduceSplits<<<(m2 * n2 / 4 + 255) / 256, 256>>>(d_part, d_c, m2 * n2, splits);
    CHECK(cudaGetLastError());
    printf("split-K %d             err %g\n", splits, maxError(h_a, h_b, d_c, m2, n2, k2, h_c));

    CHECK(cudaDeviceSynchronize());
    cudaFree(d_a); cudaFree(d_b); cudaFree(d_c); cudaFree(d_part);
    free(h_a); free(h_b); free(h_c);
    return 0;
}
