// mm_templates.cu - FP32 matrix products for awkward sizes (1000 x 777 x 515), all behind templates.
// Every kernel takes an epilogue functor; tiles are described by a constexpr configuration type.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct CudaFailure : std::runtime_error { using std::runtime_error::runtime_error; };
inline void operator||(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw CudaFailure(std::string(what) + " -> " + cudaGetErrorString(e));
}

// A pitched row-major matrix in device memory: the pitch is a multiple of four floats, padding stays zero.
class DeviceMatrix {
    float* p_ = nullptr;
    int rows_, cols_, ld_;
public:
    DeviceMatrix(int rows, int cols, int align = 1) : rows_(rows), cols_(cols), ld_((cols + align - 1) / align * align) {
        cudaMalloc(&p_, bytes()) || "allocating a matrix";
        cudaMemset(p_, 0, bytes()) || "clearing a matrix";
    }
    DeviceMatrix(const DeviceMatrix&) = delete;
    DeviceMatrix(DeviceMatrix&& o) noexcept : p_(std::exchange(o.p_, nullptr)), rows_(o.rows_), cols_(o.cols_), ld_(o.ld_) {}
    ~DeviceMatrix() { if (p_) cudaFree(p_); }
    std::size_t bytes() const { return std::size_t(rows_) * ld_ * sizeof(float); }
    float* data() { return p_; }
    int ld() const { return ld_; }
    DeviceMatrix& operator=(const std::vector<float>& h) {
        cudaMemcpy2D(p_, ld_ * 4, h.data(), cols_ * 4, cols_ * 4, rows_, cudaMemcpyHostToDevice) || "upload";
        return *this;
    }
    std::vector<float> host() const {
        std::vector<float> h(std::size_t(rows_) * cols_);
        cudaMemcpy2D(h.data(), cols_ * 4, p_, ld_ * 4, cols_ * 4, rows_, cudaMemcpyDeviceToHost) || "download";
        return h;
    }
};

struct Shape { int m, n, k, lda, ldb, ldc; };

// ------------------------------------------------------------------------------------------ epilogues
struct Assign {
    __device__ void operator()(float* c, float v, int) const { *c = v; }
};
struct Axpby {
    float alpha, beta;
    __device__ void operator()(float* c, float v, int) const { *c = beta == 0.f ? alpha * v : fmaf(beta, *c, alpha * v); }
};
struct BiasRelu {
    const float* bias;
    __device__ void operator()(float* c, float v, int col) const { *c = fmaxf(v + __ldg(bias + col), 0.f); }
};
struct Accumulate {
    float alpha;
    __device__ void operator()(float* c, float v, int) const { atomicAdd(c, alpha * v); }
};

// ------------------------------------------------------------------------------------------ 1: one result a thread
template <class Epi>
__global__ void gemm_guarded(Shape s, const float* a, const float* b, float* c, Epi epi) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= s.m || col >= s.n) return;
    float acc = 0;
    for (int k = 0; k < s.k; ++k) acc = fmaf(a[row * s.lda + k], b[k * s.ldb + col], acc);
    epi(c + row * s.ldc + col, acc, col);
}

// ------------------------------------------------------------------------------------------ 2: shared tile
template <int TILE, class Epi>
__global__ void __launch_bounds__(TILE * TILE) gemm_tile(Shape s, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, Epi epi) {
    __shared__ float ta[TILE][TILE + 1], tb[TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float acc = 0;
    for (int k0 = 0; k0 < s.k; k0 += TILE) {
        ta[threadIdx.y][threadIdx.x] = row < s.m && k0 + threadIdx.x < s.k ? a[row * s.lda + k0 + threadIdx.x] : 0.f;
        tb[threadIdx.y][threadIdx.x] = col < s.n && k0 + threadIdx.y < s.k ? b[(k0 + threadIdx.y) * s.ldb + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) acc += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (row < s.m && col < s.n) epi(c + row * s.ldc + col, acc, col);
}

// ------------------------------------------------------------------------------------------ 3: register tile, scalar guarded loads, strided thread mapping
template <int BM_, int BN_, int BK_, int TM_, int TN_>
struct Cfg {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
    static constexpr int TX = BN / TN, TY = BM / TM, THREADS = TX * TY;
    static_assert(BM * BK % THREADS == 0 && BN * BK % THREADS == 0, "whole loads");
};

enum class BLayout { KN, NK };

template <class C, BLayout L, class Epi>
__global__ void __launch_bounds__(C::THREADS) gemm_reg(Shape s, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, Epi epi,
                                                       int k_per_split) {
    __shared__ float sa[C::BK][C::BM + 1];
    __shared__ float sb[C::BK][C::BN + (L == BLayout::NK ? 1 : 0)];
    const int tid = threadIdx.x, tx = tid % C::TX, ty = tid / C::TX;
    const int row0 = blockIdx.y * C::BM, col0 = blockIdx.x * C::BN;
    const int kb = blockIdx.z * k_per_split, ke = min(s.k, kb + k_per_split);
    float acc[C::TM][C::TN] = {};
    for (int k0 = kb; k0 < ke; k0 += C::BK) {
#pragma unroll
        for (int i = 0; i < C::BM * C::BK / C::THREADS; ++i) {
            int q = tid + i * C::THREADS, r = q / C::BK, k = q % C::BK;
            sa[k][r] = row0 + r < s.m && k0 + k < ke ? a[(row0 + r) * s.lda + k0 + k] : 0.f;
        }
#pragma unroll
        for (int i = 0; i < C::BN * C::BK / C::THREADS; ++i) {
            int q = tid + i * C::THREADS;
            if constexpr (L == BLayout::KN) {
                int k = q / C::BN, n = q % C::BN;
                sb[k][n] = col0 + n < s.n && k0 + k < ke ? b[(k0 + k) * s.ldb + col0 + n] : 0.f;
            } else {
                int n = q / C::BK, k = q % C::BK;
                sb[k][n] = col0 + n < s.n && k0 + k < ke ? b[(col0 + n) * s.ldb + k0 + k] : 0.f;
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < C::BK; ++k) {
            float fa[C::TM], fb[C::TN];
#pragma unroll
            for (int i = 0; i < C::TM; ++i) fa[i] = sa[k][ty + i * C::TY];
#pragma unroll
            for (int j = 0; j < C::TN; ++j) fb[j] = sb[k][tx + j * C::TX];
#pragma unroll
            for (int i = 0; i < C::TM; ++i)
#pragma unroll
                for (int j = 0; j < C::TN; ++j) acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < C::TM; ++i) {
        const int r = row0 + ty + i * C::TY;
        if (r >= s.m) break;
#pragma unroll
        for (int j = 0; j < C::TN; ++j) {
            const int n = col0 + tx + j * C::TX;
            if (n < s.n) epi(c + r * s.ldc + n, acc[i][j], n);
        }
    }
}

// ------------------------------------------------------------------------------------------ 4: warp tiles, float4 from padded pitches, register double buffering
template <int BM, int BN, int BK, int WM, int WN>
struct WarpCfg {
    static constexpr int bm = BM, bn = BN, bk = BK, wm = WM, wn = WN;
    static constexpr int warps_m = BM / WM, warps_n = BN / WN, threads = 32 * warps_m * warps_n;
    static constexpr int mi = WM / 32, ni = WN / 16;         // 8 x 4 lanes, 4 x 4 results each
    static constexpr int va = BM * BK / 4 / threads, vb = BK * BN / 4 / threads;
    static_assert(va * threads * 4 == BM * BK && vb * threads * 4 == BK * BN);
};

template <class W, class Epi>
__global__ void __launch_bounds__(W::threads) gemm_warptile(Shape s, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, Epi epi) {
    __shared__ __align__(16) float sa[2][W::bk][W::bm + 4];
    __shared__ __align__(16) float sb[2][W::bk][W::bn];
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    const int wr = warp / W::warps_n * W::wm, wc = warp % W::warps_n * W::wn;
    const int lr = lane / 4 * 4, lc = lane % 4 * 4;
    const int row0 = blockIdx.y * W::bm, col0 = blockIdx.x * W::bn;
    float4 pa[W::va], pb[W::vb];

    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < W::va; ++i) {
            int q = tid + i * W::threads, r = row0 + q / (W::bk / 4), k = k0 + q % (W::bk / 4) * 4;
            pa[i] = r < s.m && k < s.lda ? *reinterpret_cast<const float4*>(a + r * s.lda + k) : float4{};
        }
#pragma unroll
        for (int i = 0; i < W::vb; ++i) {
            int q = tid + i * W::threads, k = k0 + q / (W::bn / 4), n = col0 + q % (W::bn / 4) * 4;
            pb[i] = k < s.k && n < s.ldb ? *reinterpret_cast<const float4*>(b + k * s.ldb + n) : float4{};
        }
    };
    auto put = [&](int buf) {
#pragma unroll
        for (int i = 0; i < W::va; ++i) {
            int q = tid + i * W::threads, r = q / (W::bk / 4), k = q % (W::bk / 4) * 4;
            sa[buf][k][r] = pa[i].x; sa[buf][k + 1][r] = pa[i].y; sa[buf][k + 2][r] = pa[i].z; sa[buf][k + 3][r] = pa[i].w;
        }
#pragma unroll
        for (int i = 0; i < W::vb; ++i) {
            int q = tid + i * W::threads;
            *reinterpret_cast<float4*>(&sb[buf][q / (W::bn / 4)][q % (W::bn / 4) * 4]) = pb[i];
        }
    };

    float acc[W::mi * 4][W::ni * 4] = {};
    fetch(0);
    put(0);
    __syncthreads();
    int buf = 0;
    for (int k0 = 0; k0 < s.k; k0 += W::bk, buf ^= 1) {
        const bool more = k0 + W::bk < s.k;
        if (more) fetch(k0 + W::bk);
#pragma unroll
        for (int k = 0; k < W::bk; ++k) {
            float fa[W::mi * 4], fb[W::ni * 4];
#pragma unroll
            for (int i = 0; i < W::mi; ++i) *reinterpret_cast<float4*>(fa + 4 * i) = *reinterpret_cast<const float4*>(&sa[buf][k][wr + 32 * i + lr]);
#pragma unroll
            for (int j = 0; j < W::ni; ++j) *reinterpret_cast<float4*>(fb + 4 * j) = *reinterpret_cast<const float4*>(&sb[buf][k][wc + 16 * j + lc]);
#pragma unroll
            for (int i = 0; i < W::mi * 4; ++i)
#pragma unroll
                for (int j = 0; j < W::ni * 4; ++j) acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
        }
        if (more) put(buf ^ 1);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < W::mi * 4; ++i) {
        const int r = row0 + wr + (i / 4) * 32 + lr + i % 4;
#pragma unroll
        for (int j = 0; j < W::ni * 4; ++j) {
            const int n = col0 + wc + (j / 4) * 16 + lc + j % 4;
            if (r < s.m && n < s.n) epi(c + r * s.ldc + n, acc[i][j], n);
        }
    }
}

// ------------------------------------------------------------------------------------------ helpers for split K
__global__ void scale_matrix(float* c, int m, int n, int ldc, float beta) {
    for (int r = blockIdx.y; r < m; r += gridDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < n; x += gridDim.x * blockDim.x) c[r * ldc + x] *= beta;
}
template <int SPLITS>
__global__ void combine(const float* __restrict__ parts, float* __restrict__ c, int m, int n, int ldc, Axpby epi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    float v = 0;
#pragma unroll
    for (int z = 0; z < SPLITS; ++z) v += parts[std::size_t(z) * m * n + i];
    epi(c + i / n * ldc + i % n, v, i % n);
}
struct StorePart {          // each slice of the grid writes its own plane
    std::size_t plane;
    __device__ void operator()(float* c, float v, int) const { c[blockIdx.z * plane] = v; }
};

// ------------------------------------------------------------------------------------------ driver
constexpr unsigned up(int a, int b) { return unsigned((a + b - 1) / b); }

int main() try {
    constexpr int M = 1000, N = 777, K = 515;
    std::mt19937 rng(4711);
    std::uniform_real_distribution<float> uni(-1.f, 1.f);
    auto fill = [&](std::size_t n) { std::vector<float> v(n); for (auto& x : v) x = uni(rng); return v; };
    const auto ha = fill(M * K), hb = fill(K * N), hc = fill(M * N), hbias = fill(N);
    std::vector<float> hbt(N * K);
    for (int k = 0; k < K; ++k) for (int n = 0; n < N; ++n) hbt[n * K + k] = hb[k * N + n];

    std::vector<double> prod(std::size_t(M) * N, 0.0);       // the whole product on the host, once
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k) {
            const double x = ha[i * K + k];
            for (int j = 0; j < N; ++j) prod[std::size_t(i) * N + j] += x * hb[k * N + j];
        }

    DeviceMatrix a(M, K), b(K, N), c(M, N), bt(N, K), bias(1, N), ap(M, K, 4), bp(K, N, 4), cp(M, N, 4);
    a = ha; b = hb; bt = hbt; bias = hbias; ap = ha; bp = hb;
    const Shape tight{M, N, K, a.ld(), b.ld(), c.ld()}, padded{M, N, K, ap.ld(), bp.ld(), cp.ld()}, trans{M, N, K, a.ld(), bt.ld(), c.ld()};

    int failed = 0;
    auto run = [&](const char* name, DeviceMatrix& out, auto&& launch, auto&& want) {
        out = hc;
        launch();
        cudaGetLastError() || name;
        const auto got = out.host();
        double worst = 0;
        for (int i = 0; i < M * N; ++i) {
            double d = std::fabs(want(prod[i], hc[i], i % N) - got[i]);
            if (!(d <= worst)) worst = d;
        }
        const bool ok = worst < 1e-3;
        failed += !ok;
        std::cout << (ok ? "PASS " : "FAIL ") << name << "  (max error " << worst << ")\n";
    };
    auto plain = [](double p, float, int) { return p; };
    const Axpby ab{1.25f, 0.5f};
    auto axpby = [&](double p, float c0, int) { return double(ab.alpha) * p + double(ab.beta) * c0; };
    auto relu = [&](double p, float, int j) { return std::fmax(p + hbias[j], 0.0); };

    run("guarded, one a thread", c, [&] { gemm_guarded<<<dim3(up(N, 32), up(M, 4)), dim3(32, 4)>>>(tight, a.data(), b.data(), c.data(), ab); }, axpby);
    run("tile 16", c, [&] { gemm_tile<16><<<dim3(up(N, 16), up(M, 16)), dim3(16, 16)>>>(tight, a.data(), b.data(), c.data(), Assign{}); }, plain);
    run("tile 32", c, [&] { gemm_tile<32><<<dim3(up(N, 32), up(M, 32)), dim3(32, 32)>>>(tight, a.data(), b.data(), c.data(), BiasRelu{bias.data()}); }, relu);

    using Small = Cfg<64, 64, 16, 4, 4>;
    using Large = Cfg<128, 64, 8, 8, 8>;
    run("registers 4x4", c, [&] {
        gemm_reg<Small, BLayout::KN><<<dim3(up(N, Small::BN), up(M, Small::BM)), Small::THREADS>>>(tight, a.data(), b.data(), c.data(), ab, K); }, axpby);
    run("registers 8x8", c, [&] {
        gemm_reg<Large, BLayout::KN><<<dim3(up(N, Large::BN), up(M, Large::BM)), Large::THREADS>>>(tight, a.data(), b.data(), c.data(), Axpby{1.f, 0.f}, K); }, plain);
    run("registers 4x4, B transposed", c, [&] {
        gemm_reg<Small, BLayout::NK><<<dim3(up(N, Small::BN), up(M, Small::BM)), Small::THREADS>>>(trans, a.data(), bt.data(), c.data(), BiasRelu{bias.data()}, K); }, relu);

    using W1 = WarpCfg<128, 64, 16, 32, 32>;
    using W2 = WarpCfg<128, 128, 8, 64, 32>;
    run("warp tiles 32x32", cp, [&] {
        gemm_warptile<W1><<<dim3(up(N, W1::bn), up(M, W1::bm)), W1::threads>>>(padded, ap.data(), bp.data(), cp.data(), ab); }, axpby);
    run("warp tiles 64x32", cp, [&] {
        gemm_warptile<W2><<<dim3(up(N, W2::bn), up(M, W2::bm)), W2::threads>>>(padded, ap.data(), bp.data(), cp.data(), Assign{}); }, plain);

    run("split K, atomics", c, [&] {
        scale_matrix<<<dim3(1, 250), 256>>>(c.data(), M, N, c.ld(), ab.beta);
        gemm_reg<Small, BLayout::KN><<<dim3(up(N, 64), up(M, 64), 4), Small::THREADS>>>(tight, a.data(), b.data(), c.data(), Accumulate{ab.alpha}, 144); }, axpby);
    DeviceMatrix parts(3 * M, N);
    run("split K, workspace", c, [&] {
        gemm_reg<Small, BLayout::KN><<<dim3(up(N, 64), up(M, 64), 3), Small::THREADS>>>(tight, a.data(), b.data(), parts.data(), StorePart{std::size_t(M) * N}, 176);
        combine<3><<<up(M * N, 256), 256>>>(parts.data(), c.data(), M, N, c.ld(), ab); }, axpby);

    std::cout << (failed ? "some products were wrong\n" : "all products right\n");
    return failed;
} catch (const std::exception& e) {
    std::cerr << "stopped: " << e.what() << '\n';
    return 1;
}
