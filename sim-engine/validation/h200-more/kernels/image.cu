// Pictures: bytes, neighbourhoods, tiles with halos, look-up tables.
#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned char uchar;

__global__ void gray(const uchar4 *in, uchar *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar4 p = in[y * width + x];
        out[y * width + x] = (uchar)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
    }
}

__global__ void grayPlanar(const uchar *rgb, uchar *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    out[i] = (77 * r + 150 * g + 29 * b) >> 8;
}

__global__ void sobel(const uchar *in, uchar *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int gx = -in[(y - 1) * width + x - 1] + in[(y - 1) * width + x + 1] - 2 * in[y * width + x - 1] + 2 * in[y * width + x + 1] -
             in[(y + 1) * width + x - 1] + in[(y + 1) * width + x + 1];
    int gy = -in[(y - 1) * width + x - 1] - 2 * in[(y - 1) * width + x] - in[(y - 1) * width + x + 1] + in[(y + 1) * width + x - 1] +
             2 * in[(y + 1) * width + x] + in[(y + 1) * width + x + 1];
    int m = abs(gx) + abs(gy);
    out[y * width + x] = m > 255 ? 255 : m;
}

#define RADIUS 3
#define TX 32
#define TY 8
__constant__ float weights[2 * RADIUS + 1];

__global__ void blurRows(const float *in, float *out, int width, int height) {
    __shared__ float tile[TY][TX + 2 * RADIUS];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    for (int t = threadIdx.x; t < TX + 2 * RADIUS; t += TX) {
        int gx = min(max((int)(blockIdx.x * TX) + t - RADIUS, 0), width - 1);
        tile[threadIdx.y][t] = in[y * width + gx];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += weights[k + RADIUS] * tile[threadIdx.y][threadIdx.x + RADIUS + k];
    out[y * width + x] = sum;
}

__global__ void boxFilter(const float *in, float *out, int width, int height, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    int count = 0;
    for (int dy = -r; dy <= r; ++dy)
        for (int dx = -r; dx <= r; ++dx) {
            int u = x + dx, v = y + dy;
            if (u >= 0 && u < width && v >= 0 && v < height) {
                sum += in[v * width + u];
                ++count;
            }
        }
    out[y * width + x] = sum / count;
}

__global__ void life(const uchar *in, uchar *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int left = (x + width - 1) % width, right = (x + 1) % width, up = (y + height - 1) % height, down = (y + 1) % height;
    int n = in[up * width + left] + in[up * width + x] + in[up * width + right] + in[y * width + left] + in[y * width + right] +
            in[down * width + left] + in[down * width + x] + in[down * width + right];
    out[y * width + x] = n == 3 || (n == 2 && in[y * width + x]);
}

__global__ void equalize(const uchar *in, uchar *out, const uchar *lut, int n) {
    __shared__ uchar table[256];
    if (threadIdx.x < 256) table[threadIdx.x] = lut[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = table[in[i]];
}

__global__ void rotateBilinear(const float *in, float *out, int width, int height, float c, float s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = c * (x - width * 0.5f) - s * (y - height * 0.5f) + width * 0.5f;
    float v = s * (x - width * 0.5f) + c * (y - height * 0.5f) + height * 0.5f;
    int x0 = (int)floorf(u), y0 = (int)floorf(v);
    float fx = u - x0, fy = v - y0;
    float value = 0.0f;
    if (x0 >= 0 && y0 >= 0 && x0 + 1 < width && y0 + 1 < height) {
        const float *p = in + y0 * width + x0;
        value = (1 - fy) * ((1 - fx) * p[0] + fx * p[1]) + fy * ((1 - fx) * p[width] + fx * p[width + 1]);
    }
    out[y * width + x] = value;
}

int main() {
    const int w = 2048, h = 1024;
    uchar *a, *b;
    float *f, *g;
    cudaMalloc(&a, w * h * 4);
    cudaMalloc(&b, w * h * 4);
    cudaMalloc(&f, w * h * sizeof(float));
    cudaMalloc(&g, w * h * sizeof(float));
    cudaMemset(a, 1, w * h * 4);
    cudaMemset(f, 0, w * h * sizeof(float));
    dim3 block(32, 8), grid(w / 32, h / 8);
    gray<<<grid, block>>>((uchar4 *)a, b, w, h);
    grayPlanar<<<w * h / 256, 256>>>(a, b, w * h);
    sobel<<<grid, block>>>(a, b, w, h);
    blurRows<<<grid, block>>>(f, g, w, h);
    boxFilter<<<grid, block>>>(f, g, w, h, 3);
    life<<<grid, block>>>(a, b, w, h);
    equalize<<<264, 256>>>(a, b, a, w * h);
    rotateBilinear<<<grid, block>>>(f, g, w, h, 0.8f, 0.6f);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
