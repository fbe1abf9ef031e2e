/* Stencil kernels, plain C with macros: 2-D and 3-D Jacobi in several forms, high-order star, temporal
 * blocking, red-black Gauss-Seidel, wave equation, lattice Boltzmann D2Q9, game of life, 1-D wide filter. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>

#define CHECK(x) do { cudaError_t err = (x); if (err != cudaSuccess) { \
    fprintf(stderr, "%s:%d: %s -> %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(err)); return 1; } } while (0)

#define NX 2048
#define NY 2048
#define N2 (NX * NY)
#define IDX(x, y) ((size_t)(y) * NX + (x))

#define DX 160
#define DY 160
#define DZ 160
#define N3 (DX * DY * DZ)
#define IDX3(x, y, z) (((size_t)(z) * DY + (y)) * DX + (x))
#define PLANE (DX * DY)

#define LBX 1024
#define LBY 1024
#define LBN (LBX * LBY)

#define LIFE_W 256                 /* words per row: 8192 cells */
#define LIFE_H 8192

#define N1 (4 * 1024 * 1024)
#define RAD1 16

#define CEIL(a, b) (((a) + (b) - 1) / (b))

/* ------------------------------------------------------------------ 2-D 5-point */
__global__ void jacobi2d_naive(const float *in, float *out, float w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= NX - 1 || y >= NY - 1) return;
    out[IDX(x, y)] = (1.0f - w) * in[IDX(x, y)]
                   + w * 0.25f * (in[IDX(x - 1, y)] + in[IDX(x + 1, y)] + in[IDX(x, y - 1)] + in[IDX(x, y + 1)]);
}

#define TX 32
#define TY 16
__global__ void jacobi2d_shared(const float *__restrict__ in, float *__restrict__ out, float w)
{
    __shared__ float s[TY + 2][TX + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TX + tx, y = blockIdx.y * TY + ty;
    s[ty + 1][tx + 1] = in[IDX(x, y)];
    if (tx == 0)      s[ty + 1][0]      = x > 0      ? in[IDX(x - 1, y)] : 0.0f;
    if (tx == TX - 1) s[ty + 1][TX + 1] = x < NX - 1 ? in[IDX(x + 1, y)] : 0.0f;
    if (ty == 0)      s[0][tx + 1]      = y > 0      ? in[IDX(x, y - 1)] : 0.0f;
    if (ty == TY - 1) s[TY + 1][tx + 1] = y < NY - 1 ? in[IDX(x, y + 1)] : 0.0f;
    __syncthreads();
    if (x < 1 || y < 1 || x >= NX - 1 || y >= NY - 1) return;
    out[IDX(x, y)] = (1.0f - w) * s[ty + 1][tx + 1]
                   + w * 0.25f * (s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1]);
}

/* Temporal blocking: TSTEPS Jacobi steps on a tile with a shrinking halo. */
#define TSTEPS 4
#define TB 32
#define TI (TB - 2 * TSTEPS)
__global__ void jacobi2d_temporal(const float *__restrict__ in, float *__restrict__ out, float w)
{
    __shared__ float buf[2][TB][TB + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TI + tx - TSTEPS;
    int y = blockIdx.y * TI + ty - TSTEPS;
    int inside = x >= 0 && y >= 0 && x < NX && y < NY;
    int interior = x >= 1 && y >= 1 && x < NX - 1 && y < NY - 1;
    float v = inside ? in[IDX(x, y)] : 0.0f;
    buf[0][ty][tx] = v;
    __syncthreads();
    int cur = 0;
#pragma unroll
    for (int t = 1; t <= TSTEPS; t++) {
        float r = buf[cur][ty][tx];
        if (interior && tx >= t && ty >= t && tx < TB - t && ty < TB - t)
            r = (1.0f - w) * r + w * 0.25f * (buf[cur][ty][tx - 1] + buf[cur][ty][tx + 1] + buf[cur][ty - 1][tx] + buf[cur][ty + 1][tx]);
        buf[cur ^ 1][ty][tx] = r;
        cur ^= 1;
        __syncthreads();
    }
    if (inside && tx >= TSTEPS && ty >= TSTEPS && tx < TB - TSTEPS && ty < TB - TSTEPS)
        out[IDX(x, y)] = buf[cur][ty][tx];
}

/* One colour of a red-black sweep; threads cover half of the columns. */
__global__ void gauss_seidel_color(float *u, const float *__restrict__ f, int color, float h2, float omega)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + color) & 1);
    if (x < 1 || y < 1 || x >= NX - 1 || y >= NY - 1) return;
    float c = u[IDX(x, y)];
    float g = 0.25f * (u[IDX(x - 1, y)] + u[IDX(x + 1, y)] + u[IDX(x, y - 1)] + u[IDX(x, y + 1)] - h2 * f[IDX(x, y)]);
    u[IDX(x, y)] = c + omega * (g - c);
}

/* ------------------------------------------------------------------ 3-D */
__global__ void stencil3d_7pt_naive(const float *__restrict__ in, float *__restrict__ out, float c0, float c1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= DX - 1 || y >= DY - 1 || z >= DZ - 1) return;
    size_t i = IDX3(x, y, z);
    out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - DX] + in[i + DX] + in[i - PLANE] + in[i + PLANE]);
}

/* March along z: below / current / above in registers, the plane in shared memory. */
#define MX 32
#define MY 8
#define ZCHUNK 40
__global__ void stencil3d_7pt_march(const float *__restrict__ in, float *__restrict__ out, float c0, float c1)
{
    __shared__ float s[MY + 2][MX + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * MX + threadIdx.x;
    int y = blockIdx.y * MY + threadIdx.y;
    int z0 = blockIdx.z * ZCHUNK;
    int z1 = min(z0 + ZCHUNK, DZ);
    int interior = x >= 1 && y >= 1 && x < DX - 1 && y < DY - 1;
    float below = z0 > 0 ? in[IDX3(x, y, z0 - 1)] : 0.0f;
    float cur = in[IDX3(x, y, z0)];
    for (int z = z0; z < z1; z++) {
        float above = z < DZ - 1 ? in[IDX3(x, y, z + 1)] : 0.0f;
        __syncthreads();
        s[ty][tx] = cur;
        if (threadIdx.x == 0 && x > 0)           s[ty][0]      = in[IDX3(x - 1, y, z)];
        if (threadIdx.x == MX - 1 && x < DX - 1) s[ty][MX + 1] = in[IDX3(x + 1, y, z)];
        if (threadIdx.y == 0 && y > 0)           s[0][tx]      = in[IDX3(x, y - 1, z)];
        if (threadIdx.y == MY - 1 && y < DY - 1) s[MY + 1][tx] = in[IDX3(x, y + 1, z)];
        __syncthreads();
        if (interior && z > 0 && z < DZ - 1)
            out[IDX3(x, y, z)] = c0 * cur + c1 * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + below + above);
        below = cur;
        cur = above;
    }
}

/* 25-point star, radius 4: z column held in a register queue. */
#define R 4
__constant__ float c_star[R + 1];
__global__ void __launch_bounds__(MX * MY) stencil3d_25pt(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float s[MY + 2 * R][MX + 2 * R];
    int tx = threadIdx.x + R, ty = threadIdx.y + R;
    int x = blockIdx.x * MX + threadIdx.x;
    int y = blockIdx.y * MY + threadIdx.y;
    int z0 = blockIdx.z * ZCHUNK;
    int z1 = min(z0 + ZCHUNK, DZ);
    int interior = x >= R && y >= R && x < DX - R && y < DY - R;
    float q[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; k++) {
        int z = z0 + k - R;
        q[k + 1] = (z >= 0 && z < DZ) ? in[IDX3(x, y, z)] : 0.0f;
    }
    for (int z = z0; z < z1; z++) {
#pragma unroll
        for (int k = 0; k < 2 * R; k++) q[k] = q[k + 1];
        q[2 * R] = z + R < DZ ? in[IDX3(x, y, z + R)] : 0.0f;
        __syncthreads();
        s[ty][tx] = q[R];
        if (threadIdx.x < R) {
            s[ty][threadIdx.x] = x >= R ? in[IDX3(x - R, y, z)] : 0.0f;
            s[ty][tx + MX] = x + MX < DX ? in[IDX3(x + MX, y, z)] : 0.0f;
        }
        if (threadIdx.y < R) {
            s[threadIdx.y][tx] = y >= R ? in[IDX3(x, y - R, z)] : 0.0f;
            s[ty + MY][tx] = y + MY < DY ? in[IDX3(x, y + MY, z)] : 0.0f;
        }
        __syncthreads();
        if (interior && z >= R && z < DZ - R) {
            float acc = c_star[0] * q[R];
#pragma unroll
            for (int r = 1; r <= R; r++)
                acc += c_star[r] * (s[ty][tx - r] + s[ty][tx + r] + s[ty - r][tx] + s[ty + r][tx] + q[R - r] + q[R + r]);
            out[IDX3(x, y, z)] = acc;
        }
    }
}

/* ------------------------------------------------------------------ wave equation, 4th order in space */
__global__ void wave2d_step(const float *__restrict__ prev, const float *__restrict__ cur, const float *__restrict__ vel,
                            float *__restrict__ next, float dt2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= NX || y >= NY) return;
    size_t i = IDX(x, y);
    float r = 0.0f;
    if (x >= 2 && y >= 2 && x < NX - 2 && y < NY - 2) {
        float c = cur[i];
        float lap = -5.0f * c
                  + (4.0f / 3.0f) * (cur[i - 1] + cur[i + 1] + cur[i - NX] + cur[i + NX])
                  - (1.0f / 12.0f) * (cur[i - 2] + cur[i + 2] + cur[i - 2 * NX] + cur[i + 2 * NX]);
        float v = vel[i];
        r = 2.0f * c - prev[i] + v * v * dt2 * lap;
        /* sponge layer */
        int d = min(min(x, NX - 1 - x), min(y, NY - 1 - y));
        if (d < 20) { float a = 0.015f * (20 - d); r *= expf(-a * a); }
    }
    next[i] = r;
}

/* ------------------------------------------------------------------ lattice Boltzmann D2Q9 */
__constant__ int   c_ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int   c_ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float c_wt[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__device__ __forceinline__ float lbm_eq(int q, float rho, float ux, float uy)
{
    float eu = c_ex[q] * ux + c_ey[q] * uy;
    return c_wt[q] * rho * (1.0f + 3.0f * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy));
}

__global__ void lbm_init(float *__restrict__ f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * LBX + x;
    float ux = 0.05f * sinf(6.2831853f * y / LBY), uy = 0.05f * cosf(6.2831853f * x / LBX);
#pragma unroll
    for (int q = 0; q < 9; q++) f[(size_t)q * LBN + i] = lbm_eq(q, 1.0f, ux, uy);
}

/* pull streaming fused with BGK collision, periodic, bounce-back on a solid mask */
__global__ void lbm_d2q9_step(const float *__restrict__ fin, float *__restrict__ fout, const uint8_t *__restrict__ solid, float tau_inv)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * LBX + x;
    int xm = (x - 1) & (LBX - 1), xp = (x + 1) & (LBX - 1);
    int ym = (y - 1) & (LBY - 1), yp = (y + 1) & (LBY - 1);
    float f0 = fin[i];
    float f1 = fin[1 * LBN + y * LBX + xm];
    float f2 = fin[2 * LBN + ym * LBX + x];
    float f3 = fin[3 * LBN + y * LBX + xp];
    float f4 = fin[4 * LBN + yp * LBX + x];
    float f5 = fin[5 * LBN + ym * LBX + xm];
    float f6 = fin[6 * LBN + ym * LBX + xp];
    float f7 = fin[7 * LBN + yp * LBX + xp];
    float f8 = fin[8 * LBN + yp * LBX + xm];
    if (solid[i]) {
        fout[i] = f0;
        fout[1 * LBN + i] = f3; fout[3 * LBN + i] = f1;
        fout[2 * LBN + i] = f4; fout[4 * LBN + i] = f2;
        fout[5 * LBN + i] = f7; fout[7 * LBN + i] = f5;
        fout[6 * LBN + i] = f8; fout[8 * LBN + i] = f6;
        return;
    }
    float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float inv = 1.0f / rho;
    float ux = (f1 + f5 + f8 - f3 - f6 - f7) * inv;
    float uy = (f2 + f5 + f6 - f4 - f7 - f8) * inv;
    fout[i]           = f0 + tau_inv * (lbm_eq(0, rho, ux, uy) - f0);
    fout[1 * LBN + i] = f1 + tau_inv * (lbm_eq(1, rho, ux, uy) - f1);
    fout[2 * LBN + i] = f2 + tau_inv * (lbm_eq(2, rho, ux, uy) - f2);
    fout[3 * LBN + i] = f3 + tau_inv * (lbm_eq(3, rho, ux, uy) - f3);
    fout[4 * LBN + i] = f4 + tau_inv * (lbm_eq(4, rho, ux, uy) - f4);
    fout[5 * LBN + i] = f5 + tau_inv * (lbm_eq(5, rho, ux, uy) - f5);
    fout[6 * LBN + i] = f6 + tau_inv * (lbm_eq(6, rho, ux, uy) - f6);
    fout[7 * LBN + i] = f7 + tau_inv * (lbm_eq(7, rho, ux, uy) - f7);
    fout[8 * LBN + i] = f8 + tau_inv * (lbm_eq(8, rho, ux, uy) - f8);
}

/* ------------------------------------------------------------------ game of life */
__global__ void life_bytes(const uint8_t *__restrict__ in, uint8_t *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int xm = (x + NX - 1) % NX, xp = (x + 1) % NX, ym = (y + NY - 1) % NY, yp = (y + 1) % NY;
    int n = in[IDX(xm, ym)] + in[IDX(x, ym)] + in[IDX(xp, ym)] + in[IDX(xm, y)] + in[IDX(xp, y)]
          + in[IDX(xm, yp)] + in[IDX(x, yp)] + in[IDX(xp, yp)];
    out[IDX(x, y)] = (n == 3) || (n == 2 && in[IDX(x, y)]);
}

/* 32 cells per word, neighbour counts by bit-sliced adders */
#define HALF_ADD(a, b, s, c) do { s = (a) ^ (b); c = (a) & (b); } while (0)
#define FULL_ADD(a, b, d, s, c) do { uint32_t t_ = (a) ^ (b); s = t_ ^ (d); c = ((a) & (b)) | (t_ & (d)); } while (0)
__host__ __device__ static inline uint32_t life_word(uint32_t ul, uint32_t u, uint32_t ur, uint32_t l, uint32_t c, uint32_t r,
                                                     uint32_t dl, uint32_t d, uint32_t dr)
{
    uint32_t un = (u << 1) | (ul >> 31), up = (u >> 1) | (ur << 31);
    uint32_t cn = (c << 1) | (l >> 31),  cp = (c >> 1) | (r << 31);
    uint32_t dn = (d << 1) | (dl >> 31), dp = (d >> 1) | (dr << 31);
    uint32_t s0, c0, s1, c1, s2, c2, s3, c3, s4, c4, t, t2;
    FULL_ADD(un, u, up, s0, c0);
    FULL_ADD(dn, d, dp, s1, c1);
    HALF_ADD(cn, cp, s2, c2);
    FULL_ADD(s0, s1, s2, s3, c3);        /* ones */
    FULL_ADD(c0, c1, c2, s4, c4);        /* twos */
    HALF_ADD(s4, c3, t, t2);             /* t: bit 1, t2 | c4: bit 2 and above */
    return t & ~(t2 | c4) & (s3 | c);
}

__global__ void life_bits(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= LIFE_W || y >= LIFE_H) return;
    int xm = (x - 1) & (LIFE_W - 1), xp = (x + 1) & (LIFE_W - 1);
    const uint32_t *u = in + (size_t)((y - 1) & (LIFE_H - 1)) * LIFE_W;
    const uint32_t *c = in + (size_t)y * LIFE_W;
    const uint32_t *d = in + (size_t)((y + 1) & (LIFE_H - 1)) * LIFE_W;
    out[(size_t)y * LIFE_W + x] = life_word(u[xm], u[x], u[xp], c[xm], c[x], c[xp], d[xm], d[x], d[xp]);
}

/* ------------------------------------------------------------------ 1-D wide filter */
__constant__ float c_filter[2 * RAD1 + 1];

__global__ void filter1d_global(const float *__restrict__ in, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < RAD1 || i >= n - RAD1) return;
    float acc = 0.0f;
#pragma unroll
    for (int k = -RAD1; k <= RAD1; k++) acc += c_filter[k + RAD1] * in[i + k];
    out[i] = acc;
}

#define F_TPB 256
#define F_PER 4
__global__ void filter1d_shared(const float *__restrict__ in, float *__restrict__ out, int n)
{
    __shared__ float s[F_TPB * F_PER + 2 * RAD1];
    int base = blockIdx.x * F_TPB * F_PER;
    for (int k = threadIdx.x; k < F_TPB * F_PER + 2 * RAD1; k += F_TPB) {
        int g = base + k - RAD1;
        s[k] = (g >= 0 && g < n) ? in[g] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < F_PER; j++) {
        int l = threadIdx.x + j * F_TPB;
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k <= 2 * RAD1; k++) acc = fmaf(c_filter[k], s[l + k], acc);
        int g = base + l;
        if (g >= RAD1 && g < n - RAD1) out[g] = acc;
    }
}

/* ------------------------------------------------------------------ host */
static int failures = 0;
static void verdict(const char *name, double err, double tol)
{
    int ok = err <= tol;
    printf("%-26s max err %.3e %s\n", name, err, ok ? "ok" : "FAIL");
    failures += !ok;
}

static float jac(const float *u, int x, int y, float w)
{
    return (1.0f - w) * u[IDX(x, y)] + w * 0.25f * (u[IDX(x - 1, y)] + u[IDX(x + 1, y)] + u[IDX(x, y - 1)] + u[IDX(x, y + 1)]);
}

int main(void)
{
    const size_t bytes2 = (size_t)N2 * sizeof(float), bytes3 = (size_t)N3 * sizeof(float);
    float *h = (float *)malloc(bytes2), *g = (float *)malloc(bytes2), *ref = (float *)malloc(bytes2);
    float *d_a, *d_b, *d_c, *d_d;
    double e;
    for (int i = 0; i < N2; i++) h[i] = (float)((i * 7 + (i >> 11) * 13) % 1001) * 0.001f;
    CHECK(cudaMalloc(&d_a, bytes2));
    CHECK(cudaMalloc(&d_b, bytes2));
    CHECK(cudaMalloc(&d_c, bytes2));
    CHECK(cudaMalloc(&d_d, bytes2));
    CHECK(cudaMemcpy(d_a, h, bytes2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, h, bytes2, cudaMemcpyHostToDevice));

    /* 2-D Jacobi */
    const float w = 0.8f;
    dim3 t2(32, 8), g2(NX / 32, NY / 8);
    jacobi2d_naive<<<g2, t2>>>(d_a, d_b, w);
    CHECK(cudaMemcpy(g, d_b, bytes2, cudaMemcpyDeviceToHost));
    e = 0;
    for (int y = 1; y < NY - 1; y += 3) for (int x = 1; x < NX - 1; x++) e = fmax(e, fabs(g[IDX(x, y)] - jac(h, x, y, w)));
    verdict("jacobi 2d naive", e, 1e-5);

    jacobi2d_shared<<<dim3(NX / TX, NY / TY), dim3(TX, TY)>>>(d_a, d_b, w);
    CHECK(cudaMemcpy(g, d_b, bytes2, cudaMemcpyDeviceToHost));
    e = 0;
    for (int y = 1; y < NY - 1; y += 3) for (int x = 1; x < NX - 1; x++) e = fmax(e, fabs(g[IDX(x, y)] - jac(h, x, y, w)));
    verdict("jacobi 2d shared", e, 1e-5);

    jacobi2d_temporal<<<dim3(CEIL(NX, TI), CEIL(NY, TI)), dim3(TB, TB)>>>(d_a, d_b, w);
    CHECK(cudaMemcpy(g, d_b, bytes2, cudaMemcpyDeviceToHost));
    {   /* four steps on the host over a band of rows only */
        const int rows = 96;
        float *p = (float *)malloc((size_t)rows * NX * sizeof(float)), *q = (float *)malloc((size_t)rows * NX * sizeof(float));
        memcpy(p, h, (size_t)rows * NX * sizeof(float));
        memcpy(q, p, (size_t)rows * NX * sizeof(float));
        for (int t = 0; t < TSTEPS; t++) {
            for (int y = 1; y < rows - 1; y++) for (int x = 1; x < NX - 1; x++) q[IDX(x, y)] = jac(p, x, y, w);
            float *tmp = p; p = q; q = tmp;
        }
        e = 0;
        for (int y = 0; y < rows - TSTEPS - 1; y++) for (int x = 0; x < NX; x++) e = fmax(e, fabs(g[IDX(x, y)] - p[IDX(x, y)]));
        verdict("jacobi 2d temporal x4", e, 1e-5);
        free(p); free(q);
    }

    /* red-black: right-hand side f = 0.1 h, in place on d_b */
    CHECK(cudaMemcpy(d_b, h, bytes2, cudaMemcpyHostToDevice));
    dim3 grb(NX / 2 / 32, NY / 8);
    gauss_seidel_color<<<grb, t2>>>(d_b, d_a, 0, 0.01f, 1.5f);
    gauss_seidel_color<<<grb, t2>>>(d_b, d_a, 1, 0.01f, 1.5f);
    CHECK(cudaMemcpy(g, d_b, bytes2, cudaMemcpyDeviceToHost));
    memcpy(ref, h, bytes2);
    for (int color = 0; color < 2; color++)
        for (int y = 1; y < NY - 1; y++)
            for (int x = 1; x < NX - 1; x++) {
                if (((x ^ y) & 1) != color) continue;
                float c = ref[IDX(x, y)];
                float v = 0.25f * (ref[IDX(x - 1, y)] + ref[IDX(x + 1, y)] + ref[IDX(x, y - 1)] + ref[IDX(x, y + 1)] - 0.01f * h[IDX(x, y)]);
                ref[IDX(x, y)] = c + 1.5f * (v - c);
            }
    e = 0;
    for (int i = 0; i < N2; i++) e = fmax(e, fabs(g[i] - ref[i]));
    verdict("red-black sor", e, 1e-5);

    /* wave: previous = 0.9 h (in d_c), current = h, speed = h */
    for (int i = 0; i < N2; i++) ref[i] = 0.9f * h[i];
    CHECK(cudaMemcpy(d_c, ref, bytes2, cudaMemcpyHostToDevice));
    wave2d_step<<<g2, t2>>>(d_c, d_a, d_a, d_d, 0.1f);
    CHECK(cudaMemcpy(g, d_d, bytes2, cudaMemcpyDeviceToHost));
    e = 0;
    for (int y = 20; y < NY - 20; y += 5)
        for (int x = 20; x < NX - 20; x++) {
            size_t i = IDX(x, y);
            float lap = -5.0f * h[i] + 4.0f / 3.0f * (h[i - 1] + h[i + 1] + h[i - NX] + h[i + NX])
                      - 1.0f / 12.0f * (h[i - 2] + h[i + 2] + h[i - 2 * NX] + h[i + 2 * NX]);
            e = fmax(e, fabs(2.0f * h[i] - ref[i] + h[i] * h[i] * 0.1f * lap - g[i]));
        }
    verdict("wave 2d", e, 1e-5);

    /* 3-D (the first N3 values of h) */
    float star[R + 1] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.00179f};
    CHECK(cudaMemcpyToSymbol(c_star, star, sizeof(star)));
    CHECK(cudaMemset(d_b, 0, bytes2));
    stencil3d_7pt_naive<<<dim3(DX / 32, DY / 4, DZ / 2), dim3(32, 4, 2)>>>(d_a, d_b, 0.4f, 0.1f);
    CHECK(cudaMemcpy(g, d_b, bytes3, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_c, 0, bytes2));
    stencil3d_7pt_march<<<dim3(DX / MX, DY / MY, CEIL(DZ, ZCHUNK)), dim3(MX, MY)>>>(d_a, d_c, 0.4f, 0.1f);
    CHECK(cudaMemcpy(ref, d_c, bytes3, cudaMemcpyDeviceToHost));
    {
        double e2 = 0;
        e = 0;
        for (int z = 1; z < DZ - 1; z += 2) for (int y = 1; y < DY - 1; y++) for (int x = 1; x < DX - 1; x++) {
            size_t i = IDX3(x, y, z);
            float v = 0.4f * h[i] + 0.1f * (h[i - 1] + h[i + 1] + h[i - DX] + h[i + DX] + h[i - PLANE] + h[i + PLANE]);
            e = fmax(e, fabs(v - g[i]));
            e2 = fmax(e2, fabs(v - ref[i]));
        }
        verdict("7-point naive", e, 1e-5);
        verdict("7-point marching", e2, 1e-5);
    }
    stencil3d_25pt<<<dim3(DX / MX, DY / MY, CEIL(DZ, ZCHUNK)), dim3(MX, MY)>>>(d_a, d_c);
    CHECK(cudaMemcpy(g, d_c, bytes3, cudaMemcpyDeviceToHost));
    e = 0;
    for (int z = R; z < DZ - R; z += 7) for (int y = R; y < DY - R; y++) for (int x = R; x < DX - R; x++) {
        size_t i = IDX3(x, y, z);
        float v = star[0] * h[i];
        for (int r = 1; r <= R; r++)
            v += star[r] * (h[i - r] + h[i + r] + h[i - r * DX] + h[i + r * DX] + h[i - (size_t)r * PLANE] + h[i + (size_t)r * PLANE]);
        e = fmax(e, fabs(v - g[i]));
    }
    verdict("25-point star", e, 1e-4);

    /* lattice Boltzmann */
    float *d_f0, *d_f1;
    uint8_t *d_solid, *d_l0, *d_l1;
    uint8_t *cells = (uint8_t *)malloc(N2), *cells2 = (uint8_t *)malloc(N2);
    memset(cells, 0, N2);
    for (int y = 0; y < LBY; y++) for (int x = 0; x < LBX; x++) {
        int dx = x - 300, dy = y - 512;
        if (dx * dx + dy * dy < 60 * 60) cells[y * LBX + x] = 1;
    }
    CHECK(cudaMalloc(&d_f0, (size_t)9 * LBN * sizeof(float)));
    CHECK(cudaMalloc(&d_f1, (size_t)9 * LBN * sizeof(float)));
    CHECK(cudaMalloc(&d_solid, LBN));
    CHECK(cudaMemcpy(d_solid, cells, LBN, cudaMemcpyHostToDevice));
    lbm_init<<<dim3(LBX / 64, LBY / 4), dim3(64, 4)>>>(d_f0);
    lbm_d2q9_step<<<dim3(LBX / 128, LBY), dim3(128, 1)>>>(d_f0, d_f1, d_solid, 1.0f / 0.6f);
    {
        double m0 = 0;
        for (int q = 0; q < 9; q++) {
            CHECK(cudaMemcpy(g, d_f1 + (size_t)q * LBN, LBN * sizeof(float), cudaMemcpyDeviceToHost));
            for (int i = 0; i < LBN; i++) m0 += g[i];
        }
        verdict("lbm mass", fabs(m0 / LBN - 1.0), 1e-4);
    }

    /* life, bytes */
    uint32_t seed = 2463534242u;
    for (int i = 0; i < N2; i++) { seed = seed * 1664525u + 1013904223u; cells[i] = (seed >> 30) == 0; }
    CHECK(cudaMalloc(&d_l0, N2));
    CHECK(cudaMalloc(&d_l1, N2));
    CHECK(cudaMemcpy(d_l0, cells, N2, cudaMemcpyHostToDevice));
    life_bytes<<<dim3(NX / 64, NY / 4), dim3(64, 4)>>>(d_l0, d_l1);
    CHECK(cudaMemcpy(cells2, d_l1, N2, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int y = 1; y < NY - 1; y += 2) for (int x = 1; x < NX - 1; x++) {
        int n = 0;
        for (int b = -1; b <= 1; b++) for (int a = -1; a <= 1; a++) n += (a || b) ? cells[IDX(x + a, y + b)] : 0;
        bad += cells2[IDX(x, y)] != (n == 3 || (n == 2 && cells[IDX(x, y)]));
    }
    verdict("life bytes", bad, 0);

    /* life, packed: reuse the float buffers' size (2 M words = 8 MB) */
    const size_t words = (size_t)LIFE_W * LIFE_H;
    uint32_t *hw = (uint32_t *)malloc(words * 4), *hr = (uint32_t *)malloc(words * 4), *d_w0, *d_w1;
    for (size_t i = 0; i < words; i++) { seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5; hw[i] = seed & (seed * 2654435761u); }
    CHECK(cudaMalloc(&d_w0, words * 4));
    CHECK(cudaMalloc(&d_w1, words * 4));
    CHECK(cudaMemcpy(d_w0, hw, words * 4, cudaMemcpyHostToDevice));
    life_bits<<<dim3(LIFE_W / 64, LIFE_H / 4), dim3(64, 4)>>>(d_w0, d_w1);
    CHECK(cudaMemcpy(hr, d_w1, words * 4, cudaMemcpyDeviceToHost));
    bad = 0;
#define BIT(x, y) ((int)((hw[(size_t)((y) & (LIFE_H - 1)) * LIFE_W + (((x) & 8191) >> 5)] >> ((x) & 31)) & 1u))
    for (int y = 0; y < LIFE_H; y += 64) for (int x = 0; x < 8192; x++) {
        int n = BIT(x - 1, y - 1) + BIT(x, y - 1) + BIT(x + 1, y - 1) + BIT(x - 1, y) + BIT(x + 1, y)
              + BIT(x - 1, y + 1) + BIT(x, y + 1) + BIT(x + 1, y + 1);
        unsigned want = n == 3 || (n == 2 && BIT(x, y));
        bad += ((hr[(size_t)y * LIFE_W + (x >> 5)] >> (x & 31)) & 1u) != want;
    }
    verdict("life packed bits", bad, 0);

    /* 1-D filter (N1 == N2) */
    float filt[2 * RAD1 + 1];
    for (int k = 0; k <= 2 * RAD1; k++) filt[k] = expf(-(float)((k - RAD1) * (k - RAD1)) / 64.0f) / 14.0f;
    CHECK(cudaMemcpyToSymbol(c_filter, filt, sizeof(filt)));
    filter1d_global<<<N1 / 256, 256>>>(d_a, d_b, N1);
    CHECK(cudaMemcpy(g, d_b, bytes2, cudaMemcpyDeviceToHost));
    filter1d_shared<<<N1 / (F_TPB * F_PER), F_TPB>>>(d_a, d_c, N1);
    CHECK(cudaMemcpy(ref, d_c, bytes2, cudaMemcpyDeviceToHost));
    {
        double e2 = 0;
        e = 0;
        for (int i = RAD1; i < N1 - RAD1; i += 5) {
            float v = 0;
            for (int k = -RAD1; k <= RAD1; k++) v += filt[k + RAD1] * h[i + k];
            e = fmax(e, fabs(v - g[i]));
            e2 = fmax(e2, fabs(v - ref[i]));
        }
        verdict("1-d filter global", e, 1e-5);
        verdict("1-d filter shared", e2, 1e-5);
    }

    CHECK(cudaDeviceSynchronize());
    cudaFree(d_a); cudaFree(d_b); cudaFree(d_c); cudaFree(d_d); cudaFree(d_f0); cudaFree(d_f1);
    cudaFree(d_solid); cudaFree(d_l0); cudaFree(d_l1); cudaFree(d_w0); cudaFree(d_w1);
    free(h); free(g); free(ref); free(cells); free(cells2); free(hw); free(hr);
    printf("%s\n", failures ? "FAIL" : "PASS");
    return 0;
}
