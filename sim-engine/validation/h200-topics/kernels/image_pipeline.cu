// A small image pipeline on one full-HD-like frame:
// NV12 -> RGBA -> grey -> {gauss, bilateral, median, sobel, box, erode,
// integral image, resize}. Every stage is compared with a CPU version.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
using u8 = unsigned char;

struct CudaError {};
static void ok(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    throw CudaError{};
}
#define OK(call) ok((call), __LINE__)
#define HD __host__ __device__ __forceinline__

HD int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
HD u8 sat8(int v) { return (u8)clampi(v, 0, 255); }
HD uchar4 yuvToRgba(int y, int u, int v)
{
    int c = 298 * (y - 16), d = u - 128, e = v - 128;
    return make_uchar4(sat8((c + 409 * e + 128) >> 8), sat8((c - 100 * d - 208 * e + 128) >> 8),
                       sat8((c + 516 * d + 128) >> 8), 255);
}
HD u8 luma(uchar4 p) { return (u8)((77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8); }

// View on an 8-bit image with clamped access
struct View {
    const u8 *p;
    int w, h;
    HD int at(int x, int y) const { return p[clampi(y, 0, h - 1) * w + clampi(x, 0, w - 1)]; }
};
// ---- NV12: a thread makes a 2x2 quad from one UV pair
__global__ void nv12ToRgba(const u8 *__restrict__ yPlane, const uchar2 *__restrict__ uv, uchar4 *__restrict__ out, int w, int h)
{
    int qx = blockIdx.x * blockDim.x + threadIdx.x, qy = blockIdx.y * blockDim.y + threadIdx.y;
    if (qx >= w / 2 || qy >= h / 2) return;
    uchar2 c = uv[qy * (w / 2) + qx];
    for (int dy = 0; dy < 2; ++dy) {
        const int row = (2 * qy + dy) * w + 2 * qx;
        uchar2 yy = *reinterpret_cast<const uchar2 *>(yPlane + row);
        out[row] = yuvToRgba(yy.x, c.x, c.y);
        out[row + 1] = yuvToRgba(yy.y, c.x, c.y);
    }
}

// ---- grey: four pixels in, one uchar4 out
__global__ void rgbaToGrey4(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int n4)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        const uint4 q = reinterpret_cast<const uint4 *>(in)[i];
        auto px = [](unsigned v) { return luma(make_uchar4(v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24)); };
        out[i] = make_uchar4(px(q.x), px(q.y), px(q.z), px(q.w));
    }
}
// ---- binomial 5x5 through shared memory, both passes in one kernel
template <int BX, int BY>
__global__ void gauss5(View in, u8 *out)
{
    __shared__ u8 src[BY + 4][BX + 4];
    __shared__ unsigned short mid[BY + 4][BX];
    const int x0 = blockIdx.x * BX - 2, y0 = blockIdx.y * BY - 2;
    const int tid = threadIdx.y * BX + threadIdx.x;
    for (int t = tid; t < (BX + 4) * (BY + 4); t += BX * BY)
        src[t / (BX + 4)][t % (BX + 4)] = in.at(x0 + t % (BX + 4), y0 + t / (BX + 4));
    __syncthreads();
    for (int r = threadIdx.y; r < BY + 4; r += BY) {
        const u8 *s = &src[r][threadIdx.x];
        mid[r][threadIdx.x] = s[0] + 4 * s[1] + 6 * s[2] + 4 * s[3] + s[4];
    }
    __syncthreads();
    int x = x0 + 2 + threadIdx.x, y = y0 + 2 + threadIdx.y;
    if (x < in.w && y < in.h) {
        const int ty = threadIdx.y, tx = threadIdx.x;
        int v = mid[ty][tx] + 4 * mid[ty + 1][tx] + 6 * mid[ty + 2][tx] + 4 * mid[ty + 3][tx] + mid[ty + 4][tx];
        out[y * in.w + x] = (u8)((v + 128) >> 8);
    }
}

// ---- bilateral, radius 4, range weights from a table in constant memory
constexpr int BR = 4;
__constant__ float cRange[256];
__constant__ float cSpace[2 * BR + 1][2 * BR + 1];
__global__ void bilateral(View in, u8 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.w || y >= in.h) return;
    const int c = in.at(x, y);
    float sum = 0, norm = 0;
    for (int dy = -BR; dy <= BR; ++dy)
        for (int dx = -BR; dx <= BR; ++dx) {
            int v = in.at(x + dx, y + dy);
            float wgt = cSpace[dy + BR][dx + BR] * cRange[abs(v - c)];
            sum += wgt * v;
            norm += wgt;
        }
    out[y * in.w + x] = (u8)(sum / norm + 0.5f);
}
// ---- median 3x3 by an exchange network
HD void sort2(int &a, int &b) { int lo = a < b ? a : b, hi = a < b ? b : a; a = lo; b = hi; }
HD int median9(int *p)
{
    sort2(p[1], p[2]); sort2(p[4], p[5]); sort2(p[7], p[8]); sort2(p[0], p[1]); sort2(p[3], p[4]);
    sort2(p[6], p[7]); sort2(p[1], p[2]); sort2(p[4], p[5]); sort2(p[7], p[8]); sort2(p[0], p[3]);
    sort2(p[5], p[8]); sort2(p[4], p[7]); sort2(p[3], p[6]); sort2(p[1], p[4]); sort2(p[2], p[5]);
    sort2(p[4], p[7]); sort2(p[4], p[2]); sort2(p[6], p[4]); sort2(p[4], p[2]);
    return p[4];
}
__global__ void median3(View in, u8 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.w || y >= in.h) return;
    int p[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) p[k] = in.at(x + k % 3 - 1, y + k / 3 - 1);
    out[y * in.w + x] = (u8)median9(p);
}

// ---- sobel, rolling rows in registers: a thread walks ROWS rows down
template <int ROWS>
__global__ void sobelRolling(View in, u8 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x >= in.w || y0 >= in.h) return;
    int a0 = in.at(x - 1, y0 - 1), a1 = in.at(x, y0 - 1), a2 = in.at(x + 1, y0 - 1);
    int b0 = in.at(x - 1, y0), b1 = in.at(x, y0), b2 = in.at(x + 1, y0);
    for (int y = y0; y < min(y0 + ROWS, in.h); ++y) {
        int c0 = in.at(x - 1, y + 1), c1 = in.at(x, y + 1), c2 = in.at(x + 1, y + 1);
        int gx = a2 - a0 + 2 * (b2 - b0) + c2 - c0, gy = c0 - a0 + 2 * (c1 - a1) + c2 - a2;
        out[y * in.w + x] = sat8(abs(gx) + abs(gy));
        a0 = b0; a1 = b1; a2 = b2;
        b0 = c0; b1 = c1; b2 = c2;
    }
}
// ---- box filter: vertical running sums in a register, horizontal from shared
constexpr int BOX_R = 5, BOX_W = 256, BOX_OUT = BOX_W - 2 * BOX_R, BOX_ROWS = 64;
__global__ __launch_bounds__(BOX_W) void boxRunning(View in, u8 *out)
{
    __shared__ int col[2][BOX_W];
    const int t = threadIdx.x, x = blockIdx.x * BOX_OUT + t - BOX_R;
    const int yBegin = blockIdx.y * BOX_ROWS, yEnd = min(yBegin + BOX_ROWS, in.h);
    constexpr int area = (2 * BOX_R + 1) * (2 * BOX_R + 1);
    int run = 0;
    for (int dy = -BOX_R; dy <= BOX_R; ++dy) run += in.at(x, yBegin + dy);
    for (int y = yBegin; y < yEnd; ++y) {
        int *c = col[(y - yBegin) & 1];
        c[t] = run;
        __syncthreads();
        if (t >= BOX_R && t < BOX_W - BOX_R && x < in.w) {
            int sum = 0;
#pragma unroll
            for (int k = -BOX_R; k <= BOX_R; ++k) sum += c[t + k];
            out[y * in.w + x] = (u8)((sum + area / 2) / area);
        }
        run += in.at(x, y + 1 + BOX_R) - in.at(x, y - BOX_R);
    }
}

// ---- erosion 3x3, four pixels per word with video instructions
__global__ void erode3Simd(const unsigned *__restrict__ in, unsigned *__restrict__ out, int w4, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w4 || y >= h) return;
    unsigned best = 0xffffffffu;
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned *row = in + clampi(y + dy, 0, h - 1) * w4;
        unsigned m = row[x];
        unsigned l = x > 0 ? row[x - 1] : m << 24;
        unsigned r = x < w4 - 1 ? row[x + 1] : m >> 24;
        best = __vminu4(best, __vminu4(m, __vminu4(__funnelshift_l(l, m, 8), __funnelshift_r(m, r, 8))));
    }
    out[y * w4 + x] = best;
}
// ---- integral image: a warp scans a row, then a thread walks a column
__global__ void integralRows(View in, unsigned *out)
{
    int y = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (y >= in.h) return;                              // whole warps leave
    unsigned carry = 0;
    for (int base = 0; base < in.w; base += 32) {
        int x = base + lane;
        unsigned v = x < in.w ? in.p[y * in.w + x] : 0;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            unsigned u = __shfl_up_sync(~0u, v, d);
            if (lane >= d) v += u;
        }
        if (x < in.w) out[y * in.w + x] = v + carry;
        carry += __shfl_sync(~0u, v, 31);
    }
}
__global__ void integralCols(unsigned *img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    unsigned run = 0;
#pragma unroll 8
    for (int y = 0; y < h; ++y) { run += img[y * w + x]; img[y * w + x] = run; }
}

// ---- bilinear resize in 16.16 fixed point
HD u8 bilinear(const View &in, int x, int y, int sx, int sy)
{
    int fx = x * sx, fy = y * sy, ix = fx >> 16, iy = fy >> 16, ax = (fx >> 8) & 255, ay = (fy >> 8) & 255;
    int top = in.at(ix, iy) * (256 - ax) + in.at(ix + 1, iy) * ax;
    int bot = in.at(ix, iy + 1) * (256 - ax) + in.at(ix + 1, iy + 1) * ax;
    return (u8)((top * (256 - ay) + bot * ay + 32768) >> 16);
}
__global__ void resizeBilinear(View in, u8 *out, int ow, int oh, int sx, int sy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < ow && y < oh) out[y * ow + x] = bilinear(in, x, y, sx, sy);
}
int main()
try {
    const int w = 1924, h = 1086, n = w * h, ow = 1283, oh = 725;
    std::vector<u8> nv(n + n / 2);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) nv[y * w + x] = (u8)(16 + (x * 3 + y * 2 + ((x * 7919u + y * 104729u) % 61u)) % 219);
    for (int i = 0; i < n / 2; ++i) nv[n + i] = (u8)(64 + (i * 31) % 128);

    u8 *dNv, *dGrey, *dOut;
    uchar4 *dRgba;
    unsigned *dInt;
    OK(cudaMalloc(&dNv, nv.size()));
    OK(cudaMalloc(&dGrey, n));
    OK(cudaMalloc(&dOut, n));
    OK(cudaMalloc(&dRgba, n * sizeof(uchar4)));
    OK(cudaMalloc(&dInt, n * sizeof(unsigned)));
    OK(cudaMemcpy(dNv, nv.data(), nv.size(), cudaMemcpyHostToDevice));
    float range[256], space[2 * BR + 1][2 * BR + 1];
    for (int i = 0; i < 256; ++i) range[i] = std::exp(-i * i / (2.0f * 25 * 25));
    for (int a = -BR; a <= BR; ++a)
        for (int b = -BR; b <= BR; ++b) space[a + BR][b + BR] = std::exp(-(a * a + b * b) / (2.0f * 3 * 3));
    OK(cudaMemcpyToSymbol(cRange, range, sizeof(range)));
    OK(cudaMemcpyToSymbol(cSpace, space, sizeof(space)));
    int failures = 0;
    auto grid = [](int ww, int hh, int bx, int by) { return dim3((ww + bx - 1) / bx, (hh + by - 1) / by); };
    const dim3 b(32, 8), g = grid(w, h, 32, 8);

    nv12ToRgba<<<grid(w / 2, h / 2, 32, 8), b>>>(dNv, (const uchar2 *)(dNv + n), dRgba, w, h);
    OK(cudaGetLastError());
    rgbaToGrey4<<<396, 256>>>(dRgba, (uchar4 *)dGrey, n / 4);
    OK(cudaGetLastError());
    std::vector<u8> grey(n), got(n);
    OK(cudaMemcpy(grey.data(), dGrey, n, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            const u8 *uv = &nv[n + (y / 2) * w + (x & ~1)];
            wrong += grey[y * w + x] != luma(yuvToRgba(nv[y * w + x], uv[0], uv[1]));
        }
    std::printf("nv12+grey: %d wrong\n", wrong);
    failures += wrong != 0;
    const View host{grey.data(), w, h}, dev{dGrey, w, h};
    auto compare = [&](const char *name, int cw, int ch, int step, int tol, std::function<int(int, int)> ref) {
        OK(cudaGetLastError());
        OK(cudaMemcpy(got.data(), dOut, (size_t)cw * ch, cudaMemcpyDeviceToHost));
        OK(cudaMemset(dOut, 0x55, n));
        int bad = 0, seen = 0;
        for (int i = 0; i < cw * ch; i += (i < 8 * cw || i > cw * (ch - 8)) ? 1 : step, ++seen)
            bad += std::abs(got[i] - ref(i % cw, i / cw)) > tol;
        std::printf("%-10s %d of %d wrong\n", name, bad, seen);
        failures += bad != 0;
    };
    gauss5<32, 16><<<grid(w, h, 32, 16), dim3(32, 16)>>>(dev, dOut);
    compare("gauss5", w, h, 5, 0, [&](int x, int y) {
        const int k[5] = {1, 4, 6, 4, 1};
        int s = 128;
        for (int j = 0; j < 25; ++j) s += k[j / 5] * k[j % 5] * host.at(x + j % 5 - 2, y + j / 5 - 2);
        return s >> 8;
    });
    bilateral<<<g, b>>>(dev, dOut);
    compare("bilateral", w, h, 53, 1, [&](int x, int y) {
        double s = 0, m = 0;
        for (int dy = -BR; dy <= BR; ++dy)
            for (int dx = -BR; dx <= BR; ++dx) {
                int v = host.at(x + dx, y + dy);
                double q = (double)space[dy + BR][dx + BR] * range[std::abs(v - host.at(x, y))];
                s += q * v; m += q;
            }
        return (int)(s / m + 0.5);
    });
    median3<<<g, b>>>(dev, dOut);
    compare("median3", w, h, 3, 0, [&](int x, int y) {
        int p[9];
        for (int k = 0; k < 9; ++k) p[k] = host.at(x + k % 3 - 1, y + k / 3 - 1);
        std::sort(p, p + 9);
        return p[4];
    });
    sobelRolling<8><<<grid(w, (h + 7) / 8, 64, 2), dim3(64, 2)>>>(dev, dOut);
    compare("sobel", w, h, 3, 0, [&](int x, int y) {
        auto q = [&](int dx, int dy) { return host.at(x + dx, y + dy); };
        int gx = q(1, -1) - q(-1, -1) + 2 * (q(1, 0) - q(-1, 0)) + q(1, 1) - q(-1, 1);
        int gy = q(-1, 1) - q(-1, -1) + 2 * (q(0, 1) - q(0, -1)) + q(1, 1) - q(1, -1);
        return std::min(255, std::abs(gx) + std::abs(gy));
    });
    boxRunning<<<grid(w, h, BOX_OUT, BOX_ROWS), BOX_W>>>(dev, dOut);
    compare("box", w, h, 41, 0, [&](int x, int y) {
        int s = 0;
        for (int dy = -BOX_R; dy <= BOX_R; ++dy)
            for (int dx = -BOX_R; dx <= BOX_R; ++dx) s += host.at(x + dx, y + dy);
        return (s + 60) / 121;
    });
    erode3Simd<<<grid(w / 4, h, 32, 8), b>>>((const unsigned *)dGrey, (unsigned *)dOut, w / 4, h);
    compare("erode", w, h, 3, 0, [&](int x, int y) {
        int m = 255;
        for (int k = 0; k < 9; ++k) m = std::min(m, host.at(x + k % 3 - 1, y + k / 3 - 1));
        return m;
    });
    const int sx = (w << 16) / ow, sy = (h << 16) / oh;
    resizeBilinear<<<grid(ow, oh, 32, 8), b>>>(dev, dOut, ow, oh, sx, sy);
    compare("resize", ow, oh, 2, 0, [&](int x, int y) { return (int)bilinear(host, x, y, sx, sy); });

    integralRows<<<(h + 7) / 8, 256>>>(dev, dInt);
    OK(cudaGetLastError());
    integralCols<<<(w + 63) / 64, 64>>>(dInt, w, h);
    OK(cudaGetLastError());
    std::vector<unsigned> sat(n), ref(n);
    OK(cudaMemcpy(sat.data(), dInt, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; ++y) {
        unsigned run = 0;
        for (int x = 0; x < w; ++x) {
            run += grey[y * w + x];
            ref[y * w + x] = run + (y ? ref[(y - 1) * w + x] : 0);
        }
    }
    if (sat != ref) { std::printf("integral image wrong\n"); ++failures; }
    cudaFree(dNv); cudaFree(dGrey); cudaFree(dOut); cudaFree(dRgba); cudaFree(dInt);
    std::printf("%s\n", failures ? "FAIL" : "PASS");
    return failures ? 1 : 0;
} catch (const CudaError &) {
    std::printf("FAIL\n");
    return 1;
}
