// Particles: gravitational all-pairs forces, Coulomb potential maps and a
// Lennard-Jones fluid with cell lists.  Teaching style: simple kernels first.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(expr)                                                               \
    do {                                                                          \
        const cudaError_t status_ = (expr);                                       \
        if (status_ != cudaSuccess) {                                             \
            std::printf("%d: %s: %s\n", __LINE__, #expr, cudaGetErrorString(status_)); \
            std::exit(EXIT_FAILURE);                                              \
        }                                                                         \
    } while (0)

static const float SOFTENING2 = 1e-3f;
constexpr int NB_TILE = 256;

__host__ __device__ inline float3 pull(float4 a, float4 b, float3 acc, float eps2)
{
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float r2 = dx * dx + dy * dy + dz * dz + eps2;
#ifdef __CUDA_ARCH__
    float inv = rsqrtf(r2);
#else
    float inv = 1.0f / sqrtf(r2);
#endif
    float s = b.w * inv * inv * inv;
    acc.x += s * dx;
    acc.y += s * dy;
    acc.z += s * dz;
    return acc;
}

// 1. every thread streams all bodies from global memory
__global__ void gravityNaive(const float4 *pos, float3 *acc, int n, float eps2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = pos[i];
    float3 a = make_float3(0, 0, 0);
    for (int j = 0; j < n; ++j) a = pull(me, pos[j], a, eps2);
    acc[i] = a;
}

// 2. tiles in shared memory
__global__ void gravityTiled(const float4 *__restrict__ pos, float3 *__restrict__ acc, int n, float eps2)
{
    __shared__ float4 tile[NB_TILE];
    int i = blockIdx.x * NB_TILE + threadIdx.x;
    float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += NB_TILE) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);   // zero mass
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < NB_TILE; ++k) a = pull(me, tile[k], a, eps2);
        __syncthreads();
    }
    if (i < n) acc[i] = a;
}

// 3. two bodies per thread: each shared load feeds two interactions; the j
//    range is split over gridDim.y and the parts are added with atomics
__global__ __launch_bounds__(NB_TILE) void gravityCoarse(const float4 *__restrict__ pos, float *__restrict__ acc,
                                                         int n, float eps2)
{
    __shared__ float4 tile[NB_TILE];
    const int i0 = blockIdx.x * 2 * NB_TILE + threadIdx.x, i1 = i0 + NB_TILE;
    const float4 zero = make_float4(0, 0, 0, 0);
    float4 p0 = i0 < n ? pos[i0] : zero, p1 = i1 < n ? pos[i1] : zero;
    float3 a0 = make_float3(0, 0, 0), a1 = a0;
    const int tiles = (n + NB_TILE - 1) / NB_TILE;
    for (int t = blockIdx.y; t < tiles; t += gridDim.y) {
        int j = t * NB_TILE + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : zero;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < NB_TILE; ++k) {
            float4 b = tile[k];
            a0 = pull(p0, b, a0, eps2);
            a1 = pull(p1, b, a1, eps2);
        }
        __syncthreads();
    }
    if (i0 < n) { atomicAdd(acc + 3 * i0, a0.x); atomicAdd(acc + 3 * i0 + 1, a0.y); atomicAdd(acc + 3 * i0 + 2, a0.z); }
    if (i1 < n) { atomicAdd(acc + 3 * i1, a1.x); atomicAdd(acc + 3 * i1 + 1, a1.y); atomicAdd(acc + 3 * i1 + 2, a1.z); }
}

// 4. leapfrog kick and drift
__global__ void integrate(float4 *pos, float4 *vel, const float3 *acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i];
    float3 a = acc[i];
    v.x += dt * a.x; v.y += dt * a.y; v.z += dt * a.z;
    p.x += dt * v.x; p.y += dt * v.y; p.z += dt * v.z;
    pos[i] = p;
    vel[i] = v;
}

// ------------------------------------------------------------ Coulomb maps
constexpr int MAX_ATOMS = 2000;
__constant__ float4 atoms[MAX_ATOMS];

// 5. scatter: a thread owns an atom and updates the whole (small) map
__global__ void coulombScatter(const float4 *list, int count, float *map, int gx, int gy, float h, float z)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= count) return;
    float4 at = list[a];
    float dz = z - at.z;
    for (int y = blockIdx.y; y < gy; y += gridDim.y) {
        float dy = y * h - at.y;
        for (int x = 0; x < gx; ++x) {
            float dx = x * h - at.x;
            atomicAdd(&map[y * gx + x], at.w * rsqrtf(dx * dx + dy * dy + dz * dz));
        }
    }
}

// 6. gather, one grid point per thread, atoms in constant memory
__global__ void coulombGather(int count, float *map, int gx, int gy, float h, float z)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= gx || y >= gy) return;
    float px = x * h, py = y * h, e = 0.0f;
    for (int i = 0; i < count; ++i) {
        float dx = px - atoms[i].x, dy = py - atoms[i].y, dz = z - atoms[i].z;
        e += atoms[i].w * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
    map[y * gx + x] += e;
}

// 7. coarsened in x with coalesced output: points are blockDim.x apart
template <int COARSE>
__global__ void coulombCoarse(int count, float *map, int gx, int gy, float h, float z)
{
    const int x0 = blockIdx.x * blockDim.x * COARSE + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= gy) return;
    const float py = y * h;
    float e[COARSE] = {};
    for (int i = 0; i < count; ++i) {
        const float4 at = atoms[i];
        const float dy = py - at.y, dz = z - at.z, rest = dy * dy + dz * dz;
#pragma unroll
        for (int c = 0; c < COARSE; ++c) {
            float dx = (x0 + c * (int)blockDim.x) * h - at.x;
            e[c] += at.w * rsqrtf(dx * dx + rest);
        }
    }
#pragma unroll
    for (int c = 0; c < COARSE; ++c) {
        int x = x0 + c * blockDim.x;
        if (x < gx) map[y * gx + x] += e[c];
    }
}

// ------------------------------------------------------------ Lennard-Jones
constexpr int CX = 24, CY = 22, CZ = 20, PER_CELL = 8;
constexpr float CELL = 2.5f, CUT2 = CELL * CELL;

__host__ __device__ inline float wrapd(float d, float len) { return d > 0.5f * len ? d - len : d < -0.5f * len ? d + len : d; }

__host__ __device__ inline float4 ljPair(float4 a, float4 b, float4 f)
{
    float dx = wrapd(a.x - b.x, CX * CELL), dy = wrapd(a.y - b.y, CY * CELL), dz = wrapd(a.z - b.z, CZ * CELL);
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < CUT2 && r2 > 0.0f) {
        float i2 = 1.0f / r2, i6 = i2 * i2 * i2;
        float s = 24.0f * i2 * i6 * (2.0f * i6 - 1.0f);
        f.x += s * dx; f.y += s * dy; f.z += s * dz;
        f.w += 2.0f * i6 * (i6 - 1.0f);              // half of the pair energy
    }
    return f;
}

// 8. thread per atom, 27 cells read from global memory
__global__ void ljThreadPerAtom(const float4 *__restrict__ p, float4 *__restrict__ force, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cell = i / PER_CELL;
    int cx = cell % CX, cy = cell / CX % CY, cz = cell / (CX * CY);
    float4 me = p[i], f = make_float4(0, 0, 0, 0);
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                int x = (cx + dx + CX) % CX, y = (cy + dy + CY) % CY, z = (cz + dz + CZ) % CZ;
                const float4 *c = p + (size_t)((z * CY + y) * CX + x) * PER_CELL;
                for (int k = 0; k < PER_CELL; ++k) f = ljPair(me, c[k], f);
            }
    force[i] = f;
}

// 9. block per row of cells in x (CX cells): neighbour rows staged in shared memory
__global__ __launch_bounds__(CX *PER_CELL) void ljRowTiles(const float4 *__restrict__ p, float4 *__restrict__ force)
{
    __shared__ float4 row[CX * PER_CELL];
    const int cy = blockIdx.x, cz = blockIdx.y, t = threadIdx.x;
    const int i = (cz * CY + cy) * CX * PER_CELL + t;
    const int cx = t / PER_CELL;
    float4 me = p[i], f = make_float4(0, 0, 0, 0);
    for (int r = 0; r < 9; ++r) {
        int y = (cy + r % 3 - 1 + CY) % CY, z = (cz + r / 3 - 1 + CZ) % CZ;
        row[t] = p[(z * CY + y) * CX * PER_CELL + t];
        __syncthreads();
        for (int dx = -1; dx <= 1; ++dx) {
            int x = cx + dx;
            x = x < 0 ? CX - 1 : x == CX ? 0 : x;
#pragma unroll
            for (int k = 0; k < PER_CELL; ++k) f = ljPair(me, row[x * PER_CELL + k], f);
        }
        __syncthreads();
    }
    force[i] = f;
}

static unsigned rngState = 2024u;
static float frand() { rngState = rngState * 1664525u + 1013904223u; return (rngState >> 8) * (1.0f / 16777216.0f); }
static bool agree(double a, double b, double scale) { return std::fabs(a - b) <= 2e-3 * (std::fabs(b) + scale); }

int main()
{
    int errors = 0;
    { // gravity
        const int n = 18'777;
        std::vector<float4> pos(n);
        std::vector<float3> acc(n);
        for (auto &p : pos) p = make_float4(frand(), frand(), frand(), 1.0f / n);
        float4 *dPos, *dVel;
        float3 *dAcc;
        CHECK(cudaMalloc(&dPos, n * sizeof(float4)));
        CHECK(cudaMalloc(&dVel, n * sizeof(float4)));
        CHECK(cudaMalloc(&dAcc, n * sizeof(float3)));
        CHECK(cudaMemcpy(dPos, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
        CHECK(cudaMemset(dVel, 0, n * sizeof(float4)));
        for (int variant = 0; variant < 3; ++variant) {
            CHECK(cudaMemset(dAcc, 0, n * sizeof(float3)));
            if (variant == 0) gravityNaive<<<(n + 127) / 128, 128>>>(dPos, dAcc, n, SOFTENING2);
            if (variant == 1) gravityTiled<<<(n + NB_TILE - 1) / NB_TILE, NB_TILE>>>(dPos, dAcc, n, SOFTENING2);
            if (variant == 2)
                gravityCoarse<<<dim3((n + 2 * NB_TILE - 1) / (2 * NB_TILE), 16), NB_TILE>>>(dPos, (float *)dAcc, n, SOFTENING2);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(acc.data(), dAcc, n * sizeof(float3), cudaMemcpyDeviceToHost));
            int wrong = 0;
            for (int i = 0; i < n; i += 373) {
                float3 a = make_float3(0, 0, 0);
                for (int j = 0; j < n; ++j) a = pull(pos[i], pos[j], a, SOFTENING2);
                if (!agree(acc[i].x, a.x, 1) || !agree(acc[i].y, a.y, 1) || !agree(acc[i].z, a.z, 1)) ++wrong;
            }
            std::printf("gravity variant %d: %d wrong\n", variant, wrong);
            errors += wrong;
        }
        integrate<<<(n + 255) / 256, 256>>>(dPos, dVel, dAcc, n, 0.01f);
        CHECK(cudaGetLastError());
        std::vector<float4> moved(n);
        CHECK(cudaMemcpy(moved.data(), dPos, n * sizeof(float4), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i)
            if (std::fabs(moved[i].x - (pos[i].x + 1e-4f * acc[i].x)) > 1e-5f) { ++errors; break; }
        cudaFree(dPos); cudaFree(dVel); cudaFree(dAcc);
    }
    { // Coulomb
        const int count = MAX_ATOMS, gx = 611, gy = 403;
        const float h = 0.1f, z = 3.37f;
        std::vector<float4> at(count);
        for (auto &a : at) a = make_float4(frand() * gx * h, frand() * gy * h, frand() * 3.0f, frand() - 0.3f);
        float4 *dAt;
        float *dMap;
        CHECK(cudaMalloc(&dAt, count * sizeof(float4)));
        CHECK(cudaMalloc(&dMap, gx * gy * sizeof(float)));
        CHECK(cudaMemcpy(dAt, at.data(), count * sizeof(float4), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpyToSymbol(atoms, at.data(), count * sizeof(float4)));
        std::vector<float> map(gx * gy);
        for (int variant = 0; variant < 3; ++variant) {
            const int use = variant == 0 ? 200 : count, useGx = variant == 0 ? 101 : gx, useGy = variant == 0 ? 97 : gy;
            CHECK(cudaMemset(dMap, 0, gx * gy * sizeof(float)));
            dim3 b(32, 8), g((useGx + 31) / 32, (useGy + 7) / 8);
            if (variant == 0) coulombScatter<<<dim3((use + 63) / 64, 97), 64>>>(dAt, use, dMap, useGx, useGy, h, z);
            if (variant == 1) coulombGather<<<g, b>>>(use, dMap, useGx, useGy, h, z);
            if (variant == 2) coulombCoarse<4><<<dim3((useGx + 127) / 128, g.y), b>>>(use, dMap, useGx, useGy, h, z);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(map.data(), dMap, useGx * useGy * sizeof(float), cudaMemcpyDeviceToHost));
            int wrong = 0;
            for (int k = 0; k < useGx * useGy; k += 811) {
                double e = 0;
                for (int i = 0; i < use; ++i) {
                    double dx = k % useGx * (double)h - at[i].x, dy = k / useGx * (double)h - at[i].y, dz = z - at[i].z;
                    e += at[i].w / std::sqrt(dx * dx + dy * dy + dz * dz);
                }
                wrong += !agree(map[k], e, 1);
            }
            std::printf("Coulomb variant %d: %d wrong\n", variant, wrong);
            errors += wrong;
        }
        cudaFree(dAt); cudaFree(dMap);
    }
    { // Lennard-Jones
        const int n = CX * CY * CZ * PER_CELL;
        std::vector<float4> p(n), f(n);
        for (int i = 0; i < n; ++i) {
            int c = i / PER_CELL, k = i % PER_CELL;
            p[i].x = (c % CX + 0.25f + 0.5f * (k & 1)) * CELL + 0.1f * (frand() - 0.5f);
            p[i].y = (c / CX % CY + 0.25f + 0.5f * (k >> 1 & 1)) * CELL + 0.1f * (frand() - 0.5f);
            p[i].z = (c / (CX * CY) + 0.25f + 0.5f * (k >> 2)) * CELL + 0.1f * (frand() - 0.5f);
            p[i].w = 0;
        }
        float4 *dP, *dF;
        CHECK(cudaMalloc(&dP, n * sizeof(float4)));
        CHECK(cudaMalloc(&dF, n * sizeof(float4)));
        CHECK(cudaMemcpy(dP, p.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
        for (int variant = 0; variant < 2; ++variant) {
            CHECK(cudaMemset(dF, 0, n * sizeof(float4)));
            if (variant == 0) ljThreadPerAtom<<<(n + 127) / 128, 128>>>(dP, dF, n);
            else ljRowTiles<<<dim3(CY, CZ), CX * PER_CELL>>>(dP, dF);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(f.data(), dF, n * sizeof(float4), cudaMemcpyDeviceToHost));
            int wrong = 0;
            for (int i = 0; i < n; i += 1009) {
                float4 r = make_float4(0, 0, 0, 0);
                for (int j = 0; j < n; ++j) r = ljPair(p[i], p[j], r);
                if (!agree(f[i].x, r.x, 5) || !agree(f[i].y, r.y, 5) || !agree(f[i].z, r.z, 5) || !agree(f[i].w, r.w, 5)) ++wrong;
            }
            std::printf("Lennard-Jones variant %d: %d wrong\n", variant, wrong);
            errors += wrong;
        }
        cudaFree(dP); cudaFree(dF);
    }
    std::printf("%s\n", errors ? "FAIL" : "PASS");
    return errors ? 1 : 0;
}
