// heatmini -- explicit / relaxation kernels for the heat equation.
// 2D plate in double precision, 3D brick in single precision.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>
#include <cuda_runtime.h>

#define GPU_OK(expr) gpu_ok((expr), #expr, __LINE__)
static inline void gpu_ok(cudaError_t rc, const char* what, int line)
{
    if (rc == cudaSuccess) return;
    std::fprintf(stderr, "[heatmini] line %d: %s -> %s\n", line, what, cudaGetErrorString(rc));
    std::exit(2);
}

namespace heat {

struct Grid2 { int nx, ny, pitch; };
struct Grid3 { int nx, ny, nz; };

__device__ __forceinline__ int at(const Grid2& g, int i, int j) { return j * g.pitch + i; }

__global__ void init_plate(Grid2 g, double* u)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= g.nx || j >= g.ny) return;
    double x = double(i) / (g.nx - 1), y = double(j) / (g.ny - 1);
    u[at(g, i, j)] = sin(3.0 * x) * cos(2.0 * y) + 0.25 * x * y;
}

// baseline
__global__ void jacobi5(Grid2 g, const double* __restrict__ u, double* __restrict__ v, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= g.nx - 1 || j >= g.ny - 1) return;
    double m = u[at(g, i, j)];
    v[at(g, i, j)] = m + c * (u[at(g, i - 1, j)] + u[at(g, i + 1, j)] + u[at(g, i, j - 1)] + u[at(g, i, j + 1)] - 4.0 * m);
}

// shared tile with halo
template <int BX, int BY>
__global__ void jacobi5_tile(Grid2 g, const double* __restrict__ u, double* __restrict__ v, double c)
{
    __shared__ double t[BY + 2][BX + 2];
    int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * BY + threadIdx.y;
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    bool in = i < g.nx && j < g.ny;
    if (in) {
        t[y][x] = u[at(g, i, j)];
        if (threadIdx.x == 0 && i > 0) t[y][0] = u[at(g, i - 1, j)];
        if (threadIdx.x == BX - 1 && i + 1 < g.nx) t[y][BX + 1] = u[at(g, i + 1, j)];
        if (threadIdx.y == 0 && j > 0) t[0][x] = u[at(g, i, j - 1)];
        if (threadIdx.y == BY - 1 && j + 1 < g.ny) t[BY + 1][x] = u[at(g, i, j + 1)];
    }
    __syncthreads();
    if (in && i > 0 && j > 0 && i < g.nx - 1 && j < g.ny - 1)
        v[at(g, i, j)] = t[y][x] + c * (t[y][x - 1] + t[y][x + 1] + t[y - 1][x] + t[y + 1][x] - 4.0 * t[y][x]);
}

// each thread marches down a column strip keeping three rows in registers
template <int ROWS>
__global__ void jacobi5_march(Grid2 g, const double* __restrict__ u, double* __restrict__ v, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j0 = 1 + blockIdx.y * ROWS;
    if (i < 1 || i >= g.nx - 1) return;
    double up = u[at(g, i, j0 - 1)], mid = u[at(g, i, j0)];
    for (int k = 0; k < ROWS; ++k) {
        int j = j0 + k;
        if (j >= g.ny - 1) break;
        double dn = u[at(g, i, j + 1)];
        v[at(g, i, j)] = mid + c * (u[at(g, i - 1, j)] + u[at(g, i + 1, j)] + up + dn - 4.0 * mid);
        up = mid;
        mid = dn;
    }
}

// red/black SOR half sweep, in place
__global__ void sor_half(Grid2 g, double* u, double omega, int colour)
{
    int j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    int i = 1 + 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((j + colour) & 1);
    if (i >= g.nx - 1 || j >= g.ny - 1) return;
    double gs = 0.25 * (u[at(g, i - 1, j)] + u[at(g, i + 1, j)] + u[at(g, i, j - 1)] + u[at(g, i, j + 1)]);
    u[at(g, i, j)] += omega * (gs - u[at(g, i, j)]);
}

// sum |v-u|^2
__global__ void diff_norm(Grid2 g, const double* u, const double* v, double* out)
{
    double acc = 0.0;
    for (int j = blockIdx.x; j < g.ny; j += gridDim.x)
        for (int i = threadIdx.x; i < g.nx; i += blockDim.x) {
            double d = v[at(g, i, j)] - u[at(g, i, j)];
            acc = fma(d, d, acc);
        }
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(0xffffffff, acc, o);
    __shared__ double w[32];
    if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned k = 1; k < blockDim.x / 32; ++k) acc += w[k];
        atomicAdd(out, acc);
    }
}

// ---------------------------------------------------------------- 3D
__global__ void brick7(Grid3 g, const float* __restrict__ u, float* __restrict__ v, float c, int z0, int z1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = z0 + blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= g.nx - 1 || y >= g.ny - 1 || z >= g.nz - 1 || z >= z1) return;
    size_t sx = g.nx, sxy = sx * g.ny, p = z * sxy + y * sx + x;
    float m = u[p];
    v[p] = m + c * (u[p - 1] + u[p + 1] + u[p - sx] + u[p + sx] + u[p - sxy] + u[p + sxy] - 6.f * m);
}

__global__ void brick7_zmarch(Grid3 g, const float* __restrict__ u, float* __restrict__ v, float c)
{
    __shared__ float s[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    bool in = x < g.nx && y < g.ny;
    bool inner = x > 0 && y > 0 && x < g.nx - 1 && y < g.ny - 1;
    size_t sx = g.nx, sxy = sx * g.ny, p = size_t(y) * sx + x;
    float below = in ? u[p] : 0.f, here = in ? u[p + sxy] : 0.f;
    for (int z = 1; z < g.nz - 1; ++z) {
        p += sxy;
        float above = in ? u[p + sxy] : 0.f;
        __syncthreads();
        s[ty][tx] = here;
        if (in) {
            if (tx == 1 && x > 0) s[ty][0] = u[p - 1];
            if (tx == 32 && x + 1 < g.nx) s[ty][33] = u[p + 1];
            if (ty == 1 && y > 0) s[0][tx] = u[p - sx];
            if (ty == 8 && y + 1 < g.ny) s[9][tx] = u[p + sx];
        }
        __syncthreads();
        if (inner)
            v[p] = here + c * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + below + above - 6.f * here);
        below = here;
        here = above;
    }
}

}  // namespace heat

static bool check2d(const heat::Grid2& g, const std::vector<double>& a, const std::vector<double>& b, double c, const char* tag)
{
    double worst = 0;
    for (int k = 0; k < 20000; ++k) {
        int i = 1 + (k * 7919) % (g.nx - 2), j = 1 + (k * 104729LL) % (g.ny - 2);
        size_t p = size_t(j) * g.pitch + i;
        double e = a[p] + c * (a[p - 1] + a[p + 1] + a[p - g.pitch] + a[p + g.pitch] - 4 * a[p]);
        worst = std::fmax(worst, std::fabs(e - b[p]));
    }
    std::printf("  %-18s max err %.2e\n", tag, worst);
    return worst < 1e-12;
}

int main(int argc, char** argv)
{
    heat::Grid2 g{2500, 1800, 2528};
    if (argc > 2) { g.nx = atoi(argv[1]); g.ny = atoi(argv[2]); g.pitch = (g.nx + 31) / 32 * 32; }
    const size_t cells = size_t(g.pitch) * g.ny, bytes = cells * sizeof(double);
    const double c = 0.2;
    double *u, *v, *nrm;
    GPU_OK(cudaMalloc(&u, bytes));
    GPU_OK(cudaMalloc(&v, bytes));
    GPU_OK(cudaMalloc(&nrm, sizeof(double)));
    GPU_OK(cudaMemset(u, 0, bytes));
    std::vector<double> hu(cells), hv(cells);
    bool ok = true;

    dim3 b(32, 8), gr((g.nx + 31) / 32, (g.ny + 7) / 8);
    heat::init_plate<<<gr, b>>>(g, u);
    GPU_OK(cudaMemcpy(hu.data(), u, bytes, cudaMemcpyDeviceToHost));

    struct { const char* name; int id; } steps[] = {{"naive 16x16", 0}, {"naive 64x4", 1}, {"tile 32x8", 2}, {"tile 16x16", 3}, {"march 12", 4}};
    for (auto& s : steps) {
        GPU_OK(cudaMemcpy(v, u, bytes, cudaMemcpyDeviceToDevice));
        switch (s.id) {
        case 0: heat::jacobi5<<<dim3((g.nx + 15) / 16, (g.ny + 15) / 16), dim3(16, 16)>>>(g, u, v, c); break;
        case 1: heat::jacobi5<<<dim3((g.nx + 63) / 64, (g.ny + 3) / 4), dim3(64, 4)>>>(g, u, v, c); break;
        case 2: heat::jacobi5_tile<32, 8><<<gr, b>>>(g, u, v, c); break;
        case 3: heat::jacobi5_tile<16, 16><<<dim3((g.nx + 15) / 16, (g.ny + 15) / 16), dim3(16, 16)>>>(g, u, v, c); break;
        case 4: heat::jacobi5_march<12><<<dim3((g.nx + 127) / 128, (g.ny - 2 + 11) / 12), 128>>>(g, u, v, c); break;
        }
        GPU_OK(cudaGetLastError());
        GPU_OK(cudaMemcpy(hv.data(), v, bytes, cudaMemcpyDeviceToHost));
        ok &= check2d(g, hu, hv, c, s.name);
    }

    GPU_OK(cudaMemset(nrm, 0, sizeof(double)));
    heat::diff_norm<<<300, 256>>>(g, u, v, nrm);
    double hn, ref = 0;
    GPU_OK(cudaMemcpy(&hn, nrm, sizeof hn, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < cells; ++k) if (int(k % g.pitch) < g.nx) ref += (hv[k] - hu[k]) * (hv[k] - hu[k]);
    ok &= std::fabs(hn - ref) <= 1e-9 * std::fabs(ref) + 1e-20;
    std::printf("  |dv|^2 = %.6e (host %.6e)\n", hn, ref);

    dim3 sb(64, 4), sg((g.nx / 2 + 63) / 64, (g.ny - 2 + 3) / 4);
    for (int colour = 0; colour < 2; ++colour) heat::sor_half<<<sg, sb>>>(g, u, 1.5, colour);
    GPU_OK(cudaMemcpy(hv.data(), u, bytes, cudaMemcpyDeviceToHost));
    double w = 0;
    for (int k = 0; k < 5000; ++k) {  // black points see final red neighbours
        int j = 1 + (k * 31) % (g.ny - 2), i = 1 + 2 * ((k * 17) % (g.nx / 2 - 2)) + ((j + 1) & 1);
        size_t p = size_t(j) * g.pitch + i;
        if (i >= g.nx - 1) continue;
        double e = hu[p] + 1.5 * (0.25 * (hv[p - 1] + hv[p + 1] + hv[p - g.pitch] + hv[p + g.pitch]) - hu[p]);
        w = std::fmax(w, std::fabs(e - hv[p]));
    }
    std::printf("  %-18s max err %.2e\n", "sor", w);
    ok &= w < 1e-12;

    // 3D part: three slabs on three streams, then the marching version
    heat::Grid3 q{300, 200, 122};
    const size_t nq = size_t(q.nx) * q.ny * q.nz;
    std::vector<float> h3(nq), o1(nq), o2(nq);
    for (size_t k = 0; k < nq; ++k) h3[k] = float((k * 2654435761ull >> 12) & 1023) / 1024.f;
    float *a3, *b3;
    GPU_OK(cudaMalloc(&a3, nq * 4));
    GPU_OK(cudaMalloc(&b3, nq * 4));
    GPU_OK(cudaMemcpy(a3, h3.data(), nq * 4, cudaMemcpyHostToDevice));
    GPU_OK(cudaMemset(b3, 0, nq * 4));
    GPU_OK(cudaDeviceSynchronize());
    cudaStream_t st[3];
    const int slab = (q.nz + 2) / 3;
    for (int s = 0; s < 3; ++s) {
        GPU_OK(cudaStreamCreate(&st[s]));
        dim3 bb(32, 4, 2), gg((q.nx + 31) / 32, (q.ny + 3) / 4, (slab + 1) / 2);
        heat::brick7<<<gg, bb, 0, st[s]>>>(q, a3, b3, 0.1f, s * slab, (s + 1) * slab);
    }
    GPU_OK(cudaDeviceSynchronize());
    GPU_OK(cudaMemcpy(o1.data(), b3, nq * 4, cudaMemcpyDeviceToHost));
    GPU_OK(cudaMemset(b3, 0, nq * 4));
    heat::brick7_zmarch<<<dim3((q.nx + 31) / 32, (q.ny + 7) / 8), dim3(32, 8)>>>(q, a3, b3, 0.1f);
    GPU_OK(cudaMemcpy(o2.data(), b3, nq * 4, cudaMemcpyDeviceToHost));
    float d3 = 0;
    for (size_t k = 0; k < nq; k += 13) d3 = std::fmax(d3, std::fabs(o1[k] - o2[k]));
    size_t pm = size_t(60) * q.nx * q.ny + 100 * q.nx + 150;
    float e = h3[pm] + 0.1f * (h3[pm - 1] + h3[pm + 1] + h3[pm - q.nx] + h3[pm + q.nx] + h3[pm - q.nx * q.ny] + h3[pm + q.nx * q.ny] - 6 * h3[pm]);
    ok &= d3 < 1e-5f && std::fabs(e - o1[pm]) < 1e-5f;
    std::printf("  3d variants differ by %.2e\n%s\n", d3, ok ? "PASS" : "FAIL");
    for (auto& s : st) cudaStreamDestroy(s);
    cudaFree(u); cudaFree(v); cudaFree(nrm); cudaFree(a3); cudaFree(b3);
    return ok ? 0 : 1;
}
