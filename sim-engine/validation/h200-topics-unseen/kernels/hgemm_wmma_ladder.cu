// Half-precision GEMM with the wmma API: from one fragment per warp up to cp.async stages.
// A is MxK row major, B is KxN row major, C is MxN fp32 (or half in kernel 6).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstring>
#include <vector>
#include <type_traits>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

#define CUDACHECK(cmd) do { cudaError_t e = cmd; if (e != cudaSuccess) { printf("Failed: Cuda error %s:%d '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)

const int WMMA_M = 16, WMMA_N = 16, WMMA_K = 16;

template <typename T, typename L> using FragA = wmma::fragment<wmma::matrix_a, 16, 16, 16, T, L>;
template <typename T, typename L> using FragB = wmma::fragment<wmma::matrix_b, 16, 16, 16, T, L>;
template <typename T> using FragC = wmma::fragment<wmma::accumulator, 16, 16, 16, T>;

template <typename T> __global__ void convert_kernel(T *out, const float *in, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = (T)in[i];
}

// kernel 1: every warp makes one 16x16 tile straight from global memory. block (128,4): 4 x 4 warps
__global__ void wmma_naive(const half *A, const half *B, float *C, int M, int N, int K) {
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = blockIdx.y * blockDim.y + threadIdx.y;
    if (warpM * WMMA_M >= M || warpN * WMMA_N >= N) return;
    FragA<half, wmma::row_major> a;
    FragB<half, wmma::row_major> b;
    FragC<float> c;
    wmma::fill_fragment(c, 0.0f);
    for (int k = 0; k < K; k += WMMA_K) {
        wmma::load_matrix_sync(a, A + (size_t)warpM * WMMA_M * K + k, K);
        wmma::load_matrix_sync(b, B + (size_t)k * N + warpN * WMMA_N, N);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + (size_t)warpM * WMMA_M * N + warpN * WMMA_N, c, N, wmma::mem_row_major);
}

// kernel 2: 64x64 block tile in padded shared memory, 8 warps each 16x32
__global__ void __launch_bounds__(256) wmma_shared(const half *A, const half *B, float *C, int M, int N, int K) {
    const int BM = 64, BN = 64, BK = 32, PAD = 8;
    __shared__ __align__(32) half As[BM][BK + PAD];
    __shared__ __align__(32) half Bs[BK][BN + PAD];
    int tid = threadIdx.x, warp = tid / 32, wm = warp / 2, wn = warp % 2;
    const half *Ab = A + (size_t)blockIdx.y * BM * K, *Bb = B + blockIdx.x * BN;
    FragC<float> c[2];
    for (int j = 0; j < 2; j++) wmma::fill_fragment(c[j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += BK) {
        *(int4 *)&As[tid / 4][tid % 4 * 8] = *(const int4 *)(Ab + (size_t)(tid / 4) * K + k0 + tid % 4 * 8);
        *(int4 *)&Bs[tid / 8][tid % 8 * 8] = *(const int4 *)(Bb + (size_t)(k0 + tid / 8) * N + tid % 8 * 8);
        __syncthreads();
        for (int k = 0; k < BK; k += 16) {
            FragA<half, wmma::row_major> a;
            wmma::load_matrix_sync(a, &As[wm * 16][k], BK + PAD);
            for (int j = 0; j < 2; j++) {
                FragB<half, wmma::row_major> b;
                wmma::load_matrix_sync(b, &Bs[k][wn * 32 + j * 16], BN + PAD);
                wmma::mma_sync(c[j], a, b, c[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 2; j++)
        wmma::store_matrix_sync(C + (size_t)(blockIdx.y * BM + wm * 16) * N + blockIdx.x * BN + wn * 32 + j * 16, c[j], N, wmma::mem_row_major);
}

__device__ __forceinline__ void cp_async16(void *smem, const void *gmem) {
    unsigned s = (unsigned)__cvta_generic_to_shared(smem);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(s), "l"(gmem) : "memory");
}
#define CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;\n" ::: "memory")
template <int N> __device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory"); }

// Loading: how the tile travels to shared memory
enum Load { DIRECT, REG_DOUBLE, ASYNC };

// kernels 3..: block tile BM x BN, warp tile of FM x FN fragments
template <typename T, typename ACC, int BM, int BN, int BK, int FM, int FN, Load LOAD, int STAGES>
__global__ void __launch_bounds__((BM / (16 * FM)) * (BN / (16 * FN)) * 32)
wmma_warptile(const T *__restrict__ A, const T *__restrict__ B, ACC *__restrict__ C, int M, int N, int K) {
    constexpr int WARPS_N = BN / (16 * FN), WARPS_M = BM / (16 * FM), THREADS = WARPS_M * WARPS_N * 32;
    constexpr int LDA = BK + 8, LDB = BN + 8, ASZ = BM * LDA, BSZ = BK * LDB;
    constexpr int NA = BM * BK / 8 / THREADS, NB = BK * BN / 8 / THREADS;
    static_assert(NA * THREADS * 8 == BM * BK && NB * THREADS * 8 == BK * BN, "vector loads must divide");
    extern __shared__ __align__(128) unsigned char raw[];
    T *As = reinterpret_cast<T *>(raw), *Bs = As + STAGES * ASZ;
    const int tid = threadIdx.x, warp = tid / 32, wm = warp / WARPS_N, wn = warp % WARPS_N;
    A += (size_t)blockIdx.y * BM * K;
    B += (size_t)blockIdx.x * BN;

    FragC<ACC> c[FM][FN];
#pragma unroll
    for (int i = 0; i < FM; i++)
#pragma unroll
        for (int j = 0; j < FN; j++) wmma::fill_fragment(c[i][j], (ACC)0.0f);

    int4 ra[NA], rb[NB];
    auto gmem_a = [&](int i, int k0) { int e = tid + i * THREADS; return A + (size_t)(e / (BK / 8)) * K + k0 + e % (BK / 8) * 8; };
    auto gmem_b = [&](int i, int k0) { int e = tid + i * THREADS; return B + (size_t)(k0 + e / (BN / 8)) * N + e % (BN / 8) * 8; };
    auto smem_a = [&](int i, int s) { int e = tid + i * THREADS; return As + s * ASZ + e / (BK / 8) * LDA + e % (BK / 8) * 8; };
    auto smem_b = [&](int i, int s) { int e = tid + i * THREADS; return Bs + s * BSZ + e / (BN / 8) * LDB + e % (BN / 8) * 8; };
    auto load_regs = [&](int k0) {
#pragma unroll
        for (int i = 0; i < NA; i++) ra[i] = __ldg((const int4 *)gmem_a(i, k0));
#pragma unroll
        for (int i = 0; i < NB; i++) rb[i] = __ldg((const int4 *)gmem_b(i, k0));
    };
    auto store_regs = [&](int s) {
#pragma unroll
        for (int i = 0; i < NA; i++) *(int4 *)smem_a(i, s) = ra[i];
#pragma unroll
        for (int i = 0; i < NB; i++) *(int4 *)smem_b(i, s) = rb[i];
    };
    auto load_async = [&](int s, int k0) {
        if (k0 < K) {
#pragma unroll
            for (int i = 0; i < NA; i++) cp_async16(smem_a(i, s), gmem_a(i, k0));
#pragma unroll
            for (int i = 0; i < NB; i++) cp_async16(smem_b(i, s), gmem_b(i, k0));
        }
        CP_ASYNC_COMMIT();
    };
    auto compute = [&](int s) {
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            FragA<T, wmma::row_major> a[FM];
            FragB<T, wmma::row_major> b[FN];
#pragma unroll
            for (int i = 0; i < FM; i++) wmma::load_matrix_sync(a[i], As + s * ASZ + (wm * FM + i) * 16 * LDA + k, LDA);
#pragma unroll
            for (int j = 0; j < FN; j++) wmma::load_matrix_sync(b[j], Bs + s * BSZ + k * LDB + (wn * FN + j) * 16, LDB);
#pragma unroll
            for (int i = 0; i < FM; i++)
#pragma unroll
                for (int j = 0; j < FN; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
        }
    };

    if (LOAD == DIRECT) {
        for (int k0 = 0; k0 < K; k0 += BK) {
            load_regs(k0);
            store_regs(0);
            __syncthreads();
            compute(0);
            __syncthreads();
        }
    } else if (LOAD == REG_DOUBLE) {
        load_regs(0);
        store_regs(0);
        __syncthreads();
        int s = 0;
        for (int k0 = BK; k0 < K; k0 += BK) {
            load_regs(k0);
            compute(s);
            s ^= 1;
            store_regs(s);
            __syncthreads();
        }
        compute(s);
    } else {
        for (int s = 0; s < STAGES - 1; s++) load_async(s, s * BK);
        int s = 0;
        for (int k0 = 0; k0 < K; k0 += BK) {
            cp_async_wait<STAGES >= 2 ? STAGES - 2 : 0>();
            __syncthreads();
            load_async((s + STAGES - 1) % STAGES, k0 + (STAGES - 1) * BK);
            compute(s);
            s = s + 1 == STAGES ? 0 : s + 1;
        }
    }
#pragma unroll
    for (int i = 0; i < FM; i++)
#pragma unroll
        for (int j = 0; j < FN; j++)
            wmma::store_matrix_sync(C + (size_t)(blockIdx.y * BM + (wm * FM + i) * 16) * N + blockIdx.x * BN + (wn * FN + j) * 16, c[i][j], N, wmma::mem_row_major);
}

template <typename T, typename ACC, int BM, int BN, int BK, int FM, int FN, Load LOAD, int STAGES>
void run_warptile(const T *A, const T *B, void *C, int M, int N, int K) {
    auto kernel = wmma_warptile<T, ACC, BM, BN, BK, FM, FN, LOAD, STAGES>;
    const int threads = (BM / (16 * FM)) * (BN / (16 * FN)) * 32;
    const int smem = STAGES * (BM * (BK + 8) + BK * (BN + 8)) * (int)sizeof(T);
    CUDACHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    kernel<<<dim3(N / BN, M / BM), threads, smem>>>(A, B, (ACC *)C, M, N, K);
}

int main(int argc, char **argv) {
    const size_t MAX = 2048 * 2048 * 2;
    std::vector<float> hA(MAX), hB(MAX);
    unsigned lfsr = 0xACE1u;
    auto rnd = [&]() { lfsr = lfsr * 1103515245u + 12345u; return ((int)((lfsr >> 16) & 63) - 32) / 32.0f; };   // exact in half and bf16
    for (size_t i = 0; i < MAX; i++) { hA[i] = rnd(); hB[i] = rnd(); }
    float *fA, *C; half *A, *B; __nv_bfloat16 *A16, *B16;
    CUDACHECK(cudaMalloc(&fA, MAX * 4)); CUDACHECK(cudaMalloc(&C, MAX * 4));
    CUDACHECK(cudaMalloc(&A, MAX * 2)); CUDACHECK(cudaMalloc(&B, MAX * 2));
    CUDACHECK(cudaMalloc(&A16, MAX * 2)); CUDACHECK(cudaMalloc(&B16, MAX * 2));
    // the conversion to half runs on the device, to bf16 on the host
    CUDACHECK(cudaMemcpy(fA, hA.data(), MAX * 4, cudaMemcpyHostToDevice));
    convert_kernel<half><<<1024, 256>>>(A, fA, MAX);
    CUDACHECK(cudaGetLastError());
    CUDACHECK(cudaMemcpy(fA, hB.data(), MAX * 4, cudaMemcpyHostToDevice));
    convert_kernel<half><<<1024, 256>>>(B, fA, MAX);
    CUDACHECK(cudaGetLastError());
    std::vector<unsigned short> tmp(MAX);
    auto upload_bf16 = [&](const std::vector<float> &src, __nv_bfloat16 *dst) {
        for (size_t i = 0; i < MAX; i++) { unsigned u; memcpy(&u, &src[i], 4); tmp[i] = (unsigned short)(u >> 16); }    // exact values, so truncation is exact
        CUDACHECK(cudaMemcpy(dst, tmp.data(), MAX * 2, cudaMemcpyHostToDevice));
    };
    upload_bf16(hA, A16);
    upload_bf16(hB, B16);

    struct Case { int num; const char *name; int M, N, K; bool half_out; };
    const Case cases[] = {
        {1, "naive, one tile a warp", 1024, 1024, 1024, false},
        {2, "shared 64x64x32 padded", 1024, 2304, 768, false},
        {3, "warp tile 2x4, 128x128x32", 2048, 2048, 1024, false},
        {4, "register double buffer", 2048, 2048, 1024, false},
        {5, "cp.async 2 stages", 2048, 3072, 768, false},
        {6, "half accumulators, 3 stages", 2048, 2048, 1024, true},
        {7, "cp.async 4 stages, 128x256", 2048, 2048, 2048, false},
        {8, "bf16, 3 stages, 64x128", 1024, 768, 3072, false},
        {9, "bf16, register double buffer", 2048, 2304, 768, false},
    };
    int failed = 0;
    std::vector<float> got;
    std::vector<half> goth;
    for (const Case &c : cases) {
        const int M = c.M, N = c.N, K = c.K;
        CUDACHECK(cudaMemset(C, 0xff, MAX * 4));
        switch (c.num) {
            case 1: wmma_naive<<<dim3(M / 64, N / 64), dim3(128, 4)>>>(A, B, C, M, N, K); break;
            case 2: wmma_shared<<<dim3(N / 64, M / 64), 256>>>(A, B, C, M, N, K); break;
            case 3: run_warptile<half, float, 128, 128, 32, 2, 4, DIRECT, 1>(A, B, C, M, N, K); break;
            case 4: run_warptile<half, float, 128, 128, 32, 2, 4, REG_DOUBLE, 2>(A, B, C, M, N, K); break;
            case 5: run_warptile<half, float, 128, 128, 32, 4, 2, ASYNC, 2>(A, B, C, M, N, K); break;
            case 6: run_warptile<half, half, 128, 128, 32, 4, 4, ASYNC, 3>(A, B, C, M, N, K); break;
            case 7: run_warptile<half, float, 128, 256, 32, 4, 4, ASYNC, 4>(A, B, C, M, N, K); break;
            case 8: run_warptile<__nv_bfloat16, float, 64, 128, 64, 2, 2, ASYNC, 3>(A16, B16, C, M, N, K); break;
            case 9: run_warptile<__nv_bfloat16, float, 128, 64, 32, 2, 2, REG_DOUBLE, 2>(A16, B16, C, M, N, K); break;
        }
        CUDACHECK(cudaGetLastError());
        CUDACHECK(cudaDeviceSynchronize());
        got.resize((size_t)M * N);
        if (c.half_out) {
            goth.resize((size_t)M * N);
            CUDACHECK(cudaMemcpy(goth.data(), C, goth.size() * 2, cudaMemcpyDeviceToHost));
            for (size_t i = 0; i < got.size(); i++) got[i] = __half2float(goth[i]);
        } else CUDACHECK(cudaMemcpy(got.data(), C, got.size() * 4, cudaMemcpyDeviceToHost));
        double worst = 0;
        for (int s = 0; s < 1024; s++) {
            int i = (s * 977 + s / 7) % M, j = (s * 1409 + 3) % N;
            double r = 0;
            for (int k = 0; k < K; k++) r += (double)hA[(size_t)i * K + k] * hB[(size_t)k * N + j];
            double e = fabs(r - got[(size_t)i * N + j]);
            if (!(e <= worst)) worst = e;
        }
        double tol = c.half_out ? 1.0 : 1e-2;
        printf("kernel %d %-30s %d %d %d  worst %.4f %s\n", c.num, c.name, M, N, K, worst, worst <= tol ? "ok" : "wrong");
        if (!(worst <= tol)) failed++;
    }
    cudaFree(fA); cudaFree(C); cudaFree(A); cudaFree(B); cudaFree(A16); cudaFree(B16);
    puts(failed ? "FAIL" : "PASS");
    return failed ? 1 : 0;
}
