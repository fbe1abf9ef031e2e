#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iomanip>
#include <random>
#include <vector>

using namespace nvcuda;

#define HGEMM_CHECK(call)                                                        \
    do {                                                                         \
        cudaError_t status = (call);                                             \
        if (status != cudaSuccess) {                                             \
            std::cerr << __FILE__ << ":" << __LINE__ << " "                      \
                      << cudaGetErrorString(status) << std::endl;                \
            std::exit(EXIT_FAILURE);                                             \
        }                                                                        \
    } while (0)

constexpr int WMMA_M = 16, WMMA_N = 16, WMMA_K = 16;

inline __host__ __device__ int div_ceil(int a, int b) { return (a + b - 1) / b; }

__device__ __forceinline__ void cp_async_16(void *smem, const void *gmem) {
    uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(smem));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(s), "l"(gmem));
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }

// ---------------------------------------------------------------------------
// one warp, one 16x16 output tile, straight from global memory
// ---------------------------------------------------------------------------
__global__ void wmmaNaive(const half *A, const half *B, half *C, int M, int N, int K) {
    const int row = blockIdx.y * WMMA_M, col = blockIdx.x * WMMA_N;
    if (row >= M || col >= N) return;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
    wmma::fill_fragment(c, __float2half(0.f));
    for (int k = 0; k < K; k += WMMA_K) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::load_matrix_sync(a, A + row * K + k, K);
        wmma::load_matrix_sync(b, B + k * N + col, N);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + row * N + col, c, N, wmma::mem_row_major);
}

// 4x4 warps in a block, still no shared memory, fp32 accumulation
__global__ void wmmaMultiWarp(const half *A, const half *B, half *C, int M, int N, int K) {
    const int warpM = blockIdx.y * blockDim.y + threadIdx.y;
    const int warpN = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int row = warpM * WMMA_M, col = warpN * WMMA_N;
    if (row >= M || col >= N) return;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int k = 0; k < K; k += WMMA_K) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::load_matrix_sync(a, A + row * K + k, K);
        wmma::load_matrix_sync(b, B + k * N + col, N);
        wmma::mma_sync(acc, a, b, acc);
    }
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> out;
    for (int i = 0; i < acc.num_elements; ++i) out.x[i] = __float2half(acc.x[i]);
    wmma::store_matrix_sync(C + row * N + col, out, N, wmma::mem_row_major);
}

// ---------------------------------------------------------------------------
// 64x64 block tile in shared memory, 4 warps each 32x32.  PAD in halves.
// ---------------------------------------------------------------------------
template <int PAD>
__global__ void __launch_bounds__(128)
wmmaShared64(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M, int N, int K) {
    constexpr int BM = 64, BN = 64, BK = 32;
    __shared__ __align__(32) half sA[BM][BK + PAD];
    __shared__ __align__(32) half sB[BK][BN + PAD];
    const int tid = threadIdx.x, warp = tid / 32;
    const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
    const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> c[2][2];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(c[i][j], __float2half(0.f));

    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            int idx = tid + i * 128;
            int ar = idx / 4, ac = (idx % 4) * 8;
            *reinterpret_cast<int4 *>(&sA[ar][ac]) = *reinterpret_cast<const int4 *>(&A[(bm + ar) * K + k0 + ac]);
            int br = idx / 8, bc = (idx % 8) * 8;
            *reinterpret_cast<int4 *>(&sB[br][bc]) = *reinterpret_cast<const int4 *>(&B[(k0 + br) * N + bn + bc]);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(a[i], &sA[wm + i * 16][kk], BK + PAD);
                wmma::load_matrix_sync(b[i], &sB[kk][wn + i * 16], BN + PAD);
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
            wmma::store_matrix_sync(&C[(bm + wm + i * 16) * N + bn + wn + j * 16], c[i][j], N, wmma::mem_row_major);
}

// ---------------------------------------------------------------------------
// generic multistage version, cp.async, dynamic shared memory
// ---------------------------------------------------------------------------
template <int BM, int BN, int BK, int WM, int WN, int STAGES, typename AccT>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
wmmaPipelined(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M, int N, int K) {
    constexpr int NT = (BM / WM) * (BN / WN) * 32;
    constexpr int LDA = BK + 8, LDB = BN + 8;
    constexpr int FM = WM / 16, FN = WN / 16;
    extern __shared__ __align__(128) half smem[];
    half *sA = smem;                      // [STAGES][BM][LDA]
    half *sB = smem + STAGES * BM * LDA;  // [STAGES][BK][LDB]

    const int tid = threadIdx.x, warp = tid / 32;
    const int wm = (warp / (BN / WN)) * WM, wn = (warp % (BN / WN)) * WN;
    const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;

    auto load = [&](int stage, int k0) {
        half *a = sA + stage * BM * LDA, *b = sB + stage * BK * LDB;
#pragma unroll
        for (int i = tid; i < BM * BK / 8; i += NT) {
            int r = i / (BK / 8), c = (i % (BK / 8)) * 8;
            cp_async_16(a + r * LDA + c, A + (size_t)(bm + r) * K + k0 + c);
        }
#pragma unroll
        for (int i = tid; i < BK * BN / 8; i += NT) {
            int r = i / (BN / 8), c = (i % (BN / 8)) * 8;
            cp_async_16(b + r * LDB + c, B + (size_t)(k0 + r) * N + bn + c);
        }
    };

    wmma::fragment<wmma::accumulator, 16, 16, 16, AccT> acc[FM][FN];
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j) wmma::fill_fragment(acc[i][j], (AccT)0.f);

    const int tiles = K / BK;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < tiles) load(s, s * BK);
        cp_async_commit();
    }
    for (int t = 0; t < tiles; ++t) {
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        const int nxt = t + STAGES - 1;
        if (nxt < tiles) load(nxt % STAGES, nxt * BK);
        cp_async_commit();

        const half *a = sA + (t % STAGES) * BM * LDA, *b = sB + (t % STAGES) * BK * LDB;
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[FM];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[FN];
#pragma unroll
            for (int i = 0; i < FM; ++i) wmma::load_matrix_sync(fa[i], a + (wm + i * 16) * LDA + kk, LDA);
#pragma unroll
            for (int j = 0; j < FN; ++j) wmma::load_matrix_sync(fb[j], b + kk * LDB + wn + j * 16, LDB);
#pragma unroll
            for (int i = 0; i < FM; ++i)
#pragma unroll
                for (int j = 0; j < FN; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
    }
    cp_async_wait<0>();
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, half> o;
#pragma unroll
            for (int e = 0; e < o.num_elements; ++e) o.x[e] = (half)acc[i][j].x[e];
            wmma::store_matrix_sync(C + (size_t)(bm + wm + i * 16) * N + bn + wn + j * 16, o, N, wmma::mem_row_major);
        }
}

class Tester {
public:
    Tester(int m, int n, int k) : M(m), N(n), K(k), hA(m * k), hB(k * n), hC(m * n) {
        std::mt19937 gen(1234);
        for (auto &v : hA) v = __float2half(((int)(gen() % 129) - 64) / 128.0f);
        for (auto &v : hB) v = __float2half(((int)(gen() % 129) - 64) / 128.0f);
        HGEMM_CHECK(cudaMalloc(&dA, hA.size() * sizeof(half)));
        HGEMM_CHECK(cudaMalloc(&dB, hB.size() * sizeof(half)));
        HGEMM_CHECK(cudaMalloc(&dC, hC.size() * sizeof(half)));
        HGEMM_CHECK(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(half), cudaMemcpyHostToDevice));
        HGEMM_CHECK(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(half), cudaMemcpyHostToDevice));
        HGEMM_CHECK(cudaEventCreate(&start));
        HGEMM_CHECK(cudaEventCreate(&stop));
    }
    ~Tester() {
        cudaFree(dA); cudaFree(dB); cudaFree(dC);
        cudaEventDestroy(start); cudaEventDestroy(stop);
    }
    template <typename F>
    bool evaluate(const char *name, float tol, F &&launch) {
        HGEMM_CHECK(cudaMemset(dC, 0, hC.size() * sizeof(half)));
        HGEMM_CHECK(cudaEventRecord(start));
        launch(dA, dB, dC);
        HGEMM_CHECK(cudaEventRecord(stop));
        HGEMM_CHECK(cudaGetLastError());
        HGEMM_CHECK(cudaEventSynchronize(stop));
        float ms = 0;
        HGEMM_CHECK(cudaEventElapsedTime(&ms, start, stop));
        HGEMM_CHECK(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(half), cudaMemcpyDeviceToHost));
        float maxDiff = 0;
        for (int s = 0; s < 256; ++s) {
            int r = (s * 131 + 17) % M, c = (s * 517 + 3) % N;
            float ref = 0;
            for (int k = 0; k < K; ++k) ref += __half2float(hA[r * K + k]) * __half2float(hB[k * N + c]);
            float d = std::fabs(ref - __half2float(hC[r * N + c]));
            maxDiff = (d > maxDiff || std::isnan(d)) ? d : maxDiff;
        }
        bool ok = maxDiff < tol;
        std::cout << std::left << std::setw(34) << name << std::fixed << std::setprecision(4) << ms << " ms  "
                  << std::setprecision(2) << 2e-9 * M * N * K / ms << " TFLOPS  max diff " << maxDiff
                  << (ok ? "" : "   !!!") << std::endl;
        return ok;
    }
    int M, N, K;

private:
    std::vector<half> hA, hB, hC;
    half *dA, *dB, *dC;
    cudaEvent_t start, stop;
};

template <int BM, int BN, int BK, int WM, int WN, int ST, typename AccT>
bool runPipelined(Tester &t, const char *name, float tol) {
    auto kern = wmmaPipelined<BM, BN, BK, WM, WN, ST, AccT>;
    size_t bytes = ST * (BM * (BK + 8) + BK * (BN + 8)) * sizeof(half);
    HGEMM_CHECK(cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return t.evaluate(name, tol, [&](half *A, half *B, half *C) {
        kern<<<dim3(t.N / BN, t.M / BM), (BM / WM) * (BN / WN) * 32, bytes>>>(A, B, C, t.M, t.N, t.K);
    });
}

int main() {
    bool ok = true;
    {
        Tester t(1024, 1024, 1024);
        ok &= t.evaluate("wmma naive", 0.5f, [&](half *A, half *B, half *C) {
            wmmaNaive<<<dim3(div_ceil(t.N, 16), div_ceil(t.M, 16)), 32>>>(A, B, C, t.M, t.N, t.K); });
        ok &= t.evaluate("wmma 4x4 warps", 0.1f, [&](half *A, half *B, half *C) {
            wmmaMultiWarp<<<dim3(div_ceil(t.N, 64), div_ceil(t.M, 64)), dim3(128, 4)>>>(A, B, C, t.M, t.N, t.K); });
        ok &= t.evaluate("wmma smem 64x64", 0.5f, [&](half *A, half *B, half *C) {
            wmmaShared64<0><<<dim3(t.N / 64, t.M / 64), 128>>>(A, B, C, t.M, t.N, t.K); });
        ok &= t.evaluate("wmma smem 64x64 pad 8", 0.5f, [&](half *A, half *B, half *C) {
            wmmaShared64<8><<<dim3(t.N / 64, t.M / 64), 128>>>(A, B, C, t.M, t.N, t.K); });
    }
    {
        Tester t(2048, 1536, 2048);
        ok &= runPipelined<64, 64, 32, 32, 32, 2, float>(t, "64x64x32 2 stages f32", 0.1f);
        ok &= runPipelined<128, 128, 32, 64, 32, 2, half>(t, "128x128x32 2 stages f16", 1.0f);
        ok &= runPipelined<128, 128, 32, 64, 32, 3, half>(t, "128x128x32 3 stages f16", 1.0f);
        ok &= runPipelined<128, 128, 32, 64, 32, 3, float>(t, "128x128x32 3 stages f32", 0.1f);
        ok &= runPipelined<128, 256, 32, 64, 64, 3, half>(t, "128x256x32 3 stages f16", 1.0f);
        ok &= runPipelined<128, 256, 64, 64, 64, 2, float>(t, "128x256x64 2 stages f32", 0.1f);
    }
    std::cout << (ok ? "PASS" : "FAIL") << std::endl;
    return ok ? 0 : 1;
}
