// smallfact: batched and blocked factorizations in double precision.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK_CUDA(stmt)                                                     \
    do {                                                                     \
        const cudaError_t st_ = (stmt);                                      \
        if (st_ != cudaSuccess) {                                            \
            std::fprintf(stderr, "%s failed: %s\n", #stmt, cudaGetErrorName(st_)); \
            std::exit(EXIT_FAILURE);                                         \
        }                                                                    \
    } while (false)

// ---- SPD test matrices: A_ij = 1/(1+|i-j|) + (i==j)*(2+b%5)
__host__ __device__ inline double spd(int i, int j, int b) { return 1.0 / (1 + abs(i - j)) + (i == j ? 2.0 + b % 5 : 0.0); }

template <int N>
__global__ void fill_batch(double* A, int batch, bool interleave)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= batch * N * N) return;
    int b = interleave ? t % batch : t / (N * N), e = interleave ? t / batch : t % (N * N);
    A[t] = spd(e / N, e % N, b);
}

// ---- one thread per matrix, matrices contiguous
template <int N>
__global__ void chol_thread(double* A, int batch)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    double* a = A + (size_t)b * N * N;
    for (int j = 0; j < N; ++j) {
        double d = a[j * N + j];
        for (int k = 0; k < j; ++k) d -= a[j * N + k] * a[j * N + k];
        d = sqrt(d);
        a[j * N + j] = d;
        for (int i = j + 1; i < N; ++i) {
            double s = a[i * N + j];
            for (int k = 0; k < j; ++k) s -= a[i * N + k] * a[j * N + k];
            a[i * N + j] = s / d;
        }
    }
}

// ---- one thread per matrix, element-interleaved storage, lower triangle in registers
template <int N>
__global__ void chol_interleaved(double* __restrict__ A, int batch)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    double l[N][N];
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j <= i; ++j) l[i][j] = A[(size_t)(i * N + j) * batch + b];
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
        for (int k = 0; k < j; ++k) l[j][j] -= l[j][k] * l[j][k];
        l[j][j] = sqrt(l[j][j]);
        double inv = 1.0 / l[j][j];
#pragma unroll
        for (int i = j + 1; i < N; ++i) {
#pragma unroll
            for (int k = 0; k < j; ++k) l[i][j] -= l[i][k] * l[j][k];
            l[i][j] *= inv;
        }
    }
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j <= i; ++j) A[(size_t)(i * N + j) * batch + b] = l[i][j];
}

// ---- one block per matrix in shared memory (right looking)
template <int N>
__global__ void chol_block(double* A)
{
    __shared__ double s[N][N + 1];
    double* a = A + (size_t)blockIdx.x * N * N;
    for (int e = threadIdx.x; e < N * N; e += blockDim.x) s[e / N][e % N] = a[e];
    __syncthreads();
    for (int j = 0; j < N; ++j) {
        if (threadIdx.x == 0) s[j][j] = sqrt(s[j][j]);
        __syncthreads();
        for (int i = j + 1 + threadIdx.x; i < N; i += blockDim.x) s[i][j] /= s[j][j];
        __syncthreads();
        int m = N - j - 1;
        for (int e = threadIdx.x; e < m * m; e += blockDim.x) {
            int r = j + 1 + e / m, c = j + 1 + e % m;
            if (c <= r) s[r][c] -= s[r][j] * s[c][j];
        }
        __syncthreads();
    }
    for (int e = threadIdx.x; e < N * N; e += blockDim.x) if (e % N <= e / N) a[e] = s[e / N][e % N];
}

// ---- one warp per 32x32 matrix: lane owns a row
__global__ void chol_warp32(double* A, int batch)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = warp.thread_rank();
    if (b >= batch) return;
    double* a = A + (size_t)b * 1024;
    double row[32];
#pragma unroll
    for (int j = 0; j < 32; ++j) row[j] = a[j * 32 + lane];   // symmetric, so a column read is a row
#pragma unroll
    for (int j = 0; j < 32; ++j) {
        double d = sqrt(warp.shfl(row[j], j));
        double l = lane == j ? d : row[j] / d;
        row[j] = l;
#pragma unroll
        for (int c = j + 1; c < 32; ++c) row[c] -= l * warp.shfl(l, c);
    }
#pragma unroll
    for (int j = 0; j < 32; ++j) if (j <= lane) a[lane * 32 + j] = row[j];
}

// ---- blocked factorization of one big matrix, NB = 64: panel steps
__global__ void big_fill(double* A, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) A[(size_t)i * n + j] = spd(i, j, 0);
}
// X = A21 * L11^-T, one thread per row, L11 in shared (dynamic)
__global__ void trsm_rows(double* A, int n, int nb)
{
    extern __shared__ double L[];
    for (int e = threadIdx.x; e < nb * nb; e += blockDim.x) L[e] = A[(size_t)(e / nb) * n + e % nb];
    __syncthreads();
    int r = nb + blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    double* x = A + (size_t)r * n;
    for (int j = 0; j < nb; ++j) {
        double s = x[j];
        for (int k = 0; k < j; ++k) s -= x[k] * L[j * nb + k];
        x[j] = s / L[j * nb + j];
    }
}
__global__ void potf2_first(double* A, int n, int nb)   // diagonal block by one thread block
{
    extern __shared__ double s[];
    for (int e = threadIdx.x; e < nb * nb; e += blockDim.x) s[e] = A[(size_t)(e / nb) * n + e % nb];
    __syncthreads();
    for (int j = 0; j < nb; ++j) {
        double d = sqrt(s[j * nb + j]);
        __syncthreads();
        for (int i = j + threadIdx.x; i < nb; i += blockDim.x) s[i * nb + j] = i == j ? d : s[i * nb + j] / d;
        __syncthreads();
        for (int e = threadIdx.x; e < (nb - j - 1) * (nb - j - 1); e += blockDim.x) {
            int r = j + 1 + e / (nb - j - 1), c = j + 1 + e % (nb - j - 1);
            if (c <= r) s[r * nb + c] -= s[r * nb + j] * s[c * nb + j];
        }
        __syncthreads();
    }
    for (int e = threadIdx.x; e < nb * nb; e += blockDim.x) if (e % nb <= e / nb) A[(size_t)(e / nb) * n + e % nb] = s[e];
}
// A22 -= X X^T on the lower tiles
template <int T>
__global__ void syrk_update(double* A, int n, int nb)
{
    if (blockIdx.x > blockIdx.y) return;
    __shared__ double P[T][T + 1], Q[T][T + 1];
    int i = nb + blockIdx.y * T + threadIdx.y, j = nb + blockIdx.x * T + threadIdx.x, jr = nb + blockIdx.x * T + threadIdx.y;
    double acc = 0;
    for (int k0 = 0; k0 < nb; k0 += T) {
        P[threadIdx.y][threadIdx.x] = i < n ? A[(size_t)i * n + k0 + threadIdx.x] : 0;
        Q[threadIdx.y][threadIdx.x] = jr < n ? A[(size_t)jr * n + k0 + threadIdx.x] : 0;
        __syncthreads();
        for (int k = 0; k < T; ++k) acc += P[threadIdx.y][k] * Q[threadIdx.x][k];
        __syncthreads();
    }
    if (i < n && j < n && j <= i) A[(size_t)i * n + j] -= acc;
}

// ---- tridiagonal systems: Thomas per thread vs. parallel cyclic reduction per block
__global__ void thomas(const double* d, double* x, double* cp, int n, int systems)   // sub=sup=-1, interleaved
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    double c = 0, y = 0;
    for (int i = 0; i < n; ++i) {
        double m = 1.0 / (4.0 + (i ? c : 0.0));
        y = (d[(size_t)i * systems + s] + y) * m;
        c = -m;
        cp[(size_t)i * systems + s] = c;
        x[(size_t)i * systems + s] = y;
    }
    for (int i = n - 2; i >= 0; --i) {
        y = x[(size_t)i * systems + s] - cp[(size_t)i * systems + s] * y;
        x[(size_t)i * systems + s] = y;
    }
}
template <int N>
__global__ void pcr(const double* d, double* x, int systems)
{
    __shared__ double a[N], b[N], c[N], r[N];
    int i = threadIdx.x;
    a[i] = i ? -1 : 0; b[i] = 4; c[i] = i < N - 1 ? -1 : 0;
    r[i] = d[(size_t)i * systems + blockIdx.x];
    __syncthreads();
    for (int h = 1; h < N; h *= 2) {
        double na = 0, nb = b[i], nc = 0, nr = r[i];
        if (i >= h) { double k = a[i] / b[i - h]; na = -k * a[i - h]; nb -= k * c[i - h]; nr -= k * r[i - h]; }
        if (i + h < N) { double k = c[i] / b[i + h]; nc = -k * c[i + h]; nb -= k * a[i + h]; nr -= k * r[i + h]; }
        __syncthreads();
        a[i] = na; b[i] = nb; c[i] = nc; r[i] = nr;
        __syncthreads();
    }
    x[(size_t)i * systems + blockIdx.x] = r[i] / b[i];
}

static int g_bad = 0;
static void line(const char* what, double err, double tol)
{
    std::printf("%-22s residual %.2e %s\n", what, err, err < tol ? "" : "<-- too large");
    if (!(err < tol)) ++g_bad;
}
// max |A - L L^T| over the matrix b, element accessor f(i,j)
template <class F> double residual(int n, int b, F f)
{
    double e = 0;
    for (int i = 0; i < n; ++i) for (int j = 0; j <= i; ++j) {
        double s = spd(i, j, b);
        for (int k = 0; k <= j; ++k) s -= f(i, k) * f(j, k);
        e = std::max(e, std::fabs(s));
    }
    return e;
}

int main()
{
    const int B8 = 50000, B32 = 4000, n = 1000, NB = 64;
    double *A, *X, *C;
    const size_t cap = 4200000;
    CHECK_CUDA(cudaMalloc(&A, cap * 8)); CHECK_CUDA(cudaMalloc(&X, cap * 8)); CHECK_CUDA(cudaMalloc(&C, cap * 8));
    std::vector<double> h(cap);
    auto get = [&](const double* p, size_t cnt) { CHECK_CUDA(cudaGetLastError()); CHECK_CUDA(cudaMemcpy(h.data(), p, cnt * 8, cudaMemcpyDeviceToHost)); };
    double e;

    fill_batch<8><<<(B8 * 64 + 255) / 256, 256>>>(A, B8, false);
    chol_thread<8><<<(B8 + 127) / 128, 128>>>(A, B8);
    get(A, B8 * 64); e = 0;
    for (int b = 0; b < B8; b += 101) e = std::max(e, residual(8, b, [&](int i, int j) { return h[b * 64 + i * 8 + j]; }));
    line("8x8 thread", e, 1e-12);
    fill_batch<8><<<(B8 * 64 + 255) / 256, 256>>>(A, B8, true);
    chol_interleaved<8><<<(B8 + 127) / 128, 128>>>(A, B8);
    get(A, B8 * 64); e = 0;
    for (int b = 0; b < B8; b += 101) e = std::max(e, residual(8, b, [&](int i, int j) { return h[(i * 8 + j) * B8 + b]; }));
    line("8x8 interleaved", e, 1e-12);

    for (int v = 0; v < 3; ++v) {
        fill_batch<32><<<(B32 * 1024 + 511) / 512, 512>>>(A, B32, false);
        if (v == 0) chol_thread<32><<<(B32 + 31) / 32, 32>>>(A, B32);
        if (v == 1) chol_block<32><<<B32, 64>>>(A);
        if (v == 2) chol_warp32<<<(B32 * 32 + 127) / 128, 128>>>(A, B32);
        get(A, (size_t)B32 * 1024); e = 0;
        for (int b = 0; b < B32; b += 97) e = std::max(e, residual(32, b, [&](int i, int j) { return h[b * 1024 + i * 32 + j]; }));
        line(v == 0 ? "32x32 thread" : v == 1 ? "32x32 block" : "32x32 warp", e, 1e-12);
    }
    big_fill<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(A, n);
    potf2_first<<<1, 256, NB * NB * sizeof(double)>>>(A, n, NB);
    trsm_rows<<<(n - NB + 63) / 64, 64, NB * NB * sizeof(double)>>>(A, n, NB);
    const int tiles = (n - NB + 15) / 16;
    syrk_update<16><<<dim3(tiles, tiles), dim3(16, 16)>>>(A, n, NB);
    get(A, (size_t)n * n); e = 0;
    for (int i = 0; i < n; i += 7) for (int j = 0; j <= i; j += 11) {
        double s = spd(i, j, 0);
        for (int k = 0; k < NB && k <= j; ++k) s -= h[(size_t)i * n + k] * h[(size_t)j * n + k];
        if (j >= NB) s -= h[(size_t)i * n + j];
        e = std::max(e, std::fabs(s));
    }
    line("first panel of 1000", e, 1e-12);

    const int tn = 256, systems = 10000;
    for (size_t i = 0; i < (size_t)tn * systems; ++i) h[i] = (double)((i * 37) % 101) / 101.0;
    std::vector<double> rhs(h.begin(), h.begin() + (size_t)tn * systems);
    CHECK_CUDA(cudaMemcpy(A, rhs.data(), rhs.size() * 8, cudaMemcpyHostToDevice));
    for (int v = 0; v < 2; ++v) {
        CHECK_CUDA(cudaMemset(X, 0, rhs.size() * 8));
        if (v == 0) thomas<<<(systems + 63) / 64, 64>>>(A, X, C, tn, systems);
        else pcr<256><<<systems, 256>>>(A, X, systems);
        get(X, rhs.size()); e = 0;
        for (int s = 0; s < systems; s += 13) for (int i = 0; i < tn; ++i) {
            double q = 4 * h[(size_t)i * systems + s] - rhs[(size_t)i * systems + s];
            if (i) q -= h[(size_t)(i - 1) * systems + s];
            if (i < tn - 1) q -= h[(size_t)(i + 1) * systems + s];
            e = std::max(e, std::fabs(q));
        }
        line(v ? "pcr" : "thomas", e, 1e-12);
    }
    std::printf("%s\n", g_bad ? "FAIL" : "PASS");
    cudaFree(A); cudaFree(X); cudaFree(C);
    return g_bad;
}
