// Signal transforms and small linear algebra: batched FFT (radix 2, radix 4),
// 8x8 DCT, Walsh-Hadamard, tridiagonal systems, Cholesky, Gauss elimination,
// Jacobi, and grid-synchronised dot product and power iteration.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;
#define GPU(call)                                                                  \
    if (cudaError_t err__ = call) {                                                \
        fprintf(stderr, "%s (line %d): %s\n", #call, __LINE__, cudaGetErrorString(err__)); \
        exit(EXIT_FAILURE);                                                        \
    }
static const double PI = 3.14159265358979323846;
__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ float2 twiddle(int k, int n)
{
    float2 w;
    sincospif(-2.0f * k / n, &w.y, &w.x);
    return w;
}
// ---- radix 2, N/2 threads, bit reversal at the load
template <int LOG2N>
__global__ void fftRadix2(const float2 *in, float2 *out)
{
    constexpr int N = 1 << LOG2N;
    __shared__ float2 s[N];
    const float2 *src = in + (size_t)blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += N / 2) s[__brev(i) >> (32 - LOG2N)] = src[i];
    __syncthreads();
    for (int half = 1; half < N; half <<= 1) {
        int k = threadIdx.x & (half - 1), a = 2 * (threadIdx.x - k) + k, b = a + half;
        float2 t = s[b] * twiddle(k, 2 * half), u = s[a];
        s[a] = u + t;
        s[b] = u - t;
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N; i += N / 2) out[(size_t)blockIdx.x * N + i] = s[i];
}
// ---- radix 4 Stockham, N/4 threads, data moves through shared memory
template <int LOG4N>
__global__ __launch_bounds__(1 << (2 * LOG4N - 2)) void fftRadix4(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    constexpr int N = 1 << (2 * LOG4N), T = N / 4;
    __shared__ float2 s[N];
    const int t = threadIdx.x;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r] = in[(size_t)blockIdx.x * N + t + r * T];
    for (int ns = 1; ns < N; ns *= 4) {
        const int k = t & (ns - 1);
#pragma unroll
        for (int r = 1; r < 4; ++r) v[r] = v[r] * twiddle(r * k, 4 * ns);
        float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
        float2 jd = make_float2(d.y, -d.x);                    // -i * d
        const int dst = 4 * (t - k) + k;
        __syncthreads();                                       // earlier reads are over
        s[dst] = a + c;
        s[dst + ns] = b + jd;
        s[dst + 2 * ns] = a - c;
        s[dst + 3 * ns] = b - jd;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; ++r) v[r] = s[t + r * T];
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) out[(size_t)blockIdx.x * N + t + r * T] = v[r];
}
// ---- DCT-II on 8x8 blocks; one warp-row of 8 image blocks per thread block
__constant__ float dctM[8][8];
__global__ __launch_bounds__(256) void dct8x8(const float *__restrict__ in, float *__restrict__ out, int w)
{
    __shared__ float a[8][33], b[8][33];
    const int tx = threadIdx.x, ty = threadIdx.y, col = tx & 7, base = tx & ~7;
    const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    a[ty][tx] = in[y * w + x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += a[ty][base + k] * dctM[col][k];
    b[ty][tx] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += dctM[ty][k] * b[k][tx];
    out[y * w + x] = sum;
}
// ---- Walsh-Hadamard: in-warp steps by shuffle, wider ones in shared memory
template <int N>
__global__ void walsh(float *data)
{
    __shared__ float s[N];
    const int t = threadIdx.x;
    float v = data[(size_t)blockIdx.x * N + t];
#pragma unroll
    for (int m = 1; m < 32; m <<= 1) {
        float u = __shfl_xor_sync(~0u, v, m);
        v = t & m ? u - v : v + u;
    }
    for (int m = 32; m < N; m <<= 1) {
        s[t] = v;
        __syncthreads();
        float u = s[t ^ m];
        v = t & m ? u - v : v + u;
        __syncthreads();
    }
    data[(size_t)blockIdx.x * N + t] = v;
}
// ---- tridiagonal systems by parallel cyclic reduction, one per block
__global__ void pcr(const float *la, const float *lb, const float *lc, const float *ld, float *x, int n)
{
    extern __shared__ float sh[];
    float *a = sh, *b = a + n, *c = b + n, *d = c + n;
    const int i = threadIdx.x;
    const size_t g = (size_t)blockIdx.x * n + i;
    a[i] = la[g]; b[i] = lb[g]; c[i] = lc[g]; d[i] = ld[g];
    __syncthreads();
    for (int s = 1; s < n; s <<= 1) {
        float na = 0, nb = b[i], nc = 0, nd = d[i];
        if (i - s >= 0) {
            float k = a[i] / b[i - s];
            na = -a[i - s] * k; nb -= c[i - s] * k; nd -= d[i - s] * k;
        }
        if (i + s < n) {
            float k = c[i] / b[i + s];
            nc = -c[i + s] * k; nb -= a[i + s] * k; nd -= d[i + s] * k;
        }
        __syncthreads();
        a[i] = na; b[i] = nb; c[i] = nc; d[i] = nd;
        __syncthreads();
    }
    x[g] = d[i] / b[i];
}
// ---- batched Cholesky, 48x48 per block, right looking, lower triangle
constexpr int CN = 48;
__global__ void cholesky(float *mats)
{
    __shared__ float A[CN][CN + 1];
    float *m = mats + (size_t)blockIdx.x * CN * CN;
    for (int t = threadIdx.x; t < CN * CN; t += blockDim.x) A[t / CN][t % CN] = m[t];
    __syncthreads();
    for (int k = 0; k < CN; ++k) {
        if (threadIdx.x == 0) A[k][k] = sqrtf(A[k][k]);
        __syncthreads();
        for (int r = k + 1 + threadIdx.x; r < CN; r += blockDim.x) A[r][k] /= A[k][k];
        __syncthreads();
        const int rest = CN - k - 1;
        for (int t = threadIdx.x; t < rest * rest; t += blockDim.x) {
            int r = k + 1 + t / rest, c = k + 1 + t % rest;
            if (c <= r) A[r][c] -= A[r][k] * A[c][k];
        }
        __syncthreads();
    }
    for (int t = threadIdx.x; t < CN * CN; t += blockDim.x) m[t] = t % CN <= t / CN ? A[t / CN][t % CN] : 0.0f;
}
// ---- one step of Gauss elimination on a big matrix, out of place
__global__ void gaussStep(const double *__restrict__ A, double *__restrict__ out, int n, int k)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= n || r >= n) return;
    double v = A[(size_t)r * n + c];
    if (r > k && c >= k) v -= A[(size_t)r * n + k] / A[(size_t)k * n + k] * A[(size_t)k * n + c];
    out[(size_t)r * n + c] = v;
}
// ---- Jacobi sweep on a dense system, a warp per row
__global__ void jacobi(const float *__restrict__ A, const float *__restrict__ b, const float *__restrict__ x,
                       float *__restrict__ y, int n)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int r = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (r >= n) return;
    float sum = 0;
    for (int c = warp.thread_rank(); c < n; c += 32)
        if (c != r) sum += A[(size_t)r * n + c] * x[c];
    for (int o = 16; o; o >>= 1) sum += warp.shfl_down(sum, o);
    if (warp.thread_rank() == 0) y[r] = (b[r] - sum) / A[(size_t)r * n + r];
}
// ---- sum over the block, valid in thread 0
__device__ double blockSum(double v)
{
    __shared__ double part[32];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0;
    if (threadIdx.x < 32)
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    __syncthreads();
    return v;
}
__global__ void dotGrid(const float *__restrict__ x, const float *__restrict__ y, int n, double *partial, double *result)
{
    cg::grid_group grid = cg::this_grid();
    double v = 0;
    for (size_t i = grid.thread_rank(); i < (size_t)n; i += grid.size()) v += (double)x[i] * y[i];
    v = blockSum(v);
    if (threadIdx.x == 0) partial[blockIdx.x] = v;
    grid.sync();
    if (blockIdx.x == 0) {
        v = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) v += partial[i];
        v = blockSum(v);
        if (threadIdx.x == 0) *result = v;
    }
}
// x and y alternate; norms[it] receives |A x|^2
__global__ void powerIteration(const float *A, float *x, float *y, double *norms, int n, int iters)
{
    cg::grid_group grid = cg::this_grid();
    const int lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x / 32;
    for (int it = 0; it < iters; ++it) {
        double mine = 0;
        for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < n; r += warps) {
            const float4 *row = reinterpret_cast<const float4 *>(A + (size_t)r * n);
            float sum = 0;
            for (int c = lane; c < n / 4; c += 32) {
                float4 a = row[c], v = reinterpret_cast<float4 *>(x)[c];
                sum += a.x * v.x + a.y * v.y + a.z * v.z + a.w * v.w;
            }
            for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
            if (lane == 0) { y[r] = sum; mine += (double)sum * sum; }
        }
        mine = blockSum(mine);
        if (threadIdx.x == 0) atomicAdd(&norms[it], mine);
        grid.sync();
        const float inv = (float)(1.0 / sqrt(*(volatile double *)&norms[it]));
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = y[i] * inv;
        grid.sync();
    }
}
template <typename T> struct Buf {
    T *p; size_t n;
    explicit Buf(size_t count) : n(count) { GPU(cudaMalloc(&p, n * sizeof(T))); GPU(cudaMemset(p, 0, n * sizeof(T))); }
    explicit Buf(const std::vector<T> &v) : Buf(v.size()) { GPU(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
    Buf(const Buf &) = delete;
    ~Buf() { cudaFree(p); }
    std::vector<T> host() const { GPU(cudaGetLastError()); std::vector<T> v(n); GPU(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
};
static int bad = 0;
static void within(const char *what, double err, double tol) { bool k = err <= tol; printf("%-18s %.2e %s\n", what, err, k ? "ok" : "WRONG"); bad += !k; }
int main()
{
    auto rnd = [s = 1u]() mutable { s = s * 1664525u + 1013904223u; return (s >> 8) / 16777216.0f - 0.5f; };
    { // FFTs of 1024 points
        const int N = 1024, batch = 1500;
        std::vector<float2> h((size_t)N * batch);
        for (auto &v : h) { v.x = rnd(); v.y = rnd(); }
        Buf<float2> in(h), out(h.size());
        for (int pass = 0; pass < 2; ++pass) {
            if (pass == 0) fftRadix2<10><<<batch, N / 2>>>(in.p, out.p);
            else fftRadix4<5><<<batch, N / 4>>>(in.p, out.p);
            auto g = out.host(); double err = 0;
            for (int b = 0; b < batch; b += 211)
                for (int k = 0; k < N; k += 37) {
                    std::complex<double> sum = 0, w = 1, step = std::polar(1.0, -2 * PI * k / N);
                    for (int i = 0; i < N; ++i, w *= step) sum += w * std::complex<double>(h[b * N + i].x, h[b * N + i].y);
                    err = fmax(err, std::abs(sum - std::complex<double>(g[b * N + k].x, g[b * N + k].y)));
                }
            within(pass ? "fft radix 4" : "fft radix 2", err, 1e-3);
        }
    }
    { // DCT
        const int w = 1920, hgt = 1080;
        float m[8][8];
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < 8; ++i) m[k][i] = (float)(cos((2 * i + 1) * k * PI / 16) * (k ? 0.5 : sqrt(0.125)));
        GPU(cudaMemcpyToSymbol(dctM, m, sizeof(m))); std::vector<float> img(w * hgt);
        for (auto &v : img) v = rnd() * 255;
        Buf<float> in(img), out(img.size());
        dct8x8<<<dim3(w / 32, hgt / 8), dim3(32, 8)>>>(in.p, out.p, w);
        auto g = out.host(); double err = 0;
        for (int q = 0; q < w * hgt; q += 487) {
            int x = q % w, y = q / w; double s = 0;
            for (int j = 0; j < 64; ++j) s += (double)m[y & 7][j / 8] * m[x & 7][j % 8] * img[((y & ~7) + j / 8) * w + (x & ~7) + j % 8];
            err = fmax(err, fabs(s - g[q]));
        }
        within("dct 8x8", err, 1e-2);
    }
    { // Walsh-Hadamard
        const int N = 512, batch = 4000;
        std::vector<float> h((size_t)N * batch);
        for (auto &v : h) v = (float)(int)(rnd() * 16);          // integers: exact
        Buf<float> d(h);
        walsh<N><<<batch, N>>>(d.p);
        auto g = d.host(); double err = 0;
        for (int b = 0; b < batch; b += 331)
            for (int k = 0; k < N; ++k) {
                float s = 0;
                for (int i = 0; i < N; ++i) s += __builtin_parity(i & k) ? -h[b * N + i] : h[b * N + i];
                err = fmax(err, fabs(s - g[b * N + k]));
            }
        within("walsh", err, 0);
    }
    { // tridiagonal: residual check
        const int n = 500, batch = 2000, all = n * batch;
        std::vector<float> a(all), b(all), c(all), d(all);
        for (int i = 0; i < all; ++i) { a[i] = i % n ? rnd() : 0; c[i] = i % n < n - 1 ? rnd() : 0; b[i] = 2.5f + rnd(); d[i] = rnd(); }
        Buf<float> A(a), B(b), C(c), D(d), X(all);
        pcr<<<batch, n, 4 * n * sizeof(float)>>>(A.p, B.p, C.p, D.p, X.p, n);
        auto x = X.host(); double err = 0;
        for (int i = 0; i < all; ++i)
            err = fmax(err, fabs((i % n ? a[i] * x[i - 1] : 0) + b[i] * x[i] + (i % n < n - 1 ? c[i] * x[i + 1] : 0) - d[i]));
        within("tridiagonal", err, 1e-4);
    }
    { // Cholesky: L L^T = A
        const int batch = 1000;
        std::vector<float> m((size_t)batch * CN * CN);
        for (int q = 0; q < batch; ++q)
            for (int i = 0; i < CN; ++i)
                for (int j = 0; j <= i; ++j) m[(q * CN + i) * CN + j] = m[(q * CN + j) * CN + i] = i == j ? CN + rnd() : rnd();
        Buf<float> d(m);
        cholesky<<<batch, 128>>>(d.p);
        auto L = d.host(); double err = 0;
        for (int q = 0; q < batch; q += 29)
            for (int i = 0; i < CN; ++i)
                for (int j = 0; j <= i; ++j) {
                    double s = 0;
                    for (int k = 0; k <= j; ++k) s += (double)L[(q * CN + i) * CN + k] * L[(q * CN + j) * CN + k];
                    err = fmax(err, fabs(s - m[(q * CN + i) * CN + j]));
                }
        within("cholesky", err, 1e-3);
    }
    { // Gauss step, Jacobi sweep, power iteration, dot
        const int n = 2020, k = 3;
        std::vector<double> m((size_t)n * n); std::vector<float> a(m.size()), b(n), x(n);
        for (size_t i = 0; i < m.size(); ++i) m[i] = a[i] = rnd() + (i / n == i % n ? 40.f : 0.3f);
        for (int i = 0; i < n; ++i) { b[i] = rnd(); x[i] = 1.0f; }
        Buf<double> M(m), M2(m.size());
        Buf<float> A(a), B(b), X(x), Y(n);
        gaussStep<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(M.p, M2.p, n, k);
        auto g = M2.host(); double err = 0;
        for (int r = 0; r < n; ++r)
            for (int c = r % 5; c < n; c += 5) {
                double v = m[(size_t)r * n + c];
                if (r > k && c >= k) v -= m[(size_t)r * n + k] / m[(size_t)k * n + k] * m[(size_t)k * n + c];
                err = fmax(err, fabs(v - g[(size_t)r * n + c]));
            }
        within("gauss step", err, 1e-12);
        jacobi<<<(n + 7) / 8, 256>>>(A.p, B.p, X.p, Y.p, n);
        auto y = Y.host(); err = 0;
        for (int r = 0; r < n; r += 3) {
            double s = b[r];
            for (int c = 0; c < n; ++c) s -= c == r ? 0.0 : (double)a[(size_t)r * n + c] * x[c];
            err = fmax(err, fabs(s / a[(size_t)r * n + r] - y[r]));
        }
        within("jacobi", err, 1e-3); int dev = 0, sms = 0, perSm = 0; GPU(cudaGetDevice(&dev));
        GPU(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
        GPU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, powerIteration, 256, 0)); int iters = 12, nn = n;
        const int blocks = sms * (perSm > 2 ? 2 : perSm); Buf<double> norms(iters);
        void *args[] = {&A.p, &X.p, &Y.p, &norms.p, &nn, &iters};
        GPU(cudaLaunchCooperativeKernel((const void *)powerIteration, dim3(blocks), dim3(256), args, 0, 0));
        x = X.host();                                     // eigenvector: A x = lambda x
        double lambda = sqrt(norms.host()[iters - 1]);
        err = 0;
        for (int r = 0; r < n; r += 7) {
            double s = 0;
            for (int c = 0; c < n; ++c) s += (double)a[(size_t)r * n + c] * x[c];
            err = fmax(err, fabs(s / lambda - x[r]));
        }
        printf("lambda %.3f\n", lambda); within("power iteration", err, 1e-4); int len = n * n;
        GPU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, dotGrid, 512, 0));
        const int db = sms * (perSm > 4 ? 4 : perSm); Buf<double> part(db), res(1); Buf<float> A2(a);
        void *dargs[] = {&A.p, &A2.p, &len, &part.p, &res.p};
        GPU(cudaLaunchCooperativeKernel((const void *)dotGrid, dim3(db), dim3(512), dargs, 0, 0)); double ref = 0;
        for (float v : a) ref += (double)v * v;
        within("dot, grid sync", fabs(res.host()[0] - ref) / ref, 1e-10);
    }
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
