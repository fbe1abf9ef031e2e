// attn_fused.cu -- attention forward, ported from a research prototype.
//   (1) three separate kernels with the score matrix in global memory, simple and tiled
//   (2) one thread per query, keys/values staged in shared memory, running softmax
//   (3) one warp per query
//   (4) 64x64 tiles, 4x4 registers per thread, causal or full, grouped key/value heads
// Layout of every tensor: [batch][head][time][dim], fp32, dim = 64.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <float.h>
#include <vector>

static const int DIM = 64;

struct AttnDims {
    int batch, heads, kv_heads, T;
    int bh() const { return batch * heads; }
    size_t q_elems() const { return (size_t)batch * heads * T * DIM; }
    size_t kv_elems() const { return (size_t)batch * kv_heads * T * DIM; }
};

struct AttnBuffers {
    float *q, *k, *v, *o;
    float *scores;   // [bh][T][T]
};

static void cu(cudaError_t e, const char* where) {
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e)); exit(1); }
}

// ------------------------------------------------------------------ small device helpers
__device__ inline float4 operator*(float s, const float4& a) { return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }
__device__ inline void fma4(float4& c, float s, const float4& a) {
    c.x = fmaf(s, a.x, c.x); c.y = fmaf(s, a.y, c.y); c.z = fmaf(s, a.z, c.z); c.w = fmaf(s, a.w, c.w);
}
__device__ inline float dot4(const float4& a, const float4& b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline float warp_max(float v) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
__device__ inline float warp_sum(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ inline int kv_head_of(int bh, const AttnDims& d) {
    int b = bh / d.heads, h = bh % d.heads;
    return b * d.kv_heads + h / (d.heads / d.kv_heads);
}

// ------------------------------------------------------------------ rotary embedding, pairs (i, i+32), in place
__global__ void rope_kernel(float* x, int rows, int T) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= rows * (DIM / 2)) return;
    int row = idx / (DIM / 2), i = idx % (DIM / 2);
    int t = row % T;
    float freq = powf(10000.0f, -2.0f * i / DIM);
    float s, c;
    sincosf(t * freq, &s, &c);
    float* p = x + (size_t)row * DIM;
    float a = p[i], b = p[i + DIM / 2];
    p[i] = a * c - b * s;
    p[i + DIM / 2] = a * s + b * c;
}

// ------------------------------------------------------------------ (1) three kernels, simple
__global__ void scores_simple(AttnBuffers buf, AttnDims d, float scale) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int bh = blockIdx.z;
    if (i >= d.T || j >= d.T) return;
    const float* q = buf.q + ((size_t)bh * d.T + i) * DIM;
    const float* k = buf.k + ((size_t)kv_head_of(bh, d) * d.T + j) * DIM;
    float s = 0.f;
    for (int e = 0; e < DIM; ++e) s += q[e] * k[e];
    buf.scores[((size_t)bh * d.T + i) * d.T + j] = j <= i ? s * scale : -FLT_MAX;
}

__global__ void softmax_simple(float* scores, int T) {
    __shared__ float red[128];
    float* row = scores + (size_t)blockIdx.x * T;
    int tid = threadIdx.x;
    float m = -FLT_MAX;
    for (int j = tid; j < T; j += blockDim.x) m = fmaxf(m, row[j]);
    red[tid] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float sum = 0.f;
    for (int j = tid; j < T; j += blockDim.x) {
        float e = expf(row[j] - m);
        row[j] = e;
        sum += e;
    }
    red[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] += red[tid + s];
        __syncthreads();
    }
    float inv = 1.f / red[0];
    for (int j = tid; j < T; j += blockDim.x) row[j] *= inv;
}

__global__ void values_simple(AttnBuffers buf, AttnDims d) {
    int e = threadIdx.x;                              // 64
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    int bh = blockIdx.y;
    const float* p = buf.scores + ((size_t)bh * d.T + i) * d.T;
    const float* v = buf.v + (size_t)kv_head_of(bh, d) * d.T * DIM;
    float acc = 0.f;
    for (int j = 0; j <= i; ++j) acc += p[j] * v[(size_t)j * DIM + e];
    buf.o[((size_t)bh * d.T + i) * DIM + e] = acc;
}

// ------------------------------------------------------------------ (1b) the same three, tiled / warp-wise
__global__ void __launch_bounds__(256) scores_tiled(AttnBuffers buf, AttnDims d, float scale) {
    __shared__ float qs[32][DIM + 1], ks[32][DIM + 1];
    const int bh = blockIdx.z, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    if (j0 > i0 + 31) return;                         // wholly masked, the softmax never reads it
    const float* q = buf.q + ((size_t)bh * d.T + i0) * DIM;
    const float* k = buf.k + ((size_t)kv_head_of(bh, d) * d.T + j0) * DIM;
    for (int t = threadIdx.x; t < 32 * DIM; t += 256) {
        qs[t / DIM][t % DIM] = q[t];
        ks[t / DIM][t % DIM] = k[t];
    }
    __syncthreads();
    const int tx = threadIdx.x & 31, ty = threadIdx.x >> 5;
    float s[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll 16
    for (int e = 0; e < DIM; ++e) {
        float kk = ks[tx][e];
#pragma unroll
        for (int r = 0; r < 4; ++r) s[r] += qs[ty * 4 + r][e] * kk;
    }
    for (int r = 0; r < 4; ++r) {
        int i = i0 + ty * 4 + r, j = j0 + tx;
        buf.scores[((size_t)bh * d.T + i) * d.T + j] = j <= i ? s[r] * scale : -INFINITY;
    }
}

// one warp per row, one pass for max and sum together, then the division
__global__ void softmax_warp_online(float* scores, int T) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int i = row % T;
    float* p = scores + (size_t)row * T;
    float m = -FLT_MAX, l = 0.f;
    for (int j = lane; j <= i; j += 32) {
        float x = p[j];
        if (x > m) { l *= __expf(m - x); m = x; }
        l += __expf(x - m);
    }
    float M = warp_max(m);
    l = warp_sum(l * __expf(m - M));
    float inv = 1.f / l;
    for (int j = lane; j <= i; j += 32) p[j] = __expf(p[j] - M) * inv;
}

__global__ void __launch_bounds__(256) values_tiled(AttnBuffers buf, AttnDims d) {
    __shared__ float ps[32][33];
    __shared__ float4 vs[32][DIM / 4];
    const int bh = blockIdx.y, i0 = blockIdx.x * 32;
    const float* p = buf.scores + ((size_t)bh * d.T + i0) * d.T;
    const float4* v = reinterpret_cast<const float4*>(buf.v + (size_t)kv_head_of(bh, d) * d.T * DIM);
    const int c = threadIdx.x & 15, r = threadIdx.x >> 4;   // rows r and r+16, columns 4c..
    float4 a0 = make_float4(0, 0, 0, 0), a1 = a0;
    for (int j0 = 0; j0 <= i0; j0 += 32) {
        for (int t = threadIdx.x; t < 1024; t += 256) {
            int rr = t >> 5, cc = t & 31;
            ps[rr][cc] = (j0 + cc <= i0 + rr) ? p[(size_t)rr * d.T + j0 + cc] : 0.f;
        }
        for (int t = threadIdx.x; t < 32 * 16; t += 256) vs[t >> 4][t & 15] = v[(size_t)(j0 + (t >> 4)) * 16 + (t & 15)];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            float4 x = vs[j][c];
            fma4(a0, ps[r][j], x);
            fma4(a1, ps[r + 16][j], x);
        }
        __syncthreads();
    }
    float4* o = reinterpret_cast<float4*>(buf.o + ((size_t)bh * d.T + i0) * DIM);
    o[r * 16 + c] = a0;
    o[(r + 16) * 16 + c] = a1;
}

// ------------------------------------------------------------------ (2) one thread = one query
template <int ROWS, int KEYS>
__global__ void __launch_bounds__(ROWS) flash_thread(AttnBuffers buf, AttnDims d, float scale) {
    __shared__ float4 ks[KEYS][DIM / 4], vs[KEYS][DIM / 4];
    const int bh = blockIdx.y, i0 = blockIdx.x * ROWS, i = i0 + threadIdx.x;
    const float4* q4 = reinterpret_cast<const float4*>(buf.q + ((size_t)bh * d.T + i) * DIM);
    const float4* k4 = reinterpret_cast<const float4*>(buf.k + (size_t)kv_head_of(bh, d) * d.T * DIM);
    const float4* v4 = reinterpret_cast<const float4*>(buf.v + (size_t)kv_head_of(bh, d) * d.T * DIM);
    float4 q[DIM / 4], o[DIM / 4];
#pragma unroll
    for (int e = 0; e < DIM / 4; ++e) { q[e] = scale * q4[e]; o[e] = make_float4(0, 0, 0, 0); }
    float m = -FLT_MAX, l = 0.f;
    for (int j0 = 0; j0 < i0 + ROWS; j0 += KEYS) {
        __syncthreads();
        for (int t = threadIdx.x; t < KEYS * DIM / 4; t += ROWS) {
            ks[t / 16][t % 16] = k4[(size_t)j0 * 16 + t];
            vs[t / 16][t % 16] = v4[(size_t)j0 * 16 + t];
        }
        __syncthreads();
        float s[KEYS], mt = m;
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            float a = 0.f;
#pragma unroll
            for (int e = 0; e < DIM / 4; ++e) a += dot4(q[e], ks[j][e]);
            s[j] = j0 + j <= i ? a : -FLT_MAX;
            mt = fmaxf(mt, s[j]);
        }
        float corr = __expf(m - mt);
        m = mt;
        l *= corr;
#pragma unroll
        for (int e = 0; e < DIM / 4; ++e) o[e] = corr * o[e];
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            float p = j0 + j <= i ? __expf(s[j] - m) : 0.f;
            l += p;
#pragma unroll
            for (int e = 0; e < DIM / 4; ++e) fma4(o[e], p, vs[j][e]);
        }
    }
    float4* out = reinterpret_cast<float4*>(buf.o + ((size_t)bh * d.T + i) * DIM);
    float inv = 1.f / l;
#pragma unroll
    for (int e = 0; e < DIM / 4; ++e) out[e] = inv * o[e];
}

// ------------------------------------------------------------------ (3) one warp = one query: lanes are keys for q.k, dims for p.v
__global__ void __launch_bounds__(128) flash_warp(AttnBuffers buf, AttnDims d, float scale) {
    __shared__ __align__(16) float qsh[4][DIM];
    const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int i = blockIdx.x * 4 + w, bh = blockIdx.y;
    const float* q = buf.q + ((size_t)bh * d.T + i) * DIM;
    const float* k = buf.k + (size_t)kv_head_of(bh, d) * d.T * DIM;
    const float* v = buf.v + (size_t)kv_head_of(bh, d) * d.T * DIM;
    qsh[w][lane] = q[lane] * scale;
    qsh[w][lane + 32] = q[lane + 32] * scale;
    __syncwarp();
    float m = -FLT_MAX, l = 0.f, o0 = 0.f, o1 = 0.f;
    for (int j0 = 0; j0 <= i; j0 += 32) {
        int j = j0 + lane;
        float s = -FLT_MAX;
        if (j <= i) {
            const float4* kr = reinterpret_cast<const float4*>(k + (size_t)j * DIM);
            s = 0.f;
#pragma unroll 4
            for (int e = 0; e < DIM / 4; ++e) s += dot4(*reinterpret_cast<const float4*>(&qsh[w][e * 4]), kr[e]);
        }
        float mn = fmaxf(m, warp_max(s));
        float p = j <= i ? __expf(s - mn) : 0.f;
        float corr = __expf(m - mn);
        m = mn;
        l = l * corr + warp_sum(p);
        o0 *= corr;
        o1 *= corr;
        int n = min(32, i - j0 + 1);
        for (int t = 0; t < n; ++t) {
            float pt = __shfl_sync(0xffffffffu, p, t);
            float2 vv = *reinterpret_cast<const float2*>(v + (size_t)(j0 + t) * DIM + 2 * lane);
            o0 += pt * vv.x;
            o1 += pt * vv.y;
        }
    }
    *reinterpret_cast<float2*>(buf.o + ((size_t)bh * d.T + i) * DIM + 2 * lane) = make_float2(o0 / l, o1 / l);
}

// ------------------------------------------------------------------ (4) 64 x 64 tiles, 256 threads, 4x4 each
static const int TP = 68;   // padded row of a 64-wide tile
template <bool CAUSAL>
__global__ void __launch_bounds__(256) flash_tile64(AttnBuffers buf, AttnDims d, float scale) {
    extern __shared__ float4 smem4[];
    float* qt = reinterpret_cast<float*>(smem4);   // [dim][row]
    float* kt = qt + 64 * TP;                      // [dim][key]
    float* vs = kt + 64 * TP;                      // [key][dim]
    float* ps = vs + 64 * TP;                      // [row][key]
    const int bh = blockIdx.y, i0 = blockIdx.x * 64;
    const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
    const float* qg = buf.q + ((size_t)bh * d.T + i0) * DIM;
    const float* kg = buf.k + (size_t)kv_head_of(bh, d) * d.T * DIM;
    const float* vg = buf.v + (size_t)kv_head_of(bh, d) * d.T * DIM;

    for (int r = ty; r < 64; r += 16) {
        float4 x = *reinterpret_cast<const float4*>(qg + (size_t)r * DIM + tx * 4);
        qt[(tx * 4 + 0) * TP + r] = x.x * scale;
        qt[(tx * 4 + 1) * TP + r] = x.y * scale;
        qt[(tx * 4 + 2) * TP + r] = x.z * scale;
        qt[(tx * 4 + 3) * TP + r] = x.w * scale;
    }
    float o[4][4] = {}, m[4], l[4];
    for (int a = 0; a < 4; ++a) { m[a] = -1e30f; l[a] = 0.f; }

    const int jend = CAUSAL ? i0 + 64 : d.T;
    for (int j0 = 0; j0 < jend; j0 += 64) {
        __syncthreads();
        for (int r = ty; r < 64; r += 16) {
            float4 x = *reinterpret_cast<const float4*>(kg + (size_t)(j0 + r) * DIM + tx * 4);
            kt[(tx * 4 + 0) * TP + r] = x.x;
            kt[(tx * 4 + 1) * TP + r] = x.y;
            kt[(tx * 4 + 2) * TP + r] = x.z;
            kt[(tx * 4 + 3) * TP + r] = x.w;
            *reinterpret_cast<float4*>(&vs[r * TP + tx * 4]) = *reinterpret_cast<const float4*>(vg + (size_t)(j0 + r) * DIM + tx * 4);
        }
        __syncthreads();
        float s[4][4] = {};
#pragma unroll 8
        for (int e = 0; e < DIM; ++e) {
            float4 a = *reinterpret_cast<const float4*>(&qt[e * TP + ty * 4]);
            float4 b = *reinterpret_cast<const float4*>(&kt[e * TP + tx * 4]);
            float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int x = 0; x < 4; ++x)
#pragma unroll
                for (int y = 0; y < 4; ++y) s[x][y] += av[x] * bv[y];
        }
        const bool diag = CAUSAL && j0 == i0;
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            float mx = m[x];
#pragma unroll
            for (int y = 0; y < 4; ++y) {
                if (diag && tx * 4 + y > ty * 4 + x) s[x][y] = -1e30f;
                mx = fmaxf(mx, s[x][y]);
            }
#pragma unroll
            for (int k = 8; k; k >>= 1) mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, k));
            float corr = __expf(m[x] - mx), sum = 0.f;
            m[x] = mx;
#pragma unroll
            for (int y = 0; y < 4; ++y) { s[x][y] = __expf(s[x][y] - mx); sum += s[x][y]; o[x][y] *= corr; }
#pragma unroll
            for (int k = 8; k; k >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, k);
            l[x] = l[x] * corr + sum;
            *reinterpret_cast<float4*>(&ps[(ty * 4 + x) * TP + tx * 4]) = make_float4(s[x][0], s[x][1], s[x][2], s[x][3]);
        }
        __syncwarp();     // a row of ps is written and read by the same half warp only
#pragma unroll 4
        for (int j = 0; j < 64; ++j) {
            float4 vv = *reinterpret_cast<const float4*>(&vs[j * TP + tx * 4]);
#pragma unroll
            for (int x = 0; x < 4; ++x) {
                float p = ps[(ty * 4 + x) * TP + j];
                o[x][0] += p * vv.x; o[x][1] += p * vv.y; o[x][2] += p * vv.z; o[x][3] += p * vv.w;
            }
        }
    }
    float* og = buf.o + ((size_t)bh * d.T + i0) * DIM;
#pragma unroll
    for (int x = 0; x < 4; ++x) {
        float inv = 1.f / l[x];
        *reinterpret_cast<float4*>(og + (size_t)(ty * 4 + x) * DIM + tx * 4) =
            make_float4(o[x][0] * inv, o[x][1] * inv, o[x][2] * inv, o[x][3] * inv);
    }
}

// ------------------------------------------------------------------ launch wrappers
static const float SCALE = 0.125f;
static void launch_rope(float* x, int rows, int T) { rope_kernel<<<(rows * 32 + 255) / 256, 256>>>(x, rows, T); }
static void run_three_simple(AttnBuffers b, AttnDims d) {
    scores_simple<<<dim3(d.T / 16, d.T / 16, d.bh()), dim3(16, 16)>>>(b, d, SCALE);
    softmax_simple<<<d.bh() * d.T, 128>>>(b.scores, d.T);
    values_simple<<<dim3(d.T / 4, d.bh()), dim3(DIM, 4)>>>(b, d);
}
static void run_three_tiled(AttnBuffers b, AttnDims d) {
    scores_tiled<<<dim3(d.T / 32, d.T / 32, d.bh()), 256>>>(b, d, SCALE);
    softmax_warp_online<<<d.bh() * d.T / 8, 256>>>(b.scores, d.T);
    values_tiled<<<dim3(d.T / 32, d.bh()), 256>>>(b, d);
}
static void run_flash_thread(AttnBuffers b, AttnDims d) { flash_thread<64, 16><<<dim3(d.T / 64, d.bh()), 64>>>(b, d, SCALE); }
static void run_flash_warp(AttnBuffers b, AttnDims d) { flash_warp<<<dim3(d.T / 4, d.bh()), 128>>>(b, d, SCALE); }
template <bool C> static void run_flash_tile(AttnBuffers b, AttnDims d) {
    const int bytes = 4 * 64 * TP * (int)sizeof(float);
    cu(cudaFuncSetAttribute(flash_tile64<C>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "attr");
    flash_tile64<C><<<dim3(d.T / 64, d.bh()), 256, bytes>>>(b, d, SCALE);
}

// ------------------------------------------------------------------ reference on sampled rows
static int bad_total = 0;
static void compare(const char* name, const AttnDims& d, AttnBuffers& b, const std::vector<float>& q, const std::vector<float>& k,
                    const std::vector<float>& v, bool causal) {
    cu(cudaGetLastError(), name);
    cu(cudaDeviceSynchronize(), name);
    std::vector<float> o(d.q_elems());
    cu(cudaMemcpy(o.data(), b.o, o.size() * 4, cudaMemcpyDeviceToHost), "copy");
    double worst = 0;
    for (int bh = 0; bh < d.bh(); ++bh)
        for (int i = (bh * 7) % 23; i < d.T; i += 23) {
            int kvh = (bh / d.heads) * d.kv_heads + (bh % d.heads) / (d.heads / d.kv_heads);
            int n = causal ? i + 1 : d.T;
            std::vector<double> p(n);
            double mx = -1e300, sum = 0, acc[DIM] = {0};
            for (int j = 0; j < n; ++j) {
                double s = 0;
                for (int e = 0; e < DIM; ++e) s += (double)q[((size_t)bh * d.T + i) * DIM + e] * k[((size_t)kvh * d.T + j) * DIM + e];
                p[j] = s * SCALE;
                if (p[j] > mx) mx = p[j];
            }
            for (int j = 0; j < n; ++j) {
                double w = exp(p[j] - mx);
                sum += w;
                for (int e = 0; e < DIM; ++e) acc[e] += w * v[((size_t)kvh * d.T + j) * DIM + e];
            }
            for (int e = 0; e < DIM; ++e) {
                double df = fabs(acc[e] / sum - o[((size_t)bh * d.T + i) * DIM + e]);
                if (!(df <= worst)) worst = df;
            }
        }
    bool ok = worst < 1e-3;
    printf("%-22s max err %.2e %s\n", name, worst, ok ? "PASS" : "FAIL");
    bad_total += !ok;
    cu(cudaMemset(b.o, 0xff, d.q_elems() * 4), "memset");
}

int main() {
    AttnDims d = {2, 8, 8, 512};
    AttnDims g = {2, 8, 2, 512};          // grouped: four query heads share one
    std::vector<float> q(d.q_elems()), k(d.kv_elems()), v(d.kv_elems());
    unsigned st = 2024;
    for (std::vector<float>* t : {&q, &k, &v})
        for (float& x : *t) { st = st * 1664525u + 1013904223u; x = (float)(st >> 8) / 8388608.f - 1.f; }
    AttnBuffers b;
    cu(cudaMalloc(&b.q, q.size() * 4), "malloc"); cu(cudaMalloc(&b.k, k.size() * 4), "malloc");
    cu(cudaMalloc(&b.v, v.size() * 4), "malloc"); cu(cudaMalloc(&b.o, q.size() * 4), "malloc");
    cu(cudaMalloc(&b.scores, (size_t)d.bh() * d.T * d.T * 4), "malloc");
    cu(cudaMemcpy(b.q, q.data(), q.size() * 4, cudaMemcpyHostToDevice), "h2d");
    cu(cudaMemcpy(b.k, k.data(), k.size() * 4, cudaMemcpyHostToDevice), "h2d");
    cu(cudaMemcpy(b.v, v.data(), v.size() * 4, cudaMemcpyHostToDevice), "h2d");

    launch_rope(b.q, d.bh() * d.T, d.T);
    launch_rope(b.k, d.batch * d.kv_heads * d.T, d.T);
    std::vector<float> q0 = q, k0 = k;
    cu(cudaMemcpy(q.data(), b.q, q.size() * 4, cudaMemcpyDeviceToHost), "d2h");
    cu(cudaMemcpy(k.data(), b.k, k.size() * 4, cudaMemcpyDeviceToHost), "d2h");
    double worst = 0;
    for (size_t row = 0; row < q.size() / DIM; row += 5)
        for (int i = 0; i < 32; ++i) {
            double ang = (double)(row % d.T) * pow(10000.0, -2.0 * i / DIM), c = cos(ang), s = sin(ang);
            double w0 = q0[row * DIM + i] * c - q0[row * DIM + i + 32] * s, w1 = k0[row * DIM + i] * s + k0[row * DIM + i + 32] * c;
            worst = fmax(worst, fmax(fabs(w0 - q[row * DIM + i]), fabs(w1 - k[row * DIM + i + 32])));
        }
    printf("%-22s max err %.2e %s\n", "rope", worst, worst < 2e-3 ? "PASS" : "FAIL");
    bad_total += !(worst < 2e-3);

    run_three_simple(b, d);       compare("three kernels", d, b, q, k, v, true);
    run_three_tiled(b, d);        compare("three kernels, tiled", d, b, q, k, v, true);
    run_flash_thread(b, d);       compare("thread per query", d, b, q, k, v, true);
    run_flash_warp(b, d);         compare("warp per query", d, b, q, k, v, true);
    run_flash_tile<true>(b, d);   compare("tile 64 causal", d, b, q, k, v, true);
    run_flash_tile<false>(b, d);  compare("tile 64 full", d, b, q, k, v, false);
    run_flash_tile<true>(b, g);   compare("tile 64 causal grouped", g, b, q, k, v, true);
    printf(bad_total ? "FAILED %d\n" : "all good (%d bad)\n", bad_total);
    return bad_total != 0;
}
