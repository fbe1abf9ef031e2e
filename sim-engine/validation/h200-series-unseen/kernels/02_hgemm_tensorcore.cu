// HGEMM (fp16 inputs, fp32 accumulate): wmma variants, then raw mma.sync with ldmatrix
// and a multi-stage cp.async pipeline. A is MxK row-major, B is KxN row-major.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(call)                                                                         \
    {                                                                                    \
        const cudaError_t e = (call);                                                    \
        if (e != cudaSuccess) {                                                          \
            printf("CUDA error %s at %s:%d\n", cudaGetErrorString(e), __FILE__, __LINE__); \
            exit(EXIT_FAILURE);                                                          \
        }                                                                                \
    }

using namespace nvcuda;

struct Problem {
    int M = 2048, N = 2048, K = 2048;
};

// ------------------------------------------------------------------ wmma, no reuse
__global__ void hgemm_wmma_naive(const half *__restrict__ A, const half *__restrict__ B,
                                 float *__restrict__ C, int M, int N, int K) {
    const int warpN = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int warpM = blockIdx.y * blockDim.y + threadIdx.y;
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
    wmma::store_matrix_sync(C + (size_t)warpM * 16 * N + warpN * 16, c, N, wmma::mem_row_major);
}

// ------------------------------------------------------------------ wmma, smem 64x64
__global__ void __launch_bounds__(128) hgemm_wmma_smem64(const half *__restrict__ A,
                                                         const half *__restrict__ B,
                                                         float *__restrict__ C, int M, int N, int K) {
    constexpr int BM = 64, BN = 64, BK = 32, PAD = 8;
    __shared__ __align__(32) half As[BM][BK + PAD];
    __shared__ __align__(32) half Bs[BK][BN + PAD];
    const int tid = threadIdx.x, warp = tid / 32;
    const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
    const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.0f);

    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < BM * BK / 8 / 128; ++i) {
            const int v = tid + i * 128, r = v / (BK / 8), c = (v % (BK / 8)) * 8;
            *(uint4 *)&As[r][c] = *(const uint4 *)&A[(size_t)(bm + r) * K + k0 + c];
        }
#pragma unroll
        for (int i = 0; i < BK * BN / 8 / 128; ++i) {
            const int v = tid + i * 128, r = v / (BN / 8), c = (v % (BN / 8)) * 8;
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&B[(size_t)(k0 + r) * N + bn + c];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
            for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], &As[wm + i * 16][kk], BK + PAD);
            for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(b[j], &Bs[kk][wn + j * 16], BN + PAD);
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&C[(size_t)(bm + wm + i * 16) * N + bn + wn + j * 16], acc[i][j], N,
                                    wmma::mem_row_major);
}

// -------------------------------------------- wmma, 128x128, register-staged prefetch
__global__ void __launch_bounds__(256) hgemm_wmma_128_prefetch(const half *__restrict__ A,
                                                               const half *__restrict__ B,
                                                               float *__restrict__ C, int M, int N,
                                                               int K) {
    constexpr int BM = 128, BN = 128, BK = 32, PAD = 8;
    __shared__ __align__(32) half As[BM][BK + PAD];
    __shared__ __align__(32) half Bs[BK][BN + PAD];
    const int tid = threadIdx.x, warp = tid >> 5;
    const int wm = (warp >> 1) * 32, wn = (warp & 1) * 64;
    const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
    const int ar = tid >> 2, ac = (tid & 3) * 8;    // rows ar, ar+64
    const int br = tid >> 4, bc = (tid & 15) * 8;   // rows br, br+16

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[i][j], 0.0f);

    const half *gA = A + (size_t)(bm + ar) * K + ac;
    const half *gB = B + (size_t)br * N + bn + bc;
    uint4 ra0 = *(const uint4 *)gA, ra1 = *(const uint4 *)(gA + (size_t)64 * K);
    uint4 rb0 = *(const uint4 *)gB, rb1 = *(const uint4 *)(gB + (size_t)16 * N);

    for (int k0 = 0; k0 < K; k0 += BK) {
        *(uint4 *)&As[ar][ac] = ra0;
        *(uint4 *)&As[ar + 64][ac] = ra1;
        *(uint4 *)&Bs[br][bc] = rb0;
        *(uint4 *)&Bs[br + 16][bc] = rb1;
        __syncthreads();
        if (k0 + BK < K) {
            gA += BK;
            gB += (size_t)BK * N;
            ra0 = *(const uint4 *)gA;
            ra1 = *(const uint4 *)(gA + (size_t)64 * K);
            rb0 = *(const uint4 *)gB;
            rb1 = *(const uint4 *)(gB + (size_t)16 * N);
        }
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[4];
#pragma unroll
            for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], &As[wm + i * 16][kk], BK + PAD);
#pragma unroll
            for (int j = 0; j < 4; ++j) wmma::load_matrix_sync(b[j], &Bs[kk][wn + j * 16], BN + PAD);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            wmma::store_matrix_sync(&C[(size_t)(bm + wm + i * 16) * N + bn + wn + j * 16], acc[i][j], N,
                                    wmma::mem_row_major);
}

// ------------------------------------------------------------------ PTX helpers
__device__ __forceinline__ uint32_t smem_u32(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void ldsm_x4(uint32_t (&r)[4], uint32_t addr) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(addr));
}
__device__ __forceinline__ void ldsm_x4_t(uint32_t (&r)[4], uint32_t addr) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(addr));
}
__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void cp_async16(uint32_t dst, const void *src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(dst), "l"(src));
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;"); }
template <int N>
__device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N)); }

// ------------------------------------------------ mma.sync + ldmatrix, padded, one stage
__global__ void __launch_bounds__(256) hgemm_mma_ldmatrix(const half *__restrict__ A,
                                                          const half *__restrict__ B,
                                                          half *__restrict__ C, int M, int N, int K) {
    constexpr int BM = 128, BN = 128, BK = 32, PAD = 8;
    __shared__ __align__(16) half As[BM][BK + PAD];
    __shared__ __align__(16) half Bs[BK][BN + PAD];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int wm = (warp >> 2) * 64, wn = (warp & 3) * 32;
    const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;

    float acc[4][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int v = tid + i * 256;
            const int r = v >> 2, c = (v & 3) * 8;
            *(uint4 *)&As[r][c] = __ldg((const uint4 *)&A[(size_t)(bm + r) * K + k0 + c]);
            const int r2 = v >> 4, c2 = (v & 15) * 8;
            *(uint4 *)&Bs[r2][c2] = __ldg((const uint4 *)&B[(size_t)(k0 + r2) * N + bn + c2]);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            uint32_t a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                ldsm_x4(a[i], smem_u32(&As[wm + i * 16 + (lane & 15)][kk + (lane >> 4) * 8]));
#pragma unroll
            for (int j = 0; j < 2; ++j)
                ldsm_x4_t(b[j], smem_u32(&Bs[kk + (lane & 15)][wn + j * 16 + (lane >> 4) * 8]));
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    mma16816(acc[i][j], a[i], b[j >> 1][(j & 1) * 2], b[j >> 1][(j & 1) * 2 + 1]);
        }
        __syncthreads();
    }
    const int g = lane >> 2, t = lane & 3;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            half *c = C + (size_t)(bm + wm + i * 16 + g) * N + bn + wn + j * 8 + t * 2;
            *(half2 *)c = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            *(half2 *)(c + (size_t)8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}

// ------------------------------------------------ mma.sync + cp.async pipeline, XOR swizzle
template <int BM_, int BN_, int WM_, int WN_, int STAGES_>
struct PipeCfg {
    static constexpr int BM = BM_, BN = BN_, BK = 32, WM = WM_, WN = WN_, STAGES = STAGES_;
    static constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
    static constexpr int A_ELEMS = BM * BK, B_ELEMS = BK * BN;
    static constexpr int SMEM = STAGES * (A_ELEMS + B_ELEMS) * (int)sizeof(half);
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::THREADS)
    hgemm_mma_pipeline(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C,
                       int M, int N, int K) {
    constexpr int BM = Cfg::BM, BN = Cfg::BN, BK = Cfg::BK, STAGES = Cfg::STAGES;
    constexpr int MT = Cfg::WM / 16, NT = Cfg::WN / 8;
    extern __shared__ __align__(128) half smem[];
    half *sA = smem;
    half *sB = smem + STAGES * Cfg::A_ELEMS;

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int wm = (warp / (BN / Cfg::WN)) * Cfg::WM, wn = (warp % (BN / Cfg::WN)) * Cfg::WN;
    const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;

    auto load_stage = [&](int stage, int kt) {
        const uint32_t a_base = smem_u32(sA + stage * Cfg::A_ELEMS);
        const uint32_t b_base = smem_u32(sB + stage * Cfg::B_ELEMS);
#pragma unroll
        for (int i = 0; i < BM * BK / 8 / Cfg::THREADS; ++i) {
            const int v = tid + i * Cfg::THREADS, r = v >> 2, ch = v & 3;
            cp_async16(a_base + r * (BK * 2) + ((ch ^ ((r >> 1) & 3)) << 4),
                       A + (size_t)(bm + r) * K + kt * BK + ch * 8);
        }
#pragma unroll
        for (int i = 0; i < BK * BN / 8 / Cfg::THREADS; ++i) {
            const int v = tid + i * Cfg::THREADS, r = v / (BN / 8), ch = v % (BN / 8);
            cp_async16(b_base + r * (BN * 2) + ((ch ^ (r & 7)) << 4),
                       B + (size_t)(kt * BK + r) * N + bn + ch * 8);
        }
    };

    float acc[MT][NT][4] = {};
    const int KT = K / BK;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < KT) load_stage(s, s);
        cp_commit();
    }

    for (int kt = 0; kt < KT; ++kt) {
        cp_wait<STAGES - 2>();
        __syncthreads();
        const int nxt = kt + STAGES - 1;
        if (nxt < KT) load_stage(nxt % STAGES, nxt);
        cp_commit();

        const uint32_t a_base = smem_u32(sA + (kt % STAGES) * Cfg::A_ELEMS);
        const uint32_t b_base = smem_u32(sB + (kt % STAGES) * Cfg::B_ELEMS);
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            uint32_t a[MT][4], b[NT / 2][4];
#pragma unroll
            for (int i = 0; i < MT; ++i) {
                const int r = wm + i * 16 + (lane & 15), ch = (kk >> 3) + (lane >> 4);
                ldsm_x4(a[i], a_base + r * (BK * 2) + ((ch ^ ((r >> 1) & 3)) << 4));
            }
#pragma unroll
            for (int j = 0; j < NT / 2; ++j) {
                const int r = kk + (lane & 15), ch = ((wn + j * 16) >> 3) + (lane >> 4);
                ldsm_x4_t(b[j], b_base + r * (BN * 2) + ((ch ^ (r & 7)) << 4));
            }
#pragma unroll
            for (int i = 0; i < MT; ++i)
#pragma unroll
                for (int j = 0; j < NT; ++j)
                    mma16816(acc[i][j], a[i], b[j >> 1][(j & 1) * 2], b[j >> 1][(j & 1) * 2 + 1]);
        }
    }

    const int g = lane >> 2, t = lane & 3;
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
        for (int j = 0; j < NT; ++j) {
            half *c = C + (size_t)(bm + wm + i * 16 + g) * N + bn + wn + j * 8 + t * 2;
            *(half2 *)c = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            *(half2 *)(c + (size_t)8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}

// ------------------------------------------------------------------ host
static inline float as_float(float x) { return x; }
static inline float as_float(half x) { return __half2float(x); }

template <typename T>
static bool check(const char *name, const Problem &p, const std::vector<float> &A,
                  const std::vector<float> &B, const T *dC) {
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<T> C((size_t)p.M * p.N);
    CK(cudaMemcpy(C.data(), dC, C.size() * sizeof(T), cudaMemcpyDeviceToHost));
    int bad = 0;
    double maxe = 0;
    for (int s = 0; s < 600; ++s) {
        const int r = (s * 1237 + 3) % p.M, c = (s * 877 + 19) % p.N;
        double ref = 0;
        for (int k = 0; k < p.K; ++k) ref += (double)A[(size_t)r * p.K + k] * B[(size_t)k * p.N + c];
        const double err = fabs(ref - as_float(C[(size_t)r * p.N + c]));
        maxe = fmax(maxe, err);
        if (!(err < 2e-2 + 2e-3 * fabs(ref))) ++bad;
    }
    printf("%-26s max err %.2e, %d bad\n", name, maxe, bad);
    return bad == 0;
}

int main() {
    const Problem p;
    const size_t na = (size_t)p.M * p.K, nb = (size_t)p.K * p.N, nc = (size_t)p.M * p.N;
    std::vector<float> fA(na), fB(nb);
    std::vector<half> hA(na), hB(nb);
    half lut[256];
    float lutf[256];
    for (int i = 0; i < 256; ++i) {
        lutf[i] = (i - 128) / 256.0f;  // exactly representable
        lut[i] = __float2half(lutf[i]);
    }
    uint32_t state = 12345u;
    auto fill = [&](std::vector<float> &f, std::vector<half> &h) {
        for (size_t i = 0; i < f.size(); ++i) {
            state = state * 1664525u + 1013904223u;
            const int q = state >> 24;
            f[i] = lutf[q];
            h[i] = lut[q];
        }
    };
    fill(fA, hA);
    fill(fB, hB);

    half *dA, *dB, *dCh;
    float *dCf;
    CK(cudaMalloc(&dA, na * sizeof(half)));
    CK(cudaMalloc(&dB, nb * sizeof(half)));
    CK(cudaMalloc(&dCh, nc * sizeof(half)));
    CK(cudaMalloc(&dCf, nc * sizeof(float)));
    CK(cudaMemcpy(dA, hA.data(), na * sizeof(half), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dB, hB.data(), nb * sizeof(half), cudaMemcpyHostToDevice));

    bool ok = true;
    {
        CK(cudaMemset(dCf, 0, nc * sizeof(float)));
        dim3 block(128, 4), grid(p.N / 16 / 4, p.M / 16 / 4);
        hgemm_wmma_naive<<<grid, block>>>(dA, dB, dCf, p.M, p.N, p.K);
        ok &= check("wmma_naive", p, fA, fB, dCf);
    }
    {
        CK(cudaMemset(dCf, 0, nc * sizeof(float)));
        hgemm_wmma_smem64<<<dim3(p.N / 64, p.M / 64), 128>>>(dA, dB, dCf, p.M, p.N, p.K);
        ok &= check("wmma_smem64", p, fA, fB, dCf);
    }
    {
        CK(cudaMemset(dCf, 0, nc * sizeof(float)));
        hgemm_wmma_128_prefetch<<<dim3(p.N / 128, p.M / 128), 256>>>(dA, dB, dCf, p.M, p.N, p.K);
        ok &= check("wmma_128_prefetch", p, fA, fB, dCf);
    }
    {
        CK(cudaMemset(dCh, 0, nc * sizeof(half)));
        hgemm_mma_ldmatrix<<<dim3(p.N / 128, p.M / 128), 256>>>(dA, dB, dCh, p.M, p.N, p.K);
        ok &= check("mma_ldmatrix", p, fA, fB, dCh);
    }
    {
        using Cfg = PipeCfg<128, 128, 64, 32, 3>;
        CK(cudaMemset(dCh, 0, nc * sizeof(half)));
        CK(cudaFuncSetAttribute(hgemm_mma_pipeline<Cfg>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                Cfg::SMEM));
        hgemm_mma_pipeline<Cfg><<<dim3(p.N / Cfg::BN, p.M / Cfg::BM), Cfg::THREADS, Cfg::SMEM>>>(
            dA, dB, dCh, p.M, p.N, p.K);
        ok &= check("mma_pipeline_128x128x3", p, fA, fB, dCh);
    }
    {
        using Cfg = PipeCfg<128, 256, 64, 64, 4>;
        CK(cudaMemset(dCh, 0, nc * sizeof(half)));
        CK(cudaFuncSetAttribute(hgemm_mma_pipeline<Cfg>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                Cfg::SMEM));
        hgemm_mma_pipeline<Cfg><<<dim3(p.N / Cfg::BN, p.M / Cfg::BM), Cfg::THREADS, Cfg::SMEM>>>(
            dA, dB, dCh, p.M, p.N, p.K);
        ok &= check("mma_pipeline_128x256x4", p, fA, fB, dCh);
    }

    CK(cudaFree(dA));
    CK(cudaFree(dB));
    CK(cudaFree(dCh));
    CK(cudaFree(dCf));
    printf("%s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
