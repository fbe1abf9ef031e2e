/* ============================================================================
 *  b7_image_course.cu  --  image processing on the GPU, lesson by lesson
 *
 *    Lesson 1   colour spaces: interleaved RGB to planar YUV and back
 *    Lesson 2   separable convolution with the taps in constant memory
 *    Lesson 3   edge-preserving smoothing: bilateral filter, median filter
 *    Lesson 4   gradients: Sobel operator with a shared-memory tile
 *    Lesson 5   histogram equalisation in three kernels
 *    Lesson 6   summed-area tables and a box filter of any size
 *    Lesson 7   bilinear resizing of packed 24-bit pixels
 *    Lesson 8   morphology: separable erosion inside one block
 *    Lesson 9   connected component labelling with union-find
 *
 *  The test image is 1920 x 1088 (1080p padded to a multiple of 64).
 * ==========================================================================*/
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

typedef uint8_t u8;

static void checked(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        std::printf("line %d: %s\n", line, cudaGetErrorString(e));
        std::exit(1);
    }
}
#define CU(x) checked((x), __LINE__)

const int W = 1920;
const int H = 1088;
const int N = W * H;

/* ---------------------------------------------------------------------------
 * Lesson 1: colour spaces
 *
 * A thread handles four pixels: twelve bytes of RGB are exactly three 32-bit
 * words, and four bytes of each plane are one.  BT.601, full range, 8-bit
 * fixed point.
 * ------------------------------------------------------------------------- */
__host__ __device__ inline u8 clamp_u8(int v) { return (u8)(v < 0 ? 0 : (v > 255 ? 255 : v)); }

__host__ __device__ inline void rgb_yuv(int r, int g, int b, int &y, int &u, int &v)
{
    y = (77 * r + 150 * g + 29 * b + 128) >> 8;
    u = ((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128;
    v = ((128 * r - 107 * g - 21 * b + 128) >> 8) + 128;
}

__host__ __device__ inline void yuv_rgb(int y, int u, int v, int &r, int &g, int &b)
{
    u -= 128;
    v -= 128;
    r = y + ((359 * v + 128) >> 8);
    g = y - ((88 * u + 183 * v + 128) >> 8);
    b = y + ((454 * u + 128) >> 8);
}

__global__ void rgb_to_yuv_planar(const uint32_t *rgb, uchar4 *yp, uchar4 *up, uchar4 *vp, int n_quads)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= n_quads) return;
    uint32_t w[3] = {rgb[3 * q], rgb[3 * q + 1], rgb[3 * q + 2]};
    u8 ys[4], us[4], vs[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int c[3];
#pragma unroll
        for (int j = 0; j < 3; j++) {
            int byte = 3 * k + j;
            c[j] = (w[byte / 4] >> (8 * (byte % 4))) & 255;
        }
        int y, u, v;
        rgb_yuv(c[0], c[1], c[2], y, u, v);
        ys[k] = clamp_u8(y);
        us[k] = clamp_u8(u);
        vs[k] = clamp_u8(v);
    }
    yp[q] = make_uchar4(ys[0], ys[1], ys[2], ys[3]);
    up[q] = make_uchar4(us[0], us[1], us[2], us[3]);
    vp[q] = make_uchar4(vs[0], vs[1], vs[2], vs[3]);
}

/* The way back, done naively with byte stores: one pixel per thread. */
__global__ void yuv_to_rgb_interleaved(const u8 *yp, const u8 *up, const u8 *vp, u8 *rgb, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r, g, b;
    yuv_rgb(yp[i], up[i], vp[i], r, g, b);
    rgb[3 * i + 0] = clamp_u8(r);
    rgb[3 * i + 1] = clamp_u8(g);
    rgb[3 * i + 2] = clamp_u8(b);
}

/* ---------------------------------------------------------------------------
 * Lesson 2: separable convolution
 *
 * All threads of a warp use the same tap at the same time, which is what
 * constant memory is good at.  Every thread produces several outputs so that
 * the halo is loaded once per block and not once per output.
 * ------------------------------------------------------------------------- */
#define RADIUS 8
__constant__ float c_taps[2 * RADIUS + 1];

#define ROW_BX 16
#define ROW_BY 4
#define ROW_STEPS 8
__global__ void conv_rows(float *dst, const float *src, int w, int h)
{
    __shared__ float s[ROW_BY][(ROW_STEPS + 2) * ROW_BX];
    const int x0 = (blockIdx.x * ROW_STEPS - 1) * ROW_BX + threadIdx.x;  // includes a halo of 16
    const int y = blockIdx.y * ROW_BY + threadIdx.y;
    src += y * w;
    dst += y * w;
#pragma unroll
    for (int i = 0; i < ROW_STEPS + 2; i++) {
        int x = x0 + i * ROW_BX;
        s[threadIdx.y][threadIdx.x + i * ROW_BX] = (x >= 0 && x < w) ? src[x] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= ROW_STEPS; i++) {
        float sum = 0.f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += c_taps[RADIUS - j] * s[threadIdx.y][threadIdx.x + i * ROW_BX + j];
        dst[x0 + i * ROW_BX] = sum;
    }
}

#define COL_BX 16
#define COL_BY 8
#define COL_STEPS 8
__global__ void conv_columns(float *dst, const float *src, int w, int h)
{
    __shared__ float s[COL_BX][(COL_STEPS + 2) * COL_BY + 1];  // transposed, padded
    const int x = blockIdx.x * COL_BX + threadIdx.x;
    const int y0 = (blockIdx.y * COL_STEPS - 1) * COL_BY + threadIdx.y;
#pragma unroll
    for (int i = 0; i < COL_STEPS + 2; i++) {
        int y = y0 + i * COL_BY;
        s[threadIdx.x][threadIdx.y + i * COL_BY] = (y >= 0 && y < h) ? src[y * w + x] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= COL_STEPS; i++) {
        float sum = 0.f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += c_taps[RADIUS - j] * s[threadIdx.x][threadIdx.y + i * COL_BY + j];
        dst[(y0 + i * COL_BY) * w + x] = sum;
    }
}

/* ---------------------------------------------------------------------------
 * Lesson 3a: bilateral filter, radius 4.  The spatial weights come from a
 * table, the range weights need one exponential per neighbour.
 * ------------------------------------------------------------------------- */
#define BIL_R 4
#define BIL_T 16
__constant__ float c_spatial[(2 * BIL_R + 1) * (2 * BIL_R + 1)];

__global__ void bilateral(float *dst, const float *src, int w, int h, float inv_2sigma2)
{
    __shared__ float tile[BIL_T + 2 * BIL_R][BIL_T + 2 * BIL_R + 1];
    const int side = BIL_T + 2 * BIL_R;
    for (int i = threadIdx.y * BIL_T + threadIdx.x; i < side * side; i += BIL_T * BIL_T) {
        int ty = i / side, tx = i % side;
        int gx = min(max((int)blockIdx.x * BIL_T + tx - BIL_R, 0), w - 1);
        int gy = min(max((int)blockIdx.y * BIL_T + ty - BIL_R, 0), h - 1);
        tile[ty][tx] = src[gy * w + gx];
    }
    __syncthreads();
    const int x = blockIdx.x * BIL_T + threadIdx.x, y = blockIdx.y * BIL_T + threadIdx.y;
    if (x >= w || y >= h) return;
    const float centre = tile[threadIdx.y + BIL_R][threadIdx.x + BIL_R];
    float num = 0.f, den = 0.f;
    for (int dy = 0; dy <= 2 * BIL_R; dy++) {
#pragma unroll
        for (int dx = 0; dx <= 2 * BIL_R; dx++) {
            float v = tile[threadIdx.y + dy][threadIdx.x + dx];
            float d = v - centre;
            float wgt = c_spatial[dy * (2 * BIL_R + 1) + dx] * __expf(-d * d * inv_2sigma2);
            num += wgt * v;
            den += wgt;
        }
    }
    dst[y * w + x] = num / den;
}

/* ---------------------------------------------------------------------------
 * Lesson 3b: median of nine by a sorting network.  Nineteen compare-exchanges,
 * no branches, everything in registers.
 * ------------------------------------------------------------------------- */
__host__ __device__ inline void exchange(int &a, int &b)
{
    int lo = a < b ? a : b;
    b = a < b ? b : a;
    a = lo;
}

__host__ __device__ inline int median9(int p[9])
{
    exchange(p[1], p[2]); exchange(p[4], p[5]); exchange(p[7], p[8]);
    exchange(p[0], p[1]); exchange(p[3], p[4]); exchange(p[6], p[7]);
    exchange(p[1], p[2]); exchange(p[4], p[5]); exchange(p[7], p[8]);
    exchange(p[0], p[3]); exchange(p[5], p[8]); exchange(p[4], p[7]);
    exchange(p[3], p[6]); exchange(p[1], p[4]); exchange(p[2], p[5]);
    exchange(p[4], p[7]); exchange(p[4], p[2]); exchange(p[6], p[4]);
    exchange(p[4], p[2]);
    return p[4];
}

__global__ void median3x3(u8 *dst, const u8 *src, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int p[9];
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll
        for (int dx = -1; dx <= 1; dx++) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            p[(dy + 1) * 3 + dx + 1] = src[yy * w + xx];
        }
    dst[y * w + x] = (u8)median9(p);
}

/* ---------------------------------------------------------------------------
 * Lesson 4: Sobel
 * ------------------------------------------------------------------------- */
#define SOB_X 32
#define SOB_Y 16
__global__ void sobel(u8 *dst, const u8 *src, int w, int h)
{
    __shared__ int t[SOB_Y + 2][SOB_X + 2];
    const int bx = blockIdx.x * SOB_X, by = blockIdx.y * SOB_Y;
    for (int j = threadIdx.y; j < SOB_Y + 2; j += SOB_Y)
        for (int i = threadIdx.x; i < SOB_X + 2; i += SOB_X) {
            int gx = min(max(bx + i - 1, 0), w - 1), gy = min(max(by + j - 1, 0), h - 1);
            t[j][i] = src[gy * w + gx];
        }
    __syncthreads();
    const int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x >= w || y >= h) return;
    const int i = threadIdx.x, j = threadIdx.y;
    int gx = t[j][i + 2] + 2 * t[j + 1][i + 2] + t[j + 2][i + 2] - t[j][i] - 2 * t[j + 1][i] - t[j + 2][i];
    int gy = t[j + 2][i] + 2 * t[j + 2][i + 1] + t[j + 2][i + 2] - t[j][i] - 2 * t[j][i + 1] - t[j][i + 2];
    float m = sqrtf((float)(gx * gx + gy * gy));
    dst[y * w + x] = (u8)fminf(m, 255.f);
}

/* ---------------------------------------------------------------------------
 * Lesson 5: histogram equalisation
 *
 * Every warp counts into its own histogram in shared memory, which reduces the
 * number of colliding atomics.  A block of 256 threads then makes the look-up
 * table, and a third kernel applies it.
 * ------------------------------------------------------------------------- */
__global__ void histogram256(const uint32_t *img, int n_words, unsigned *hist)
{
    __shared__ unsigned h[8][256];
    for (int i = threadIdx.x; i < 8 * 256; i += blockDim.x) ((unsigned *)h)[i] = 0;
    __syncthreads();
    unsigned *mine = h[threadIdx.x / 32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n_words; i += gridDim.x * blockDim.x) {
        uint32_t v = img[i];
        atomicAdd(&mine[v & 255], 1u);
        atomicAdd(&mine[(v >> 8) & 255], 1u);
        atomicAdd(&mine[(v >> 16) & 255], 1u);
        atomicAdd(&mine[v >> 24], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += h[k][threadIdx.x];
    if (sum) atomicAdd(&hist[threadIdx.x], sum);
}

__global__ void equalise_lut(const unsigned *hist, u8 *lut, int n)
{
    __shared__ unsigned cdf[256];
    __shared__ unsigned cdf_min;
    const int t = threadIdx.x;
    const unsigned own = hist[t];
    cdf[t] = own;
    if (t == 0) cdf_min = 0xffffffffu;
    __syncthreads();
    for (int o = 1; o < 256; o <<= 1) {  // Hillis-Steele
        unsigned add = t >= o ? cdf[t - o] : 0;
        __syncthreads();
        cdf[t] += add;
        __syncthreads();
    }
    if (own) atomicMin(&cdf_min, cdf[t]);
    __syncthreads();
    unsigned range = max(1u, (unsigned)n - cdf_min);
    float f = cdf[t] > cdf_min ? (float)(cdf[t] - cdf_min) / (float)range : 0.f;
    lut[t] = (u8)(f * 255.f + 0.5f);
}

__global__ void apply_lut(uchar4 *dst, const uchar4 *src, const u8 *lut, int n_quads)
{
    __shared__ u8 s[256];
    s[threadIdx.x] = lut[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n_quads; i += gridDim.x * blockDim.x) {
        uchar4 p = src[i];
        dst[i] = make_uchar4(s[p.x], s[p.y], s[p.z], s[p.w]);
    }
}

/* ---------------------------------------------------------------------------
 * Lesson 6: summed-area table
 *
 * Rows: a block per row, four pixels per thread, a warp-shuffle scan and a
 * running carry.  Columns: a thread per column; neighbouring threads touch
 * neighbouring addresses, so the walk down the image is coalesced.
 * ------------------------------------------------------------------------- */
__global__ void integral_rows(unsigned *dst, const u8 *src, int w)
{
    __shared__ unsigned warp_total[8];
    const uchar4 *in = (const uchar4 *)(src + (size_t)blockIdx.x * w);
    uint4 *out = (uint4 *)(dst + (size_t)blockIdx.x * w);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    unsigned carry = 0;
    for (int base = 0; base < w / 4; base += 256) {
        int i = base + threadIdx.x;
        uchar4 p = i < w / 4 ? in[i] : make_uchar4(0, 0, 0, 0);
        unsigned a = p.x, b = a + p.y, c = b + p.z, d = c + p.w;
        unsigned inc = d;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            unsigned t = __shfl_up_sync(0xffffffffu, inc, o);
            if (lane >= o) inc += t;
        }
        if (lane == 31) warp_total[warp] = inc;
        __syncthreads();
        unsigned before = carry;
        for (int k = 0; k < 8; k++) {
            if (k < warp) before += warp_total[k];
            carry += warp_total[k];
        }
        before += inc - d;
        if (i < w / 4) out[i] = make_uint4(before + a, before + b, before + c, before + d);
        __syncthreads();
    }
}

__global__ void integral_columns(unsigned *__restrict__ dst, const unsigned *__restrict__ src, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    unsigned sum = 0;
#pragma unroll 8
    for (int y = 0; y < h; y++) {
        sum += src[y * w + x];
        dst[y * w + x] = sum;
    }
}

/* With the table, a box filter costs four reads whatever its radius. */
__global__ void box_filter(u8 *dst, const unsigned *sat, int w, int h, int r)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int x1 = max(x - r, 0) - 1, x2 = min(x + r, w - 1);
    const int y1 = max(y - r, 0) - 1, y2 = min(y + r, h - 1);
    unsigned s = sat[y2 * w + x2];
    if (x1 >= 0) s -= sat[y2 * w + x1];
    if (y1 >= 0) s -= sat[y1 * w + x2];
    if (x1 >= 0 && y1 >= 0) s += sat[y1 * w + x1];
    unsigned area = (unsigned)((x2 - x1) * (y2 - y1));
    dst[y * w + x] = (u8)((s + area / 2) / area);
}

/* ---------------------------------------------------------------------------
 * Lesson 7: bilinear resize of packed RGB
 * ------------------------------------------------------------------------- */
__global__ void resize_bilinear_rgb(u8 *dst, int dw, int dh, const u8 *src, int sw, int sh)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dw || y >= dh) return;
    const float fx = fmaxf((x + 0.5f) * sw / dw - 0.5f, 0.f), fy = fmaxf((y + 0.5f) * sh / dh - 0.5f, 0.f);
    const int x0 = min((int)fx, sw - 1), y0 = min((int)fy, sh - 1);
    const int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
    const float ax = fx - x0, ay = fy - y0;
    const u8 *p00 = src + 3 * (y0 * sw + x0), *p01 = src + 3 * (y0 * sw + x1);
    const u8 *p10 = src + 3 * (y1 * sw + x0), *p11 = src + 3 * (y1 * sw + x1);
    u8 *out = dst + 3 * (y * dw + x);
#pragma unroll
    for (int c = 0; c < 3; c++) {
        float top = p00[c] + ax * ((float)p01[c] - (float)p00[c]);
        float bot = p10[c] + ax * ((float)p11[c] - (float)p10[c]);
        out[c] = (u8)(top + ay * (bot - top) + 0.5f);
    }
}

/* ---------------------------------------------------------------------------
 * Lesson 8: erosion with a 7x7 square.  The minimum is separable, so the block
 * reduces its tile along x into a second tile and then along y.
 * ------------------------------------------------------------------------- */
#define ERO_R 3
#define ERO_X 32
#define ERO_Y 8
__global__ void erode7x7(u8 *dst, const u8 *src, int w, int h)
{
    __shared__ u8 tile[ERO_Y + 2 * ERO_R][ERO_X + 2 * ERO_R];
    __shared__ u8 rows[ERO_Y + 2 * ERO_R][ERO_X];
    const int bx = blockIdx.x * ERO_X - ERO_R, by = blockIdx.y * ERO_Y - ERO_R;
    for (int j = threadIdx.y; j < ERO_Y + 2 * ERO_R; j += ERO_Y)
        for (int i = threadIdx.x; i < ERO_X + 2 * ERO_R; i += ERO_X) {
            int gx = bx + i, gy = by + j;
            tile[j][i] = (gx >= 0 && gx < w && gy >= 0 && gy < h) ? src[gy * w + gx] : 255;
        }
    __syncthreads();
    for (int j = threadIdx.y; j < ERO_Y + 2 * ERO_R; j += ERO_Y) {
        int m = tile[j][threadIdx.x];
#pragma unroll
        for (int k = 1; k <= 2 * ERO_R; k++) m = min(m, (int)tile[j][threadIdx.x + k]);
        rows[j][threadIdx.x] = (u8)m;
    }
    __syncthreads();
    int m = rows[threadIdx.y][threadIdx.x];
#pragma unroll
    for (int k = 1; k <= 2 * ERO_R; k++) m = min(m, (int)rows[threadIdx.y + k][threadIdx.x]);
    const int x = blockIdx.x * ERO_X + threadIdx.x, y = blockIdx.y * ERO_Y + threadIdx.y;
    if (x < w && y < h) dst[y * w + x] = (u8)m;
}

/* ---------------------------------------------------------------------------
 * Lesson 9: connected components (4-neighbourhood)
 *
 * The label of a component is the smallest pixel index in it.  Initially a
 * pixel points to the start of its run within the 32 pixels of its warp; then
 * runs are united across warp borders and with the row above; finally every
 * pixel is pointed to its root.
 * ------------------------------------------------------------------------- */
__device__ inline int find_root(const int *label, int i)
{
    int p = label[i];
    while (p != i) {
        i = p;
        p = label[i];
    }
    return i;
}

__device__ inline void unite(int *label, int a, int b)
{
    bool done = false;
    while (!done) {
        a = find_root(label, a);
        b = find_root(label, b);
        if (a == b) return;
        if (a < b) {
            int t = a;
            a = b;
            b = t;
        }
        int old = atomicMin(&label[a], b);  // a > b: a's root becomes b
        done = (old == a);
        a = old;
    }
}

__global__ void ccl_init(int *label, const u8 *mask, int w, int h)  // blockDim.x == 32
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = x < w && y < h;
    const bool fg = inside && mask[y * w + x];
    const unsigned bits = __ballot_sync(0xffffffffu, fg);
    if (!inside) return;
    // Distance to the nearest background pixel to the left, within the warp.
    const unsigned zeros_left = ~bits & ((1u << threadIdx.x) - 1u);
    const int start = zeros_left ? 32 - __clz(zeros_left) : 0;
    label[y * w + x] = fg ? y * w + (int)blockIdx.x * 32 + start : -1;
}

__global__ void ccl_merge(int *label, const u8 *mask, int w, int h)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int i = y * w + x;
    if (!mask[i]) return;
    const bool left = x > 0 && mask[i - 1];
    if (left && threadIdx.x == 0) unite(label, i, i - 1);
    if (y > 0 && mask[i - w]) {
        // If the left pair is connected as well, it does the work for us.
        if (!(left && mask[i - w - 1])) unite(label, i, i - w);
    }
}

__global__ void ccl_flatten(int *label, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (label[i] >= 0) label[i] = find_root(label, i);
}

/* ------------------------------------------------------------------------- */
template <class T> T *device(size_t n)
{
    T *p;
    CU(cudaMalloc(&p, n * sizeof(T)));
    CU(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <class T> T *device_copy(const std::vector<T> &v)
{
    T *p = device<T>(v.size());
    CU(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> std::vector<T> host_copy(const T *p, size_t n)
{
    std::vector<T> v(n);
    CU(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
static void lesson(const char *title, bool ok)
{
    CU(cudaGetLastError());
    std::printf("%-44s %s\n", title, ok ? "correct" : "WRONG");
}
static int clampi(int v, int lo, int hi) { return std::min(std::max(v, lo), hi); }

int main()
{
    // A test picture: gradients, rings and a little noise.
    std::vector<u8> rgb(3 * N);
    uint32_t lcg = 987654321u;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            lcg = lcg * 1664525u + 1013904223u;
            int noise = (int)(lcg >> 28);
            int ring = ((x - 900) * (x - 900) + (y - 500) * (y - 500)) >> 10;
            u8 *p = &rgb[3 * (y * W + x)];
            p[0] = clamp_u8(x * 255 / W + noise - 8);
            p[1] = clamp_u8((ring & 127) + 60 + noise);
            p[2] = clamp_u8(y * 255 / H + ((x / 64 + y / 64) & 1) * 40);
        }
    u8 *d_rgb = device_copy(rgb);
    const dim3 b32x8(32, 8), g32x8(W / 32, H / 8);

    /* Lesson 1 */
    u8 *d_y = device<u8>(N), *d_u = device<u8>(N), *d_v = device<u8>(N), *d_rgb2 = device<u8>(3 * N);
    rgb_to_yuv_planar<<<N / 4 / 256, 256>>>((const uint32_t *)d_rgb, (uchar4 *)d_y, (uchar4 *)d_u, (uchar4 *)d_v, N / 4);
    yuv_to_rgb_interleaved<<<(N + 255) / 256, 256>>>(d_y, d_u, d_v, d_rgb2, N);
    std::vector<u8> gray = host_copy(d_y, N);
    {
        std::vector<u8> back = host_copy(d_rgb2, 3 * N);
        bool ok = true, close = true;
        for (int i = 0; i < N; i += 7) {
            int y, u, v;
            rgb_yuv(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], y, u, v);
            ok &= gray[i] == clamp_u8(y);
            for (int c = 0; c < 3; c++) close &= std::abs(back[3 * i + c] - rgb[3 * i + c]) <= 4;
        }
        lesson("1  RGB -> YUV -> RGB", ok && close);
    }

    /* Lesson 2 */
    std::vector<float> fimg(N), taps(2 * RADIUS + 1);
    for (int i = 0; i < N; i++) fimg[i] = gray[i];
    float norm = 0;
    for (int j = -RADIUS; j <= RADIUS; j++) norm += taps[j + RADIUS] = std::exp(-j * j / 18.f);
    for (float &t : taps) t /= norm;
    CU(cudaMemcpyToSymbol(c_taps, taps.data(), taps.size() * sizeof(float)));
    float *d_f = device_copy(fimg), *d_tmp = device<float>(N), *d_g = device<float>(N);
    conv_rows<<<dim3(W / (ROW_STEPS * ROW_BX), H / ROW_BY), dim3(ROW_BX, ROW_BY)>>>(d_tmp, d_f, W, H);
    conv_columns<<<dim3(W / COL_BX, H / (COL_STEPS * COL_BY)), dim3(COL_BX, COL_BY)>>>(d_g, d_tmp, W, H);
    {
        std::vector<float> g = host_copy(d_g, N);
        float err = 0;
        for (int y = 0; y < H; y += 41)
            for (int x = y % 13; x < W; x += 13) {
                double s = 0;
                for (int j = -RADIUS; j <= RADIUS; j++)
                    for (int i = -RADIUS; i <= RADIUS; i++)
                        if (x + i >= 0 && x + i < W && y + j >= 0 && y + j < H)
                            s += (double)taps[j + RADIUS] * taps[i + RADIUS] * fimg[(y + j) * W + x + i];
                err = std::max(err, (float)std::fabs(s - g[y * W + x]));
            }
        lesson("2  separable Gaussian", err < 1e-2f);
    }

    /* Lesson 3 */
    std::vector<float> spatial;
    for (int j = -BIL_R; j <= BIL_R; j++)
        for (int i = -BIL_R; i <= BIL_R; i++) spatial.push_back(std::exp(-(i * i + j * j) / 8.f));
    CU(cudaMemcpyToSymbol(c_spatial, spatial.data(), spatial.size() * sizeof(float)));
    const float inv_2s2 = 1.f / (2.f * 20.f * 20.f);
    bilateral<<<dim3(W / BIL_T, H / BIL_T), dim3(BIL_T, BIL_T)>>>(d_g, d_f, W, H, inv_2s2);
    {
        std::vector<float> g = host_copy(d_g, N);
        float err = 0;
        for (int y = 0; y < H; y += 53)
            for (int x = 0; x < W; x += 29) {
                double num = 0, den = 0, c = fimg[y * W + x];
                for (int j = -BIL_R; j <= BIL_R; j++)
                    for (int i = -BIL_R; i <= BIL_R; i++) {
                        double v = fimg[clampi(y + j, 0, H - 1) * W + clampi(x + i, 0, W - 1)];
                        double wgt = spatial[(j + BIL_R) * 9 + i + BIL_R] * std::exp(-(v - c) * (v - c) * inv_2s2);
                        num += wgt * v;
                        den += wgt;
                    }
                err = std::max(err, (float)std::fabs(num / den - g[y * W + x]));
            }
        lesson("3a bilateral filter", err < 1e-2f);
    }
    u8 *d_out = device<u8>(N);
    median3x3<<<g32x8, b32x8>>>(d_out, d_y, W, H);
    {
        std::vector<u8> m = host_copy(d_out, N);
        bool ok = true;
        for (int y = 0; y < H; y += 11)
            for (int x = 0; x < W; x += 7) {
                int p[9], k = 0;
                for (int j = -1; j <= 1; j++)
                    for (int i = -1; i <= 1; i++) p[k++] = gray[clampi(y + j, 0, H - 1) * W + clampi(x + i, 0, W - 1)];
                std::sort(p, p + 9);
                ok &= m[y * W + x] == p[4];
            }
        lesson("3b median 3x3", ok);
    }

    /* Lesson 4 */
    sobel<<<dim3(W / SOB_X, H / SOB_Y), dim3(SOB_X, SOB_Y)>>>(d_out, d_y, W, H);
    {
        std::vector<u8> s = host_copy(d_out, N);
        bool ok = true;
        for (int y = 1; y < H - 1; y += 9)
            for (int x = 1; x < W - 1; x += 5) {
                auto P = [&](int i, int j) { return (int)gray[(y + j) * W + x + i]; };
                int gx = P(1, -1) + 2 * P(1, 0) + P(1, 1) - P(-1, -1) - 2 * P(-1, 0) - P(-1, 1);
                int gy = P(-1, 1) + 2 * P(0, 1) + P(1, 1) - P(-1, -1) - 2 * P(0, -1) - P(1, -1);
                int want = (int)std::min(255.f, std::sqrt((float)(gx * gx + gy * gy)));
                ok &= std::abs(want - s[y * W + x]) <= 1;
            }
        lesson("4  Sobel", ok);
    }

    /* Lesson 5 */
    unsigned *d_hist = device<unsigned>(256);
    u8 *d_lut = device<u8>(256);
    histogram256<<<132 * 2, 256>>>((const uint32_t *)d_y, N / 4, d_hist);
    equalise_lut<<<1, 256>>>(d_hist, d_lut, N);
    apply_lut<<<132 * 8, 256>>>((uchar4 *)d_out, (const uchar4 *)d_y, d_lut, N / 4);
    {
        std::vector<unsigned> hist = host_copy(d_hist, 256), want(256, 0);
        for (u8 v : gray) want[v]++;
        std::vector<u8> lut = host_copy(d_lut, 256), eq = host_copy(d_out, N);
        bool ok = hist == want;
        unsigned run = 0, cmin = 0;
        for (int i = 0; i < 256; i++) {
            run += want[i];
            if (cmin == 0 && want[i]) cmin = run;
            double f = run > cmin ? (double)(run - cmin) / (N - cmin) * 255.0 : 0.0;
            ok &= std::abs((int)(f + 0.5) - (int)lut[i]) <= 1;
        }
        for (int i = 0; i < N; i += 13) ok &= eq[i] == lut[gray[i]];
        lesson("5  histogram equalisation", ok);
    }

    /* Lesson 6 */
    unsigned *d_rows = device<unsigned>(N), *d_sat = device<unsigned>(N);
    integral_rows<<<H, 256>>>(d_rows, d_y, W);
    integral_columns<<<(W + 63) / 64, 64>>>(d_sat, d_rows, W, H);
    box_filter<<<g32x8, b32x8>>>(d_out, d_sat, W, H, 15);
    {
        std::vector<unsigned> sat = host_copy(d_sat, N), ref(N);
        for (int y = 0; y < H; y++) {
            unsigned row = 0;
            for (int x = 0; x < W; x++) {
                row += gray[y * W + x];
                ref[y * W + x] = row + (y ? ref[(y - 1) * W + x] : 0);
            }
        }
        std::vector<u8> box = host_copy(d_out, N);
        bool ok = sat == ref;
        for (int y = 20; y < H - 20; y += 97)
            for (int x = 20; x < W - 20; x += 61) {
                unsigned s = 0;
                for (int j = -15; j <= 15; j++)
                    for (int i = -15; i <= 15; i++) s += gray[(y + j) * W + x + i];
                ok &= box[y * W + x] == (s + 480) / 961;
            }
        lesson("6  summed-area table and box filter", ok);
    }

    /* Lesson 7 */
    const int DW = 1280, DH = 720;
    u8 *d_small = device<u8>(3 * DW * DH);
    resize_bilinear_rgb<<<dim3(DW / 32, DH / 8), b32x8>>>(d_small, DW, DH, d_rgb, W, H);
    {
        std::vector<u8> s = host_copy(d_small, 3 * DW * DH);
        bool ok = true;
        for (int y = 0; y < DH; y += 7)
            for (int x = 0; x < DW; x += 11) {
                float fx = std::max((x + 0.5f) * W / DW - 0.5f, 0.f), fy = std::max((y + 0.5f) * H / DH - 0.5f, 0.f);
                int x0 = std::min((int)fx, W - 1), y0 = std::min((int)fy, H - 1);
                int x1 = std::min(x0 + 1, W - 1), y1 = std::min(y0 + 1, H - 1);
                for (int c = 0; c < 3; c++) {
                    auto P = [&](int xx, int yy) { return (float)rgb[3 * (yy * W + xx) + c]; };
                    float top = P(x0, y0) + (fx - x0) * (P(x1, y0) - P(x0, y0));
                    float bot = P(x0, y1) + (fx - x0) * (P(x1, y1) - P(x0, y1));
                    ok &= std::abs((int)(top + (fy - y0) * (bot - top) + 0.5f) - (int)s[3 * (y * DW + x) + c]) <= 1;
                }
            }
        lesson("7  bilinear resize", ok);
    }

    /* Lesson 8 */
    erode7x7<<<dim3(W / ERO_X, H / ERO_Y), dim3(ERO_X, ERO_Y)>>>(d_out, d_y, W, H);
    {
        std::vector<u8> e = host_copy(d_out, N);
        bool ok = true;
        for (int y = 0; y < H; y += 31)
            for (int x = 0; x < W; x += 17) {
                int m = 255;
                for (int j = -ERO_R; j <= ERO_R; j++)
                    for (int i = -ERO_R; i <= ERO_R; i++)
                        if (x + i >= 0 && x + i < W && y + j >= 0 && y + j < H)
                            m = std::min(m, (int)gray[(y + j) * W + x + i]);
                ok &= e[y * W + x] == m;
            }
        lesson("8  erosion 7x7", ok);
    }

    /* Lesson 9 */
    std::vector<u8> mask(N);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            // a lattice of blobs of different sizes, some touching
            int cx = x % 48 - 24, cy = y % 40 - 20;
            int r = 8 + (int)(((uint32_t)(x / 48) * 7u + (uint32_t)(y / 40) * 13u) % 18u);
            mask[y * W + x] = cx * cx + cy * cy < r * r;
        }
    u8 *d_mask = device_copy(mask);
    int *d_label = device<int>(N);
    ccl_init<<<g32x8, b32x8>>>(d_label, d_mask, W, H);
    ccl_merge<<<g32x8, b32x8>>>(d_label, d_mask, W, H);
    ccl_flatten<<<132 * 8, 256>>>(d_label, N);
    {
        std::vector<int> label = host_copy(d_label, N), p(N);
        std::iota(p.begin(), p.end(), 0);
        auto find = [&](int i) {
            while (p[i] != i) i = p[i] = p[p[i]];
            return i;
        };
        auto join = [&](int a, int b) {
            a = find(a);
            b = find(b);
            if (a != b) p[std::max(a, b)] = std::min(a, b);
        };
        for (int i = 0; i < N; i++)
            if (mask[i]) {
                if (i % W && mask[i - 1]) join(i, i - 1);
                if (i >= W && mask[i - W]) join(i, i - W);
            }
        bool ok = true;
        int components = 0;
        for (int i = 0; i < N; i++) {
            ok &= label[i] == (mask[i] ? find(i) : -1);
            components += mask[i] && find(i) == i;
        }
        std::printf("   %d components\n", components);
        lesson("9  connected components", ok);
    }

    CU(cudaDeviceSynchronize());
    return 0;
}
