/*
 * Attention kernels: fp32 flash forward (row per thread, and 2D register tile), half flash forward
 * with wmma, and single-query decode with split KV + combine.
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

constexpr int HD = 64;      // head dim of prefill kernels
constexpr int DD = 128;     // head dim of decode kernels

__device__ __forceinline__ unsigned hash32(unsigned x) {
    x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
    return x;
}

template <typename T>
__global__ void init_random(T *p, size_t n, unsigned seed, float scale) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float u = (hash32((unsigned)i * 2654435761u + seed) >> 8) * (1.0f / 16777216.0f);
        p[i] = T((2.f * u - 1.f) * scale);
    }
}

// ---------------------------------------------------------------------------------------------
// One query row per thread, K/V tiles broadcast from shared memory.
template <int BC>
__global__ void __launch_bounds__(128)
flash_fwd_row_per_thread(const float *__restrict__ Q, const float *__restrict__ K, const float *__restrict__ V,
                         float *__restrict__ O, int N, float scale)
{
    __shared__ float4 Ks[BC][HD / 4];
    __shared__ float4 Vs[BC][HD / 4];
    const size_t base = (size_t)blockIdx.y * N * HD;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;

    float4 q[HD / 4], o[HD / 4];
    const float4 *qp = reinterpret_cast<const float4 *>(Q + base + (size_t)row * HD);
#pragma unroll
    for (int i = 0; i < HD / 4; i++) {
        q[i] = qp[i];
        o[i] = make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float m = -INFINITY, l = 0.f;

    for (int j0 = 0; j0 < N; j0 += BC) {
        const float4 *kp = reinterpret_cast<const float4 *>(K + base + (size_t)j0 * HD);
        const float4 *vp = reinterpret_cast<const float4 *>(V + base + (size_t)j0 * HD);
        for (int i = threadIdx.x; i < BC * HD / 4; i += blockDim.x) {
            (&Ks[0][0])[i] = kp[i];
            (&Vs[0][0])[i] = vp[i];
        }
        __syncthreads();
        for (int j = 0; j < BC; j++) {
            float sx = 0.f, sy = 0.f, sz = 0.f, sw = 0.f;
#pragma unroll
            for (int i = 0; i < HD / 4; i++) {
                float4 kv = Ks[j][i];
                sx += q[i].x * kv.x; sy += q[i].y * kv.y;
                sz += q[i].z * kv.z; sw += q[i].w * kv.w;
            }
            float s = (sx + sy + sz + sw) * scale;
            if (s > m) {
                float c = __expf(m - s);
                l *= c;
#pragma unroll
                for (int i = 0; i < HD / 4; i++) { o[i].x *= c; o[i].y *= c; o[i].z *= c; o[i].w *= c; }
                m = s;
            }
            float p = __expf(s - m);
            l += p;
#pragma unroll
            for (int i = 0; i < HD / 4; i++) {
                float4 vv = Vs[j][i];
                o[i].x += p * vv.x; o[i].y += p * vv.y; o[i].z += p * vv.z; o[i].w += p * vv.w;
            }
        }
        __syncthreads();
    }
    float inv = 1.f / l;
    float4 *op = reinterpret_cast<float4 *>(O + base + (size_t)row * HD);
#pragma unroll
    for (int i = 0; i < HD / 4; i++)
        op[i] = make_float4(o[i].x * inv, o[i].y * inv, o[i].z * inv, o[i].w * inv);
}

// ---------------------------------------------------------------------------------------------
// 64 queries x 64 keys per step, 256 threads as 16x16, 4x4 register tile each.
template <bool CAUSAL>
__global__ void __launch_bounds__(256)
flash_fwd_tiled(const float *__restrict__ Q, const float *__restrict__ K, const float *__restrict__ V,
                float *__restrict__ O, int N, float scale)
{
    constexpr int BR = 64, BC = 64, LD = 68;
    extern __shared__ float smem[];
    float *Qt = smem;               // [HD][LD] transposed
    float *Kt = Qt + HD * LD;       // [HD][LD] transposed
    float *Vs = Kt + HD * LD;       // [BC][LD]
    float *Ps = Vs + BC * LD;       // [BR][LD]

    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const int q0 = blockIdx.x * BR;
    const size_t base = (size_t)blockIdx.y * N * HD;

    for (int i = tid; i < BR * HD; i += 256) {
        int r = i / HD, d = i % HD;
        Qt[d * LD + r] = Q[base + (size_t)(q0 + r) * HD + d] * scale;
    }
    float acc[4][4] = {};
    float mi[4], li[4];
    for (int i = 0; i < 4; i++) { mi[i] = -1e30f; li[i] = 0.f; }

    const int kend = CAUSAL ? (q0 + BR) : N;
    for (int k0 = 0; k0 < kend; k0 += BC) {
        __syncthreads();
        for (int i = tid; i < BC * HD; i += 256) {
            int r = i / HD, d = i % HD;
            Kt[d * LD + r] = K[base + (size_t)(k0 + r) * HD + d];
            Vs[r * LD + d] = V[base + (size_t)(k0 + r) * HD + d];
        }
        __syncthreads();

        float s[4][4] = {};
#pragma unroll 8
        for (int d = 0; d < HD; d++) {
            float4 a = *reinterpret_cast<float4 *>(&Qt[d * LD + ty * 4]);
            float4 b = *reinterpret_cast<float4 *>(&Kt[d * LD + tx * 4]);
            float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) s[i][j] += av[i] * bv[j];
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float mx = -1e30f;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (CAUSAL && (k0 + tx * 4 + j > q0 + ty * 4 + i)) s[i][j] = -1e30f;
                mx = fmaxf(mx, s[i][j]);
            }
#pragma unroll
            for (int off = 8; off > 0; off >>= 1) mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, off));
            float mnew = fmaxf(mi[i], mx);
            float corr = __expf(mi[i] - mnew);
            float sum = 0.f;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                s[i][j] = __expf(s[i][j] - mnew);
                sum += s[i][j];
            }
#pragma unroll
            for (int off = 8; off > 0; off >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, off);
            li[i] = li[i] * corr + sum;
            mi[i] = mnew;
#pragma unroll
            for (int j = 0; j < 4; j++) acc[i][j] *= corr;
            *reinterpret_cast<float4 *>(&Ps[(ty * 4 + i) * LD + tx * 4]) =
                make_float4(s[i][0], s[i][1], s[i][2], s[i][3]);
        }
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < BC; k++) {
            float4 v = *reinterpret_cast<float4 *>(&Vs[k * LD + tx * 4]);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float p = Ps[(ty * 4 + i) * LD + k];
                acc[i][0] += p * v.x; acc[i][1] += p * v.y;
                acc[i][2] += p * v.z; acc[i][3] += p * v.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float inv = 1.f / li[i];
        *reinterpret_cast<float4 *>(&O[base + (size_t)(q0 + ty * 4 + i) * HD + tx * 4]) =
            make_float4(acc[i][0] * inv, acc[i][1] * inv, acc[i][2] * inv, acc[i][3] * inv);
    }
}

// ---------------------------------------------------------------------------------------------
// Half inputs, wmma for QK^T and PV; each of 4 warps owns 16 query rows, O kept in shared memory.
__global__ void __launch_bounds__(128)
flash_fwd_wmma(const half *__restrict__ Q, const half *__restrict__ K, const half *__restrict__ V,
               half *__restrict__ O, int N, float scale)
{
    using namespace nvcuda;
    constexpr int BR = 64, BC = 64, LDH = HD + 8, LDF = BC + 4;
    extern __shared__ __align__(128) unsigned char sbuf[];
    half *Qs = reinterpret_cast<half *>(sbuf);
    half *Ks = Qs + BR * LDH;
    half *Vs = Ks + BC * LDH;
    half *Ps = Vs + BC * LDH;
    float *Ss = reinterpret_cast<float *>(Ps + BR * LDH);
    float *Os = Ss + BR * LDF;

    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    const size_t base = (size_t)blockIdx.y * N * HD;
    const int q0 = blockIdx.x * BR;

    for (int i = tid; i < BR * HD / 8; i += 128) {
        int r = i / (HD / 8), c = (i % (HD / 8)) * 8;
        *reinterpret_cast<uint4 *>(&Qs[r * LDH + c]) =
            *reinterpret_cast<const uint4 *>(&Q[base + (size_t)(q0 + r) * HD + c]);
    }
    for (int i = tid; i < BR * LDF; i += 128) Os[i] = 0.f;

    // two lanes per row
    const int myrow = warp * 16 + lane / 2;
    const int half_id = lane & 1;
    float m = -1e30f, l = 0.f;

    for (int k0 = 0; k0 < N; k0 += BC) {
        __syncthreads();
        for (int i = tid; i < BC * HD / 8; i += 128) {
            int r = i / (HD / 8), c = (i % (HD / 8)) * 8;
            *reinterpret_cast<uint4 *>(&Ks[r * LDH + c]) =
                *reinterpret_cast<const uint4 *>(&K[base + (size_t)(k0 + r) * HD + c]);
            *reinterpret_cast<uint4 *>(&Vs[r * LDH + c]) =
                *reinterpret_cast<const uint4 *>(&V[base + (size_t)(k0 + r) * HD + c]);
        }
        __syncthreads();
        {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> sf[4];
#pragma unroll
            for (int j = 0; j < 4; j++) wmma::fill_fragment(sf[j], 0.f);
#pragma unroll
            for (int kk = 0; kk < HD; kk += 16) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
                wmma::load_matrix_sync(a, Qs + warp * 16 * LDH + kk, LDH);
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
                    wmma::load_matrix_sync(b, Ks + j * 16 * LDH + kk, LDH);
                    wmma::mma_sync(sf[j], a, b, sf[j]);
                }
            }
#pragma unroll
            for (int j = 0; j < 4; j++)
                wmma::store_matrix_sync(Ss + warp * 16 * LDF + j * 16, sf[j], LDF, wmma::mem_row_major);
        }
        __syncwarp();
        {
            float *srow = Ss + myrow * LDF + half_id * 32;
            float mx = -1e30f;
            for (int j = 0; j < 32; j++) mx = fmaxf(mx, srow[j]);
            mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, 1)) * scale;
            float mnew = fmaxf(m, mx);
            float corr = __expf(m - mnew);
            float sum = 0.f;
            half2 *prow = reinterpret_cast<half2 *>(Ps + myrow * LDH + half_id * 32);
            for (int j = 0; j < 32; j += 2) {
                float p0 = __expf(srow[j] * scale - mnew);
                float p1 = __expf(srow[j + 1] * scale - mnew);
                sum += p0 + p1;
                prow[j / 2] = __floats2half2_rn(p0, p1);
            }
            sum += __shfl_xor_sync(0xffffffffu, sum, 1);
            l = l * corr + sum;
            m = mnew;
            float *orow = Os + myrow * LDF + half_id * 32;
            for (int j = 0; j < 32; j++) orow[j] *= corr;
        }
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> of;
            wmma::load_matrix_sync(of, Os + warp * 16 * LDF + j * 16, LDF, wmma::mem_row_major);
#pragma unroll
            for (int kk = 0; kk < BC; kk += 16) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
                wmma::load_matrix_sync(a, Ps + warp * 16 * LDH + kk, LDH);
                wmma::load_matrix_sync(b, Vs + kk * LDH + j * 16, LDH);
                wmma::mma_sync(of, a, b, of);
            }
            wmma::store_matrix_sync(Os + warp * 16 * LDF + j * 16, of, LDF, wmma::mem_row_major);
        }
        __syncwarp();
    }
    float inv = 1.f / l;
    const float *orow = Os + myrow * LDF + half_id * 32;
    half2 *dst = reinterpret_cast<half2 *>(O + base + (size_t)(q0 + myrow) * HD + half_id * 32);
    for (int j = 0; j < 32; j += 2) dst[j / 2] = __floats2half2_rn(orow[j] * inv, orow[j + 1] * inv);
}

// ---------------------------------------------------------------------------------------------
// Decode helpers
__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
__device__ __forceinline__ float4 load_half4(const half *p) {
    uint2 raw = *reinterpret_cast<const uint2 *>(p);
    float2 a = __half22float2(*reinterpret_cast<half2 *>(&raw.x));
    float2 b = __half22float2(*reinterpret_cast<half2 *>(&raw.y));
    return make_float4(a.x, a.y, b.x, b.y);
}

// One block per (batch, head), all scores in shared memory. KV cache: [B][Hkv][L][DD].
__global__ void decode_one_block(const float *q, const half *kc, const half *vc, float *out,
                                 int H, int Hkv, int L, float scale)
{
    extern __shared__ float sc[];           // L scores
    __shared__ float red[32];
    __shared__ float part[2][DD];
    const int h = blockIdx.x, b = blockIdx.y;
    const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31, nw = blockDim.x >> 5;
    const size_t kvbase = ((size_t)b * Hkv + h / (H / Hkv)) * L * DD;
    const float4 qv = *reinterpret_cast<const float4 *>(q + ((size_t)b * H + h) * DD + lane * 4);

    float mx = -1e30f;
    for (int t = warp; t < L; t += nw) {
        float4 kv = load_half4(kc + kvbase + (size_t)t * DD + lane * 4);
        float s = warp_sum(qv.x * kv.x + qv.y * kv.y + qv.z * kv.z + qv.w * kv.w) * scale;
        if (lane == 0) sc[t] = s;
        mx = fmaxf(mx, s);
    }
    if (lane == 0) red[warp] = mx;
    __syncthreads();
    mx = warp_max(lane < nw ? red[lane] : -1e30f);
    __syncthreads();
    float sum = 0.f;
    for (int t = tid; t < L; t += blockDim.x) {
        float e = __expf(sc[t] - mx);
        sc[t] = e;
        sum += e;
    }
    sum = warp_sum(sum);
    if (lane == 0) red[warp] = sum;
    __syncthreads();
    sum = warp_sum(lane < nw ? red[lane] : 0.f);

    const int d = tid % DD, g = tid / DD;   // two groups of 128
    float acc = 0.f;
    for (int t = g; t < L; t += 2) acc += sc[t] * __half2float(vc[kvbase + (size_t)t * DD + d]);
    part[g][d] = acc;
    __syncthreads();
    if (g == 0) out[((size_t)b * H + h) * DD + d] = (part[0][d] + part[1][d]) / sum;
}

// Split over the sequence: 4 warps, each with its own running softmax.
__global__ void __launch_bounds__(128)
decode_split_kv(const float *__restrict__ q, const half *__restrict__ kc, const half *__restrict__ vc,
                float *__restrict__ part_o, float2 *__restrict__ part_ml,
                int H, int Hkv, int L, int chunk, float scale)
{
    __shared__ float so[4][DD];
    __shared__ float sm[4], sl[4];
    const int split = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const size_t kvbase = ((size_t)b * Hkv + h / (H / Hkv)) * L * DD;
    const float4 qv = *reinterpret_cast<const float4 *>(q + ((size_t)b * H + h) * DD + lane * 4);
    const int t0 = split * chunk, t1 = min(L, t0 + chunk);

    float m = -1e30f, l = 0.f;
    float4 o = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int t = t0 + warp * 4; t < t1; t += 16) {
        float s[4];
        float4 vv[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (t + u < t1) {
                float4 kv = load_half4(kc + kvbase + (size_t)(t + u) * DD + lane * 4);
                vv[u] = load_half4(vc + kvbase + (size_t)(t + u) * DD + lane * 4);
                s[u] = qv.x * kv.x + qv.y * kv.y + qv.z * kv.z + qv.w * kv.w;
            } else {
                s[u] = 0.f;
                vv[u] = make_float4(0.f, 0.f, 0.f, 0.f);
            }
        }
        float mnew = m;
#pragma unroll
        for (int u = 0; u < 4; u++) {
            s[u] = warp_sum(s[u]) * scale;
            if (t + u >= t1) s[u] = -1e30f;
            mnew = fmaxf(mnew, s[u]);
        }
        float c = __expf(m - mnew);
        l *= c; o.x *= c; o.y *= c; o.z *= c; o.w *= c;
#pragma unroll
        for (int u = 0; u < 4; u++) {
            float p = __expf(s[u] - mnew);
            l += p;
            o.x += p * vv[u].x; o.y += p * vv[u].y; o.z += p * vv[u].z; o.w += p * vv[u].w;
        }
        m = mnew;
    }
    *reinterpret_cast<float4 *>(&so[warp][lane * 4]) = o;
    if (lane == 0) { sm[warp] = m; sl[warp] = l; }
    __syncthreads();
    float M = fmaxf(fmaxf(sm[0], sm[1]), fmaxf(sm[2], sm[3]));
    float Lsum = 0.f, val = 0.f;
    for (int w = 0; w < 4; w++) {
        float e = __expf(sm[w] - M);
        Lsum += sl[w] * e;
        val += so[w][threadIdx.x] * e;
    }
    const size_t idx = ((size_t)b * H + h) * gridDim.x + split;
    part_o[idx * DD + threadIdx.x] = val;
    if (threadIdx.x == 0) part_ml[idx] = make_float2(M, Lsum);
}

__global__ void decode_combine(const float *__restrict__ part_o, const float2 *__restrict__ part_ml,
                               float *__restrict__ out, int splits)
{
    const int bh = blockIdx.x, d = threadIdx.x;
    float M = -1e30f;
    for (int s = 0; s < splits; s++) M = fmaxf(M, part_ml[bh * splits + s].x);
    float L = 0.f, v = 0.f;
    for (int s = 0; s < splits; s++) {
        float2 ml = part_ml[bh * splits + s];
        float e = __expf(ml.x - M);
        L += ml.y * e;
        v += e * part_o[((size_t)bh * splits + s) * DD + d];
    }
    out[(size_t)bh * DD + d] = v / L;
}

int main()
{
    const int BH = 32, N = 1024;
    const size_t n = (size_t)BH * N * HD;
    float *Q, *K, *V, *O;
    half *Qh, *Kh, *Vh, *Oh;
    gpuErrchk(cudaMalloc(&Q, n * 4)); gpuErrchk(cudaMalloc(&K, n * 4));
    gpuErrchk(cudaMalloc(&V, n * 4)); gpuErrchk(cudaMalloc(&O, n * 4));
    gpuErrchk(cudaMalloc(&Qh, n * 2)); gpuErrchk(cudaMalloc(&Kh, n * 2));
    gpuErrchk(cudaMalloc(&Vh, n * 2)); gpuErrchk(cudaMalloc(&Oh, n * 2));
    std::vector<float> h(n);
    std::vector<half> hh(n);
    float *fp[3] = {Q, K, V};
    half *hp[3] = {Qh, Kh, Vh};
    srand(99);
    for (int a = 0; a < 3; a++) {
        for (size_t i = 0; i < n; i++) {
            h[i] = (rand() / (float)RAND_MAX) * 2.f - 1.f;
            hh[i] = __float2half(h[i]);
        }
        gpuErrchk(cudaMemcpy(fp[a], h.data(), n * 4, cudaMemcpyHostToDevice));
        gpuErrchk(cudaMemcpy(hp[a], hh.data(), n * 2, cudaMemcpyHostToDevice));
    }
    auto sumf = [](const float *d, size_t c) {
        std::vector<float> t(c);
        gpuErrchk(cudaMemcpy(t.data(), d, c * 4, cudaMemcpyDeviceToHost));
        double s = 0;
        for (float x : t) s += x;
        return s;
    };
    double cs = 0;
    const float scale = 1.f / sqrtf((float)HD);

    flash_fwd_row_per_thread<32><<<dim3(N / 128, BH), 128>>>(Q, K, V, O, N, scale);
    gpuErrchk(cudaPeekAtLastError());
    cs += sumf(O, n);

    const int smem_t = 4 * 64 * 68 * sizeof(float);
    gpuErrchk(cudaFuncSetAttribute(flash_fwd_tiled<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_t));
    gpuErrchk(cudaFuncSetAttribute(flash_fwd_tiled<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_t));
    flash_fwd_tiled<false><<<dim3(N / 64, BH), 256, smem_t>>>(Q, K, V, O, N, scale);
    gpuErrchk(cudaPeekAtLastError());
    cs += sumf(O, n);
    flash_fwd_tiled<true><<<dim3(N / 64, BH), 256, smem_t>>>(Q, K, V, O, N, scale);
    gpuErrchk(cudaPeekAtLastError());
    cs += sumf(O, n);

    const int smem_w = 4 * 64 * 72 * sizeof(half) + 2 * 64 * 68 * sizeof(float);
    gpuErrchk(cudaFuncSetAttribute(flash_fwd_wmma, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_w));
    flash_fwd_wmma<<<dim3(N / 64, BH), 128, smem_w>>>(Qh, Kh, Vh, Oh, N, scale);
    gpuErrchk(cudaPeekAtLastError());

    // decode
    const int B = 2, H = 32, Hkv = 8, L = 8192, splits = 32;
    const size_t kvn = (size_t)B * Hkv * L * DD;
    half *kc, *vc;
    float *q, *out, *po;
    float2 *pml;
    gpuErrchk(cudaMalloc(&kc, kvn * 2)); gpuErrchk(cudaMalloc(&vc, kvn * 2));
    gpuErrchk(cudaMalloc(&q, B * H * DD * 4)); gpuErrchk(cudaMalloc(&out, B * H * DD * 4));
    gpuErrchk(cudaMalloc(&po, (size_t)B * H * splits * DD * 4));
    gpuErrchk(cudaMalloc(&pml, B * H * splits * sizeof(float2)));
    init_random<half><<<1056, 256>>>(kc, kvn, 17u, 1.0f);
    init_random<half><<<1056, 256>>>(vc, kvn, 23u, 1.0f);
    gpuErrchk(cudaMemcpy(q, h.data(), B * H * DD * 4, cudaMemcpyHostToDevice));
    const float dscale = 1.f / sqrtf((float)DD);

    decode_one_block<<<dim3(H, B), 256, L * sizeof(float)>>>(q, kc, vc, out, H, Hkv, L, dscale);
    gpuErrchk(cudaPeekAtLastError());
    cs += sumf(out, B * H * DD);
    decode_split_kv<<<dim3(splits, H, B), 128>>>(q, kc, vc, po, pml, H, Hkv, L, L / splits, dscale);
    gpuErrchk(cudaPeekAtLastError());
    decode_combine<<<B * H, DD>>>(po, pml, out, splits);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());
    cs += sumf(out, B * H * DD);

    gpuErrchk(cudaMemcpy(hh.data(), Oh, n * 2, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) cs += __half2float(hh[i]);
    printf("attention checksum %.6f\n", cs);
    cudaFree(Q); cudaFree(K); cudaFree(V); cudaFree(O);
    cudaFree(Qh); cudaFree(Kh); cudaFree(Vh); cudaFree(Oh);
    cudaFree(kc); cudaFree(vc); cudaFree(q); cudaFree(out); cudaFree(po); cudaFree(pml);
    return 0;
}
