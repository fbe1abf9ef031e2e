/*
 * wmma playground: D = alpha * A*B + beta * C with fp16 / bf16 inputs.
 * From one warp per 16x16 tile to a 128x128 block with cp.async and a shared memory epilogue
 * (in the spirit of the cudaTensorCoreGemm sample, rewritten from scratch).
 */
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <iostream>
#include <iomanip>
#include <vector>
#include <random>
#include <type_traits>

using namespace nvcuda;

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        std::cerr << "GPUassert: " << cudaGetErrorString(code) << " " << file << " " << line << std::endl;
        if (abort) exit(code);
    }
}

constexpr int WMMA_M = 16;
constexpr int WMMA_N = 16;
constexpr int WMMA_K = 16;

template <typename T> __device__ __host__ inline float to_float(T v);
template <> __device__ __host__ inline float to_float<half>(half v) { return __half2float(v); }
template <> __device__ __host__ inline float to_float<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ __host__ inline T from_float(float v);
template <> __device__ __host__ inline half from_float<half>(float v) { return __float2half(v); }
template <> __device__ __host__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float v) { return __float2bfloat16(v); }

// ---- (a) simple: each warp owns one output tile, everything straight from global memory
// A row major MxK, B col major (ldb = K), C/D row major fp32
__global__ void simple_wmma_gemm(const half *a, const half *b, const float *c, float *d,
                                 int m_ld, int n_ld, int k_ld, float alpha, float beta)
{
    int lda = k_ld, ldb = k_ld, ldc = n_ld;
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = (blockIdx.y * blockDim.y + threadIdx.y);

    wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::col_major> b_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> c_frag;
    wmma::fill_fragment(acc_frag, 0.0f);

    int aRow = warpM * WMMA_M;
    int bCol = warpN * WMMA_N;
    if (aRow >= m_ld || bCol >= n_ld) return;

    for (int i = 0; i < k_ld; i += WMMA_K) {
        wmma::load_matrix_sync(a_frag, a + aRow * lda + i, lda);
        wmma::load_matrix_sync(b_frag, b + i + bCol * ldb, ldb);
        wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
    }

    wmma::load_matrix_sync(c_frag, c + bCol + aRow * ldc, ldc, wmma::mem_row_major);
    for (int i = 0; i < c_frag.num_elements; i++)
        c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
    wmma::store_matrix_sync(d + bCol + aRow * ldc, c_frag, ldc, wmma::mem_row_major);
}

// ---- (b) 4 warps, 64x64 block, each warp 32x32, padded smem
template <typename T, int PAD>
__global__ void wmma_shared_64x64(const T *A, const T *B, const float *C, float *D,
                                  int M, int N, int K, float alpha, float beta)
{
    constexpr int BM = 64, BN = 64, BK = 32;
    __shared__ __align__(32) T sA[BM][BK + PAD];
    __shared__ __align__(32) T sB[BK][BN + PAD];
    const int tid = threadIdx.x;
    const int warp = tid / 32;
    const int wr = (warp / 2) * 32, wc = (warp % 2) * 32;
    const int rowBase = blockIdx.y * BM, colBase = blockIdx.x * BN;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);

    for (int k0 = 0; k0 < K; k0 += BK) {
        // 64*32/8 = 256 16-byte chunks for each operand, 128 threads
        for (int i = tid; i < BM * BK / 8; i += 128) {
            int r = i / (BK / 8), q = i % (BK / 8) * 8;
            *(int4 *)&sA[r][q] = *(const int4 *)&A[(rowBase + r) * K + k0 + q];
        }
        for (int i = tid; i < BK * BN / 8; i += 128) {
            int r = i / (BN / 8), q = i % (BN / 8) * 8;
            *(int4 *)&sB[r][q] = *(const int4 *)&B[(k0 + r) * N + colBase + q];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb[2];
            for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fa[i], &sA[wr + i * 16][kk], BK + PAD);
            for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], &sB[kk][wc + j * 16], BN + PAD);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int r = rowBase + wr + i * 16, q = colBase + wc + j * 16;
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
            wmma::load_matrix_sync(fc, &C[r * N + q], N, wmma::mem_row_major);
            for (int e = 0; e < fc.num_elements; e++) fc.x[e] = alpha * acc[i][j].x[e] + beta * fc.x[e];
            wmma::store_matrix_sync(&D[r * N + q], fc, N, wmma::mem_row_major);
        }
}

// ---- (c) 8 warps 128x128x32, cp.async two stages, output through shared memory as T
template <typename T>
struct Tile128 {
    static constexpr int BM = 128, BN = 128, BK = 32, APAD = 8, BPAD = 8;
    static constexpr int A_ELEMS = BM * (BK + APAD);
    static constexpr int B_ELEMS = BK * (BN + BPAD);
    static constexpr int STAGES = 2;
    static constexpr size_t pipe_bytes = STAGES * (A_ELEMS + B_ELEMS) * sizeof(T);
    static constexpr int LDC = BN + 4;
    static constexpr size_t epi_bytes = BM * LDC * sizeof(float);
    static constexpr size_t bytes = pipe_bytes > epi_bytes ? pipe_bytes : epi_bytes;
};

template <typename T>
__global__ void __launch_bounds__(256)
wmma_async_128x128(const T *__restrict__ A, const T *__restrict__ B, const T *__restrict__ C, T *__restrict__ D,
                   int M, int N, int K, float alpha, float beta)
{
    using S = Tile128<T>;
    extern __shared__ __align__(128) unsigned char raw[];
    T *sA = reinterpret_cast<T *>(raw);
    T *sB = sA + S::STAGES * S::A_ELEMS;

    const int tid = threadIdx.x, warp = tid / 32;
    const int wr = (warp / 4) * 64, wc = (warp % 4) * 32;
    const int rowBase = blockIdx.y * S::BM, colBase = blockIdx.x * S::BN;

    auto load = [&](int stage, int k0) {
        T *a = sA + stage * S::A_ELEMS;
        T *b = sB + stage * S::B_ELEMS;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int id = tid + 256 * i;
            int ar = id / 4, ac = (id % 4) * 8;
            __pipeline_memcpy_async(a + ar * (S::BK + S::APAD) + ac, A + (size_t)(rowBase + ar) * K + k0 + ac, 16);
            int br = id / 16, bc = (id % 16) * 8;
            __pipeline_memcpy_async(b + br * (S::BN + S::BPAD) + bc, B + (size_t)(k0 + br) * N + colBase + bc, 16);
        }
        __pipeline_commit();
    };

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4][2];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);

    load(0, 0);
    const int steps = K / S::BK;
    for (int t = 0; t < steps; t++) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (t + 1 < steps) load((t + 1) & 1, (t + 1) * S::BK);
        const T *a = sA + (t & 1) * S::A_ELEMS;
        const T *b = sB + (t & 1) * S::B_ELEMS;
#pragma unroll
        for (int kk = 0; kk < S::BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 4; i++)
                wmma::load_matrix_sync(fa[i], a + (wr + i * 16) * (S::BK + S::APAD) + kk, S::BK + S::APAD);
#pragma unroll
            for (int j = 0; j < 2; j++)
                wmma::load_matrix_sync(fb[j], b + kk * (S::BN + S::BPAD) + wc + j * 16, S::BN + S::BPAD);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
    }
    __syncthreads();   // pipeline buffers are dead from here on

    float *sC = reinterpret_cast<float *>(raw);
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(sC + (wr + i * 16) * S::LDC + wc + j * 16, acc[i][j], S::LDC, wmma::mem_row_major);
    __syncthreads();

    // 8 elements a thread: read C as 16 bytes, blend, write 16 bytes
    for (int i = tid; i < S::BM * S::BN / 8; i += 256) {
        int r = i / (S::BN / 8), q = (i % (S::BN / 8)) * 8;
        size_t g = (size_t)(rowBase + r) * N + colBase + q;
        int4 packed = *reinterpret_cast<const int4 *>(C + g);
        T *pc = reinterpret_cast<T *>(&packed);
#pragma unroll
        for (int e = 0; e < 8; e++)
            pc[e] = from_float<T>(alpha * sC[r * S::LDC + q + e] + beta * to_float<T>(pc[e]));
        *reinterpret_cast<int4 *>(D + g) = packed;
    }
}

// ---- (d) fp16 accumulators, 8x32x16 shape, warp grid 4x2 over a 128x64 block
__global__ void __launch_bounds__(256)
wmma_half_acc_m8n32k16(const half *A, const half *B, half *D, int M, int N, int K)
{
    constexpr int BM = 128, BN = 64, BK = 16, PAD = 8;
    __shared__ __align__(32) half sA[2][BM][BK + PAD];
    __shared__ __align__(32) half sB[2][BK][BN + PAD];
    const int tid = threadIdx.x, warp = tid >> 5;
    const int wr = (warp & 3) * 32, wc = (warp >> 2) * 32;
    wmma::fragment<wmma::accumulator, 8, 32, 16, half> acc[4];
#pragma unroll
    for (int j = 0; j < 4; j++) wmma::fill_fragment(acc[j], __float2half(0.f));

    const int ar = tid / 2, ac = (tid & 1) * 8;
    const int br = (tid & 127) / 8, bc = (tid & 7) * 8;     // threads < 128 only
    const half *pa = A + (size_t)(blockIdx.y * BM + ar) * K + ac;
    const half *pb = B + (size_t)br * N + blockIdx.x * BN + bc;
    int4 ra = *(const int4 *)pa, rb = make_int4(0, 0, 0, 0);
    if (tid < 128) rb = *(const int4 *)pb;
    int buf = 0;
    for (int k0 = 0; k0 < K; k0 += BK, buf ^= 1) {
        *(int4 *)&sA[buf][ar][ac] = ra;
        if (tid < 128) *(int4 *)&sB[buf][br][bc] = rb;
        __syncthreads();
        if (k0 + BK < K) {
            ra = *(const int4 *)(pa + k0 + BK);
            if (tid < 128) rb = *(const int4 *)(pb + (size_t)(k0 + BK) * N);
        }
        wmma::fragment<wmma::matrix_b, 8, 32, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fb, &sB[buf][0][wc], BN + PAD);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::fragment<wmma::matrix_a, 8, 32, 16, half, wmma::row_major> fa;
            wmma::load_matrix_sync(fa, &sA[buf][wr + j * 8][0], BK + PAD);
            wmma::mma_sync(acc[j], fa, fb, acc[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(D + (size_t)(blockIdx.y * BM + wr + j * 8) * N + blockIdx.x * BN + wc, acc[j], N,
                                wmma::mem_row_major);
}

// ---- helpers
template <typename T>
__global__ void fill_kernel(T *p, size_t n, unsigned seed, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u + seed;
        h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
        p[i] = from_float<T>(scale * ((h & 0xffff) / 32768.0f - 1.0f));
    }
}

int main()
{
    const int M = 2048, N = 1536, K = 2048;
    const float alpha = 1.1f, beta = 1.2f;
    half *hA, *hB, *hC, *hD;
    __nv_bfloat16 *bA, *bB, *bC, *bD;
    float *fC, *fD;
    gpuErrchk(cudaMalloc(&hA, (size_t)M * K * 2)); gpuErrchk(cudaMalloc(&hB, (size_t)K * N * 2));
    gpuErrchk(cudaMalloc(&hC, (size_t)M * N * 2)); gpuErrchk(cudaMalloc(&hD, (size_t)M * N * 2));
    gpuErrchk(cudaMalloc(&bA, (size_t)M * K * 2)); gpuErrchk(cudaMalloc(&bB, (size_t)K * N * 2));
    gpuErrchk(cudaMalloc(&bC, (size_t)M * N * 2)); gpuErrchk(cudaMalloc(&bD, (size_t)M * N * 2));
    gpuErrchk(cudaMalloc(&fC, (size_t)M * N * 4)); gpuErrchk(cudaMalloc(&fD, (size_t)M * N * 4));

    // host side data (converted once per type)
    std::mt19937 gen(7);
    std::uniform_real_distribution<float> dist(-0.5f, 0.5f);
    std::vector<half> a(M * K), b(K * N);
    std::vector<__nv_bfloat16> ab(M * K), bb(K * N);
    for (int i = 0; i < M * K; i++) { float v = dist(gen); a[i] = __float2half(v); ab[i] = __float2bfloat16(v); }
    for (int i = 0; i < K * N; i++) { float v = dist(gen); b[i] = __float2half(v); bb[i] = __float2bfloat16(v); }
    std::vector<float> c(M * N);
    for (auto &v : c) v = dist(gen);
    gpuErrchk(cudaMemcpy(hA, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(hB, b.data(), b.size() * 2, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(bA, ab.data(), ab.size() * 2, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(bB, bb.data(), bb.size() * 2, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(fC, c.data(), c.size() * 4, cudaMemcpyHostToDevice));
    fill_kernel<<<512, 256>>>(hC, (size_t)M * N, 3u, 1.0f);
    fill_kernel<<<512, 256>>>(bC, (size_t)M * N, 3u, 1.0f);
    gpuErrchk(cudaGetLastError());

    auto sampleDot = [&](int r, int q, bool colMajorB, bool bf) {
        double s = 0;
        for (int k = 0; k < K; k++) {
            size_t ib = colMajorB ? (size_t)q * K + k : (size_t)k * N + q;
            s += bf ? (double)__bfloat162float(ab[(size_t)r * K + k]) * __bfloat162float(bb[ib])
                    : (double)__half2float(a[(size_t)r * K + k]) * __half2float(b[ib]);
        }
        return s;
    };
    auto report = [&](const char *name, auto getOut, auto getC, bool colB, bool bf, double al, double be, double tol) {
        double worst = 0;
        for (int s = 0; s < 100; s++) {
            int r = (s * 331 + 17) % M, q = (s * 577 + 3) % N;
            double ref = al * sampleDot(r, q, colB, bf) + be * getC(r * N + q);
            worst = std::max(worst, std::abs(ref - (double)getOut(r * N + q)));
        }
        std::cout << std::left << std::setw(32) << name << " max diff " << worst << (worst < tol ? "  OK" : "  WRONG") << "\n";
    };
    std::vector<float> outF(M * N);
    std::vector<half> outH(M * N), cH(M * N);
    std::vector<__nv_bfloat16> outB(M * N), cB(M * N);
    gpuErrchk(cudaMemcpy(cH.data(), hC, cH.size() * 2, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(cB.data(), bC, cB.size() * 2, cudaMemcpyDeviceToHost));
    auto gF = [&](size_t i) { return outF[i]; };
    auto gH = [&](size_t i) { return __half2float(outH[i]); };
    auto gB = [&](size_t i) { return __bfloat162float(outB[i]); };
    auto cFv = [&](size_t i) { return c[i]; };
    auto cHv = [&](size_t i) { return __half2float(cH[i]); };
    auto cBv = [&](size_t i) { return __bfloat162float(cB[i]); };
    auto zero = [](size_t) { return 0.f; };

    {   // 4 warps in x, 4 tiles in y
        dim3 block(128, 4);
        dim3 grid((M + WMMA_M * 4 - 1) / (WMMA_M * 4), (N + WMMA_N * 4 - 1) / (WMMA_N * 4));
        simple_wmma_gemm<<<grid, block>>>(hA, hB, fC, fD, M, N, K, alpha, beta);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(outF.data(), fD, outF.size() * 4, cudaMemcpyDeviceToHost));
        report("simple (B col major)", gF, cFv, true, false, alpha, beta, 0.02);
    }
    {
        wmma_shared_64x64<half, 8><<<dim3(N / 64, M / 64), 128>>>(hA, hB, fC, fD, M, N, K, alpha, beta);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(outF.data(), fD, outF.size() * 4, cudaMemcpyDeviceToHost));
        report("shared 64x64 half pad 8", gF, cFv, false, false, alpha, beta, 0.02);
        wmma_shared_64x64<__nv_bfloat16, 16><<<dim3(N / 64, M / 64), 128>>>(bA, bB, fC, fD, M, N, K, alpha, beta);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(outF.data(), fD, outF.size() * 4, cudaMemcpyDeviceToHost));
        report("shared 64x64 bf16 pad 16", gF, cFv, false, true, alpha, beta, 0.02);
    }
    {
        size_t bytes = Tile128<half>::bytes;
        gpuErrchk(cudaFuncSetAttribute(wmma_async_128x128<half>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
        wmma_async_128x128<half><<<dim3(N / 128, M / 128), 256, bytes>>>(hA, hB, hC, hD, M, N, K, alpha, beta);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(outH.data(), hD, outH.size() * 2, cudaMemcpyDeviceToHost));
        report("async 128x128 half", gH, cHv, false, false, alpha, beta, 0.05);
        gpuErrchk(cudaFuncSetAttribute(wmma_async_128x128<__nv_bfloat16>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
        wmma_async_128x128<__nv_bfloat16><<<dim3(N / 128, M / 128), 256, bytes>>>(bA, bB, bC, bD, M, N, K, alpha, beta);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(outB.data(), bD, outB.size() * 2, cudaMemcpyDeviceToHost));
        report("async 128x128 bf16", gB, cBv, false, true, alpha, beta, 0.2);
    }
    {
        wmma_half_acc_m8n32k16<<<dim3(N / 64, M / 128), 256>>>(hA, hB, hD, M, N, K);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(outH.data(), hD, outH.size() * 2, cudaMemcpyDeviceToHost));
        report("m8n32k16 half accumulators", gH, zero, false, false, 1.0, 0.0, 0.2);
    }
    gpuErrchk(cudaDeviceSynchronize());
    for (void *p : {(void *)hA, (void *)hB, (void *)hC, (void *)hD, (void *)bA, (void *)bB, (void *)bC, (void *)bD, (void *)fC, (void *)fD})
        cudaFree(p);
    return 0;
}
