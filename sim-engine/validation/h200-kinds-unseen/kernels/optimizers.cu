// Optimiser steps over a flat buffer of parameters about as long as GPT-2's: momentum, AdamW, norm and clipping, averages.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct AdamArgs {
    float lr, beta1, beta2, eps, decay, correction1, correction2;
};

__global__ void init_params(float* params, float* grads, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint32_t h = (uint32_t)(i * 0x85ebca6bu);
        h ^= h >> 16;
        params[i] = ((int)(h & 0x3ff) - 512) * 4e-5f;
        grads[i] = ((int)(h >> 22) - 512) * 1e-5f;
    }
}

__global__ void sgd_momentum(float4* __restrict__ p, float4* __restrict__ buf, const float4* __restrict__ g, int n4, float lr, float mu, float wd) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 w = p[i], b = buf[i], d = g[i];
        b.x = mu * b.x + d.x + wd * w.x;
        b.y = mu * b.y + d.y + wd * w.y;
        b.z = mu * b.z + d.z + wd * w.z;
        b.w = mu * b.w + d.w + wd * w.w;
        w.x -= lr * b.x;
        w.y -= lr * b.y;
        w.z -= lr * b.z;
        w.w -= lr * b.w;
        buf[i] = b;
        p[i] = w;
    }
}

__device__ float lerp(float a, float b, float t) { return fmaf(t, b, fmaf(-t, a, a)); }

__device__ __forceinline__ float adam_step(float w, float grad, float& m, float& v, const AdamArgs& o) {
    m = lerp(grad, m, o.beta1);
    v = lerp(grad * grad, v, o.beta2);
    float mhat = m / o.correction1, vhat = v / o.correction2;
    return w - o.lr * (mhat / (sqrtf(vhat) + o.eps) + o.decay * w);
}

__global__ void adamw_fp32(float* params, const float* grads, float* m, float* v, long n, AdamArgs o) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float mi = m[i], vi = v[i];
    params[i] = adam_step(params[i], grads[i], mi, vi, o);
    m[i] = mi;
    v[i] = vi;
}

__device__ __forceinline__ __nv_bfloat16 round_at_random(float x, uint32_t index, uint32_t seed) {
    uint32_t h = index * 0xcc9e2d51u + seed;
    h = (h ^ (h >> 15)) * 0x1b873593u;
    uint32_t bits = __float_as_uint(x) + (h >> 16);
    return __ushort_as_bfloat16((unsigned short)(bits >> 16));
}

// two parameters to a thread: bf16 weights and gradients, fp32 master copy and moments
__global__ void __launch_bounds__(512) adamw_bf16_master(__nv_bfloat162* params, float2* master, const __nv_bfloat162* grads,
                                                         float2* m, float2* v, unsigned n2, AdamArgs o, uint32_t seed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n2) return;
    float2 w = master[i], g = __bfloat1622float2(grads[i]), mi = m[i], vi = v[i];
    w.x = adam_step(w.x, g.x, mi.x, vi.x, o);
    w.y = adam_step(w.y, g.y, mi.y, vi.y, o);
    master[i] = w;
    m[i] = mi;
    v[i] = vi;
    params[i] = __halves2bfloat162(round_at_random(w.x, 2 * i, seed), round_at_random(w.y, 2 * i + 1, seed));
}

__global__ void grad_norm_partial(float* partial, const float4* g, int n4) {
    __shared__ float warp_sums[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    if (i < n4) {
        float4 x = g[i];
        s = x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) s += warp_sums[w];
        partial[blockIdx.x] = s;
    }
}

__global__ void grad_norm_final(float* norm, const float* partial, int count) {
    __shared__ double sums[1024];
    double s = 0.0;
    for (int i = threadIdx.x; i < count; i += 1024) s += partial[i];
    sums[threadIdx.x] = s;
    for (int half = 512; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *norm = (float)sqrt(sums[0]);
}

__global__ void clip_grads(float* g, const float* norm, float max_norm, int n) {
    float coef = max_norm / (*norm + 1e-6f);
    if (coef >= 1.0f) return;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) g[i] *= coef;
}

__global__ void ema_weights(float* ema, const float* w, int n, float keep) {
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
        if (i < n) ema[i] = keep * ema[i] + (1.0f - keep) * w[i];
    }
}

int main() {
    const int n = 124475904, n4 = n / 4, parts = (n4 + 255) / 256;
    float *p, *g, *m, *v, *ema, *partial, *norm;
    __nv_bfloat162 *p16, *g16;
    for (float** x : {&p, &g, &m, &v, &ema}) cudaMalloc(x, n * sizeof(float));
    cudaMalloc(&p16, n * 2ull), cudaMalloc(&g16, n * 2ull), cudaMalloc(&partial, parts * 4), cudaMalloc(&norm, 4);
    cudaMemset(m, 0, n * 4ull), cudaMemset(v, 0, n * 4ull), cudaMemset(ema, 0, n * 4ull), cudaMemset(g16, 0x31, n * 2ull);
    AdamArgs args = {3e-4f, 0.9f, 0.95f, 1e-8f, 0.1f, 1.0f - 0.9f, 1.0f - 0.95f};
    init_params<<<1056, 512>>>(p, g, n);
    grad_norm_partial<<<parts, 256>>>(partial, (const float4*)g, n4);
    grad_norm_final<<<1, 1024>>>(norm, partial, parts);
    clip_grads<<<1056, 256>>>(g, norm, 1.0f, n);
    adamw_fp32<<<(n + 511) / 512, 512>>>(p, g, m, v, n, args);
    adamw_bf16_master<<<(n / 2 + 511) / 512, 512>>>(p16, (float2*)p, g16, (float2*)m, (float2*)v, n / 2, args, 1234u);
    sgd_momentum<<<264, 1024>>>((float4*)p, (float4*)m, (const float4*)g, n4 / 2, 0.1f, 0.9f, 1e-4f);
    ema_weights<<<(n + 4 * 320 - 1) / (4 * 320), 320>>>(ema, p, n, 0.999f);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
