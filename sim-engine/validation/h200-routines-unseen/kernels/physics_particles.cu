/*
 * physics_particles.cu : n-body, cell lists, ray marching and Monte Carlo.
 * Ported from the group's C code; particle data as structs, indices as size_t / unsigned.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <cuda_runtime.h>
#define SOFTENING 1e-3f
#define PI_F 3.14159265f
static void panic(const char *msg, cudaError_t rc) { fprintf(stderr, "fatal: %s (%s)\n", msg, cudaGetErrorString(rc)); exit(1); }
#define GPU(call) do { cudaError_t rc__ = (call); if (rc__ != cudaSuccess) panic(#call, rc__); } while (0)
typedef struct particle {
    float x, y, z, mass;
    float vx, vy, vz, pad;
} particle;

typedef struct cell_grid {
    float lo, cell;
    unsigned dim; /* cells per side */
    const unsigned *start;  /* dim^3 + 1 */
} cell_grid;
/* ---- n-body: array of structs, everything from global memory ---- */
__global__ void nbody_aos(const particle *p, float3 *acc, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float ax = 0, ay = 0, az = 0;
    for (size_t j = 0; j < n; ++j) {
        float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
        float r2 = dx * dx + dy * dy + dz * dz + SOFTENING;
        float w = p[j].mass / (r2 * sqrtf(r2));
        ax += w * dx; ay += w * dy; az += w * dz;
    }
    acc[i] = make_float3(ax, ay, az);
}
/* ---- n-body: float4 tiles in shared memory, PER bodies per thread ---- */
template <int TILE, int PER>
__global__ void __launch_bounds__(TILE) nbody_tiled(const float4 *__restrict__ pos, float4 *__restrict__ acc, unsigned n)
{
    __shared__ float4 tile[TILE];
    float4 me[PER];
    float3 a[PER];
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        unsigned i = (blockIdx.x * PER + k) * TILE + threadIdx.x;
        me[k] = i < n ? pos[i] : make_float4(0, 0, 0, 0);
        a[k] = make_float3(0, 0, 0);
    }
    for (unsigned t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = t + threadIdx.x < n ? pos[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; ++j) {
            float4 q = tile[j];
#pragma unroll
            for (int k = 0; k < PER; ++k) {
                float dx = q.x - me[k].x, dy = q.y - me[k].y, dz = q.z - me[k].z;
                float inv = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
                float w = q.w * inv * inv * inv;
                a[k].x += w * dx; a[k].y += w * dy; a[k].z += w * dz;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        unsigned i = (blockIdx.x * PER + k) * TILE + threadIdx.x;
        if (i < n) acc[i] = make_float4(a[k].x, a[k].y, a[k].z, 0);
    }
}
/* leapfrog update of the struct array, strided 32-byte records */
__global__ void integrate_aos(particle *p, const float3 *acc, size_t n, float dt)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    particle q = p[i];
    q.vx += dt * acc[i % 8192].x; q.vy += dt * acc[i % 8192].y; q.vz += dt * acc[i % 8192].z;
    q.x += dt * q.vx; q.y += dt * q.vy; q.z += dt * q.vz;
    p[i] = q;
}
__device__ __forceinline__ int cell_of(float v, cell_grid g) { int c = (int)((v - g.lo) / g.cell); return min(max(c, 0), (int)g.dim - 1); }
/* ---- short range repulsion: a thread per particle walks its 27 neighbour cells ---- */
__global__ void cell_forces_thread(const float4 *__restrict__ sorted, float4 *__restrict__ force, size_t n, cell_grid g, float rc2)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = sorted[i];
    int cx = cell_of(me.x, g), cy = cell_of(me.y, g), cz = cell_of(me.z, g);
    float fx = 0, fy = 0, fz = 0, e = 0;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                int x = cx + dx, y = cy + dy, z = cz + dz;
                if (x < 0 || y < 0 || z < 0 || x >= (int)g.dim || y >= (int)g.dim || z >= (int)g.dim) continue;
                unsigned c = (z * g.dim + y) * g.dim + x;
                for (unsigned j = g.start[c]; j < g.start[c + 1]; ++j) {
                    float4 o = sorted[j];
                    float rx = me.x - o.x, ry = me.y - o.y, rz = me.z - o.z, r2 = rx * rx + ry * ry + rz * rz;
                    if (r2 >= rc2 || j == i) continue;
                    float ir2 = 1.0f / (r2 + 1e-6f), ir6 = ir2 * ir2 * ir2 * 1e-12f, w = 24.0f * ir6 * (2.0f * ir6 - 1.0f) * ir2;
                    fx += w * rx; fy += w * ry; fz += w * rz;
                    e += 4.0f * ir6 * (ir6 - 1.0f);
                }
            }
    force[i] = make_float4(fx, fy, fz, 0.5f * e);
}
/* ---- a warp per cell: the cell's particles against each neighbour row, rows are contiguous in x ---- */
__global__ void cell_density_warp(const float4 *__restrict__ sorted, float *__restrict__ rho, cell_grid g, float h)
{
    unsigned c = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (c >= g.dim * g.dim * g.dim) return;
    int cx = c % g.dim, cy = (c / g.dim) % g.dim, cz = c / (g.dim * g.dim);
    for (unsigned i = g.start[c]; i < g.start[c + 1]; ++i) {
        float4 me = sorted[i];
        float sum = 0;
        for (int z = max(cz - 1, 0); z <= min(cz + 1, (int)g.dim - 1); ++z)
            for (int y = max(cy - 1, 0); y <= min(cy + 1, (int)g.dim - 1); ++y) {
                unsigned row = (z * g.dim + y) * g.dim;
                unsigned b = g.start[row + max(cx - 1, 0)], e = g.start[row + min(cx + 1, (int)g.dim - 1) + 1];
                for (unsigned j = b + lane; j < e; j += 32) {
                    float4 o = sorted[j];
                    float q = h * h - ((me.x - o.x) * (me.x - o.x) + (me.y - o.y) * (me.y - o.y) + (me.z - o.z) * (me.z - o.z));
                    if (q > 0) sum += o.w * q * q * q;
                }
            }
        for (int o = 16; o; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
        if (lane == 0) rho[i] = sum;
    }
}
/* ---- ray marching a density field (nearest samples), early termination makes lanes diverge ---- */
__global__ void march_volume(const float *__restrict__ vol, unsigned dim, uchar4 *img, unsigned w, unsigned h, float step)
{
    unsigned px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float u = (px + 0.5f) / w * 2 - 1, v = (py + 0.5f) / h * 2 - 1, il = rsqrtf(u * u + v * v + 1.5f * 1.5f);
    float dx = u * il, dy = v * il, dz = 1.5f * il, T = 1.0f, col = 0.0f;
    for (float t = 0.5f; t < 3.0f && T > 0.01f; t += step) {
        float x = dx * t + 0.5f, y = dy * t + 0.5f, z = dz * t - 0.8f;
        if (x < 0 || y < 0 || z < 0 || x >= 1 || y >= 1 || z >= 1) continue;
        float d = vol[((size_t)(z * dim) * dim + (unsigned)(y * dim)) * dim + (unsigned)(x * dim)];
        if (d < 0.55f) continue;
        float a = 1.0f - __expf(-8.0f * d * step);
        col += T * a * d;
        T *= 1.0f - a;
    }
    unsigned char c = (unsigned char)(255.0f * fminf(col, 1.0f));
    img[(size_t)py * w + px] = make_uchar4(c, c, (unsigned char)(255 * T), 255);
}
/* sphere tracing of an analytic scene */
__device__ float scene(float x, float y, float z)
{
    float qx = x - 2.0f * floorf(x * 0.5f) - 1.0f, qz = z - 2.0f * floorf(z * 0.5f) - 1.0f;
    return fminf(sqrtf(qx * qx + (y - 0.3f) * (y - 0.3f) + qz * qz) - 0.5f, y + 0.4f + 0.1f * sinf(3 * x) * sinf(3 * z));
}
__global__ void sphere_trace(float *depth, int w, int h, int max_steps)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float u = (2.0f * px - w) / h, v = (2.0f * py - h) / h, il = rsqrtf(u * u + v * v + 1), t = 0;
    for (int s = 0; s < max_steps; ++s) {
        float d = scene(u * il * t, 1.0f - v * il * t, il * t);
        if (d < 1e-3f * t || t > 40.0f) break;
        t += 0.8f * d;
    }
    depth[py * w + px] = t;
}
/* ---- Monte Carlo with our own xorwow-like generator ---- */
typedef struct rng { uint32_t a, b, c, d, n; } rng;
__device__ uint32_t rng_next(rng *s)
{
    uint32_t t = s->d ^ (s->d >> 2);
    s->d = s->c; s->c = s->b; s->b = s->a;
    s->a ^= (s->a << 4) ^ (t ^ (t << 1));
    return s->a + (s->n += 362437u);
}
__device__ rng rng_seed(uint32_t i) { rng s = { i * 747796405u + 1u, i ^ 0xdeadbeefu, 362436069u, i * 2891336453u + 7u, 0 }; for (int k = 0; k < 8; ++k) rng_next(&s); return s; }
__device__ float rng_unit(rng *s) { return (rng_next(s) >> 8) * (1.0f / 16777216.0f); }

__global__ void mc_pi(unsigned long long *hits, int per_thread)
{
    rng s = rng_seed(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned cnt = 0;
    for (int k = 0; k < per_thread; ++k) { float x = rng_unit(&s), y = rng_unit(&s); cnt += x * x + y * y <= 1.0f; }
    cnt = __reduce_add_sync(0xffffffffu, cnt);
    if ((threadIdx.x & 31) == 0) atomicAdd(hits, (unsigned long long)cnt);
}
/* photons in a slab: random free paths until absorbed or out, tallied per depth bin */
__global__ void __launch_bounds__(128) mc_photon_slab(float *tally, unsigned bins, unsigned nphotons, float albedo)
{
    extern __shared__ float local[];
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
    __syncthreads();
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    rng s = rng_seed(id + 77u);
    for (unsigned p = id; p < nphotons; p += gridDim.x * blockDim.x) {
        float z = 0, mu = 1, w = 1;
        for (int k = 0; k < 1000 && w > 1e-3f; ++k) {
            z -= mu * __logf(1.0f - rng_unit(&s));
            if (z < 0 || z >= 10.0f) break;
            atomicAdd(&local[(unsigned)(z * 0.1f * bins) % bins], w * (1 - albedo));
            w *= albedo;
            mu = 2 * rng_unit(&s) - 1;
        }
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&tally[b], local[b]);
}
int main(void)
{
    const unsigned NB = 16384, NP = 1u << 18, DIM = 40, VD = 160;
    std::vector<float4> pos(NP), sorted(NP);
    std::vector<particle> parts(NP);
    std::vector<unsigned> start(DIM * DIM * DIM + 1, 0), cell(NP);
    uint32_t s = 11;
    auto rnd = [&s]() { s = s * 1664525u + 1013904223u; return (s >> 8) / 16777216.0f; };
    for (unsigned i = 0; i < NP; ++i) {
        float r = i % 4 == 0 ? 0.3f : 1.0f; /* a quarter of them clustered */
        pos[i] = make_float4(rnd() * r, rnd() * r, rnd() * r, 0.5f + rnd());
        particle p = { pos[i].x, pos[i].y, pos[i].z, pos[i].w, 0, 0, 0, 0 };
        parts[i] = p;
        cell[i] = ((unsigned)(pos[i].z * DIM) * DIM + (unsigned)(pos[i].y * DIM)) * DIM + (unsigned)(pos[i].x * DIM);
        start[cell[i] + 1]++;
    }
    for (size_t c = 0; c + 1 < start.size(); ++c) start[c + 1] += start[c];
    std::vector<unsigned> fill(start.begin(), start.end() - 1);
    for (unsigned i = 0; i < NP; ++i) sorted[fill[cell[i]]++] = pos[i];
    std::vector<float> vol((size_t)VD * VD * VD);
    for (auto &v : vol) v = rnd();

    particle *dpart; float4 *dpos, *dsorted, *dforce; float3 *dacc; unsigned *dstart; float *dvol, *drho; uchar4 *dimg; unsigned long long *dhits;
    GPU(cudaMalloc(&dpart, NP * sizeof(particle))); GPU(cudaMalloc(&dpos, NP * sizeof(float4))); GPU(cudaMalloc(&dsorted, NP * sizeof(float4)));
    GPU(cudaMalloc(&dforce, NP * sizeof(float4))); GPU(cudaMalloc(&dacc, NB * sizeof(float3))); GPU(cudaMalloc(&dstart, start.size() * sizeof(unsigned)));
    GPU(cudaMalloc(&dvol, vol.size() * sizeof(float))); GPU(cudaMalloc(&drho, 1920 * 1080 * sizeof(float))); GPU(cudaMalloc(&dimg, 1024 * 1024 * sizeof(uchar4))); GPU(cudaMalloc(&dhits, 8));
    GPU(cudaMemcpy(dpart, parts.data(), NP * sizeof(particle), cudaMemcpyHostToDevice)); GPU(cudaMemcpy(dpos, pos.data(), NP * sizeof(float4), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dsorted, sorted.data(), NP * sizeof(float4), cudaMemcpyHostToDevice)); GPU(cudaMemcpy(dstart, start.data(), start.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dvol, vol.data(), vol.size() * sizeof(float), cudaMemcpyHostToDevice)); GPU(cudaMemset(dhits, 0, 8)); GPU(cudaMemset(drho, 0, 1920 * 1080 * sizeof(float)));

    nbody_aos<<<8192 / 128, 128>>>(dpart, dacc, 8192);
    nbody_tiled<256, 1><<<NB / 256, 256>>>(dpos, dforce, NB);
    nbody_tiled<128, 2><<<(10000 + 255) / 256, 128>>>(dpos, dforce, 10000);
    integrate_aos<<<NP / 256, 256>>>(dpart, dacc, NP, 1e-6f);
    cell_grid g = { 0.0f, 1.0f / DIM, DIM, dstart };
    cell_forces_thread<<<NP / 128, 128>>>(dsorted, dforce, NP, g, 1.0f / (DIM * DIM));
    cell_density_warp<<<(DIM * DIM * DIM + 7) / 8, 256>>>(dsorted, drho, g, 1.0f / DIM);
    march_volume<<<dim3(1024 / 16, 1024 / 16), dim3(16, 16)>>>(dvol, VD, dimg, 1024, 1024, 0.005f);
    sphere_trace<<<dim3(1920 / 32, 1080 / 8), dim3(32, 8)>>>(drho, 1920, 1080, 128);
    mc_pi<<<132 * 8, 256>>>(dhits, 500);
    GPU(cudaMemset(drho, 0, 1024 * sizeof(float)));
    mc_photon_slab<<<132 * 6, 128, 64 * sizeof(float)>>>(drho, 64, 1u << 20, 0.9f);
    mc_photon_slab<<<132 * 4, 96, 1000 * sizeof(float)>>>(drho, 1000, 300000, 0.5f);
    GPU(cudaGetLastError());
    GPU(cudaDeviceSynchronize());
    unsigned long long hits;
    GPU(cudaMemcpy(&hits, dhits, 8, cudaMemcpyDeviceToHost));
    printf("pi ~ %.6f\n", 4.0 * hits / (132.0 * 8 * 256 * 500));
    return 0;
}
