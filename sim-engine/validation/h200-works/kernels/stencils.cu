#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define cudaErrCheck(stat) { cudaErrCheck_((stat), __FILE__, __LINE__); }
void cudaErrCheck_(cudaError_t stat, const char *file, int line) {
    if (stat != cudaSuccess) {
        fprintf(stderr, "CUDA Error: %s %s %d\n", cudaGetErrorString(stat), file, line);
        exit(1);
    }
}

#define IDX2(i, j, nx) ((j) * (nx) + (i))
#define IDX3(i, j, k, nx, ny) (((size_t)(k) * (ny) + (j)) * (nx) + (i))

/* ------------------------------------------------------------------ Jacobi 2D */
__global__ void jacobi_naive(const float *a, float *b, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < nx - 1 && j < ny - 1)
        b[IDX2(i, j, nx)] = 0.25f * (a[IDX2(i - 1, j, nx)] + a[IDX2(i + 1, j, nx)] +
                                     a[IDX2(i, j - 1, nx)] + a[IDX2(i, j + 1, nx)]);
}

#define BX 32
#define BY 16
__global__ void jacobi_shared(const float *a, float *b, int nx, int ny)
{
    __shared__ float t[BY + 2][BX + 2];
    const int i = blockIdx.x * BX + threadIdx.x;
    const int j = blockIdx.y * BY + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const bool in = (i < nx && j < ny);
    if (in) {
        t[ty][tx] = a[IDX2(i, j, nx)];
        if (threadIdx.x == 0 && i > 0) t[ty][0] = a[IDX2(i - 1, j, nx)];
        if (threadIdx.x == BX - 1 && i < nx - 1) t[ty][BX + 1] = a[IDX2(i + 1, j, nx)];
        if (threadIdx.y == 0 && j > 0) t[0][tx] = a[IDX2(i, j - 1, nx)];
        if (threadIdx.y == BY - 1 && j < ny - 1) t[BY + 1][tx] = a[IDX2(i, j + 1, nx)];
    }
    __syncthreads();
    if (in && i > 0 && j > 0 && i < nx - 1 && j < ny - 1)
        b[IDX2(i, j, nx)] = 0.25f * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx]);
}

// each thread walks down ROWS points, keeping three rows in registers
template <int ROWS>
__global__ void jacobi_regblock(const float *__restrict__ a, float *__restrict__ b, int nx, int ny)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j0 = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS + 1;
    if (i < 1 || i >= nx - 1 || j0 >= ny - 1) return;
    float up = a[IDX2(i, j0 - 1, nx)];
    float mid = a[IDX2(i, j0, nx)];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int j = j0 + r;
        if (j < ny - 1) {
            float down = a[IDX2(i, j + 1, nx)];
            float l = a[IDX2(i - 1, j, nx)], rr = a[IDX2(i + 1, j, nx)];
            b[IDX2(i, j, nx)] = 0.25f * (up + down + l + rr);
            up = mid;
            mid = down;
        }
    }
}

/* ------------------------------------------------------------------ heat 3D */
__global__ void heat3d_7pt(const double *u, double *un, int nx, int ny, int nz, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    size_t p = IDX3(i, j, k, nx, ny);
    size_t sy = nx, sz = (size_t)nx * ny;
    un[p] = u[p] + c * (u[p - 1] + u[p + 1] + u[p - sy] + u[p + sy] + u[p - sz] + u[p + sz] - 6.0 * u[p]);
}

// 25-point star, radius 4, marching in z with a register queue and a shared xy plane
#define R 4
#define TX 32
#define TY 8
__constant__ float c_coef[R + 1];
__global__ void __launch_bounds__(TX * TY) heat3d_25pt(const float *__restrict__ u, float *__restrict__ un,
                                                      int nx, int ny, int nz)
{
    __shared__ float s[TY + 2 * R][TX + 2 * R];
    const int ix = blockIdx.x * TX + threadIdx.x + R;
    const int iy = blockIdx.y * TY + threadIdx.y + R;
    const int stride = nx * ny;
    const int tx = threadIdx.x + R, ty = threadIdx.y + R;
    int in_idx = iy * nx + ix;

    float behind[R], infront[R], current;
#pragma unroll
    for (int q = R - 2; q >= 0; q--) { behind[q] = u[in_idx]; in_idx += stride; }
    behind[R - 1] = 0.f;    // shifted out before its first use
    current = u[in_idx];
    int out_idx = in_idx;
    in_idx += stride;
#pragma unroll
    for (int q = 0; q < R; q++) { infront[q] = u[in_idx]; in_idx += stride; }

    for (int k = R; k < nz - R; k++) {
        // advance the queue
#pragma unroll
        for (int q = R - 1; q > 0; q--) behind[q] = behind[q - 1];
        behind[0] = current;
        current = infront[0];
#pragma unroll
        for (int q = 0; q < R - 1; q++) infront[q] = infront[q + 1];
        infront[R - 1] = u[in_idx];
        in_idx += stride;
        out_idx += stride;
        __syncthreads();
        if (threadIdx.y < R) {
            s[threadIdx.y][tx] = u[out_idx - R * nx];
            s[threadIdx.y + TY + R][tx] = u[out_idx + TY * nx];
        }
        if (threadIdx.x < R) {
            s[ty][threadIdx.x] = u[out_idx - R];
            s[ty][threadIdx.x + TX + R] = u[out_idx + TX];
        }
        s[ty][tx] = current;
        __syncthreads();
        float v = c_coef[0] * current;
#pragma unroll
        for (int r = 1; r <= R; r++)
            v += c_coef[r] * (infront[r - 1] + behind[r - 1] + s[ty - r][tx] + s[ty + r][tx] + s[ty][tx - r] + s[ty][tx + r]);
        un[out_idx] = v;
    }
}

/* ------------------------------------------------------------------ game of life */
__global__ void life_bytes(const unsigned char *cur, unsigned char *nxt, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int xl = (x + w - 1) % w, xr = (x + 1) % w;
    int yu = (y + h - 1) % h, yd = (y + 1) % h;
    int n = cur[yu * w + xl] + cur[yu * w + x] + cur[yu * w + xr] + cur[y * w + xl] + cur[y * w + xr] +
            cur[yd * w + xl] + cur[yd * w + x] + cur[yd * w + xr];
    nxt[y * w + x] = (n == 3 || (n == 2 && cur[y * w + x])) ? 1 : 0;
}

__device__ __forceinline__ void full_add(unsigned a, unsigned b, unsigned c, unsigned &s, unsigned &carry)
{
    unsigned x = a ^ b;
    s = x ^ c;
    carry = (a & b) | (x & c);
}

// 32 cells per word, bit-sliced neighbour count
__global__ void life_bits(const unsigned *__restrict__ cur, unsigned *__restrict__ nxt, int words, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= words || y >= h) return;
    int xl = x == 0 ? words - 1 : x - 1;
    int xr = x == words - 1 ? 0 : x + 1;
    unsigned s[3], c[3], alive = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++) {
        int yy = y + dy;
        if (yy < 0) yy += h;
        if (yy >= h) yy -= h;
        const unsigned *row = cur + (size_t)yy * words;
        unsigned m = row[x];
        unsigned w = __funnelshift_l(row[xl], m, 1);
        unsigned e = __funnelshift_r(m, row[xr], 1);
        if (dy == 0) {
            alive = m;
            s[1] = w ^ e;
            c[1] = w & e;
        } else {
            full_add(w, m, e, s[dy + 1], c[dy + 1]);
        }
    }
    unsigned ones, c1;
    full_add(s[0], s[1], s[2], ones, c1);
    unsigned odd = c[0] ^ c[1] ^ c[2] ^ c1;
    unsigned two = (c[0] & c[1]) | (c[2] & c1) | ((c[0] | c[1]) & (c[2] | c1));
    nxt[(size_t)y * words + x] = (odd & ~two) & (ones | alive);
}

/* ------------------------------------------------------------------ LBM D2Q9, pull scheme, periodic */
__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__global__ void lbm_d2q9_pull(const float *__restrict__ f, float *__restrict__ fn, int nx, int ny, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= nx) return;
    const int n = nx * ny;
    float g[9];
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int xs = x - cx[q], ys = y - cy[q];
        xs = xs < 0 ? xs + nx : (xs >= nx ? xs - nx : xs);
        ys = ys < 0 ? ys + ny : (ys >= ny ? ys - ny : ys);
        g[q] = f[q * n + ys * nx + xs];
    }
    float rho = 0.f;
#pragma unroll
    for (int q = 0; q < 9; q++) rho += g[q];
    float inv = 1.0f / rho;
    float ux = (g[1] + g[5] + g[8] - g[3] - g[6] - g[7]) * inv;
    float uy = (g[2] + g[5] + g[6] - g[4] - g[7] - g[8]) * inv;
    float usq = 1.5f * (ux * ux + uy * uy);
    const float w0 = 4.f / 9.f, w1 = 1.f / 9.f, w2 = 1.f / 36.f;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float cu = 3.f * (cx[q] * ux + cy[q] * uy);
        float w = q == 0 ? w0 : (q < 5 ? w1 : w2);
        float feq = w * rho * (1.f + cu + 0.5f * cu * cu - usq);
        fn[q * n + y * nx + x] = g[q] + omega * (feq - g[q]);
    }
}

static double sum_floats(const float *d, size_t n)
{
    float *h = (float *)malloc(n * sizeof(float));
    cudaErrCheck(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0;
    for (size_t i = 0; i < n; i++) s += h[i];
    free(h);
    return s;
}

int main()
{
    double total = 0;
    srand(31);
    /* Jacobi, 4000 x 4000 */
    {
        const int nx = 4000, ny = 4000;
        const size_t bytes = (size_t)nx * ny * sizeof(float);
        float *h = (float *)malloc(bytes);
        for (int i = 0; i < nx * ny; i++) h[i] = (float)(rand() % 1000) * 0.001f;
        float *a, *b;
        cudaErrCheck(cudaMalloc(&a, bytes));
        cudaErrCheck(cudaMalloc(&b, bytes));
        cudaErrCheck(cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice));
        cudaErrCheck(cudaMemcpy(b, h, bytes, cudaMemcpyHostToDevice));
        dim3 bl(16, 16);
        jacobi_naive<<<dim3((nx + 15) / 16, (ny + 15) / 16), bl>>>(a, b, nx, ny);
        jacobi_shared<<<dim3((nx + BX - 1) / BX, (ny + BY - 1) / BY), dim3(BX, BY)>>>(b, a, nx, ny);
        jacobi_regblock<8><<<dim3((nx + 63) / 64, (ny + 31) / 32), dim3(64, 4)>>>(a, b, nx, ny);
        cudaErrCheck(cudaGetLastError());
        total += sum_floats(b, (size_t)nx * ny);
        cudaFree(a); cudaFree(b); free(h);
    }
    /* heat 3D, double, 7 points */
    {
        const int n = 224;
        const size_t cnt = (size_t)n * n * n;
        double *h = (double *)malloc(cnt * sizeof(double));
        for (size_t i = 0; i < cnt; i++) h[i] = (double)((i * 7919) % 1013) / 1013.0;
        double *u, *un;
        cudaErrCheck(cudaMalloc(&u, cnt * sizeof(double)));
        cudaErrCheck(cudaMalloc(&un, cnt * sizeof(double)));
        cudaErrCheck(cudaMemcpy(u, h, cnt * sizeof(double), cudaMemcpyHostToDevice));
        cudaErrCheck(cudaMemcpy(un, h, cnt * sizeof(double), cudaMemcpyHostToDevice));
        heat3d_7pt<<<dim3((n + 31) / 32, (n + 3) / 4, (n + 1) / 2), dim3(32, 4, 2)>>>(u, un, n, n, n, 0.1);
        cudaErrCheck(cudaGetLastError());
        cudaErrCheck(cudaMemcpy(h, un, cnt * sizeof(double), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < cnt; i++) total += h[i];
        cudaFree(u); cudaFree(un); free(h);
    }
    /* 25 points */
    {
        const int nx = 256 + 2 * R, ny = 256 + 2 * R, nz = 192 + 2 * R;
        const size_t cnt = (size_t)nx * ny * nz;
        float *h = (float *)malloc(cnt * sizeof(float));
        for (size_t i = 0; i < cnt; i++) h[i] = (float)((i * 31) % 257) / 257.0f;
        const float coef[R + 1] = {0.4f, 0.06f, 0.025f, 0.01f, 0.005f};
        cudaErrCheck(cudaMemcpyToSymbol(c_coef, coef, sizeof(coef)));
        float *u, *un;
        cudaErrCheck(cudaMalloc(&u, cnt * sizeof(float)));
        cudaErrCheck(cudaMalloc(&un, cnt * sizeof(float)));
        cudaErrCheck(cudaMemcpy(u, h, cnt * sizeof(float), cudaMemcpyHostToDevice));
        cudaErrCheck(cudaMemset(un, 0, cnt * sizeof(float)));
        heat3d_25pt<<<dim3(256 / TX, 256 / TY), dim3(TX, TY)>>>(u, un, nx, ny, nz);
        cudaErrCheck(cudaGetLastError());
        total += sum_floats(un, cnt);
        cudaFree(u); cudaFree(un); free(h);
    }
    /* life */
    {
        const int w = 4096, h = 4096;
        unsigned char *hc = (unsigned char *)malloc((size_t)w * h);
        for (int i = 0; i < w * h; i++) hc[i] = (rand() >> 5) & 1;
        unsigned char *c0, *c1;
        cudaErrCheck(cudaMalloc(&c0, (size_t)w * h));
        cudaErrCheck(cudaMalloc(&c1, (size_t)w * h));
        cudaErrCheck(cudaMemcpy(c0, hc, (size_t)w * h, cudaMemcpyHostToDevice));
        life_bytes<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(c0, c1, w, h);
        cudaErrCheck(cudaGetLastError());
        cudaErrCheck(cudaMemcpy(hc, c1, (size_t)w * h, cudaMemcpyDeviceToHost));
        for (int i = 0; i < w * h; i++) total += hc[i];
        // 16384 x 8192 cells, bit packed: 16 MB
        const int words = 512, rows = 8192;
        unsigned *hb = (unsigned *)malloc((size_t)words * rows * 4);
        for (int i = 0; i < words * rows; i++) hb[i] = ((unsigned)rand() << 16) ^ (unsigned)rand();
        unsigned *b0, *b1;
        cudaErrCheck(cudaMalloc(&b0, (size_t)words * rows * 4));
        cudaErrCheck(cudaMalloc(&b1, (size_t)words * rows * 4));
        cudaErrCheck(cudaMemcpy(b0, hb, (size_t)words * rows * 4, cudaMemcpyHostToDevice));
        life_bits<<<dim3(words / 64, rows / 4), dim3(64, 4)>>>(b0, b1, words, rows);
        life_bits<<<dim3(words / 128, rows / 2), dim3(128, 2)>>>(b1, b0, words, rows);
        cudaErrCheck(cudaGetLastError());
        cudaErrCheck(cudaMemcpy(hb, b0, (size_t)words * rows * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < words * rows; i++) total += __builtin_popcount(hb[i]);
        cudaFree(c0); cudaFree(c1); cudaFree(b0); cudaFree(b1);
        free(hc); free(hb);
    }
    /* LBM */
    {
        const int nx = 1536, ny = 1024;
        const size_t cnt = (size_t)9 * nx * ny;
        const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
        float *h = (float *)malloc(cnt * sizeof(float));
        for (int q = 0; q < 9; q++)
            for (int i = 0; i < nx * ny; i++) h[(size_t)q * nx * ny + i] = w[q] * (1.f + 0.01f * ((i * 13 + q) % 11));
        float *f0, *f1;
        cudaErrCheck(cudaMalloc(&f0, cnt * sizeof(float)));
        cudaErrCheck(cudaMalloc(&f1, cnt * sizeof(float)));
        cudaErrCheck(cudaMemcpy(f0, h, cnt * sizeof(float), cudaMemcpyHostToDevice));
        lbm_d2q9_pull<<<dim3((nx + 127) / 128, ny), 128>>>(f0, f1, nx, ny, 1.2f);
        cudaErrCheck(cudaGetLastError());
        cudaErrCheck(cudaDeviceSynchronize());
        total += sum_floats(f1, cnt);
        cudaFree(f0); cudaFree(f1); free(h);
    }
    printf("stencils checksum: %.4f\n", total);
    return 0;
}
