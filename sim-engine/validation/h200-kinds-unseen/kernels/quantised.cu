// Small-weight inference: rows quantised to int8 and back, matrix times vector with dp4a, with packed int4, and in fp16.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void randomWeights(half *w, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned h = i * 2654435761u;
        h = (h ^ (h >> 16)) * 0x45d9f3bu;
        w[i] = __float2half(((h >> 16) - 32768.f) / 65536.f);
    }
}
// q = round(w * 127 / absmax), one block to a row, one scale to a row
__global__ void quantiseRows(int8_t *q, float *scales, const half *w, int cols) {
    __shared__ float tops[32];
    const half2 *src = (const half2 *)(w + (size_t)blockIdx.x * cols);
    char2 *dst = (char2 *)(q + (size_t)blockIdx.x * cols);
    float top = 0.f;
    for (int i = threadIdx.x; i < cols / 2; i += blockDim.x) {
        float2 f = __half22float2(src[i]);
        top = fmaxf(top, fmaxf(fabsf(f.x), fabsf(f.y)));
    }
    for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
    if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = top;
    __syncthreads();
    for (int k = 0; k < blockDim.x / 32; k++) top = fmaxf(top, tops[k]);
    float inv = top > 0.f ? 127.f / top : 0.f;
    for (int i = threadIdx.x; i < cols / 2; i += blockDim.x) {
        float2 f = __half22float2(src[i]);
        dst[i] = make_char2((signed char)__float2int_rn(f.x * inv), (signed char)__float2int_rn(f.y * inv));
    }
    if (threadIdx.x == 0) scales[blockIdx.x] = top / 127.f;
}
__global__ void dequantise(half *w, const int8_t *q, const float *scales, int rows, int cols) {
    int c = (blockIdx.x * blockDim.x + threadIdx.x) * 16, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols || r >= rows) return;
    int4 pack = *(const int4 *)(q + (size_t)r * cols + c);
    const int8_t *b = (const int8_t *)&pack;
    float s = scales[r];
    alignas(16) half out[16];
#pragma unroll
    for (int i = 0; i < 16; i++) out[i] = __float2half(b[i] * s);
    uint4 *to = (uint4 *)(w + (size_t)r * cols + c);
    to[0] = ((uint4 *)out)[0], to[1] = ((uint4 *)out)[1];
}
__device__ __forceinline__ float warpReduce(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}
// int8 weights by an int8 vector; WARPS rows to a block
template <int WARPS>
__global__ void __launch_bounds__(32 * WARPS) gemvInt8(float *y, const int4 *__restrict__ q, const float *__restrict__ scales,
                                                       const int4 *__restrict__ x, float xscale, int rows, int cols16) {
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int acc = 0;
    for (int i = lane; i < cols16; i += 32) {
        int4 a = q[(size_t)row * cols16 + i], b = x[i];
        acc = __dp4a(a.y, b.y, __dp4a(a.x, b.x, acc));
        acc = __dp4a(a.w, b.w, __dp4a(a.z, b.z, acc));
    }
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if (lane == 0) y[row] = acc * scales[row] * xscale;
}
// blocks of 32 weights: a half scale and sixteen bytes of nibbles, low halves first, offset by eight
struct BlockQ4 { half d; uint8_t qs[16]; };
__global__ void packInt4(BlockQ4 *out, const half *w, int blocks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    const half *src = w + (size_t)i * 32;
    float top = 0.f;
    for (int k = 0; k < 32; k++) top = fmaxf(top, fabsf(__half2float(src[k])));
    float inv = top > 0.f ? 7.f / top : 0.f;
    BlockQ4 b;
    b.d = __float2half(top / 7.f);
    for (int k = 0; k < 16; k++) {
        int lo = __float2int_rn(__half2float(src[k]) * inv) + 8, hi = __float2int_rn(__half2float(src[k + 16]) * inv) + 8;
        b.qs[k] = (uint8_t)(lo | hi << 4);
    }
    out[i] = b;
}
// two lanes share a block of 32 weights; a block of four warps makes one row
__global__ void gemvInt4(float *y, const BlockQ4 *w, const float *x, int blocksPerRow) {
    __shared__ float sums[4];
    const BlockQ4 *row = w + (size_t)blockIdx.x * blocksPerRow;
    int part = threadIdx.x % 2 * 8;
    float sum = 0.f;
    for (int b = threadIdx.x / 2; b < blocksPerRow; b += 64) {
        const float *xb = x + b * 32 + part;
        float s = 0.f;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            int v = row[b].qs[part + k];
            s += ((v & 15) - 8) * xb[k] + ((v >> 4) - 8) * xb[k + 16];
        }
        sum += s * __half2float(row[b].d);
    }
    sum = warpReduce(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}
__global__ void gemvHalf(float *y, const half *w, const half *x, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = threadIdx.x * 8; c < cols; c += 256) {
        float4 wa = *(const float4 *)(w + (size_t)row * cols + c), xa = *(const float4 *)(x + c);
        const half2 *wh = (const half2 *)&wa, *xh = (const half2 *)&xa;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 a = __half22float2(wh[k]), b = __half22float2(xh[k]);
            sum = fmaf(a.x, b.x, fmaf(a.y, b.y, sum));
        }
    }
    sum = warpReduce(sum);
    if (threadIdx.x == 0) y[row] = sum;
}

int main() {
    const int ROWS = 14336, COLS = 4096, n = ROWS * COLS;
    half *w;
    int8_t *q;
    BlockQ4 *q4;
    float *scales, *y, *x;
    cudaMalloc(&w, n * sizeof(half)), cudaMalloc(&q, n), cudaMalloc(&q4, n / 32 * sizeof(BlockQ4));
    for (float **p : {&scales, &y, &x}) cudaMalloc(p, ROWS * 4);
    cudaMemset(x, 0x3c, COLS * 4);
    randomWeights<<<1056, 256>>>(w, n);
    quantiseRows<<<ROWS, 256>>>(q, scales, w, COLS);
    packInt4<<<n / 32 / 128, 128>>>(q4, w, n / 32);
    gemvHalf<<<ROWS / 4, dim3(32, 4)>>>(y, w, w, ROWS, COLS);
    gemvInt8<8><<<ROWS / 8, 256>>>(y, (const int4 *)q, scales, (const int4 *)q, 0.01f, ROWS, COLS / 16);
    gemvInt4<<<ROWS, 128>>>(y, q4, x, COLS / 32);
    dequantise<<<dim3(COLS / 16 / 64, ROWS / 4), dim3(64, 4)>>>(w, q, scales, ROWS, COLS);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
