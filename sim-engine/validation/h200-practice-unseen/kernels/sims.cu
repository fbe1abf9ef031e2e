// sims.cu -- small physics and finance simulations: n-body, options, Mandelbrot, lattice Boltzmann, waves, life.
// Structs of arrays against arrays of structs, float4, device helpers in the file, one wrapper for each experiment.
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static void ok_or_die(cudaError_t e, const char* f, int l) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e));
    exit(1);
}
#define OK(x) ok_or_die((x), __FILE__, __LINE__)

static int n_bad = 0;
static void tell(const char* name, bool good, double number) {
    printf("%-28s %-12.4g %s\n", name, number, good ? "PASS" : "FAIL");
    if (!good) ++n_bad;
}
static uint32_t lcg_state = 4242;
static float lcg01() { lcg_state = lcg_state * 1664525u + 1013904223u; return (lcg_state >> 8) * (1.0f / 16777216.0f); }

// =================================================================================== n-body
struct BodyAoS { float x, y, z, m, vx, vy, vz, pad; };
struct BodiesSoA { float *x, *y, *z, *m; };
static const float SOFT = 1e-2f;

__global__ void nbody_aos(const BodyAoS* b, float* acc, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
        float dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
        float r2 = dx * dx + dy * dy + dz * dz + SOFT;
        float inv = 1.0f / sqrtf(r2);
        float s = b[j].m * inv * inv * inv;
        ax += s * dx; ay += s * dy; az += s * dz;
    }
    acc[3 * i] = ax; acc[3 * i + 1] = ay; acc[3 * i + 2] = az;
}

__global__ void __launch_bounds__(128) nbody_soa_tile(BodiesSoA b, float* acc, int n) {
    __shared__ float sx[128], sy[128], sz[128], sm[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float x = b.x[i], y = b.y[i], z = b.z[i], ax = 0, ay = 0, az = 0;
    for (int j0 = 0; j0 < n; j0 += 128) {
        int j = j0 + threadIdx.x;
        sx[threadIdx.x] = b.x[j]; sy[threadIdx.x] = b.y[j]; sz[threadIdx.x] = b.z[j]; sm[threadIdx.x] = b.m[j];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 128; ++k) {
            float dx = sx[k] - x, dy = sy[k] - y, dz = sz[k] - z;
            float inv = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFT))));
            float s = sm[k] * inv * inv * inv;
            ax = fmaf(s, dx, ax); ay = fmaf(s, dy, ay); az = fmaf(s, dz, az);
        }
        __syncthreads();
    }
    acc[3 * i] = ax; acc[3 * i + 1] = ay; acc[3 * i + 2] = az;
}

// float4 bodies, two targets a thread, sources split over blockIdx.y and added with atomics
__device__ __forceinline__ void pull(float3& a, const float4& me, const float4& o) {
    float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
    float inv = rsqrtf(dx * dx + dy * dy + dz * dz + SOFT);
    float s = o.w * inv * inv * inv;
    a.x += s * dx; a.y += s * dy; a.z += s * dz;
}
__global__ void __launch_bounds__(256) nbody_float4_split(const float4* __restrict__ b, float* __restrict__ acc, int n) {
    __shared__ float4 tile[256];
    const int i0 = blockIdx.x * 512 + threadIdx.x, i1 = i0 + 256;
    const float4 p0 = b[i0], p1 = b[i1];
    float3 a0 = {0, 0, 0}, a1 = {0, 0, 0};
    const int per = n / gridDim.y;
    for (int j0 = blockIdx.y * per; j0 < (int)(blockIdx.y + 1) * per; j0 += 256) {
        tile[threadIdx.x] = b[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < 256; ++k) {
            float4 o = tile[k];
            pull(a0, p0, o);
            pull(a1, p1, o);
        }
        __syncthreads();
    }
    atomicAdd(&acc[3 * i0], a0.x); atomicAdd(&acc[3 * i0 + 1], a0.y); atomicAdd(&acc[3 * i0 + 2], a0.z);
    atomicAdd(&acc[3 * i1], a1.x); atomicAdd(&acc[3 * i1 + 1], a1.y); atomicAdd(&acc[3 * i1 + 2], a1.z);
}

static void experiment_nbody() {
    const int n = 8192;
    std::vector<BodyAoS> h(n);
    std::vector<float> hx(n), hy(n), hz(n), hm(n);
    std::vector<float4> h4(n);
    for (int i = 0; i < n; ++i) {
        h[i] = BodyAoS{2 * lcg01() - 1, 2 * lcg01() - 1, 2 * lcg01() - 1, lcg01() / n, 0, 0, 0, 0};
        hx[i] = h[i].x; hy[i] = h[i].y; hz[i] = h[i].z; hm[i] = h[i].m;
        h4[i] = make_float4(h[i].x, h[i].y, h[i].z, h[i].m);
    }
    BodyAoS* da;
    BodiesSoA ds;
    float4* d4;
    float* acc;
    OK(cudaMalloc(&da, n * sizeof(BodyAoS))); OK(cudaMalloc(&d4, n * sizeof(float4))); OK(cudaMalloc(&acc, n * 12));
    OK(cudaMalloc(&ds.x, n * 4)); OK(cudaMalloc(&ds.y, n * 4)); OK(cudaMalloc(&ds.z, n * 4)); OK(cudaMalloc(&ds.m, n * 4));
    OK(cudaMemcpy(da, h.data(), n * sizeof(BodyAoS), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d4, h4.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(ds.x, hx.data(), n * 4, cudaMemcpyHostToDevice)); OK(cudaMemcpy(ds.y, hy.data(), n * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(ds.z, hz.data(), n * 4, cudaMemcpyHostToDevice)); OK(cudaMemcpy(ds.m, hm.data(), n * 4, cudaMemcpyHostToDevice));
    for (int v = 0; v < 3; ++v) {
        OK(cudaMemset(acc, 0, n * 12));
        if (v == 0) nbody_aos<<<n / 64, 64>>>(da, acc, n);
        if (v == 1) nbody_soa_tile<<<n / 128, 128>>>(ds, acc, n);
        if (v == 2) nbody_float4_split<<<dim3(n / 512, 8), 256>>>(d4, acc, n);
        OK(cudaGetLastError());
        std::vector<float> g(3 * n);
        OK(cudaMemcpy(g.data(), acc, n * 12, cudaMemcpyDeviceToHost));
        double worst = 0;
        for (int i = v; i < n; i += 101) {
            double a[3] = {0, 0, 0};
            for (int j = 0; j < n; ++j) {
                double dx = (double)hx[j] - hx[i], dy = (double)hy[j] - hy[i], dz = (double)hz[j] - hz[i];
                double r = sqrt(dx * dx + dy * dy + dz * dz + SOFT), s = hm[j] / (r * r * r);
                a[0] += s * dx; a[1] += s * dy; a[2] += s * dz;
            }
            for (int c = 0; c < 3; ++c) { double e = fabs(a[c] - g[3 * i + c]); if (!(e <= worst)) worst = e; }
        }
        const char* nm[] = {"n-body AoS", "n-body SoA tile", "n-body float4 split"};
        tell(nm[v], worst < 1e-4, worst);
    }
    cudaFree(da); cudaFree(d4); cudaFree(acc); cudaFree(ds.x); cudaFree(ds.y); cudaFree(ds.z); cudaFree(ds.m);
}

// =================================================================================== options
struct Option { float s0, strike, r, sigma, T; };
struct XorWow { uint32_t x, y, z, w, d; };

__host__ __device__ inline uint32_t scramble(uint32_t v) {
    v ^= v >> 16; v *= 0x7feb352du; v ^= v >> 15; v *= 0x846ca68bu; v ^= v >> 16;
    return v;
}
__host__ __device__ inline XorWow seeded(uint32_t id) {
    return XorWow{scramble(id * 4 + 1), scramble(id * 4 + 2), scramble(id * 4 + 3), scramble(id * 4 + 4) | 1u, id};
}
__host__ __device__ inline uint32_t draw(XorWow& g) {
    uint32_t t = g.x ^ (g.x >> 2);
    g.x = g.y; g.y = g.z; g.z = g.w;
    g.w = (g.w ^ (g.w << 4)) ^ (t ^ (t << 1));
    g.d += 362437u;
    return g.w + g.d;
}
__host__ __device__ inline float uniform_open(XorWow& g) { return ((draw(g) >> 8) + 0.5f) * (1.0f / 16777216.0f); }

__global__ void european_call(Option o, int paths_each, double* sum, double* sum2) {
    __shared__ double s1[8], s2[8];
    XorWow g = seeded(blockIdx.x * blockDim.x + threadIdx.x);
    const float drift = (o.r - 0.5f * o.sigma * o.sigma) * o.T, vol = o.sigma * sqrtf(o.T);
    float a = 0, b = 0;
    for (int p = 0; p < paths_each; p += 2) {
        float rad = sqrtf(-2.0f * __logf(uniform_open(g))), sn, cs;
        __sincosf(6.2831853f * uniform_open(g), &sn, &cs);
        float p0 = fmaxf(o.s0 * __expf(drift + vol * rad * cs) - o.strike, 0.f);
        float p1 = fmaxf(o.s0 * __expf(drift + vol * rad * sn) - o.strike, 0.f);
        a += p0 + p1;
        b += p0 * p0 + p1 * p1;
    }
    double da = a, db = b;
    for (int k = 16; k; k >>= 1) { da += __shfl_down_sync(~0u, da, k); db += __shfl_down_sync(~0u, db, k); }
    if ((threadIdx.x & 31) == 0) { s1[threadIdx.x >> 5] = da; s2[threadIdx.x >> 5] = db; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; ++w) { da += s1[w]; db += s2[w]; }
        atomicAdd(sum, da);
        atomicAdd(sum2, db);
    }
}

// arithmetic Asian call, one path a thread with a step loop, the payoff stored for each thread
__global__ void asian_call(Option o, int steps, float* payoff, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    XorWow g = seeded(i + 1000000u);
    const float dt = o.T / steps, drift = (o.r - 0.5f * o.sigma * o.sigma) * dt, vol = o.sigma * sqrtf(dt);
    float logs = logf(o.s0), mean = 0;
    for (int t = 0; t < steps; ++t) {
        float radius = sqrtf(-2.f * logf(uniform_open(g)));
        logs += drift + vol * radius * cosf(6.2831853f * uniform_open(g));
        mean += expf(logs);
    }
    payoff[i] = fmaxf(mean / steps - o.strike, 0.f);
}

static double cnd(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }
static void experiment_options() {
    Option o = {100.f, 105.f, 0.03f, 0.25f, 1.5f};
    double *d, h[2];
    OK(cudaMalloc(&d, 16));
    OK(cudaMemset(d, 0, 16));
    const int blocks = 528, threads = 256, each = 128;
    european_call<<<blocks, threads>>>(o, each, d, d + 1);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
    double n = (double)blocks * threads * each, mean = h[0] / n, sd = sqrt((h[1] / n - mean * mean) / n), disc = exp(-o.r * o.T);
    double d1 = (log(o.s0 / o.strike) + (o.r + 0.5 * o.sigma * o.sigma) * o.T) / (o.sigma * sqrt(o.T)), d2 = d1 - o.sigma * sqrt(o.T);
    double bs = o.s0 * cnd(d1) - o.strike * disc * cnd(d2), err = fabs(disc * mean - bs);
    tell("European call", err < 6 * disc * sd + 2e-3, err);

    const int m = 1 << 17, steps = 64;
    float* pay;
    OK(cudaMalloc(&pay, m * 4));
    asian_call<<<m / 128, 128>>>(o, steps, pay, m);
    OK(cudaGetLastError());
    std::vector<float> hp(m);
    OK(cudaMemcpy(hp.data(), pay, m * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int i = 0; i < m; i += 97) {      // the same paths on the host in double
        XorWow g = seeded(i + 1000000u);
        double dt = (double)o.T / steps, logs = log(o.s0), avg = 0;
        for (int t = 0; t < steps; ++t) {
            double u1 = uniform_open(g), u2 = uniform_open(g);
            logs += (o.r - 0.5 * o.sigma * o.sigma) * dt + o.sigma * sqrt(dt) * sqrt(-2 * log(u1)) * cos(6.283185307179586 * u2);
            avg += exp(logs);
        }
        double want = fmax(avg / steps - o.strike, 0.0), e = fabs(want - hp[i]);
        if (!(e <= worst)) worst = e;
    }
    tell("Asian call", worst < 2e-2, worst);
    cudaFree(d); cudaFree(pay);
}

// =================================================================================== Mandelbrot
struct View { float x0, y0, dx, dy; int w, h, limit; };
__host__ __device__ inline int escape(float cx, float cy, int limit) {
    float x = 0, y = 0;
    int i = 0;
    while (i < limit && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++i;
    }
    return i;
}
__global__ void mandel_pixel(View v, uint16_t* out) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < v.w && py < v.h) out[py * v.w + px] = escape(v.x0 + px * v.dx, v.y0 + py * v.dy, v.limit);
}
// pixels handed out to warps through a counter, main cardioid and disc known beforehand
__global__ void mandel_dynamic(View v, uint16_t* out, int* counter) {
    const int lane = threadIdx.x & 31, total = v.w * v.h;
    for (;;) {
        int first = 0;
        if (lane == 0) first = atomicAdd(counter, 32);
        first = __shfl_sync(~0u, first, 0);
        if (first >= total) break;
        int p = first + lane;
        if (p < total) {
            float cx = v.x0 + (p % v.w) * v.dx, cy = v.y0 + (p / v.w) * v.dy, a = cx - 0.25f, q = a * a + cy * cy;
            bool inside = q * (q + a) < 0.25f * cy * cy || (cx + 1) * (cx + 1) + cy * cy < 0.0625f;
            out[p] = inside ? v.limit : escape(cx, cy, v.limit);
        }
    }
}
static void experiment_mandel() {
    View v = {-2.2f, -1.25f, 3.2f / 1280, 2.5f / 1000, 1280, 1000, 300};
    const int n = v.w * v.h;
    std::vector<uint16_t> want(n), got(n);
    for (int y = 0; y < v.h; ++y)
        for (int x = 0; x < v.w; ++x) want[y * v.w + x] = escape(v.x0 + x * v.dx, v.y0 + y * v.dy, v.limit);
    uint16_t* d;
    int* counter;
    OK(cudaMalloc(&d, n * 2));
    OK(cudaMalloc(&counter, 4));
    for (int k = 0; k < 2; ++k) {
        OK(cudaMemset(d, 0xff, n * 2));
        OK(cudaMemset(counter, 0, 4));
        if (k == 0) mandel_pixel<<<dim3(v.w / 16, (v.h + 15) / 16), dim3(16, 16)>>>(v, d);
        else mandel_dynamic<<<528, 128>>>(v, d, counter);
        OK(cudaGetLastError());
        OK(cudaMemcpy(got.data(), d, n * 2, cudaMemcpyDeviceToHost));
        int differ = 0;
        for (int i = 0; i < n; ++i) differ += got[i] != want[i];
        // rounding (fused or not) moves a few pixels on the border
        tell(k ? "Mandelbrot dynamic" : "Mandelbrot pixel", differ < n / 25, (double)differ / n);
    }
    cudaFree(d); cudaFree(counter);
}

// =================================================================================== lattice Boltzmann D2Q9, periodic, pull
__constant__ int c_ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int c_ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int h_ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, h_ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__host__ __device__ inline void collide(float f[9], float omega) {
    float rho = 0;
    for (int q = 0; q < 9; ++q) rho += f[q];
    float ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho, uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho;
    float u2 = 1.f - 1.5f * (ux * ux + uy * uy);
    const float dirs[9] = {0, ux, uy, -ux, -uy, ux + uy, uy - ux, -ux - uy, ux - uy};
    for (int q = 0; q < 9; ++q) {
        float w = q == 0 ? 4.f / 9 : q < 5 ? 1.f / 9 : 1.f / 36, e = dirs[q];
        f[q] += omega * (w * rho * (u2 + 3.f * e + 4.5f * e * e) - f[q]);
    }
}
// layout 0: f[q][y][x], layout 1: f[y][x][q]
template <int LAYOUT>
__global__ void lbm_step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const size_t plane = (size_t)nx * ny;
    float f[9];
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        int sx = x - c_ex[q], sy = y - c_ey[q];
        sx += sx < 0 ? nx : sx >= nx ? -nx : 0;
        sy += sy < 0 ? ny : sy >= ny ? -ny : 0;
        size_t cell = (size_t)sy * nx + sx;
        f[q] = LAYOUT == 0 ? in[q * plane + cell] : in[cell * 9 + q];
    }
    collide(f, omega);
    size_t cell = (size_t)y * nx + x;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        if (LAYOUT == 0) out[q * plane + cell] = f[q];
        else out[cell * 9 + q] = f[q];
    }
}
static void experiment_lbm() {
    const int nx = 768, ny = 512;
    const size_t plane = (size_t)nx * ny;
    std::vector<float> soa(plane * 9), aos(plane * 9), want(plane * 9), got(plane * 9);
    for (size_t c = 0; c < plane; ++c)
        for (int q = 0; q < 9; ++q) {
            float w = q == 0 ? 4.f / 9 : q < 5 ? 1.f / 9 : 1.f / 36;
            soa[q * plane + c] = aos[c * 9 + q] = w * (1.f + 0.1f * lcg01());
        }
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            float f[9];
            for (int q = 0; q < 9; ++q) f[q] = soa[q * plane + (size_t)((y - h_ey[q] + ny) % ny) * nx + (x - h_ex[q] + nx) % nx];
            collide(f, 1.7f);
            for (int q = 0; q < 9; ++q) want[q * plane + (size_t)y * nx + x] = f[q];
        }
    float *a, *b;
    OK(cudaMalloc(&a, plane * 36));
    OK(cudaMalloc(&b, plane * 36));
    for (int k = 0; k < 2; ++k) {
        OK(cudaMemcpy(a, k ? aos.data() : soa.data(), plane * 36, cudaMemcpyHostToDevice));
        OK(cudaMemset(b, 0xff, plane * 36));
        if (k == 0) lbm_step<0><<<dim3(nx / 128, ny), 128>>>(a, b, nx, ny, 1.7f);
        else lbm_step<1><<<dim3(nx / 32, ny / 4), dim3(32, 4)>>>(a, b, nx, ny, 1.7f);
        OK(cudaGetLastError());
        OK(cudaMemcpy(got.data(), b, plane * 36, cudaMemcpyDeviceToHost));
        double worst = 0;
        for (size_t c = 0; c < plane; ++c)
            for (int q = 0; q < 9; ++q) {
                double e = fabs((double)want[q * plane + c] - (k ? got[c * 9 + q] : got[q * plane + c]));
                if (!(e <= worst)) worst = e;
            }
        tell(k ? "LBM D2Q9 AoS" : "LBM D2Q9 SoA", worst < 1e-5, worst);
    }
    cudaFree(a); cudaFree(b);
}

// =================================================================================== wave equation, fourth order in space
__global__ void wave_step(const float* __restrict__ prev, const float* __restrict__ cur, float* __restrict__ next, int nx, int ny, float c2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    if (x >= nx - 2 || y >= ny - 2) return;
    int i = y * nx + x;
    float u = cur[i];
    float lap = -5.f * u + (4.f / 3) * (cur[i - 1] + cur[i + 1] + cur[i - nx] + cur[i + nx]) - (1.f / 12) * (cur[i - 2] + cur[i + 2] + cur[i - 2 * nx] + cur[i + 2 * nx]);
    next[i] = 2.f * u - prev[i] + c2 * lap;
}
static void experiment_wave() {
    const int nx = 2000, ny = 1000;
    const size_t n = (size_t)nx * ny;
    std::vector<float> p(n), c(n), w(n, 0.f), g(n);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            float r2 = (x - 700.f) * (x - 700.f) + (y - 400.f) * (y - 400.f);
            p[(size_t)y * nx + x] = expf(-r2 / 900.f);
            c[(size_t)y * nx + x] = 0.98f * expf(-r2 / 930.f);
        }
    float *d[3];
    for (auto& q : d) { OK(cudaMalloc(&q, n * 4)); OK(cudaMemset(q, 0, n * 4)); }
    OK(cudaMemcpy(d[0], p.data(), n * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d[1], c.data(), n * 4, cudaMemcpyHostToDevice));
    dim3 blk(64, 4), grd((nx - 4 + 63) / 64, (ny - 4 + 3) / 4);
    wave_step<<<grd, blk>>>(d[0], d[1], d[2], nx, ny, 0.2f);
    wave_step<<<grd, blk>>>(d[1], d[2], d[0], nx, ny, 0.2f);      // over the oldest level; its rim is not touched
    OK(cudaGetLastError());
    OK(cudaMemcpy(g.data(), d[0], n * 4, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 2; ++s) {
        std::vector<float>& dst = s ? p : w;
        const std::vector<float>&prev = s ? c : p, &cur = s ? w : c;
        for (int y = 2; y < ny - 2; ++y)
            for (int x = 2; x < nx - 2; ++x) {
                size_t i = (size_t)y * nx + x;
                float lap = -5.f * cur[i] + (4.f / 3) * (cur[i - 1] + cur[i + 1] + cur[i - nx] + cur[i + nx]) -
                            (1.f / 12) * (cur[i - 2] + cur[i + 2] + cur[i - 2 * nx] + cur[i + 2 * nx]);
                dst[i] = 2.f * cur[i] - prev[i] + 0.2f * lap;
            }
    }
    double worst = 0;
    for (size_t i = 0; i < n; ++i) { double e = fabs((double)g[i] - p[i]); if (!(e <= worst)) worst = e; }
    tell("wave, two steps", worst < 1e-5, worst);
    for (auto q : d) cudaFree(q);
}

// =================================================================================== game of life, a byte per cell, torus
__host__ __device__ inline uint8_t rule(int alive, int sum) { return sum == 3 || (alive && sum == 2); }
__global__ void life_byte(const uint8_t* in, uint8_t* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int l = (x + w - 1) % w, r = (x + 1) % w;
    const uint8_t *a = in + (size_t)((y + h - 1) % h) * w, *b = in + (size_t)y * w, *c = in + (size_t)((y + 1) % h) * w;
    out[(size_t)y * w + x] = rule(b[x], a[l] + a[x] + a[r] + b[l] + b[r] + c[l] + c[x] + c[r]);
}
__global__ void __launch_bounds__(512) life_shared(const uint8_t* __restrict__ in, uint8_t* __restrict__ out, int w, int h) {
    __shared__ uint8_t t[18][34];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, id = threadIdx.y * 32 + threadIdx.x;
    for (int q = id; q < 18 * 34; q += 512) t[q / 34][q % 34] = in[(size_t)((y0 + q / 34 - 1 + h) % h) * w + (x0 + q % 34 - 1 + w) % w];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) sum += t[threadIdx.y + j][threadIdx.x + i];
    int me = t[threadIdx.y + 1][threadIdx.x + 1];
    out[(size_t)(y0 + threadIdx.y) * w + x0 + threadIdx.x] = rule(me, sum - me);
}
// four cells in a word: byte-wise additions never carry over
__device__ __forceinline__ uint32_t row3(const uint32_t* r, int x, int w4, uint32_t& mid) {
    uint32_t l = r[x ? x - 1 : w4 - 1], m = r[x], n = r[x + 1 < w4 ? x + 1 : 0];
    mid = m;
    return m + __funnelshift_l(l, m, 8) + __funnelshift_r(m, n, 8);
}
__global__ void life_word(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int w4, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w4) return;
    uint32_t dump, me;
    uint32_t s = row3(in + (size_t)(y ? y - 1 : h - 1) * w4, x, w4, dump) + row3(in + (size_t)(y + 1 < h ? y + 1 : 0) * w4, x, w4, dump);
    s += row3(in + (size_t)y * w4, x, w4, me) - me;
    uint32_t three = __vcmpeq4(s, 0x03030303u), two = __vcmpeq4(s, 0x02020202u);
    out[(size_t)y * w4 + x] = (three & 0x01010101u) | (two & me);
}
static void experiment_life() {
    const int w = 2048, h = 1024;
    const size_t n = (size_t)w * h;
    std::vector<uint8_t> a(n), want(n), got(n);
    for (auto& c : a) c = lcg01() < 0.35f;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            int s = 0;
            for (int j = -1; j <= 1; ++j) for (int i = -1; i <= 1; ++i) if (i || j) s += a[(size_t)((y + j + h) % h) * w + (x + i + w) % w];
            want[(size_t)y * w + x] = rule(a[(size_t)y * w + x], s);
        }
    uint8_t *da, *db;
    OK(cudaMalloc(&da, n));
    OK(cudaMalloc(&db, n));
    OK(cudaMemcpy(da, a.data(), n, cudaMemcpyHostToDevice));
    const char* nm[] = {"life bytes", "life shared", "life words"};
    for (int k = 0; k < 3; ++k) {
        OK(cudaMemset(db, 0xff, n));
        if (k == 0) life_byte<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(da, db, w, h);
        if (k == 1) life_shared<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(da, db, w, h);
        if (k == 2) life_word<<<dim3(w / 4 / 128, h), 128>>>((const uint32_t*)da, (uint32_t*)db, w / 4, h);
        OK(cudaGetLastError());
        OK(cudaMemcpy(got.data(), db, n, cudaMemcpyDeviceToHost));
        size_t bad = 0;
        for (size_t i = 0; i < n; ++i) bad += got[i] != want[i];
        tell(nm[k], bad == 0, (double)bad);
    }
    cudaFree(da); cudaFree(db);
}

int main() {
    experiment_nbody();
    experiment_options();
    experiment_mandel();
    experiment_lbm();
    experiment_wave();
    experiment_life();
    printf("%d bad\n", n_bad);
    return n_bad;
}
