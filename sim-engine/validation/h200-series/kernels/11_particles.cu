// Particle methods: all-pairs gravity (3 variants) and an SPH step on a uniform cell list.
// Uses managed memory with explicit prefetching.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

static void die(cudaError_t e, const char *expr, int line) {
    std::fprintf(stderr, "line %d: %s: %s\n", line, expr, cudaGetErrorString(e));
    std::exit(1);
}
#define CUDA(expr)                                          \
    do {                                                    \
        cudaError_t e__ = (expr);                           \
        if (e__ != cudaSuccess) die(e__, #expr, __LINE__);  \
    } while (0)

// Owning managed array.
template <typename T>
struct Managed {
    T *p = nullptr;
    size_t n = 0;
    explicit Managed(size_t count) : n(count) { CUDA(cudaMallocManaged(&p, n * sizeof(T))); }
    ~Managed() { cudaFree(p); }
    Managed(const Managed &) = delete;
    Managed &operator=(const Managed &) = delete;
    T &operator[](size_t i) { return p[i]; }
    void prefetch(int device) {
        cudaMemLocation loc{};
        loc.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
        loc.id = device < 0 ? 0 : device;
        CUDA(cudaMemPrefetchAsync(p, n * sizeof(T), loc, 0, 0));
    }
};

// ================================================================= all pairs
__device__ __forceinline__ void gravity(float3 &a, const float4 &pi, const float4 &pj, float eps2) {
    const float dx = pj.x - pi.x, dy = pj.y - pi.y, dz = pj.z - pi.z;
    const float d2 = dx * dx + dy * dy + dz * dz + eps2;
    const float inv = rsqrtf(d2);
    const float s = pj.w * inv * inv * inv;
    a.x += dx * s;
    a.y += dy * s;
    a.z += dz * s;
}

__global__ void nbody_naive(const float4 *__restrict__ pos, float4 *__restrict__ acc, int n, float eps2) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 pi = pos[i];
    float3 a = {0.f, 0.f, 0.f};
    for (int j = 0; j < n; ++j) gravity(a, pi, pos[j], eps2);
    acc[i] = make_float4(a.x, a.y, a.z, 0.f);
}

__global__ void nbody_tiled(const float4 *__restrict__ pos, float4 *__restrict__ acc, int n, float eps2) {
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 pi = i < n ? pos[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float3 a = {0.f, 0.f, 0.f};
    for (int base = 0; base < n; base += blockDim.x) {
        const int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0.f, 0.f, 0.f, 0.f);  // massless filler
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; ++k) gravity(a, pi, tile[k], eps2);
        __syncthreads();
    }
    if (i < n) acc[i] = make_float4(a.x, a.y, a.z, 0.f);
}

// Several bodies per thread: each shared-memory read feeds BODIES interactions.
template <int THREADS, int BODIES>
__global__ void __launch_bounds__(THREADS)
    nbody_multi_body(const float4 *__restrict__ pos, float4 *__restrict__ acc, int n, float eps2) {
    __shared__ float4 tile[2][THREADS];
    const int first = blockIdx.x * THREADS * BODIES + threadIdx.x;
    float4 p[BODIES];
    float3 a[BODIES];
#pragma unroll
    for (int b = 0; b < BODIES; ++b) {
        p[b] = pos[min(first + b * THREADS, n - 1)];
        a[b] = make_float3(0.f, 0.f, 0.f);
    }
    tile[0][threadIdx.x] = pos[threadIdx.x];
    __syncthreads();
    int cur = 0;
    for (int base = 0; base < n; base += THREADS) {  // n is a multiple of THREADS
        if (base + THREADS < n) tile[cur ^ 1][threadIdx.x] = pos[base + THREADS + threadIdx.x];
#pragma unroll 16
        for (int k = 0; k < THREADS; ++k) {
            const float4 q = tile[cur][k];
#pragma unroll
            for (int b = 0; b < BODIES; ++b) gravity(a[b], p[b], q, eps2);
        }
        __syncthreads();
        cur ^= 1;
    }
#pragma unroll
    for (int b = 0; b < BODIES; ++b)
        if (first + b * THREADS < n) acc[first + b * THREADS] = make_float4(a[b].x, a[b].y, a[b].z, 0.f);
}

// ================================================================= SPH on a cell list
struct SphParams {
    int n, dim;                 // particles, cells per axis
    float h, mass;
    float poly6, spiky_grad, visc_lap;
    float rest_density, stiffness, viscosity, dt;
};

__host__ __device__ inline int3 cell_of(float4 p, int dim) {
    int x = (int)(p.x * dim), y = (int)(p.y * dim), z = (int)(p.z * dim);
    x = x < 0 ? 0 : (x >= dim ? dim - 1 : x);
    y = y < 0 ? 0 : (y >= dim ? dim - 1 : y);
    z = z < 0 ? 0 : (z >= dim ? dim - 1 : z);
    return make_int3(x, y, z);
}

__global__ void cell_count(SphParams sp, const float4 *__restrict__ pos, int *__restrict__ counts, int2 *__restrict__ slot) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sp.n) return;
    const int3 c = cell_of(pos[i], sp.dim);
    const int id = (c.z * sp.dim + c.y) * sp.dim + c.x;
    slot[i] = make_int2(id, atomicAdd(&counts[id], 1));
}

// One block; writes ncells + 1 exclusive offsets.
__global__ void __launch_bounds__(1024) cell_scan(const int *__restrict__ counts, int *__restrict__ start, int ncells) {
    __shared__ int ws[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int carry = 0;
    for (int base = 0; base < ncells; base += 1024) {
        const int i = base + threadIdx.x;
        const int v = i < ncells ? counts[i] : 0;
        int inc = v;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const int t = __shfl_up_sync(0xffffffffu, inc, d);
            if (lane >= d) inc += t;
        }
        if (lane == 31) ws[warp] = inc;
        __syncthreads();
        if (warp == 0) {
            int w = ws[lane];
#pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                const int t = __shfl_up_sync(0xffffffffu, w, d);
                if (lane >= d) w += t;
            }
            ws[lane] = w;
        }
        __syncthreads();
        if (i < ncells) start[i] = carry + (warp ? ws[warp - 1] : 0) + inc - v;
        carry += ws[31];
        __syncthreads();
    }
    if (threadIdx.x == 0) start[ncells] = carry;
}

__global__ void cell_scatter(SphParams sp, const float4 *__restrict__ pos, const float4 *__restrict__ vel,
                             const int2 *__restrict__ slot, const int *__restrict__ start, float4 *__restrict__ spos,
                             float4 *__restrict__ svel) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sp.n) return;
    const int2 s = slot[i];
    const int dst = start[s.x] + s.y;
    spos[dst] = pos[i];
    svel[dst] = vel[i];
}

template <class F>
__device__ __forceinline__ void for_each_neighbor_range(const SphParams &sp, float4 p, const int *__restrict__ start, F f) {
    const int3 c = cell_of(p, sp.dim);
    const int x0 = max(c.x - 1, 0), x1 = min(c.x + 1, sp.dim - 1);
    for (int z = max(c.z - 1, 0); z <= min(c.z + 1, sp.dim - 1); ++z)
        for (int y = max(c.y - 1, 0); y <= min(c.y + 1, sp.dim - 1); ++y) {
            const int row = (z * sp.dim + y) * sp.dim;
            f(start[row + x0], start[row + x1 + 1]);  // x-neighbours are contiguous
        }
}

__global__ void __launch_bounds__(128)
    sph_density(SphParams sp, const float4 *__restrict__ spos, const int *__restrict__ start, float2 *__restrict__ rho_p) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sp.n) return;
    const float4 p = spos[i];
    const float h2 = sp.h * sp.h;
    float sum = 0.f;
    for_each_neighbor_range(sp, p, start, [&](int b, int e) {
        for (int j = b; j < e; ++j) {
            const float4 q = spos[j];
            const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
            const float r2 = dx * dx + dy * dy + dz * dz;
            const float d = fmaxf(h2 - r2, 0.f);
            sum += d * d * d;
        }
    });
    const float rho = sp.mass * sp.poly6 * sum;
    rho_p[i] = make_float2(rho, sp.stiffness * fmaxf(rho - sp.rest_density, 0.f));
}

__global__ void __launch_bounds__(128)
    sph_force_integrate(SphParams sp, const float4 *__restrict__ spos, const float4 *__restrict__ svel,
                        const float2 *__restrict__ rho_p, const int *__restrict__ start, float4 *__restrict__ npos,
                        float4 *__restrict__ nvel) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sp.n) return;
    const float4 p = spos[i], v = svel[i];
    const float2 me = rho_p[i];
    const float h2 = sp.h * sp.h;
    float fx = 0.f, fy = 0.f, fz = 0.f;
    for_each_neighbor_range(sp, p, start, [&](int b, int e) {
        for (int j = b; j < e; ++j) {
            const float4 q = spos[j];
            const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
            const float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < h2 && r2 > 1e-14f) {
                const float rinv = rsqrtf(r2);
                const float hr = sp.h - r2 * rinv;
                const float2 o = rho_p[j];
                const float4 w = svel[j];
                const float vol = sp.mass / o.x;
                const float press = 0.5f * (me.y + o.y) * vol * sp.spiky_grad * hr * hr * rinv;
                const float visc = sp.viscosity * vol * sp.visc_lap * hr;
                fx += press * dx + visc * (w.x - v.x);
                fy += press * dy + visc * (w.y - v.y);
                fz += press * dz + visc * (w.z - v.z);
            }
        }
    });
    const float s = sp.dt / me.x;
    const float4 nv = make_float4(v.x + s * fx, v.y + s * fy, v.z + s * fz - 9.8f * sp.dt, 0.f);
    nvel[i] = nv;
    npos[i] = make_float4(p.x + sp.dt * nv.x, p.y + sp.dt * nv.y, p.z + sp.dt * nv.z, p.w);
}

// ================================================================= host
static uint32_t g_seed = 7u;
static float frand() {
    g_seed = g_seed * 1664525u + 1013904223u;
    return (g_seed >> 8) * (1.0f / 16777216.0f);
}

static bool all_pairs(int dev) {
    const int n = 32768;
    const float eps2 = 1e-3f;
    Managed<float4> pos(n), acc(n);
    for (int i = 0; i < n; ++i) pos[i] = make_float4(frand() - 0.5f, frand() - 0.5f, frand() - 0.5f, (1.0f + frand()) / n);

    bool ok = true;
    auto verify = [&](const char *name) {
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
        double worst = 0;
        for (int s = 0; s < 40; ++s) {
            const int i = (s * 977 + 31) % n;
            double a[3] = {0, 0, 0};
            for (int j = 0; j < n; ++j) {
                const double d[3] = {(double)pos[j].x - pos[i].x, (double)pos[j].y - pos[i].y, (double)pos[j].z - pos[i].z};
                const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2;
                const double k = pos[j].w / (r2 * std::sqrt(r2));
                for (int c = 0; c < 3; ++c) a[c] += k * d[c];
            }
            const double mag = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) + 1e-3;
            const double e = std::fmax(std::fabs(a[0] - acc[i].x), std::fmax(std::fabs(a[1] - acc[i].y), std::fabs(a[2] - acc[i].z)));
            if (!(e / mag <= worst)) worst = e / mag;
        }
        std::printf("%-20s rel err %.3e\n", name, worst);
        ok = ok && worst < 2e-3;
        for (int i = 0; i < n; ++i) acc[i] = make_float4(NAN, NAN, NAN, NAN);
        pos.prefetch(dev);
        acc.prefetch(dev);
        CUDA(cudaDeviceSynchronize());
    };
    pos.prefetch(dev);
    acc.prefetch(dev);
    CUDA(cudaDeviceSynchronize());

    nbody_naive<<<n / 256, 256>>>(pos.p, acc.p, n, eps2);
    verify("nbody_naive");
    nbody_tiled<<<n / 256, 256, 256 * sizeof(float4)>>>(pos.p, acc.p, n, eps2);
    verify("nbody_tiled");
    nbody_multi_body<128, 2><<<n / 256, 128>>>(pos.p, acc.p, n, eps2);
    verify("nbody_multi_body");
    return ok;
}

static bool sph(int dev) {
    const int side = 64, dim = 32, n = side * side * side, ncells = dim * dim * dim;
    const double pi = 3.14159265358979;
    SphParams sp{};
    sp.n = n;
    sp.dim = dim;
    sp.h = 1.0f / dim;
    sp.mass = 1000.0f / n;
    sp.poly6 = (float)(315.0 / (64.0 * pi * std::pow((double)sp.h, 9)));
    sp.spiky_grad = (float)(45.0 / (pi * std::pow((double)sp.h, 6)));
    sp.visc_lap = (float)(45.0 / (pi * std::pow((double)sp.h, 6)));
    sp.rest_density = 900.0f;
    sp.stiffness = 2.0f;
    sp.viscosity = 0.1f;
    sp.dt = 1e-4f;

    Managed<float4> pos(n), vel(n), spos(n), svel(n), npos(n), nvel(n);
    Managed<int> counts(ncells), start(ncells + 1);
    Managed<int2> slot(n);
    Managed<float2> rho(n);
    // Jittered lattice visited in a scrambled order, so that sorting matters.
    for (int i = 0; i < n; ++i) {
        const uint32_t k = ((uint32_t)i * 40503u + 12345u) & (n - 1);
        const int x = k % side, y = (k / side) % side, z = k / (side * side);
        pos[i] = make_float4((x + 0.1f + 0.8f * frand()) / side, (y + 0.1f + 0.8f * frand()) / side,
                             (z + 0.1f + 0.8f * frand()) / side, (float)i);
        vel[i] = make_float4(frand() - 0.5f, frand() - 0.5f, frand() - 0.5f, 0.f);
    }
    for (int c = 0; c < ncells; ++c) counts[c] = 0;
    pos.prefetch(dev); vel.prefetch(dev); spos.prefetch(dev); svel.prefetch(dev); npos.prefetch(dev); nvel.prefetch(dev);
    counts.prefetch(dev); start.prefetch(dev); slot.prefetch(dev); rho.prefetch(dev);
    CUDA(cudaDeviceSynchronize());

    cell_count<<<(n + 255) / 256, 256>>>(sp, pos.p, counts.p, slot.p);
    CUDA(cudaGetLastError());
    cell_scan<<<1, 1024>>>(counts.p, start.p, ncells);
    CUDA(cudaGetLastError());
    cell_scatter<<<(n + 255) / 256, 256>>>(sp, pos.p, vel.p, slot.p, start.p, spos.p, svel.p);
    CUDA(cudaGetLastError());
    sph_density<<<(n + 127) / 128, 128>>>(sp, spos.p, start.p, rho.p);
    CUDA(cudaGetLastError());
    sph_force_integrate<<<(n + 127) / 128, 128>>>(sp, spos.p, svel.p, rho.p, start.p, npos.p, nvel.p);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    for (auto *m : {&spos, &svel, &npos, &nvel}) m->prefetch(-1);
    rho.prefetch(-1);
    start.prefetch(-1);
    CUDA(cudaDeviceSynchronize());

    bool ok = start[ncells] == n;
    // sorted order is a permutation, and every particle is in its cell
    int misplaced = 0;
    double idsum = 0;
    for (int c = 0; c < ncells; ++c)
        for (int j = start[c]; j < start[c + 1]; ++j) {
            const int3 q = cell_of(spos[j], dim);
            misplaced += (q.z * dim + q.y) * dim + q.x != c;
            idsum += spos[j].w;
        }
    ok = ok && misplaced == 0 && idsum == 0.5 * n * (n - 1.0);

    double e_rho = 0, e_vel = 0;
    for (int s = 0; s < 48; ++s) {
        const int i = (int)((long long)s * 54773 % n);
        double sum = 0, f[3] = {0, 0, 0};
        for (int j = 0; j < n; ++j) {
            const double d[3] = {(double)spos[i].x - spos[j].x, (double)spos[i].y - spos[j].y, (double)spos[i].z - spos[j].z};
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], h2 = (double)sp.h * sp.h;
            if (r2 >= h2) continue;
            sum += std::pow(h2 - r2, 3);
            if (j == i) continue;
            const double r = std::sqrt(r2), hr = sp.h - r, vol = sp.mass / rho[j].x;
            const double press = 0.5 * (rho[i].y + rho[j].y) * vol * sp.spiky_grad * hr * hr / r;
            const double visc = sp.viscosity * vol * sp.visc_lap * hr;
            f[0] += press * d[0] + visc * (svel[j].x - svel[i].x);
            f[1] += press * d[1] + visc * (svel[j].y - svel[i].y);
            f[2] += press * d[2] + visc * (svel[j].z - svel[i].z);
        }
        const double want = sum * sp.mass * sp.poly6;
        const double er = std::fabs(want - rho[i].x) / want;
        if (!(er <= e_rho)) e_rho = er;
        const double k = sp.dt / rho[i].x;
        const double nv[3] = {svel[i].x + k * f[0], svel[i].y + k * f[1], svel[i].z + k * f[2] - 9.8 * sp.dt};
        const double ev = std::fmax(std::fabs(nv[0] - nvel[i].x), std::fmax(std::fabs(nv[1] - nvel[i].y), std::fabs(nv[2] - nvel[i].z)));
        if (!(ev <= e_vel)) e_vel = ev;
    }
    std::printf("sph: misplaced %d, density rel err %.2e, velocity err %.2e\n", misplaced, e_rho, e_vel);
    return ok && e_rho < 1e-3 && e_vel < 2e-5;
}

int main() {
    int dev = 0;
    CUDA(cudaGetDevice(&dev));
    const bool a = all_pairs(dev);
    const bool b = sph(dev);
    std::puts(a && b ? "PASS" : "FAIL");
    return a && b ? 0 : 1;
}
