// What neural networks are made of.
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__global__ void gelu(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float t = tanhf(0.7978845608f * (v + 0.044715f * v * v * v));
        y[i] = 0.5f * v * (1.0f + t);
    }
}

__global__ void layerNormBlock(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta, float *__restrict__ y, int cols) {
    __shared__ float sums[32];
    __shared__ float squares[32];
    const float *row = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f, square = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = row[c];
        sum += v;
        square += v * v;
    }
    for (int o = 16; o > 0; o >>= 1) {
        sum += __shfl_down_sync(0xffffffff, sum, o);
        square += __shfl_down_sync(0xffffffff, square, o);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
        squares[threadIdx.x / 32] = square;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0.0f;
        square = threadIdx.x < blockDim.x / 32 ? squares[threadIdx.x] : 0.0f;
        for (int o = 16; o > 0; o >>= 1) {
            sum += __shfl_down_sync(0xffffffff, sum, o);
            square += __shfl_down_sync(0xffffffff, square, o);
        }
        if (threadIdx.x == 0) {
            sums[0] = sum / cols;
            squares[0] = rsqrtf(square / cols - sums[0] * sums[0] + 1e-5f);
        }
    }
    __syncthreads();
    float mean = sums[0], rstd = squares[0];
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = (row[c] - mean) * rstd * gamma[c] + beta[c];
}

__global__ void softmaxBlock(float *data, int cols) {
    extern __shared__ float cache[];
    float *row = data + blockIdx.x * cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
    cache[threadIdx.x] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) cache[threadIdx.x] = fmaxf(cache[threadIdx.x], cache[threadIdx.x + s]);
        __syncthreads();
    }
    m = cache[0];
    __syncthreads();
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float e = __expf(row[c] - m);
        row[c] = e;
        sum += e;
    }
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    float inv = 1.0f / cache[0];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] *= inv;
}

__global__ void rope(float *q, int heads, int dim, int seq) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int half = dim / 2;
    int total = seq * heads * half;
    if (i >= total) return;
    int pair = i % half, head = (i / half) % heads, pos = i / (half * heads);
    float freq = powf(10000.0f, -2.0f * pair / dim);
    float s, c;
    sincosf(pos * freq, &s, &c);
    float *p = q + ((size_t)pos * heads + head) * dim + pair;
    float a = p[0], b = p[half];
    p[0] = a * c - b * s;
    p[half] = a * s + b * c;
}

__global__ void embedding(const int *tokens, const float4 *table, float4 *out, int dim4) {
    int token = tokens[blockIdx.x];
    for (int d = threadIdx.x; d < dim4; d += blockDim.x) out[blockIdx.x * dim4 + d] = table[(size_t)token * dim4 + d];
}

__global__ void halfAxpy(const __half2 *x, __half2 *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

__global__ void quantize(const float *x, signed char *q, float scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = roundf(x[i] / scale);
        v = fminf(fmaxf(v, -127.0f), 127.0f);
        q[i] = (signed char)v;
    }
}

__global__ void dotInt8(const int *a, const int *b, int *out, int words) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int acc = 0;
    for (int k = threadIdx.x; k < words; k += 32) acc = __dp4a(a[row * words + k], b[k], acc);
    for (int o = 16; o > 0; o /= 2) acc += __shfl_xor_sync(0xffffffff, acc, o);
    if (threadIdx.x == 0) out[row] = acc;
}

__global__ void attentionScores(const float *__restrict__ q, const float *__restrict__ k, float *__restrict__ s, int n, float scale) {
    const int D = 64;
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float acc = 0.0f;
#pragma unroll
    for (int d = 0; d < D; d += 4) {
        float4 a = *reinterpret_cast<const float4 *>(q + row * D + d);
        float4 b = *reinterpret_cast<const float4 *>(k + col * D + d);
        acc += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    s[row * n + col] = acc * scale;
}

int main() {
    const int n = 1 << 20;
    float *a, *b, *c;
    cudaMalloc(&a, n * sizeof(float4));
    cudaMalloc(&b, n * sizeof(float4));
    cudaMalloc(&c, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float4));
    cudaMemset(b, 0, n * sizeof(float4));
    cudaMemset(c, 0, n * sizeof(float));
    gelu<<<n / 256, 256>>>(a, b, n);
    layerNormBlock<<<1024, 256>>>(a, b, c, a, 1024);
    softmaxBlock<<<1024, 128, 128 * sizeof(float)>>>(a, 1000);
    rope<<<(512 * 8 * 32 + 127) / 128, 128>>>(a, 8, 64, 512);
    embedding<<<1024, 128>>>((int *)c, (float4 *)a, (float4 *)b, 256);
    halfAxpy<<<n / 256, 256>>>((__half2 *)a, (__half2 *)b, 2.0f, n);
    quantize<<<n / 256, 256>>>(a, (signed char *)b, 0.1f, n);
    dotInt8<<<1024, dim3(32, 4)>>>((int *)a, (int *)b, (int *)c, 256);
    attentionScores<<<dim3(512 / 16, 512 / 16), dim3(16, 16)>>>(a, b, c, 512, 0.125f);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
