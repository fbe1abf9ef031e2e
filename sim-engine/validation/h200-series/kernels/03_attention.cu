// Attention kernels.
//   prefill: fp32 thread-per-row, fp32 64x64 tiled, fp16 tensor core (full / causal)
//   decode : one CTA per query head, and split-K (flash-decoding) with GQA + combine
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

static void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s:%d\n", cudaGetErrorString(code), file, line);
        exit(3);
    }
}
#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)

constexpr int kHeadsTotal = 24;  // batch * heads for prefill
constexpr int kSeq = 1024;
constexpr int kDim = 64;

// ===================================================================== prefill, fp32
// One query row per thread; keys streamed through shared memory in chunks.
template <int D, int KT, int CHUNK>
__global__ void __launch_bounds__(128)
    attn_fwd_row_per_thread(const float *__restrict__ Q, const float *__restrict__ K,
                            const float *__restrict__ V, float *__restrict__ O, int S, float scale) {
    __shared__ float4 sK[KT][D / 4];
    __shared__ float4 sV[KT][D / 4];
    const size_t head = (size_t)blockIdx.y * S * D;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int ld = row < S ? row : S - 1;

    float4 q[D / 4], o[D / 4];
    const float4 *qp = reinterpret_cast<const float4 *>(Q + head + (size_t)ld * D);
#pragma unroll
    for (int i = 0; i < D / 4; ++i) {
        float4 t = qp[i];
        q[i] = make_float4(t.x * scale, t.y * scale, t.z * scale, t.w * scale);
        o[i] = make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float m = -INFINITY, l = 0.f;

    for (int k0 = 0; k0 < S; k0 += KT) {
        const float4 *kp = reinterpret_cast<const float4 *>(K + head + (size_t)k0 * D);
        const float4 *vp = reinterpret_cast<const float4 *>(V + head + (size_t)k0 * D);
        for (int i = threadIdx.x; i < KT * D / 4; i += blockDim.x) {
            sK[i / (D / 4)][i % (D / 4)] = kp[i];
            sV[i / (D / 4)][i % (D / 4)] = vp[i];
        }
        __syncthreads();
        for (int c = 0; c < KT; c += CHUNK) {
            float s[CHUNK];
            float cm = m;
#pragma unroll
            for (int j = 0; j < CHUNK; ++j) {
                float acc = 0.f;
#pragma unroll
                for (int i = 0; i < D / 4; ++i) {
                    const float4 k = sK[c + j][i];
                    acc += q[i].x * k.x + q[i].y * k.y + q[i].z * k.z + q[i].w * k.w;
                }
                s[j] = acc;
                cm = fmaxf(cm, acc);
            }
            const float corr = __expf(m - cm);
            m = cm;
            l *= corr;
#pragma unroll
            for (int i = 0; i < D / 4; ++i) {
                o[i].x *= corr; o[i].y *= corr; o[i].z *= corr; o[i].w *= corr;
            }
#pragma unroll
            for (int j = 0; j < CHUNK; ++j) {
                const float p = __expf(s[j] - m);
                l += p;
#pragma unroll
                for (int i = 0; i < D / 4; ++i) {
                    const float4 v = sV[c + j][i];
                    o[i].x += p * v.x; o[i].y += p * v.y; o[i].z += p * v.z; o[i].w += p * v.w;
                }
            }
        }
        __syncthreads();
    }
    if (row < S) {
        const float inv = 1.f / l;
        float4 *op = reinterpret_cast<float4 *>(O + head + (size_t)row * D);
#pragma unroll
        for (int i = 0; i < D / 4; ++i)
            op[i] = make_float4(o[i].x * inv, o[i].y * inv, o[i].z * inv, o[i].w * inv);
    }
}

// 64x64 score tile, 16x16 threads, 4x4 registers each.
struct TiledSmem {
    float q[64][68];   // q[d][row]
    float k[64][68];   // k[d][key]
    float v[64][64];   // v[key][d]
    float p[64][68];   // p[key][row]
};

__global__ void __launch_bounds__(256)
    attn_fwd_tiled_fp32(const float *__restrict__ Q, const float *__restrict__ K,
                        const float *__restrict__ V, float *__restrict__ O, int S, float scale) {
    extern __shared__ __align__(16) unsigned char raw[];
    TiledSmem &sm = *reinterpret_cast<TiledSmem *>(raw);
    const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4;
    const size_t head = (size_t)blockIdx.y * S * 64;
    const int q0 = blockIdx.x * 64;

    for (int i = tid; i < 64 * 16; i += 256) {
        const int r = i >> 4, c = (i & 15) * 4;
        const float4 t = *reinterpret_cast<const float4 *>(Q + head + (size_t)(q0 + r) * 64 + c);
        sm.q[c + 0][r] = t.x * scale;
        sm.q[c + 1][r] = t.y * scale;
        sm.q[c + 2][r] = t.z * scale;
        sm.q[c + 3][r] = t.w * scale;
    }
    float m[4], l[4], o[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        m[i] = -INFINITY;
        l[i] = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) o[i][j] = 0.f;
    }

    for (int k0 = 0; k0 < S; k0 += 64) {
        __syncthreads();
        for (int i = tid; i < 64 * 16; i += 256) {
            const int r = i >> 4, c = (i & 15) * 4;
            const float4 t = *reinterpret_cast<const float4 *>(K + head + (size_t)(k0 + r) * 64 + c);
            sm.k[c + 0][r] = t.x;
            sm.k[c + 1][r] = t.y;
            sm.k[c + 2][r] = t.z;
            sm.k[c + 3][r] = t.w;
            *reinterpret_cast<float4 *>(&sm.v[r][c]) =
                *reinterpret_cast<const float4 *>(V + head + (size_t)(k0 + r) * 64 + c);
        }
        __syncthreads();

        float s[4][4] = {};
#pragma unroll 8
        for (int d = 0; d < 64; ++d) {
            const float4 a = *reinterpret_cast<const float4 *>(&sm.q[d][ty * 4]);
            const float4 b = *reinterpret_cast<const float4 *>(&sm.k[d][tx * 4]);
            const float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) s[i][j] = fmaf(av[i], bv[j], s[i][j]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float mx = fmaxf(fmaxf(s[i][0], s[i][1]), fmaxf(s[i][2], s[i][3]));
#pragma unroll
            for (int w = 8; w > 0; w >>= 1) mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, w));
            const float mn = fmaxf(m[i], mx);
            const float corr = __expf(m[i] - mn);
            m[i] = mn;
            float sum = 0.f;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[i][j] = __expf(s[i][j] - mn);
                sum += s[i][j];
            }
#pragma unroll
            for (int w = 8; w > 0; w >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, w);
            l[i] = l[i] * corr + sum;
#pragma unroll
            for (int j = 0; j < 4; ++j) o[i][j] *= corr;
        }
#pragma unroll
        for (int j = 0; j < 4; ++j)
            *reinterpret_cast<float4 *>(&sm.p[tx * 4 + j][ty * 4]) =
                make_float4(s[0][j], s[1][j], s[2][j], s[3][j]);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; ++k) {
            const float4 a = *reinterpret_cast<const float4 *>(&sm.p[k][ty * 4]);
            const float4 b = *reinterpret_cast<const float4 *>(&sm.v[k][tx * 4]);
            const float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) o[i][j] = fmaf(av[i], bv[j], o[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float inv = 1.f / l[i];
        *reinterpret_cast<float4 *>(O + head + (size_t)(q0 + ty * 4 + i) * 64 + tx * 4) =
            make_float4(o[i][0] * inv, o[i][1] * inv, o[i][2] * inv, o[i][3] * inv);
    }
}

// ===================================================================== prefill, fp16 mma
namespace ptx {
__device__ __forceinline__ uint32_t saddr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void cp16(void *dst, const void *src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(saddr(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}
__device__ __forceinline__ void ldsm4(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d, const void *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(saddr(p)) : "memory");
}
__device__ __forceinline__ void ldsm4t(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d, const void *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(saddr(p)) : "memory");
}
__device__ __forceinline__ void mma(float *d, const uint32_t *a, uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t pack(float lo, float hi) {
    half2 h = __floats2half2_rn(lo, hi);
    return *reinterpret_cast<uint32_t *>(&h);
}
}  // namespace ptx

// 4 warps, each owning 16 query rows of a 64-row tile; K/V tiles of 64 keys.
template <bool CAUSAL>
__global__ void __launch_bounds__(128)
    flash_fwd_mma(const half *__restrict__ Q, const half *__restrict__ K, const half *__restrict__ V,
                  half *__restrict__ O, int S, float scale_log2) {
    constexpr int D = 64, BR = 64, BC = 64, LD = D + 8;
    __shared__ __align__(16) half sQ[BR][LD];
    __shared__ __align__(16) half sK[BC][LD];
    __shared__ __align__(16) half sV[BC][LD];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int g = lane >> 2, t = lane & 3;
    const int qt = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // heavy tiles first
    const size_t head = (size_t)blockIdx.y * S * D;
    const half *gQ = Q + head + (size_t)qt * BR * D;
    const half *gK = K + head;
    const half *gV = V + head;

    auto load_tile = [&](half(*dst)[LD], const half *src) {
#pragma unroll
        for (int i = 0; i < BC * D / 8 / 128; ++i) {
            const int v = tid + i * 128, r = v >> 3, c = (v & 7) * 8;
            ptx::cp16(&dst[r][c], src + r * D + c);
        }
    };

    load_tile(sQ, gQ);
    load_tile(sK, gK);
    ptx::commit();

    const int ntiles = CAUSAL ? qt + 1 : S / BC;
    uint32_t qf[D / 16][4];
    float o[D / 8][4] = {};
    float m0 = -INFINITY, m1 = -INFINITY, l0 = 0.f, l1 = 0.f;

    for (int j = 0; j < ntiles; ++j) {
        load_tile(sV, gV + (size_t)j * BC * D);
        ptx::commit();
        ptx::wait<1>();
        __syncthreads();
        if (j == 0) {
#pragma unroll
            for (int kk = 0; kk < D / 16; ++kk)
                ptx::ldsm4(qf[kk][0], qf[kk][1], qf[kk][2], qf[kk][3],
                           &sQ[warp * 16 + (lane & 15)][kk * 16 + (lane >> 4) * 8]);
        }
        float s[BC / 8][4] = {};
#pragma unroll
        for (int kk = 0; kk < D / 16; ++kk)
#pragma unroll
            for (int n = 0; n < BC / 16; ++n) {
                uint32_t b0, b1, b2, b3;
                ptx::ldsm4(b0, b1, b2, b3,
                           &sK[n * 16 + (lane >> 4) * 8 + (lane & 7)][kk * 16 + ((lane >> 3) & 1) * 8]);
                ptx::mma(s[2 * n], qf[kk], b0, b1);
                ptx::mma(s[2 * n + 1], qf[kk], b2, b3);
            }
        __syncthreads();
        if (j + 1 < ntiles) load_tile(sK, gK + (size_t)(j + 1) * BC * D);
        ptx::commit();

        if (CAUSAL && j == qt) {
            const int r0 = warp * 16 + g, r1 = r0 + 8;
#pragma unroll
            for (int n = 0; n < BC / 8; ++n)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int c = n * 8 + t * 2 + e;
                    if (c > r0) s[n][e] = -INFINITY;
                    if (c > r1) s[n][2 + e] = -INFINITY;
                }
        }
        float x0 = -INFINITY, x1 = -INFINITY;
#pragma unroll
        for (int n = 0; n < BC / 8; ++n) {
            x0 = fmaxf(x0, fmaxf(s[n][0], s[n][1]));
            x1 = fmaxf(x1, fmaxf(s[n][2], s[n][3]));
        }
#pragma unroll
        for (int w = 1; w < 4; w <<= 1) {
            x0 = fmaxf(x0, __shfl_xor_sync(0xffffffffu, x0, w));
            x1 = fmaxf(x1, __shfl_xor_sync(0xffffffffu, x1, w));
        }
        const float n0 = fmaxf(m0, x0), n1 = fmaxf(m1, x1);
        const float c0 = exp2f((m0 - n0) * scale_log2), c1 = exp2f((m1 - n1) * scale_log2);
        m0 = n0;
        m1 = n1;
        l0 *= c0;
        l1 *= c1;
#pragma unroll
        for (int n = 0; n < D / 8; ++n) {
            o[n][0] *= c0; o[n][1] *= c0; o[n][2] *= c1; o[n][3] *= c1;
        }
        const float b0s = n0 * scale_log2, b1s = n1 * scale_log2;
#pragma unroll
        for (int n = 0; n < BC / 8; ++n) {
            s[n][0] = exp2f(fmaf(s[n][0], scale_log2, -b0s));
            s[n][1] = exp2f(fmaf(s[n][1], scale_log2, -b0s));
            s[n][2] = exp2f(fmaf(s[n][2], scale_log2, -b1s));
            s[n][3] = exp2f(fmaf(s[n][3], scale_log2, -b1s));
            l0 += s[n][0] + s[n][1];
            l1 += s[n][2] + s[n][3];
        }

        ptx::wait<1>();
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BC / 16; ++kk) {
            const uint32_t a[4] = {ptx::pack(s[2 * kk][0], s[2 * kk][1]), ptx::pack(s[2 * kk][2], s[2 * kk][3]),
                                   ptx::pack(s[2 * kk + 1][0], s[2 * kk + 1][1]),
                                   ptx::pack(s[2 * kk + 1][2], s[2 * kk + 1][3])};
#pragma unroll
            for (int n = 0; n < D / 16; ++n) {
                uint32_t b0, b1, b2, b3;
                ptx::ldsm4t(b0, b1, b2, b3, &sV[kk * 16 + (lane & 15)][n * 16 + (lane >> 4) * 8]);
                ptx::mma(o[2 * n], a, b0, b1);
                ptx::mma(o[2 * n + 1], a, b2, b3);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int w = 1; w < 4; w <<= 1) {
        l0 += __shfl_xor_sync(0xffffffffu, l0, w);
        l1 += __shfl_xor_sync(0xffffffffu, l1, w);
    }
    const float i0 = 1.f / l0, i1 = 1.f / l1;
    half *gO = O + head + (size_t)(qt * BR + warp * 16 + g) * D + t * 2;
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
        *reinterpret_cast<half2 *>(gO + n * 8) = __floats2half2_rn(o[n][0] * i0, o[n][1] * i0);
        *reinterpret_cast<half2 *>(gO + 8 * D + n * 8) = __floats2half2_rn(o[n][2] * i1, o[n][3] * i1);
    }
}

// ===================================================================== decode
constexpr int kBatch = 4, kKvHeads = 8, kGroup = 4, kCtx = 4096, kDD = 128, kSplits = 32;
constexpr int kQHeads = kKvHeads * kGroup;

struct DecodeParams {
    const half *q;      // [B][QH][D]
    const half *k;      // [B][KVH][ctx][D]
    const half *v;
    float *out;         // [B][QH][D]
    float *part_o;      // [B][QH][splits][D]
    float2 *part_ml;    // [B][QH][splits]
    float scale;
    int ctx;
};

__device__ __forceinline__ float4 load_half4(const half *p) {
    const uint2 u = *reinterpret_cast<const uint2 *>(p);
    const float2 a = __half22float2(*reinterpret_cast<const half2 *>(&u.x));
    const float2 b = __half22float2(*reinterpret_cast<const half2 *>(&u.y));
    return make_float4(a.x, a.y, b.x, b.y);
}

// One CTA per (batch, q head); warps stride over keys, lane owns four dims.
__global__ void __launch_bounds__(256) decode_attn_single(DecodeParams p) {
    constexpr int WARPS = 8;
    __shared__ float s_o[WARPS][kDD];
    __shared__ float s_m[WARPS], s_l[WARPS];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int qh = blockIdx.x, b = blockIdx.y, kvh = qh / kGroup;
    const half *kbase = p.k + ((size_t)b * kKvHeads + kvh) * p.ctx * kDD + lane * 4;
    const half *vbase = p.v + ((size_t)b * kKvHeads + kvh) * p.ctx * kDD + lane * 4;
    float4 q = load_half4(p.q + ((size_t)b * kQHeads + qh) * kDD + lane * 4);
    q.x *= p.scale; q.y *= p.scale; q.z *= p.scale; q.w *= p.scale;

    float4 o = make_float4(0.f, 0.f, 0.f, 0.f);
    float m = -INFINITY, l = 0.f;
#pragma unroll 4
    for (int key = warp; key < p.ctx; key += WARPS) {
        const float4 k = load_half4(kbase + (size_t)key * kDD);
        const float4 v = load_half4(vbase + (size_t)key * kDD);
        float s = q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w;
#pragma unroll
        for (int w = 16; w > 0; w >>= 1) s += __shfl_xor_sync(0xffffffffu, s, w);
        const float mn = fmaxf(m, s);
        const float c = __expf(m - mn), e = __expf(s - mn);
        m = mn;
        l = l * c + e;
        o.x = o.x * c + e * v.x;
        o.y = o.y * c + e * v.y;
        o.z = o.z * c + e * v.z;
        o.w = o.w * c + e * v.w;
    }
    *reinterpret_cast<float4 *>(&s_o[warp][lane * 4]) = o;
    if (lane == 0) {
        s_m[warp] = m;
        s_l[warp] = l;
    }
    __syncthreads();
    if (threadIdx.x < kDD) {
        float M = -INFINITY;
        for (int w = 0; w < WARPS; ++w) M = fmaxf(M, s_m[w]);
        float L = 0.f, acc = 0.f;
        for (int w = 0; w < WARPS; ++w) {
            const float f = __expf(s_m[w] - M);
            L += f * s_l[w];
            acc += f * s_o[w][threadIdx.x];
        }
        p.out[((size_t)b * kQHeads + qh) * kDD + threadIdx.x] = acc / L;
    }
}

// CTA = (split, kv head, batch). Four warps, one query head of the GQA group each.
__global__ void __launch_bounds__(128) decode_attn_splitk(DecodeParams p) {
    constexpr int TILE = 64, LD = kDD + 8;
    __shared__ __align__(16) half sK[TILE][LD];
    __shared__ __align__(16) half sV[TILE][kDD];
    __shared__ __align__(16) float sQ[kGroup][kDD];
    __shared__ float sP[kGroup][TILE];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int split = blockIdx.x, kvh = blockIdx.y, b = blockIdx.z;
    const int per = p.ctx / kSplits;
    const int begin = split * per, end = begin + per;
    const size_t kvoff = ((size_t)b * kKvHeads + kvh) * p.ctx * kDD;

    for (int i = tid; i < kGroup * kDD; i += 128)
        sQ[i / kDD][i % kDD] =
            __half2float(p.q[((size_t)b * kQHeads + kvh * kGroup) * kDD + i]) * p.scale;

    float m = -INFINITY, l = 0.f;
    float4 o = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int k0 = begin; k0 < end; k0 += TILE) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE * kDD / 8 / 128; ++i) {
            const int v = tid + i * 128, r = v >> 4, c = (v & 15) * 8;
            ptx::cp16(&sK[r][c], p.k + kvoff + (size_t)(k0 + r) * kDD + c);
            ptx::cp16(&sV[r][c], p.v + kvoff + (size_t)(k0 + r) * kDD + c);
        }
        ptx::commit();
        ptx::wait<0>();
        __syncthreads();

        float sc[2] = {0.f, 0.f};
#pragma unroll 4
        for (int d = 0; d < kDD; d += 8) {
            const float4 qa = *reinterpret_cast<const float4 *>(&sQ[warp][d]);
            const float4 qb = *reinterpret_cast<const float4 *>(&sQ[warp][d + 4]);
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const uint4 u = *reinterpret_cast<const uint4 *>(&sK[lane + 32 * h][d]);
                const float2 k0f = __half22float2(*reinterpret_cast<const half2 *>(&u.x));
                const float2 k1f = __half22float2(*reinterpret_cast<const half2 *>(&u.y));
                const float2 k2f = __half22float2(*reinterpret_cast<const half2 *>(&u.z));
                const float2 k3f = __half22float2(*reinterpret_cast<const half2 *>(&u.w));
                sc[h] += qa.x * k0f.x + qa.y * k0f.y + qa.z * k1f.x + qa.w * k1f.y + qb.x * k2f.x +
                         qb.y * k2f.y + qb.z * k3f.x + qb.w * k3f.y;
            }
        }
        float mx = fmaxf(sc[0], sc[1]);
#pragma unroll
        for (int w = 16; w > 0; w >>= 1) mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, w));
        const float mn = fmaxf(m, mx);
        const float corr = __expf(m - mn);
        const float p0 = __expf(sc[0] - mn), p1 = __expf(sc[1] - mn);
        m = mn;
        l = l * corr + p0 + p1;  // per-lane partial sum
        sP[warp][lane] = p0;
        sP[warp][lane + 32] = p1;
        __syncwarp();
        o.x *= corr; o.y *= corr; o.z *= corr; o.w *= corr;
#pragma unroll 8
        for (int k = 0; k < TILE; ++k) {
            const float e = sP[warp][k];
            const float4 v = load_half4(&sV[k][lane * 4]);
            o.x += e * v.x; o.y += e * v.y; o.z += e * v.z; o.w += e * v.w;
        }
    }
#pragma unroll
    for (int w = 16; w > 0; w >>= 1) l += __shfl_xor_sync(0xffffffffu, l, w);
    const size_t idx = ((size_t)b * kQHeads + kvh * kGroup + warp) * kSplits + split;
    *reinterpret_cast<float4 *>(&p.part_o[idx * kDD + lane * 4]) = o;
    if (lane == 0) p.part_ml[idx] = make_float2(m, l);
}

__global__ void __launch_bounds__(kDD) decode_attn_combine(DecodeParams p) {
    __shared__ float w[kSplits];
    const size_t row = blockIdx.x;
    if (threadIdx.x < 32) {
        float2 ml = threadIdx.x < kSplits ? p.part_ml[row * kSplits + threadIdx.x] : make_float2(-INFINITY, 0.f);
        float M = ml.x;
        for (int s = 16; s > 0; s >>= 1) M = fmaxf(M, __shfl_xor_sync(0xffffffffu, M, s));
        const float f = __expf(ml.x - M);
        float L = f * ml.y;
        for (int s = 16; s > 0; s >>= 1) L += __shfl_xor_sync(0xffffffffu, L, s);
        if (threadIdx.x < kSplits) w[threadIdx.x] = f / L;
    }
    __syncthreads();
    float acc = 0.f;
#pragma unroll
    for (int s = 0; s < kSplits; ++s) acc += w[s] * p.part_o[(row * kSplits + s) * kDD + threadIdx.x];
    p.out[row * kDD + threadIdx.x] = acc;
}

// ===================================================================== host
static uint32_t g_rng = 2463534242u;
static inline uint32_t xorshift() {
    g_rng ^= g_rng << 13; g_rng ^= g_rng >> 17; g_rng ^= g_rng << 5;
    return g_rng;
}

static void ref_row(const float *q, const float *K, const float *V, int n, int d, double scale,
                    std::vector<double> &out) {
    std::vector<double> s(n);
    double mx = -1e300, sum = 0;
    for (int j = 0; j < n; ++j) {
        double a = 0;
        for (int i = 0; i < d; ++i) a += (double)q[i] * K[(size_t)j * d + i];
        s[j] = a * scale;
        if (s[j] > mx) mx = s[j];
    }
    out.assign(d, 0.0);
    for (int j = 0; j < n; ++j) {
        const double e = exp(s[j] - mx);
        sum += e;
        for (int i = 0; i < d; ++i) out[i] += e * V[(size_t)j * d + i];
    }
    for (int i = 0; i < d; ++i) out[i] /= sum;
}

int main() {
    half lut[256];
    float lutf[256];
    for (int i = 0; i < 256; ++i) {
        lutf[i] = (i - 128) / 64.0f;
        lut[i] = __float2half(lutf[i]);
    }
    bool ok = true;

    // ---------------- prefill
    {
        const size_t n = (size_t)kHeadsTotal * kSeq * kDim;
        std::vector<float> f[3];
        std::vector<half> h[3];
        for (int t = 0; t < 3; ++t) {
            f[t].resize(n);
            h[t].resize(n);
            for (size_t i = 0; i < n; ++i) {
                const uint32_t r = xorshift() >> 24;
                f[t][i] = lutf[r];
                h[t][i] = lut[r];
            }
        }
        float *dF[4];
        half *dH[4];
        for (int t = 0; t < 4; ++t) {
            gpuErrchk(cudaMalloc(&dF[t], n * sizeof(float)));
            gpuErrchk(cudaMalloc(&dH[t], n * sizeof(half)));
            if (t < 3) {
                gpuErrchk(cudaMemcpy(dF[t], f[t].data(), n * sizeof(float), cudaMemcpyHostToDevice));
                gpuErrchk(cudaMemcpy(dH[t], h[t].data(), n * sizeof(half), cudaMemcpyHostToDevice));
            }
        }
        const float scale = 1.0f / sqrtf((float)kDim);
        std::vector<float> of(n);
        std::vector<half> oh(n);
        auto verify = [&](const char *name, bool causal, bool is_half, double tol) {
            gpuErrchk(cudaGetLastError());
            gpuErrchk(cudaDeviceSynchronize());
            if (is_half) {
                gpuErrchk(cudaMemcpy(oh.data(), dH[3], n * sizeof(half), cudaMemcpyDeviceToHost));
                for (size_t i = 0; i < n; ++i) of[i] = __half2float(oh[i]);
                gpuErrchk(cudaMemset(dH[3], 0, n * sizeof(half)));
            } else {
                gpuErrchk(cudaMemcpy(of.data(), dF[3], n * sizeof(float), cudaMemcpyDeviceToHost));
                gpuErrchk(cudaMemset(dF[3], 0, n * sizeof(float)));
            }
            double worst = 0;
            std::vector<double> ref;
            for (int s = 0; s < 48; ++s) {
                const int hd = (s * 7) % kHeadsTotal, row = (s * 131 + 17) % kSeq;
                const size_t off = (size_t)hd * kSeq * kDim;
                ref_row(&f[0][off + (size_t)row * kDim], &f[1][off], &f[2][off], causal ? row + 1 : kSeq, kDim,
                        scale, ref);
                for (int i = 0; i < kDim; ++i) {
                    const double e = fabs(ref[i] - of[off + (size_t)row * kDim + i]);
                    if (!(e <= worst)) worst = e;
                }
            }
            const bool good = worst < tol;
            printf("%-28s max err %.3e %s\n", name, worst, good ? "ok" : "BAD");
            ok &= good;
        };

        attn_fwd_row_per_thread<kDim, 32, 8><<<dim3(kSeq / 128, kHeadsTotal), 128>>>(dF[0], dF[1], dF[2], dF[3],
                                                                                     kSeq, scale);
        verify("attn_fwd_row_per_thread", false, false, 1e-3);

        gpuErrchk(cudaFuncSetAttribute(attn_fwd_tiled_fp32, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       (int)sizeof(TiledSmem)));
        attn_fwd_tiled_fp32<<<dim3(kSeq / 64, kHeadsTotal), 256, sizeof(TiledSmem)>>>(dF[0], dF[1], dF[2], dF[3],
                                                                                      kSeq, scale);
        verify("attn_fwd_tiled_fp32", false, false, 1e-3);

        const float sl2 = scale * 1.44269504f;
        flash_fwd_mma<false><<<dim3(kSeq / 64, kHeadsTotal), 128>>>(dH[0], dH[1], dH[2], dH[3], kSeq, sl2);
        verify("flash_fwd_mma<full>", false, true, 1e-2);
        flash_fwd_mma<true><<<dim3(kSeq / 64, kHeadsTotal), 128>>>(dH[0], dH[1], dH[2], dH[3], kSeq, sl2);
        verify("flash_fwd_mma<causal>", true, true, 1e-2);
        for (int t = 0; t < 4; ++t) {
            gpuErrchk(cudaFree(dF[t]));
            gpuErrchk(cudaFree(dH[t]));
        }
    }

    // ---------------- decode
    {
        const size_t nkv = (size_t)kBatch * kKvHeads * kCtx * kDD;
        const size_t nq = (size_t)kBatch * kQHeads * kDD;
        std::vector<uint8_t> ck(nkv), cv(nkv), cq(nq);
        std::vector<half> hk(nkv), hv(nkv), hq(nq);
        for (size_t i = 0; i < nkv; ++i) {
            const uint32_t r = xorshift();
            ck[i] = r >> 24;
            cv[i] = (r >> 8) & 255;
            hk[i] = lut[ck[i]];
            hv[i] = lut[cv[i]];
        }
        for (size_t i = 0; i < nq; ++i) {
            cq[i] = xorshift() >> 24;
            hq[i] = lut[cq[i]];
        }
        half *dq, *dk, *dv;
        float *dout, *dpo;
        float2 *dml;
        gpuErrchk(cudaMalloc(&dq, nq * sizeof(half)));
        gpuErrchk(cudaMalloc(&dk, nkv * sizeof(half)));
        gpuErrchk(cudaMalloc(&dv, nkv * sizeof(half)));
        gpuErrchk(cudaMalloc(&dout, nq * sizeof(float)));
        gpuErrchk(cudaMalloc(&dpo, nq * kSplits * sizeof(float)));
        gpuErrchk(cudaMalloc(&dml, (size_t)kBatch * kQHeads * kSplits * sizeof(float2)));
        gpuErrchk(cudaMemcpy(dq, hq.data(), nq * sizeof(half), cudaMemcpyHostToDevice));
        gpuErrchk(cudaMemcpy(dk, hk.data(), nkv * sizeof(half), cudaMemcpyHostToDevice));
        gpuErrchk(cudaMemcpy(dv, hv.data(), nkv * sizeof(half), cudaMemcpyHostToDevice));
        DecodeParams p{dq, dk, dv, dout, dpo, dml, 1.0f / sqrtf((float)kDD), kCtx};

        std::vector<float> out(nq), fk((size_t)kCtx * kDD), fv((size_t)kCtx * kDD), fq(kDD);
        auto verify = [&](const char *name) {
            gpuErrchk(cudaGetLastError());
            gpuErrchk(cudaDeviceSynchronize());
            gpuErrchk(cudaMemcpy(out.data(), dout, nq * sizeof(float), cudaMemcpyDeviceToHost));
            gpuErrchk(cudaMemset(dout, 0, nq * sizeof(float)));
            double worst = 0;
            std::vector<double> ref;
            for (int s = 0; s < 12; ++s) {
                const int b = s % kBatch, qh = (s * 11 + 2) % kQHeads;
                const size_t kvo = ((size_t)b * kKvHeads + qh / kGroup) * kCtx * kDD;
                for (size_t i = 0; i < fk.size(); ++i) {
                    fk[i] = lutf[ck[kvo + i]];
                    fv[i] = lutf[cv[kvo + i]];
                }
                const size_t qo = ((size_t)b * kQHeads + qh) * kDD;
                for (int i = 0; i < kDD; ++i) fq[i] = lutf[cq[qo + i]];
                ref_row(fq.data(), fk.data(), fv.data(), kCtx, kDD, p.scale, ref);
                for (int i = 0; i < kDD; ++i) {
                    const double e = fabs(ref[i] - out[qo + i]);
                    if (!(e <= worst)) worst = e;
                }
            }
            const bool good = worst < 2e-3;
            printf("%-28s max err %.3e %s\n", name, worst, good ? "ok" : "BAD");
            ok &= good;
        };
        decode_attn_single<<<dim3(kQHeads, kBatch), 256>>>(p);
        verify("decode_attn_single");
        decode_attn_splitk<<<dim3(kSplits, kKvHeads, kBatch), 128>>>(p);
        gpuErrchk(cudaGetLastError());
        decode_attn_combine<<<kBatch * kQHeads, kDD>>>(p);
        verify("decode_attn_splitk+combine");
        gpuErrchk(cudaFree(dq));
        gpuErrchk(cudaFree(dk));
        gpuErrchk(cudaFree(dv));
        gpuErrchk(cudaFree(dout));
        gpuErrchk(cudaFree(dpo));
        gpuErrchk(cudaFree(dml));
    }
    printf(ok ? "PASS\n" : "FAIL\n");
    return ok ? 0 : 1;
}
