#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t e_ = (call);                                                 \
        if (e_ != cudaSuccess) {                                                 \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FLOAT4(p) (reinterpret_cast<float4*>(&(p))[0])
#define CFLOAT4(p) (reinterpret_cast<const float4*>(&(p))[0])

__device__ __forceinline__ uint32_t smem_u32(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void cp_async16(uint32_t dst, const void* src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

// 128x128x8, 256 threads, 8x8 per thread split in four 4x4 quads; global->register->shared prefetch.
__global__ void __launch_bounds__(256)
sgemm_dbuf_128x128x8(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                     int M, int N, int K)
{
    constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    __shared__ float s_a[2][BK][BM];
    __shared__ float s_b[2][BK][BN];

    const int tid = threadIdx.x;
    const int tx = tid % 16, ty = tid / 16;

    float r_load_a[4], r_load_b[4];
    float r_comp_a[TM], r_comp_b[TN];
    float r_c[TM][TN] = {0.0f};

    const int load_a_smem_m = tid >> 1;
    const int load_a_smem_k = (tid & 1) << 2;
    const int load_b_smem_k = tid >> 5;
    const int load_b_smem_n = (tid & 31) << 2;
    const int load_a_gmem_m = blockIdx.y * BM + load_a_smem_m;
    const int load_b_gmem_n = blockIdx.x * BN + load_b_smem_n;

    {
        FLOAT4(r_load_a[0]) = CFLOAT4(a[OFFSET(load_a_gmem_m, load_a_smem_k, K)]);
        FLOAT4(r_load_b[0]) = CFLOAT4(b[OFFSET(load_b_smem_k, load_b_gmem_n, N)]);
        s_a[0][load_a_smem_k + 0][load_a_smem_m] = r_load_a[0];
        s_a[0][load_a_smem_k + 1][load_a_smem_m] = r_load_a[1];
        s_a[0][load_a_smem_k + 2][load_a_smem_m] = r_load_a[2];
        s_a[0][load_a_smem_k + 3][load_a_smem_m] = r_load_a[3];
        FLOAT4(s_b[0][load_b_smem_k][load_b_smem_n]) = FLOAT4(r_load_b[0]);
    }
    __syncthreads();

    const int ntiles = K / BK;
    for (int bk = 1; bk <= ntiles; bk++) {
        const int sel = (bk - 1) & 1;
        const int nxt = bk & 1;
        if (bk < ntiles) {
            FLOAT4(r_load_a[0]) = CFLOAT4(a[OFFSET(load_a_gmem_m, bk * BK + load_a_smem_k, K)]);
            FLOAT4(r_load_b[0]) = CFLOAT4(b[OFFSET(bk * BK + load_b_smem_k, load_b_gmem_n, N)]);
        }
#pragma unroll
        for (int tk = 0; tk < BK; tk++) {
            FLOAT4(r_comp_a[0]) = FLOAT4(s_a[sel][tk][ty * TM / 2]);
            FLOAT4(r_comp_a[4]) = FLOAT4(s_a[sel][tk][ty * TM / 2 + BM / 2]);
            FLOAT4(r_comp_b[0]) = FLOAT4(s_b[sel][tk][tx * TN / 2]);
            FLOAT4(r_comp_b[4]) = FLOAT4(s_b[sel][tk][tx * TN / 2 + BN / 2]);
#pragma unroll
            for (int m = 0; m < TM; m++)
#pragma unroll
                for (int n = 0; n < TN; n++) r_c[m][n] += r_comp_a[m] * r_comp_b[n];
        }
        if (bk < ntiles) {
            s_a[nxt][load_a_smem_k + 0][load_a_smem_m] = r_load_a[0];
            s_a[nxt][load_a_smem_k + 1][load_a_smem_m] = r_load_a[1];
            s_a[nxt][load_a_smem_k + 2][load_a_smem_m] = r_load_a[2];
            s_a[nxt][load_a_smem_k + 3][load_a_smem_m] = r_load_a[3];
            FLOAT4(s_b[nxt][load_b_smem_k][load_b_smem_n]) = FLOAT4(r_load_b[0]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int i = 0; i < TM / 2; i++) {
            int row = blockIdx.y * BM + ty * TM / 2 + i + half * BM / 2;
            int col = blockIdx.x * BN + tx * TN / 2;
            FLOAT4(c[OFFSET(row, col, N)]) = FLOAT4(r_c[i + half * 4][0]);
            FLOAT4(c[OFFSET(row, col + BN / 2, N)]) = FLOAT4(r_c[i + half * 4][4]);
        }
}

// 64x64x16, cp.async by inline asm, two stages, 256 threads of 4x4.
__global__ void __launch_bounds__(256)
sgemm_cpasync_64x64x16(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                       int M, int N, int K)
{
    constexpr int BM = 64, BN = 64, BK = 16, LDA = BK + 4;
    __shared__ __align__(16) float As[2][BM * LDA];
    __shared__ __align__(16) float Bs[2][BK * BN];
    const int t = threadIdx.x;
    const int ar = t / 4, ac = (t % 4) * 4;      // 64 rows x 4 chunks
    const int br = t / 16, bc = (t % 16) * 4;    // 16 rows x 16 chunks
    const float* Ag = A + (size_t)(blockIdx.y * BM + ar) * K + ac;
    const float* Bg = B + (size_t)br * N + blockIdx.x * BN + bc;
    const int tx = t % 16, ty = t / 16;
    float acc[4][4] = {};

    cp_async16(smem_u32(&As[0][ar * LDA + ac]), Ag);
    cp_async16(smem_u32(&Bs[0][br * BN + bc]), Bg);
    cp_async_commit();

    const int T = K / BK;
    for (int it = 0; it < T; ++it) {
        if (it + 1 < T) {
            int s = (it + 1) & 1;
            cp_async16(smem_u32(&As[s][ar * LDA + ac]), Ag + (it + 1) * BK);
            cp_async16(smem_u32(&Bs[s][br * BN + bc]), Bg + (size_t)(it + 1) * BK * N);
            cp_async_commit();
            cp_async_wait<1>();
        } else {
            cp_async_wait<0>();
        }
        __syncthreads();
        const float* as = As[it & 1];
        const float* bs = Bs[it & 1];
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float4 bv = *reinterpret_cast<const float4*>(&bs[k * BN + tx * 4]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                float av = as[(ty * 4 + i) * LDA + k];
                acc[i][0] = fmaf(av, bv.x, acc[i][0]);
                acc[i][1] = fmaf(av, bv.y, acc[i][1]);
                acc[i][2] = fmaf(av, bv.z, acc[i][2]);
                acc[i][3] = fmaf(av, bv.w, acc[i][3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float4 v = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4*>(&C[(size_t)(blockIdx.y * BM + ty * 4 + i) * N + blockIdx.x * BN + tx * 4]) = v;
    }
}

// Same with the pipeline primitives and three or four stages; 128 threads of 8x4.
template <int STAGES>
__global__ void __launch_bounds__(128)
sgemm_pipeline_prims(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                     int M, int N, int K)
{
    constexpr int BM = 64, BN = 64, BK = 16, LDA = BK + 4, LDB = BN;
    __shared__ __align__(16) float As[STAGES][BM][LDA];
    __shared__ __align__(16) float Bs[STAGES][BK][LDB];
    const int t = threadIdx.x;
    const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
    const int tx = t % 16, ty = t / 16;
    float acc[8][4];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] = 0.f;

    const int T = K / BK;
    auto issue = [&](int tile) {
        if (tile < T) {
            int s = tile % STAGES;
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                int idx = t + i * 128;
                int r = idx / 4, c = (idx % 4) * 4;
                __pipeline_memcpy_async(&As[s][r][c], &A[(size_t)(bm + r) * K + tile * BK + c], 16);
                int r2 = idx / 16, c2 = (idx % 16) * 4;
                __pipeline_memcpy_async(&Bs[s][r2][c2], &B[(size_t)(tile * BK + r2) * N + bn + c2], 16);
            }
        }
        __pipeline_commit();
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) issue(s);
    for (int it = 0; it < T; ++it) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        issue(it + STAGES - 1);
        const int s = it % STAGES;
#pragma unroll
        for (int k = 0; k < BK; k += 4) {
            float4 bv[4];
#pragma unroll
            for (int kk = 0; kk < 4; ++kk) bv[kk] = *(const float4*)&Bs[s][k + kk][tx * 4];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                float4 av = *(const float4*)&As[s][ty * 8 + i][k];
                acc[i][0] += av.x * bv[0].x + av.y * bv[1].x + av.z * bv[2].x + av.w * bv[3].x;
                acc[i][1] += av.x * bv[0].y + av.y * bv[1].y + av.z * bv[2].y + av.w * bv[3].y;
                acc[i][2] += av.x * bv[0].z + av.y * bv[1].z + av.z * bv[2].z + av.w * bv[3].z;
                acc[i][3] += av.x * bv[0].w + av.y * bv[1].w + av.z * bv[2].w + av.w * bv[3].w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
        *(float4*)&C[(size_t)(bm + ty * 8 + i) * N + bn + tx * 4] =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// split-K: blockIdx.z takes a slice of K and adds its part atomically. C must be zeroed first.
__global__ void sgemm_splitk_atomic(const float* A, const float* B, float* C, int M, int N, int K, int kSlice)
{
    __shared__ float As[16][64 + 1];
    __shared__ float Bs[16][64];
    int t = threadIdx.x;
    int tx = t & 15, ty = t >> 4;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int k0 = blockIdx.z * kSlice;
    int k1 = min(K, k0 + kSlice);
    float acc[4][4] = {{0.f}};
    for (int k = k0; k < k1; k += 16) {
        for (int i = t; i < 64 * 16; i += 256) {
            int r = i / 16, kk = i % 16;
            As[kk][r] = A[(row0 + r) * K + k + kk];
        }
        for (int i = t; i < 64 * 16; i += 256) {
            int kk = i / 64, cc = i % 64;
            Bs[kk][cc] = B[(k + kk) * N + col0 + cc];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk++) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; i++) ra[i] = As[kk][ty + i * 16];
            for (int i = 0; i < 4; i++) rb[i] = Bs[kk][tx + i * 16];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            atomicAdd(&C[(row0 + ty + i * 16) * N + col0 + tx + j * 16], acc[i][j]);
}

// C[16,N] = A[16,K] * B[K,N]: one column per thread, A staged in shared memory.
template <int MROWS, int KT>
__global__ void sgemm_skinny(const float* __restrict__ A, const float* __restrict__ B,
                             float* __restrict__ C, int N, int K)
{
    __shared__ float As[KT][MROWS];
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    float acc[MROWS];
#pragma unroll
    for (int m = 0; m < MROWS; ++m) acc[m] = 0.f;
    for (int k0 = 0; k0 < K; k0 += KT) {
        for (int i = threadIdx.x; i < KT * MROWS; i += blockDim.x) {
            int m = i / KT, k = i % KT;
            As[k][m] = A[m * K + k0 + k];
        }
        __syncthreads();
        if (col < N) {
#pragma unroll 8
            for (int k = 0; k < KT; ++k) {
                float bv = __ldg(&B[(size_t)(k0 + k) * N + col]);
#pragma unroll
                for (int m = 0; m < MROWS; ++m) acc[m] = fmaf(As[k][m], bv, acc[m]);
            }
        }
        __syncthreads();
    }
    if (col < N)
#pragma unroll
        for (int m = 0; m < MROWS; ++m) C[(size_t)m * N + col] = acc[m];
}

// One 32x32x32 product per (32,8) block.
__global__ void batched_small_32(const float* A, const float* B, float* C, int batch)
{
    __shared__ float sA[32][33];
    __shared__ float sB[32][33];
    for (int b = blockIdx.x; b < batch; b += gridDim.x) {
        const float* a = A + b * 1024;
        const float* bb = B + b * 1024;
        for (int r = threadIdx.y; r < 32; r += 8) {
            sA[r][threadIdx.x] = a[r * 32 + threadIdx.x];
            sB[r][threadIdx.x] = bb[r * 32 + threadIdx.x];
        }
        __syncthreads();
        float acc0 = 0, acc1 = 0, acc2 = 0, acc3 = 0;
#pragma unroll
        for (int k = 0; k < 32; k++) {
            float v = sB[k][threadIdx.x];
            acc0 += sA[threadIdx.y][k] * v;
            acc1 += sA[threadIdx.y + 8][k] * v;
            acc2 += sA[threadIdx.y + 16][k] * v;
            acc3 += sA[threadIdx.y + 24][k] * v;
        }
        float* c = C + b * 1024 + threadIdx.x;
        c[(threadIdx.y) * 32] = acc0;
        c[(threadIdx.y + 8) * 32] = acc1;
        c[(threadIdx.y + 16) * 32] = acc2;
        c[(threadIdx.y + 24) * 32] = acc3;
        __syncthreads();
    }
}

static double sum_dev(const float* d, size_t n) {
    float* h = (float*)malloc(n * sizeof(float));
    CHECK(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0;
    for (size_t i = 0; i < n; i++) s += h[i];
    free(h);
    return s;
}

int main()
{
    const size_t NMAX = 2048ull * 4096ull;
    float* h = (float*)malloc(NMAX * sizeof(float));
    float *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, NMAX * sizeof(float)));
    CHECK(cudaMalloc(&dB, NMAX * sizeof(float)));
    CHECK(cudaMalloc(&dC, NMAX * sizeof(float)));
    srand(1234);
    for (size_t i = 0; i < NMAX; i++) h[i] = (rand() & 1023) / 1024.0f - 0.5f;
    CHECK(cudaMemcpy(dA, h, NMAX * sizeof(float), cudaMemcpyHostToDevice));
    for (size_t i = 0; i < NMAX; i++) h[i] = (rand() & 1023) / 1024.0f - 0.5f;
    CHECK(cudaMemcpy(dB, h, NMAX * sizeof(float), cudaMemcpyHostToDevice));
    double total = 0;

    {
        const int n = 2048;
        sgemm_dbuf_128x128x8<<<dim3(n / 128, n / 128), 256>>>(dA, dB, dC, n, n, n);
        CHECK(cudaGetLastError());
        total += sum_dev(dC, (size_t)n * n);
    }
    {
        const int M = 1024, N = 1024, K = 2048;
        sgemm_cpasync_64x64x16<<<dim3(N / 64, M / 64), 256>>>(dA, dB, dC, M, N, K);
        CHECK(cudaGetLastError());
        total += sum_dev(dC, (size_t)M * N);
        sgemm_pipeline_prims<3><<<dim3(N / 64, M / 64), 128>>>(dA, dB, dC, M, N, K);
        CHECK(cudaGetLastError());
        total += sum_dev(dC, (size_t)M * N);
        sgemm_pipeline_prims<4><<<dim3(1536 / 64, 1280 / 64), 128>>>(dA, dB, dC, 1280, 1536, 1024);
        CHECK(cudaGetLastError());
        total += sum_dev(dC, (size_t)1280 * 1536);
    }
    {
        const int M = 256, N = 256, K = 8192, splits = 16;
        CHECK(cudaMemset(dC, 0, sizeof(float) * M * N));
        sgemm_splitk_atomic<<<dim3(N / 64, M / 64, splits), 256>>>(dA, dB, dC, M, N, K, K / splits);
        CHECK(cudaGetLastError());
        total += sum_dev(dC, (size_t)M * N);
    }
    {
        const int N = 4096, K = 2048;
        sgemm_skinny<16, 64><<<(N + 127) / 128, 128>>>(dA, dB, dC, N, K);
        CHECK(cudaGetLastError());
        total += sum_dev(dC, (size_t)16 * N);
    }
    {
        const int batch = 8192;
        batched_small_32<<<batch, dim3(32, 8)>>>(dA, dB, dC, batch);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    total += sum_dev(dC, (size_t)8192 * 1024);
    printf("checksum = %f\n", total);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(h);
    return 0;
}
