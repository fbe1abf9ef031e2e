// 2D and 3D finite-difference stencils: naive, shared-memory tiles, register marching.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <functional>
#include <vector>

#define CUDA_TRY(call)                                                             \
    do {                                                                           \
        cudaError_t status = call;                                                 \
        if (status != cudaSuccess) {                                               \
            printf("ERROR %s (line %d): %s\n", #call, __LINE__,                    \
                   cudaGetErrorString(status));                                    \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

typedef float real;

struct Grid2D { int nx, ny; };
struct Grid3D { int nx, ny, nz; };

// ---------------------------------------------------------------- 2D 5-point, naive
__global__ void jacobi2d_naive(const real *__restrict__ u, real *__restrict__ out, Grid2D g, real w) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= g.nx || y >= g.ny) return;
    const int i = y * g.nx + x;
    if (x == 0 || y == 0 || x == g.nx - 1 || y == g.ny - 1) {
        out[i] = u[i];
        return;
    }
    out[i] = (1 - w) * u[i] + w * 0.25f * (u[i - 1] + u[i + 1] + u[i - g.nx] + u[i + g.nx]);
}

// ---------------------------------------------------------------- 2D 9-point, shared tile
__constant__ real c_w9[9];

template <int BX, int BY>
__global__ void __launch_bounds__(BX *BY)
    stencil2d_9pt_shared(const real *__restrict__ u, real *__restrict__ out, Grid2D g) {
    __shared__ real tile[BY + 2][BX + 2];
    const int x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1;
    const int tid = threadIdx.y * BX + threadIdx.x;
    for (int t = tid; t < (BX + 2) * (BY + 2); t += BX * BY) {
        const int ty = t / (BX + 2), tx = t % (BX + 2);
        const int gx = min(max(x0 + tx, 0), g.nx - 1), gy = min(max(y0 + ty, 0), g.ny - 1);
        tile[ty][tx] = u[(size_t)gy * g.nx + gx];
    }
    __syncthreads();
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x < g.nx && y < g.ny) {
        real s = 0;
#pragma unroll
        for (int dy = 0; dy < 3; ++dy)
#pragma unroll
            for (int dx = 0; dx < 3; ++dx) s += c_w9[dy * 3 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
        out[(size_t)y * g.nx + x] = s;
    }
}

// ------------------------------------- 2D 5-point, marching in y, left/right through shuffles
template <int ROWS>
__global__ void jacobi2d_march_shfl(const real *__restrict__ u, real *__restrict__ out, Grid2D g, real w) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    const int y0 = blockIdx.y * ROWS;
    if (x - lane >= g.nx) return;  // whole warp outside
    const int xc = min(x, g.nx - 1);
    const int y_end = min(y0 + ROWS, g.ny);

    real above = u[(size_t)max(y0 - 1, 0) * g.nx + xc];
    real here = u[(size_t)y0 * g.nx + xc];
#pragma unroll 4
    for (int y = y0; y < y_end; ++y) {
        const size_t row = (size_t)y * g.nx;
        const real below = u[(size_t)min(y + 1, g.ny - 1) * g.nx + xc];
        real left = __shfl_up_sync(0xffffffffu, here, 1);
        real right = __shfl_down_sync(0xffffffffu, here, 1);
        if (lane == 0) left = u[row + max(xc - 1, 0)];
        if (lane == 31) right = u[row + min(xc + 1, g.nx - 1)];
        const bool edge = x == 0 || y == 0 || x == g.nx - 1 || y == g.ny - 1;
        const real v = edge ? here : (1 - w) * here + w * 0.25f * (left + right + above + below);
        if (x < g.nx) out[row + x] = v;
        above = here;
        here = below;
    }
}

// ---------------------------------------------------------------- 3D 7-point, naive
__global__ void heat3d_naive(const real *__restrict__ u, real *__restrict__ out, Grid3D g, real k) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x >= g.nx - 1 || y >= g.ny - 1 || z >= g.nz - 1) return;
    const int sy = g.nx, sz = g.nx * g.ny;
    const int i = z * sz + y * sy + x;
    const real c = u[i];
    out[i] = c + k * (u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] + u[i - sz] + u[i + sz] - 6.0f * c);
}

// ---------------------------------------------------------------- 3D 7-point, xy tile + z registers
template <int BX, int BY>
__global__ void __launch_bounds__(BX *BY)
    heat3d_tile_march(const real *__restrict__ u, real *__restrict__ out, Grid3D g, real k, int zchunk) {
    __shared__ real s[BY + 2][BX + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;  // interior coords start at 1
    const bool mem = x < g.nx && y < g.ny;
    const bool inside = x < g.nx - 1 && y < g.ny - 1;
    const int sz = g.nx * g.ny;
    const int z_begin = 1 + blockIdx.z * zchunk;
    const int z_end = min(z_begin + zchunk, g.nz - 1);
    int i = z_begin * sz + y * g.nx + x;

    real prev = mem ? u[i - sz] : 0;
    real cur = mem ? u[i] : 0;
    for (int z = z_begin; z < z_end; ++z, i += sz) {
        const real next = mem ? u[i + sz] : 0;
        __syncthreads();
        s[ty][tx] = cur;
        if (mem) {
            if (threadIdx.x == 0) s[ty][0] = u[i - 1];
            if (threadIdx.x == BX - 1 && x + 1 < g.nx) s[ty][BX + 1] = u[i + 1];
            if (threadIdx.y == 0) s[0][tx] = u[i - g.nx];
            if (threadIdx.y == BY - 1 && y + 1 < g.ny) s[BY + 1][tx] = u[i + g.nx];
        }
        __syncthreads();
        if (inside)
            out[i] = cur + k * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + prev + next - 6.0f * cur);
        prev = cur;
        cur = next;
    }
}

// ---------------------------------------------------------------- 3D radius-4 wave, register queue
constexpr int RADIUS = 4;
__constant__ real c_fd[RADIUS + 1];

template <int BX, int BY>
__global__ void __launch_bounds__(BX *BY)
    wave3d_r4_queue(const real *__restrict__ p, const real *__restrict__ pold, const real *__restrict__ vel,
                    real *__restrict__ pnew, Grid3D g) {
    __shared__ real s[BY + 2 * RADIUS][BX + 2 * RADIUS];
    const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
    const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
    const bool mem = x < g.nx && y < g.ny;
    const bool inside = x < g.nx - RADIUS && y < g.ny - RADIUS;
    const int sz = g.nx * g.ny;
    const int col = y * g.nx + x;

    real behind[RADIUS], front[RADIUS], cur = 0;
#pragma unroll
    for (int r = 0; r < RADIUS; ++r) {
        behind[r] = mem ? p[col + (RADIUS - 1 - r) * sz] : 0;  // behind[0] is z-1
        front[r] = mem ? p[col + (RADIUS + 1 + r) * sz] : 0;   // front[0] is z+1
    }
    if (mem) cur = p[col + RADIUS * sz];

    for (int z = RADIUS; z < g.nz - RADIUS; ++z) {
        const int i = z * sz + col;
        __syncthreads();
        s[ty][tx] = cur;
        if (mem) {
            if (threadIdx.x < RADIUS) {
                s[ty][threadIdx.x] = p[i - RADIUS];
                if (x + BX < g.nx) s[ty][tx + BX] = p[i + BX];
            }
            if (threadIdx.y < RADIUS) {
                s[threadIdx.y][tx] = p[i - RADIUS * g.nx];
                if (y + BY < g.ny) s[ty + BY][tx] = p[i + BY * g.nx];
            }
        }
        __syncthreads();
        if (inside) {
            real lap = 3.0f * c_fd[0] * cur;
#pragma unroll
            for (int r = 1; r <= RADIUS; ++r)
                lap += c_fd[r] * (front[r - 1] + behind[r - 1] + s[ty - r][tx] + s[ty + r][tx] + s[ty][tx - r] +
                                  s[ty][tx + r]);
            pnew[i] = 2.0f * cur - pold[i] + vel[i] * lap;
        }
#pragma unroll
        for (int r = RADIUS - 1; r > 0; --r) behind[r] = behind[r - 1];
        behind[0] = cur;
        cur = front[0];
#pragma unroll
        for (int r = 0; r < RADIUS - 1; ++r) front[r] = front[r + 1];
        if (mem && z + RADIUS + 1 < g.nz) front[RADIUS - 1] = p[i + (RADIUS + 1) * sz];
    }
}

// ---------------------------------------------------------------- host
static real field(size_t i) {
    unsigned h = (unsigned)i * 0x9E3779B1u;
    h ^= h >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    return (real)(h & 0xffff) / 65536.0f;
}

static bool g_ok = true;

static void compare(const char *name, const real *d_out, size_t n, const std::vector<size_t> &samples,
                    const std::function<double(size_t)> &ref, double tol = 2e-5) {
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaDeviceSynchronize());
    std::vector<real> h(n);
    CUDA_TRY(cudaMemcpy(h.data(), d_out, n * sizeof(real), cudaMemcpyDeviceToHost));
    double worst = 0;
    for (size_t i : samples) {
        const double e = fabs(ref(i) - h[i]);
        if (!(e <= worst)) worst = e;
    }
    const bool ok = worst <= tol;
    printf("%-22s %zu samples, max err %.3e %s\n", name, samples.size(), worst, ok ? "ok" : "BAD");
    g_ok = g_ok && ok;
}

int main() {
    // ------------------------------------------------ 2D
    {
        const Grid2D g = {4096, 4096};
        const size_t n = (size_t)g.nx * g.ny;
        const real w = 0.8f;
        std::vector<real> u(n);
        for (size_t i = 0; i < n; ++i) u[i] = field(i);
        real *d_u, *d_o;
        CUDA_TRY(cudaMalloc((void **)&d_u, n * sizeof(real)));
        CUDA_TRY(cudaMalloc((void **)&d_o, n * sizeof(real)));
        CUDA_TRY(cudaMemcpy(d_u, u.data(), n * sizeof(real), cudaMemcpyHostToDevice));
        const real w9[9] = {0.05f, 0.1f, 0.05f, 0.1f, 0.4f, 0.1f, 0.05f, 0.1f, 0.05f};
        CUDA_TRY(cudaMemcpyToSymbol(c_w9, w9, sizeof(w9)));

        std::vector<size_t> smp = {0, 1, (size_t)g.nx - 1, n - 1, n - (size_t)g.nx, (size_t)g.nx + 1};
        for (int k = 0; k < 20000; ++k) smp.push_back(((size_t)k * 7368787u) % n);
        auto jac = [&](size_t i) -> double {
            const int x = i % g.nx, y = i / g.nx;
            if (x == 0 || y == 0 || x == g.nx - 1 || y == g.ny - 1) return u[i];
            return (1.0 - w) * u[i] + w * 0.25 * ((double)u[i - 1] + u[i + 1] + u[i - g.nx] + u[i + g.nx]);
        };
        auto nine = [&](size_t i) -> double {
            const int x = i % g.nx, y = i / g.nx;
            double s = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    const int xx = std::min(std::max(x + dx, 0), g.nx - 1), yy = std::min(std::max(y + dy, 0), g.ny - 1);
                    s += (double)w9[(dy + 1) * 3 + dx + 1] * u[(size_t)yy * g.nx + xx];
                }
            return s;
        };

        jacobi2d_naive<<<dim3(g.nx / 32, g.ny / 8), dim3(32, 8)>>>(d_u, d_o, g, w);
        compare("jacobi2d_naive", d_o, n, smp, jac);
        CUDA_TRY(cudaMemset(d_o, 0, n * sizeof(real)));
        stencil2d_9pt_shared<32, 16><<<dim3((g.nx + 31) / 32, (g.ny + 15) / 16), dim3(32, 16)>>>(d_u, d_o, g);
        compare("stencil2d_9pt_shared", d_o, n, smp, nine);
        CUDA_TRY(cudaMemset(d_o, 0, n * sizeof(real)));
        jacobi2d_march_shfl<32><<<dim3((g.nx + 127) / 128, (g.ny + 31) / 32), 128>>>(d_u, d_o, g, w);
        compare("jacobi2d_march_shfl", d_o, n, smp, jac);
        CUDA_TRY(cudaFree(d_u));
        CUDA_TRY(cudaFree(d_o));
    }
    // ------------------------------------------------ 3D
    {
        const Grid3D g = {258, 250, 200};
        const size_t n = (size_t)g.nx * g.ny * g.nz;
        const size_t sy = g.nx, sz = (size_t)g.nx * g.ny;
        const real k = 0.12f;
        std::vector<real> u(n), old(n), vel(n);
        for (size_t i = 0; i < n; ++i) {
            u[i] = field(i + 1);
            old[i] = field(i + 0x5000000);
            vel[i] = 0.1f + 0.1f * field(i + 0xA000000);
        }
        real *d_u, *d_old, *d_vel, *d_o;
        CUDA_TRY(cudaMalloc((void **)&d_u, n * sizeof(real)));
        CUDA_TRY(cudaMalloc((void **)&d_old, n * sizeof(real)));
        CUDA_TRY(cudaMalloc((void **)&d_vel, n * sizeof(real)));
        CUDA_TRY(cudaMalloc((void **)&d_o, n * sizeof(real)));
        CUDA_TRY(cudaMemcpy(d_u, u.data(), n * sizeof(real), cudaMemcpyHostToDevice));
        CUDA_TRY(cudaMemcpy(d_old, old.data(), n * sizeof(real), cudaMemcpyHostToDevice));
        CUDA_TRY(cudaMemcpy(d_vel, vel.data(), n * sizeof(real), cudaMemcpyHostToDevice));
        const real fd[RADIUS + 1] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560};
        CUDA_TRY(cudaMemcpyToSymbol(c_fd, fd, sizeof(fd)));

        auto interior_samples = [&](int r, int count) {
            std::vector<size_t> v;
            auto add = [&](int x, int y, int z) { v.push_back((size_t)z * sz + (size_t)y * sy + x); };
            add(r, r, r);
            add(g.nx - 1 - r, g.ny - 1 - r, g.nz - 1 - r);
            add(r, g.ny - 1 - r, r);
            add(g.nx - 1 - r, r, g.nz - 1 - r);
            for (int s = 0; s < count; ++s)
                add(r + (s * 131) % (g.nx - 2 * r), r + (s * 71) % (g.ny - 2 * r), r + (s * 37) % (g.nz - 2 * r));
            return v;
        };
        auto heat = [&](size_t i) -> double {
            return u[i] + k * ((double)u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] + u[i - sz] + u[i + sz] - 6.0 * u[i]);
        };
        auto wave = [&](size_t i) -> double {
            double lap = 3.0 * fd[0] * u[i];
            for (size_t r = 1; r <= RADIUS; ++r)
                lap += fd[r] * ((double)u[i - r] + u[i + r] + u[i - r * sy] + u[i + r * sy] + u[i - r * sz] + u[i + r * sz]);
            return 2.0 * u[i] - old[i] + vel[i] * lap;
        };

        CUDA_TRY(cudaMemset(d_o, 0, n * sizeof(real)));
        heat3d_naive<<<dim3((g.nx - 2 + 31) / 32, (g.ny - 2 + 3) / 4, (g.nz - 2 + 1) / 2), dim3(32, 4, 2)>>>(d_u, d_o, g, k);
        compare("heat3d_naive", d_o, n, interior_samples(1, 20000), heat);

        CUDA_TRY(cudaMemset(d_o, 0, n * sizeof(real)));
        const int zchunk = 33;
        heat3d_tile_march<32, 8><<<dim3((g.nx - 2 + 31) / 32, (g.ny - 2 + 7) / 8, (g.nz - 2 + zchunk - 1) / zchunk), dim3(32, 8)>>>(
            d_u, d_o, g, k, zchunk);
        compare("heat3d_tile_march", d_o, n, interior_samples(1, 20000), heat);

        CUDA_TRY(cudaMemset(d_o, 0, n * sizeof(real)));
        wave3d_r4_queue<32, 16><<<dim3((g.nx - 2 * RADIUS + 31) / 32, (g.ny - 2 * RADIUS + 15) / 16), dim3(32, 16)>>>(
            d_u, d_old, d_vel, d_o, g);
        compare("wave3d_r4_queue", d_o, n, interior_samples(RADIUS, 20000), wave, 5e-5);

        CUDA_TRY(cudaFree(d_u));
        CUDA_TRY(cudaFree(d_old));
        CUDA_TRY(cudaFree(d_vel));
        CUDA_TRY(cudaFree(d_o));
    }
    printf("%s\n", g_ok ? "PASS" : "FAIL");
    return g_ok ? 0 : 1;
}
