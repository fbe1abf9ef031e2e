// Heat and wave equations on regular grids: a tour from one thread per cell to temporal blocking.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

#define IDX2(x, y) ((y) * nx + (x))
#define IDX3(x, y, z) (((z) * ny + (y)) * nx + (x))

// 5-point, global memory only
__global__ void heat2d_global(const float *u, float *un, int nx, int ny, float r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        float c = u[IDX2(x, y)];
        un[IDX2(x, y)] = c + r * (u[IDX2(x - 1, y)] + u[IDX2(x + 1, y)] + u[IDX2(x, y - 1)] + u[IDX2(x, y + 1)] - 4.0f * c);
    }
}

// 5-point with a halo in shared memory; edge threads load the extra cells
template <int BX, int BY>
__global__ void heat2d_shared(const float *u, float *un, int nx, int ny, float r) {
    __shared__ float s[BY + 2][BX + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * BX + threadIdx.x;
    int y = blockIdx.y * BY + threadIdx.y;
    if (x < nx && y < ny) {
        s[ty][tx] = u[IDX2(x, y)];
        if (threadIdx.x == 0 && x > 0) s[ty][0] = u[IDX2(x - 1, y)];
        if (threadIdx.x == BX - 1 && x < nx - 1) s[ty][BX + 1] = u[IDX2(x + 1, y)];
        if (threadIdx.y == 0 && y > 0) s[0][tx] = u[IDX2(x, y - 1)];
        if (threadIdx.y == BY - 1 && y < ny - 1) s[BY + 1][tx] = u[IDX2(x, y + 1)];
    }
    __syncthreads();
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        un[IDX2(x, y)] = s[ty][tx] + r * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] - 4.0f * s[ty][tx]);
}

// 9-point box filter of radius R, coefficients passed by value
struct Coeffs { float c[9]; };
template <int R, int ROWS>
__global__ void star2d_coarsened(const float *__restrict__ u, float *__restrict__ un, int nx, int ny, Coeffs k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x < R || x >= nx - R) return;
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
        int y = y0 + j;
        if (y < R || y >= ny - R) continue;
        float acc = k.c[0] * u[IDX2(x, y)];
#pragma unroll
        for (int d = 1; d <= R; ++d)
            acc += k.c[d] * (u[IDX2(x - d, y)] + u[IDX2(x + d, y)] + u[IDX2(x, y - d)] + u[IDX2(x, y + d)]);
        un[IDX2(x, y)] = acc;
    }
}

// STEPS time steps at once: overlapping tiles, every block recomputes a trapezoid
template <int TILE, int STEPS>
__global__ void __launch_bounds__(TILE * TILE / 4) heat2d_temporal(const float *__restrict__ u, float *__restrict__ un, int nx, int ny, float r) {
    __shared__ float buf[2][TILE][TILE + 1];
    const int inner = TILE - 2 * STEPS;
    int gx0 = blockIdx.x * inner - STEPS, gy0 = blockIdx.y * inner - STEPS;
    for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
        int gx = gx0 + threadIdx.x, gy = gy0 + y;
        bool in = gx >= 0 && gx < nx && gy >= 0 && gy < ny;
        buf[0][y][threadIdx.x] = in ? u[IDX2(gx, gy)] : 0.0f;
    }
    __syncthreads();
    int cur = 0;
    for (int t = 0; t < STEPS; ++t) {
        for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
            int x = threadIdx.x, gx = gx0 + x, gy = gy0 + y;
            float c = buf[cur][y][x];
            bool edge = x == 0 || x == TILE - 1 || y == 0 || y == TILE - 1 || gx <= 0 || gx >= nx - 1 || gy <= 0 || gy >= ny - 1;
            buf[1 - cur][y][x] = edge ? c : c + r * (buf[cur][y][x - 1] + buf[cur][y][x + 1] + buf[cur][y - 1][x] + buf[cur][y + 1][x] - 4.0f * c);
        }
        cur = 1 - cur;
        __syncthreads();
    }
    for (int y = threadIdx.y + STEPS; y < TILE - STEPS; y += blockDim.y) {
        int x = threadIdx.x, gx = gx0 + x, gy = gy0 + y;
        if (x >= STEPS && x < TILE - STEPS && gx < nx && gy < ny) un[IDX2(gx, gy)] = buf[cur][y][x];
    }
}

// 7-point in 3D, one thread per cell
__global__ void heat3d_global(const float *u, float *un, int nx, int ny, int nz, float r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1) return;
    float c = u[IDX3(x, y, z)];
    un[IDX3(x, y, z)] = c + r * (u[IDX3(x - 1, y, z)] + u[IDX3(x + 1, y, z)] + u[IDX3(x, y - 1, z)] + u[IDX3(x, y + 1, z)] +
                                 u[IDX3(x, y, z - 1)] + u[IDX3(x, y, z + 1)] - 6.0f * c);
}

// 7-point, march along z with three planes in registers
__global__ void heat3d_register_queue(const float *__restrict__ u, float *__restrict__ un, int nx, int ny, int nz, float r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
    const int plane = nx * ny;
    int i = IDX3(x, y, 1);
    float below = u[i - plane], here = u[i], above;
    for (int z = 1; z < nz - 1; ++z, i += plane) {
        above = u[i + plane];
        un[i] = here + r * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + below + above - 6.0f * here);
        below = here;
        here = above;
    }
}

// high order wave equation: radius-R star, xy tile in shared memory, z column in registers
__constant__ float c_fd[5];
template <int R, int BX, int BY>
__global__ void __launch_bounds__(BX * BY) wave3d_25pt(const float *__restrict__ p, float *__restrict__ pn, const float *__restrict__ vel, int nx, int ny, int nz) {
    __shared__ float tile[BY + 2 * R][BX + 2 * R];
    const int plane = nx * ny;
    int x = blockIdx.x * BX + threadIdx.x + R, y = blockIdx.y * BY + threadIdx.y + R;
    bool ok = x < nx - R && y < ny - R;
    int xc = min(x, nx - 1), yc = min(y, ny - 1);
    float q[2 * R + 1];
    int i = IDX3(xc, yc, 0);
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) q[k + 1] = p[i + k * plane];
    i += R * plane;
    for (int z = R; z < nz - R; ++z, i += plane) {
#pragma unroll
        for (int k = 0; k < 2 * R; ++k) q[k] = q[k + 1];
        q[2 * R] = p[i + R * plane];
        __syncthreads();
        for (int yy = threadIdx.y; yy < BY + 2 * R; yy += BY)
            for (int xx = threadIdx.x; xx < BX + 2 * R; xx += BX) {
                int gx = min((int)blockIdx.x * BX + xx, nx - 1), gy = min((int)blockIdx.y * BY + yy, ny - 1);
                tile[yy][xx] = p[IDX3(gx, gy, z)];
            }
        __syncthreads();
        if (ok) {
            float lap = 3.0f * c_fd[0] * q[R];
#pragma unroll
            for (int d = 1; d <= R; ++d)
                lap += c_fd[d] * (q[R - d] + q[R + d] + tile[threadIdx.y + R][threadIdx.x + R - d] + tile[threadIdx.y + R][threadIdx.x + R + d] +
                                  tile[threadIdx.y + R - d][threadIdx.x + R] + tile[threadIdx.y + R + d][threadIdx.x + R]);
            pn[i] = 2.0f * q[R] - pn[i] + vel[i] * lap;
        }
    }
}

int main() {
    const int nx = 2048, ny = 2048, n3 = 192;
    const size_t n = (size_t)n3 * n3 * n3;   // 7.1M cells, larger than the 2D grid
    std::vector<float> h(n);
    for (size_t i = 0; i < n; ++i) h[i] = (i % 977 == 0) ? 100.0f : (float)(i % 13);
    float *a, *b, *vel;
    gpuErrchk(cudaMalloc(&a, n * sizeof(float)));
    gpuErrchk(cudaMalloc(&b, n * sizeof(float)));
    gpuErrchk(cudaMalloc(&vel, n * sizeof(float)));
    gpuErrchk(cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(b, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    std::vector<float> hv(n, 0.05f);
    gpuErrchk(cudaMemcpy(vel, hv.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const float fd[5] = {-2.847222f, 1.6f, -0.2f, 0.0253968f, -0.00178571f};
    gpuErrchk(cudaMemcpyToSymbol(c_fd, fd, sizeof(fd)));

    // 2D, three ping-pong steps of the first kernel
    for (int step = 0; step < 3; ++step) {
        heat2d_global<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(a, b, nx, ny, 0.2f);
        std::swap(a, b);
    }
    heat2d_global<<<dim3(nx / 4, ny / 64), dim3(4, 64)>>>(a, b, nx, ny, 0.2f);
    heat2d_shared<32, 8><<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(a, b, nx, ny, 0.2f);
    heat2d_shared<16, 16><<<dim3((2000 + 15) / 16, (1500 + 15) / 16), dim3(16, 16)>>>(a, b, 2000, 1500, 0.2f);
    Coeffs k = {{0.6f, 0.06f, 0.03f, 0.01f, 0.005f, 0, 0, 0, 0}};
    star2d_coarsened<2, 4><<<dim3(nx / 64, ny / 16), dim3(64, 4)>>>(a, b, nx, ny, k);
    star2d_coarsened<4, 1><<<dim3(nx / 128, ny / 2), dim3(128, 2)>>>(a, b, nx, ny, k);
    gpuErrchk(cudaDeviceSynchronize());
    heat2d_temporal<32, 4><<<dim3((nx + 23) / 24, (ny + 23) / 24), dim3(32, 8)>>>(a, b, nx, ny, 0.2f);
    heat2d_temporal<64, 8><<<dim3((nx + 47) / 48, (ny + 47) / 48), dim3(64, 16)>>>(a, b, nx, ny, 0.2f);

    // 3D
    heat3d_global<<<dim3(n3 / 32, n3 / 8, n3), dim3(32, 8, 1)>>>(a, b, n3, n3, n3, 0.1f);
    heat3d_global<<<dim3(n3 / 8, n3 / 8, n3 / 8), dim3(8, 8, 8)>>>(a, b, n3, n3, n3, 0.1f);
    heat3d_register_queue<<<dim3(n3 / 32, n3 / 4), dim3(32, 4)>>>(a, b, n3, n3, n3, 0.1f);
    heat3d_register_queue<<<dim3(n3 / 64, n3 / 4), dim3(64, 4)>>>(a, b, n3, n3, n3, 0.1f);
    wave3d_25pt<4, 32, 16><<<dim3((n3 - 8 + 31) / 32, (n3 - 8 + 15) / 16), dim3(32, 16)>>>(a, b, vel, n3, n3, n3);
    wave3d_25pt<2, 32, 8><<<dim3((n3 - 4 + 31) / 32, (n3 - 4 + 7) / 8), dim3(32, 8)>>>(a, b, vel, n3, n3, n3);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaDeviceSynchronize());
    gpuErrchk(cudaMemcpy(h.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float v : h) sum += v;
    printf("checksum %.6e\n", sum);
    return 0;
}
