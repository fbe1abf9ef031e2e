// Assorted scientific kernels, one launch each (three for the sort).
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <algorithm>
#include <vector>

static void ok(cudaError_t e, int line) {
    if (e != cudaSuccess) { fprintf(stderr, "cuda: %s (line %d)\n", cudaGetErrorString(e), line); exit(3); }
}
#define OK(x) ok((x), __LINE__)

/* ------------------------------------------------------------- n-body --- */
#define NB_TILE 128
__global__ void nbody_accel(const float4 *pos, float4 *acc, int n, float eps2)
{
    __shared__ float4 tile[NB_TILE];
    int i = blockIdx.x * NB_TILE + threadIdx.x;     /* n is a multiple of NB_TILE */
    float4 me = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int base = 0; base < n; base += NB_TILE) {
        tile[threadIdx.x] = pos[base + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < NB_TILE; j++) {
            float4 o = tile[j];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
            float s = o.w * inv * inv * inv;
            ax += dx * s; ay += dy * s; az += dz * s;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0.f);
}

/* ------------------------------------------------------------ heat 3D --- */
__global__ void heat3d(const double *__restrict__ t, double *__restrict__ tn, int nx, int ny, int nz, double r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    size_t sy = nx, sz = (size_t)nx * ny, c = k * sz + j * sy + i;
    if (i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1) { tn[c] = t[c]; return; }
    tn[c] = t[c] + r * (t[c - 1] + t[c + 1] + t[c - sy] + t[c + sy] + t[c - sz] + t[c + sz] - 6.0 * t[c]);
}

/* ---------------------------------------------------------- CSR SpMV ---- */
__global__ void spmv_scalar(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int k = ptr[r]; k < ptr[r + 1]; k++) s += val[k] * x[col[k]];
    y[r] = s;
}

/* LANES threads share a row */
template <int LANES>
__global__ void spmv_vector(int rows, const int *__restrict__ ptr, const int *__restrict__ col,
                            const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float s = 0;
    if (r < rows)
        for (int k = ptr[r] + lane; k < ptr[r + 1]; k += LANES) s += val[k] * x[col[k]];
#pragma unroll
    for (int o = LANES / 2; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o, LANES);
    if (r < rows && lane == 0) y[r] = s;
}

/* ---------------------------------------------------------- Mandelbrot -- */
__global__ void mandelbrot(uint16_t *img, unsigned w, unsigned h, float x0, float y0, float step, int limit)
{
    unsigned px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float cr = x0 + px * step, ci = y0 + py * step, zr = 0, zi = 0;
    int it = 0;
    while (it < limit && zr * zr + zi * zi < 4.f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.f * zr * zi + ci;
        zr = t;
        it++;
    }
    img[py * w + px] = (uint16_t)it;
}

/* -------------------------------------------------------- Black-Scholes - */
__device__ inline float normal_cdf(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

__global__ void black_scholes(const float *S, const float *X, const float *T, float *call, float *put, float r, float v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float s = S[i], x = X[i], t = T[i];
        float sq = v * sqrtf(t);
        float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / sq, d2 = d1 - sq;
        float disc = x * expf(-r * t);
        float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
        call[i] = s * n1 - disc * n2;
        put[i] = disc * (1.f - n2) - s * (1.f - n1);
    }
}

/* ------------------------------------------ lattice Boltzmann, D2Q9, BGK - */
__constant__ int c_ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int c_ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float c_w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void lbm_step(const float *__restrict__ f, float *__restrict__ g, int nx, int ny, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    const int cells = nx * ny;
    float q[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int d = 0; d < 9; d++) {               /* pull, periodic in both directions */
        int xs = x - c_ex[d], ys = y - c_ey[d];
        xs = xs < 0 ? nx - 1 : (xs == nx ? 0 : xs);
        ys = ys < 0 ? ny - 1 : (ys == ny ? 0 : ys);
        q[d] = f[d * cells + ys * nx + xs];
        rho += q[d]; ux += c_ex[d] * q[d]; uy += c_ey[d] * q[d];
    }
    ux /= rho; uy /= rho;
    float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int d = 0; d < 9; d++) {
        float eu = 3.f * (c_ex[d] * ux + c_ey[d] * uy);
        float eq = c_w[d] * rho * (1.f + eu + 0.5f * eu * eu - uu);
        g[d * cells + y * nx + x] = q[d] + omega * (eq - q[d]);
    }
}

/* -------------------------------------------------------- game of life -- */
__global__ void life(const uint8_t *in, uint8_t *out, int n)   /* n is a power of two */
{
    __shared__ uint8_t t[18][34];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        int yy = (y0 + i / 34 - 1) & (n - 1), xx = (x0 + i % 34 - 1) & (n - 1);
        t[i / 34][i % 34] = in[(size_t)yy * n + xx];
    }
    __syncthreads();
    int a = threadIdx.y, b = threadIdx.x;
    int s = t[a][b] + t[a][b + 1] + t[a][b + 2] + t[a + 1][b] + t[a + 1][b + 2] + t[a + 2][b] + t[a + 2][b + 1] + t[a + 2][b + 2];
    out[(size_t)(y0 + a) * n + x0 + b] = s == 3 || (s == 2 && t[a + 1][b + 1]);
}

/* --------------------------------------------------------- bitonic sort - */
#define CHUNK 2048
__device__ inline void cmpx(uint32_t &a, uint32_t &b, bool up) { if ((a > b) == up) { uint32_t t = a; a = b; b = t; } }

/* sorts each CHUNK, alternately upwards and downwards */
__global__ void bitonic_local(uint32_t *key)
{
    __shared__ uint32_t s[CHUNK];
    uint32_t *k = key + (size_t)blockIdx.x * CHUNK;
    for (unsigned i = threadIdx.x; i < CHUNK; i += blockDim.x) s[i] = k[i];
    for (unsigned size = 2; size <= CHUNK; size <<= 1)
        for (unsigned stride = size / 2; stride; stride >>= 1) {
            __syncthreads();
            unsigned i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = size == CHUNK ? !(blockIdx.x & 1) : !(i & size);
            cmpx(s[i], s[i + stride], up);
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < CHUNK; i += blockDim.x) k[i] = s[i];
}

/* one compare-exchange pass over global memory, all upwards within groups of 2 * stride */
__global__ void bitonic_pass(uint32_t *key, unsigned stride, unsigned pairs)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    unsigned i = 2 * p - (p & (stride - 1));
    cmpx(key[i], key[i + stride], true);
}

/* the remaining strides of the merge, in shared memory */
__global__ void bitonic_finish(uint32_t *key)
{
    __shared__ uint32_t s[CHUNK];
    uint32_t *k = key + (size_t)blockIdx.x * CHUNK;
    for (unsigned i = threadIdx.x; i < CHUNK; i += blockDim.x) s[i] = k[i];
    for (unsigned stride = CHUNK / 2; stride; stride >>= 1) {
        __syncthreads();
        unsigned i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        cmpx(s[i], s[i + stride], true);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < CHUNK; i += blockDim.x) k[i] = s[i];
}

static uint32_t lcg_state = 1u;
static uint32_t lcg(void) { lcg_state = lcg_state * 1664525u + 1013904223u; return lcg_state >> 4; }
static float uni(void) { return (lcg() & 0xffffff) / 16777216.f; }

template <typename T> static T *up(const std::vector<T> &h) {
    T *d; OK(cudaMalloc(&d, h.size() * sizeof(T))); OK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice)); return d;
}
template <typename T> static void down(std::vector<T> &h, const T *d) {
    OK(cudaGetLastError()); OK(cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
}
static int bad = 0;
static void judge(const char *what, bool good) { printf("%-14s %s\n", what, good ? "ok" : "BAD"); bad += !good; }

int main()
{
    { const int n = 32768; std::vector<float4> p(n), a(n);
      for (auto &q : p) q = make_float4(uni(), uni(), uni(), 1.f / n);
      float4 *dp = up(p), *da = up(a);
      nbody_accel<<<n / NB_TILE, NB_TILE>>>(dp, da, n, 1e-3f);
      down(a, da);
      double m = 0, big = 0; for (auto &q : a) { m += q.x; big += fabs(q.x); }
      judge("n-body", big > 0 && fabs(m) < 1e-4 * big); cudaFree(dp); cudaFree(da); }
    { const int nx = 256, ny = 256, nz = 192; std::vector<double> t((size_t)nx * ny * nz), o(t.size());
      for (int k = 0; k < nz; k++) for (int j = 0; j < ny; j++) for (int i = 0; i < nx; i++) t[((size_t)k * ny + j) * nx + i] = i * i + j - k;
      double *d = up(t), *e = up(o);
      heat3d<<<dim3(nx / 32, ny / 4, nz / 2), dim3(32, 4, 2)>>>(d, e, nx, ny, nz, 0.1);
      down(o, e); size_t c = ((size_t)90 * ny + 33) * nx + 77;   /* second derivative of i*i is 2 */
      judge("heat 3D", fabs(o[c] - t[c] - 0.2) < 1e-9 && o[5] == t[5]); cudaFree(d); cudaFree(e); }
    { const int rows = 1 << 18, deg = 24; std::vector<int> ptr(rows + 1), col((size_t)rows * deg);
      std::vector<float> val(col.size()), x(rows), y0(rows), y1(rows);
      for (int r = 0; r <= rows; r++) ptr[r] = r * deg;
      for (size_t i = 0; i < col.size(); i++) { col[i] = lcg() % rows; val[i] = uni() - 0.5f; }
      for (auto &v : x) v = uni();
      int *dp = up(ptr), *dc = up(col); float *dv = up(val), *dx = up(x), *d0 = up(y0), *d1 = up(y1);
      spmv_scalar<<<(rows + 127) / 128, 128>>>(rows, dp, dc, dv, dx, d0);
      spmv_vector<8><<<rows * 8 / 256, 256>>>(rows, dp, dc, dv, dx, d1);
      down(y0, d0); down(y1, d1); int w = 0;
      for (int r = 0; r < rows; r += 13) { double s = 0; for (int k = ptr[r]; k < ptr[r + 1]; k++) s += (double)val[k] * x[col[k]];
          w += fabs(s - y0[r]) > 1e-4 || fabs(s - y1[r]) > 1e-4; }
      judge("spmv", w == 0); cudaFree(dp); cudaFree(dc); cudaFree(dv); cudaFree(dx); cudaFree(d0); cudaFree(d1); }
    { const unsigned w = 2048, h = 1536; std::vector<uint16_t> img(w * h); uint16_t *d = up(img);
      mandelbrot<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(d, w, h, -2.2f, -1.2f, 2.4f / h, 512);
      down(img, d); judge("mandelbrot", img[768 * w + 1408] == 512 && img[0] < 5); cudaFree(d); }   /* c = 0 is inside */
    { const int n = 1 << 22; std::vector<float> S(n), X(n), T(n), c(n), p(n);
      for (int i = 0; i < n; i++) { S[i] = 5 + 25 * uni(); X[i] = 1 + 99 * uni(); T[i] = 0.25f + 9.75f * uni(); }
      float *dS = up(S), *dX = up(X), *dT = up(T), *dc = up(c), *dp = up(p);
      black_scholes<<<1320, 192>>>(dS, dX, dT, dc, dp, 0.02f, 0.3f, n);
      down(c, dc); down(p, dp); int w = 0;      /* put-call parity */
      for (int i = 0; i < n; i += 7) w += !(fabs(c[i] - p[i] - (S[i] - X[i] * expf(-0.02f * T[i]))) < 1e-3f);
      judge("black-scholes", w == 0); cudaFree(dS); cudaFree(dX); cudaFree(dT); cudaFree(dc); cudaFree(dp); }
    { const int nx = 1536, ny = 1024; std::vector<float> f((size_t)9 * nx * ny), g(f.size());
      for (auto &v : f) v = 0.1f + 0.02f * uni();
      float *df = up(f), *dg = up(g);
      lbm_step<<<dim3(nx / 128, ny), 128>>>(df, dg, nx, ny, 1.2f);
      down(g, dg); double m0 = 0, m1 = 0; for (float v : f) m0 += v; for (float v : g) m1 += v;
      judge("lbm mass", fabs(m0 - m1) < 1e-5 * m0); cudaFree(df); cudaFree(dg); }
    { const int n = 4096; std::vector<uint8_t> a((size_t)n * n), b(a.size()); for (auto &v : a) v = lcg() >> 10 & 1;
      uint8_t *da = up(a), *db = up(b);
      life<<<dim3(n / 32, n / 16), dim3(32, 16)>>>(da, db, n);
      down(b, db); int w = 0;
      for (int y = 0; y < n; y += 5) for (int q = 0; q < 64; q++) { int x = q * 65 % n, s = 0;
          for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++) if (u || v) s += a[(size_t)((y + v) & (n - 1)) * n + ((x + u) & (n - 1))];
          w += b[(size_t)y * n + x] != (s == 3 || (s == 2 && a[(size_t)y * n + x])); }
      judge("life", w == 0); cudaFree(da); cudaFree(db); }
    { const unsigned n = 1 << 22; std::vector<uint32_t> k(n), r(n); for (auto &v : k) v = lcg(); uint32_t *d = up(k);
      bitonic_local<<<n / CHUNK, CHUNK / 2>>>(d);
      bitonic_pass<<<n / 2 / 256, 256>>>(d, CHUNK, n / 2);
      bitonic_finish<<<n / CHUNK, CHUNK / 2>>>(d);
      down(r, d); int w = 0;                    /* groups of 2 * CHUNK are sorted now */
      for (unsigned i = 1; i < n; i++) w += i % (2 * CHUNK) && r[i - 1] > r[i];
      std::sort(k.begin(), k.begin() + 2 * CHUNK);
      judge("bitonic", w == 0 && std::equal(k.begin(), k.begin() + 2 * CHUNK, r.begin())); cudaFree(d); }
    OK(cudaDeviceSynchronize());
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad;
}
