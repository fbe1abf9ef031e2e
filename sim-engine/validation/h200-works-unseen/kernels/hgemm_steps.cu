// Half precision GEMM, from a plain kernel up to double buffered wmma.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

#define HGEMM_CHECK(x)                                                      \
    {                                                                       \
        cudaError_t err = (x);                                              \
        if (err != cudaSuccess) {                                           \
            fprintf(stderr, "CUDA error %d (%s) at %s:%d\n", (int)err,      \
                    cudaGetErrorString(err), __FILE__, __LINE__);           \
            std::exit(1);                                                   \
        }                                                                   \
    }

#define WARP_SIZE 32
#define LDST128(p) (*reinterpret_cast<float4 *>(&(p)))
#define OFF(r, c, ld) ((r) * (ld) + (c))

inline __host__ __device__ int div_ceil(int a, int b) { return (a + b - 1) / b; }

// ---- 1. naive ---------------------------------------------------------------
__global__ void hgemm_naive_f16(half *a, half *b, half *c, int M, int N, int K) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m < M && n < N) {
        half psum = __float2half(0.0f);
#pragma unroll 4
        for (int k = 0; k < K; k++) psum = __hfma(a[m * K + k], b[k * N + n], psum);
        c[m * N + n] = psum;
    }
}

// ---- 2. shared tiles and half2 arithmetic -----------------------------------
// 64x64 tile, BK 16, 256 threads: each owns 4 rows x 2 half2.
__global__ void hgemm_half2_tile(const half *__restrict__ A, const half *__restrict__ B,
                                 half *__restrict__ C, int M, int N, int K) {
    constexpr int BM = 64, BN = 64, BK = 16;
    __shared__ half As[BK][BM + 8];
    __shared__ half2 Bs[BK][BN / 2];
    const int tid = threadIdx.x;
    const int tx = tid & 15, ty = tid >> 4;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    half2 acc[4][2];
#pragma unroll
    for (int i = 0; i < 4; i++) acc[i][0] = acc[i][1] = __float2half2_rn(0.f);

    for (int k0 = 0; k0 < K; k0 += BK) {
        {   // A: 64x16, four halves per thread
            int r = tid >> 2, kk = (tid & 3) * 4;
            const half2 *src = reinterpret_cast<const half2 *>(A + (row0 + r) * K + k0 + kk);
            half2 v0 = src[0], v1 = src[1];
            As[kk + 0][r] = __low2half(v0);
            As[kk + 1][r] = __high2half(v0);
            As[kk + 2][r] = __low2half(v1);
            As[kk + 3][r] = __high2half(v1);
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {   // B: 16 x 32 half2
            int idx = tid + i * 256;
            int kk = idx >> 5, cc = idx & 31;
            Bs[kk][cc] = *reinterpret_cast<const half2 *>(B + (k0 + kk) * N + col0 + cc * 2);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk++) {
            half2 b0 = Bs[kk][tx], b1 = Bs[kk][tx + 16];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                half2 av = __half2half2(As[kk][ty * 4 + i]);
                acc[i][0] = __hfma2(av, b0, acc[i][0]);
                acc[i][1] = __hfma2(av, b1, acc[i][1]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        half2 *dst = reinterpret_cast<half2 *>(C + (row0 + ty * 4 + i) * N + col0);
        dst[tx] = acc[i][0];
        dst[tx + 16] = acc[i][1];
    }
}

// ---- 3. one warp, one 16x16 tile, straight from global -----------------------
template <const int WMMA_M = 16, const int WMMA_N = 16, const int WMMA_K = 16>
__global__ void hgemm_wmma_naive(half *A, half *B, half *C, int M, int N, int K) {
    const int NUM_K_TILES = div_ceil(K, WMMA_K);
    const int load_gmem_a_m = blockIdx.y * WMMA_M;
    const int load_gmem_b_n = blockIdx.x * WMMA_N;
    if (load_gmem_a_m >= M || load_gmem_b_n >= N) return;

    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, half> C_frag;
    wmma::fill_fragment(C_frag, 0.0);
    wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> A_frag;
    wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> B_frag;
#pragma unroll 1
    for (int k = 0; k < NUM_K_TILES; ++k) {
        wmma::load_matrix_sync(A_frag, A + load_gmem_a_m * K + k * WMMA_K, K);
        wmma::load_matrix_sync(B_frag, B + (k * WMMA_K) * N + load_gmem_b_n, N);
        wmma::mma_sync(C_frag, A_frag, B_frag, C_frag);
    }
    wmma::store_matrix_sync(C + load_gmem_a_m * N + load_gmem_b_n, C_frag, N, wmma::mem_row_major);
}

// ---- 4. shared tiles, no padding ---------------------------------------------
// 64x64x32, four warps in 2x2, each 32x32, fp32 accumulate.
__global__ void __launch_bounds__(128)
hgemm_wmma_smem(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C,
                int M, int N, int K) {
    constexpr int BM = 64, BN = 64, BK = 32;
    __shared__ __align__(32) half s_a[BM * BK];
    __shared__ __align__(32) half s_b[BK * BN];
    const int tid = threadIdx.x;
    const int warp = tid / WARP_SIZE;
    const int wm = warp / 2, wn = warp % 2;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK / 8; i += 128) {
            int r = i / (BK / 8), c = (i % (BK / 8)) * 8;
            LDST128(s_a[r * BK + c]) =
                *reinterpret_cast<const float4 *>(&A[(blockIdx.y * BM + r) * K + k0 + c]);
        }
        for (int i = tid; i < BK * BN / 8; i += 128) {
            int r = i / (BN / 8), c = (i % (BN / 8)) * 8;
            LDST128(s_b[r * BN + c]) =
                *reinterpret_cast<const float4 *>(&B[(k0 + r) * N + blockIdx.x * BN + c]);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
            for (int i = 0; i < 2; i++)
                wmma::load_matrix_sync(fa[i], &s_a[(wm * 32 + i * 16) * BK + kk], BK);
            for (int j = 0; j < 2; j++)
                wmma::load_matrix_sync(fb[j], &s_b[kk * BN + wn * 32 + j * 16], BN);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(
                &C[(blockIdx.y * BM + wm * 32 + i * 16) * N + blockIdx.x * BN + wn * 32 + j * 16],
                acc[i][j], N, wmma::mem_row_major);
}

// ---- 5. padding and cp.async double buffer -----------------------------------
#define CP_ASYNC_CG(dst, src) \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src))
#define CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n) : "memory")

template <int PAD>
__global__ void __launch_bounds__(256)
hgemm_wmma_dbuf_128x128(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C,
                        int M, int N, int K) {
    constexpr int BM = 128, BN = 128, BK = 32;
    constexpr int LDA = BK + PAD, LDB = BN + PAD;
    __shared__ __align__(128) half s_a[2][BM][LDA];
    __shared__ __align__(128) half s_b[2][BK][LDB];

    const int tid = threadIdx.x;
    const int warp_id = tid / WARP_SIZE;
    const int warp_m = warp_id / 2;   // 0..3, 32 rows each
    const int warp_n = warp_id % 2;   // 0..1, 64 cols each
    const int by = blockIdx.y, bx = blockIdx.x;

    wmma::fragment<wmma::accumulator, 16, 16, 16, half> C_frag[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) wmma::fill_fragment(C_frag[i][j], __float2half(0.f));

    const int a_m = tid / 2, a_k = (tid % 2) * 16;
    const int b_k = tid / 8, b_n = (tid % 8) * 16;
    const half *gA = A + OFF(by * BM + a_m, a_k, K);
    const half *gB = B + OFF(b_k, bx * BN + b_n, N);

    auto load_stage = [&](int buf, int k) {
        unsigned pa = (unsigned)__cvta_generic_to_shared(&s_a[buf][a_m][a_k]);
        unsigned pb = (unsigned)__cvta_generic_to_shared(&s_b[buf][b_k][b_n]);
        CP_ASYNC_CG(pa, gA + k * BK);
        CP_ASYNC_CG(pa + 16, gA + k * BK + 8);
        CP_ASYNC_CG(pb, gB + k * BK * N);
        CP_ASYNC_CG(pb + 16, gB + k * BK * N + 8);
        CP_ASYNC_COMMIT();
    };

    load_stage(0, 0);
    const int NK = K / BK;
#pragma unroll 1
    for (int k = 0; k < NK; ++k) {
        CP_ASYNC_WAIT(0);
        __syncthreads();
        if (k + 1 < NK) load_stage((k + 1) & 1, k + 1);
        const int cur = k & 1;
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> A_frag[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> B_frag[4];
#pragma unroll
            for (int i = 0; i < 2; ++i)
                wmma::load_matrix_sync(A_frag[i], &s_a[cur][warp_m * 32 + i * 16][kk], LDA);
#pragma unroll
            for (int j = 0; j < 4; ++j)
                wmma::load_matrix_sync(B_frag[j], &s_b[cur][kk][warp_n * 64 + j * 16], LDB);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    wmma::mma_sync(C_frag[i][j], A_frag[i], B_frag[j], C_frag[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            wmma::store_matrix_sync(C + OFF(by * BM + warp_m * 32 + i * 16, bx * BN + warp_n * 64 + j * 16, N),
                                    C_frag[i][j], N, wmma::mem_row_major);
}

// ---- 6. bigger 128x256 tile in dynamic shared memory, fp32 accumulate ---------
__global__ void __launch_bounds__(256, 1)
hgemm_wmma_dbuf_128x256(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C,
                        int M, int N, int K) {
    constexpr int BM = 128, BN = 256, BK = 32, APAD = 8, BPAD = 8;
    constexpr int LDA = BK + APAD, LDB = BN + BPAD;
    extern __shared__ __align__(128) half smem[];
    half *s_a = smem;
    half *s_b = smem + 2 * BM * LDA;

    const int tid = threadIdx.x, wid = tid >> 5;
    const int wm = wid & 1, wn = wid >> 1;   // 2 x 4 warps of 64x64

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) wmma::fill_fragment(acc[i][j], 0.0f);

    auto stage = [&](int buf, int k0) {
#pragma unroll
        for (int i = 0; i < 2; i++) {          // 128 x 4 chunks
            int idx = tid + i * 256;
            int r = idx >> 2, c = (idx & 3) << 3;
            unsigned d = (unsigned)__cvta_generic_to_shared(s_a + buf * BM * LDA + r * LDA + c);
            CP_ASYNC_CG(d, A + (size_t)(blockIdx.y * BM + r) * K + k0 + c);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {          // 32 x 32 chunks
            int idx = tid + i * 256;
            int r = idx >> 5, c = (idx & 31) << 3;
            unsigned d = (unsigned)__cvta_generic_to_shared(s_b + buf * BK * LDB + r * LDB + c);
            CP_ASYNC_CG(d, B + (size_t)(k0 + r) * N + blockIdx.x * BN + c);
        }
        CP_ASYNC_COMMIT();
    };
    stage(0, 0);
    int buf = 0;
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (k0 + BK < K) {
            stage(buf ^ 1, k0 + BK);
            CP_ASYNC_WAIT(1);
        } else {
            CP_ASYNC_WAIT(0);
        }
        __syncthreads();
        const half *sa = s_a + buf * BM * LDA;
        const half *sb = s_b + buf * BK * LDB;
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[4];
#pragma unroll
            for (int i = 0; i < 4; i++) wmma::load_matrix_sync(fa[i], sa + (wm * 64 + i * 16) * LDA + kk, LDA);
#pragma unroll
            for (int j = 0; j < 4; j++) wmma::load_matrix_sync(fb[j], sb + kk * LDB + wn * 64 + j * 16, LDB);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
        buf ^= 1;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            wmma::store_matrix_sync(C + (size_t)(blockIdx.y * BM + wm * 64 + i * 16) * N + blockIdx.x * BN + wn * 64 + j * 16,
                                    acc[i][j], N, wmma::mem_row_major);
}

template <typename T> static double reduce_host(const T *d, size_t n) {
    std::vector<T> h(n);
    HGEMM_CHECK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    double s = 0;
    for (size_t i = 0; i < n; i++) s += (double)(float)h[i];
    return s;
}

int main() {
    const int MX = 4096;
    const size_t total = (size_t)MX * MX;
    std::vector<half> hA(total), hB(total);
    unsigned seed = 42;
    for (size_t i = 0; i < total; i++) {
        seed = seed * 1664525u + 1013904223u;
        hA[i] = __float2half(((seed >> 16) & 255) / 256.0f - 0.5f);
        seed = seed * 1664525u + 1013904223u;
        hB[i] = __float2half(((seed >> 16) & 255) / 256.0f - 0.5f);
    }
    half *dA, *dB, *dC;
    float *dCf;
    HGEMM_CHECK(cudaMalloc(&dA, total * sizeof(half)));
    HGEMM_CHECK(cudaMalloc(&dB, total * sizeof(half)));
    HGEMM_CHECK(cudaMalloc(&dC, total * sizeof(half)));
    HGEMM_CHECK(cudaMalloc(&dCf, total * sizeof(float)));
    HGEMM_CHECK(cudaMemcpy(dA, hA.data(), total * sizeof(half), cudaMemcpyHostToDevice));
    HGEMM_CHECK(cudaMemcpy(dB, hB.data(), total * sizeof(half), cudaMemcpyHostToDevice));
    double cs = 0;

    {
        int M = 1024, N = 1024, K = 1024;
        dim3 block(32, 8), grid(div_ceil(N, 32), div_ceil(M, 8));
        hgemm_naive_f16<<<grid, block>>>(dA, dB, dC, M, N, K);
        HGEMM_CHECK(cudaGetLastError());
        cs += reduce_host(dC, (size_t)M * N);
        hgemm_half2_tile<<<dim3(N / 64, M / 64), 256>>>(dA, dB, dC, M, N, K);
        HGEMM_CHECK(cudaGetLastError());
        cs += reduce_host(dC, (size_t)M * N);
    }
    {
        int M = 2048, N = 1024, K = 1024;
        hgemm_wmma_naive<16, 16, 16><<<dim3(div_ceil(N, 16), div_ceil(M, 16)), 32>>>(dA, dB, dC, M, N, K);
        HGEMM_CHECK(cudaGetLastError());
        cs += reduce_host(dC, (size_t)M * N);
    }
    {
        int n = 2048;
        hgemm_wmma_smem<<<dim3(n / 64, n / 64), 128>>>(dA, dB, dCf, n, n, n);
        HGEMM_CHECK(cudaGetLastError());
        cs += reduce_host(dCf, (size_t)n * n);
        hgemm_wmma_dbuf_128x128<8><<<dim3(n / 128, n / 128), 256>>>(dA, dB, dC, n, n, n);
        HGEMM_CHECK(cudaGetLastError());
        cs += reduce_host(dC, (size_t)n * n);
        hgemm_wmma_dbuf_128x128<16><<<dim3(n / 128, n / 128), 256>>>(dA, dB, dC, n, n, 1024);
        HGEMM_CHECK(cudaGetLastError());
        cs += reduce_host(dC, (size_t)n * n);
    }
    {
        int n = 4096, k = 2048;
        const int smem = 2 * (128 * 40 + 32 * 264) * sizeof(half);
        HGEMM_CHECK(cudaFuncSetAttribute(hgemm_wmma_dbuf_128x256, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
        hgemm_wmma_dbuf_128x256<<<dim3(n / 256, n / 128), 256, smem>>>(dA, dB, dCf, n, n, k);
        HGEMM_CHECK(cudaGetLastError());
    }
    HGEMM_CHECK(cudaDeviceSynchronize());
    cs += reduce_host(dCf, total);
    printf("hgemm_steps: checksum %.4f\n", cs);
    cudaFree(dA); cudaFree(dB); cudaFree(dC); cudaFree(dCf);
    return 0;
}
