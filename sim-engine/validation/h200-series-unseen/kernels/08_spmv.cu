// Sparse matrix-vector product in several formats: CSR scalar / vector, ELL, SELL-C-sigma, merge-based CSR.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define SAFE_CALL(x)                                                                        \
    do {                                                                                    \
        auto rc__ = (x);                                                                    \
        if (rc__ != cudaSuccess) {                                                          \
            fprintf(stderr, "cuda failure %d (%s) at line %d\n", (int)rc__,                 \
                    cudaGetErrorString(rc__), __LINE__);                                    \
            abort();                                                                        \
        }                                                                                   \
    } while (0)

struct CsrView {
    int rows, cols, nnz;
    const int *__restrict__ row_ptr;
    const int *__restrict__ col_idx;
    const float *__restrict__ val;
};

struct EllView {
    int rows, width;
    const int *__restrict__ col;    // column-major [width][rows], -1 padding
    const float *__restrict__ val;
};

template <int C>
struct SellView {
    int rows, slices;
    const int *__restrict__ slice_ptr;
    const int *__restrict__ perm;
    const int *__restrict__ col;
    const float *__restrict__ val;
};

// ---------------------------------------------------------------- kernels
__global__ void spmv_csr_scalar(CsrView A, const float *__restrict__ x, float *__restrict__ y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= A.rows) return;
    float sum = 0.f;
    const int end = A.row_ptr[row + 1];
    for (int j = A.row_ptr[row]; j < end; ++j) sum += A.val[j] * x[A.col_idx[j]];
    y[row] = sum;
}

template <int TPR>  // threads per row
__global__ void __launch_bounds__(256) spmv_csr_vector(CsrView A, const float *__restrict__ x, float *__restrict__ y) {
    const int gid = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & (TPR - 1);
    const int groups = gridDim.x * blockDim.x / TPR;
    const int rounded = (A.rows + 31) / 32 * 32;  // keep whole warps in the loop for the shuffles
    for (int row = gid / TPR; row < rounded; row += groups) {
        float sum = 0.f;
        if (row < A.rows) {
            const int begin = __ldg(A.row_ptr + row), end = __ldg(A.row_ptr + row + 1);
            for (int j = begin + lane; j < end; j += TPR) sum = fmaf(A.val[j], __ldg(x + A.col_idx[j]), sum);
        }
#pragma unroll
        for (int off = TPR / 2; off > 0; off >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, off, TPR);
        if (lane == 0 && row < A.rows) y[row] = sum;
    }
}

__global__ void spmv_ell(EllView A, const float *__restrict__ x, float *__restrict__ y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= A.rows) return;
    float sum = 0.f;
    for (int k = 0; k < A.width; ++k) {
        const size_t i = (size_t)k * A.rows + row;
        const int c = A.col[i];
        if (c >= 0) sum += A.val[i] * x[c];
    }
    y[row] = sum;
}

template <int C>
__global__ void spmv_sell(SellView<C> A, const float *__restrict__ x, float *__restrict__ y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int slice = row / C, lane = row % C;
    if (slice >= A.slices) return;
    const int begin = A.slice_ptr[slice], end = A.slice_ptr[slice + 1];
    float sum = 0.f;
#pragma unroll 4
    for (int i = begin + lane; i < end; i += C) sum = fmaf(A.val[i], x[A.col[i]], sum);
    if (row < A.rows) y[A.perm[row]] = sum;
}

// ---- merge-based CSR (Merrill & Garland): each thread owns an equal share of rows + nonzeros.
__device__ __forceinline__ int2 merge_path_search(int diag, const int *__restrict__ row_end, int rows, int nnz) {
    int lo = max(diag - nnz, 0), hi = min(diag, rows);
    while (lo < hi) {
        const int mid = (lo + hi) >> 1;
        if (row_end[mid] <= diag - mid - 1)
            lo = mid + 1;
        else
            hi = mid;
    }
    return make_int2(lo, diag - lo);
}

template <int ITEMS>
__global__ void __launch_bounds__(128)
    spmv_merge(CsrView A, const float *__restrict__ x, float *__restrict__ y, int *__restrict__ carry_row,
               float *__restrict__ carry_val, int nthreads) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= nthreads) return;
    const int *row_end = A.row_ptr + 1;
    const int total = A.rows + A.nnz;
    const int d0 = min(t * ITEMS, total), d1 = min(d0 + ITEMS, total);
    int2 cur = merge_path_search(d0, row_end, A.rows, A.nnz);
    const int2 fin = merge_path_search(d1, row_end, A.rows, A.nnz);
    float sum = 0.f;
    for (; cur.x < fin.x; ++cur.x) {
        const int end = row_end[cur.x];
        for (; cur.y < end; ++cur.y) sum += A.val[cur.y] * x[A.col_idx[cur.y]];
        y[cur.x] = sum;
        sum = 0.f;
    }
    for (; cur.y < fin.y; ++cur.y) sum += A.val[cur.y] * x[A.col_idx[cur.y]];
    carry_row[t] = cur.x;
    carry_val[t] = sum;
}

__global__ void spmv_merge_fixup(const int *__restrict__ carry_row, const float *__restrict__ carry_val, int nthreads,
                                 int rows, float *__restrict__ y) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < nthreads) {
        const int r = carry_row[t];
        const float v = carry_val[t];
        if (r < rows && v != 0.f) atomicAdd(&y[r], v);
    }
}

// ---------------------------------------------------------------- host
template <typename T>
static T *to_device(const std::vector<T> &h) {
    T *d = nullptr;
    SAFE_CALL(cudaMalloc(&d, std::max<size_t>(h.size(), 1) * sizeof(T)));
    SAFE_CALL(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

struct HostCsr {
    int n = 0;
    std::vector<int> ptr, col;
    std::vector<float> val;
};

static HostCsr build_matrix(int n) {
    HostCsr m;
    m.n = n;
    m.ptr.reserve(n + 1);
    m.ptr.push_back(0);
    uint32_t s = 0xC0FFEEu;
    auto rnd = [&s]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int r = 0; r < n; ++r) {
        int len = 4 + rnd() % 25;
        if (rnd() % 48 == 0) len = 36 + rnd() % 29;  // a few long rows
        if (rnd() % 500 == 0) len = 0;               // and empty ones
        for (int k = 0; k < len; ++k) {
            int c;
            if ((rnd() >> 8) % 4 == 0)
                c = rnd() % n;
            else
                c = std::min(std::max(r - 256 + (int)(rnd() % 513), 0), n - 1);
            m.col.push_back(c);
            m.val.push_back((int)(rnd() % 2001 - 1000u) * 1e-3f);
        }
        std::sort(m.col.end() - len, m.col.end());
        m.ptr.push_back((int)m.col.size());
    }
    return m;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 160000;
    const HostCsr m = build_matrix(n);
    const int nnz = (int)m.col.size();
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i) x[i] = std::sin(0.001f * i) + 0.25f * ((i * 7) % 5 - 2);
    std::vector<double> ref(n, 0.0);
    for (int r = 0; r < n; ++r)
        for (int j = m.ptr[r]; j < m.ptr[r + 1]; ++j) ref[r] += (double)m.val[j] * x[m.col[j]];

    // ELL
    int width = 0;
    for (int r = 0; r < n; ++r) width = std::max(width, m.ptr[r + 1] - m.ptr[r]);
    std::vector<int> ell_col((size_t)width * n, -1);
    std::vector<float> ell_val((size_t)width * n, 0.f);
    for (int r = 0; r < n; ++r)
        for (int k = 0; k < m.ptr[r + 1] - m.ptr[r]; ++k) {
            ell_col[(size_t)k * n + r] = m.col[m.ptr[r] + k];
            ell_val[(size_t)k * n + r] = m.val[m.ptr[r] + k];
        }
    // SELL-32-2048
    constexpr int C = 32;
    const int sigma = 2048;
    std::vector<int> perm(n);
    std::iota(perm.begin(), perm.end(), 0);
    auto len = [&](int r) { return m.ptr[r + 1] - m.ptr[r]; };
    for (int b = 0; b < n; b += sigma)
        std::stable_sort(perm.begin() + b, perm.begin() + std::min(b + sigma, n), [&](int a, int c) { return len(a) > len(c); });
    const int slices = (n + C - 1) / C;
    std::vector<int> slice_ptr(slices + 1, 0);
    for (int s = 0; s < slices; ++s) {
        int w = 0;
        for (int i = s * C; i < std::min((s + 1) * C, n); ++i) w = std::max(w, len(perm[i]));
        slice_ptr[s + 1] = slice_ptr[s] + w * C;
    }
    std::vector<int> sell_col(slice_ptr.back(), 0);
    std::vector<float> sell_val(slice_ptr.back(), 0.f);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < len(perm[i]); ++k) {
            const int dst = slice_ptr[i / C] + k * C + i % C;
            sell_col[dst] = m.col[m.ptr[perm[i]] + k];
            sell_val[dst] = m.val[m.ptr[perm[i]] + k];
        }

    const float *d_x = to_device(x);
    float *d_y;
    SAFE_CALL(cudaMalloc(&d_y, n * sizeof(float)));
    CsrView csr{n, n, nnz, to_device(m.ptr), to_device(m.col), to_device(m.val)};
    EllView ell{n, width, to_device(ell_col), to_device(ell_val)};
    SellView<C> sell{n, slices, to_device(slice_ptr), to_device(perm), to_device(sell_col), to_device(sell_val)};

    bool pass = true;
    std::vector<float> y(n);
    printf("rows %d nnz %d ell width %d sell fill %.3f\n", n, nnz, width, (double)nnz / slice_ptr.back());
    auto begin = [&]() { SAFE_CALL(cudaMemset(d_y, 0xff, n * sizeof(float))); };
    auto finish = [&](const char *name) {
        SAFE_CALL(cudaGetLastError());
        SAFE_CALL(cudaDeviceSynchronize());
        SAFE_CALL(cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int i = 0; i < n; ++i)
            if (!(std::fabs(y[i] - ref[i]) <= 1e-4)) ++bad;
        printf("%-18s %s (%d bad)\n", name, bad ? "BAD" : "ok", bad);
        pass &= bad == 0;
    };

    begin();
    spmv_csr_scalar<<<(n + 255) / 256, 256>>>(csr, d_x, d_y);
    finish("csr_scalar");

    begin();
    spmv_csr_vector<8><<<(n * 8 + 255) / 256, 256>>>(csr, d_x, d_y);
    finish("csr_vector<8>");

    begin();
    spmv_ell<<<(n + 127) / 128, 128>>>(ell, d_x, d_y);
    finish("ell");

    begin();
    spmv_sell<C><<<(slices * C + 127) / 128, 128>>>(sell, d_x, d_y);
    finish("sell_c_sigma");

    constexpr int ITEMS = 12;
    const int mthreads = (n + nnz + ITEMS - 1) / ITEMS;
    int *d_crow;
    float *d_cval;
    SAFE_CALL(cudaMalloc(&d_crow, mthreads * sizeof(int)));
    SAFE_CALL(cudaMalloc(&d_cval, mthreads * sizeof(float)));
    begin();
    spmv_merge<ITEMS><<<(mthreads + 127) / 128, 128>>>(csr, d_x, d_y, d_crow, d_cval, mthreads);
    SAFE_CALL(cudaGetLastError());
    spmv_merge_fixup<<<(mthreads + 255) / 256, 256>>>(d_crow, d_cval, mthreads, n, d_y);
    finish("merge+fixup");

    for (const void *p : {(const void *)d_x, (const void *)d_y, (const void *)csr.row_ptr, (const void *)csr.col_idx,
                          (const void *)csr.val, (const void *)ell.col, (const void *)ell.val, (const void *)sell.slice_ptr,
                          (const void *)sell.perm, (const void *)sell.col, (const void *)sell.val, (const void *)d_crow,
                          (const void *)d_cval})
        SAFE_CALL(cudaFree(const_cast<void *>(p)));
    puts(pass ? "PASS" : "FAIL");
    return pass ? 0 : 1;
}
