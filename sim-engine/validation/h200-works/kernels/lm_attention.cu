// Causal self-attention forward pieces.
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CK(call)                                                                        \
    do {                                                                                \
        cudaError_t _e = (call);                                                        \
        if (_e != cudaSuccess) {                                                        \
            std::fprintf(stderr, "CUDA failure %s at line %d\n", cudaGetErrorString(_e), __LINE__); \
            std::exit(EXIT_FAILURE);                                                    \
        }                                                                               \
    } while (0)

template <typename T> constexpr T cdiv(T a, T b) { return (a + b - 1) / b; }

// (B, T, 3, NH, d) -> 3 x (B, NH, T, d)
__global__ void permute_kernel(float *q, float *k, float *v, const float *inp, int B, int N, int NH, int d) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * N * d) {
        int b = idx / (NH * N * d);
        int rest = idx % (NH * N * d);
        int nh_ = rest / (N * d);
        rest = rest % (N * d);
        int n = rest / d;
        int d_ = rest % d;
        int inp_idx = (b * N * 3 * NH * d) + (n * 3 * NH * d) + (0 * NH * d) + (nh_ * d) + d_;
        q[idx] = __ldcs(&inp[inp_idx]);
        k[idx] = __ldcs(&inp[inp_idx + NH * d]);
        v[idx] = __ldcs(&inp[inp_idx + 2 * (NH * d)]);
    }
}

__global__ void unpermute_kernel(const float *inp, float *out, int B, int N, int NH, int d) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < B * NH * N * d) {
        int b = idx / (NH * N * d);
        int rest = idx % (NH * N * d);
        int nh_ = rest / (N * d);
        rest = rest % (N * d);
        int n = rest / d;
        int d_ = rest % d;
        out[(b * NH * N * d) + (n * NH * d) + (nh_ * d) + d_] = inp[idx];
    }
}

// naive: thread per (b, h, t, t2), dot products in q, k laid out (B, NH, T, d)
__global__ void attention_query_key_kernel1(float *preatt, const float *q, const float *k, int BH, int T, int d, float scale) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= BH * T * T) return;
    int t2 = idx % T;
    int t = (idx / T) % T;
    int bh = idx / (T * T);
    if (t2 > t) {
        preatt[idx] = -INFINITY;
        return;
    }
    const float *query = q + (bh * T + t) * d;
    const float *key = k + (bh * T + t2) * d;
    float val = 0.0f;
    for (int i = 0; i < d; i++) val += query[i] * key[i];
    preatt[idx] = val * scale;
}

// one thread per row, online
__global__ void softmax_causal_online_kernel(float *out, const float *inp, int BH, int T) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= BH * T) return;
    int own_pos = row % T;
    const float *x = inp + (size_t)row * T;
    float *y = out + (size_t)row * T;
    float maxval = -FLT_MAX;
    float sum = 0.0f;
    for (int i = 0; i <= own_pos; i++) {
        float prev = maxval;
        float v = x[i];
        if (v > maxval) {
            maxval = v;
            sum = sum * expf(prev - maxval) + 1.0f;
        } else {
            sum += expf(v - maxval);
        }
    }
    float norm = 1.0f / sum;
    for (int i = 0; i <= own_pos; i++) y[i] = expf(x[i] - maxval) * norm;
    for (int i = own_pos + 1; i < T; i++) y[i] = 0.0f;
}

__device__ __forceinline__ float warpReduceMax(float v) {
    for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xFFFFFFFF, v, o));
    return v;
}
__device__ __forceinline__ float warpReduceSum(float v) {
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xFFFFFFFF, v, o);
    return v;
}

// warp per row, float4 loads, longest rows first
__global__ void softmax_causal_warp_kernel(float *out, const float *inp, int BH, int T) {
    int lane = threadIdx.x % 32;
    int warps = blockDim.x / 32;
    int row = (gridDim.x - blockIdx.x - 1) * warps + threadIdx.x / 32;
    if (row >= BH * T) return;
    int own_pos = row % T;
    const float *x = inp + (size_t)row * T;
    int pos4 = (own_pos + 1) / 4;
    float m = -FLT_MAX, s = 0.f;
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    for (int i = lane; i < pos4; i += 32) {
        float4 v = x4[i];
        float old = m;
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        s *= __expf(old - m);
        s += __expf(v.x - m) + __expf(v.y - m) + __expf(v.z - m) + __expf(v.w - m);
    }
    if (4 * pos4 + lane <= own_pos) {
        float v = x[4 * pos4 + lane];
        float old = m;
        m = fmaxf(m, v);
        s = s * __expf(old - m) + __expf(v - m);
    }
    float gm = warpReduceMax(m);
    s *= __expf(m - gm);
    float norm = 1.0f / warpReduceSum(s);
    for (int i = lane; i < T; i += 32) {
        float r = i <= own_pos ? __expf(__ldcs(x + i) - gm) * norm : 0.f;
        __stcs(out + (size_t)row * T + i, r);
    }
}

// block per row with shared memory tree-of-warps reduction
template <int BLOCK>
__global__ void softmax_causal_block_kernel(float *out, const float *inp, int T) {
    __shared__ float smax[BLOCK / 32];
    __shared__ float ssum[BLOCK / 32];
    int row = blockIdx.x;
    int len = row % T + 1;
    const float *x = inp + (size_t)row * T;
    float *y = out + (size_t)row * T;
    float m = -FLT_MAX;
    for (int i = threadIdx.x; i < len; i += BLOCK) m = fmaxf(m, x[i]);
    m = warpReduceMax(m);
    if (threadIdx.x % 32 == 0) smax[threadIdx.x / 32] = m;
    __syncthreads();
    m = smax[0];
#pragma unroll
    for (int i = 1; i < BLOCK / 32; i++) m = fmaxf(m, smax[i]);
    float s = 0.f;
    for (int i = threadIdx.x; i < len; i += BLOCK) {
        float e = expf(x[i] - m);
        y[i] = e;
        s += e;
    }
    s = warpReduceSum(s);
    if (threadIdx.x % 32 == 0) ssum[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.f;
#pragma unroll
    for (int i = 0; i < BLOCK / 32; i++) s += ssum[i];
    float inv = 1.f / s;
    for (int i = threadIdx.x; i < T; i += BLOCK) y[i] = i < len ? y[i] * inv : 0.f;
}

// att (BH,T,T) * v (BH,T,d) -> (BH,T,d) : thread per output channel, d threads per query
__global__ void attention_value_kernel(float *out, const float *att, const float *v, int T, int d) {
    int bh = blockIdx.y;
    int t = blockIdx.x * blockDim.y + threadIdx.y;
    int c = threadIdx.x;
    if (t >= T) return;
    const float *a = att + ((size_t)bh * T + t) * T;
    const float *vv = v + (size_t)bh * T * d + c;
    float acc = 0.f;
    for (int t2 = 0; t2 <= t; t2++) acc += a[t2] * vv[(size_t)t2 * d];
    out[((size_t)bh * T + t) * d + c] = acc;
}

// Simple flash attention (no tensor cores): one query row per thread, K/V tiles in shared.
template <int BR, int BC, int D>
__global__ void __launch_bounds__(BR) flash_attention_kernel(const float *__restrict__ Q, const float *__restrict__ K,
                                                             const float *__restrict__ V, float *__restrict__ O,
                                                             int T, float scale) {
    __shared__ float Ks[BC][D];
    __shared__ float Vs[BC][D];
    const int bh = blockIdx.y;
    const int q_row = blockIdx.x * BR + threadIdx.x;
    const size_t base = (size_t)bh * T * D;
    float q[D], acc[D];
#pragma unroll
    for (int i = 0; i < D; i++) {
        q[i] = Q[base + (size_t)q_row * D + i] * scale;
        acc[i] = 0.f;
    }
    float m = -INFINITY, l = 0.f;
    const int last = blockIdx.x * BR + BR - 1;
    for (int j0 = 0; j0 <= last; j0 += BC) {
        for (int i = threadIdx.x; i < BC * D / 4; i += BR) {
            reinterpret_cast<float4 *>(&Ks[0][0])[i] = reinterpret_cast<const float4 *>(K + base + (size_t)j0 * D)[i];
            reinterpret_cast<float4 *>(&Vs[0][0])[i] = reinterpret_cast<const float4 *>(V + base + (size_t)j0 * D)[i];
        }
        __syncthreads();
        for (int j = 0; j < BC; j++) {
            if (j0 + j > q_row) break;
            float s = 0.f;
#pragma unroll
            for (int i = 0; i < D; i++) s += q[i] * Ks[j][i];
            float m_new = fmaxf(m, s);
            float alpha = __expf(m - m_new);
            float p = __expf(s - m_new);
            l = l * alpha + p;
#pragma unroll
            for (int i = 0; i < D; i++) acc[i] = acc[i] * alpha + p * Vs[j][i];
            m = m_new;
        }
        __syncthreads();
    }
    float inv = 1.f / l;
#pragma unroll
    for (int i = 0; i < D; i++) O[base + (size_t)q_row * D + i] = acc[i] * inv;
}

int main() {
    constexpr int B = 2, T = 512, NH = 12, HS = 64;
    constexpr int C = NH * HS, BH = B * NH;
    std::vector<float> h((size_t)B * T * 3 * C);
    srand(42);
    for (auto &x : h) x = (float)rand() / RAND_MAX * 2.f - 1.f;
    float *qkv, *q, *k, *v, *pre, *att, *vacc, *out, *fout;
    CK(cudaMalloc(&qkv, h.size() * sizeof(float)));
    CK(cudaMalloc(&q, B * T * C * sizeof(float)));
    CK(cudaMalloc(&k, B * T * C * sizeof(float)));
    CK(cudaMalloc(&v, B * T * C * sizeof(float)));
    CK(cudaMalloc(&vacc, B * T * C * sizeof(float)));
    CK(cudaMalloc(&out, B * T * C * sizeof(float)));
    CK(cudaMalloc(&fout, B * T * C * sizeof(float)));
    CK(cudaMalloc(&pre, (size_t)BH * T * T * sizeof(float)));
    CK(cudaMalloc(&att, (size_t)BH * T * T * sizeof(float)));
    CK(cudaMemcpy(qkv, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));

    const float scale = 1.0f / sqrtf((float)HS);
    permute_kernel<<<cdiv(B * T * C, 256), 256>>>(q, k, v, qkv, B, T, NH, HS);
    attention_query_key_kernel1<<<cdiv(BH * T * T, 256), 256>>>(pre, q, k, BH, T, HS, scale);
    softmax_causal_online_kernel<<<cdiv(BH * T, 64), 64>>>(att, pre, BH, T);
    softmax_causal_block_kernel<128><<<BH * T, 128>>>(att, pre, T);
    softmax_causal_warp_kernel<<<cdiv(BH * T, 8), 256>>>(att, pre, BH, T);
    attention_value_kernel<<<dim3(T / 4, BH), dim3(HS, 4)>>>(vacc, att, v, T, HS);
    unpermute_kernel<<<cdiv(B * T * C, 256), 256>>>(vacc, out, B, T, NH, HS);
    flash_attention_kernel<64, 32, HS><<<dim3(T / 64, BH), 64>>>(q, k, v, fout, T, scale);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> a(B * T * C), b(B * T * C), f(B * T * C);
    CK(cudaMemcpy(a.data(), vacc, a.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(b.data(), out, b.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(f.data(), fout, f.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0, maxd = 0;
    for (size_t i = 0; i < a.size(); i++) {
        s += fabs(b[i]);
        maxd = fmax(maxd, fabs((double)a[i] - f[i]));
    }
    printf("checksum %.6f, flash vs naive max diff %.3e\n", s, maxd);
    return 0;
}
