// Data-movement heavy kernels from ML frameworks: transpose, im2col, embedding forward/backward,
// row-wise top-k, AdamW, MoE token permutation.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU(call)                                                                                  \
    if (auto e_ = (call); e_ != cudaSuccess) {                                                     \
        std::fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, cudaGetErrorString(e_), #call); \
        std::exit(1);                                                                              \
    }

// ---------------------------------------------------------------- transposes
__global__ void transpose_naive(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
}

template <int TILE, int ROWS>
__global__ void __launch_bounds__(TILE *ROWS)
    transpose_tiled(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
    __shared__ float t[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x;
    int r = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        if (r + j < rows && c < cols) t[threadIdx.y + j][threadIdx.x] = in[(size_t)(r + j) * cols + c];
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x;  // output column == input row
    r = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        if (r + j < cols && c < rows) out[(size_t)(r + j) * rows + c] = t[threadIdx.x][threadIdx.y + j];
}

// ---------------------------------------------------------------- im2col (NCHW)
struct ConvShape {
    int n, c, h, w, kh, kw, pad, stride, oh, ow;
};

__global__ void im2col_nchw(ConvShape s, const float *__restrict__ im, float *__restrict__ col) {
    // one thread per (n, c, oh, ow); writes the kh*kw patch
    const int total = s.n * s.c * s.oh * s.ow;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        const int ow = i % s.ow;
        const int oh = (i / s.ow) % s.oh;
        const int c = (i / (s.ow * s.oh)) % s.c;
        const int n = i / (s.ow * s.oh * s.c);
        const float *src = im + ((size_t)n * s.c + c) * s.h * s.w;
        float *dst = col + (((size_t)n * s.c + c) * s.kh * s.kw) * s.oh * s.ow + oh * s.ow + ow;
        const int h0 = oh * s.stride - s.pad, w0 = ow * s.stride - s.pad;
        for (int y = 0; y < s.kh; ++y)
            for (int x = 0; x < s.kw; ++x) {
                const int hh = h0 + y, ww = w0 + x;
                *dst = (hh >= 0 && hh < s.h && ww >= 0 && ww < s.w) ? src[hh * s.w + ww] : 0.0f;
                dst += s.oh * s.ow;
            }
    }
}

// ---------------------------------------------------------------- embedding
template <int DIM>
__global__ void embedding_gather(const int *__restrict__ ids, const float *__restrict__ table, float *__restrict__ out, int tokens) {
    constexpr int V = DIM / 4;
    const float4 *t4 = reinterpret_cast<const float4 *>(table);
    float4 *o4 = reinterpret_cast<float4 *>(out);
    const int total = tokens * V;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        const int tok = i / V, d = i % V;
        o4[i] = __ldg(&t4[(size_t)__ldg(&ids[tok]) * V + d]);
    }
}

template <int DIM>
__global__ void embedding_scatter_add(const int *__restrict__ ids, const float *__restrict__ grad, float *__restrict__ dtable, int tokens) {
    const int tok = blockIdx.x * blockDim.y + threadIdx.y;
    if (tok >= tokens) return;
    float *row = dtable + (size_t)ids[tok] * DIM;
    const float *g = grad + (size_t)tok * DIM;
#pragma unroll
    for (int d = threadIdx.x; d < DIM; d += 32) atomicAdd(&row[d], g[d]);
}

// ---------------------------------------------------------------- top-k per row, one warp per row
template <int TOPK>
__global__ void __launch_bounds__(128)
    topk_warp(const float *__restrict__ x, int rows, int cols, float *__restrict__ out_val, int *__restrict__ out_idx) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *r = x + (size_t)row * cols;
    float v[TOPK];
    int id[TOPK];
#pragma unroll
    for (int i = 0; i < TOPK; ++i) {
        v[i] = -INFINITY;
        id[i] = 0x7fffffff;
    }
    for (int c = lane; c < cols; c += 32) {
        const float e = r[c];
        if (e > v[TOPK - 1]) {
            v[TOPK - 1] = e;
            id[TOPK - 1] = c;
#pragma unroll
            for (int j = TOPK - 1; j > 0; --j)
                if (v[j] > v[j - 1]) {
                    const float tv = v[j]; v[j] = v[j - 1]; v[j - 1] = tv;
                    const int ti = id[j]; id[j] = id[j - 1]; id[j - 1] = ti;
                }
        }
    }
    for (int k = 0; k < TOPK; ++k) {
        float best = v[0];
        int bi = id[0];
#pragma unroll
        for (int m = 16; m > 0; m >>= 1) {
            const float ov = __shfl_xor_sync(0xffffffffu, best, m);
            const int oi = __shfl_xor_sync(0xffffffffu, bi, m);
            if (ov > best || (ov == best && oi < bi)) {
                best = ov;
                bi = oi;
            }
        }
        if (id[0] == bi) {  // owner pops its head
#pragma unroll
            for (int j = 0; j < TOPK - 1; ++j) {
                v[j] = v[j + 1];
                id[j] = id[j + 1];
            }
            v[TOPK - 1] = -INFINITY;
            id[TOPK - 1] = 0x7fffffff;
        }
        if (lane == 0) {
            out_val[(size_t)row * TOPK + k] = best;
            out_idx[(size_t)row * TOPK + k] = bi;
        }
    }
}

// ---------------------------------------------------------------- AdamW
struct AdamArgs {
    float lr, beta1, beta2, eps, weight_decay, bc1, bc2_sqrt;
};

__device__ __forceinline__ float adam_one(float p, float g, float &m, float &v, const AdamArgs &a) {
    m = a.beta1 * m + (1.0f - a.beta1) * g;
    v = a.beta2 * v + (1.0f - a.beta2) * g * g;
    const float denom = sqrtf(v) / a.bc2_sqrt + a.eps;
    return p - a.lr * (m / a.bc1 / denom + a.weight_decay * p);
}

__global__ void __launch_bounds__(256)
    adamw_step(float4 *__restrict__ param, const half2 *__restrict__ grad, float4 *__restrict__ m, float4 *__restrict__ v,
               half2 *__restrict__ param_half, int n4, AdamArgs a) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const float2 g0 = __half22float2(grad[2 * i]), g1 = __half22float2(grad[2 * i + 1]);
    float4 p = param[i], mm = m[i], vv = v[i];
    p.x = adam_one(p.x, g0.x, mm.x, vv.x, a);
    p.y = adam_one(p.y, g0.y, mm.y, vv.y, a);
    p.z = adam_one(p.z, g1.x, mm.z, vv.z, a);
    p.w = adam_one(p.w, g1.y, mm.w, vv.w, a);
    param[i] = p;
    m[i] = mm;
    v[i] = vv;
    param_half[2 * i] = __floats2half2_rn(p.x, p.y);
    param_half[2 * i + 1] = __floats2half2_rn(p.z, p.w);
}

// ---------------------------------------------------------------- MoE permutation
// One block per (token, choice): reserve a slot in the expert's segment, copy the fp16 row there.
template <int HIDDEN>
__global__ void __launch_bounds__(HIDDEN / 8)
    moe_permute(const half *__restrict__ x, const int *__restrict__ expert_of, int *__restrict__ cursor,
                half *__restrict__ permuted, int *__restrict__ slot_of, int k) {
    __shared__ int s_slot;
    const int assign = blockIdx.x;
    if (threadIdx.x == 0) {
        s_slot = atomicAdd(&cursor[expert_of[assign]], 1);
        slot_of[assign] = s_slot;
    }
    __syncthreads();
    const uint4 *src = reinterpret_cast<const uint4 *>(x + (size_t)(assign / k) * HIDDEN);
    uint4 *dst = reinterpret_cast<uint4 *>(permuted + (size_t)s_slot * HIDDEN);
    dst[threadIdx.x] = src[threadIdx.x];
}

// ---------------------------------------------------------------- host utilities
static uint32_t mix32(uint32_t x) {
    x ^= x >> 16; x *= 0x21f0aaadu; x ^= x >> 15; x *= 0x735a2d97u; x ^= x >> 15;
    return x;
}
static float unit(uint32_t i) { return (mix32(i) >> 8) * (1.0f / 16777216.0f); }

template <typename T>
static T *dalloc(size_t n) {
    T *p;
    GPU(cudaMalloc(&p, n * sizeof(T)));
    GPU(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <typename T>
static T *dcopy(const std::vector<T> &h) {
    T *p;
    GPU(cudaMalloc(&p, h.size() * sizeof(T)));
    GPU(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <typename T>
static std::vector<T> back(const T *d, size_t n) {
    GPU(cudaGetLastError());
    GPU(cudaDeviceSynchronize());
    std::vector<T> h(n);
    GPU(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}
static int failures = 0;
static void verdict(const char *name, long long bad) {
    std::printf("%-24s %s", name, bad ? "BAD" : "ok");
    if (bad) std::printf(" (%lld)", bad);
    std::printf("\n");
    failures += bad != 0;
}

static void test_transpose() {
    const int rows = 4096, cols = 3000;
    const size_t n = (size_t)rows * cols;
    std::vector<float> h(n);
    for (size_t i = 0; i < n; ++i) h[i] = (float)(i & 0xffffff);
    float *a = dcopy(h), *b = dalloc<float>(n);
    auto check = [&](const char *name) {
        const auto o = back(b, n);
        long long bad = 0;
        for (int r = 0; r < rows; r += 3)
            for (int c = r % 7; c < cols; c += 7) bad += o[(size_t)c * rows + r] != h[(size_t)r * cols + c];
        verdict(name, bad);
        GPU(cudaMemset(b, 0, n * sizeof(float)));
    };
    transpose_naive<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(a, b, rows, cols);
    check("transpose_naive");
    transpose_tiled<32, 8><<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(a, b, rows, cols);
    check("transpose_tiled");
    GPU(cudaFree(a));
    GPU(cudaFree(b));
}

static void test_im2col() {
    ConvShape s{8, 64, 56, 56, 3, 3, 1, 1, 0, 0};
    s.oh = (s.h + 2 * s.pad - s.kh) / s.stride + 1;
    s.ow = (s.w + 2 * s.pad - s.kw) / s.stride + 1;
    const size_t ni = (size_t)s.n * s.c * s.h * s.w, no = (size_t)s.n * s.c * s.kh * s.kw * s.oh * s.ow;
    std::vector<float> im(ni);
    for (size_t i = 0; i < ni; ++i) im[i] = unit((uint32_t)i);
    float *di = dcopy(im), *dc = dalloc<float>(no);
    const int total = s.n * s.c * s.oh * s.ow;
    im2col_nchw<<<(total + 255) / 256, 256>>>(s, di, dc);
    const auto o = back(dc, no);
    long long bad = 0;
    for (size_t i = 0; i < no; i += 13) {
        const int ow = i % s.ow, oh = (i / s.ow) % s.oh;
        const size_t q = i / ((size_t)s.ow * s.oh);
        const int kx = q % s.kw, ky = (q / s.kw) % s.kh;
        const size_t nc = q / (s.kw * s.kh);
        const int hh = oh * s.stride - s.pad + ky, ww = ow * s.stride - s.pad + kx;
        const float want = hh >= 0 && hh < s.h && ww >= 0 && ww < s.w ? im[(nc * s.h + hh) * s.w + ww] : 0.f;
        bad += o[i] != want;
    }
    verdict("im2col_nchw", bad);
    GPU(cudaFree(di));
    GPU(cudaFree(dc));
}

static void test_embedding() {
    constexpr int DIM = 256;
    const int vocab = 32000, tokens = 32768;
    std::vector<float> table((size_t)vocab * DIM), grad((size_t)tokens * DIM);
    std::vector<int> ids(tokens);
    for (size_t i = 0; i < table.size(); ++i) table[i] = unit((uint32_t)i);
    for (size_t i = 0; i < grad.size(); ++i) grad[i] = unit((uint32_t)i + 0x40000000u) - 0.5f;
    for (int i = 0; i < tokens; ++i) {
        const float u = unit(i + 0x70000000u);
        ids[i] = std::min((int)(u * u * u * vocab), vocab - 1);  // skewed towards small ids
    }
    float *dt = dcopy(table), *dg = dcopy(grad), *dout = dalloc<float>((size_t)tokens * DIM), *ddt = dalloc<float>(table.size());
    int *dids = dcopy(ids);

    embedding_gather<DIM><<<132 * 8, 256>>>(dids, dt, dout, tokens);
    const auto o = back(dout, (size_t)tokens * DIM);
    long long bad = 0;
    for (int t = 0; t < tokens; t += 5)
        for (int d = 0; d < DIM; ++d) bad += o[(size_t)t * DIM + d] != table[(size_t)ids[t] * DIM + d];
    verdict("embedding_gather", bad);

    embedding_scatter_add<DIM><<<(tokens + 7) / 8, dim3(32, 8)>>>(dids, dg, ddt, tokens);
    const auto dtab = back(ddt, table.size());
    std::vector<double> ref(table.size(), 0.0);
    for (int t = 0; t < tokens; ++t)
        for (int d = 0; d < DIM; ++d) ref[(size_t)ids[t] * DIM + d] += grad[(size_t)t * DIM + d];
    bad = 0;
    for (size_t i = 0; i < ref.size(); ++i) bad += !(std::fabs(ref[i] - dtab[i]) <= 2e-3);
    verdict("embedding_scatter_add", bad);
    GPU(cudaFree(dt));
    GPU(cudaFree(dg));
    GPU(cudaFree(dout));
    GPU(cudaFree(ddt));
    GPU(cudaFree(dids));
}

static void test_topk() {
    constexpr int TOPK = 8;
    const int rows = 4096, cols = 2050;
    std::vector<float> x((size_t)rows * cols);
    for (size_t i = 0; i < x.size(); ++i) x[i] = unit((uint32_t)i * 3u + 1u);
    float *dx = dcopy(x), *dv = dalloc<float>(rows * TOPK);
    int *di = dalloc<int>(rows * TOPK);
    topk_warp<TOPK><<<(rows + 3) / 4, 128>>>(dx, rows, cols, dv, di);
    const auto v = back(dv, rows * TOPK);
    const auto id = back(di, rows * TOPK);
    long long bad = 0;
    std::vector<int> order(cols);
    for (int r = 0; r < rows; r += 17) {
        const float *p = &x[(size_t)r * cols];
        for (int c = 0; c < cols; ++c) order[c] = c;
        std::partial_sort(order.begin(), order.begin() + TOPK, order.end(),
                          [&](int a, int b) { return p[a] > p[b] || (p[a] == p[b] && a < b); });
        for (int k = 0; k < TOPK; ++k) bad += id[r * TOPK + k] != order[k] || v[r * TOPK + k] != p[order[k]];
    }
    verdict("topk_warp", bad);
    GPU(cudaFree(dx));
    GPU(cudaFree(dv));
    GPU(cudaFree(di));
}

static void test_adam() {
    const int n = 6 * 1024 * 1024;
    std::vector<float> p(n), m(n), v(n);
    std::vector<half> g(n), lut(1024);
    for (int i = 0; i < 1024; ++i) lut[i] = __float2half((i - 512) / 2048.0f);
    for (int i = 0; i < n; ++i) {
        const uint32_t h = mix32(i + 99u);
        p[i] = ((h & 0xffff) - 32768.0f) / 65536.0f;
        m[i] = ((h >> 16 & 0xff) - 128.0f) / 4096.0f;
        v[i] = (h >> 24) / 65536.0f;
        g[i] = lut[(h >> 6) & 1023];
    }
    float *dp = dcopy(p), *dm = dcopy(m), *dv = dcopy(v);
    half *dg = dcopy(g), *dh = dalloc<half>(n);
    const int step = 10;
    AdamArgs a{1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 1.0f - powf(0.9f, step), sqrtf(1.0f - powf(0.999f, step))};
    adamw_step<<<(n / 4 + 255) / 256, 256>>>(reinterpret_cast<float4 *>(dp), reinterpret_cast<const half2 *>(dg),
                                             reinterpret_cast<float4 *>(dm), reinterpret_cast<float4 *>(dv),
                                             reinterpret_cast<half2 *>(dh), n / 4, a);
    const auto np = back(dp, n), nm = back(dm, n), nv = back(dv, n);
    const auto nh = back(dh, n);
    long long bad = 0;
    for (int i = 0; i < n; i += 11) {
        const double gg = __half2float(g[i]);
        const double mm = (double)a.beta1 * m[i] + (1.0 - a.beta1) * gg;
        const double vv = (double)a.beta2 * v[i] + (1.0 - a.beta2) * gg * gg;
        const double want = p[i] - a.lr * (mm / a.bc1 / (std::sqrt(vv) / a.bc2_sqrt + a.eps) + a.weight_decay * p[i]);
        bad += !(std::fabs(want - np[i]) <= 1e-4 + 1e-4 * std::fabs(want)) || !(std::fabs(mm - nm[i]) <= 1e-6) ||
               !(std::fabs(vv - nv[i]) <= 1e-6) || !(std::fabs(want - __half2float(nh[i])) <= 1e-3 * (1 + std::fabs(want)));
    }
    verdict("adamw_step", bad);
    GPU(cudaFree(dp));
    GPU(cudaFree(dm));
    GPU(cudaFree(dv));
    GPU(cudaFree(dg));
    GPU(cudaFree(dh));
}

static void test_moe() {
    constexpr int HIDDEN = 1024;
    const int tokens = 8192, experts = 16, k = 2;
    std::vector<half> x((size_t)tokens * HIDDEN), lut(2048);
    for (int i = 0; i < 2048; ++i) lut[i] = __float2half((float)(i - 1024));
    for (size_t i = 0; i < x.size(); ++i) x[i] = lut[mix32((uint32_t)i) & 2047];
    std::vector<int> expert(tokens * k), offset(experts + 1, 0);
    for (int t = 0; t < tokens; ++t) {
        const int e0 = std::min((int)(unit(t) * unit(t + 500000u) * experts), experts - 1);
        const int e1 = (e0 + 1 + mix32(t + 900000u) % (experts - 1)) % experts;
        expert[t * k] = e0;
        expert[t * k + 1] = e1;
        ++offset[e0 + 1];
        ++offset[e1 + 1];
    }
    for (int e = 0; e < experts; ++e) offset[e + 1] += offset[e];
    std::vector<int> cursor(offset.begin(), offset.end() - 1);
    half *dx = dcopy(x), *dp = dalloc<half>((size_t)tokens * k * HIDDEN);
    int *de = dcopy(expert), *dc = dcopy(cursor), *ds = dalloc<int>(tokens * k);
    moe_permute<HIDDEN><<<tokens * k, HIDDEN / 8>>>(dx, de, dc, dp, ds, k);
    const auto perm = back(dp, (size_t)tokens * k * HIDDEN);
    const auto slot = back(ds, tokens * k);
    long long bad = 0;
    std::vector<char> used(tokens * k, 0);
    for (int a = 0; a < tokens * k; ++a) {
        const int s = slot[a], e = expert[a];
        if (s < offset[e] || s >= offset[e + 1] || used[s]) {
            ++bad;
            continue;
        }
        used[s] = 1;
        if (a % 9 == 0)
            for (int d = 0; d < HIDDEN; ++d)
                bad += __half2float(perm[(size_t)s * HIDDEN + d]) != __half2float(x[(size_t)(a / k) * HIDDEN + d]);
    }
    verdict("moe_permute", bad);
    GPU(cudaFree(dx));
    GPU(cudaFree(dp));
    GPU(cudaFree(de));
    GPU(cudaFree(dc));
    GPU(cudaFree(ds));
}

int main() {
    test_transpose();
    test_im2col();
    test_embedding();
    test_topk();
    test_adam();
    test_moe();
    std::puts(failures ? "FAIL" : "PASS");
    return failures ? 1 : 0;
}
