// HGEMM directly on mma.sync.m16n8k16 and ldmatrix (inline PTX).
//   A is M x K row-major. B is N x K row-major ("TN"), except in the last kernel,
//   where B is K x N row-major and ldmatrix transposes. C is M x N row-major half.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#define GUARD(x)                                                                               \
    do {                                                                                       \
        if (cudaError_t e = (x); e != cudaSuccess) {                                           \
            std::cerr << #x << " @" << __LINE__ << ": " << cudaGetErrorString(e) << "\n";      \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (false)

namespace ptx {
__device__ __forceinline__ uint32_t smem(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], const half* p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem(p)) : "memory");
}
__device__ __forceinline__ void ldmatrix_x2(uint32_t (&r)[2], const half* p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n" : "=r"(r[0]), "=r"(r[1]) : "r"(smem(p)) : "memory");
}
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t (&r)[4], const half* p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem(p)) : "memory");
}
__device__ __forceinline__ void cp_async(half* dst, const half* src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(smem(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory"); }
}  // namespace ptx

// Accumulators of one 16x8 tile. Lane l holds rows l/4 and l/4+8, columns 2*(l%4) and the next.
struct AccF32 {
    float c[4];
    __device__ void clear() { c[0] = c[1] = c[2] = c[3] = 0.f; }
    __device__ __forceinline__ void mma(const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
    __device__ half2 top() const { return __floats2half2_rn(c[0], c[1]); }
    __device__ half2 bottom() const { return __floats2half2_rn(c[2], c[3]); }
};
struct AccF16 {
    uint32_t c[2];
    __device__ void clear() { c[0] = c[1] = 0u; }
    __device__ __forceinline__ void mma(const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};\n"
                     : "+r"(c[0]), "+r"(c[1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
    __device__ half2 top() const { return *reinterpret_cast<const half2*>(&c[0]); }
    __device__ half2 bottom() const { return *reinterpret_cast<const half2*>(&c[1]); }
};

template <class Acc>
__device__ __forceinline__ void storeTile(half* C, int ld, int row, int col, const Acc& acc) {
    int lane = threadIdx.x & 31;
    half* p = C + (size_t)(row + lane / 4) * ld + col + (lane % 4) * 2;
    *reinterpret_cast<half2*>(p) = acc.top();
    *reinterpret_cast<half2*>(p + (size_t)8 * ld) = acc.bottom();
}

// ---- 1: a block is one warp, which computes one 16x8 tile ---------------------------
__global__ void mmaOneWarp(const half* A, const half* B, half* C, int M, int N, int K) {
    __shared__ alignas(16) half sa[16][16];
    __shared__ alignas(16) half sb[8][16];
    const int lane = threadIdx.x, m0 = blockIdx.y * 16, n0 = blockIdx.x * 8;
    const int r = lane / 2, q = (lane % 2) * 8;
    AccF32 acc;
    acc.clear();
    for (int k = 0; k < K; k += 16) {
        *reinterpret_cast<uint4*>(&sa[r][q]) = *reinterpret_cast<const uint4*>(A + (size_t)(m0 + r) * K + k + q);
        if (lane < 16) *reinterpret_cast<uint4*>(&sb[r][q]) = *reinterpret_cast<const uint4*>(B + (size_t)(n0 + r) * K + k + q);
        __syncwarp();
        uint32_t a[4], b[2];
        ptx::ldmatrix_x4(a, &sa[lane % 16][lane / 16 * 8]);
        ptx::ldmatrix_x2(b, &sb[lane % 8][lane / 8 % 2 * 8]);
        acc.mma(a, b[0], b[1]);
        __syncwarp();
    }
    storeTile(C, N, m0, n0, acc);
}

constexpr int BM = 128, BN = 128, THREADS = 256;  // 2x4 warps, warp tile 64x32

// ---- 2: 2x4 warps, padded tiles, synchronous copies -----------------------------------
__global__ void __launch_bounds__(THREADS) mmaSync2x4(const half* A, const half* B, half* C, int M, int N, int K) {
    constexpr int BK = 32, LD = BK + 8;
    __shared__ alignas(16) half sa[BM * LD];
    __shared__ alignas(16) half sb[BN * LD];
    const int t = threadIdx.x, lane = t % 32, wm = t / 32 / 4 * 64, wn = t / 32 % 4 * 32;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    AccF32 acc[4][4];
    for (auto& x : acc) for (auto& y : x) y.clear();
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < BM * BK / 8; i += THREADS) {
            int r = i / 4, q = i % 4 * 8;
            *reinterpret_cast<uint4*>(sa + r * LD + q) = *reinterpret_cast<const uint4*>(A + (size_t)(m0 + r) * K + k0 + q);
            *reinterpret_cast<uint4*>(sb + r * LD + q) = *reinterpret_cast<const uint4*>(B + (size_t)(n0 + r) * K + k0 + q);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            uint32_t a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) ptx::ldmatrix_x4(a[i], sa + (wm + i * 16 + lane % 16) * LD + kk + lane / 16 * 8);
            // two 8-column tiles at once: (n, k lo), (n, k hi), (n+8, k lo), (n+8, k hi)
#pragma unroll
            for (int j = 0; j < 2; ++j) ptx::ldmatrix_x4(b[j], sb + (wn + j * 16 + lane % 8 + lane / 16 * 8) * LD + kk + lane / 8 % 2 * 8);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j].mma(a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) storeTile(C, N, m0 + wm + i * 16, n0 + wn + j * 8, acc[i][j]);
}

// ---- 3..6: cp.async ring of STAGES tiles, XOR swizzle instead of padding ----------------
template <int BK>
__device__ __forceinline__ int swizzled(int row, int chunk) {  // offset in halves of a 16-byte chunk
    static_assert(BK == 32 || BK == 64);
    int x = BK == 64 ? row & 7 : (row >> 1) & 3;
    return row * BK + (chunk ^ x) * 8;
}

template <int STAGES, int BK, class Acc>
__global__ void __launch_bounds__(THREADS) mmaPipelined(const half* A, const half* B, half* C, int M, int N, int K) {
    extern __shared__ __align__(128) half ring[];
    constexpr int TILE_A = BM * BK, STAGE = (BM + BN) * BK, CHUNKS = BK / 8;
    const int t = threadIdx.x, lane = t % 32, wm = t / 32 / 4 * 64, wn = t / 32 % 4 * 32;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, tiles = K / BK;

    auto fetch = [&](int tile) {
        if (tile < tiles) {
            half* s = ring + tile % STAGES * STAGE;
#pragma unroll
            for (int i = t; i < BM * CHUNKS; i += THREADS) {
                int r = i / CHUNKS, q = i % CHUNKS;
                ptx::cp_async(s + swizzled<BK>(r, q), A + (size_t)(m0 + r) * K + tile * BK + q * 8);
                ptx::cp_async(s + TILE_A + swizzled<BK>(r, q), B + (size_t)(n0 + r) * K + tile * BK + q * 8);
            }
        }
        ptx::commit();  // possibly empty, so that the group count stays regular
    };
    Acc acc[4][4];
    for (auto& x : acc) for (auto& y : x) y.clear();
    for (int s = 0; s < STAGES - 1; ++s) fetch(s);
    for (int tile = 0; tile < tiles; ++tile) {
        ptx::wait<STAGES - 2>();
        __syncthreads();
        fetch(tile + STAGES - 1);
        const half* sa = ring + tile % STAGES * STAGE;
        const half* sb = sa + TILE_A;
#pragma unroll
        for (int kk = 0; kk < BK / 16; ++kk) {
            uint32_t a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) ptx::ldmatrix_x4(a[i], sa + swizzled<BK>(wm + i * 16 + lane % 16, kk * 2 + lane / 16));
#pragma unroll
            for (int j = 0; j < 2; ++j) ptx::ldmatrix_x4(b[j], sb + swizzled<BK>(wn + j * 16 + lane % 8 + lane / 16 * 8, kk * 2 + lane / 8 % 2));
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j].mma(a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
    ptx::wait<0>();
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) storeTile(C, N, m0 + wm + i * 16, n0 + wn + j * 8, acc[i][j]);
}

// ---- 7: B row-major K x N, transposed by ldmatrix, padding, three stages ----------------
constexpr int NN_BK = 32, NN_LDA = NN_BK + 8, NN_LDB = BN + 8, NN_STAGE = BM * NN_LDA + NN_BK * NN_LDB;
__global__ void __launch_bounds__(THREADS) mmaRowMajorB(const half* A, const half* B, half* C, int M, int N, int K) {
    extern __shared__ __align__(128) half ring[];
    const int t = threadIdx.x, lane = t % 32, wm = t / 32 / 4 * 64, wn = t / 32 % 4 * 32;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, tiles = K / NN_BK;
    auto fetch = [&](int tile) {
        if (tile < tiles) {
            half *sa = ring + tile % 3 * NN_STAGE, *sb = sa + BM * NN_LDA;
            for (int i = t; i < BM * NN_BK / 8; i += THREADS) ptx::cp_async(sa + i / 4 * NN_LDA + i % 4 * 8, A + (size_t)(m0 + i / 4) * K + tile * NN_BK + i % 4 * 8);
            for (int i = t; i < NN_BK * BN / 8; i += THREADS) ptx::cp_async(sb + i / 16 * NN_LDB + i % 16 * 8, B + (size_t)(tile * NN_BK + i / 16) * N + n0 + i % 16 * 8);
        }
        ptx::commit();
    };
    AccF32 acc[4][4];
    for (auto& x : acc) for (auto& y : x) y.clear();
    fetch(0);
    fetch(1);
    for (int tile = 0; tile < tiles; ++tile) {
        ptx::wait<1>();
        __syncthreads();
        fetch(tile + 2);
        const half *sa = ring + tile % 3 * NN_STAGE, *sb = sa + BM * NN_LDA;
#pragma unroll
        for (int kk = 0; kk < NN_BK; kk += 16) {
            uint32_t a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) ptx::ldmatrix_x4(a[i], sa + (wm + i * 16 + lane % 16) * NN_LDA + kk + lane / 16 * 8);
            // rows are k here; matrices (k lo, n), (k hi, n), (k lo, n+8), (k hi, n+8)
#pragma unroll
            for (int j = 0; j < 2; ++j) ptx::ldmatrix_x4_trans(b[j], sb + (kk + lane % 16) * NN_LDB + wn + j * 16 + lane / 16 * 8);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j].mma(a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) storeTile(C, N, m0 + wm + i * 16, n0 + wn + j * 8, acc[i][j]);
}

int main() {
    const int M = 2048, N = 3072, K = 1024;
    std::vector<float> a((size_t)M * K), bt((size_t)N * K);
    std::vector<half> ha(a.size()), hbt(bt.size()), hb(bt.size()), hc((size_t)M * N);
    uint32_t s = 77;
    auto rnd = [&s] { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return (int(s % 9u) - 4) * 0.125f; };
    for (size_t i = 0; i < a.size(); ++i) ha[i] = __float2half(a[i] = rnd());
    for (int n = 0; n < N; ++n)
        for (int k = 0; k < K; ++k) hb[(size_t)k * N + n] = hbt[(size_t)n * K + k] = __float2half(bt[(size_t)n * K + k] = rnd());
    half *dA, *dBt, *dB, *dC;
    GUARD(cudaMalloc(&dA, ha.size() * sizeof(half)));
    GUARD(cudaMalloc(&dBt, hbt.size() * sizeof(half)));
    GUARD(cudaMalloc(&dB, hb.size() * sizeof(half)));
    GUARD(cudaMalloc(&dC, hc.size() * sizeof(half)));
    GUARD(cudaMemcpy(dA, ha.data(), ha.size() * sizeof(half), cudaMemcpyHostToDevice));
    GUARD(cudaMemcpy(dBt, hbt.data(), hbt.size() * sizeof(half), cudaMemcpyHostToDevice));
    GUARD(cudaMemcpy(dB, hb.data(), hb.size() * sizeof(half), cudaMemcpyHostToDevice));

    int bad = 0;
    auto launch = [&](const char* name, auto kernel, dim3 grid, int threads, size_t shared, const half* b) {
        if (shared > 48 * 1024) GUARD(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        GUARD(cudaMemset(dC, 0xff, hc.size() * sizeof(half)));
        kernel<<<grid, threads, shared>>>(dA, b, dC, M, N, K);
        GUARD(cudaGetLastError());
        GUARD(cudaDeviceSynchronize());
        GUARD(cudaMemcpy(hc.data(), dC, hc.size() * sizeof(half), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int q = 0; q < 512; ++q) {
            int m = (q * 677 + 1) % M, n = (q * 1229 + 2) % N;
            float ref = 0.f;
            for (int k = 0; k < K; ++k) ref += a[(size_t)m * K + k] * bt[(size_t)n * K + k];
            wrong += !(std::abs(ref - __half2float(hc[(size_t)m * N + n])) < 0.05f);
        }
        std::cout << name << ": " << (wrong ? "FAIL" : "PASS") << "\n";
        bad += wrong;
    };
    const dim3 grid(N / BN, M / BM);
    launch("one warp", mmaOneWarp, dim3(N / 8, M / 16), 32, 0, dBt);
    launch("2x4 warps, synchronous", mmaSync2x4, grid, THREADS, 0, dBt);
    launch("2 stages, BK 32", mmaPipelined<2, 32, AccF32>, grid, THREADS, 2 * (BM + BN) * 32 * sizeof(half), dBt);
    launch("3 stages, BK 32", mmaPipelined<3, 32, AccF32>, grid, THREADS, 3 * (BM + BN) * 32 * sizeof(half), dBt);
    launch("3 stages, BK 64", mmaPipelined<3, 64, AccF32>, grid, THREADS, 3 * (BM + BN) * 64 * sizeof(half), dBt);
    launch("3 stages, BK 64, fp16 accumulate", mmaPipelined<3, 64, AccF16>, grid, THREADS, 3 * (BM + BN) * 64 * sizeof(half), dBt);
    launch("row-major B", mmaRowMajorB, grid, THREADS, 3 * NN_STAGE * sizeof(half), dB);
    GUARD(cudaFree(dA)); GUARD(cudaFree(dBt)); GUARD(cudaFree(dB)); GUARD(cudaFree(dC));
    std::cout << (bad ? "FAIL" : "PASS") << std::endl;
    return bad != 0;
}
