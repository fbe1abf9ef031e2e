// Batched linear algebra for small matrices, templated on the size and on the work split
// (thread per matrix, sub-warp per matrix, warp per matrix, block per matrix).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

inline void gpu_assert(cudaError_t code, const char* file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}
#define GPU(x) gpu_assert((x), __FILE__, __LINE__)

// ---------------------------------------------------------------- matrix products
__global__ void matmul4x4_thread(const float4* __restrict__ A, const float4* __restrict__ B, float4* __restrict__ C, int batch) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= batch) return;
    float4 b[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) b[r] = B[4 * m + r];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        float4 a = A[4 * m + r];
        float4 c;
        c.x = a.x * b[0].x + a.y * b[1].x + a.z * b[2].x + a.w * b[3].x;
        c.y = a.x * b[0].y + a.y * b[1].y + a.z * b[2].y + a.w * b[3].y;
        c.z = a.x * b[0].z + a.y * b[1].z + a.z * b[2].z + a.w * b[3].z;
        c.w = a.x * b[0].w + a.y * b[1].w + a.z * b[2].w + a.w * b[3].w;
        C[4 * m + r] = c;
    }
}

// N lanes per matrix, each lane computes one row of the product.
template <int N, int THREADS>
__global__ __launch_bounds__(THREADS) void matmul_row_lanes(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int batch) {
    constexpr int MPB = THREADS / N;
    __shared__ float sA[MPB * N * N];
    __shared__ float sB[MPB * N * N];
    size_t base = (size_t)blockIdx.x * MPB * N * N;
    size_t total = (size_t)batch * N * N;
    for (int i = threadIdx.x; i < MPB * N * N; i += THREADS) {
        bool in = base + i < total;
        sA[i] = in ? A[base + i] : 0.f;
        sB[i] = in ? B[base + i] : 0.f;
    }
    __syncthreads();
    int m = threadIdx.x / N, r = threadIdx.x % N;
    float acc[N] = {};
#pragma unroll
    for (int k = 0; k < N; ++k) {
        float a = sA[m * N * N + r * N + k];
#pragma unroll
        for (int j = 0; j < N; ++j) acc[j] = fmaf(a, sB[m * N * N + k * N + j], acc[j]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < N; ++j) sA[m * N * N + r * N + j] = acc[j];
    __syncthreads();
    for (int i = threadIdx.x; i < MPB * N * N; i += THREADS)
        if (base + i < total) C[base + i] = sA[i];
}

// One block per matrix, N x ROWS threads, N / ROWS outputs per thread.
template <int N, int ROWS>
__global__ void matmul_block(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
    __shared__ float sA[N][N];
    __shared__ float sB[N][N];
    const float* a = A + (size_t)blockIdx.x * N * N;
    const float* b = B + (size_t)blockIdx.x * N * N;
    float* c = C + (size_t)blockIdx.x * N * N;
    int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
    for (int r = ty; r < N; r += ROWS) {
        sA[r][tx] = a[r * N + tx];
        sB[r][tx] = b[r * N + tx];
    }
    __syncthreads();
    float acc[N / ROWS] = {};
#pragma unroll
    for (int k = 0; k < N; ++k) {
        float bv = sB[k][tx];
#pragma unroll
        for (int i = 0; i < N / ROWS; ++i) acc[i] = fmaf(sA[ty + i * ROWS][k], bv, acc[i]);
    }
#pragma unroll
    for (int i = 0; i < N / ROWS; ++i) c[(ty + i * ROWS) * N + tx] = acc[i];
}

// ---------------------------------------------------------------- factorisations
// Thread per matrix, elements interleaved over the batch so that all accesses coalesce.
template <int N>
__global__ void lu_interleaved(float* A, int batch) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= batch) return;
    float a[N][N];
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) a[i][j] = A[(size_t)(i * N + j) * batch + id];
#pragma unroll
    for (int k = 0; k < N; ++k) {
        float inv = 1.f / a[k][k];
#pragma unroll
        for (int i = k + 1; i < N; ++i) {
            a[i][k] *= inv;
#pragma unroll
            for (int j = k + 1; j < N; ++j) a[i][j] -= a[i][k] * a[k][j];
        }
    }
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) A[(size_t)(i * N + j) * batch + id] = a[i][j];
}

// N lanes per matrix, lane owns a row; pivot search and row swaps by shuffles.
template <int N>
__global__ void lu_pivot_shuffle(float* A, int* piv, int batch) {
    static_assert(N <= 32 && (N & (N - 1)) == 0, "power of two");
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int m = gid / N, r = gid % N;
    bool valid = m < batch;
    float row[N];
#pragma unroll
    for (int j = 0; j < N; ++j) row[j] = valid ? A[(size_t)m * N * N + r * N + j] : (j == r ? 1.f : 0.f);
#pragma unroll
    for (int k = 0; k < N; ++k) {
        float best = r >= k ? fabsf(row[k]) : -1.f;
        int who = r;
#pragma unroll
        for (int o = N / 2; o > 0; o >>= 1) {
            float ob = __shfl_xor_sync(0xffffffffu, best, o, N);
            int ow = __shfl_xor_sync(0xffffffffu, who, o, N);
            if (ob > best || (ob == best && ow < who)) {
                best = ob;
                who = ow;
            }
        }
        int src = r == k ? who : (r == who ? k : r);
#pragma unroll
        for (int j = 0; j < N; ++j) row[j] = __shfl_sync(0xffffffffu, row[j], src, N);
        if (valid && r == 0) piv[m * N + k] = who;
        float f = row[k] / __shfl_sync(0xffffffffu, row[k], k, N);
#pragma unroll
        for (int j = k + 1; j < N; ++j) {
            float p = __shfl_sync(0xffffffffu, row[j], k, N);
            if (r > k) row[j] -= f * p;
        }
        if (r > k) row[k] = f;
    }
    if (valid)
#pragma unroll
        for (int j = 0; j < N; ++j) A[(size_t)m * N * N + r * N + j] = row[j];
}

template <int WARPS>
__global__ __launch_bounds__(WARPS * 32) void cholesky32_warp(const float* __restrict__ A, float* __restrict__ L, int batch) {
    __shared__ float s[WARPS][32][33];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    int m = blockIdx.x * WARPS + w;
    if (m >= batch) return;
    for (int r = 0; r < 32; ++r) s[w][r][lane] = A[(size_t)m * 1024 + r * 32 + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) {
        float d = sqrtf(s[w][k][k]);
        __syncwarp();
        if (lane == k) s[w][k][k] = d;
        if (lane > k) s[w][lane][k] /= d;
        __syncwarp();
        if (lane > k) {
            float l = s[w][lane][k];
            for (int j = k + 1; j <= lane; ++j) s[w][lane][j] -= l * s[w][j][k];
        }
        __syncwarp();
    }
    for (int r = 0; r < 32; ++r) L[(size_t)m * 1024 + r * 32 + lane] = lane <= r ? s[w][r][lane] : 0.f;
}

template <int N>
__global__ void qr_givens_thread(const float* __restrict__ A, float* __restrict__ Q, float* __restrict__ R, int batch) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= batch) return;
    float r[N][N], q[N][N];
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) {
            r[i][j] = A[(size_t)m * N * N + i * N + j];
            q[i][j] = i == j ? 1.f : 0.f;
        }
#pragma unroll
    for (int c = 0; c < N - 1; ++c)
#pragma unroll
        for (int i = N - 1; i > c; --i) {
            float x = r[i - 1][c], y = r[i][c];
            float h = rsqrtf(x * x + y * y + 1e-30f);
            float cs = x * h, sn = y * h;
#pragma unroll
            for (int j = 0; j < N; ++j) {
                float u = r[i - 1][j], v = r[i][j];
                r[i - 1][j] = cs * u + sn * v;
                r[i][j] = cs * v - sn * u;
                u = q[j][i - 1];
                v = q[j][i];
                q[j][i - 1] = cs * u + sn * v;
                q[j][i] = cs * v - sn * u;
            }
        }
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) {
            Q[(size_t)m * N * N + i * N + j] = q[i][j];
            R[(size_t)m * N * N + i * N + j] = j >= i ? r[i][j] : 0.f;
        }
}

// N lanes per matrix, lane owns a column.
template <int N>
__global__ void qr_householder_lanes(const float* __restrict__ A, float* __restrict__ R, int batch) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int m = gid / N, c = gid % N;
    bool valid = m < batch;
    float col[N];
#pragma unroll
    for (int i = 0; i < N; ++i) col[i] = valid ? A[(size_t)m * N * N + i * N + c] : 1.f;
#pragma unroll
    for (int k = 0; k < N - 1; ++k) {
        float v[N];
        float s = 0.f;
#pragma unroll
        for (int i = k; i < N; ++i) {
            v[i] = __shfl_sync(0xffffffffu, col[i], k, N);
            s = fmaf(v[i], v[i], s);
        }
        float alpha = -copysignf(sqrtf(s), v[k]);
        float vtv = 2.f * (s - alpha * v[k]);
        v[k] -= alpha;
        float beta = vtv > 0.f ? 2.f / vtv : 0.f;
        if (c >= k) {
            float dot = 0.f;
#pragma unroll
            for (int i = k; i < N; ++i) dot = fmaf(v[i], col[i], dot);
            dot *= beta;
#pragma unroll
            for (int i = k; i < N; ++i) col[i] = fmaf(-dot, v[i], col[i]);
        }
    }
    if (valid)
#pragma unroll
        for (int i = 0; i < N; ++i) R[(size_t)m * N * N + i * N + c] = i <= c ? col[i] : 0.f;
}

// ---------------------------------------------------------------- triangular solves
// One right-hand side: lane i keeps b[i], the solved entry is broadcast each step.
__global__ __launch_bounds__(128) void trsv32_warp(const float* __restrict__ L, const float* __restrict__ b, float* __restrict__ x, int batch) {
    __shared__ float s[4][32][33];
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int m = blockIdx.x * 4 + w;
    if (m >= batch) return;
#pragma unroll 8
    for (int r = 0; r < 32; ++r) s[w][r][lane] = L[(size_t)m * 1024 + r * 32 + lane];
    float v = b[(size_t)m * 32 + lane];
    __syncwarp();
#pragma unroll 4
    for (int k = 0; k < 32; ++k) {
        float xk = __shfl_sync(0xffffffffu, v, k) / s[w][k][k];
        if (lane == k) v = xk;
        else if (lane > k) v -= s[w][lane][k] * xk;
    }
    x[(size_t)m * 32 + lane] = v;
}

// 32 right-hand sides: a lane keeps a whole column of B in registers.
__global__ __launch_bounds__(128) void trsm32_lanes(const float* __restrict__ L, float* __restrict__ B, int batch) {
    __shared__ float s[4][32][32];
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int m = blockIdx.x * 4 + w;
    if (m >= batch) return;
    float col[32];
#pragma unroll
    for (int r = 0; r < 32; ++r) {
        s[w][r][lane] = L[(size_t)m * 1024 + r * 32 + lane];
        col[r] = B[(size_t)m * 1024 + r * 32 + lane];
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
        float acc = col[k];
#pragma unroll
        for (int j = 0; j < k; ++j) acc = fmaf(-s[w][k][j], col[j], acc);
        col[k] = acc / s[w][k][k];
    }
#pragma unroll
    for (int r = 0; r < 32; ++r) B[(size_t)m * 1024 + r * 32 + lane] = col[r];
}

// ---------------------------------------------------------------- inverses
__global__ void inverse4x4_cofactor(const float4* __restrict__ A, float4* __restrict__ out, int batch) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= batch) return;
    float4 a = A[4 * m], b = A[4 * m + 1], c = A[4 * m + 2], d = A[4 * m + 3];
    float s0 = a.x * b.y - b.x * a.y, s1 = a.x * b.z - b.x * a.z, s2 = a.x * b.w - b.x * a.w;
    float s3 = a.y * b.z - b.y * a.z, s4 = a.y * b.w - b.y * a.w, s5 = a.z * b.w - b.z * a.w;
    float c5 = c.z * d.w - d.z * c.w, c4 = c.y * d.w - d.y * c.w, c3 = c.y * d.z - d.y * c.z;
    float c2 = c.x * d.w - d.x * c.w, c1 = c.x * d.z - d.x * c.z, c0 = c.x * d.y - d.x * c.y;
    float inv = 1.f / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    out[4 * m] = make_float4((b.y * c5 - b.z * c4 + b.w * c3) * inv, (-a.y * c5 + a.z * c4 - a.w * c3) * inv,
                             (d.y * s5 - d.z * s4 + d.w * s3) * inv, (-c.y * s5 + c.z * s4 - c.w * s3) * inv);
    out[4 * m + 1] = make_float4((-b.x * c5 + b.z * c2 - b.w * c1) * inv, (a.x * c5 - a.z * c2 + a.w * c1) * inv,
                                 (-d.x * s5 + d.z * s2 - d.w * s1) * inv, (c.x * s5 - c.z * s2 + c.w * s1) * inv);
    out[4 * m + 2] = make_float4((b.x * c4 - b.y * c2 + b.w * c0) * inv, (-a.x * c4 + a.y * c2 - a.w * c0) * inv,
                                 (d.x * s4 - d.y * s2 + d.w * s0) * inv, (-c.x * s4 + c.y * s2 - c.w * s0) * inv);
    out[4 * m + 3] = make_float4((-b.x * c3 + b.y * c1 - b.z * c0) * inv, (a.x * c3 - a.y * c1 + a.z * c0) * inv,
                                 (-d.x * s3 + d.y * s1 - d.z * s0) * inv, (c.x * s3 - c.y * s1 + c.z * s0) * inv);
}

template <int N>
__global__ void inverse_gauss_jordan(const float* __restrict__ A, float* __restrict__ out) {
    __shared__ float s[N][2 * N + 1];
    int i = threadIdx.y, j = threadIdx.x;
    size_t at = (size_t)blockIdx.x * N * N + i * N + j;
    s[i][j] = A[at];
    s[i][N + j] = i == j ? 1.f : 0.f;
    __syncthreads();
    for (int k = 0; k < N; ++k) {
        float inv = 1.f / s[k][k];
        float f = s[i][k];
        float p0 = s[k][j] * inv, p1 = s[k][N + j] * inv;
        __syncthreads();
        if (i == k) {
            s[i][j] = p0;
            s[i][N + j] = p1;
        } else {
            s[i][j] -= f * p0;
            s[i][N + j] -= f * p1;
        }
        __syncthreads();
    }
    out[at] = s[i][N + j];
}

// ---------------------------------------------------------------- tridiagonal systems
// Interleaved layout: element i of system s is at [i * batch + s].
__global__ void tridiag_thomas(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c,
                               const float* __restrict__ d, float* __restrict__ cp, float* __restrict__ x, int n, int batch) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= batch) return;
    float cprev = c[s] / b[s];
    float dprev = d[s] / b[s];
    cp[s] = cprev;
    x[s] = dprev;
    for (int i = 1; i < n; ++i) {
        size_t k = (size_t)i * batch + s;
        float w = 1.f / (b[k] - a[k] * cprev);
        cprev = c[k] * w;
        dprev = (d[k] - a[k] * dprev) * w;
        cp[k] = cprev;
        x[k] = dprev;
    }
    float xn = dprev;
    for (int i = n - 2; i >= 0; --i) {
        size_t k = (size_t)i * batch + s;
        xn = x[k] - cp[k] * xn;
        x[k] = xn;
    }
}

// Contiguous layout: block per system of N unknowns, parallel cyclic reduction.
template <int N>
__global__ __launch_bounds__(N) void tridiag_pcr(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c,
                                                 const float* __restrict__ d, float* __restrict__ x) {
    __shared__ float sa[N], sb[N], sc[N], sd[N];
    int i = threadIdx.x;
    size_t g = (size_t)blockIdx.x * N + i;
    sa[i] = i > 0 ? a[g] : 0.f;
    sb[i] = b[g];
    sc[i] = i < N - 1 ? c[g] : 0.f;
    sd[i] = d[g];
    __syncthreads();
#pragma unroll
    for (int st = 1; st < N; st *= 2) {
        float na = 0.f, nb = sb[i], nc = 0.f, nd = sd[i];
        if (i >= st) {
            float k1 = sa[i] / sb[i - st];
            na = -sa[i - st] * k1;
            nb -= sc[i - st] * k1;
            nd -= sd[i - st] * k1;
        }
        if (i + st < N) {
            float k2 = sc[i] / sb[i + st];
            nc = -sc[i + st] * k2;
            nb -= sa[i + st] * k2;
            nd -= sd[i + st] * k2;
        }
        __syncthreads();
        sa[i] = na;
        sb[i] = nb;
        sc[i] = nc;
        sd[i] = nd;
        __syncthreads();
    }
    x[g] = sd[i] / sb[i];
}

// ---------------------------------------------------------------- eigenvalues
struct JacobiRotate {
    __device__ void operator()(float& app, float& aqq, float& apq, float& arp, float& arq) const {
        if (fabsf(apq) < 1e-12f) return;
        float theta = (aqq - app) / (2.f * apq);
        float t = copysignf(1.f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.f));
        float c = rsqrtf(t * t + 1.f), s = t * c;
        app -= t * apq;
        aqq += t * apq;
        apq = 0.f;
        float p = arp;
        arp = c * p - s * arq;
        arq = s * p + c * arq;
    }
};

// Symmetric 3x3 in six planes: xx yy zz xy xz yz.
template <typename Rotate, int SWEEPS>
__global__ void eigen3_jacobi(const float* __restrict__ A, float* __restrict__ ev, int batch, Rotate rot) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= batch) return;
    float xx = A[id], yy = A[batch + id], zz = A[2 * batch + id];
    float xy = A[3 * batch + id], xz = A[4 * batch + id], yz = A[5 * batch + id];
#pragma unroll
    for (int s = 0; s < SWEEPS; ++s) {
        rot(xx, yy, xy, xz, yz);
        rot(xx, zz, xz, xy, yz);
        rot(yy, zz, yz, xy, xz);
    }
    float lo = fminf(xx, fminf(yy, zz)), hi = fmaxf(xx, fmaxf(yy, zz));
    ev[id] = lo;
    ev[batch + id] = xx + yy + zz - lo - hi;
    ev[2 * batch + id] = hi;
}

// Warp per 32x32 matrix, row in registers, vector spread over the lanes.
__global__ void power_iteration32(const float* __restrict__ A, float* __restrict__ lambda, int batch, int iters) {
    int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (m >= batch) return;
    float row[32];
    const float4* src = reinterpret_cast<const float4*>(A + (size_t)m * 1024 + lane * 32);
#pragma unroll
    for (int q = 0; q < 8; ++q) {
        float4 v = src[q];
        row[4 * q] = v.x;
        row[4 * q + 1] = v.y;
        row[4 * q + 2] = v.z;
        row[4 * q + 3] = v.w;
    }
    float x = 1.f, norm = 1.f;
    for (int it = 0; it < iters; ++it) {
        float y = 0.f;
#pragma unroll
        for (int j = 0; j < 32; ++j) y = fmaf(row[j], __shfl_sync(0xffffffffu, x, j), y);
        float s = y * y;
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        norm = sqrtf(s);
        x = y / norm;
    }
    if (lane == 0) lambda[m] = norm;
}

// ---------------------------------------------------------------- host side
template <typename T>
struct Dev {
    T* p = nullptr;
    size_t n = 0;
    explicit Dev(size_t count) : n(count) { GPU(cudaMalloc(&p, n * sizeof(T))); }
    explicit Dev(const std::vector<T>& h) : Dev(h.size()) { GPU(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
    ~Dev() { cudaFree(p); }
    Dev(const Dev&) = delete;
    std::vector<T> host() const {
        std::vector<T> h(n);
        GPU(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
    operator T*() const { return p; }
    template <typename U> U* as() const { return reinterpret_cast<U*>(p); }
};

static int g_bad = 0;
static void show(const char* what, double err, double tol) {
    bool ok = err <= tol;
    printf("%-28s %.3e %s\n", what, err, ok ? "ok" : "FAIL");
    g_bad += !ok;
}
static float val(uint32_t i) {
    i = i * 747796405u + 2891336453u;
    i = ((i >> ((i >> 28) + 4)) ^ i) * 277803737u;
    return (float)((i >> 22) ^ i & 0xffff) / 65536.f - 0.5f;
}

// |L*U-style product - reference| over a few matrices
template <int N>
static double product_error(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c, int batch) {
    double e = 0;
    for (int m = 0; m < batch; m += batch / 50)
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
                double s = 0;
                for (int k = 0; k < N; ++k) s += (double)a[(size_t)m * N * N + i * N + k] * b[(size_t)m * N * N + k * N + j];
                e = fmax(e, fabs(s - c[(size_t)m * N * N + i * N + j]));
            }
    return e;
}

static std::vector<float> dominant(int n, int batch, float diag) {
    std::vector<float> a((size_t)n * n * batch);
    for (size_t i = 0; i < a.size(); ++i) a[i] = val((uint32_t)i);
    for (int m = 0; m < batch; ++m)
        for (int i = 0; i < n; ++i) a[(size_t)m * n * n + i * n + i] += diag;
    return a;
}

int main() {
    const int T = 128;
    // ---- 4x4
    {
        const int batch = 200000;
        auto a = dominant(4, batch, 3.f), b = dominant(4, batch, 0.f);
        Dev<float> da(a), db(b), dc(a.size()), dq(a.size());
        matmul4x4_thread<<<(batch + T - 1) / T, T>>>(da.as<float4>(), db.as<float4>(), dc.as<float4>(), batch);
        show("matmul 4x4", product_error<4>(a, b, dc.host(), batch), 1e-4);
        inverse4x4_cofactor<<<(batch + 255) / 256, 256>>>(da.as<float4>(), dc.as<float4>(), batch);
        std::vector<float> eye(a.size(), 0.f);
        for (size_t i = 0; i < eye.size(); ++i) eye[i] = (i % 16) % 5 == 0;
        show("inverse 4x4", product_error<4>(a, dc.host(), eye, batch), 1e-3);
        qr_givens_thread<4><<<(batch + T - 1) / T, T>>>(da, dq, dc, batch);
        show("qr givens 4x4", product_error<4>(dq.host(), dc.host(), a, batch), 1e-3);
    }
    // ---- 8x8
    {
        const int batch = 50000;
        auto a = dominant(8, batch, 0.f), b = dominant(8, batch, 1.f);
        Dev<float> da(a), db(b), dc(a.size());
        matmul_row_lanes<8, 256><<<(batch + 31) / 32, 256>>>(da, db, dc, batch);
        show("matmul 8x8", product_error<8>(a, b, dc.host(), batch), 1e-4);

        std::vector<float> inter(a.size());
        for (size_t i = 0; i < inter.size(); ++i) inter[i] = val((uint32_t)i) + ((i / batch) % 9 == 0 ? 6.f : 0.f);
        Dev<float> dl(inter);
        lu_interleaved<8><<<(batch + T - 1) / T, T>>>(dl, batch);
        auto lu = dl.host();
        double e = 0;
        for (int m = 0; m < batch; m += 997)
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) {
                    double s = 0;
                    for (int k = 0; k <= std::min(i, j); ++k)
                        s += (k == i ? 1.0 : lu[(size_t)(i * 8 + k) * batch + m]) * lu[(size_t)(k * 8 + j) * batch + m];
                    e = fmax(e, fabs(s - inter[(size_t)(i * 8 + j) * batch + m]));
                }
        show("lu 8x8 interleaved", e, 1e-4);
    }
    // ---- 16x16
    {
        const int batch = 12000;
        auto a = dominant(16, batch, 0.f), b = dominant(16, batch, 9.f);
        Dev<float> da(a), db(b), dc(a.size());
        Dev<int> dp((size_t)batch * 16);
        matmul_block<16, 16><<<batch, dim3(16, 16)>>>(da, db, dc);
        show("matmul 16x16", product_error<16>(a, b, dc.host(), batch), 1e-3);
        inverse_gauss_jordan<16><<<batch, dim3(16, 16)>>>(db, dc);
        std::vector<float> eye(a.size(), 0.f);
        for (size_t i = 0; i < eye.size(); ++i) eye[i] = (i % 256) % 17 == 0;
        show("gauss-jordan 16x16", product_error<16>(b, dc.host(), eye, batch), 1e-3);

        qr_householder_lanes<16><<<(batch * 16 + T - 1) / T, T>>>(db, dc, batch);
        auto r = dc.host();
        double e = 0;
        for (int m = 0; m < batch; m += 301)
            for (int i = 0; i < 16; ++i)
                for (int j = 0; j < 16; ++j) {
                    double s = 0, t = 0;
                    for (int k = 0; k < 16; ++k) {
                        s += (double)r[m * 256 + k * 16 + i] * r[m * 256 + k * 16 + j];
                        t += (double)b[m * 256 + k * 16 + i] * b[m * 256 + k * 16 + j];
                    }
                    e = fmax(e, fabs(s - t) / (1 + fabs(t)));
                }
        show("qr householder 16x16", e, 1e-3);

        lu_pivot_shuffle<16><<<(batch * 16 + T - 1) / T, T>>>(da, dp, batch);
        auto lu = da.host();
        auto piv = dp.host();
        e = 0;
        for (int m = 0; m < batch; m += 301) {
            std::vector<float> pa(a.begin() + m * 256, a.begin() + (m + 1) * 256);
            for (int k = 0; k < 16; ++k)
                for (int j = 0; j < 16; ++j) std::swap(pa[k * 16 + j], pa[piv[m * 16 + k] * 16 + j]);
            for (int i = 0; i < 16; ++i)
                for (int j = 0; j < 16; ++j) {
                    double s = 0;
                    for (int k = 0; k <= std::min(i, j); ++k) s += (k == i ? 1.0 : lu[m * 256 + i * 16 + k]) * lu[m * 256 + k * 16 + j];
                    e = fmax(e, fabs(s - pa[i * 16 + j]));
                }
        }
        show("lu pivot 16x16", e, 1e-3);
    }
    // ---- 32x32
    {
        const int batch = 4000;
        auto a = dominant(32, batch, 20.f), b = dominant(32, batch, 0.f);
        for (int m = 0; m < batch; ++m)
            for (int i = 0; i < 32; ++i)
                for (int j = 0; j < i; ++j) a[(size_t)m * 1024 + j * 32 + i] = a[(size_t)m * 1024 + i * 32 + j];
        Dev<float> da(a), db(b), dl(a.size()), dc(a.size()), dx((size_t)batch * 32), dy((size_t)batch * 32), dev(batch);
        matmul_block<32, 8><<<batch, dim3(32, 8)>>>(da, db, dc);
        show("matmul 32x32", product_error<32>(a, b, dc.host(), batch), 1e-3);

        cholesky32_warp<4><<<(batch + 3) / 4, 128>>>(da, dl, batch);
        auto l = dl.host();
        double e = 0;
        for (int m = 0; m < batch; m += 199)
            for (int i = 0; i < 32; ++i)
                for (int j = 0; j <= i; ++j) {
                    double s = 0;
                    for (int k = 0; k <= j; ++k) s += (double)l[(size_t)m * 1024 + i * 32 + k] * l[(size_t)m * 1024 + j * 32 + k];
                    e = fmax(e, fabs(s - a[(size_t)m * 1024 + i * 32 + j]));
                }
        show("cholesky 32x32", e, 1e-3);

        std::vector<float> rhs((size_t)batch * 32);
        for (size_t i = 0; i < rhs.size(); ++i) rhs[i] = (float)(i % 19) - 9.f;
        GPU(cudaMemcpy(dx, rhs.data(), rhs.size() * sizeof(float), cudaMemcpyHostToDevice));
        trsv32_warp<<<(batch + 3) / 4, 128>>>(dl, dx, dy, batch);
        auto x = dy.host();
        e = 0;
        for (int m = 0; m < batch; m += 13)
            for (int i = 0; i < 32; ++i) {
                double s = 0;
                for (int k = 0; k <= i; ++k) s += (double)l[(size_t)m * 1024 + i * 32 + k] * x[(size_t)m * 32 + k];
                e = fmax(e, fabs(s - rhs[(size_t)m * 32 + i]));
            }
        show("trsv 32", e, 1e-3);

        GPU(cudaMemcpy(dc, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
        trsm32_lanes<<<(batch + 3) / 4, 128>>>(dl, dc, batch);
        show("trsm 32 x 32 rhs", product_error<32>(l, dc.host(), b, batch), 1e-3);

        power_iteration32<<<(batch * 32 + T - 1) / T, T>>>(da, dev, batch, 20);
        auto lam = dev.host();
        e = 0;
        for (int m = 0; m < batch; m += 199) {
            std::vector<double> v(32, 1.0), w(32);
            double nrm = 1;
            for (int it = 0; it < 20; ++it) {
                nrm = 0;
                for (int i = 0; i < 32; ++i) {
                    w[i] = 0;
                    for (int j = 0; j < 32; ++j) w[i] += a[(size_t)m * 1024 + i * 32 + j] * v[j];
                    nrm += w[i] * w[i];
                }
                nrm = std::sqrt(nrm);
                for (int i = 0; i < 32; ++i) v[i] = w[i] / nrm;
            }
            e = fmax(e, fabs(nrm - lam[m]) / nrm);
        }
        show("power iteration 32", e, 1e-3);
    }
    // ---- tridiagonal
    {
        const int n = 64, batch = 32768;
        std::vector<float> a((size_t)n * batch), b(a.size()), c(a.size()), d(a.size());
        for (size_t i = 0; i < a.size(); ++i) {
            a[i] = val((uint32_t)i);
            c[i] = val((uint32_t)i + 77777u);
            b[i] = 2.f + 0.25f * (i % 3);
            d[i] = (float)(i % 31) / 31.f;
        }
        Dev<float> da(a), db(b), dc(c), dd(d), dcp(a.size()), dx(a.size());
        tridiag_thomas<<<batch / 128, 128>>>(da, db, dc, dd, dcp, dx, n, batch);
        auto x = dx.host();
        double e = 0;
        for (int s = 0; s < batch; s += 101)
            for (int i = 0; i < n; ++i) {
                size_t k = (size_t)i * batch + s;
                double r = b[k] * x[k];
                if (i > 0) r += a[k] * x[k - batch];
                if (i < n - 1) r += c[k] * x[k + batch];
                e = fmax(e, fabs(r - d[k]));
            }
        show("thomas", e, 1e-4);
        tridiag_pcr<256><<<n * batch / 256, 256>>>(da, db, dc, dd, dx);
        x = dx.host();
        e = 0;
        for (size_t k = 0; k < x.size(); k += 7) {
            double r = b[k] * x[k];
            if (k % 256 != 0) r += a[k] * x[k - 1];
            if (k % 256 != 255) r += c[k] * x[k + 1];
            e = fmax(e, fabs(r - d[k]));
        }
        show("pcr 256", e, 1e-4);
    }
    // ---- symmetric 3x3 eigenvalues
    {
        const int batch = 300000;
        std::vector<float> a((size_t)6 * batch);
        for (size_t i = 0; i < a.size(); ++i) a[i] = val((uint32_t)i * 3u + 1u) * 4.f;
        Dev<float> da(a), de((size_t)3 * batch);
        eigen3_jacobi<JacobiRotate, 5><<<(batch + 255) / 256, 256>>>(da, de, batch, JacobiRotate{});
        auto ev = de.host();
        double e = 0;
        for (int m = 0; m < batch; m += 11) {
            double xx = a[m], yy = a[batch + m], zz = a[2 * batch + m], xy = a[3 * batch + m], xz = a[4 * batch + m], yz = a[5 * batch + m];
            double tr = xx + yy + zz, fr = xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz);
            double l0 = ev[m], l1 = ev[batch + m], l2 = ev[2 * batch + m];
            e = fmax(e, fabs(l0 + l1 + l2 - tr));
            e = fmax(e, fabs(l0 * l0 + l1 * l1 + l2 * l2 - fr) / (1 + fr));
        }
        show("jacobi 3x3", e, 1e-3);
    }
    GPU(cudaDeviceSynchronize());
    printf("%s\n", g_bad ? "FAIL" : "PASS");
    return 0;
}
