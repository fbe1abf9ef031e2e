// imgproc.cu - small image pipeline on a synthetic 3840 x 2160 picture
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHK(c) do { cudaError_t r_ = (c); if (r_ != cudaSuccess) { \
  printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(r_)); return 1; } } while (0)

typedef unsigned char uchar;

__constant__ float gaussK[16];

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

/* BGRA -> luma, one uchar4 load per pixel */
__global__ void rgbaToGray(const uchar4 *src, uchar *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 p = src[y * w + x];
    dst[y * w + x] = (uchar)((p.z * 77 + p.y * 150 + p.x * 29 + 128) >> 8);
}

/* packed 3-byte pixels: RGB -> YCbCr in place */
__global__ void rgb3ToYCbCr(uchar3 *img, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar3 p = img[i];
    float r = p.x, g = p.y, b = p.z;
    float Y = 0.299f * r + 0.587f * g + 0.114f * b;
    float cb = 128.f + 0.564f * (b - Y);
    float cr = 128.f + 0.713f * (r - Y);
    img[i] = make_uchar3((uchar)fminf(fmaxf(Y, 0.f), 255.f), (uchar)fminf(fmaxf(cb, 0.f), 255.f),
                         (uchar)fminf(fmaxf(cr, 0.f), 255.f));
}

__global__ void sobel3x3(const uchar *src, uchar *dst, int w, int h)
{
    __shared__ int t[18][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512) {
        int ty = k / 34, tx = k % 34;
        t[ty][tx] = src[clampi(y0 + ty, 0, h - 1) * w + clampi(x0 + tx, 0, w - 1)];
    }
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h) return;
    int a = threadIdx.y, b = threadIdx.x;
    int gx = t[a][b + 2] + 2 * t[a + 1][b + 2] + t[a + 2][b + 2] - t[a][b] - 2 * t[a + 1][b] - t[a + 2][b];
    int gy = t[a + 2][b] + 2 * t[a + 2][b + 1] + t[a + 2][b + 2] - t[a][b] - 2 * t[a][b + 1] - t[a][b + 2];
    dst[y * w + x] = (uchar)min(255, abs(gx) + abs(gy));
}

/* separable blur, rows then columns; the row pass makes floats */
__global__ void gaussRows(const uchar *src, float *dst, int w, int h, int rad)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    float s = gaussK[0] * src[y * w + x];
    for (int k = 1; k <= rad; ++k)
        s += gaussK[k] * ((float)src[y * w + max(x - k, 0)] + (float)src[y * w + min(x + k, w - 1)]);
    dst[y * w + x] = s;
}

__global__ void gaussCols(const float *src, uchar *dst, int w, int h, int rad)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = gaussK[0] * src[y * w + x];
    for (int k = 1; k <= rad; ++k)
        s += gaussK[k] * (src[max(y - k, 0) * w + x] + src[min(y + k, h - 1) * w + x]);
    dst[y * w + x] = (uchar)fminf(s + 0.5f, 255.f);
}

__global__ void bilateral(const uchar *src, uchar *dst, int w, int h, float is2, float ir2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = src[y * w + x], num = 0.f, den = 0.f;
#pragma unroll
    for (int dy = -3; dy <= 3; ++dy)
#pragma unroll
        for (int dx = -3; dx <= 3; ++dx) {
            float v = src[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
            float d = v - c;
            float wt = __expf(-(dx * dx + dy * dy) * is2 - d * d * ir2);
            num += wt * v;
            den += wt;
        }
    dst[y * w + x] = (uchar)(num / den + 0.5f);
}

#define SORT2(a, b) { int lo_ = min(a, b), hi_ = max(a, b); a = lo_; b = hi_; }
__global__ void median3x3(const uchar *src, uchar *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int p[9];
#pragma unroll
    for (int k = 0; k < 9; ++k)
        p[k] = src[clampi(y + k / 3 - 1, 0, h - 1) * w + clampi(x + k % 3 - 1, 0, w - 1)];
    SORT2(p[1], p[2]) SORT2(p[4], p[5]) SORT2(p[7], p[8])
    SORT2(p[0], p[1]) SORT2(p[3], p[4]) SORT2(p[6], p[7])
    SORT2(p[1], p[2]) SORT2(p[4], p[5]) SORT2(p[7], p[8])
    SORT2(p[0], p[3]) SORT2(p[5], p[8]) SORT2(p[4], p[7])
    SORT2(p[3], p[6]) SORT2(p[1], p[4]) SORT2(p[2], p[5])
    SORT2(p[4], p[7]) SORT2(p[4], p[2]) SORT2(p[6], p[4])
    SORT2(p[4], p[2])
    dst[y * w + x] = (uchar)p[4];
}

__global__ void erode5x5(const uchar *src, uchar *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int m = 255;
    for (int yy = max(y - 2, 0); yy <= min(y + 2, h - 1); ++yy)
        for (int xx = max(x - 2, 0); xx <= min(x + 2, w - 1); ++xx)
            m = min(m, (int)src[yy * w + xx]);
    dst[y * w + x] = (uchar)m;
}

__global__ void resizeBilinear(const uchar4 *src, int sw, int sh, uchar4 *dst, int dw, int dh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dw || y >= dh) return;
    float fx = fmaxf((x + 0.5f) * sw / dw - 0.5f, 0.f), fy = fmaxf((y + 0.5f) * sh / dh - 0.5f, 0.f);
    int x0 = min((int)fx, sw - 1), y0 = min((int)fy, sh - 1);
    int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
    float a = fx - x0, b = fy - y0;
    uchar4 p = src[y0 * sw + x0], q = src[y0 * sw + x1], r = src[y1 * sw + x0], s = src[y1 * sw + x1];
#define LERP(c) (uchar)((1 - b) * ((1 - a) * p.c + a * q.c) + b * ((1 - a) * r.c + a * s.c) + 0.5f)
    dst[y * dw + x] = make_uchar4(LERP(x), LERP(y), LERP(z), 255);
}

/* row prefix sums of an integral image, one block per row */
__global__ void integralRows(const uchar *src, unsigned *sum, int w)
{
    __shared__ unsigned ws[8];
    unsigned carry = 0;
    int lane = threadIdx.x & 31, wp = threadIdx.x >> 5;
    for (int base = 0; base < w; base += 256) {
        int x = base + threadIdx.x;
        unsigned v = x < w ? src[blockIdx.x * w + x] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            unsigned o = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v += o;
        }
        if (lane == 31) ws[wp] = v;
        __syncthreads();
        unsigned before = 0, all = 0;
        for (int k = 0; k < 8; ++k) { if (k < wp) before += ws[k]; all += ws[k]; }
        if (x < w) sum[blockIdx.x * w + x] = carry + before + v;
        carry += all;
        __syncthreads();
    }
}

int main(void)
{
    const int W = 3840, H = 2160, N = W * H;
    uchar4 *hostRGBA = (uchar4 *)malloc(N * sizeof(uchar4));
    unsigned seed = 1;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            seed = seed * 1103515245u + 12345u;
            int noise = (seed >> 16) & 15;
            int disc = ((x - 1900) * (x - 1900) + (y - 1000) * (y - 1000) < 490000) ? 90 : 0;
            hostRGBA[y * W + x] = make_uchar4((uchar)((x >> 5) + noise), (uchar)((y >> 5) + disc), (uchar)(disc + noise + 30), 255);
        }
    uchar4 *rgba, *small; uchar *gray, *tmp; float *f; unsigned *integ; uchar3 *rgb3;
    CHK(cudaMalloc(&rgba, N * sizeof(uchar4)));
    CHK(cudaMalloc(&small, (1280 * 720) * sizeof(uchar4)));
    CHK(cudaMalloc(&gray, N));
    CHK(cudaMalloc(&tmp, N));
    CHK(cudaMalloc(&f, N * sizeof(float)));
    CHK(cudaMalloc(&integ, N * sizeof(unsigned)));
    CHK(cudaMalloc(&rgb3, N * sizeof(uchar3)));
    CHK(cudaMemcpy(rgba, hostRGBA, N * sizeof(uchar4), cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(rgb3, hostRGBA, N * sizeof(uchar3), cudaMemcpyHostToDevice));   /* any bytes will do */
    float k[5] = {0.2f, 0.18f, 0.12f, 0.07f, 0.03f};
    CHK(cudaMemcpyToSymbol(gaussK, k, sizeof(k)));

    dim3 b(32, 8), g((W + 31) / 32, (H + 7) / 8);
    rgbaToGray<<<g, b>>>(rgba, gray, W, H);
    sobel3x3<<<dim3(W / 32, (H + 15) / 16), dim3(32, 16)>>>(gray, tmp, W, H);
    CHK(cudaGetLastError());
    uchar *res = (uchar *)malloc(N);
    CHK(cudaMemcpy(res, tmp, N, cudaMemcpyDeviceToHost));
    long long edges = 0;
    for (int i = 0; i < N; ++i) edges += res[i] > 100;
    printf("edge pixels: %lld\n", edges);

    gaussRows<<<dim3((W + 255) / 256, H), 256>>>(gray, f, W, H, 4);
    gaussCols<<<g, b>>>(f, tmp, W, H, 4);
    bilateral<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(gray, tmp, W, H, 1.f / 18.f, 1.f / 800.f);
    median3x3<<<g, b>>>(gray, tmp, W, H);
    erode5x5<<<dim3((W + 63) / 64, (H + 3) / 4), dim3(64, 4)>>>(gray, tmp, W, H);
    resizeBilinear<<<dim3(1280 / 32, 720 / 8), b>>>(rgba, W, H, small, 1280, 720);
    integralRows<<<H, 256>>>(gray, integ, W);
    rgb3ToYCbCr<<<(N + 255) / 256, 256>>>(rgb3, N);
    CHK(cudaGetLastError());

    unsigned last;
    CHK(cudaMemcpy(&last, integ + W - 1, 4, cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(res, gray, N, cudaMemcpyDeviceToHost));
    unsigned want = 0;
    for (int x = 0; x < W; ++x) want += res[x];
    uchar4 mid;
    CHK(cudaMemcpy(&mid, small + 360 * 1280 + 640, 4, cudaMemcpyDeviceToHost));
    printf("row 0 integral %u (%u), thumbnail centre %d %d %d\n", last, want, mid.x, mid.y, mid.z);
    free(res); free(hostRGBA);
    cudaFree(rgba); cudaFree(small); cudaFree(gray); cudaFree(tmp); cudaFree(f); cudaFree(integ); cudaFree(rgb3);
    return last != want;
}
