/* Attention forward: from three naive kernels to flash attention and a decode kernel.
   qkv is (B, T, 3, NH, HS) as it comes from the projection. Causal. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <float.h>

#define CEIL(a, b) (((a) + (b)-1) / (b))
#define cudaCheckErrors(msg)                                                              \
    do {                                                                                  \
        cudaError_t __err = cudaGetLastError();                                           \
        if (__err != cudaSuccess) {                                                       \
            fprintf(stderr, "Fatal error: %s (%s at %s:%d)\n", msg, cudaGetErrorString(__err), __FILE__, __LINE__); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

// ---------------------------------------------------------------- layout
__global__ void permute_kernel(float* q, float* k, float* v, const float* inp, int B, int T, int NH, int HS) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;   // over (B, NH, T, HS)
    if (idx >= B * NH * T * HS) return;
    int b = idx / (NH * T * HS);
    int rest = idx % (NH * T * HS);
    int nh = rest / (T * HS);
    rest = rest % (T * HS);
    int t = rest / HS;
    int d = rest % HS;
    int inp_idx = (b * T * 3 * NH * HS) + (t * 3 * NH * HS) + (0 * NH * HS) + (nh * HS) + d;
    q[idx] = __ldcs(&inp[inp_idx]);
    k[idx] = __ldcs(&inp[inp_idx + NH * HS]);
    v[idx] = __ldcs(&inp[inp_idx + 2 * NH * HS]);
}

__global__ void unpermute_kernel(const float* inp, float* out, int B, int T, int NH, int HS) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * NH * T * HS) return;
    int b = idx / (NH * T * HS);
    int rest = idx % (NH * T * HS);
    int nh = rest / (T * HS);
    rest = rest % (T * HS);
    int t = rest / HS;
    int d = rest % HS;
    out[(b * T * NH * HS) + (t * NH * HS) + (nh * HS) + d] = __ldcs(&inp[idx]);
}

// ---------------------------------------------------------------- naive trio
__global__ void attention_query_key_kernel(float* preatt, const float* qkv, int B, int T, int C, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * NH * T * T) return;
    int t2 = idx % T;
    int t = (idx / T) % T;
    if (t2 > t) { preatt[idx] = -INFINITY; return; }
    int h = (idx / (T * T)) % NH;
    int b = idx / (NH * T * T);
    int C3 = C * 3, hs = C / NH;
    const float* query_t = qkv + b * T * C3 + t * C3 + h * hs;
    const float* key_t2 = qkv + b * T * C3 + t2 * C3 + h * hs + C;
    float val = 0.0f;
    for (int i = 0; i < hs; i++) val += query_t[i] * key_t2[i];
    preatt[idx] = val / sqrtf((float)hs);
}

__global__ void attention_softmax_kernel(float* att, const float* preatt, int rows, int T) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows) return;
    int t = row % T;
    const float* p = preatt + (size_t)row * T;
    float* a = att + (size_t)row * T;
    float m = -FLT_MAX, s = 0.f;
    for (int i = lane; i <= t; i += 32) m = fmaxf(m, p[i]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    for (int i = lane; i <= t; i += 32) s += expf(p[i] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    for (int i = lane; i < T; i += 32) a[i] = i <= t ? expf(p[i] - m) / s : 0.f;
}

__global__ void attention_value_kernel(float* out, const float* att, const float* qkv, int B, int T, int C, int NH) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;   // one output element each
    if (idx >= B * T * C) return;
    int hs = C / NH, C3 = 3 * C;
    int d = idx % hs, h = (idx / hs) % NH, t = (idx / C) % T, b = idx / (C * T);
    const float* a = att + ((size_t)(b * NH + h) * T + t) * T;
    const float* v = qkv + b * T * C3 + 2 * C + h * hs + d;
    float acc = 0.f;
    for (int t2 = 0; t2 <= t; t2++) acc += a[t2] * v[t2 * C3];
    out[idx] = acc;
}

// ---------------------------------------------------------------- flash 1: outer loop over K/V, statistics in HBM
// grid (B, nh), block Bc == Br threads, q k v (B, nh, N, d)
__global__ void flash1_forward_kernel(const float* Q, const float* K, const float* V, const int N, const int d,
                                      const int Tc, const int Tr, const int Bc, const int Br, const float softmax_scale,
                                      float* l, float* m, float* O) {
    int tx = threadIdx.x;
    int bx = blockIdx.x, by = blockIdx.y;
    int qkv_offset = (bx * gridDim.y * N * d) + (by * N * d);
    int lm_offset = (bx * gridDim.y * N) + (by * N);

    extern __shared__ float sram[];
    int tile_size = Bc * d;
    float* Qi = sram;
    float* Kj = &sram[tile_size];
    float* Vj = &sram[tile_size * 2];
    float* S = &sram[tile_size * 3];        // Bc x Br, column tx private to the thread row

    for (int j = 0; j < Tc; j++) {
        for (int x = 0; x < d; x++) {
            Kj[(tx * d) + x] = K[qkv_offset + (tile_size * j) + (tx * d) + x];
            Vj[(tx * d) + x] = V[qkv_offset + (tile_size * j) + (tx * d) + x];
        }
        __syncthreads();
        for (int i = j; i < Tr; i++) {     // causal: rows above the diagonal block see nothing of it
            for (int x = 0; x < d; x++) Qi[(tx * d) + x] = Q[qkv_offset + (tile_size * i) + (tx * d) + x];
            float row_m_prev = m[lm_offset + (Br * i) + tx];
            float row_l_prev = l[lm_offset + (Br * i) + tx];

            float row_m = -INFINITY;
            for (int y = 0; y < Bc; y++) {
                float sum = 0;
                if (j * Bc + y <= i * Br + tx) {
                    for (int x = 0; x < d; x++) sum += Qi[(tx * d) + x] * Kj[(y * d) + x];
                    sum *= softmax_scale;
                } else sum = -INFINITY;
                S[(Bc * tx) + y] = sum;
                if (sum > row_m) row_m = sum;
            }
            float row_l = 0;
            for (int y = 0; y < Bc; y++) {
                S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);
                row_l += S[(Bc * tx) + y];
            }
            float row_m_new = fmaxf(row_m_prev, row_m);
            float row_l_new = (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);
            for (int x = 0; x < d; x++) {
                float pv = 0;
                for (int y = 0; y < Bc; y++) pv += S[(Bc * tx) + y] * Vj[(y * d) + x];
                float* o = &O[qkv_offset + (tile_size * i) + (tx * d) + x];
                *o = (1 / row_l_new) * ((row_l_prev * __expf(row_m_prev - row_m_new) * (*o)) + (__expf(row_m - row_m_new) * pv));
            }
            m[lm_offset + (Br * i) + tx] = row_m_new;
            l[lm_offset + (Br * i) + tx] = row_l_new;
        }
        __syncthreads();
    }
}

// ---------------------------------------------------------------- flash 2 style: a block per 64 queries, 4 warps,
// each warp 16 query rows; two lanes share a row (each half of the head dim)
template <int HS, int KT>
__global__ void __launch_bounds__(128) flash2_forward_kernel(const float* __restrict__ q, const float* __restrict__ k,
                                                             const float* __restrict__ v, float* __restrict__ out,
                                                             float* __restrict__ lse, int T, float scale) {
    constexpr int H2 = HS / 2;
    __shared__ __align__(16) float sk[KT][HS];
    __shared__ __align__(16) float sv[KT][HS];
    const int bh = blockIdx.y;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int qt = gridDim.x - 1 - blockIdx.x;          // long tiles first
    const int row = qt * 64 + warp * 16 + lane / 2;
    const int half_id = lane & 1;
    const size_t base = (size_t)bh * T * HS;

    float qr[H2], acc[H2];
    // interleave float4 groups between the two lanes: group g of lane h is columns (2g+h)*4
#pragma unroll
    for (int g = 0; g < H2 / 4; g++) {
        float4 t = *reinterpret_cast<const float4*>(q + base + (size_t)row * HS + (2 * g + half_id) * 4);
        qr[g * 4] = t.x * scale; qr[g * 4 + 1] = t.y * scale; qr[g * 4 + 2] = t.z * scale; qr[g * 4 + 3] = t.w * scale;
    }
#pragma unroll
    for (int i = 0; i < H2; i++) acc[i] = 0.f;
    float m = -FLT_MAX, l = 0.f;

    const int kend = (qt + 1) * 64;
    for (int k0 = 0; k0 < kend; k0 += KT) {
        __syncthreads();
        for (int i = threadIdx.x; i < KT * HS / 4; i += 128) {
            int r = i / (HS / 4), c = i % (HS / 4) * 4;
            *reinterpret_cast<float4*>(&sk[r][c]) = *reinterpret_cast<const float4*>(k + base + (size_t)(k0 + r) * HS + c);
            *reinterpret_cast<float4*>(&sv[r][c]) = *reinterpret_cast<const float4*>(v + base + (size_t)(k0 + r) * HS + c);
        }
        __syncthreads();
        for (int j = 0; j < KT; j++) {
            float s = 0.f;
#pragma unroll
            for (int g = 0; g < H2 / 4; g++) {
                float4 t = *reinterpret_cast<const float4*>(&sk[j][(2 * g + half_id) * 4]);
                s += qr[g * 4] * t.x + qr[g * 4 + 1] * t.y + qr[g * 4 + 2] * t.z + qr[g * 4 + 3] * t.w;
            }
            s += __shfl_xor_sync(0xffffffffu, s, 1);
            if (k0 + j > row) s = -FLT_MAX;
            float m_new = fmaxf(m, s);
            float corr = __expf(m - m_new);
            float p = k0 + j > row ? 0.f : __expf(s - m_new);
            l = l * corr + p;
            m = m_new;
#pragma unroll
            for (int g = 0; g < H2 / 4; g++) {
                float4 t = *reinterpret_cast<const float4*>(&sv[j][(2 * g + half_id) * 4]);
                acc[g * 4] = acc[g * 4] * corr + p * t.x;
                acc[g * 4 + 1] = acc[g * 4 + 1] * corr + p * t.y;
                acc[g * 4 + 2] = acc[g * 4 + 2] * corr + p * t.z;
                acc[g * 4 + 3] = acc[g * 4 + 3] * corr + p * t.w;
            }
        }
    }
    const float inv = 1.f / l;
#pragma unroll
    for (int g = 0; g < H2 / 4; g++)
        *reinterpret_cast<float4*>(out + base + (size_t)row * HS + (2 * g + half_id) * 4) =
            make_float4(acc[g * 4] * inv, acc[g * 4 + 1] * inv, acc[g * 4 + 2] * inv, acc[g * 4 + 3] * inv);
    if (half_id == 0) lse[(size_t)bh * T + row] = m + logf(l);
}

// ---------------------------------------------------------------- decode: one query per (b, head), cache (B, NH, Tmax, HS)
// a block per (b,h); each warp strides over cached positions, partial results merged in shared memory
template <int HS>
__global__ void decode_attention_kernel(const float* q, const float* kc, const float* vc, float* out, const int* lens,
                                        int NH, int Tmax, float scale) {
    constexpr int PER = HS / 32;
    const int b = blockIdx.y, h = blockIdx.x, warp = threadIdx.x >> 5, lane = threadIdx.x & 31, nw = blockDim.x >> 5;
    const size_t bh = (size_t)b * NH + h;
    const float* K = kc + bh * Tmax * HS;
    const float* V = vc + bh * Tmax * HS;
    float qv[PER], acc[PER], m = -FLT_MAX, l = 0.f;
    for (int i = 0; i < PER; i++) { qv[i] = q[bh * HS + i * 32 + lane] * scale; acc[i] = 0.f; }
    const int len = lens[b];
    for (int t = warp; t < len; t += nw) {
        float s = 0.f;
#pragma unroll
        for (int i = 0; i < PER; i++) s += qv[i] * K[(size_t)t * HS + i * 32 + lane];
        for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
        l = l * c + p;
        m = mn;
#pragma unroll
        for (int i = 0; i < PER; i++) acc[i] = acc[i] * c + p * V[(size_t)t * HS + i * 32 + lane];
    }
    __shared__ float sm[32], sl[32], sacc[32][HS];
    if (lane == 0) { sm[warp] = m; sl[warp] = l; }
    for (int i = 0; i < PER; i++) sacc[warp][i * 32 + lane] = acc[i];
    __syncthreads();
    for (int d = threadIdx.x; d < HS; d += blockDim.x) {
        float M = -FLT_MAX, L = 0.f, A = 0.f;
        for (int w = 0; w < nw; w++) M = fmaxf(M, sm[w]);
        for (int w = 0; w < nw; w++) {
            float c = __expf(sm[w] - M);
            L += sl[w] * c;
            A += sacc[w][d] * c;
        }
        out[bh * HS + d] = A / L;
    }
}

int main(void) {
    const int B = 4, T = 512, NH = 12, HS = 64, C = NH * HS;
    const size_t n = (size_t)B * T * C;
    float* h = (float*)malloc(3 * n * sizeof(float));
    srand(1337);
    for (size_t i = 0; i < 3 * n; i++) h[i] = (rand() / (float)RAND_MAX) * 2.f - 1.f;
    float *qkv, *q, *k, *v, *pre, *att, *o1, *o2, *o3, *l, *m, *of, *dec;
    int* lens;
    cudaMalloc(&qkv, 3 * n * 4);
    cudaMalloc(&q, n * 4); cudaMalloc(&k, n * 4); cudaMalloc(&v, n * 4);
    cudaMalloc(&pre, (size_t)B * NH * T * T * 4); cudaMalloc(&att, (size_t)B * NH * T * T * 4);
    cudaMalloc(&o1, n * 4); cudaMalloc(&o2, n * 4); cudaMalloc(&o3, n * 4); cudaMalloc(&of, n * 4);
    cudaMalloc(&l, (size_t)B * NH * T * 4); cudaMalloc(&m, (size_t)B * NH * T * 4);
    cudaMalloc(&dec, (size_t)B * NH * HS * 4); cudaMalloc(&lens, B * 4);
    cudaMemcpy(qkv, h, 3 * n * 4, cudaMemcpyHostToDevice);
    cudaCheckErrors("setup");
    const float scale = 1.f / sqrtf((float)HS);

    permute_kernel<<<CEIL(n, 256), 256>>>(q, k, v, qkv, B, T, NH, HS);
    attention_query_key_kernel<<<CEIL(B * NH * T * T, 256), 256>>>(pre, qkv, B, T, C, NH);
    attention_softmax_kernel<<<CEIL(B * NH * T, 8), 256>>>(att, pre, B * NH * T, T);
    attention_value_kernel<<<CEIL(B * T * C, 256), 256>>>(o1, att, qkv, B, T, C, NH);
    cudaCheckErrors("naive");

    {   // flash 1
        const int Bc = 32, Br = 32;
        float* ninf = (float*)malloc((size_t)B * NH * T * 4);
        for (int i = 0; i < B * NH * T; i++) ninf[i] = -INFINITY;
        cudaMemcpy(m, ninf, (size_t)B * NH * T * 4, cudaMemcpyHostToDevice);
        cudaMemset(l, 0, (size_t)B * NH * T * 4);
        cudaMemset(o2, 0, n * 4);
        const int smem = (3 * Bc * HS + Bc * Br) * 4;
        // only the first 128 positions of each sequence would be too easy; run it on a short problem of its own
        const int N1 = 128, BH = B * T / N1;     // reinterpret the buffers as (BH, NH, 128, HS)
        flash1_forward_kernel<<<dim3(BH, NH), Bc, smem>>>(q, k, v, N1, HS, N1 / Bc, N1 / Br, Bc, Br, scale, l, m, o2);
        cudaCheckErrors("flash1");
        free(ninf);
    }
    flash2_forward_kernel<HS, 32><<<dim3(T / 64, B * NH), 128>>>(q, k, v, of, l, T, scale);
    unpermute_kernel<<<CEIL(n, 256), 256>>>(of, o3, B, T, NH, HS);
    cudaCheckErrors("flash2");

    // decode: the last query against the permuted K/V as cache, full length for b=0 and shorter for the others
    int hl[B];
    for (int b = 0; b < B; b++) hl[b] = T - 100 * b;
    cudaMemcpy(lens, hl, sizeof(hl), cudaMemcpyHostToDevice);
    float* dq;
    cudaMalloc(&dq, (size_t)B * NH * HS * 4);
    for (int bh = 0; bh < B * NH; bh++)
        cudaMemcpy(dq + bh * HS, q + ((size_t)bh * T + hl[bh / NH] - 1) * HS, HS * 4, cudaMemcpyDeviceToDevice);
    decode_attention_kernel<HS><<<dim3(NH, B), 256>>>(dq, k, v, dec, lens, NH, T, scale);
    cudaCheckErrors("decode");

    float *a = (float*)malloc(n * 4), *c = (float*)malloc(n * 4), *d = (float*)malloc(B * C * 4);
    cudaMemcpy(a, o1, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(c, o3, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(d, dec, B * C * 4, cudaMemcpyDeviceToHost);
    cudaCheckErrors("copies");
    float e1 = 0, e2 = 0;
    for (size_t i = 0; i < n; i++) e1 = fmaxf(e1, fabsf(a[i] - c[i]));
    for (int b = 0; b < B; b++)
        for (int i = 0; i < C; i++) e2 = fmaxf(e2, fabsf(d[b * C + i] - a[((size_t)b * T + hl[b] - 1) * C + i]));
    cudaMemcpy(c, o2, n * 4, cudaMemcpyDeviceToHost);
    printf("naive vs flash2 %e, naive vs decode %e, flash1 o[0]=%f o[last]=%f\n", e1, e2, c[0], c[n - 1]);
    return 0;
}
