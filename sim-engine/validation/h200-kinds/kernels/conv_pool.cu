// Layers of a small image network, NCHW floats: direct 3x3 convolution, im2col, pooling, batch statistics, depthwise, upsampling.
#include <cuda_runtime.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int n, c, h, w; } Shape;
static size_t count(Shape s) { return (size_t)s.n * s.c * s.h * s.w; }

__constant__ float depthwise_weights[256 * 9];

__global__ void fill_image(float* x, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) x[i] = __sinf(0.001f * (i & 0xffff)) + 0.25f * ((i * 7919) % 31) / 31.0f;
}
// a 16x8 patch of one output plane to a block, KO output channels to a thread, input plane by plane in shared memory
template <int KO>
__global__ void conv3x3_direct(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight,
                               const float* __restrict__ bias, Shape s, int K) {
    __shared__ float tile[10][18];
    __shared__ float w[KO][9];
    const int tiles_x = (s.w + 15) / 16;
    const int x0 = blockIdx.x % tiles_x * 16, y0 = blockIdx.x / tiles_x * 8;
    const int k0 = blockIdx.y * KO, n = blockIdx.z, tid = threadIdx.y * 16 + threadIdx.x;
    float acc[KO];
    for (int k = 0; k < KO; k++) acc[k] = bias[k0 + k];
    for (int c = 0; c < s.c; c++) {
        const float* plane = in + ((size_t)n * s.c + c) * s.h * s.w;
        for (int i = tid; i < 180; i += 128) {
            int y = y0 + i / 18 - 1, x = x0 + i % 18 - 1;
            tile[i / 18][i % 18] = (y >= 0 && y < s.h && x >= 0 && x < s.w) ? plane[y * s.w + x] : 0.0f;
        }
        if (tid < KO * 9) w[tid / 9][tid % 9] = weight[((size_t)(k0 + tid / 9) * s.c + c) * 9 + tid % 9];
        __syncthreads();
#pragma unroll
        for (int t = 0; t < 9; t++) {
            float v = tile[threadIdx.y + t / 3][threadIdx.x + t % 3];
#pragma unroll
            for (int k = 0; k < KO; k++) acc[k] += v * w[k][t];
        }
        __syncthreads();
    }
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < s.w && y < s.h)
        for (int k = 0; k < KO; k++) out[(((size_t)n * K + k0 + k) * s.h + y) * s.w + x] = fmaxf(acc[k], 0.0f);
}
// columns (n, c*9, h*w): a thread fills the nine taps of its pixel
__global__ void im2col_3x3(float* col, const float* in, Shape s) {
    const int hw = s.h * s.w;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < s.n * s.c * hw; i += gridDim.x * blockDim.x) {
        int p = i % hw, y = p / s.w, x = p % s.w, nc = i / hw;
        const float* plane = in + (size_t)nc * hw;
        float* to = col + (size_t)nc * 9 * hw + p;
        for (int ky = -1; ky <= 1; ky++)
            for (int kx = -1; kx <= 1; kx++, to += hw) {
                bool inside = y + ky >= 0 && y + ky < s.h && x + kx >= 0 && x + kx < s.w;
                *to = inside ? plane[(y + ky) * s.w + x + kx] : 0.0f;
            }
    }
}
// window 3, stride 2, padding 1; the place of the maximum is kept for the way back
__global__ void max_pool_3s2(float* out, int* where, const float* in, Shape s, int oh, int ow) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    const float* plane = in + (size_t)blockIdx.z * s.h * s.w;
    float best = -FLT_MAX;
    int at = -1;
    for (int iy = max(2 * y - 1, 0); iy <= min(2 * y + 1, s.h - 1); iy++)
        for (int ix = max(2 * x - 1, 0); ix <= min(2 * x + 1, s.w - 1); ix++) {
            float v = plane[iy * s.w + ix];
            if (v > best || at < 0) { best = v; at = iy * s.w + ix; }
        }
    size_t o = ((size_t)blockIdx.z * oh + y) * ow + x;
    out[o] = best;
    where[o] = at;
}
// mean and variance of a channel over batch and pixels; one block each, also moves the running averages
__global__ void __launch_bounds__(512) batch_norm_stats(float2* stats, float2* running, const float* in, Shape s, float momentum) {
    __shared__ float2 part[16];
    const int c = blockIdx.x, hw4 = s.h * s.w / 4;
    float2 a = make_float2(0.0f, 0.0f);
    for (int n = 0; n < s.n; n++) {
        const float4* plane = (const float4*)(in + ((size_t)n * s.c + c) * s.h * s.w);
        for (int i = threadIdx.x; i < hw4; i += blockDim.x) {
            float4 v = plane[i];
            a.x += (v.x + v.y) + (v.z + v.w);
            a.y += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
        }
    }
    for (int o = 16; o; o >>= 1) a.x += __shfl_down_sync(~0u, a.x, o), a.y += __shfl_down_sync(~0u, a.y, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = a;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < blockDim.x >> 5; i++) { a.x += part[i].x; a.y += part[i].y; }
        float count = 4.0f * s.n * hw4, mean = a.x / count, var = a.y / count - mean * mean;
        stats[c] = make_float2(mean, rsqrtf(var + 1e-5f));
        running[c].x += momentum * (mean - running[c].x);
        running[c].y += momentum * (var * count / (count - 1.0f) - running[c].y);
    }
}
__global__ void depthwise3x3(float* out, const float* in, Shape s) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, nc = blockIdx.z;
    if (x >= s.w || y >= s.h) return;
    const float *plane = in + (size_t)nc * s.h * s.w, *k = depthwise_weights + nc % s.c * 9;
    float sum = 0.0f;
#pragma unroll
    for (int t = 0; t < 9; t++) {
        int iy = y + t / 3 - 1, ix = x + t % 3 - 1;
        if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w) sum = fmaf(k[t], __ldg(plane + iy * s.w + ix), sum);
    }
    out[((size_t)nc * s.h + y) * s.w + x] = sum;
}
__global__ void upsample_nearest2x(float* out, const float* in, int planes, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * h * w * 4) return;
    int x = i % (2 * w), y = i / (2 * w) % (2 * h), p = i / (4 * w * h);
    out[i] = in[((size_t)p * h + y / 2) * w + x / 2];
}

int main() {
    const Shape big = {16, 64, 112, 112}, mid = {16, 64, 56, 56};
    float *x, *y, *col, *weight, *bias, hw[256 * 9];
    float2 *stats, *running;
    int* where;
    cudaMalloc(&x, count(big) * 4), cudaMalloc(&y, count(big) * 4), cudaMalloc(&col, count(mid) * 9 * 4), cudaMalloc(&where, count(mid) * 4);
    cudaMalloc(&weight, 64 * 64 * 9 * 4), cudaMalloc(&bias, 64 * 4), cudaMalloc(&stats, 64 * 8), cudaMalloc(&running, 64 * 8);
    for (int i = 0; i < 256 * 9; i++) hw[i] = rand() % 200 / 1000.0f - 0.1f;
    cudaMemcpyToSymbol(depthwise_weights, hw, sizeof(hw));
    cudaMemset(bias, 0, 64 * 4), cudaMemset(running, 0, 64 * 8), cudaMemset(weight, 0x3c, 64 * 64 * 9 * 4);
    fill_image<<<(unsigned)((count(big) + 255) / 256), 256>>>(x, count(big));
    batch_norm_stats<<<64, 512>>>(stats, running, x, big, 0.1f);
    max_pool_3s2<<<dim3(2, 14, 16 * 64), dim3(32, 4)>>>(y, where, x, big, 56, 56);
    im2col_3x3<<<1024, 192>>>(col, y, mid);
    conv3x3_direct<8><<<dim3(4 * 7, 64 / 8, 16), dim3(16, 8)>>>(x, y, weight, bias, mid, 64);
    depthwise3x3<<<dim3(2, 7, 16 * 64), dim3(32, 8)>>>(y, x, mid);
    upsample_nearest2x<<<(16 * 64 * 112 * 112 + 319) / 320, 320>>>(x, y, 16 * 64, 56, 56);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
