/* Image processing samples: separable convolution, Sobel, histogram, box filter, bilateral, DCT 8x8 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

typedef unsigned char uchar;
typedef unsigned int uint;

#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
template <typename T>
void check(T result, char const *const func, const char *const file, int const line) {
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\" \n", file, line, (int)result, func);
        exit(EXIT_FAILURE);
    }
}
static inline int iDivUp(int a, int b) { return (a % b != 0) ? (a / b + 1) : (a / b); }

// ------------------------------------------------------------ separable convolution
#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
__constant__ float c_Kernel[KERNEL_LENGTH];

#define ROWS_BX 16
#define ROWS_BY 4
#define ROWS_STEPS 8
#define ROWS_HALO 1
__global__ void convolutionRowsKernel(float *d_Dst, const float *d_Src, int imageW, int imageH, int pitch) {
    __shared__ float s_Data[ROWS_BY][(ROWS_STEPS + 2 * ROWS_HALO) * ROWS_BX];
    const int baseX = (blockIdx.x * ROWS_STEPS - ROWS_HALO) * ROWS_BX + threadIdx.x;
    const int baseY = blockIdx.y * ROWS_BY + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;
#pragma unroll
    for (int i = ROWS_HALO; i < ROWS_HALO + ROWS_STEPS; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BX] = d_Src[i * ROWS_BX];
#pragma unroll
    for (int i = 0; i < ROWS_HALO; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BX] = (baseX >= -i * ROWS_BX) ? d_Src[i * ROWS_BX] : 0;
#pragma unroll
    for (int i = ROWS_HALO + ROWS_STEPS; i < ROWS_HALO + ROWS_STEPS + ROWS_HALO; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BX] = (imageW - baseX > i * ROWS_BX) ? d_Src[i * ROWS_BX] : 0;
    __syncthreads();
#pragma unroll
    for (int i = ROWS_HALO; i < ROWS_HALO + ROWS_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.y][threadIdx.x + i * ROWS_BX + j];
        d_Dst[i * ROWS_BX] = sum;
    }
}

// simple column version: reads straight from global / L1
__global__ void convolutionColumnsSimple(float *dst, const float *src, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0.f;
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
        int yy = y + j;
        if (yy >= 0 && yy < h) sum += c_Kernel[KERNEL_RADIUS - j] * src[yy * w + x];
    }
    dst[y * w + x] = sum;
}

// ------------------------------------------------------------ sobel with tile + apron
#define SB 16
__global__ void sobelShared(uchar *out, const uchar *in, int w, int h, float scale) {
    __shared__ uchar tile[SB + 2][SB + 2];
    int x0 = blockIdx.x * SB - 1, y0 = blockIdx.y * SB - 1;
    for (int i = threadIdx.y * SB + threadIdx.x; i < (SB + 2) * (SB + 2); i += SB * SB) {
        int ty = i / (SB + 2), tx = i % (SB + 2);
        int gx = min(max(x0 + tx, 0), w - 1), gy = min(max(y0 + ty, 0), h - 1);
        tile[ty][tx] = in[gy * w + gx];
    }
    __syncthreads();
    int x = blockIdx.x * SB + threadIdx.x, y = blockIdx.y * SB + threadIdx.y;
    if (x < w && y < h) {
        int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
        int ul = tile[ty - 1][tx - 1], um = tile[ty - 1][tx], ur = tile[ty - 1][tx + 1];
        int ml = tile[ty][tx - 1], mr = tile[ty][tx + 1];
        int ll = tile[ty + 1][tx - 1], lm = tile[ty + 1][tx], lr = tile[ty + 1][tx + 1];
        int horz = ur + 2 * mr + lr - ul - 2 * ml - ll;
        int vert = ul + 2 * um + ur - ll - 2 * lm - lr;
        int s = (int)(scale * (abs(horz) + abs(vert)));
        out[y * w + x] = (uchar)min(s, 255);
    }
}

// ------------------------------------------------------------ histogram 256, sub-histogram per warp
#define WARP_COUNT 6
#define HIST_BINS 256
__global__ void histogram256Kernel(uint *d_PartialHistograms, const uint *d_Data, uint dataCount) {
    __shared__ uint s_Hist[WARP_COUNT * HIST_BINS];
    uint *s_WarpHist = s_Hist + (threadIdx.x >> 5) * HIST_BINS;
    for (uint i = threadIdx.x; i < WARP_COUNT * HIST_BINS; i += blockDim.x) s_Hist[i] = 0;
    __syncthreads();
    for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount; pos += blockDim.x * gridDim.x) {
        uint data = d_Data[pos];
        atomicAdd(s_WarpHist + ((data >> 0) & 0xFFU), 1);
        atomicAdd(s_WarpHist + ((data >> 8) & 0xFFU), 1);
        atomicAdd(s_WarpHist + ((data >> 16) & 0xFFU), 1);
        atomicAdd(s_WarpHist + ((data >> 24) & 0xFFU), 1);
    }
    __syncthreads();
    for (uint bin = threadIdx.x; bin < HIST_BINS; bin += blockDim.x) {
        uint sum = 0;
        for (uint i = 0; i < WARP_COUNT; i++) sum += s_Hist[bin + i * HIST_BINS];
        d_PartialHistograms[blockIdx.x * HIST_BINS + bin] = sum;
    }
}
__global__ void mergeHistogram256Kernel(uint *d_Histogram, const uint *d_Partial, uint histogramCount) {
    __shared__ uint data[256];
    uint sum = 0;
    for (uint i = threadIdx.x; i < histogramCount; i += 256) sum += d_Partial[blockIdx.x + i * HIST_BINS];
    data[threadIdx.x] = sum;
    for (uint stride = 128; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) d_Histogram[blockIdx.x] = data[0];
}

// ------------------------------------------------------------ box filter: thread slides down a column segment
__global__ void boxFilterSlideY(float *od, const float *id, int w, int h, int r, int seg) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    int y0 = blockIdx.y * seg;
    int y1 = min(h, y0 + seg);
    float scale = 1.0f / (float)((r << 1) + 1);
    float t = 0.f;
    for (int y = y0 - r; y <= y0 + r; y++) t += id[min(max(y, 0), h - 1) * w + x];
    od[y0 * w + x] = t * scale;
    for (int y = y0 + 1; y < y1; y++) {
        t += id[min(y + r, h - 1) * w + x];
        t -= id[max(y - r - 1, 0) * w + x];
        od[y * w + x] = t * scale;
    }
}

// ------------------------------------------------------------ bilateral filter on rgba floats
__constant__ float cGaussian[64];
__device__ float euclideanLen(float4 a, float4 b, float d) {
    float mod = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
    return __expf(-mod / (2.f * d * d));
}
__device__ float4 rgbaIntToFloat(uint c) {
    return make_float4((c & 0xff) / 255.0f, ((c >> 8) & 0xff) / 255.0f, ((c >> 16) & 0xff) / 255.0f, ((c >> 24) & 0xff) / 255.0f);
}
__device__ uint rgbaFloatToInt(float4 v) {
    return (uint(__saturatef(v.w) * 255.0f) << 24) | (uint(__saturatef(v.z) * 255.0f) << 16) |
           (uint(__saturatef(v.y) * 255.0f) << 8) | uint(__saturatef(v.x) * 255.0f);
}
__global__ void d_bilateral_filter(uint *od, const uint *id, int w, int h, float e_d, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0.0f;
    float4 t = {0.f, 0.f, 0.f, 0.f};
    float4 center = rgbaIntToFloat(id[y * w + x]);
    for (int i = -r; i <= r; i++) {
        for (int j = -r; j <= r; j++) {
            int xx = min(max(x + j, 0), w - 1), yy = min(max(y + i, 0), h - 1);
            float4 curPix = rgbaIntToFloat(id[yy * w + xx]);
            float factor = cGaussian[i + r] * cGaussian[j + r] * euclideanLen(curPix, center, e_d);
            t.x += factor * curPix.x;
            t.y += factor * curPix.y;
            t.z += factor * curPix.z;
            t.w += factor * curPix.w;
            sum += factor;
        }
    }
    t.x /= sum; t.y /= sum; t.z /= sum; t.w /= sum;
    od[y * w + x] = rgbaFloatToInt(t);
}

// ------------------------------------------------------------ DCT 8x8, 4 blocks of 8x8 per CTA in x
__constant__ float c_dct[64];
__global__ void dct8x8Kernel(float *dst, const float *src, int stride) {
    __shared__ float blk[8][33];
    __shared__ float tmp[8][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    int off = tx & ~7, k = tx & 7;
    size_t g = (size_t)(blockIdx.y * 8 + ty) * stride + blockIdx.x * 32 + tx;
    blk[ty][tx] = src[g] - 128.0f;
    __syncthreads();
    float a = 0.f;
#pragma unroll
    for (int i = 0; i < 8; i++) a += c_dct[ty * 8 + i] * blk[i][tx];
    tmp[ty][tx] = a;
    __syncthreads();
    a = 0.f;
#pragma unroll
    for (int i = 0; i < 8; i++) a += tmp[ty][off + i] * c_dct[k * 8 + i];
    dst[g] = a;
}

int main(void) {
    const int W = 3072, H = 2048;
    const size_t n = (size_t)W * H;
    float *hF = (float *)malloc(n * sizeof(float));
    uchar *hB = (uchar *)malloc(n);
    uint *hC = (uint *)malloc(n / 4 * sizeof(uint));
    srand(2009);
    for (size_t i = 0; i < n; i++) {
        int x = i % W, y = i / W;
        hB[i] = (uchar)((int)(128 + 100 * sinf(x * 0.01f) * cosf(y * 0.013f)) + (rand() & 15));
        hF[i] = hB[i];
    }
    const int BW = 1536, BH = 1024;  // bilateral works on a smaller image
    for (size_t i = 0; i < (size_t)BW * BH; i++) hC[i] = hB[i] | (hB[i * 2] << 8) | (hB[i * 3] << 16) | 0xff000000u;

    float hk[KERNEL_LENGTH], hg[64], hd[64], ks = 0;
    for (int i = 0; i < KERNEL_LENGTH; i++) { hk[i] = expf(-(i - 8) * (i - 8) / 18.0f); ks += hk[i]; }
    for (int i = 0; i < KERNEL_LENGTH; i++) hk[i] /= ks;
    const int R = 5;
    for (int i = 0; i < 64; i++) hg[i] = expf(-((i - R) * (i - R)) / (2.0f * 4 * 4));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) hd[i * 8 + j] = (i == 0 ? sqrtf(0.125f) : 0.5f) * cosf((2 * j + 1) * i * 3.14159265f / 16);
    checkCudaErrors(cudaMemcpyToSymbol(c_Kernel, hk, sizeof(hk)));
    checkCudaErrors(cudaMemcpyToSymbol(cGaussian, hg, sizeof(hg)));
    checkCudaErrors(cudaMemcpyToSymbol(c_dct, hd, sizeof(hd)));

    float *f0, *f1, *f2;
    uchar *b0, *b1;
    uint *c0, *c1, *partial, *hist;
    const int PARTIALS = 480;
    checkCudaErrors(cudaMalloc((void **)&f0, n * sizeof(float)));
    checkCudaErrors(cudaMalloc((void **)&f1, n * sizeof(float)));
    checkCudaErrors(cudaMalloc((void **)&f2, n * sizeof(float)));
    checkCudaErrors(cudaMalloc((void **)&b0, n));
    checkCudaErrors(cudaMalloc((void **)&b1, n));
    checkCudaErrors(cudaMalloc((void **)&c0, BW * BH * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&c1, BW * BH * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&partial, PARTIALS * 256 * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&hist, 256 * sizeof(uint)));
    checkCudaErrors(cudaMemcpy(f0, hF, n * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(b0, hB, n, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(c0, hC, BW * BH * sizeof(uint), cudaMemcpyHostToDevice));

    convolutionRowsKernel<<<dim3(W / (ROWS_STEPS * ROWS_BX), H / ROWS_BY), dim3(ROWS_BX, ROWS_BY)>>>(f1, f0, W, H, W);
    convolutionColumnsSimple<<<dim3(iDivUp(W, 32), iDivUp(H, 8)), dim3(32, 8)>>>(f2, f1, W, H);
    sobelShared<<<dim3(iDivUp(W, SB), iDivUp(H, SB)), dim3(SB, SB)>>>(b1, b0, W, H, 0.5f);
    histogram256Kernel<<<PARTIALS / 2, WARP_COUNT * 32>>>(partial, (const uint *)b1, (uint)(n / 4));
    mergeHistogram256Kernel<<<HIST_BINS, 256>>>(hist, partial, PARTIALS / 2);
    boxFilterSlideY<<<dim3(iDivUp(W, 64), 16), 64>>>(f1, f2, W, H, 10, H / 16);
    d_bilateral_filter<<<dim3(iDivUp(BW, 16), iDivUp(BH, 16)), dim3(16, 16)>>>(c1, c0, BW, BH, 0.1f, R);
    dct8x8Kernel<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(f2, f0, W);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaDeviceSynchronize());

    uint hh[256];
    double s = 0;
    checkCudaErrors(cudaMemcpy(hh, hist, sizeof(hh), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) s += (double)hh[i] * i;
    checkCudaErrors(cudaMemcpy(hF, f1, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) s += hF[i];
    checkCudaErrors(cudaMemcpy(hF, f2, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) s += fabsf(hF[i]);
    checkCudaErrors(cudaMemcpy(hC, c1, BW * BH * sizeof(uint), cudaMemcpyDeviceToHost));
    for (int i = 0; i < BW * BH; i++) s += hC[i] & 0xff;
    printf("checksum %.3f\n", s);
    free(hF); free(hB); free(hC);
    return 0;
}
