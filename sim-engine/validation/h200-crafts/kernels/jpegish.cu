// jpegish -- the pixel crunching half of a JPEG/MPEG style encoder
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>
#include <vector>
#include <cuda_runtime.h>

#define W 1920
#define H 1080
static void bail(const char *f, int l, cudaError_t e) { fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e)); exit(1); }
#define CU(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) bail(__FILE__, __LINE__, e_); } while (0)

__constant__ float cosTab[64];       // cosTab[u*8+x] = c(u)/2 cos((2x+1)u pi/16)
__constant__ uint8_t quant[64];
__constant__ uint8_t zigzag[64];

static const uint8_t Q[64] = {16,11,10,16,24,40,51,61,12,12,14,19,26,58,60,55,14,13,16,24,40,57,69,56,14,17,22,29,51,87,80,62,
  18,22,37,56,68,109,103,77,24,35,55,64,81,104,113,92,49,64,78,87,103,121,120,101,72,92,95,98,112,100,103,99};

__host__ __device__ inline uint8_t clamp8(float v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }
__host__ __device__ inline int lumaOf(int r, int g, int b) { return (77 * r + 150 * g + 29 * b + 128) >> 8; }

// ---- colour conversion
__global__ void rgbToYccBytes(const uint8_t *rgb, uint8_t *y, uint8_t *cb, uint8_t *cr)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || j >= H) return;
    int p = j * W + x, r = rgb[3 * p], g = rgb[3 * p + 1], b = rgb[3 * p + 2];
    y[p] = (uint8_t)lumaOf(r, g, b);
    cb[p] = clamp8(128 - 0.168736f * r - 0.331264f * g + 0.5f * b + 0.5f);
    cr[p] = clamp8(128 + 0.5f * r - 0.418688f * g - 0.081312f * b + 0.5f);
}
__global__ void rgbToLuma4(const uint3 *rgb, uchar4 *y, int n4)   // 12 bytes in, 4 out
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    uint3 v = rgb[i];
    uchar4 o;
    o.x = lumaOf(v.x & 255, (v.x >> 8) & 255, (v.x >> 16) & 255);
    o.y = lumaOf(v.x >> 24, v.y & 255, (v.y >> 8) & 255);
    o.z = lumaOf((v.y >> 16) & 255, v.y >> 24, v.z & 255);
    o.w = lumaOf((v.z >> 8) & 255, (v.z >> 16) & 255, v.z >> 24);
    y[i] = o;
}
// 4:2:0
__global__ void halve(const uint8_t *in, uint8_t *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W / 2 || j >= H / 2) return;
    const uchar2 a = *(const uchar2 *)&in[2 * j * W + 2 * x], b = *(const uchar2 *)&in[(2 * j + 1) * W + 2 * x];
    out[j * (W / 2) + x] = (uint8_t)((a.x + a.y + b.x + b.y + 2) >> 2);
}

// ---- 8x8 forward DCT + quantisation, three generations
// gen 1: every thread does the whole 64 term sum for its coefficient
__global__ void dctDirect(const uint8_t *y, int16_t *coef)
{
    int bx = blockIdx.x, by = blockIdx.y, u = threadIdx.x, v = threadIdx.y;
    float s = 0;
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++)
            s += (y[(by * 8 + j) * W + bx * 8 + i] - 128.f) * cosTab[u * 8 + i] * cosTab[v * 8 + j];
    coef[(by * gridDim.x + bx) * 64 + v * 8 + u] = (int16_t)rintf(s / quant[v * 8 + u]);
}
// gen 2: separable in shared memory, 4 blocks wide
__global__ void dctSeparable(const uint8_t *y, int16_t *coef)
{
    __shared__ float a[8][33], t[8][33];
    int x = threadIdx.x, v = threadIdx.y, blk = x >> 3, u = x & 7;
    int gx = blockIdx.x * 32 + x;
    a[v][x] = y[(blockIdx.y * 8 + v) * W + gx] - 128.f;
    __syncthreads();
    float s = 0;
    for (int i = 0; i < 8; i++) s += a[v][blk * 8 + i] * cosTab[u * 8 + i];
    t[v][x] = s;
    __syncthreads();
    s = 0;
    for (int j = 0; j < 8; j++) s += t[j][x] * cosTab[v * 8 + j];
    coef[(blockIdx.y * (W / 8) + blockIdx.x * 4 + blk) * 64 + v * 8 + u] = (int16_t)rintf(s / quant[v * 8 + u]);
}
// gen 3: a thread owns a row, then a column (AAN-free, just unrolled), 16 image blocks per thread block
__global__ void __launch_bounds__(128) dctRows(const uint8_t *y, int16_t *coef, int nblk)
{
    __shared__ float t[16][8][9];
    int b = threadIdx.x >> 3, r = threadIdx.x & 7, id = blockIdx.x * 16 + b;
    bool live = id < nblk;
    int by = id / (W / 8), bx = id % (W / 8);
    if (live) {
        uint2 q = *(const uint2 *)&y[(by * 8 + r) * W + bx * 8];
        float f[8];
#pragma unroll
        for (int i = 0; i < 4; i++) { f[i] = ((q.x >> (8 * i)) & 255) - 128.f; f[i + 4] = ((q.y >> (8 * i)) & 255) - 128.f; }
#pragma unroll
        for (int u = 0; u < 8; u++) {
            float s = 0;
#pragma unroll
            for (int i = 0; i < 8; i++) s += f[i] * cosTab[u * 8 + i];
            t[b][r][u] = s;
        }
    }
    __syncthreads();
    if (live) {
        float f[8];
#pragma unroll
        for (int j = 0; j < 8; j++) f[j] = t[b][j][r];
#pragma unroll
        for (int v = 0; v < 8; v++) {
            float s = 0;
#pragma unroll
            for (int j = 0; j < 8; j++) s += f[j] * cosTab[v * 8 + j];
            coef[id * 64 + v * 8 + r] = (int16_t)rintf(__fdividef(s, quant[v * 8 + r]));
        }
    }
}

// ---- zigzag + run/size statistics, a warp per block
__global__ void zigzagBits(const int16_t *coef, int16_t *zz, uint16_t *bits, int nblk)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, l = threadIdx.x & 31;
    if (w >= nblk) return;
    int a = coef[w * 64 + zigzag[l]], b = coef[w * 64 + zigzag[l + 32]];
    zz[w * 64 + l] = (int16_t)a;
    zz[w * 64 + l + 32] = (int16_t)b;
    int cost = (a ? 4 + 32 - __clz(abs(a)) : 0) + (b ? 4 + 32 - __clz(abs(b)) : 0);
    unsigned hi = __ballot_sync(~0u, b != 0), lo = __ballot_sync(~0u, a != 0);
    cost = __reduce_add_sync(~0u, cost);
    int last = hi ? 63 - __clz(hi) + 0 : lo ? 31 - __clz(lo) : -1;
    if (l == 0) bits[w] = (uint16_t)(cost + (last < 63 ? 4 : 0));
}

// ---- motion search: SAD of 16x16 macroblocks in a +-8 window (full search), one block per macroblock
__global__ void motionSearch(const uint8_t *cur, const uint8_t *ref, int *best)
{
    __shared__ uint8_t c[16][16], r[32][32];
    __shared__ unsigned key;
    int mx = blockIdx.x * 16, my = blockIdx.y * 16, t = threadIdx.y * 16 + threadIdx.x;
    c[threadIdx.y][threadIdx.x] = cur[(my + threadIdx.y) * W + mx + threadIdx.x];
    for (int k = t; k < 1024; k += 256) {
        int yy = min(max(my - 8 + k / 32, 0), H - 1), xx = min(max(mx - 8 + k % 32, 0), W - 1);
        r[k / 32][k % 32] = ref[yy * W + xx];
    }
    if (t == 0) key = 0xffffffffu;
    __syncthreads();
    unsigned sad = 0;
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 16; i++)
            sad += abs((int)c[j][i] - (int)r[j + threadIdx.y][i + threadIdx.x]);
    atomicMin(&key, sad << 8 | (unsigned)t);
    __syncthreads();
    if (t == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = (int)(key);
}
// the same using packed absolute differences
__global__ void motionSearchSimd(const uint8_t *cur, const uint8_t *ref, int *best)
{
    __shared__ unsigned c[16][4], r[32][9];
    __shared__ unsigned key;
    int mx = blockIdx.x * 16, my = blockIdx.y * 16, t = threadIdx.y * 16 + threadIdx.x;
    if (t < 64) c[t / 4][t % 4] = *(const unsigned *)&cur[(my + t / 4) * W + mx + 4 * (t % 4)];
    {
        uint8_t b[4];
        int yy = min(max(my - 8 + t / 8, 0), H - 1);
        for (int k = 0; k < 4; k++) b[k] = ref[yy * W + min(max(mx - 8 + (t % 8) * 4 + k, 0), W - 1)];
        r[t / 8][t % 8] = b[0] | b[1] << 8 | b[2] << 16 | (unsigned)b[3] << 24;
        if (t % 8 == 0) r[t / 8][8] = 0;
    }
    if (t == 0) key = 0xffffffffu;
    __syncthreads();
    unsigned sad = 0, w0 = threadIdx.x >> 2, sh = 8 * (threadIdx.x & 3);
#pragma unroll 4
    for (int j = 0; j < 16; j++)
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned v = __funnelshift_r(r[j + threadIdx.y][w0 + k], r[j + threadIdx.y][w0 + k + 1], sh);
            sad += __vsadu4(c[j][k], v);
        }
    unsigned m = __reduce_min_sync(~0u, sad << 8 | (unsigned)t);
    if ((t & 31) == 0) atomicMin(&key, m);
    __syncthreads();
    if (t == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = (int)key;
}

// ---- 3x3 median prefilter
#define SWP(a, b) { uint8_t lo_ = min(a, b); b = max(a, b); a = lo_; }
__global__ void median3(const uint8_t *in, uint8_t *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || j >= H) return;
    uint8_t p[9];
#pragma unroll
    for (int k = 0; k < 9; k++) p[k] = in[min(max(j + k / 3 - 1, 0), H - 1) * W + min(max(x + k % 3 - 1, 0), W - 1)];
    SWP(p[1], p[2]) SWP(p[4], p[5]) SWP(p[7], p[8]) SWP(p[0], p[1]) SWP(p[3], p[4]) SWP(p[6], p[7])
    SWP(p[1], p[2]) SWP(p[4], p[5]) SWP(p[7], p[8]) SWP(p[0], p[3]) SWP(p[5], p[8]) SWP(p[4], p[7])
    SWP(p[3], p[6]) SWP(p[1], p[4]) SWP(p[2], p[5]) SWP(p[4], p[7]) SWP(p[4], p[2]) SWP(p[6], p[4]) SWP(p[4], p[2])
    out[j * W + x] = p[4];
}

static int errors = 0;
static void verdict(const char *s, int bad) { printf("%-18s %s\n", s, bad ? "mismatch" : "ok"); errors += bad != 0; }

int main(void)
{
    const int n = W * H, nblk = n / 64;
    std::vector<uint8_t> rgb(3 * n), y(n), hcb(n), tmp(n), hsmall(n / 4);
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++) {
            uint32_t k = (uint32_t)(j * W + i), noise = (k * 2654435761u) >> 28;
            rgb[3 * k] = (uint8_t)((i / 8 + j / 5) % 200 + noise);
            rgb[3 * k + 1] = (uint8_t)((i * j / 512) % 220 + noise);
            rgb[3 * k + 2] = (uint8_t)((i ^ j) & 255);
        }
    float ct[64]; uint8_t zz[64];
    for (int u = 0; u < 8; u++) for (int x = 0; x < 8; x++) ct[u * 8 + x] = (u ? 0.5f : 0.35355339f) * cosf((2 * x + 1) * u * 3.14159265f / 16);
    for (int s = 0, k = 0; s < 15; s++)
        for (int a = 0; a <= s; a++) { int r = s & 1 ? a : s - a, c = s - r; if (r < 8 && c < 8) zz[k++] = (uint8_t)(r * 8 + c); }
    CU(cudaMemcpyToSymbol(cosTab, ct, sizeof ct)); CU(cudaMemcpyToSymbol(quant, Q, 64)); CU(cudaMemcpyToSymbol(zigzag, zz, 64));

    uint8_t *drgb, *dy, *dcb, *dcr, *dsmall, *dm; int16_t *dc, *dz; uint16_t *dbits; int *dbest;
    CU(cudaMalloc(&drgb, 3 * n)); CU(cudaMalloc(&dy, n)); CU(cudaMalloc(&dcb, n)); CU(cudaMalloc(&dcr, n)); CU(cudaMalloc(&dsmall, n / 4)); CU(cudaMalloc(&dm, n));
    CU(cudaMalloc(&dc, 2 * n)); CU(cudaMalloc(&dz, 2 * n)); CU(cudaMalloc(&dbits, 2 * nblk)); CU(cudaMalloc(&dbest, 4 * 120 * 68));
    CU(cudaMemcpy(drgb, rgb.data(), 3 * n, cudaMemcpyHostToDevice));
    int bad = 0;

    dim3 b(32, 8), g(W / 32, H / 8);
    rgbToYccBytes<<<g, b>>>(drgb, dy, dcb, dcr);
    CU(cudaMemcpy(y.data(), dy, n, cudaMemcpyDeviceToHost)); CU(cudaMemcpy(hcb.data(), dcb, n, cudaMemcpyDeviceToHost));
    for (int p = 0; p < n; p += 7) bad += y[p] != lumaOf(rgb[3 * p], rgb[3 * p + 1], rgb[3 * p + 2]);
    verdict("rgb->ycc", bad); bad = 0;
    rgbToLuma4<<<(n / 4 + 127) / 128, 128>>>((uint3 *)drgb, (uchar4 *)dm, n / 4);
    CU(cudaMemcpy(tmp.data(), dm, n, cudaMemcpyDeviceToHost));
    verdict("luma x4", memcmp(tmp.data(), y.data(), n));
    halve<<<dim3(W / 2 / 16, (H / 2 + 15) / 16), dim3(16, 16)>>>(dcb, dsmall);
    CU(cudaMemcpy(hsmall.data(), dsmall, n / 4, cudaMemcpyDeviceToHost));
    for (int p = 0; p < n / 4; p += 5) { int j = p / (W / 2), i = p % (W / 2); bad += hsmall[p] != ((hcb[2*j*W+2*i] + hcb[2*j*W+2*i+1] + hcb[(2*j+1)*W+2*i] + hcb[(2*j+1)*W+2*i+1] + 2) >> 2); }
    verdict("4:2:0", bad);

    std::vector<int16_t> c1(n), hz(n);
    for (int gen = 1; gen <= 3; gen++) {
        CU(cudaMemset(dc, 0, 2 * n));
        if (gen == 1) dctDirect<<<dim3(W / 8, H / 8), dim3(8, 8)>>>(dy, dc);
        if (gen == 2) dctSeparable<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(dy, dc);
        if (gen == 3) dctRows<<<(nblk + 15) / 16, 128>>>(dy, dc, nblk);
        CU(cudaGetLastError());
        CU(cudaMemcpy(c1.data(), dc, 2 * n, cudaMemcpyDeviceToHost));
        bad = 0;
        for (int k = 0; k < nblk; k += 173) {
            int by = k / (W / 8), bx = k % (W / 8);
            for (int e = 0; e < 64; e++) {
                double s = 0;
                for (int q = 0; q < 64; q++) s += (y[(by * 8 + q / 8) * W + bx * 8 + q % 8] - 128.0) * ct[(e % 8) * 8 + q % 8] * ct[(e / 8) * 8 + q / 8];
                bad += fabs(s / Q[e] - c1[k * 64 + e]) > 0.501;
            }
        }
        verdict(gen == 1 ? "dct direct" : gen == 2 ? "dct separable" : "dct rows", bad);
    }
    zigzagBits<<<(nblk * 32 + 255) / 256, 256>>>(dc, dz, dbits, nblk);
    CU(cudaMemcpy(hz.data(), dz, 2 * n, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int p = 0; p < n; p += 3) bad += hz[p] != c1[p / 64 * 64 + zz[p % 64]];
    verdict("zigzag", bad);

    // next frame = this one moved by (3,-2) -> vectors should mostly find it
    std::vector<uint8_t> moved(n);
    for (int j = 0; j < H; j++) for (int i = 0; i < W; i++) { int sj = j - 2 < 0 ? 0 : j - 2, si = i + 3 >= W ? W - 1 : i + 3; moved[j * W + i] = y[sj * W + si]; }
    CU(cudaMemcpy(dm, moved.data(), n, cudaMemcpyHostToDevice));
    std::vector<int> v1(120 * 67), v2(120 * 67);
    motionSearch<<<dim3(120, 67), dim3(16, 16)>>>(dm, dy, dbest);
    CU(cudaMemcpy(v1.data(), dbest, v1.size() * 4, cudaMemcpyDeviceToHost));
    motionSearchSimd<<<dim3(120, 67), dim3(16, 16)>>>(dm, dy, dbest);
    CU(cudaMemcpy(v2.data(), dbest, v2.size() * 4, cudaMemcpyDeviceToHost));
    int exact = 0;
    for (int k : v1) exact += (k >> 8) == 0;
    verdict("motion", v1 != v2 || exact < 120 * 67 * 8 / 10);

    median3<<<g, b>>>(dy, dm);
    median3<<<dim3(W / 64, H / 4), dim3(64, 4)>>>(dcb, dcr);
    CU(cudaMemcpy(tmp.data(), dm, n, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int p = W + 1; p < n - W - 1; p += 1237) {
        if (p % W == 0 || p % W == W - 1) continue;
        int below = 0, equal = 0;
        for (int k = 0; k < 9; k++) { int o = y[p + (k / 3 - 1) * W + k % 3 - 1]; below += o < tmp[p]; equal += o == tmp[p]; }
        bad += !(below <= 4 && below + equal >= 5);
    }
    verdict("median", bad);
    CU(cudaDeviceSynchronize());
    puts(errors ? "FAIL" : "PASS");
    return errors;
}
