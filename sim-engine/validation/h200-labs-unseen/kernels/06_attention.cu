// Attention, three ways.
//   * materialised:  preatt = QK^T, att = softmax(preatt), out = att V        (fp32)
//   * flash:         online softmax, one query row per thread                 (fp32)
//   * flash + mma:   FA2-style, 4 warps x 16 query rows, m16n8k16             (fp16 in, fp32 accumulate)
//   * backward:      delta preprocess + one block per K/V tile, dQ by atomics (fp32)
// layout everywhere: (B, NH, T, HS)
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <random>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define CHECK_CUDA(expr)                                                                         \
    if (auto status_ = (expr); status_ != cudaSuccess) {                                         \
        printf("%s failed at line %d: %s\n", #expr, __LINE__, cudaGetErrorString(status_));      \
        exit(1);                                                                                 \
    }
#define DIVUP(a, b) (((a) + (b) - 1) / (b))

constexpr int HS = 64;

// ------------------------------------------------------------------ materialised
// grid (tiles of keys, tiles of queries, B*NH), 16x16 threads
__global__ void qk_scores_kernel(float *preatt, const float *q, const float *k, int T, float scale)
{
    __shared__ float qs[16][HS + 1];
    __shared__ float ks[16][HS + 1];
    const int bh = blockIdx.z;
    const int t = blockIdx.y * 16 + threadIdx.y;
    const int t2 = blockIdx.x * 16 + threadIdx.x;
    const int tid = threadIdx.y * 16 + threadIdx.x;
    q += (size_t)bh * T * HS;
    k += (size_t)bh * T * HS;
    for (int i = tid; i < 16 * HS; i += 256) {
        int r = i / HS, c = i % HS;
        int tq = blockIdx.y * 16 + r, tk = blockIdx.x * 16 + r;
        qs[r][c] = tq < T ? q[tq * HS + c] : 0.f;
        ks[r][c] = tk < T ? k[tk * HS + c] : 0.f;
    }
    __syncthreads();
    if (t >= T || t2 >= T) return;
    float acc = 0.f;
#pragma unroll 8
    for (int c = 0; c < HS; c++) acc += qs[threadIdx.y][c] * ks[threadIdx.x][c];
    preatt[((size_t)bh * T + t) * T + t2] = t2 <= t ? acc * scale : -INFINITY;
}

__device__ float warp_max(float v)
{
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ float warp_sum(float v)
{
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

// one warp per row, in place
__global__ void softmax_rows_kernel(float *att, int rows, int T)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float *p = att + (size_t)row * T;
    float m = -INFINITY;
    for (int i = lane; i < T; i += 32) m = fmaxf(m, p[i]);
    m = warp_max(m);
    float s = 0.f;
    for (int i = lane; i < T; i += 32) {
        float e = __expf(p[i] - m);
        p[i] = e;
        s += e;
    }
    s = warp_sum(s);
    const float inv = 1.f / s;
    for (int i = lane; i < T; i += 32) p[i] *= inv;
}

// block (HS, 4)
__global__ void att_value_kernel(float *out, const float *att, const float *v, int T)
{
    const int bh = blockIdx.y;
    const int t = blockIdx.x * blockDim.y + threadIdx.y;
    const int d = threadIdx.x;
    if (t >= T) return;
    const float *a = att + ((size_t)bh * T + t) * T;
    const float *vv = v + (size_t)bh * T * HS;
    float acc = 0.f;
    for (int j = 0; j <= t; j++) acc += a[j] * vv[j * HS + d];
    out[((size_t)bh * T + t) * HS + d] = acc;
}

// ------------------------------------------------------------------ flash fp32
template <int BR, int BC>
__global__ void __launch_bounds__(BR) flash_fwd_f32(float *out, float *lse, const float *q, const float *k, const float *v,
                                                    int T, float scale)
{
    __shared__ float4 ks[BC][HS / 4];
    __shared__ float4 vs[BC][HS / 4];
    const int bh = blockIdx.y;
    const int row = blockIdx.x * BR + threadIdx.x;
    const float4 *q4 = reinterpret_cast<const float4 *>(q + (size_t)bh * T * HS);
    const float4 *k4 = reinterpret_cast<const float4 *>(k + (size_t)bh * T * HS);
    const float4 *v4 = reinterpret_cast<const float4 *>(v + (size_t)bh * T * HS);

    float4 qr[HS / 4], o[HS / 4];
#pragma unroll
    for (int i = 0; i < HS / 4; i++) {
        qr[i] = row < T ? q4[row * (HS / 4) + i] : make_float4(0, 0, 0, 0);
        o[i] = make_float4(0, 0, 0, 0);
    }
    float m = -INFINITY, l = 0.f;
    const int last = min(T, (int)(blockIdx.x + 1) * BR);  // causal: no key beyond the last query of the tile
    for (int j0 = 0; j0 < last; j0 += BC) {
        __syncthreads();
        for (int i = threadIdx.x; i < BC * (HS / 4); i += BR) {
            int r = i / (HS / 4), c = i % (HS / 4);
            bool ok = j0 + r < T;
            ks[r][c] = ok ? k4[(j0 + r) * (HS / 4) + c] : make_float4(0, 0, 0, 0);
            vs[r][c] = ok ? v4[(j0 + r) * (HS / 4) + c] : make_float4(0, 0, 0, 0);
        }
        __syncthreads();
        const int jend = min(BC, row - j0 + 1);
        if (row < T)
            for (int j = 0; j < jend; j++) {
                float s = 0.f;
#pragma unroll
                for (int c = 0; c < HS / 4; c++) {
                    float4 kk = ks[j][c];
                    s += qr[c].x * kk.x + qr[c].y * kk.y + qr[c].z * kk.z + qr[c].w * kk.w;
                }
                s *= scale;
                const float mn = fmaxf(m, s);
                const float corr = __expf(m - mn), p = __expf(s - mn);
                l = l * corr + p;
                m = mn;
#pragma unroll
                for (int c = 0; c < HS / 4; c++) {
                    float4 vv = vs[j][c];
                    o[c].x = o[c].x * corr + p * vv.x;
                    o[c].y = o[c].y * corr + p * vv.y;
                    o[c].z = o[c].z * corr + p * vv.z;
                    o[c].w = o[c].w * corr + p * vv.w;
                }
            }
    }
    if (row < T) {
        const float inv = 1.f / l;
        float4 *o4 = reinterpret_cast<float4 *>(out + ((size_t)bh * T + row) * HS);
#pragma unroll
        for (int c = 0; c < HS / 4; c++) o4[c] = make_float4(o[c].x * inv, o[c].y * inv, o[c].z * inv, o[c].w * inv);
        lse[(size_t)bh * T + row] = m + __logf(l);
    }
}

// ------------------------------------------------------------------ flash fp16 + mma.sync
__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void ldsm_x4(uint32_t (&r)[4], const half *p)
{
    uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}
__device__ __forceinline__ void ldsm_x2_trans(uint32_t &r0, uint32_t &r1, const half *p)
{
    uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\n" : "=r"(r0), "=r"(r1) : "r"(s));
}
__device__ __forceinline__ uint32_t pack_half2(float x, float y)
{
    half2 h = __floats2half2_rn(x, y);
    return *reinterpret_cast<uint32_t *>(&h);
}

template <int BC>
__global__ void __launch_bounds__(128) flash_fwd_f16_mma(half *out, const half *q, const half *k, const half *v, int T, float scale)
{
    constexpr int BR = 64, LD = HS + 8;
    __shared__ __align__(16) half qs[BR][LD];
    __shared__ __align__(16) half ks[BC][LD];
    __shared__ __align__(16) half vs[BC][LD];
    const int bh = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int g = lane / 4, tq = lane % 4;
    const int row0 = blockIdx.x * BR;
    q += (size_t)bh * T * HS;
    k += (size_t)bh * T * HS;
    v += (size_t)bh * T * HS;
    const uint4 zero = make_uint4(0, 0, 0, 0);

    for (int i = threadIdx.x; i < BR * HS / 8; i += 128) {
        int r = i / (HS / 8), c = (i % (HS / 8)) * 8;
        *reinterpret_cast<uint4 *>(&qs[r][c]) = row0 + r < T ? *reinterpret_cast<const uint4 *>(q + (row0 + r) * HS + c) : zero;
    }
    __syncthreads();
    uint32_t qf[HS / 16][4];
#pragma unroll
    for (int kk = 0; kk < HS / 16; kk++) ldsm_x4(qf[kk], &qs[warp * 16 + lane % 16][kk * 16 + (lane / 16) * 8]);

    float o[HS / 8][4] = {};
    float m[2] = {-1e30f, -1e30f}, l[2] = {0.f, 0.f};
    const int r_lo = row0 + warp * 16 + g;
    const int last = min(T, row0 + BR);
    for (int j0 = 0; j0 < last; j0 += BC) {
        __syncthreads();
        for (int i = threadIdx.x; i < BC * HS / 8; i += 128) {
            int r = i / (HS / 8), c = (i % (HS / 8)) * 8;
            bool ok = j0 + r < T;
            *reinterpret_cast<uint4 *>(&ks[r][c]) = ok ? *reinterpret_cast<const uint4 *>(k + (j0 + r) * HS + c) : zero;
            *reinterpret_cast<uint4 *>(&vs[r][c]) = ok ? *reinterpret_cast<const uint4 *>(v + (j0 + r) * HS + c) : zero;
        }
        __syncthreads();

        float s[BC / 8][4] = {};
#pragma unroll
        for (int n = 0; n < BC / 8; n++)
#pragma unroll
            for (int kk = 0; kk < HS / 16; kk++) {
                uint32_t b0 = *reinterpret_cast<const uint32_t *>(&ks[n * 8 + g][kk * 16 + tq * 2]);
                uint32_t b1 = *reinterpret_cast<const uint32_t *>(&ks[n * 8 + g][kk * 16 + tq * 2 + 8]);
                mma16816(s[n], qf[kk], b0, b1);
            }
        float mx[2] = {m[0], m[1]};
#pragma unroll
        for (int n = 0; n < BC / 8; n++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int col = j0 + n * 8 + tq * 2 + (e & 1);
                const int row = r_lo + (e >> 1) * 8;
                s[n][e] = (col <= row && col < T) ? s[n][e] * scale : -1e30f;
                mx[e >> 1] = fmaxf(mx[e >> 1], s[n][e]);
            }
        float corr[2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            mx[h] = fmaxf(mx[h], __shfl_xor_sync(~0u, mx[h], 1));
            mx[h] = fmaxf(mx[h], __shfl_xor_sync(~0u, mx[h], 2));
            corr[h] = __expf(m[h] - mx[h]);
            m[h] = mx[h];
            l[h] *= corr[h];
        }
#pragma unroll
        for (int n = 0; n < BC / 8; n++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                s[n][e] = __expf(s[n][e] - m[e >> 1]);
                l[e >> 1] += s[n][e];
            }
#pragma unroll
        for (int d = 0; d < HS / 8; d++)
#pragma unroll
            for (int e = 0; e < 4; e++) o[d][e] *= corr[e >> 1];
#pragma unroll
        for (int kk = 0; kk < BC / 16; kk++) {
            uint32_t pf[4] = {pack_half2(s[2 * kk][0], s[2 * kk][1]), pack_half2(s[2 * kk][2], s[2 * kk][3]),
                              pack_half2(s[2 * kk + 1][0], s[2 * kk + 1][1]), pack_half2(s[2 * kk + 1][2], s[2 * kk + 1][3])};
#pragma unroll
            for (int d = 0; d < HS / 8; d++) {
                uint32_t b0, b1;
                ldsm_x2_trans(b0, b1, &vs[kk * 16 + lane % 16][d * 8]);
                mma16816(o[d], pf, b0, b1);
            }
        }
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        l[h] += __shfl_xor_sync(~0u, l[h], 1);
        l[h] += __shfl_xor_sync(~0u, l[h], 2);
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int row = r_lo + h * 8;
        if (row < T) {
            const float inv = 1.f / l[h];
#pragma unroll
            for (int d = 0; d < HS / 8; d++)
                *reinterpret_cast<half2 *>(out + ((size_t)bh * T + row) * HS + d * 8 + tq * 2) =
                    __floats2half2_rn(o[d][2 * h] * inv, o[d][2 * h + 1] * inv);
        }
    }
}

// ------------------------------------------------------------------ backward
__global__ void bwd_delta_kernel(float *delta, const float *dout, const float *out, int rows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float2 a = reinterpret_cast<const float2 *>(dout + (size_t)row * HS)[threadIdx.x];
    float2 b = reinterpret_cast<const float2 *>(out + (size_t)row * HS)[threadIdx.x];
    float s = warp_sum(a.x * b.x + a.y * b.y);
    if (threadIdx.x == 0) delta[row] = s;
}

// 256 threads, 32 keys per block, walks over the query tiles that can see them
__global__ void __launch_bounds__(256) flash_bwd_f32(float *dq, float *dk, float *dv, const float *q, const float *k, const float *v,
                                                     const float *dout, const float *lse, const float *delta, int T, float scale)
{
    constexpr int BT = 32, LD = HS + 1;
    __shared__ float ks[BT][LD], vs[BT][LD], qs[BT][LD], dos[BT][LD];
    __shared__ float ps[BT][BT + 1], ds[BT][BT + 1];
    const int bh = blockIdx.y, j0 = blockIdx.x * BT, tid = threadIdx.x;
    const size_t base = (size_t)bh * T * HS;
    for (int i = tid; i < BT * HS; i += 256) {
        int r = i / HS, c = i % HS;
        bool ok = j0 + r < T;
        ks[r][c] = ok ? k[base + (j0 + r) * HS + c] : 0.f;
        vs[r][c] = ok ? v[base + (j0 + r) * HS + c] : 0.f;
    }
    // each thread owns column d of 8 key rows
    const int d = tid % HS, rbase = tid / HS;  // rows rbase, rbase+4, ...
    float adk[8] = {}, adv[8] = {};
    for (int i0 = j0; i0 < T; i0 += BT) {
        __syncthreads();
        for (int i = tid; i < BT * HS; i += 256) {
            int r = i / HS, c = i % HS;
            bool ok = i0 + r < T;
            qs[r][c] = ok ? q[base + (i0 + r) * HS + c] : 0.f;
            dos[r][c] = ok ? dout[base + (i0 + r) * HS + c] : 0.f;
        }
        __syncthreads();
        for (int e = tid; e < BT * BT; e += 256) {
            const int r = e / BT, c = e % BT;
            float p = 0.f, g = 0.f;
            if (i0 + r < T && j0 + c <= i0 + r) {
                float s = 0.f, dp = 0.f;
                for (int x = 0; x < HS; x++) {
                    s += qs[r][x] * ks[c][x];
                    dp += dos[r][x] * vs[c][x];
                }
                p = __expf(s * scale - lse[(size_t)bh * T + i0 + r]);
                g = p * (dp - delta[(size_t)bh * T + i0 + r]) * scale;
            }
            ps[r][c] = p;
            ds[r][c] = g;
        }
        __syncthreads();
#pragma unroll
        for (int u = 0; u < 8; u++) {
            const int c = rbase + 4 * u;
            for (int r = 0; r < BT; r++) {
                adv[u] += ps[r][c] * dos[r][d];
                adk[u] += ds[r][c] * qs[r][d];
            }
        }
#pragma unroll
        for (int u = 0; u < 8; u++) {
            const int r = rbase + 4 * u;
            float a = 0.f;
            for (int c = 0; c < BT; c++) a += ds[r][c] * ks[c][d];
            if (i0 + r < T) atomicAdd(&dq[base + (i0 + r) * HS + d], a);
        }
    }
#pragma unroll
    for (int u = 0; u < 8; u++) {
        const int r = rbase + 4 * u;
        if (j0 + r < T) {
            dk[base + (j0 + r) * HS + d] = adk[u];
            dv[base + (j0 + r) * HS + d] = adv[u];
        }
    }
}

// ------------------------------------------------------------------ host
static bool g_ok = true;
static void compare(const char *what, const std::vector<float> &a, const std::vector<double> &b, size_t off, double tol)
{
    double worst = 0;
    for (size_t i = 0; i < b.size(); i++) worst = fmax(worst, fabs(a[off + i] - b[i]));
    printf("%-22s max abs err %.3e %s\n", what, worst, worst < tol ? "" : "<-- BAD");
    if (!(worst < tol)) g_ok = false;
}
static std::vector<float> download(const float *d, size_t n)
{
    std::vector<float> h(n);
    CHECK_CUDA(cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost));
    return h;
}

int main()
{
    const int B = 2, NH = 6, T = 437, BH = B * NH;
    const size_t n = (size_t)BH * T * HS;
    const float scale = 1.f / sqrtf((float)HS);
    printf("B=%d NH=%d T=%d HS=%d\n", B, NH, T, HS);

    std::vector<float> q(n), k(n), v(n), go(n);
    std::default_random_engine eng(1337);
    std::normal_distribution<float> nd(0.f, 1.f);
    for (size_t i = 0; i < n; i++) { q[i] = nd(eng); k[i] = nd(eng); v[i] = nd(eng); go[i] = nd(eng); }
    std::vector<half> qh(n), kh(n), vh(n), oh(n);
    for (size_t i = 0; i < n; i++) { qh[i] = __float2half(q[i]); kh[i] = __float2half(k[i]); vh[i] = __float2half(v[i]); }

    float *dq_, *dk_, *dv_, *d_go, *d_out, *d_att, *d_lse, *d_delta, *g_q, *g_k, *g_v;
    half *d_qh, *d_kh, *d_vh, *d_oh;
    for (float **p : {&dq_, &dk_, &dv_, &d_go, &d_out, &g_q, &g_k, &g_v}) CHECK_CUDA(cudaMalloc(p, n * sizeof(float)));
    for (half **p : {&d_qh, &d_kh, &d_vh, &d_oh}) CHECK_CUDA(cudaMalloc(p, n * sizeof(half)));
    CHECK_CUDA(cudaMalloc(&d_att, (size_t)BH * T * T * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_lse, (size_t)BH * T * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_delta, (size_t)BH * T * sizeof(float)));
    CHECK_CUDA(cudaMemcpy(dq_, q.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(dk_, k.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(dv_, v.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_go, go.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_qh, qh.data(), n * 2, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_kh, kh.data(), n * 2, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_vh, vh.data(), n * 2, cudaMemcpyHostToDevice));

    // CPU reference of the last head, forward and backward, in double
    const int hd = BH - 1;
    const size_t off = (size_t)hd * T * HS;
    std::vector<double> ro(T * HS, 0.0), rdq(T * HS, 0.0), rdk(T * HS, 0.0), rdv(T * HS, 0.0), p(T);
    for (int t = 0; t < T; t++) {
        double mx = -1e300, sum = 0, delta = 0;
        for (int j = 0; j <= t; j++) {
            double s = 0;
            for (int c = 0; c < HS; c++) s += (double)q[off + t * HS + c] * k[off + j * HS + c];
            p[j] = s * scale;
            mx = fmax(mx, p[j]);
        }
        for (int j = 0; j <= t; j++) { p[j] = exp(p[j] - mx); sum += p[j]; }
        for (int j = 0; j <= t; j++) {
            p[j] /= sum;
            for (int c = 0; c < HS; c++) ro[t * HS + c] += p[j] * v[off + j * HS + c];
        }
        for (int c = 0; c < HS; c++) delta += ro[t * HS + c] * go[off + t * HS + c];
        for (int j = 0; j <= t; j++) {
            double dp = 0;
            for (int c = 0; c < HS; c++) dp += (double)go[off + t * HS + c] * v[off + j * HS + c];
            double dsj = p[j] * (dp - delta) * scale;
            for (int c = 0; c < HS; c++) {
                rdv[j * HS + c] += p[j] * go[off + t * HS + c];
                rdq[t * HS + c] += dsj * k[off + j * HS + c];
                rdk[j * HS + c] += dsj * q[off + t * HS + c];
            }
        }
    }

    // 1. materialised
    qk_scores_kernel<<<dim3(DIVUP(T, 16), DIVUP(T, 16), BH), dim3(16, 16)>>>(d_att, dq_, dk_, T, scale);
    CHECK_CUDA(cudaGetLastError());
    softmax_rows_kernel<<<DIVUP(BH * T, 8), 256>>>(d_att, BH * T, T);
    CHECK_CUDA(cudaGetLastError());
    att_value_kernel<<<dim3(DIVUP(T, 4), BH), dim3(HS, 4)>>>(d_out, d_att, dv_, T);
    CHECK_CUDA(cudaGetLastError());
    compare("materialised", download(d_out, n), ro, off, 1e-4);

    // 2. flash, fp32
    CHECK_CUDA(cudaMemset(d_out, 0, n * 4));
    flash_fwd_f32<64, 32><<<dim3(DIVUP(T, 64), BH), 64>>>(d_out, d_lse, dq_, dk_, dv_, T, scale);
    CHECK_CUDA(cudaGetLastError());
    compare("flash fp32", download(d_out, n), ro, off, 1e-4);

    // 3. flash, fp16 tensor cores
    flash_fwd_f16_mma<48><<<dim3(DIVUP(T, 64), BH), 128>>>(d_oh, d_qh, d_kh, d_vh, T, scale);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(oh.data(), d_oh, n * 2, cudaMemcpyDeviceToHost));
    std::vector<float> of(n);
    for (size_t i = 0; i < n; i++) of[i] = __half2float(oh[i]);
    compare("flash fp16 mma", of, ro, off, 1e-2);

    // 4. backward
    bwd_delta_kernel<<<DIVUP(BH * T, 6), dim3(32, 6)>>>(d_delta, d_go, d_out, BH * T);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemset(g_q, 0, n * 4));
    flash_bwd_f32<<<dim3(DIVUP(T, 32), BH), 256>>>(g_q, g_k, g_v, dq_, dk_, dv_, d_go, d_lse, d_delta, T, scale);
    CHECK_CUDA(cudaGetLastError());
    compare("backward dQ", download(g_q, n), rdq, off, 1e-3);
    compare("backward dK", download(g_k, n), rdk, off, 1e-3);
    compare("backward dV", download(g_v, n), rdv, off, 1e-3);

    for (float *ptr : {dq_, dk_, dv_, d_go, d_out, d_att, d_lse, d_delta, g_q, g_k, g_v}) cudaFree(ptr);
    for (half *ptr : {d_qh, d_kh, d_vh, d_oh}) cudaFree(ptr);
    printf(g_ok ? "OK\n" : "FAILED\n");
    return g_ok ? 0 : 1;
}
