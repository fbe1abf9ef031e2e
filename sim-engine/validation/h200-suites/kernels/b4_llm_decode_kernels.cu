/*
Kernels of a small LLM inference engine (decode and chunked prefill), in the
llm.c manner: one file, 128-bit packed accesses, bf16 storage, fp32 arithmetic.

nvcc -O3 -std=c++17 -arch=sm_90a -lineinfo b4_llm_decode_kernels.cu -o b4
*/
#include <assert.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

typedef __nv_bfloat16 bf16;

// ----------------------------------------------------------------------------
// checks and small helpers

inline void cuda_check_(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define cudaCheck(err) (cuda_check_(err, __FILE__, __LINE__))
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))

template <class ElementType>
struct alignas(16) Packed128 {
    static constexpr int size = sizeof(int4) / sizeof(ElementType);
    ElementType payload[size];
    __device__ ElementType &operator[](int i) { return payload[i]; }
    __device__ const ElementType &operator[](int i) const { return payload[i]; }
};
typedef Packed128<bf16> x128;
typedef Packed128<float> f128;

template <class T>
__device__ __forceinline__ Packed128<T> load128(const T *address) {
    int4 bits = *reinterpret_cast<const int4 *>(address);
    Packed128<T> r;
    memcpy(&r, &bits, sizeof(bits));
    return r;
}
// streaming load: the data is used once
template <class T>
__device__ __forceinline__ Packed128<T> load128cs(const T *address) {
    int4 bits = __ldcs(reinterpret_cast<const int4 *>(address));
    Packed128<T> r;
    memcpy(&r, &bits, sizeof(bits));
    return r;
}
template <class T>
__device__ __forceinline__ void store128(T *target, const Packed128<T> &value) {
    int4 bits;
    memcpy(&bits, &value, sizeof(bits));
    *reinterpret_cast<int4 *>(target) = bits;
}
template <class T>
__device__ __forceinline__ void store128cs(T *target, const Packed128<T> &value) {
    int4 bits;
    memcpy(&bits, &value, sizeof(bits));
    __stcs(reinterpret_cast<int4 *>(target), bits);
}

__device__ __forceinline__ float warp_reduce_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}
__device__ __forceinline__ float warp_reduce_max(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
    return v;
}
template <float (*WarpReduce)(float)>
__device__ __forceinline__ float block_reduce(float v, float identity) {
    __shared__ float shared[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = WarpReduce(v);
    if (lane == 0) shared[warp] = v;
    __syncthreads();
    v = lane < (int)blockDim.x / 32 ? shared[lane] : identity;
    v = WarpReduce(v);
    __syncthreads();
    return v;
}

__host__ __device__ inline float hash_unit(uint32_t i, uint32_t salt) {  // in [-1, 1)
    uint32_t h = i * 0x9E3779B1u + salt;
    h ^= h >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    return (float)(int)(h >> 8) * (1.0f / 8388608.0f) - 1.0f;
}

// ----------------------------------------------------------------------------
// model dimensions

constexpr int HIDDEN = 4096;
constexpr int HEADS = 32;
constexpr int KV_HEADS = 8;
constexpr int GROUP = HEADS / KV_HEADS;
constexpr int HEAD_DIM = 128;
constexpr int MAX_CTX = 2048;
constexpr int BATCH = 16;
constexpr int CHUNK = 32;               // new tokens per sequence
constexpr int TOKENS = BATCH * CHUNK;   // 512
constexpr int VOCAB_IN = 1024;
constexpr int SPLITS = 8;
constexpr int WINDOW = 512;

// ----------------------------------------------------------------------------
// kernels

// synthetic history for both caches
__global__ void fill_kv_kernel(bf16 *k_cache, bf16 *v_cache, size_t n) {
    size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * x128::size;
    if (i >= n) return;
    x128 k, v;
#pragma unroll
    for (int j = 0; j < x128::size; j++) {
        k[j] = __float2bfloat16(hash_unit((uint32_t)(i + j), 17u));
        v[j] = __float2bfloat16(hash_unit((uint32_t)(i + j), 71u));
    }
    store128(k_cache + i, k);
    store128(v_cache + i, v);
}

__global__ void embedding_kernel(bf16 *out, const int *tokens, const bf16 *table) {
    const int t = blockIdx.x;
    const bf16 *row = table + (size_t)tokens[t] * HIDDEN;
    for (int i = threadIdx.x * x128::size; i < HIDDEN; i += blockDim.x * x128::size) {
        store128(out + (size_t)t * HIDDEN + i, load128(row + i));
    }
}

// residual += x, then rmsnorm of the sum. One block of HIDDEN/8 threads per token.
__global__ void __launch_bounds__(HIDDEN / 8)
fused_residual_rmsnorm_kernel(bf16 *normed, bf16 *residual, const bf16 *x, const bf16 *weight, float eps) {
    const size_t idx = (size_t)blockIdx.x * HIDDEN + threadIdx.x * x128::size;
    x128 r = load128(residual + idx);
    const x128 a = load128cs(x + idx);
    float v[x128::size];
    float ss = 0.f;
#pragma unroll
    for (int k = 0; k < x128::size; k++) {
        v[k] = __bfloat162float(r[k]) + __bfloat162float(a[k]);
        r[k] = __float2bfloat16(v[k]);
        ss += v[k] * v[k];
    }
    store128(residual + idx, r);
    ss = block_reduce<warp_reduce_sum>(ss, 0.f);
    const float s = rsqrtf(ss / HIDDEN + eps);
    const x128 w = load128(weight + threadIdx.x * x128::size);
    x128 o;
#pragma unroll
    for (int k = 0; k < x128::size; k++) o[k] = __float2bfloat16(v[k] * s * __bfloat162float(w[k]));
    store128(normed + idx, o);
}

// rmsnorm followed by symmetric per-token int8 quantisation
__global__ void __launch_bounds__(HIDDEN / 8)
rmsnorm_quant_kernel(int8_t *q, float *scale, const bf16 *x, const bf16 *weight, float eps) {
    const size_t idx = (size_t)blockIdx.x * HIDDEN + threadIdx.x * x128::size;
    const x128 a = load128(x + idx);
    const x128 w = load128(weight + threadIdx.x * x128::size);
    float v[x128::size];
    float ss = 0.f;
#pragma unroll
    for (int k = 0; k < x128::size; k++) {
        v[k] = __bfloat162float(a[k]);
        ss += v[k] * v[k];
    }
    ss = block_reduce<warp_reduce_sum>(ss, 0.f);
    const float s = rsqrtf(ss / HIDDEN + eps);
    float amax = 0.f;
#pragma unroll
    for (int k = 0; k < x128::size; k++) {
        v[k] *= s * __bfloat162float(w[k]);
        amax = fmaxf(amax, fabsf(v[k]));
    }
    amax = block_reduce<warp_reduce_max>(amax, 0.f);
    const float inv = amax > 0.f ? 127.f / amax : 0.f;
    char4 lo, hi;
    lo.x = (signed char)__float2int_rn(v[0] * inv);
    lo.y = (signed char)__float2int_rn(v[1] * inv);
    lo.z = (signed char)__float2int_rn(v[2] * inv);
    lo.w = (signed char)__float2int_rn(v[3] * inv);
    hi.x = (signed char)__float2int_rn(v[4] * inv);
    hi.y = (signed char)__float2int_rn(v[5] * inv);
    hi.z = (signed char)__float2int_rn(v[6] * inv);
    hi.w = (signed char)__float2int_rn(v[7] * inv);
    uint2 packed;
    memcpy(&packed.x, &lo, 4);
    memcpy(&packed.y, &hi, 4);
    *reinterpret_cast<uint2 *>(q + idx) = packed;
    if (threadIdx.x == 0) *(scale + blockIdx.x) = amax / 127.f;
}

// w8a8 GEMV with dp4a; one warp per output row
__global__ void gemv_w8a8_kernel(float *out, const int8_t *w, const float *w_scale, const int8_t *x,
                                 const float *x_scale, int N, int K) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= N) return;
    const int4 *wr = reinterpret_cast<const int4 *>(w + (size_t)row * K);
    const int4 *xr = reinterpret_cast<const int4 *>(x);
    int acc = 0;
#pragma unroll 4
    for (int i = lane; i < K / 16; i += 32) {
        const int4 a = __ldcs(wr + i);
        const int4 b = xr[i];
        acc = __dp4a(a.x, b.x, acc);
        acc = __dp4a(a.y, b.y, acc);
        acc = __dp4a(a.z, b.z, acc);
        acc = __dp4a(a.w, b.w, acc);
    }
    acc = __reduce_add_sync(0xffffffff, acc);
    if (lane == 0) out[row] = (float)acc * w_scale[row] * x_scale[0];
}

// int4 weight-only GEMV. Weights: 8 nibbles per word, zero point 8, groups of
// 128 with an fp16 scale. Nibbles become fp16 by or-ing them into the mantissa
// of 1024.0, which yields element pairs (j, j+4).
__global__ void __launch_bounds__(256)
gemv_int4_kernel(float *out, const uint32_t *w, const half *scale, const half *x, int N) {
    __shared__ alignas(16) half xs[HIDDEN];
    for (int i = threadIdx.x * 8; i < HIDDEN; i += blockDim.x * 8)
        *reinterpret_cast<int4 *>(xs + i) = *reinterpret_cast<const int4 *>(x + i);
    __syncthreads();

    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= N) return;
    const half2 bias = __float2half2_rn(1032.f);
    const uint32_t *wr = w + (size_t)row * (HIDDEN / 8);
    const half *sr = scale + (size_t)row * (HIDDEN / 128);
    float acc = 0.f;
#pragma unroll
    for (int it = 0; it < HIDDEN / 1024; it++) {
        const int k0 = it * 1024 + lane * 32;
        const int4 q4 = __ldcs(reinterpret_cast<const int4 *>(wr + k0 / 8));
        const uint32_t q[4] = {(uint32_t)q4.x, (uint32_t)q4.y, (uint32_t)q4.z, (uint32_t)q4.w};
        float part = 0.f;
#pragma unroll
        for (int c = 0; c < 4; c++) {
            half xv[8];
            *reinterpret_cast<int4 *>(xv) = *reinterpret_cast<const int4 *>(xs + k0 + c * 8);
            half2 s2 = __float2half2_rn(0.f);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                uint32_t bits = ((q[c] >> (4 * j)) & 0x000f000fu) | 0x64006400u;
                half2 wv;
                memcpy(&wv, &bits, 4);
                s2 = __hfma2(__hsub2(wv, bias), __halves2half2(xv[j], xv[j + 4]), s2);
            }
            const float2 f = __half22float2(s2);
            part += f.x + f.y;
        }
        acc += part * __half2float(sr[k0 / 128]);
    }
    acc = warp_reduce_sum(acc);
    if (lane == 0) out[row] = acc;
}

// rotary embedding in place (first half with second half), q and k in one launch
__global__ void rope_kernel(bf16 *q, bf16 *k, const int *positions, int n_tokens) {
    constexpr int per_head = HEAD_DIM / 2 / x128::size;  // 8 threads
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    const int c = idx % per_head;
    const int head = idx / per_head % (HEADS + KV_HEADS);
    const int t = idx / per_head / (HEADS + KV_HEADS);
    if (t >= n_tokens) return;
    bf16 *base = head < HEADS ? q + ((size_t)t * HEADS + head) * HEAD_DIM
                              : k + ((size_t)t * KV_HEADS + head - HEADS) * HEAD_DIM;
    x128 a = load128(base + c * x128::size);
    x128 b = load128(base + HEAD_DIM / 2 + c * x128::size);
    const float pos = (float)positions[t];
#pragma unroll
    for (int j = 0; j < x128::size; j++) {
        const int i = c * x128::size + j;
        const float inv_freq = exp2f(-(float)i * (13.287712f / (HEAD_DIM / 2)));  // 10000^(-i/64)
        float sn, cs;
        sincosf(pos * inv_freq, &sn, &cs);
        const float fa = __bfloat162float(a[j]), fb = __bfloat162float(b[j]);
        a[j] = __float2bfloat16(fa * cs - fb * sn);
        b[j] = __float2bfloat16(fb * cs + fa * sn);
    }
    store128(base + c * x128::size, a);
    store128(base + HEAD_DIM / 2 + c * x128::size, b);
}

// copy the new keys and values into the caches [batch][kv head][position][dim]
__global__ void kv_append_kernel(bf16 *k_cache, bf16 *v_cache, const bf16 *k, const bf16 *v,
                                 const int *positions, int n_tokens) {
    constexpr int packs = HEAD_DIM / x128::size;
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n_tokens * KV_HEADS * packs) return;
    const int c = idx % packs;
    const int h = idx / packs % KV_HEADS;
    const int t = idx / (packs * KV_HEADS);
    const int b = t / CHUNK;
    const size_t dst = (((size_t)b * KV_HEADS + h) * MAX_CTX + positions[t]) * HEAD_DIM + c * x128::size;
    const size_t src = (size_t)idx * x128::size;
    store128(k_cache + dst, load128cs(k + src));
    store128(v_cache + dst, load128cs(v + src));
}

// decode attention over a sliding window, one warp per (sequence, head): each
// half warp takes every other position, 8 dimensions per lane.
__global__ void decode_attention_warp_kernel(bf16 *out, const bf16 *q, const bf16 *k_cache, const bf16 *v_cache,
                                             const int *seq_len, float scale_log2) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (warp >= BATCH * HEADS) return;
    const int lane = threadIdx.x % 32;
    const int half_id = lane / 16, l16 = lane % 16;
    const int b = warp / HEADS, h = warp % HEADS;
    const int len = seq_len[b];
    const int first = max(0, len - WINDOW);
    const size_t kv_base = ((size_t)b * KV_HEADS + h / GROUP) * MAX_CTX * HEAD_DIM + l16 * x128::size;
    // the query of the last token of the chunk
    const x128 qp = load128(q + (((size_t)b * CHUNK + CHUNK - 1) * HEADS + h) * HEAD_DIM + l16 * x128::size);
    float qv[x128::size], acc[x128::size];
#pragma unroll
    for (int j = 0; j < x128::size; j++) {
        qv[j] = __bfloat162float(qp[j]) * scale_log2;
        acc[j] = 0.f;
    }
    float m = -1e30f, l = 0.f;
    for (int t = first; t < len; t += 2) {
        const bool valid = t + half_id < len;
        const int tt = valid ? t + half_id : len - 1;
        const x128 kp = load128(k_cache + kv_base + (size_t)tt * HEAD_DIM);
        const x128 vp = load128(v_cache + kv_base + (size_t)tt * HEAD_DIM);
        float s = 0.f;
#pragma unroll
        for (int j = 0; j < x128::size; j++) s = fmaf(qv[j], __bfloat162float(kp[j]), s);
#pragma unroll
        for (int o = 8; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
        const float m_new = valid ? fmaxf(m, s) : m;
        const float corr = exp2f(m - m_new);
        const float p = valid ? exp2f(s - m_new) : 0.f;
        l = l * corr + p;
#pragma unroll
        for (int j = 0; j < x128::size; j++) acc[j] = acc[j] * corr + p * __bfloat162float(vp[j]);
        m = m_new;
    }
    // merge the two halves
    const float m_other = __shfl_xor_sync(0xffffffff, m, 16);
    const float l_other = __shfl_xor_sync(0xffffffff, l, 16);
    const float m_all = fmaxf(m, m_other);
    const float mine = exp2f(m - m_all), theirs = exp2f(m_other - m_all);
    const float inv = 1.f / (l * mine + l_other * theirs);
    x128 o;
#pragma unroll
    for (int j = 0; j < x128::size; j++) {
        const float other = __shfl_xor_sync(0xffffffff, acc[j], 16);
        o[j] = __float2bfloat16((acc[j] * mine + other * theirs) * inv);
    }
    if (half_id == 0) store128(out + ((size_t)b * HEADS + h) * HEAD_DIM + l16 * x128::size, o);
}

// split-K decode attention with grouped queries: a block handles one split of
// one (sequence, kv head) for all GROUP query heads, so K and V are read once.
__global__ void __launch_bounds__(128)
decode_attention_split_kernel(float *part_o, float2 *part_ml, const bf16 *q, const bf16 *k_cache,
                              const bf16 *v_cache, const int *seq_len, float scale_log2) {
    __shared__ float s_o[4][GROUP][HEAD_DIM];
    __shared__ float s_m[4][GROUP], s_l[4][GROUP];
    const int split = blockIdx.x, kvh = blockIdx.y, b = blockIdx.z;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int half_id = lane / 16, l16 = lane % 16;
    const int slot = warp * 2 + half_id;
    const int len = seq_len[b];
    const int chunk = CEIL_DIV(len, SPLITS);
    const int t0 = split * chunk, t1 = min(len, t0 + chunk);
    const size_t kv_base = ((size_t)b * KV_HEADS + kvh) * MAX_CTX * HEAD_DIM + l16 * x128::size;

    float qv[GROUP][x128::size], acc[GROUP][x128::size], m[GROUP], l[GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        const x128 qp = load128(q + (((size_t)b * CHUNK + CHUNK - 1) * HEADS + kvh * GROUP + g) * HEAD_DIM +
                                l16 * x128::size);
#pragma unroll
        for (int j = 0; j < x128::size; j++) {
            qv[g][j] = __bfloat162float(qp[j]) * scale_log2;
            acc[g][j] = 0.f;
        }
        m[g] = -1e30f;
        l[g] = 0.f;
    }
    for (int t = t0; t < t1; t += 8) {
        const bool valid = t + slot < t1;
        const int tt = valid ? t + slot : t1 - 1;
        const x128 kp = load128cs(k_cache + kv_base + (size_t)tt * HEAD_DIM);
        const x128 vp = load128cs(v_cache + kv_base + (size_t)tt * HEAD_DIM);
        float kf[x128::size], vf[x128::size];
#pragma unroll
        for (int j = 0; j < x128::size; j++) {
            kf[j] = __bfloat162float(kp[j]);
            vf[j] = __bfloat162float(vp[j]);
        }
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            float s = 0.f;
#pragma unroll
            for (int j = 0; j < x128::size; j++) s = fmaf(qv[g][j], kf[j], s);
#pragma unroll
            for (int o = 8; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
            const float m_new = valid ? fmaxf(m[g], s) : m[g];
            const float corr = exp2f(m[g] - m_new);
            const float p = valid ? exp2f(s - m_new) : 0.f;
            l[g] = l[g] * corr + p;
#pragma unroll
            for (int j = 0; j < x128::size; j++) acc[g][j] = acc[g][j] * corr + p * vf[j];
            m[g] = m_new;
        }
    }
    // halves -> warp -> block
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        const float m_other = __shfl_xor_sync(0xffffffff, m[g], 16);
        const float l_other = __shfl_xor_sync(0xffffffff, l[g], 16);
        const float m_all = fmaxf(m[g], m_other);
        const float mine = exp2f(m[g] - m_all), theirs = exp2f(m_other - m_all);
#pragma unroll
        for (int j = 0; j < x128::size; j++) {
            const float other = __shfl_xor_sync(0xffffffff, acc[g][j], 16);
            if (half_id == 0) s_o[warp][g][l16 * x128::size + j] = acc[g][j] * mine + other * theirs;
        }
        if (lane == 0) {
            s_m[warp][g] = m_all;
            s_l[warp][g] = l[g] * mine + l_other * theirs;
        }
    }
    __syncthreads();
    const int d = threadIdx.x;
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        float m_all = s_m[0][g];
#pragma unroll
        for (int w = 1; w < 4; w++) m_all = fmaxf(m_all, s_m[w][g]);
        float o = 0.f, l_all = 0.f;
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const float f = exp2f(s_m[w][g] - m_all);
            o += f * s_o[w][g][d];
            l_all += f * s_l[w][g];
        }
        const size_t idx = ((size_t)b * HEADS + kvh * GROUP + g) * SPLITS + split;
        part_o[idx * HEAD_DIM + d] = o;
        if (d == 0) part_ml[idx] = make_float2(m_all, l_all);
    }
}

__global__ void __launch_bounds__(HEAD_DIM)
decode_attention_combine_kernel(bf16 *out, const float *part_o, const float2 *part_ml) {
    const size_t bh = blockIdx.x;
    const int d = threadIdx.x;
    float2 ml[SPLITS];
    float m = -1e30f;
#pragma unroll
    for (int s = 0; s < SPLITS; s++) {
        ml[s] = part_ml[bh * SPLITS + s];
        m = fmaxf(m, ml[s].x);
    }
    float o = 0.f, l = 0.f;
#pragma unroll
    for (int s = 0; s < SPLITS; s++) {
        const float f = exp2f(ml[s].x - m);
        o += f * part_o[(bh * SPLITS + s) * HEAD_DIM + d];
        l += f * ml[s].y;
    }
    out[bh * HEAD_DIM + d] = __float2bfloat16(o / l);
}

// out = silu(gate) * up, input rows are [gate | up]
__global__ void silu_gate_kernel(bf16 *out, const bf16 *gate_up, int n_tokens, int ffn) {
    const int per_row = ffn / x128::size;
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n_tokens * per_row) return;
    const int t = idx / per_row, c = (idx % per_row) * x128::size;
    const x128 g = load128cs(gate_up + (size_t)t * 2 * ffn + c);
    const x128 u = load128cs(gate_up + (size_t)t * 2 * ffn + ffn + c);
    x128 o;
#pragma unroll
    for (int j = 0; j < x128::size; j++) {
        const float x = __bfloat162float(g[j]);
        o[j] = __float2bfloat16(x / (1.f + __expf(-x)) * __bfloat162float(u[j]));
    }
    store128(out + (size_t)t * ffn + c, o);
}

// ----------------------------------------------------------------------------
// mixture of experts
constexpr int MOE_T = 1024, MOE_H = 2048, EXPERTS = 8;

// router: logits, top-2, softmax over the two; one warp per token
__global__ void __launch_bounds__(256)
moe_router_kernel(int2 *top_idx, float2 *top_w, int *counts, const bf16 *x, const bf16 *w_router) {
    __shared__ alignas(16) bf16 ws[EXPERTS * MOE_H];
    __shared__ int hist[EXPERTS];
    for (int i = threadIdx.x * x128::size; i < EXPERTS * MOE_H; i += blockDim.x * x128::size)
        store128(ws + i, load128(w_router + i));
    if (threadIdx.x < EXPERTS) hist[threadIdx.x] = 0;
    __syncthreads();
    const int t = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    float acc[EXPERTS] = {};
    for (int i = lane * x128::size; i < MOE_H; i += 32 * x128::size) {
        const x128 xp = load128(x + (size_t)t * MOE_H + i);
#pragma unroll
        for (int e = 0; e < EXPERTS; e++) {
            const x128 wp = load128(ws + e * MOE_H + i);
#pragma unroll
            for (int j = 0; j < x128::size; j++)
                acc[e] = fmaf(__bfloat162float(xp[j]), __bfloat162float(wp[j]), acc[e]);
        }
    }
#pragma unroll
    for (int e = 0; e < EXPERTS; e++) acc[e] = warp_reduce_sum(acc[e]);
    if (lane == 0) {
        int e1 = 0, e2 = -1;
        float v1 = acc[0], v2 = -INFINITY;
#pragma unroll
        for (int e = 1; e < EXPERTS; e++) {
            if (acc[e] > v1) {
                v2 = v1;
                e2 = e1;
                v1 = acc[e];
                e1 = e;
            } else if (acc[e] > v2) {
                v2 = acc[e];
                e2 = e;
            }
        }
        const float p2 = 1.f / (1.f + __expf(v1 - v2));
        top_idx[t] = make_int2(e1, e2);
        top_w[t] = make_float2(1.f - p2, p2);
        atomicAdd(&hist[e1], 1);
        atomicAdd(&hist[e2], 1);
    }
    __syncthreads();
    if (threadIdx.x < EXPERTS) atomicAdd(&counts[threadIdx.x], hist[threadIdx.x]);
}

// position of every (token, slot) in the expert-sorted order
__global__ void moe_permute_kernel(int *position, int *source_row, int *cursor, const int *counts,
                                   const int *top_idx /* [T*2] */, int n) {
    __shared__ int local[EXPERTS], base[EXPERTS];
    if (threadIdx.x < EXPERTS) local[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int e = 0, rank = 0;
    if (i < n) {
        e = top_idx[i];
        rank = atomicAdd(&local[e], 1);
    }
    __syncthreads();
    if (threadIdx.x < EXPERTS) {
        int off = 0;
        for (int k = 0; k < (int)threadIdx.x; k++) off += counts[k];
        base[threadIdx.x] = off + atomicAdd(&cursor[threadIdx.x], local[threadIdx.x]);
    }
    __syncthreads();
    if (i < n) {
        const int p = base[e] + rank;
        position[i] = p;
        source_row[p] = i / 2;
    }
}

__global__ void moe_gather_kernel(bf16 *out, const bf16 *x, const int *source_row) {
    const int r = blockIdx.x;
    const int i = threadIdx.x * x128::size;
    store128(out + (size_t)r * MOE_H + i, load128(x + (size_t)source_row[r] * MOE_H + i));
}

__global__ void moe_combine_kernel(bf16 *out, const bf16 *y, const int2 *position, const float2 *top_w) {
    const int t = blockIdx.x;
    const int i = threadIdx.x * x128::size;
    const int2 p = position[t];
    const float2 w = top_w[t];
    const x128 a = load128cs(y + (size_t)p.x * MOE_H + i);
    const x128 b = load128cs(y + (size_t)p.y * MOE_H + i);
    x128 o;
#pragma unroll
    for (int j = 0; j < x128::size; j++)
        o[j] = __float2bfloat16(w.x * __bfloat162float(a[j]) + w.y * __bfloat162float(b[j]));
    store128(out + (size_t)t * MOE_H + i, o);
}

// ----------------------------------------------------------------------------
// sampling
constexpr int SAMPLE_ROWS = 64, VOCAB = 32000;

// online softmax with temperature, a block of 1024 threads per row
__global__ void __launch_bounds__(1024)
sample_softmax_kernel(float *probs, const float *logits, float inv_temperature) {
    const float *x = logits + (size_t)blockIdx.x * VOCAB;
    float *p = probs + (size_t)blockIdx.x * VOCAB;
    float m = -INFINITY, l = 0.f;
    for (int i = threadIdx.x * f128::size; i < VOCAB; i += blockDim.x * f128::size) {
        const f128 v = load128(x + i);
#pragma unroll
        for (int j = 0; j < f128::size; j++) {
            const float a = v[j] * inv_temperature;
            if (a > m) {
                l *= __expf(m - a);
                m = a;
            }
            l += __expf(a - m);
        }
    }
    const float m_all = block_reduce<warp_reduce_max>(m, -INFINITY);
    l = block_reduce<warp_reduce_sum>(l * __expf(m - m_all), 0.f);
    const float inv = 1.f / l;
    for (int i = threadIdx.x * f128::size; i < VOCAB; i += blockDim.x * f128::size) {
        const f128 v = load128(x + i);
        f128 o;
#pragma unroll
        for (int j = 0; j < f128::size; j++) o[j] = __expf(v[j] * inv_temperature - m_all) * inv;
        store128cs(p + i, o);
    }
}

// nucleus sampling without a sort: bisect the probability threshold, then draw
// from the mass above it. The row lives in shared memory.
__global__ void __launch_bounds__(1024)
top_p_sample_kernel(int *token, float *threshold, const float *probs, const float *uniform, float top_p) {
    extern __shared__ float4 smem4[];
    float *p = reinterpret_cast<float *>(smem4);
    __shared__ float warp_mass[32];
    __shared__ int chosen_warp;
    __shared__ float chosen_rest;
    const float4 *src = reinterpret_cast<const float4 *>(probs + (size_t)blockIdx.x * VOCAB);
    float pmax = 0.f;
    for (int i = threadIdx.x; i < VOCAB / 4; i += blockDim.x) {
        const float4 v = src[i];
        smem4[i] = v;
        pmax = fmaxf(pmax, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    pmax = block_reduce<warp_reduce_max>(pmax, 0.f);  // its barriers also publish the row
    float lo = 0.f, hi = pmax;
    for (int it = 0; it < 20; it++) {
        const float mid = 0.5f * (lo + hi);
        float mass = 0.f;
        for (int i = threadIdx.x; i < VOCAB; i += blockDim.x) {
            const float v = p[i];
            mass += v >= mid ? v : 0.f;
        }
        mass = block_reduce<warp_reduce_sum>(mass, 0.f);
        if (mass >= top_p)
            lo = mid;
        else
            hi = mid;
    }
    // every warp owns a contiguous thousandth-sized segment
    constexpr int SEG = VOCAB / 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float mass = 0.f;
    for (int i = lane; i < SEG; i += 32) {
        const float v = p[warp * SEG + i];
        mass += v >= lo ? v : 0.f;
    }
    mass = warp_reduce_sum(mass);
    if (lane == 0) warp_mass[warp] = mass;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.f;
        for (int w = 0; w < 32; w++) total += warp_mass[w];
        float target = uniform[blockIdx.x] * total;
        int w = 0;
        while (w < 31 && (target >= warp_mass[w] || warp_mass[w] == 0.f)) target -= warp_mass[w++];
        while (w > 0 && warp_mass[w] == 0.f) w--;  // rounding at the very end
        chosen_warp = w;
        chosen_rest = target;
        threshold[blockIdx.x] = lo;
    }
    __syncthreads();
    if (warp != chosen_warp) return;
    float rest = chosen_rest;
    int pick = -1, last = -1;
    for (int base = 0; base < SEG; base += 32) {
        const int i = base + lane;
        float v = i < SEG ? p[warp * SEG + i] : 0.f;
        if (v < lo) v = 0.f;
        float inc = v;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            const float n = __shfl_up_sync(0xffffffff, inc, o);
            if (lane >= o) inc += n;
        }
        const unsigned present = __ballot_sync(0xffffffff, v > 0.f);
        if (present) last = base + 31 - __clz(present);
        const unsigned hit = __ballot_sync(0xffffffff, v > 0.f && inc > rest);
        if (hit) {
            pick = base + __ffs(hit) - 1;
            break;
        }
        rest -= __shfl_sync(0xffffffff, inc, 31);
    }
    if (pick < 0) pick = last;
    if (lane == 0) token[blockIdx.x] = warp * SEG + max(pick, 0);
}

// ----------------------------------------------------------------------------
// host side

static uint32_t rng_state = 1337u;
static uint32_t random_u32() {
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state;
}
static float random_f32() { return (random_u32() >> 8) / 16777216.0f; }

template <class T>
T *upload(const std::vector<T> &h) {
    T *d;
    cudaCheck(cudaMalloc(&d, h.size() * sizeof(T)));
    cudaCheck(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <class T>
T *device_alloc(size_t n) {
    T *d;
    cudaCheck(cudaMalloc(&d, n * sizeof(T)));
    cudaCheck(cudaMemset(d, 0, n * sizeof(T)));
    return d;
}
template <class T>
std::vector<T> download(const T *d, size_t n) {
    std::vector<T> h(n);
    cudaCheck(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}
static std::vector<bf16> random_bf16(size_t n, float scale) {
    std::vector<bf16> v(n);
    for (size_t i = 0; i < n; i++) v[i] = __float2bfloat16((2.f * random_f32() - 1.f) * scale);
    return v;
}
static int failures = 0;
static void report(const char *name, double err, double tol) {
    printf("%-28s max err %.3e %s\n", name, err, err <= tol ? "OK" : "NOT OK");
    if (!(err <= tol)) failures++;
}

int main() {
    // --- caches ---------------------------------------------------------------
    const size_t cache_n = (size_t)BATCH * KV_HEADS * MAX_CTX * HEAD_DIM;
    bf16 *k_cache = device_alloc<bf16>(cache_n), *v_cache = device_alloc<bf16>(cache_n);
    fill_kv_kernel<<<CEIL_DIV(cache_n / 8, 256), 256>>>(k_cache, v_cache, cache_n);
    cudaCheck(cudaGetLastError());

    // --- embedding ------------------------------------------------------------
    std::vector<bf16> h_table = random_bf16((size_t)VOCAB_IN * HIDDEN, 1.f);
    std::vector<int> h_tokens(TOKENS);
    for (int i = 0; i < TOKENS; i++) h_tokens[i] = (i * 37 + i / 5) % VOCAB_IN;
    bf16 *table = upload(h_table);
    int *tokens = upload(h_tokens);
    bf16 *emb = device_alloc<bf16>((size_t)TOKENS * HIDDEN);
    embedding_kernel<<<TOKENS, 256>>>(emb, tokens, table);
    cudaCheck(cudaGetLastError());

    // --- residual + rmsnorm ---------------------------------------------------
    std::vector<bf16> h_res = random_bf16((size_t)TOKENS * HIDDEN, 0.5f);
    std::vector<bf16> h_w(HIDDEN);
    for (int i = 0; i < HIDDEN; i++) h_w[i] = __float2bfloat16(1.f + 0.1f * sinf((float)i));
    bf16 *residual = upload(h_res), *norm_w = upload(h_w);
    bf16 *normed = device_alloc<bf16>((size_t)TOKENS * HIDDEN);
    fused_residual_rmsnorm_kernel<<<TOKENS, HIDDEN / 8>>>(normed, residual, emb, norm_w, 1e-5f);
    cudaCheck(cudaGetLastError());
    {
        std::vector<bf16> o = download(normed, (size_t)TOKENS * HIDDEN);
        double err = 0;
        for (int t = 0; t < TOKENS; t += 50) {
            double ss = 0;
            std::vector<double> v(HIDDEN);
            for (int i = 0; i < HIDDEN; i++) {
                v[i] = (double)__bfloat162float(h_res[(size_t)t * HIDDEN + i]) +
                       __bfloat162float(h_table[(size_t)h_tokens[t] * HIDDEN + i]);
                ss += v[i] * v[i];
            }
            double s = 1.0 / sqrt(ss / HIDDEN + 1e-5);
            for (int i = 0; i < HIDDEN; i++)
                err = std::max(err, fabs(v[i] * s * __bfloat162float(h_w[i]) -
                                         __bfloat162float(o[(size_t)t * HIDDEN + i])));
        }
        report("residual + rmsnorm", err, 3e-2);
    }

    // --- rmsnorm + quantise, w8a8 GEMV ----------------------------------------
    int8_t *xq = device_alloc<int8_t>((size_t)TOKENS * HIDDEN);
    float *xs = device_alloc<float>(TOKENS);
    rmsnorm_quant_kernel<<<TOKENS, HIDDEN / 8>>>(xq, xs, residual, norm_w, 1e-5f);
    cudaCheck(cudaGetLastError());
    const int N8 = 2048;
    std::vector<uint32_t> h_w8((size_t)N8 * HIDDEN / 4);
    for (auto &w : h_w8) w = random_u32();
    std::vector<float> h_w8s(N8);
    for (int i = 0; i < N8; i++) h_w8s[i] = 0.001f + 0.00001f * (i % 7);
    uint32_t *w8 = upload(h_w8);
    float *w8s = upload(h_w8s), *y8 = device_alloc<float>(N8);
    gemv_w8a8_kernel<<<CEIL_DIV(N8 * 32, 128), 128>>>(y8, (const int8_t *)w8, w8s, xq, xs, N8, HIDDEN);
    cudaCheck(cudaGetLastError());
    {
        std::vector<int8_t> q = download(xq, HIDDEN);
        float s0 = download(xs, 1)[0];
        std::vector<float> y = download(y8, N8);
        const int8_t *w = (const int8_t *)h_w8.data();
        double err = 0;
        for (int r = 0; r < N8; r += 9) {
            long long acc = 0;
            for (int k = 0; k < HIDDEN; k++) acc += (int)w[(size_t)r * HIDDEN + k] * (int)q[k];
            const double want = (double)acc * h_w8s[r] * s0;
            err = std::max(err, fabs(want - y[r]) / (1.0 + fabs(want)));
        }
        report("rmsnorm_quant + w8a8", err, 1e-4);
    }

    // --- int4 GEMV ------------------------------------------------------------
    const int N4 = 4096;
    std::vector<uint32_t> h_w4((size_t)N4 * HIDDEN / 8);
    for (auto &w : h_w4) w = random_u32();
    std::vector<half> h_s4((size_t)N4 * HIDDEN / 128), h_x4(HIDDEN);
    for (size_t i = 0; i < h_s4.size(); i++) h_s4[i] = __float2half(0.01f + 0.001f * (i % 11));
    for (int i = 0; i < HIDDEN; i++) h_x4[i] = __float2half(0.5f * sinf(0.37f * i));
    uint32_t *w4 = upload(h_w4);
    half *s4 = upload(h_s4), *x4 = upload(h_x4);
    float *y4 = device_alloc<float>(N4);
    gemv_int4_kernel<<<N4 / 8, 256>>>(y4, w4, s4, x4, N4);
    cudaCheck(cudaGetLastError());
    {
        std::vector<float> y = download(y4, N4);
        double err = 0;
        for (int r = 0; r < N4; r += 31) {
            double acc = 0;
            for (int k = 0; k < HIDDEN; k++) {
                const int n = (int)((h_w4[((size_t)r * HIDDEN + k) / 8] >> (4 * (k % 8))) & 15u) - 8;
                acc += (double)n * __half2float(h_s4[(size_t)r * (HIDDEN / 128) + k / 128]) * __half2float(h_x4[k]);
            }
            err = std::max(err, fabs(acc - y[r]));
        }
        report("int4 GEMV", err, 5e-2);
    }

    // --- rope, append, decode attention ---------------------------------------
    std::vector<int> h_pos(TOKENS), h_len(BATCH);
    for (int b = 0; b < BATCH; b++) {
        const int start = 1400 + 37 * b;
        for (int i = 0; i < CHUNK; i++) h_pos[b * CHUNK + i] = start + i;
        h_len[b] = start + CHUNK;
    }
    std::vector<bf16> h_q = random_bf16((size_t)TOKENS * HEADS * HEAD_DIM, 1.f);
    std::vector<bf16> h_k = random_bf16((size_t)TOKENS * KV_HEADS * HEAD_DIM, 1.f);
    std::vector<bf16> h_v = random_bf16((size_t)TOKENS * KV_HEADS * HEAD_DIM, 1.f);
    bf16 *q = upload(h_q), *k = upload(h_k), *v = upload(h_v);
    int *pos = upload(h_pos), *len = upload(h_len);
    rope_kernel<<<CEIL_DIV(TOKENS * (HEADS + KV_HEADS) * 8, 256), 256>>>(q, k, pos, TOKENS);
    cudaCheck(cudaGetLastError());
    std::vector<bf16> r_q = download(q, h_q.size()), r_k = download(k, h_k.size());
    {
        double err = 0;
        for (int t = 0; t < TOKENS; t += 13)
            for (int i = 0; i < 64; i++) {
                const double ang = h_pos[t] * pow(10000.0, -i / 64.0);
                const size_t base = ((size_t)t * HEADS + t % HEADS) * HEAD_DIM;
                const double a = __bfloat162float(h_q[base + i]), b = __bfloat162float(h_q[base + 64 + i]);
                err = std::max(err, fabs(a * cos(ang) - b * sin(ang) - __bfloat162float(r_q[base + i])));
                err = std::max(err, fabs(b * cos(ang) + a * sin(ang) - __bfloat162float(r_q[base + 64 + i])));
            }
        report("rope", err, 2e-2);
    }
    kv_append_kernel<<<CEIL_DIV(TOKENS * KV_HEADS * 16, 256), 256>>>(k_cache, v_cache, k, v, pos, TOKENS);
    cudaCheck(cudaGetLastError());

    const float scale_log2 = 1.44269504f / sqrtf((float)HEAD_DIM);
    bf16 *att = device_alloc<bf16>((size_t)BATCH * HEADS * HEAD_DIM);
    bf16 *att2 = device_alloc<bf16>((size_t)BATCH * HEADS * HEAD_DIM);
    float *part_o = device_alloc<float>((size_t)BATCH * HEADS * SPLITS * HEAD_DIM);
    float2 *part_ml = device_alloc<float2>((size_t)BATCH * HEADS * SPLITS);
    decode_attention_warp_kernel<<<BATCH * HEADS / 4, 128>>>(att, q, k_cache, v_cache, len, scale_log2);
    cudaCheck(cudaGetLastError());
    decode_attention_split_kernel<<<dim3(SPLITS, KV_HEADS, BATCH), 128>>>(part_o, part_ml, q, k_cache, v_cache,
                                                                         len, scale_log2);
    cudaCheck(cudaGetLastError());
    decode_attention_combine_kernel<<<BATCH * HEADS, HEAD_DIM>>>(att2, part_o, part_ml);
    cudaCheck(cudaGetLastError());
    {
        std::vector<bf16> o1 = download(att, (size_t)BATCH * HEADS * HEAD_DIM);
        std::vector<bf16> o2 = download(att2, (size_t)BATCH * HEADS * HEAD_DIM);
        double e1 = 0, e2 = 0;
        for (int b = 0; b < BATCH; b += 5)
            for (int h = 0; h < HEADS; h += 13) {
                const size_t base = ((size_t)b * KV_HEADS + h / GROUP) * MAX_CTX * HEAD_DIM;
                std::vector<bf16> kc = download(k_cache + base, (size_t)MAX_CTX * HEAD_DIM);
                std::vector<bf16> vc = download(v_cache + base, (size_t)MAX_CTX * HEAD_DIM);
                const bf16 *qr = &r_q[(((size_t)b * CHUNK + CHUNK - 1) * HEADS + h) * HEAD_DIM];
                std::vector<double> s(h_len[b]);
                for (int t = 0; t < h_len[b]; t++) {
                    double d = 0;
                    for (int i = 0; i < HEAD_DIM; i++)
                        d += (double)__bfloat162float(qr[i]) * __bfloat162float(kc[(size_t)t * HEAD_DIM + i]);
                    s[t] = exp(d / sqrt((double)HEAD_DIM));
                }
                for (int pass = 0; pass < 2; pass++) {
                    const int first = pass == 0 ? std::max(0, h_len[b] - WINDOW) : 0;
                    std::vector<double> o(HEAD_DIM, 0.0);
                    double l = 0;
                    for (int t = first; t < h_len[b]; t++) {
                        l += s[t];
                        for (int i = 0; i < HEAD_DIM; i++)
                            o[i] += s[t] * __bfloat162float(vc[(size_t)t * HEAD_DIM + i]);
                    }
                    for (int i = 0; i < HEAD_DIM; i++) {
                        const size_t at = ((size_t)b * HEADS + h) * HEAD_DIM + i;
                        const double e = fabs(o[i] / l - __bfloat162float(pass == 0 ? o1[at] : o2[at]));
                        (pass == 0 ? e1 : e2) = std::max(pass == 0 ? e1 : e2, e);
                    }
                }
            }
        report("decode attention (warp)", e1, 1e-2);
        report("decode attention (split-K)", e2, 1e-2);
    }

    // --- silu gate ------------------------------------------------------------
    const int FT = 128, FFN = 11008;
    std::vector<bf16> h_gu = random_bf16((size_t)FT * 2 * FFN, 3.f);
    bf16 *gu = upload(h_gu), *act = device_alloc<bf16>((size_t)FT * FFN);
    silu_gate_kernel<<<CEIL_DIV(FT * FFN / 8, 256), 256>>>(act, gu, FT, FFN);
    cudaCheck(cudaGetLastError());
    {
        std::vector<bf16> o = download(act, (size_t)FT * FFN);
        double err = 0;
        for (int t = 0; t < FT; t += 7)
            for (int c = 0; c < FFN; c += 3) {
                const double g = __bfloat162float(h_gu[(size_t)t * 2 * FFN + c]);
                const double u = __bfloat162float(h_gu[(size_t)t * 2 * FFN + FFN + c]);
                err = std::max(err, fabs(g / (1 + exp(-g)) * u - __bfloat162float(o[(size_t)t * FFN + c])));
            }
        report("silu gate", err, 5e-2);
    }

    // --- mixture of experts ---------------------------------------------------
    std::vector<bf16> h_mx = random_bf16((size_t)MOE_T * MOE_H, 1.f);
    std::vector<bf16> h_wr = random_bf16((size_t)EXPERTS * MOE_H, 0.05f);
    bf16 *mx = upload(h_mx), *wr = upload(h_wr);
    int2 *top_idx = device_alloc<int2>(MOE_T);
    float2 *top_w = device_alloc<float2>(MOE_T);
    int *counts = device_alloc<int>(EXPERTS), *cursor = device_alloc<int>(EXPERTS);
    int2 *position = device_alloc<int2>(MOE_T);
    int *source_row = device_alloc<int>(MOE_T * 2);
    bf16 *gathered = device_alloc<bf16>((size_t)MOE_T * 2 * MOE_H), *combined = device_alloc<bf16>((size_t)MOE_T * MOE_H);
    moe_router_kernel<<<MOE_T / 8, 256>>>(top_idx, top_w, counts, mx, wr);
    cudaCheck(cudaGetLastError());
    moe_permute_kernel<<<CEIL_DIV(MOE_T * 2, 256), 256>>>((int *)position, source_row, cursor, counts,
                                                          (const int *)top_idx, MOE_T * 2);
    cudaCheck(cudaGetLastError());
    moe_gather_kernel<<<MOE_T * 2, MOE_H / 8>>>(gathered, mx, source_row);
    cudaCheck(cudaGetLastError());
    moe_combine_kernel<<<MOE_T, MOE_H / 8>>>(combined, gathered, position, top_w);
    cudaCheck(cudaGetLastError());
    {
        // identity experts: the combination must give the input back
        std::vector<bf16> o = download(combined, (size_t)MOE_T * MOE_H);
        double err = 0;
        for (size_t i = 0; i < o.size(); i += 3)
            err = std::max(err, (double)fabsf(__bfloat162float(o[i]) - __bfloat162float(h_mx[i])));
        std::vector<int2> ti = download(top_idx, MOE_T);
        int wrong = 0;
        for (int t = 0; t < MOE_T; t += 41) {
            double lg[EXPERTS];
            for (int e = 0; e < EXPERTS; e++) {
                lg[e] = 0;
                for (int i = 0; i < MOE_H; i++)
                    lg[e] += (double)__bfloat162float(h_mx[(size_t)t * MOE_H + i]) * __bfloat162float(h_wr[e * MOE_H + i]);
            }
            const double best = *std::max_element(lg, lg + EXPERTS);
            wrong += ti[t].x == ti[t].y || lg[ti[t].x] < best - 1e-3;
        }
        report("moe route/gather/combine", err + wrong, 2e-2);
    }

    // --- sampling -------------------------------------------------------------
    std::vector<float> h_logits((size_t)SAMPLE_ROWS * VOCAB), h_u(SAMPLE_ROWS);
    for (auto &x : h_logits) x = 8.f * random_f32() + 4.f * random_f32();
    for (auto &u : h_u) u = random_f32();
    float *logits = upload(h_logits), *uni = upload(h_u);
    float *probs = device_alloc<float>(h_logits.size()), *thr = device_alloc<float>(SAMPLE_ROWS);
    int *picked = device_alloc<int>(SAMPLE_ROWS);
    const float top_p = 0.9f;
    sample_softmax_kernel<<<SAMPLE_ROWS, 1024>>>(probs, logits, 1.f / 0.8f);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaFuncSetAttribute(top_p_sample_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   VOCAB * (int)sizeof(float)));
    top_p_sample_kernel<<<SAMPLE_ROWS, 1024, VOCAB * sizeof(float)>>>(picked, thr, probs, uni, top_p);
    cudaCheck(cudaGetLastError());
    {
        std::vector<float> p = download(probs, h_logits.size()), th = download(thr, SAMPLE_ROWS);
        std::vector<int> tk = download(picked, SAMPLE_ROWS);
        double err = 0;
        int wrong = 0;
        for (int r = 0; r < SAMPLE_ROWS; r++) {
            double sum = 0, mass = 0;
            for (int i = 0; i < VOCAB; i++) {
                const float x = p[(size_t)r * VOCAB + i];
                sum += x;
                if (x >= th[r]) mass += x;
            }
            err = std::max(err, fabs(sum - 1.0));
            wrong += mass < top_p - 1e-3 || tk[r] < 0 || tk[r] >= VOCAB || p[(size_t)r * VOCAB + tk[r]] < th[r];
        }
        report("softmax + top-p sampling", err + wrong, 1e-3);
    }

    cudaCheck(cudaDeviceSynchronize());
    printf("%s\n", failures ? "some results are off" : "all results agree");
    cudaCheck(cudaDeviceReset());
    return 0;
}
