#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

// ---------------------------------------------------------------------------
//  Particle methods: direct n-body, cell list, SPH density, boids, Verlet,
//  and a D2Q9 lattice Boltzmann step for company.
// ---------------------------------------------------------------------------
inline void check(cudaError_t status, const char* where)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "[%s] %s\n", where, cudaGetErrorString(status));
        std::exit(EXIT_FAILURE);
    }
}

struct Grid {
    float origin;
    float invCell;
    int   dim;       // cells along an axis
};

__device__ __forceinline__ int3 cellOf(const Grid& g, float4 p)
{
    auto c = [&](float v) { return min(max(int((v - g.origin) * g.invCell), 0), g.dim - 1); };
    return make_int3(c(p.x), c(p.y), c(p.z));
}

__device__ __forceinline__ int cellIndex(const Grid& g, int3 c) { return (c.z * g.dim + c.y) * g.dim + c.x; }

template <int TILE>
__global__ void nbodyTiled(const float4* __restrict__ pos, float4* __restrict__ acc, int n, float eps2)
{
    __shared__ float4 sh[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += TILE) {
        sh[threadIdx.x] = t + (int)threadIdx.x < n ? pos[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE; ++k) {
            float4 o = sh[k];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
            float s = o.w * inv * inv * inv;
            ax += s * dx; ay += s * dy; az += s * dz;
        }
        __syncthreads();
    }
    if (i < n) acc[i] = make_float4(ax, ay, az, 0);
}

__global__ void countCells(const float4* __restrict__ pos, int* cellCount, int* cellId, int* rank, int n, Grid g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = cellIndex(g, cellOf(g, pos[i]));
    cellId[i] = c;
    rank[i] = atomicAdd(&cellCount[c], 1);
}

__global__ void reorderByCell(const float4* __restrict__ pos, const float4* __restrict__ vel, const int* __restrict__ cellStart,
                              const int* __restrict__ cellId, const int* __restrict__ rank, float4* sortedPos, float4* sortedVel,
                              int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d = cellStart[cellId[i]] + rank[i];
    sortedPos[d] = pos[i];
    sortedVel[d] = vel[i];
}

__global__ void sphDensity(const float4* __restrict__ pos, const int* __restrict__ cellStart, float* rho, int n, Grid g, float h2,
                           float poly6)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i];
    int3 c = cellOf(g, p);
    float sum = 0.f;
    for (int z = max(c.z - 1, 0); z <= min(c.z + 1, g.dim - 1); ++z)
        for (int y = max(c.y - 1, 0); y <= min(c.y + 1, g.dim - 1); ++y) {
            int xa = max(c.x - 1, 0), xb = min(c.x + 1, g.dim - 1);
            // cells along x are contiguous in the sorted order
            int first = cellStart[cellIndex(g, make_int3(xa, y, z))];
            int last = cellStart[cellIndex(g, make_int3(xb, y, z)) + 1];
            for (int j = first; j < last; ++j) {
                float4 q = pos[j];
                float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
                float d = h2 - (dx * dx + dy * dy + dz * dz);
                if (d > 0.f) sum += q.w * d * d * d;
            }
        }
    rho[i] = poly6 * sum;
}

__global__ void boidsSteer(const float4* __restrict__ pos, const float4* __restrict__ vel, const int* __restrict__ cellStart,
                           float4* newVel, int n, Grid g, float radius2, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i];
    float3 centre = {0, 0, 0}, align = {0, 0, 0}, apart = {0, 0, 0};
    int mates = 0;
    int3 c = cellOf(g, p);
    for (int k = 0; k < 27; ++k) {
        int3 d = make_int3(c.x + k % 3 - 1, c.y + (k / 3) % 3 - 1, c.z + k / 9 - 1);
        if (d.x < 0 || d.y < 0 || d.z < 0 || d.x >= g.dim || d.y >= g.dim || d.z >= g.dim) continue;
        int cell = cellIndex(g, d);
        for (int j = cellStart[cell]; j < cellStart[cell + 1]; ++j) {
            if (j == i) continue;
            float4 q = pos[j];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 > radius2) continue;
            float4 w = vel[j];
            ++mates;
            centre.x += dx; centre.y += dy; centre.z += dz;
            align.x += w.x; align.y += w.y; align.z += w.z;
            float inv = 1.f / (r2 + 1e-4f);
            apart.x -= dx * inv; apart.y -= dy * inv; apart.z -= dz * inv;
        }
    }
    if (mates) {
        float m = 1.f / mates;
        v.x += dt * (0.5f * centre.x * m + 0.3f * (align.x * m - v.x) + 0.02f * apart.x);
        v.y += dt * (0.5f * centre.y * m + 0.3f * (align.y * m - v.y) + 0.02f * apart.y);
        v.z += dt * (0.5f * centre.z * m + 0.3f * (align.z * m - v.z) + 0.02f * apart.z);
    }
    newVel[i] = v;
}

__global__ void verletStep(float4* pos, float4* prev, const float4* __restrict__ acc, int n, int nAcc, float dt, float box)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], o = prev[i], a = acc[i % nAcc];
    float4 q = make_float4(2 * p.x - o.x + a.x * dt * dt, 2 * p.y - o.y + a.y * dt * dt, 2 * p.z - o.z + a.z * dt * dt, p.w);
    q.x = fminf(fmaxf(q.x, 0.f), box);
    q.y = fminf(fmaxf(q.y, 0.f), box);
    q.z = fminf(fmaxf(q.z, 0.f), box);
    prev[i] = p;
    pos[i] = q;
}

// D2Q9, pull scheme, periodic in x, bounce-back walls at y = 0 and y = ny-1
__constant__ int   ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int   ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int   opp[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float wt[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void lbmCollideStream(const float* __restrict__ f, float* __restrict__ g, int nx, int ny, float omega, float force)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    const size_t plane = (size_t)nx * ny, c = (size_t)y * nx + x;
    float d[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        int xs = x - ex[k], ys = y - ey[k];
        if (xs < 0) xs += nx;
        if (xs >= nx) xs -= nx;
        d[k] = (ys < 0 || ys >= ny) ? f[opp[k] * plane + c] : f[k * plane + (size_t)ys * nx + xs];
        rho += d[k];
        ux += ex[k] * d[k];
        uy += ey[k] * d[k];
    }
    ux = ux / rho + force;
    uy = uy / rho;
    float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        float eu = 3.f * (ex[k] * ux + ey[k] * uy);
        float eq = wt[k] * rho * (1.f + eu + 0.5f * eu * eu - uu);
        g[k * plane + c] = d[k] + omega * (eq - d[k]);
    }
}

int main()
{
    const int n = 1 << 19, nBody = 1 << 14;
    const float box = 64.f;
    Grid grid{0.f, 1.f, 64};
    const int cells = grid.dim * grid.dim * grid.dim;

    std::vector<float4> hp(n), hv(n), ho(n);
    unsigned s = 99;
    auto rnd = [&] { s = s * 1664525u + 1013904223u; return (s >> 8) * (1.f / 16777216.f); };
    for (int i = 0; i < n; ++i) {
        hp[i] = make_float4(rnd() * box, rnd() * box, rnd() * box, 1.f);
        hv[i] = make_float4(rnd() - 0.5f, rnd() - 0.5f, rnd() - 0.5f, 0.f);
        ho[i] = make_float4(hp[i].x - 0.01f * hv[i].x, hp[i].y - 0.01f * hv[i].y, hp[i].z - 0.01f * hv[i].z, 1.f);
    }
    auto alloc = [](size_t bytes) { void* p; check(cudaMalloc(&p, bytes), "alloc"); return p; };
    float4* pos = (float4*)alloc(n * 16); float4* vel = (float4*)alloc(n * 16); float4* prev = (float4*)alloc(n * 16);
    float4* spos = (float4*)alloc(n * 16); float4* svel = (float4*)alloc(n * 16); float4* acc = (float4*)alloc(nBody * 16);
    float4* nvel = (float4*)alloc(n * 16);
    int* count = (int*)alloc((cells + 1) * 4); int* id = (int*)alloc(n * 4); int* rank = (int*)alloc(n * 4);
    float* rho = (float*)alloc(n * 4);
    check(cudaMemcpy(pos, hp.data(), n * 16, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(vel, hv.data(), n * 16, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(prev, ho.data(), n * 16, cudaMemcpyHostToDevice), "copy");
    check(cudaMemset(count, 0, (cells + 1) * 4), "memset");

    nbodyTiled<256><<<nBody / 256, 256>>>(pos, acc, nBody, 0.01f);
    countCells<<<(n + 255) / 256, 256>>>(pos, count, id, rank, n, grid);
    check(cudaGetLastError(), "launch");
    std::vector<int> hc(cells + 1);
    check(cudaMemcpy(hc.data(), count, (cells + 1) * 4, cudaMemcpyDeviceToHost), "counts");
    std::exclusive_scan(hc.begin(), hc.end(), hc.begin(), 0);
    std::printf("particles binned: %d of %d\n", hc[cells], n);
    check(cudaMemcpy(count, hc.data(), (cells + 1) * 4, cudaMemcpyHostToDevice), "starts");
    reorderByCell<<<(n + 255) / 256, 256>>>(pos, vel, count, id, rank, spos, svel, n);
    const float h = 1.f, poly6 = 315.f / (64.f * 3.14159265f * powf(h, 9));
    sphDensity<<<(n + 127) / 128, 128>>>(spos, count, rho, n, grid, h * h, poly6);
    boidsSteer<<<(n + 127) / 128, 128>>>(spos, svel, count, nvel, n, grid, 0.81f, 0.02f);
    verletStep<<<(n + 255) / 256, 256>>>(pos, prev, acc, n, nBody, 0.01f, box);
    check(cudaGetLastError(), "launch");
    std::vector<float> hr(n);
    check(cudaMemcpy(hr.data(), rho, n * 4, cudaMemcpyDeviceToHost), "rho");
    double mean = std::accumulate(hr.begin(), hr.end(), 0.0) / n;
    std::printf("mean SPH density %.4f (number density %.4f)\n", mean, n / (double)(box * box * box));

    const int nx = 2048, ny = 1024;
    std::vector<float> hf((size_t)9 * nx * ny);
    const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    for (int k = 0; k < 9; ++k)
        for (size_t c = 0; c < (size_t)nx * ny; ++c) hf[k * (size_t)nx * ny + c] = w[k] * (1.f + 0.01f * ((c % 17) / 17.f));
    float* f = (float*)alloc(hf.size() * 4); float* g = (float*)alloc(hf.size() * 4);
    check(cudaMemcpy(f, hf.data(), hf.size() * 4, cudaMemcpyHostToDevice), "lbm");
    lbmCollideStream<<<dim3(nx / 128, ny), 128>>>(f, g, nx, ny, 1.2f, 1e-5f);
    lbmCollideStream<<<dim3(nx / 128, ny), 128>>>(g, f, nx, ny, 1.2f, 1e-5f);
    check(cudaGetLastError(), "launch");
    double m0 = std::accumulate(hf.begin(), hf.end(), 0.0);
    check(cudaMemcpy(hf.data(), f, hf.size() * 4, cudaMemcpyDeviceToHost), "lbm");
    double m1 = std::accumulate(hf.begin(), hf.end(), 0.0);
    std::printf("LBM mass %.3f -> %.3f\n", m0, m1);
    for (void* p : {(void*)pos, (void*)vel, (void*)prev, (void*)spos, (void*)svel, (void*)acc, (void*)nvel, (void*)count, (void*)id,
                    (void*)rank, (void*)rho, (void*)f, (void*)g})
        cudaFree(p);
    return 0;
}
