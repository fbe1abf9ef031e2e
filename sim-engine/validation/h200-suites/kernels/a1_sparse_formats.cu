// Sparse linear algebra over several storage formats: CSR (scalar / vector / adaptive),
// ELL + COO tail, COO with atomics and with warp segmented sums, SELL-C-sigma, SpMM, SDDMM,
// row softmax and transposed SpMV.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(expr)                                                              \
    do {                                                                              \
        cudaError_t err__ = (expr);                                                   \
        if (err__ != cudaSuccess) {                                                   \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err__)); \
            std::exit(1);                                                             \
        }                                                                             \
    } while (0)

template <typename T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(size_t n) : n_(n) { CUDA_CHECK(cudaMalloc(&p_, n * sizeof(T))); }
    explicit DeviceBuffer(const std::vector<T>& h) : DeviceBuffer(h.size()) { upload(h); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() { cudaFree(p_); }
    void upload(const std::vector<T>& h) {
        CUDA_CHECK(cudaMemcpy(p_, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> download() const {
        std::vector<T> h(n_);
        CUDA_CHECK(cudaMemcpy(h.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
    void zero() { CUDA_CHECK(cudaMemset(p_, 0, n_ * sizeof(T))); }
    T* get() { return p_; }
    const T* get() const { return p_; }

private:
    T* p_ = nullptr;
    size_t n_ = 0;
};

// ------------------------------------------------------------------ semirings and functors
struct PlusTimes {
    template <typename T> __host__ __device__ static T zero() { return T(0); }
    template <typename T> __host__ __device__ static T mac(T acc, T a, T x) { return acc + a * x; }
    template <typename T> __host__ __device__ static T add(T a, T b) { return a + b; }
};

struct MaxPlus {
    template <typename T> __host__ __device__ static T zero() { return T(-1e30); }
    template <typename T> __host__ __device__ static T mac(T acc, T a, T x) { return acc > a + x ? acc : a + x; }
    template <typename T> __host__ __device__ static T add(T a, T b) { return a > b ? a : b; }
};

struct SquareOp {
    __device__ float operator()(float v) const { return v * v; }
};

template <int Width, typename Semiring, typename T>
__device__ __forceinline__ T tile_reduce(T v) {
#pragma unroll
    for (int o = Width / 2; o > 0; o >>= 1) v = Semiring::add(v, __shfl_down_sync(0xffffffffu, v, o, Width));
    return v;
}

// ------------------------------------------------------------------ CSR SpMV
template <typename Semiring, typename T>
__global__ void csr_spmv_scalar(int n, const int* __restrict__ row_ptr, const int* __restrict__ cols,
                                const T* __restrict__ vals, const T* __restrict__ x, T* __restrict__ y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    T acc = Semiring::template zero<T>();
    int end = row_ptr[row + 1];
    for (int j = row_ptr[row]; j < end; ++j) acc = Semiring::mac(acc, vals[j], __ldg(&x[cols[j]]));
    y[row] = acc;
}

template <int TPR, typename Semiring, typename T>
__global__ void csr_spmv_vector(int n, const int* __restrict__ row_ptr, const int* __restrict__ cols,
                                const T* __restrict__ vals, const T* __restrict__ x, T* __restrict__ y) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int row = gid / TPR;
    int lane = gid % TPR;
    T acc = Semiring::template zero<T>();
    if (row < n) {
        int beg = __ldg(&row_ptr[row]);
        int end = __ldg(&row_ptr[row + 1]);
        for (int j = beg + lane; j < end; j += TPR) acc = Semiring::mac(acc, vals[j], __ldg(&x[cols[j]]));
    }
    acc = tile_reduce<TPR, Semiring>(acc);
    if (lane == 0 && row < n) y[row] = acc;
}

// A block takes a run of rows whose nonzeros fit in shared memory, or one long row.
template <int BLOCK, int CHUNK>
__global__ __launch_bounds__(BLOCK) void csr_spmv_adaptive(const int* __restrict__ row_blocks,
                                                           const int* __restrict__ row_ptr,
                                                           const int* __restrict__ cols,
                                                           const float* __restrict__ vals,
                                                           const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float prod[CHUNK];
    __shared__ float warp_sum[BLOCK / 32];
    int r0 = row_blocks[blockIdx.x];
    int r1 = row_blocks[blockIdx.x + 1];
    int nz0 = row_ptr[r0];
    int nz1 = row_ptr[r1];
    if (r1 - r0 > 1 || nz1 - nz0 <= CHUNK) {
        for (int j = nz0 + threadIdx.x; j < nz1; j += BLOCK) prod[j - nz0] = vals[j] * __ldg(&x[cols[j]]);
        __syncthreads();
        for (int r = r0 + threadIdx.x; r < r1; r += BLOCK) {
            float acc = 0.f;
            int e = row_ptr[r + 1] - nz0;
            for (int k = row_ptr[r] - nz0; k < e; ++k) acc += prod[k];
            y[r] = acc;
        }
    } else {
        float acc = 0.f;
        for (int j = nz0 + threadIdx.x; j < nz1; j += BLOCK) acc += vals[j] * __ldg(&x[cols[j]]);
        acc = tile_reduce<32, PlusTimes>(acc);
        if ((threadIdx.x & 31) == 0) warp_sum[threadIdx.x >> 5] = acc;
        __syncthreads();
        if (threadIdx.x < 32) {
            acc = threadIdx.x < BLOCK / 32 ? warp_sum[threadIdx.x] : 0.f;
            acc = tile_reduce<32, PlusTimes>(acc);
            if (threadIdx.x == 0) y[r0] = acc;
        }
    }
}

// ------------------------------------------------------------------ ELL, COO, SELL
__global__ void ell_spmv(int n, int width, const int* __restrict__ cols, const float* __restrict__ vals,
                         const float* __restrict__ x, float* __restrict__ y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float acc = 0.f;
    for (int k = 0; k < width; ++k) {
        int c = cols[(size_t)k * n + row];
        if (c < 0) break;
        acc = fmaf(vals[(size_t)k * n + row], __ldg(&x[c]), acc);
    }
    y[row] = acc;
}

__global__ void coo_spmv_atomic(int nnz, const int* __restrict__ rows, const int* __restrict__ cols,
                                const float* __restrict__ vals, const float* __restrict__ x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) atomicAdd(&y[rows[i]], vals[i] * x[cols[i]]);
}

template <int ITEMS>
__global__ void coo_spmv_segmented(int nnz, const int* __restrict__ rows, const int* __restrict__ cols,
                                   const float* __restrict__ vals, const float* __restrict__ x, float* y) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    int base = warp * 32 * ITEMS;
#pragma unroll
    for (int it = 0; it < ITEMS; ++it) {
        int i = base + it * 32 + lane;
        int row = -1;
        float v = 0.f;
        if (i < nnz) {
            row = rows[i];
            v = vals[i] * __ldg(&x[cols[i]]);
        }
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            int r2 = __shfl_up_sync(0xffffffffu, row, d);
            float v2 = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d && r2 == row) v += v2;
        }
        int next = __shfl_down_sync(0xffffffffu, row, 1);
        if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], v);
    }
}

template <int C>
__global__ void sell_spmv(int n_slices, int n, const int* __restrict__ slice_ptr, const int* __restrict__ cols,
                          const float* __restrict__ vals, const int* __restrict__ perm,
                          const float* __restrict__ x, float* __restrict__ y) {
    int slice = (blockIdx.x * blockDim.x + threadIdx.x) / C;
    int lane = threadIdx.x % C;
    if (slice >= n_slices) return;
    int beg = slice_ptr[slice];
    int end = slice_ptr[slice + 1];
    float acc = 0.f;
#pragma unroll 4
    for (int j = beg + lane; j < end; j += C) acc = fmaf(vals[j], __ldg(&x[cols[j]]), acc);
    int pos = slice * C + lane;
    if (pos < n) y[perm[pos]] = acc;
}

// ------------------------------------------------------------------ SpMM, SDDMM
// Warp per row, one dense column per lane; column indices are broadcast by shuffles.
__global__ void spmm_warp_row(int n, const int* __restrict__ row_ptr, const int* __restrict__ cols,
                              const float* __restrict__ vals, const float* __restrict__ B, float* __restrict__ C) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= n) return;
    int beg = row_ptr[row], end = row_ptr[row + 1];
    float acc = 0.f;
    for (int j0 = beg; j0 < end; j0 += 32) {
        int m = min(32, end - j0);
        int c = 0;
        float v = 0.f;
        if (lane < m) {
            c = cols[j0 + lane];
            v = vals[j0 + lane];
        }
        for (int k = 0; k < m; ++k) {
            int cc = __shfl_sync(0xffffffffu, c, k);
            float vv = __shfl_sync(0xffffffffu, v, k);
            acc = fmaf(vv, __ldg(&B[(size_t)cc * 32 + lane]), acc);
        }
    }
    C[(size_t)row * 32 + lane] = acc;
}

// Eight threads per row, each owning four of the 32 dense columns.
__global__ void spmm_vec4(int n, const int* __restrict__ row_ptr, const int* __restrict__ cols,
                          const float* __restrict__ vals, const float4* __restrict__ B, float4* __restrict__ C) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int row = gid >> 3;
    int q = gid & 7;
    if (row >= n) return;
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    int end = row_ptr[row + 1];
#pragma unroll 2
    for (int j = row_ptr[row]; j < end; ++j) {
        float v = __ldg(&vals[j]);
        float4 b = __ldg(&B[(size_t)__ldg(&cols[j]) * 8 + q]);
        acc.x = fmaf(v, b.x, acc.x);
        acc.y = fmaf(v, b.y, acc.y);
        acc.z = fmaf(v, b.z, acc.z);
        acc.w = fmaf(v, b.w, acc.w);
    }
    C[(size_t)row * 8 + q] = acc;
}

__global__ void sddmm_warp_row(int n, const int* __restrict__ row_ptr, const int* __restrict__ cols,
                               const float* __restrict__ vals, const float* __restrict__ U,
                               const float* __restrict__ V, float* __restrict__ out) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= n) return;
    float u = U[(size_t)row * 32 + lane];
    int end = row_ptr[row + 1];
    for (int j = row_ptr[row]; j < end; ++j) {
        float p = u * __ldg(&V[(size_t)cols[j] * 32 + lane]);
        p = tile_reduce<32, PlusTimes>(p);
        if (lane == 0) out[j] = vals[j] * p;
    }
}

__global__ void sddmm_nz8(int nnz, const int* __restrict__ rows, const int* __restrict__ cols,
                          const float* __restrict__ vals, const float4* __restrict__ U,
                          const float4* __restrict__ V, float* __restrict__ out) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int nz = gid >> 3;
    int q = gid & 7;
    float p = 0.f;
    if (nz < nnz) {
        float4 u = __ldg(&U[(size_t)rows[nz] * 8 + q]);
        float4 v = __ldg(&V[(size_t)cols[nz] * 8 + q]);
        p = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    p = tile_reduce<8, PlusTimes>(p);
    if (q == 0 && nz < nnz) out[nz] = vals[nz] * p;
}

// ------------------------------------------------------------------ row-wise kernels
__global__ void csr_row_softmax(int n, const int* __restrict__ row_ptr, const float* __restrict__ in,
                                float* __restrict__ out) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= n) return;
    int beg = row_ptr[row], end = row_ptr[row + 1];
    float m = -INFINITY;
    for (int j = beg + lane; j < end; j += 32) m = fmaxf(m, in[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.f;
    for (int j = beg + lane; j < end; j += 32) s += __expf(in[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    float inv = 1.f / s;
    for (int j = beg + lane; j < end; j += 32) out[j] = __expf(in[j] - m) * inv;
}

template <int TPR>
__global__ void csr_spmv_transposed(int n, const int* __restrict__ row_ptr, const int* __restrict__ cols,
                                    const float* __restrict__ vals, const float* __restrict__ x, float* y) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int row = gid / TPR;
    if (row >= n) return;
    float xr = x[row];
    int end = row_ptr[row + 1];
    for (int j = row_ptr[row] + gid % TPR; j < end; j += TPR) atomicAdd(&y[cols[j]], vals[j] * xr);
}

template <typename Op, int TPR>
__global__ void csr_row_reduce(int n, const int* __restrict__ row_ptr, const float* __restrict__ vals,
                               float* __restrict__ out, Op op) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int row = gid / TPR, lane = gid % TPR;
    float acc = 0.f;
    if (row < n)
        for (int j = row_ptr[row] + lane; j < row_ptr[row + 1]; j += TPR) acc += op(vals[j]);
    acc = tile_reduce<TPR, PlusTimes>(acc);
    if (lane == 0 && row < n) out[row] = sqrtf(acc);
}

// ------------------------------------------------------------------ host
static uint32_t hash32(uint32_t x) {
    x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return x;
}

static double max_rel(const std::vector<float>& a, const std::vector<double>& ref) {
    double worst = 0;
    for (size_t i = 0; i < ref.size(); ++i)
        worst = std::max(worst, std::fabs(a[i] - ref[i]) / (1.0 + std::fabs(ref[i])));
    return worst;
}

static bool report(const char* name, double err, double tol = 1e-3) {
    bool ok = err < tol;
    std::printf("%-26s err %.3e %s\n", name, err, ok ? "ok" : "FAIL");
    return ok;
}

static int ceil_div(long long a, int b) { return (int)((a + b - 1) / b); }

int main() {
    const int n = 120000, K = 32;
    std::vector<int> row_ptr(n + 1, 0);
    for (int i = 0; i < n; ++i) {
        int len = 6 + hash32(i) % 17;
        if (i % 1000 == 17) len = 200;
        if (i % 10007 == 5) len = 1500;
        row_ptr[i + 1] = row_ptr[i] + len;
    }
    const int nnz = row_ptr[n];
    std::vector<int> cols(nnz), rows(nnz);
    std::vector<float> vals(nnz), x(n), dense((size_t)n * K), dense2((size_t)n * K);
    for (int i = 0; i < n; ++i) {
        for (int j = row_ptr[i]; j < row_ptr[i + 1]; ++j) {
            uint32_t h = hash32(j * 2654435761u + 11);
            int c = (h & 1) ? (int)((h >> 1) % n) : std::min(n - 1, std::max(0, i + (int)((h >> 1) % 257) - 128));
            cols[j] = c;
            rows[j] = i;
            vals[j] = (float)(h >> 8 & 1023) / 1024.f - 0.5f;
        }
        std::sort(cols.begin() + row_ptr[i], cols.begin() + row_ptr[i + 1]);
    }
    for (int i = 0; i < n; ++i) x[i] = std::sin(0.001f * i);
    for (size_t i = 0; i < dense.size(); ++i) {
        dense[i] = (float)(i % 97) / 97.f - 0.5f;
        dense2[i] = (float)(i % 61) / 61.f - 0.5f;
    }

    // row blocks for the adaptive kernel
    constexpr int CHUNK = 1024, BLOCK = 256;
    std::vector<int> row_blocks{0};
    for (int i = 0, start = 0; i < n; ++i) {
        if (row_ptr[i + 1] - row_ptr[start] > CHUNK && i > start) {
            row_blocks.push_back(i);
            start = i;
        }
    }
    row_blocks.push_back(n);
    const int n_blocks = (int)row_blocks.size() - 1;

    // ELL with the overflow kept as COO
    const int W = 24;
    std::vector<int> ell_cols((size_t)n * W, -1), tail_rows, tail_cols;
    std::vector<float> ell_vals((size_t)n * W, 0.f), tail_vals;
    for (int i = 0; i < n; ++i)
        for (int j = row_ptr[i], k = 0; j < row_ptr[i + 1]; ++j, ++k) {
            if (k < W) {
                ell_cols[(size_t)k * n + i] = cols[j];
                ell_vals[(size_t)k * n + i] = vals[j];
            } else {
                tail_rows.push_back(i);
                tail_cols.push_back(cols[j]);
                tail_vals.push_back(vals[j]);
            }
        }

    // SELL-32-1024
    constexpr int C = 32, SIGMA = 1024;
    std::vector<int> perm(n);
    std::iota(perm.begin(), perm.end(), 0);
    for (int s = 0; s < n; s += SIGMA)
        std::stable_sort(perm.begin() + s, perm.begin() + std::min(n, s + SIGMA), [&](int a, int b) {
            return row_ptr[a + 1] - row_ptr[a] > row_ptr[b + 1] - row_ptr[b];
        });
    const int n_slices = ceil_div(n, C);
    std::vector<int> slice_ptr(n_slices + 1, 0);
    for (int s = 0; s < n_slices; ++s) {
        int w = 0;
        for (int p = s * C; p < std::min(n, s * C + C); ++p) w = std::max(w, row_ptr[perm[p] + 1] - row_ptr[perm[p]]);
        slice_ptr[s + 1] = slice_ptr[s] + w * C;
    }
    std::vector<int> sell_cols(slice_ptr[n_slices], 0);
    std::vector<float> sell_vals(slice_ptr[n_slices], 0.f);
    for (int p = 0; p < n; ++p) {
        int r = perm[p], base = slice_ptr[p / C] + p % C;
        for (int j = row_ptr[r], k = 0; j < row_ptr[r + 1]; ++j, ++k) {
            sell_cols[base + k * C] = cols[j];
            sell_vals[base + k * C] = vals[j];
        }
    }
    std::printf("n %d nnz %d row blocks %d tail %zu sell %zu\n", n, nnz, n_blocks, tail_rows.size(), sell_cols.size());

    DeviceBuffer<int> d_ptr(row_ptr), d_cols(cols), d_rows(rows), d_rb(row_blocks), d_ec(ell_cols), d_tr(tail_rows),
        d_tc(tail_cols), d_sp(slice_ptr), d_sc(sell_cols), d_perm(perm);
    DeviceBuffer<float> d_vals(vals), d_x(x), d_ev(ell_vals), d_tv(tail_vals), d_sv(sell_vals), d_B(dense), d_U(dense2);
    DeviceBuffer<float> d_y(n), d_C((size_t)n * K), d_nz(nnz);

    // references
    std::vector<double> ref(n, 0.0), ref_t(n, 0.0), ref_mp(n), ref_norm(n);
    for (int i = 0; i < n; ++i) {
        double a = 0, mx = -1e30, nr = 0;
        for (int j = row_ptr[i]; j < row_ptr[i + 1]; ++j) {
            a += (double)vals[j] * x[cols[j]];
            mx = std::max(mx, (double)(vals[j] + x[cols[j]]));
            nr += (double)vals[j] * vals[j];
            ref_t[cols[j]] += (double)vals[j] * x[i];
        }
        ref[i] = a;
        ref_mp[i] = mx;
        ref_norm[i] = std::sqrt(nr);
    }
    bool ok = true;

    csr_spmv_scalar<PlusTimes><<<ceil_div(n, 256), 256>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("csr scalar", max_rel(d_y.download(), ref));

    csr_spmv_scalar<MaxPlus><<<ceil_div(n, 128), 128>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("csr scalar maxplus", max_rel(d_y.download(), ref_mp));

    csr_spmv_vector<8, PlusTimes><<<ceil_div((long long)n * 8, 256), 256>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("csr vector 8", max_rel(d_y.download(), ref));

    csr_spmv_vector<32, PlusTimes><<<ceil_div((long long)n * 32, 256), 256>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("csr vector 32", max_rel(d_y.download(), ref));

    csr_spmv_adaptive<BLOCK, CHUNK><<<n_blocks, BLOCK>>>(d_rb.get(), d_ptr.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("csr adaptive", max_rel(d_y.download(), ref));

    ell_spmv<<<ceil_div(n, 256), 256>>>(n, W, d_ec.get(), d_ev.get(), d_x.get(), d_y.get());
    coo_spmv_atomic<<<ceil_div(tail_rows.size(), 256), 256>>>((int)tail_rows.size(), d_tr.get(), d_tc.get(), d_tv.get(), d_x.get(), d_y.get());
    ok &= report("hyb (ell + coo tail)", max_rel(d_y.download(), ref));

    d_y.zero();
    coo_spmv_atomic<<<ceil_div(nnz, 256), 256>>>(nnz, d_rows.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("coo atomic", max_rel(d_y.download(), ref));

    d_y.zero();
    coo_spmv_segmented<4><<<ceil_div(nnz, 256 * 4), 256>>>(nnz, d_rows.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("coo segmented", max_rel(d_y.download(), ref));

    sell_spmv<C><<<ceil_div((long long)n_slices * C, 128), 128>>>(n_slices, n, d_sp.get(), d_sc.get(), d_sv.get(), d_perm.get(), d_x.get(), d_y.get());
    ok &= report("sell-32-1024", max_rel(d_y.download(), ref));

    auto check_spmm = [&](const char* name) {
        auto c = d_C.download();
        double worst = 0;
        for (int i = 0; i < n; i += 37)
            for (int k = 0; k < K; k += 5) {
                double a = 0;
                for (int j = row_ptr[i]; j < row_ptr[i + 1]; ++j) a += (double)vals[j] * dense[(size_t)cols[j] * K + k];
                worst = std::max(worst, std::fabs(a - c[(size_t)i * K + k]));
            }
        ok &= report(name, worst);
    };
    spmm_warp_row<<<ceil_div((long long)n * 32, 256), 256>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(), d_B.get(), d_C.get());
    check_spmm("spmm warp per row");
    spmm_vec4<<<ceil_div((long long)n * 8, 256), 256>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(),
                                                        reinterpret_cast<const float4*>(d_B.get()), reinterpret_cast<float4*>(d_C.get()));
    check_spmm("spmm float4");

    auto check_sddmm = [&](const char* name) {
        auto o = d_nz.download();
        double worst = 0;
        for (int j = 0; j < nnz; j += 101) {
            double a = 0;
            for (int k = 0; k < K; ++k) a += (double)dense2[(size_t)rows[j] * K + k] * dense[(size_t)cols[j] * K + k];
            worst = std::max(worst, std::fabs(a * vals[j] - o[j]));
        }
        ok &= report(name, worst);
    };
    sddmm_warp_row<<<ceil_div((long long)n * 32, 256), 256>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(), d_U.get(), d_B.get(), d_nz.get());
    check_sddmm("sddmm warp per row");
    sddmm_nz8<<<ceil_div((long long)nnz * 8, 256), 256>>>(nnz, d_rows.get(), d_cols.get(), d_vals.get(),
                                                          reinterpret_cast<const float4*>(d_U.get()), reinterpret_cast<const float4*>(d_B.get()), d_nz.get());
    check_sddmm("sddmm 8 lanes per nz");

    csr_row_softmax<<<ceil_div((long long)n * 32, 256), 256>>>(n, d_ptr.get(), d_vals.get(), d_nz.get());
    {
        auto o = d_nz.download();
        double worst = 0;
        for (int i = 0; i < n; i += 7) {
            double s = 0;
            for (int j = row_ptr[i]; j < row_ptr[i + 1]; ++j) s += o[j];
            worst = std::max(worst, std::fabs(s - 1.0));
        }
        ok &= report("row softmax", worst);
    }

    d_y.zero();
    csr_spmv_transposed<8><<<ceil_div((long long)n * 8, 256), 256>>>(n, d_ptr.get(), d_cols.get(), d_vals.get(), d_x.get(), d_y.get());
    ok &= report("csr transposed atomic", max_rel(d_y.download(), ref_t));

    csr_row_reduce<SquareOp, 4><<<ceil_div((long long)n * 4, 256), 256>>>(n, d_ptr.get(), d_vals.get(), d_y.get(), SquareOp{});
    ok &= report("csr row norm", max_rel(d_y.download(), ref_norm));

    CUDA_CHECK(cudaDeviceSynchronize());
    std::printf("%s\n", ok ? "PASS" : "FAIL");
    return 0;
}
