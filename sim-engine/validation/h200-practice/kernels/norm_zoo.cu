// norm_zoo.cu : benchmark of row-wise operators (layer norm, rms norm, softmax, cross entropy), forward and backward.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

#define TRY(expr)                                                                                         \
    if (cudaError_t err__ = (expr); err__ != cudaSuccess) {                                               \
        std::fprintf(stderr, "[%s] -> %s (line %d)\n", #expr, cudaGetErrorString(err__), __LINE__);       \
        std::exit(EXIT_FAILURE);                                                                          \
    }

constexpr float EPS = 1e-5f;

// ===================================================================== layer norm forward
// v1: one thread per row
__global__ void ln_thread(const float* x, const float* g, const float* b, float* y, float* mean, float* rstd, int R, int C) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= R) return;
    const float* xr = x + (size_t)r * C;
    float mu = 0.f;
    for (int c = 0; c < C; c++) mu += xr[c];
    mu /= C;
    float var = 0.f;
    for (int c = 0; c < C; c++) { float d = xr[c] - mu; var += d * d; }
    float rs = 1.0f / sqrtf(var / C + EPS);
    for (int c = 0; c < C; c++) y[(size_t)r * C + c] = (xr[c] - mu) * rs * g[c] + b[c];
    mean[r] = mu;
    rstd[r] = rs;
}

// v2: block per row, shared-memory tree, two passes
template <int BLOCK>
__global__ void ln_block(const float* x, const float* g, const float* b, float* y, float* mean, float* rstd, int R, int C) {
    __shared__ float buf[BLOCK];
    const float* xr = x + (size_t)blockIdx.x * C;
    float t = 0.f;
    for (int c = threadIdx.x; c < C; c += BLOCK) t += xr[c];
    buf[threadIdx.x] = t;
    __syncthreads();
    for (int s = BLOCK / 2; s >= 1; s /= 2) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    float mu = buf[0] / C;
    __syncthreads();
    t = 0.f;
    for (int c = threadIdx.x; c < C; c += BLOCK) { float d = xr[c] - mu; t += d * d; }
    buf[threadIdx.x] = t;
    __syncthreads();
    for (int s = BLOCK / 2; s >= 1; s /= 2) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    float rs = rsqrtf(buf[0] / C + EPS);
    float* yr = y + (size_t)blockIdx.x * C;
    for (int c = threadIdx.x; c < C; c += BLOCK) yr[c] = (xr[c] - mu) * rs * g[c] + b[c];
    if (threadIdx.x == 0) { mean[blockIdx.x] = mu; rstd[blockIdx.x] = rs; }
}

// v3: warp per row by cooperative groups, streaming hints
__global__ void ln_cg(const float* __restrict__ x, const float* __restrict__ g, const float* __restrict__ b, float* __restrict__ y,
                      float* __restrict__ mean, float* __restrict__ rstd, int R, int C) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int r = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (r >= R) return;
    const float* xr = x + (size_t)r * C;
    float s = 0.f;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) s += xr[c];
    float mu = cg::reduce(warp, s, cg::plus<float>{}) / C;
    s = 0.f;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) { float d = xr[c] - mu; s += d * d; }
    float rs = rsqrtf(cg::reduce(warp, s, cg::plus<float>{}) / C + EPS);
    if (warp.thread_rank() == 0) { __stcs(mean + r, mu); __stcs(rstd + r, rs); }
    for (int c = warp.thread_rank(); c < C; c += warp.size())
        __stcs(y + (size_t)r * C + c, (__ldcs(xr + c) - mu) * rs * __ldg(g + c) + __ldg(b + c));
}

// v4: the row stays in registers as float4, C = 128*VEC
template <int VEC>
__global__ void __launch_bounds__(256) ln_regs(const float4* __restrict__ x, const float4* __restrict__ g, const float4* __restrict__ b,
                                               float4* __restrict__ y, float* __restrict__ mean, float* __restrict__ rstd, int R) {
    constexpr int C4 = 32 * VEC;
    const int lane = threadIdx.x & 31;
    const int r = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (r >= R) return;
    float4 v[VEC];
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        v[i] = x[(size_t)r * C4 + i * 32 + lane];
        s += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    }
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    const float mu = s / (4 * C4);
    float q = 0.f;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        v[i].x -= mu; v[i].y -= mu; v[i].z -= mu; v[i].w -= mu;
        q += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    for (int o = 16; o > 0; o /= 2) q += __shfl_xor_sync(~0u, q, o);
    const float rs = rsqrtf(q / (4 * C4) + EPS);
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        float4 gg = g[i * 32 + lane], bb = b[i * 32 + lane];
        y[(size_t)r * C4 + i * 32 + lane] = make_float4(fmaf(v[i].x * rs, gg.x, bb.x), fmaf(v[i].y * rs, gg.y, bb.y),
                                                        fmaf(v[i].z * rs, gg.z, bb.z), fmaf(v[i].w * rs, gg.w, bb.w));
    }
    if (lane == 0) { mean[r] = mu; rstd[r] = rs; }
}

// ===================================================================== layer norm backward
__global__ void ln_bwd_dx(const float* __restrict__ dy, const float* __restrict__ x, const float* __restrict__ g,
                          const float* __restrict__ mean, const float* __restrict__ rstd, float* __restrict__ dx, int R, int C) {
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= R) return;
    float mu = mean[r], rs = rstd[r], a = 0.f, b = 0.f;
    for (int c = lane; c < C; c += 32) {
        float dyg = dy[(size_t)r * C + c] * g[c], xh = (x[(size_t)r * C + c] - mu) * rs;
        a += dyg;
        b += dyg * xh;
    }
    for (int o = 16; o > 0; o >>= 1) { a += __shfl_down_sync(~0u, a, o); b += __shfl_down_sync(~0u, b, o); }
    a = __shfl_sync(~0u, a, 0) / C;
    b = __shfl_sync(~0u, b, 0) / C;
    for (int c = lane; c < C; c += 32) {
        float dyg = dy[(size_t)r * C + c] * g[c], xh = (x[(size_t)r * C + c] - mu) * rs;
        dx[(size_t)r * C + c] = (dyg - a - xh * b) * rs;
    }
}

// each block sums a slab of rows for 32 columns, then one atomic per column
__global__ void ln_bwd_params(const float* dy, const float* x, const float* mean, const float* rstd, float* dg, float* db, int R, int C,
                              int slab) {
    __shared__ float sg[8][33], sb[8][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float a = 0.f, b = 0.f;
    int r1 = min(R, (int)(blockIdx.y + 1) * slab);
    for (int r = blockIdx.y * slab + threadIdx.y; r < r1; r += 8) {
        float d = dy[(size_t)r * C + c];
        a += d * (x[(size_t)r * C + c] - mean[r]) * rstd[r];
        b += d;
    }
    sg[threadIdx.y][threadIdx.x] = a;
    sb[threadIdx.y][threadIdx.x] = b;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int i = 1; i < 8; i++) { a += sg[i][threadIdx.x]; b += sb[i][threadIdx.x]; }
        atomicAdd(dg + c, a);
        atomicAdd(db + c, b);
    }
}

// ===================================================================== rms norm forward
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) rms_block(const float* __restrict__ x, const float* __restrict__ g, float* __restrict__ y, int C) {
    __shared__ float part[BLOCK / 32];
    const float4* xr = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * C);
    float s = 0.f;
    for (int i = threadIdx.x; i < C / 4; i += BLOCK) { float4 v = xr[i]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
    __syncthreads();
    s = 0.f;
#pragma unroll
    for (int w = 0; w < BLOCK / 32; w++) s += part[w];
    const float k = rsqrtf(s / C + EPS);
    for (int i = threadIdx.x; i < C / 4; i += BLOCK) {
        float4 v = xr[i], w = reinterpret_cast<const float4*>(g)[i];
        reinterpret_cast<float4*>(y + (size_t)blockIdx.x * C)[i] = make_float4(v.x * k * w.x, v.y * k * w.y, v.z * k * w.z, v.w * k * w.w);
    }
}

// ===================================================================== softmax forward
__global__ void softmax_3pass(const float* x, float* y, int C) {
    extern __shared__ float sh[];
    const float* xr = x + (size_t)blockIdx.x * C;
    float* yr = y + (size_t)blockIdx.x * C;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < C; c += blockDim.x) m = fmaxf(m, xr[c]);
    sh[threadIdx.x] = m;
    for (unsigned s = blockDim.x >> 1; s; s >>= 1) {
        __syncthreads();
        if (threadIdx.x < s) sh[threadIdx.x] = fmaxf(sh[threadIdx.x], sh[threadIdx.x + s]);
    }
    __syncthreads();
    m = sh[0];
    __syncthreads();
    float t = 0.f;
    for (int c = threadIdx.x; c < C; c += blockDim.x) { float e = expf(xr[c] - m); yr[c] = e; t += e; }
    sh[threadIdx.x] = t;
    for (unsigned s = blockDim.x >> 1; s; s >>= 1) {
        __syncthreads();
        if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
    }
    __syncthreads();
    t = sh[0];
    for (int c = threadIdx.x; c < C; c += blockDim.x) yr[c] /= t;
}

struct __align__(8) MD { float m, d; };
__device__ __forceinline__ MD md_join(MD a, MD b) {
    bool big = a.m > b.m;
    MD hi = big ? a : b, lo = big ? b : a;
    hi.d += lo.d * __expf(lo.m - hi.m);
    return hi;
}
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) softmax_online(const float* __restrict__ x, float* __restrict__ y, int C) {
    __shared__ MD part[BLOCK / 32];
    const float* xr = x + (size_t)blockIdx.x * C;
    MD t{-1e30f, 0.f};
    for (int c = threadIdx.x; c < C; c += BLOCK) t = md_join(t, MD{xr[c], 1.f});
    for (int o = 16; o; o >>= 1) t = md_join(t, MD{__shfl_xor_sync(~0u, t.m, o), __shfl_xor_sync(~0u, t.d, o)});
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = t;
    __syncthreads();
    t = part[0];
    for (int w = 1; w < BLOCK / 32; w++) t = md_join(t, part[w]);
    float inv = __fdividef(1.f, t.d);
    for (int c = threadIdx.x; c < C; c += BLOCK) y[(size_t)blockIdx.x * C + c] = __expf(xr[c] - t.m) * inv;
}

// softmax backward, warp per row: dx = y * (dy - <dy, y>)
__global__ void softmax_bwd_warp(const float4* __restrict__ y, const float4* __restrict__ dy, float4* __restrict__ dx, int R, int C4) {
    cg::thread_block_tile<32> w = cg::tiled_partition<32>(cg::this_thread_block());
    for (int r = blockIdx.x * w.meta_group_size() + w.meta_group_rank(); r < R; r += gridDim.x * w.meta_group_size()) {
        float s = 0.f;
        for (int i = w.thread_rank(); i < C4; i += 32) {
            float4 a = y[(size_t)r * C4 + i], b = dy[(size_t)r * C4 + i];
            s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        s = cg::reduce(w, s, cg::plus<float>());
        for (int i = w.thread_rank(); i < C4; i += 32) {
            float4 a = y[(size_t)r * C4 + i], b = dy[(size_t)r * C4 + i];
            dx[(size_t)r * C4 + i] = make_float4(a.x * (b.x - s), a.y * (b.y - s), a.z * (b.z - s), a.w * (b.w - s));
        }
    }
}

// ===================================================================== cross entropy
// loss only
__global__ void ce_forward(const float* __restrict__ logits, const int* __restrict__ target, float* __restrict__ loss, int V) {
    __shared__ MD part[32];
    const float* z = logits + (size_t)blockIdx.x * V;
    MD t{-1e30f, 0.f};
    for (int c = threadIdx.x; c < V; c += blockDim.x) {
        float v = z[c];
        if (v > t.m) { t.d = t.d * __expf(t.m - v) + 1.f; t.m = v; } else t.d += __expf(v - t.m);
    }
    for (int o = 1; o < 32; o <<= 1) t = md_join(t, MD{__shfl_xor_sync(~0u, t.m, o), __shfl_xor_sync(~0u, t.d, o)});
    int nw = blockDim.x / 32;
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = t;
    __syncthreads();
    if (threadIdx.x < 32) {
        t = threadIdx.x < nw ? part[threadIdx.x] : MD{-1e30f, 0.f};
        for (int o = 16; o; o >>= 1) t = md_join(t, MD{__shfl_xor_sync(~0u, t.m, o), __shfl_xor_sync(~0u, t.d, o)});
        if (threadIdx.x == 0) loss[blockIdx.x] = logf(t.d) + t.m - z[target[blockIdx.x]];
    }
}
// loss and gradient in one go, the row held in dynamic shared memory
__global__ void ce_fused(const float* __restrict__ logits, const int* __restrict__ target, float* __restrict__ loss,
                         float* __restrict__ grad, int V, float gscale) {
    extern __shared__ float4 row4[];
    __shared__ float red[32];
    const int tid = threadIdx.x, nw = blockDim.x / 32, V4 = V / 4;
    const float4* z = reinterpret_cast<const float4*>(logits + (size_t)blockIdx.x * V);
    float m = -INFINITY;
    for (int i = tid; i < V4; i += blockDim.x) {
        float4 v = z[i];
        row4[i] = v;
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (tid % 32 == 0) red[tid / 32] = m;
    __syncthreads();
    m = red[0];
    for (int w = 1; w < nw; w++) m = fmaxf(m, red[w]);
    __syncthreads();
    float s = 0.f;
    const int tg = target[blockIdx.x];
    const float zt = reinterpret_cast<float*>(row4)[tg];
    __syncthreads();                       // everyone has the target logit before the row is overwritten
    for (int i = tid; i < V4; i += blockDim.x) {
        float4 v = row4[i];
        v.x = __expf(v.x - m); v.y = __expf(v.y - m); v.z = __expf(v.z - m); v.w = __expf(v.w - m);
        row4[i] = v;
        s += v.x + v.y + v.z + v.w;
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (tid % 32 == 0) red[tid / 32] = s;
    __syncthreads();
    s = 0.f;
    for (int w = 0; w < nw; w++) s += red[w];
    const float k = gscale / s;
    float4* gr = reinterpret_cast<float4*>(grad + (size_t)blockIdx.x * V);
    for (int i = tid; i < V4; i += blockDim.x) {
        float4 v = row4[i];
        v.x *= k; v.y *= k; v.z *= k; v.w *= k;
        if (tg / 4 == i) (&v.x)[tg % 4] -= gscale;
        gr[i] = v;
    }
    if (tid == 0) loss[blockIdx.x] = logf(s) + m - zt;
}

// ===================================================================== harness
struct Variant {
    std::string label;
    double bytes;
    std::function<void()> go;
    std::function<double()> error;   // max abs error against the host
    double tol;
};

template <class T> static T* dev(size_t n) { T* p; TRY(cudaMalloc(&p, n * sizeof(T))); return p; }
template <class T> static std::vector<T> back(const T* p, size_t n) {
    std::vector<T> h(n);
    TRY(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}

int main() {
    const int R = 4096, C = 1024;           // norms, softmax
    const int B = 1024, V = 8192;           // cross entropy
    const size_t n = (size_t)R * C, nv = (size_t)B * V;
    std::vector<float> hx(n), hdy(n), hg(C), hb(C), hz(nv);
    std::vector<int> ht(B);
    uint32_t s = 7;
    auto u = [&] { s = s * 747796405u + 2891336453u; return (s >> 8) * (1.f / 16777216.f); };
    for (auto& v : hx) v = 4.f * u() - 1.5f;
    for (auto& v : hdy) v = u() - 0.5f;
    for (auto& v : hg) v = 0.5f + u();
    for (auto& v : hb) v = u() - 0.5f;
    for (auto& v : hz) v = 10.f * u() - 5.f;
    for (auto& v : ht) v = std::min(V - 1, int(u() * V));

    float *x = dev<float>(n), *dy = dev<float>(n), *y = dev<float>(n), *g = dev<float>(C), *b = dev<float>(C), *mean = dev<float>(R),
          *rstd = dev<float>(R), *dg = dev<float>(C), *db = dev<float>(C), *z = dev<float>(nv), *dz = dev<float>(nv), *loss = dev<float>(B),
          *sm = dev<float>(n);
    int* t = dev<int>(B);
    TRY(cudaMemcpy(x, hx.data(), n * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dy, hdy.data(), n * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(g, hg.data(), C * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(b, hb.data(), C * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(z, hz.data(), nv * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(t, ht.data(), B * 4, cudaMemcpyHostToDevice));

    // host statistics for all rows
    std::vector<double> mu(R), rs(R), rms(R), smx(R), ssum(R);
    for (int r = 0; r < R; r++) {
        const float* p = &hx[(size_t)r * C];
        double a = 0, q = 0, v = 0, m = -1e9, e = 0;
        for (int c = 0; c < C; c++) { a += p[c]; q += (double)p[c] * p[c]; m = std::max(m, (double)p[c]); }
        a /= C;
        for (int c = 0; c < C; c++) v += (p[c] - a) * (p[c] - a);
        for (int c = 0; c < C; c++) e += std::exp(p[c] - m);
        mu[r] = a; rs[r] = 1 / std::sqrt(v / C + EPS); rms[r] = 1 / std::sqrt(q / C + EPS); smx[r] = m; ssum[r] = e;
    }
    auto worst_of = [&](const float* p, int rstep, auto want) {
        auto h = back(p, n);
        double w = 0;
        for (int r = 0; r < R; r += rstep)
            for (int c = 0; c < C; c++) { double d = std::fabs(want(r, c) - h[(size_t)r * C + c]); if (!(d <= w)) w = d; }
        return w;
    };
    auto ln_err = [&] {
        return worst_of(y, 3, [&](int r, int c) { return (hx[(size_t)r * C + c] - mu[r]) * rs[r] * hg[c] + hb[c]; });
    };
    auto rms_err = [&] { return worst_of(y, 3, [&](int r, int c) { return hx[(size_t)r * C + c] * rms[r] * hg[c]; }); };
    auto sm_err = [&] { return 100 * worst_of(sm, 5, [&](int r, int c) { return std::exp(hx[(size_t)r * C + c] - smx[r]) / ssum[r]; }); };
    auto dx_err = [&] {
        auto h = back(y, n);
        double w = 0;
        for (int r = 0; r < R; r += 7) {
            double a = 0, q = 0;
            for (int c = 0; c < C; c++) { double d = (double)hdy[(size_t)r * C + c] * hg[c]; a += d; q += d * (hx[(size_t)r * C + c] - mu[r]) * rs[r]; }
            for (int c = 0; c < C; c++) {
                double d = (double)hdy[(size_t)r * C + c] * hg[c], xh = (hx[(size_t)r * C + c] - mu[r]) * rs[r];
                double e = std::fabs((d - a / C - xh * q / C) * rs[r] - h[(size_t)r * C + c]);
                if (!(e <= w)) w = e;
            }
        }
        return w;
    };
    auto par_err = [&] {
        auto a = back(dg, C), q = back(db, C);
        double w = 0;
        for (int c = 0; c < C; c += 5) {
            double sg = 0, sb = 0;
            for (int r = 0; r < R; r++) { double d = hdy[(size_t)r * C + c]; sb += d; sg += d * (hx[(size_t)r * C + c] - mu[r]) * rs[r]; }
            double e = std::max(std::fabs(sg - a[c]), std::fabs(sb - q[c]));
            if (!(e <= w)) w = e;
        }
        return w;
    };
    auto smb_err = [&] {
        auto h = back(y, n);
        double w = 0;
        for (int r = 0; r < R; r += 9) {
            double dot = 0;
            auto prob = [&](int c) { return std::exp(hx[(size_t)r * C + c] - smx[r]) / ssum[r]; };
            for (int c = 0; c < C; c++) dot += prob(c) * hdy[(size_t)r * C + c];
            for (int c = 0; c < C; c++) { double e = std::fabs(prob(c) * (hdy[(size_t)r * C + c] - dot) - h[(size_t)r * C + c]); if (!(e <= w)) w = e; }
        }
        return 100 * w;
    };
    auto ce_err = [&](bool with_grad) {
        auto hl = back(loss, B);
        std::vector<float> hd;
        if (with_grad) hd = back(dz, nv);
        double w = 0;
        for (int r = 0; r < B; r += 4) {
            double m = -1e9, e = 0;
            for (int c = 0; c < V; c++) m = std::max(m, (double)hz[(size_t)r * V + c]);
            for (int c = 0; c < V; c++) e += std::exp(hz[(size_t)r * V + c] - m);
            double d = std::fabs(std::log(e) + m - hz[(size_t)r * V + ht[r]] - hl[r]);
            if (!(d <= w)) w = d;
            if (with_grad)
                for (int c = 0; c < V; c += 3) {
                    double want = std::exp(hz[(size_t)r * V + c] - m) / e - (c == ht[r]);
                    d = 10 * std::fabs(want - hd[(size_t)r * V + c]);
                    if (!(d <= w)) w = d;
                }
        }
        return w;
    };

    const double fb = 8.0 * n;
    std::vector<Variant> table = {
        {"layernorm thread/row", fb, [&] { ln_thread<<<R / 64, 64>>>(x, g, b, y, mean, rstd, R, C); }, ln_err, 1e-3},
        {"layernorm block 256", fb, [&] { ln_block<256><<<R, 256>>>(x, g, b, y, mean, rstd, R, C); }, ln_err, 1e-3},
        {"layernorm block 1024", fb, [&] { ln_block<1024><<<R, 1024>>>(x, g, b, y, mean, rstd, R, C); }, ln_err, 1e-3},
        {"layernorm warp cg", fb, [&] { ln_cg<<<R / 8, 256>>>(x, g, b, y, mean, rstd, R, C); }, ln_err, 1e-3},
        {"layernorm registers", fb,
         [&] { ln_regs<8><<<R / 8, 256>>>((float4*)x, (float4*)g, (float4*)b, (float4*)y, mean, rstd, R); }, ln_err, 1e-3},
        {"layernorm dx", 2.5 * fb, [&] { ln_bwd_dx<<<R / 4, 128>>>(dy, x, g, mean, rstd, y, R, C); }, dx_err, 1e-3},
        {"layernorm dgamma,dbeta", fb,
         [&] {
             TRY(cudaMemset(dg, 0, C * 4));
             TRY(cudaMemset(db, 0, C * 4));
             ln_bwd_params<<<dim3(C / 32, 16), dim3(32, 8)>>>(dy, x, mean, rstd, dg, db, R, C, R / 16);
         },
         par_err, 1e-2},
        {"rmsnorm block 128", fb, [&] { rms_block<128><<<R, 128>>>(x, g, y, C); }, rms_err, 1e-3},
        {"rmsnorm block 256", fb, [&] { rms_block<256><<<R, 256>>>(x, g, y, C); }, rms_err, 1e-3},
        {"softmax 3 passes", fb, [&] { softmax_3pass<<<R, 512, 512 * 4>>>(x, sm, C); }, sm_err, 1e-3},
        {"softmax online 128", fb, [&] { softmax_online<128><<<R, 128>>>(x, sm, C); }, sm_err, 1e-3},
        {"softmax backward", 1.5 * fb, [&] { softmax_bwd_warp<<<264, 256>>>((float4*)sm, (float4*)dy, (float4*)y, R, C / 4); }, smb_err, 1e-3},
        {"cross entropy loss", 4.0 * nv, [&] { ce_forward<<<B, 512>>>(z, t, loss, V); }, [&] { return ce_err(false); }, 1e-3},
        {"cross entropy fused", 8.0 * nv, [&] { ce_fused<<<B, 512, V * 4>>>(z, t, loss, dz, V, 1.f); }, [&] { return ce_err(true); }, 1e-3},
    };

    cudaEvent_t e0, e1;
    TRY(cudaEventCreate(&e0));
    TRY(cudaEventCreate(&e1));
    int bad = 0;
    std::printf("%-26s %10s %10s %12s\n", "variant", "us", "GB/s", "err");
    for (auto& v : table) {
        TRY(cudaMemset(y, 0xff, n * 4));
        TRY(cudaEventRecord(e0));
        v.go();
        TRY(cudaEventRecord(e1));
        TRY(cudaGetLastError());
        TRY(cudaEventSynchronize(e1));
        float ms;
        TRY(cudaEventElapsedTime(&ms, e0, e1));
        double err = v.error();
        bool ok = err < v.tol;
        bad += !ok;
        std::printf("%-26s %10.1f %10.1f %12.3e  %s\n", v.label.c_str(), ms * 1e3, v.bytes / ms * 1e-6, err, ok ? "PASS" : "FAIL");
    }
    TRY(cudaEventDestroy(e0));
    TRY(cudaEventDestroy(e1));
    for (void* p : {(void*)x, (void*)dy, (void*)y, (void*)g, (void*)b, (void*)mean, (void*)rstd, (void*)dg, (void*)db, (void*)z, (void*)dz,
                    (void*)loss, (void*)sm, (void*)t})
        cudaFree(p);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
