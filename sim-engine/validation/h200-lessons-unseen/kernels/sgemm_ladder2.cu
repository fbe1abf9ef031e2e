/**
 * Single-precision GEMM experiments:  C <- alpha * op(A) * op(B) + beta * C
 * Row-major storage, arbitrary sizes (all kernels check bounds).
 */
#include <cuda_runtime.h>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

namespace {

void must(cudaError_t err, int line) {
    if (err == cudaSuccess) return;
    std::cerr << "CUDA failure at line " << line << ": " << cudaGetErrorString(err) << std::endl;
    std::exit(EXIT_FAILURE);
}
#define MUST(x) must((x), __LINE__)

struct Problem {
    int m, n, k;
    float alpha, beta;
};

// v00: as the formula says
__global__ void gemm_v00(Problem p, float const* A, float const* B, float* C) {
    size_t const col{blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x};
    size_t const row{blockIdx.y * static_cast<size_t>(blockDim.y) + threadIdx.y};
    if (row < p.m && col < p.n) {
        float sum{0.0f};
        for (size_t k{0}; k < p.k; ++k) sum += A[row * p.k + k] * B[k * p.n + col];
        C[row * p.n + col] = p.alpha * sum + p.beta * C[row * p.n + col];
    }
}

// v01: square shared tiles
template <unsigned TILE>
__global__ void gemm_v01(Problem p, float const* __restrict__ A, float const* __restrict__ B, float* __restrict__ C) {
    __shared__ float tA[TILE][TILE];
    __shared__ float tB[TILE][TILE];
    unsigned const row = blockIdx.y * TILE + threadIdx.y;
    unsigned const col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    unsigned const tiles = (p.k + TILE - 1) / TILE;
    for (unsigned t = 0; t < tiles; ++t) {
        unsigned const ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
        tA[threadIdx.y][threadIdx.x] = (row < p.m && ka < p.k) ? A[(size_t)row * p.k + ka] : 0.0f;
        tB[threadIdx.y][threadIdx.x] = (kb < p.k && col < p.n) ? B[(size_t)kb * p.n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < TILE; ++k) sum = fmaf(tA[threadIdx.y][k], tB[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < p.m && col < p.n) {
        size_t const at = (size_t)row * p.n + col;
        C[at] = p.alpha * sum + p.beta * C[at];
    }
}

/*
 * Compile-time description of a block tile. A is kept transposed in shared
 * memory ([BK][BM]) so that both register fragments are contiguous.
 */
template <int BM_, int BN_, int BK_, int TM_, int TN_>
struct Tile {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
    static constexpr int kThreads = (BM / TM) * (BN / TN);
    static_assert(BM % TM == 0 && BN % TN == 0);
};

template <class T>
struct Shared {
    alignas(16) float a[T::BK][T::BM + 4];
    alignas(16) float b[T::BK][T::BN];
};

template <class T>
__device__ __forceinline__ void multiply(Shared<T> const& s, int tr, int tc, float (&acc)[T::TM][T::TN]) {
#pragma unroll
    for (int k = 0; k < T::BK; ++k) {
        float fa[T::TM], fb[T::TN];
#pragma unroll
        for (int i = 0; i < T::TM; ++i) fa[i] = s.a[k][tr * T::TM + i];
#pragma unroll
        for (int j = 0; j < T::TN; ++j) fb[j] = s.b[k][tc * T::TN + j];
#pragma unroll
        for (int i = 0; i < T::TM; ++i)
#pragma unroll
            for (int j = 0; j < T::TN; ++j) acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
    }
}

template <class T, class Store>
__device__ __forceinline__ void epilogue(Problem const& p, int row0, int col0, float const (&acc)[T::TM][T::TN], Store store) {
#pragma unroll
    for (int i = 0; i < T::TM; ++i)
#pragma unroll
        for (int j = 0; j < T::TN; ++j)
            if (row0 + i < p.m && col0 + j < p.n) store((size_t)(row0 + i) * p.n + col0 + j, acc[i][j]);
}

// v02: 2D register tile, scalar guarded loads
template <class T>
__global__ void __launch_bounds__(T::kThreads) gemm_v02(Problem p, float const* A, float const* B, float* C) {
    __shared__ Shared<T> s;
    int const row0 = blockIdx.y * T::BM, col0 = blockIdx.x * T::BN;
    int const tc = threadIdx.x % (T::BN / T::TN), tr = threadIdx.x / (T::BN / T::TN);
    float acc[T::TM][T::TN] = {};
    for (int k0 = 0; k0 < p.k; k0 += T::BK) {
        for (int i = threadIdx.x; i < T::BM * T::BK; i += T::kThreads) {
            int const r = i / T::BK, k = i % T::BK;
            s.a[k][r] = (row0 + r < p.m && k0 + k < p.k) ? A[(size_t)(row0 + r) * p.k + k0 + k] : 0.0f;
        }
        for (int i = threadIdx.x; i < T::BK * T::BN; i += T::kThreads) {
            int const k = i / T::BN, c = i % T::BN;
            s.b[k][c] = (k0 + k < p.k && col0 + c < p.n) ? B[(size_t)(k0 + k) * p.n + col0 + c] : 0.0f;
        }
        __syncthreads();
        multiply<T>(s, tr, tc, acc);
        __syncthreads();
    }
    epilogue<T>(p, row0 + tr * T::TM, col0 + tc * T::TN, acc, [&](size_t at, float v) { C[at] = p.alpha * v + p.beta * C[at]; });
}

// loads of four floats; k and n are multiples of four, so a vector is either in or out
template <class T>
__device__ __forceinline__ void loadVectors(Shared<T>& s, Problem const& p, float const* A, float const* B, int row0, int col0, int k0, int kEnd) {
    float4 const zero = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int i = threadIdx.x; i < T::BM * T::BK / 4; i += T::kThreads) {
        int const r = i / (T::BK / 4), k = i % (T::BK / 4) * 4;
        bool const in = row0 + r < p.m && k0 + k < kEnd;
        float4 const v = in ? *reinterpret_cast<float4 const*>(A + (size_t)(row0 + r) * p.k + k0 + k) : zero;
        s.a[k][r] = v.x; s.a[k + 1][r] = v.y; s.a[k + 2][r] = v.z; s.a[k + 3][r] = v.w;
    }
    for (int i = threadIdx.x; i < T::BK * T::BN / 4; i += T::kThreads) {
        int const k = i / (T::BN / 4), c = i % (T::BN / 4) * 4;
        bool const in = k0 + k < kEnd && col0 + c < p.n;
        *reinterpret_cast<float4*>(&s.b[k][c]) = in ? *reinterpret_cast<float4 const*>(B + (size_t)(k0 + k) * p.n + col0 + c) : zero;
    }
}

// v03: vectorised
template <class T>
__global__ void __launch_bounds__(T::kThreads) gemm_v03(Problem p, float const* __restrict__ A, float const* __restrict__ B, float* __restrict__ C) {
    __shared__ Shared<T> s;
    int const row0 = blockIdx.y * T::BM, col0 = blockIdx.x * T::BN;
    int const tc = threadIdx.x % (T::BN / T::TN), tr = threadIdx.x / (T::BN / T::TN);
    float acc[T::TM][T::TN] = {};
    for (int k0 = 0; k0 < p.k; k0 += T::BK) {
        loadVectors<T>(s, p, A, B, row0, col0, k0, p.k);
        __syncthreads();
        multiply<T>(s, tr, tc, acc);
        __syncthreads();
    }
    epilogue<T>(p, row0 + tr * T::TM, col0 + tc * T::TN, acc, [&](size_t at, float v) { C[at] = p.alpha * v + p.beta * C[at]; });
}

// v04: split-K. blockIdx.z takes a slice of k and writes its own partial matrix
template <class T>
__global__ void __launch_bounds__(T::kThreads) gemm_v04_splitk(Problem p, float const* A, float const* B, float* partial, int slice) {
    __shared__ Shared<T> s;
    int const row0 = blockIdx.y * T::BM, col0 = blockIdx.x * T::BN;
    int const tc = threadIdx.x % (T::BN / T::TN), tr = threadIdx.x / (T::BN / T::TN);
    int const kBegin = blockIdx.z * slice, kEnd = min(kBegin + slice, p.k);
    float acc[T::TM][T::TN] = {};
    for (int k0 = kBegin; k0 < kEnd; k0 += T::BK) {
        loadVectors<T>(s, p, A, B, row0, col0, k0, kEnd);
        __syncthreads();
        multiply<T>(s, tr, tc, acc);
        __syncthreads();
    }
    float* mine = partial + (size_t)blockIdx.z * p.m * p.n;
    epilogue<T>(p, row0 + tr * T::TM, col0 + tc * T::TN, acc, [&](size_t at, float v) { mine[at] = v; });
}

__global__ void splitk_reduce(Problem p, float const* partial, float* C, int splits) {
    size_t const total = (size_t)p.m * p.n;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < total; i += (size_t)gridDim.x * blockDim.x) {
        float v = 0.0f;
        for (int s = 0; s < splits; ++s) v += partial[s * total + i];
        C[i] = p.alpha * v + p.beta * C[i];
    }
}

// v05: B is given as n x k ("NT"); both operands are read along k
template <class T>
__global__ void __launch_bounds__(T::kThreads) gemm_v05_nt(Problem p, float const* A, float const* Bt, float* C) {
    __shared__ Shared<T> s;
    int const row0 = blockIdx.y * T::BM, col0 = blockIdx.x * T::BN;
    int const tc = threadIdx.x % (T::BN / T::TN), tr = threadIdx.x / (T::BN / T::TN);
    float acc[T::TM][T::TN] = {};
    for (int k0 = 0; k0 < p.k; k0 += T::BK) {
        for (int i = threadIdx.x; i < T::BM * T::BK; i += T::kThreads) {
            int const r = i / T::BK, k = i % T::BK;
            s.a[k][r] = (row0 + r < p.m && k0 + k < p.k) ? A[(size_t)(row0 + r) * p.k + k0 + k] : 0.0f;
        }
        for (int i = threadIdx.x; i < T::BN * T::BK; i += T::kThreads) {
            int const c = i / T::BK, k = i % T::BK;
            s.b[k][c] = (col0 + c < p.n && k0 + k < p.k) ? Bt[(size_t)(col0 + c) * p.k + k0 + k] : 0.0f;
        }
        __syncthreads();
        multiply<T>(s, tr, tc, acc);
        __syncthreads();
    }
    epilogue<T>(p, row0 + tr * T::TM, col0 + tc * T::TN, acc, [&](size_t at, float v) { C[at] = p.alpha * v + p.beta * C[at]; });
}

template <class T>
dim3 gridFor(Problem const& p, int z = 1) { return dim3((p.n + T::BN - 1) / T::BN, (p.m + T::BM - 1) / T::BM, z); }

struct Free { void operator()(float* p) const { cudaFree(p); } };
using Buffer = std::unique_ptr<float, Free>;
Buffer makeBuffer(size_t n, std::vector<float> const* src = nullptr) {
    float* p{nullptr};
    MUST(cudaMalloc(&p, n * sizeof(float)));
    if (src) MUST(cudaMemcpy(p, src->data(), n * sizeof(float), cudaMemcpyHostToDevice));
    return Buffer{p};
}

}  // namespace

int main() {
    Problem const p{1500, 1340, 1100, 1.5f, -0.5f};
    std::vector<float> A((size_t)p.m * p.k), B((size_t)p.k * p.n), Bt(B.size()), C((size_t)p.m * p.n), out(C.size());
    unsigned long long st = 0x2545F491ULL;
    auto rnd = [&st] { st = st * 2862933555777941757ULL + 3037000493ULL; return (float)((st >> 33) & 0xfff) / 4096.0f - 0.5f; };
    for (auto& v : A) v = rnd();
    for (auto& v : C) v = rnd();
    for (int k = 0; k < p.k; ++k)
        for (int j = 0; j < p.n; ++j) Bt[(size_t)j * p.k + k] = B[(size_t)k * p.n + j] = rnd();

    constexpr int splits = 5;
    Buffer a = makeBuffer(A.size(), &A), b = makeBuffer(B.size(), &B), bt = makeBuffer(Bt.size(), &Bt), c = makeBuffer(C.size());
    Buffer part = makeBuffer(C.size() * splits);
    int failures = 0;
    auto run = [&](char const* name, std::function<void()> const& launch) {
        MUST(cudaMemcpy(c.get(), C.data(), C.size() * sizeof(float), cudaMemcpyHostToDevice));
        launch();
        MUST(cudaGetLastError());
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(out.data(), c.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int t = 0; t < 300; ++t) {
            int const i = t < 4 ? p.m - 1 - t : (t * 271) % p.m, j = t < 4 ? p.n - 1 : (t * 613) % p.n;
            double ref = 0;
            for (int k = 0; k < p.k; ++k) ref += (double)A[(size_t)i * p.k + k] * B[(size_t)k * p.n + j];
            ref = p.alpha * ref + p.beta * C[(size_t)i * p.n + j];
            wrong += !(std::abs(ref - out[(size_t)i * p.n + j]) < 1e-3);
        }
        std::cout << name << (wrong ? ": FAIL" : ": ok") << '\n';
        failures += wrong;
    };

    using Small = Tile<64, 64, 16, 4, 4>;
    using Large = Tile<128, 128, 8, 8, 8>;
    using Tall = Tile<128, 64, 16, 8, 4>;
    run("v00", [&] { gemm_v00<<<dim3((p.n + 31) / 32, (p.m + 7) / 8), dim3(32, 8)>>>(p, a.get(), b.get(), c.get()); });
    run("v01<16>", [&] { gemm_v01<16><<<dim3((p.n + 15) / 16, (p.m + 15) / 16), dim3(16, 16)>>>(p, a.get(), b.get(), c.get()); });
    run("v01<32>", [&] { gemm_v01<32><<<dim3((p.n + 31) / 32, (p.m + 31) / 32), dim3(32, 32)>>>(p, a.get(), b.get(), c.get()); });
    run("v02 small", [&] { gemm_v02<Small><<<gridFor<Small>(p), Small::kThreads>>>(p, a.get(), b.get(), c.get()); });
    run("v02 large", [&] { gemm_v02<Large><<<gridFor<Large>(p), Large::kThreads>>>(p, a.get(), b.get(), c.get()); });
    run("v03 tall", [&] { gemm_v03<Tall><<<gridFor<Tall>(p), Tall::kThreads>>>(p, a.get(), b.get(), c.get()); });
    run("v03 large", [&] { gemm_v03<Large><<<gridFor<Large>(p), Large::kThreads>>>(p, a.get(), b.get(), c.get()); });
    run("v04 split-k", [&] {
        gemm_v04_splitk<Large><<<gridFor<Large>(p, splits), Large::kThreads>>>(p, a.get(), b.get(), part.get(), p.k / splits);
        splitk_reduce<<<528, 256>>>(p, part.get(), c.get(), splits);
    });
    run("v05 nt", [&] { gemm_v05_nt<Small><<<gridFor<Small>(p), Small::kThreads>>>(p, a.get(), bt.get(), c.get()); });
    std::cout << (failures ? "FAIL" : "PASS") << std::endl;
    return failures != 0;
}
