/* Odds and ends of a training step. C style, one test function per kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#define CHECK(call) do { cudaError_t rc = (call); if (rc != cudaSuccess) { \
    fprintf(stderr, "%s:%d: '%s' -> %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc)); exit(1); } } while (0)
#define LAUNCHED() CHECK(cudaGetLastError())
#define CEIL(a, b) (((a) + (b) - 1) / (b))
#define B 8
#define T 1024
#define C 768
#define BT (B * T)
#define NELEM ((size_t)BT * 3 * C)     /* 18.9M */

__host__ __device__ static inline uint32_t squirrel(uint32_t pos, uint32_t seed) {
    uint32_t m = pos * 0xB5297A4Du + seed;
    m ^= m >> 8; m += 0x68E31DA4u; m ^= m << 8; m *= 0x1B56C4E9u; m ^= m >> 8;
    return m;
}
__host__ __device__ static inline float elem(size_t i) { return (int)(squirrel((uint32_t)i, 42u) >> 8) / 8388608.0f - 1.0f; }

static float *d_x, *d_y, *h_y;
static int g_errors = 0;

static void outcome(const char *name, long bad) {
    printf("%-24s %s", name, bad ? "mismatches: " : "ok\n");
    if (bad) { printf("%ld\n", bad); g_errors++; }
}
static void fetch(size_t n) { CHECK(cudaMemcpy(h_y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost)); }

__global__ void init(float *x, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) x[i] = elem(i);
}

/* (B,T,C) -> (B,C,T) through a padded tile */
#define TILE 32
#define ROWS 8
__global__ void transpose_btc(float *out, const float *in, int t_, int c_) {
    __shared__ float tile[TILE][TILE + 1];
    const float *src = in + (size_t)blockIdx.z * t_ * c_;
    float *dst = out + (size_t)blockIdx.z * t_ * c_;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = src[(size_t)(y + j) * c_ + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) dst[(size_t)(y + j) * t_ + x] = tile[threadIdx.x][threadIdx.y + j];
}
static void test_transpose(void) {
    dim3 grid(C / TILE, T / TILE, B), block(TILE, ROWS);
    transpose_btc<<<grid, block>>>(d_y, d_x, T, C);
    LAUNCHED();
    fetch((size_t)BT * C);
    long bad = 0;
    for (size_t i = 0; i < (size_t)BT * C; i += 11) {
        size_t b = i / ((size_t)T * C), c = i / T % C, t = i % T;
        bad += h_y[i] != elem((b * T + t) * C + c);
    }
    outcome("transpose (B,T,C)", bad);
}

/* dropout: one bit per element, a warp's ballot makes a word. n is a multiple of 32 */
__global__ void dropout_forward(float *out, uint32_t *mask, const float *in, size_t n, uint32_t threshold, float scale, uint32_t seed) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) {
        bool keep = squirrel((uint32_t)i, seed) >= threshold;
        uint32_t word = __ballot_sync(0xffffffffu, keep);
        if ((threadIdx.x & 31) == 0) mask[i >> 5] = word;
        __stcs(out + i, keep ? __ldcs(in + i) * scale : 0.0f);
    }
}
__global__ void dropout_backward(float4 *din, const float4 *dout, const uint32_t *mask, size_t n4, float scale) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n4) return;
    uint32_t bits = mask[i >> 3] >> ((i & 7) * 4);
    float4 g = __ldcs(dout + i);
    din[i] = make_float4(bits & 1 ? g.x * scale : 0.f, bits & 2 ? g.y * scale : 0.f, bits & 4 ? g.z * scale : 0.f, bits & 8 ? g.w * scale : 0.f);
}
static void test_dropout(void) {
    const size_t n = NELEM;
    const float p = 0.1f, scale = 1.0f / (1.0f - p);
    const uint32_t threshold = (uint32_t)(p * 4294967296.0), seed = 2024u;
    uint32_t *mask;
    CHECK(cudaMalloc(&mask, n / 8));
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0) dropout_forward<<<132 * 8, 256>>>(d_y, mask, d_x, n, threshold, scale, seed);
        else {
            CHECK(cudaMemset(d_y, 0xff, n * sizeof(float)));
            dropout_backward<<<(unsigned)CEIL(n / 4, 512), 512>>>((float4 *)d_y, (const float4 *)d_x, mask, n / 4, scale);
        }
        LAUNCHED();
        fetch(n);
        long bad = 0, kept = 0, seen = 0;
        for (size_t i = 0; i < n; i += 13) {
            bool keep = squirrel((uint32_t)i, seed) >= threshold;
            bad += h_y[i] != (keep ? elem(i) * scale : 0.0f);
            kept += keep; seen++;
        }
        if (fabs((double)kept / seen - 0.9) > 0.02) bad++;
        outcome(pass ? "dropout backward" : "dropout forward", bad);
    }
    cudaFree(mask);
}

/* (B*T, 3C) -> three (B*T, C) arrays stored one after another */
__global__ void split_qkv(float4 *q, float4 *k, float4 *v, const float4 *qkv, int rows, int c4) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    for (int c = threadIdx.x; c < c4; c += blockDim.x) {
        const float4 *s = qkv + (size_t)row * 3 * c4 + c;
        q[(size_t)row * c4 + c] = s[0];
        k[(size_t)row * c4 + c] = s[c4];
        v[(size_t)row * c4 + c] = s[2 * c4];
    }
}
static void test_split(void) {
    float4 *o = (float4 *)d_y;
    size_t part = (size_t)BT * C / 4;
    split_qkv<<<BT / 4, dim3(64, 4)>>>(o, o + part, o + 2 * part, (const float4 *)d_x, BT, C / 4);
    LAUNCHED();
    fetch(NELEM);
    long bad = 0;
    for (size_t i = 0; i < NELEM; i += 17) {
        size_t which = i / ((size_t)BT * C), r = i % ((size_t)BT * C) / C, c = i % C;
        bad += h_y[i] != elem(r * 3 * C + which * C + c);
    }
    outcome("split qkv", bad);
}

/* patch embedding: images (n,3,224,224), patches of 16 -> rows (n*196, 768) */
#define IMG 224
#define PATCH 16
#define GRID_P (IMG / PATCH)
__global__ void im2col_patches(float *cols, const float *img, int n) {
    int total = n * GRID_P * GRID_P * 3 * PATCH * PATCH;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        int dx = i % PATCH, dy = i / PATCH % PATCH, ch = i / (PATCH * PATCH) % 3, p = i / (3 * PATCH * PATCH);
        int px = p % GRID_P, py = p / GRID_P % GRID_P, im = p / (GRID_P * GRID_P);
        cols[i] = __ldg(img + (((size_t)im * 3 + ch) * IMG + py * PATCH + dy) * IMG + px * PATCH + dx);
    }
}
static void test_im2col(void) {
    const int n = 64;                           /* 64*3*224*224 = 9.6M */
    im2col_patches<<<132 * 6, 512>>>(d_y, d_x, n);
    LAUNCHED();
    size_t total = (size_t)n * 3 * IMG * IMG;
    fetch(total);
    long bad = 0;
    for (size_t i = 0; i < total; i += 7) {
        size_t row = i / 768, e = i % 768, im = row / 196, py = row % 196 / 14, px = row % 14, ch = e / 256, dy = e % 256 / 16, dx = e % 16;
        bad += h_y[i] != elem(((im * 3 + ch) * IMG + py * 16 + dy) * IMG + px * 16 + dx);
    }
    outcome("im2col patches", bad);
}

/* global mean / variance: per-block float sums, double atomics; absmax through atomicMax on the bits */
__global__ void mean_var(double *acc, const float4 *x, size_t n4) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float s = 0.f, q = 0.f;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = x[i];
        s += v.x + v.y + v.z + v.w;
        q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    __shared__ float sh[2][32];
    s = cg::reduce(warp, s, cg::plus<float>());
    q = cg::reduce(warp, q, cg::plus<float>());
    if (warp.thread_rank() == 0) { sh[0][warp.meta_group_rank()] = s; sh[1][warp.meta_group_rank()] = q; }
    block.sync();
    if (threadIdx.x < 2) {
        double t = 0;
        for (unsigned w = 0; w < warp.meta_group_size(); w++) t += sh[threadIdx.x][w];
        atomicAdd(acc + threadIdx.x, t);
    }
}
__global__ void absmax(unsigned *out, const float *x, size_t n) {
    unsigned m = 0;
#pragma unroll 4
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        m = max(m, __float_as_uint(x[i]) & 0x7fffffffu);
    m = __reduce_max_sync(0xffffffffu, m);
    if ((threadIdx.x & 31) == 0) atomicMax(out, m);
}
static void test_reductions(void) {
    double *acc, h[2], s = 0, q = 0;
    CHECK(cudaMalloc(&acc, 3 * sizeof(double)));
    CHECK(cudaMemset(acc, 0, 3 * sizeof(double)));
    mean_var<<<132 * 4, 512>>>(acc, (const float4 *)d_x, NELEM / 4);
    LAUNCHED();
    absmax<<<132 * 8, 256>>>((unsigned *)(acc + 2), d_x, NELEM);
    LAUNCHED();
    float hm, m = 0;
    CHECK(cudaMemcpy(h, acc, sizeof(h), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&hm, acc + 2, sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < NELEM; i++) { float v = elem(i); s += v; q += (double)v * v; m = fmaxf(m, fabsf(v)); }
    outcome("mean / variance", !(fabs(h[0] - s) / NELEM < 1e-6) + !(fabs(h[1] / q - 1) < 1e-5));
    outcome("absmax", hm != m);
    cudaFree(acc);
}

/* fp32 -> bf16 with stochastic rounding by the low 16 random bits */
__global__ void stochastic_round(uint2 *out, const float4 *in, size_t n4, uint32_t seed) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = __ldcs(in + i);
    uint32_t r0 = squirrel((uint32_t)(2 * i), seed), r1 = squirrel((uint32_t)(2 * i + 1), seed);
    uint32_t a = (__float_as_uint(v.x) + (r0 & 0xffff)) >> 16, b = (__float_as_uint(v.y) + (r0 >> 16)) >> 16;
    uint32_t c = (__float_as_uint(v.z) + (r1 & 0xffff)) >> 16, d = (__float_as_uint(v.w) + (r1 >> 16)) >> 16;
    out[i] = make_uint2(a | b << 16, c | d << 16);
}
static void test_stochastic(void) {
    stochastic_round<<<(unsigned)CEIL(NELEM / 4, 256), 256>>>((uint2 *)d_y, (const float4 *)d_x, NELEM / 4, 7u);
    LAUNCHED();
    fetch(NELEM / 2);
    const uint16_t *h = (const uint16_t *)h_y;
    long bad = 0;
    double drift = 0;
    for (size_t i = 0; i < NELEM; i += 9) {
        float v = elem(i), r;
        uint32_t u, w = (uint32_t)h[i] << 16;
        memcpy(&u, &v, 4); memcpy(&r, &w, 4);
        bad += h[i] != (u >> 16) && h[i] != (u >> 16) + 1;       /* one of the two neighbours */
        drift += r - v;
    }
    if (fabs(drift / (NELEM / 9)) > 2e-5) bad++;                  /* unbiased */
    outcome("stochastic rounding", bad);
}

/* scatter-add: out[idx[r]] += gather of x row r, atomics; a warp per row */
__global__ void scatter_add_rows(float *out, const float *x, const int *idx, int rows, int c) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= rows) return;
    float *dst = out + (size_t)idx[r] * c;
    for (int i = lane; i < c; i += 32) atomicAdd(dst + i, x[(size_t)r * c + i]);
}
static void test_scatter(void) {
    static int h_idx[BT];
    int *idx;
    for (int r = 0; r < BT; r++) h_idx[r] = squirrel(r, 5u) % 4096;
    CHECK(cudaMalloc(&idx, sizeof(h_idx)));
    CHECK(cudaMemcpy(idx, h_idx, sizeof(h_idx), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_y, 0, (size_t)4096 * C * sizeof(float)));
    scatter_add_rows<<<BT / 8, 256>>>(d_y, d_x, idx, BT, C);
    LAUNCHED();
    fetch((size_t)4096 * C);
    long bad = 0;
    for (int dst = 0; dst < 4096; dst += 97) {
        static double ref[C];
        for (int i = 0; i < C; i++) ref[i] = 0;
        for (int r = 0; r < BT; r++) if (h_idx[r] == dst) for (int i = 0; i < C; i++) ref[i] += elem((size_t)r * C + i);
        for (int i = 0; i < C; i++) bad += !(fabs(ref[i] - h_y[(size_t)dst * C + i]) < 1e-5);
    }
    outcome("scatter add rows", bad);
    cudaFree(idx);
}

/* cumulative sum along tokens of (rows, T): block per row, 4 values a thread, T == 4 * blockDim */
__global__ void cumsum_tokens(float4 *out, const float4 *in) {
    __shared__ float sums[32];
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[at];
    v.y += v.x; v.z += v.y; v.w += v.z;
    float before = cg::exclusive_scan(warp, v.w, cg::plus<float>());
    if (warp.thread_rank() == 31) sums[warp.meta_group_rank()] = before + v.w;
    __syncthreads();
    for (unsigned w = 0; w < warp.meta_group_rank(); w++) before += sums[w];
    out[at] = make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}
static void test_cumsum(void) {
    const int rows = (int)(NELEM / T);
    cumsum_tokens<<<rows, T / 4>>>((float4 *)d_y, (const float4 *)d_x);
    LAUNCHED();
    fetch(NELEM);
    long bad = 0;
    for (int r = 0; r < rows; r += 29) {
        double s = 0;
        for (int t = 0; t < T; t++) { s += elem((size_t)r * T + t); bad += !(fabs(s - h_y[(size_t)r * T + t]) < 1e-3); }
    }
    outcome("cumulative sum", bad);
}

/* top-1 accuracy: rows of V logits, ties count as correct; block per row, one counter */
__global__ void accuracy_top1(int *correct, const float *logits, const int *target, int v_) {
    const float *x = logits + (size_t)blockIdx.x * v_;
    float own = x[target[blockIdx.x]];
    int beaten = 0;
    for (int i = threadIdx.x; i < v_; i += blockDim.x) beaten |= x[i] > own;
    if (!__syncthreads_or(beaten) && threadIdx.x == 0) atomicAdd(correct, 1);
}
static void test_accuracy(void) {
    const int V = 32000, rows = 512;            /* 16.4M */
    static int h_t[512];
    int expect = 0, got, *t, *cnt;
    for (int r = 0; r < rows; r++) {
        int best = 0;
        float bv = elem((size_t)r * V);
        for (int i = 1; i < V; i++) { float e = elem((size_t)r * V + i); if (e > bv) { bv = e; best = i; } }
        h_t[r] = r % 3 ? best : (int)(squirrel(r, 9u) % V);
        expect += elem((size_t)r * V + h_t[r]) == bv;
    }
    CHECK(cudaMalloc(&t, sizeof(h_t)));
    CHECK(cudaMalloc(&cnt, sizeof(int)));
    CHECK(cudaMemcpy(t, h_t, sizeof(h_t), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(cnt, 0, sizeof(int)));
    accuracy_top1<<<rows, 256>>>(cnt, d_x, t, V);
    LAUNCHED();
    CHECK(cudaMemcpy(&got, cnt, sizeof(int), cudaMemcpyDeviceToHost));
    outcome("top-1 accuracy", got != expect);
    cudaFree(t); cudaFree(cnt);
}

int main(void) {
    CHECK(cudaMalloc(&d_x, NELEM * sizeof(float)));
    CHECK(cudaMalloc(&d_y, NELEM * sizeof(float)));
    h_y = (float *)malloc(NELEM * sizeof(float));
    init<<<132 * 8, 256>>>(d_x, NELEM);
    LAUNCHED();
    void (*tests[])(void) = {test_transpose, test_dropout, test_split, test_im2col, test_reductions,
                             test_stochastic, test_scatter, test_cumsum, test_accuracy};
    for (auto test : tests) test();
    CHECK(cudaDeviceSynchronize());
    cudaFree(d_x); cudaFree(d_y); free(h_y);
    puts(g_errors ? "FAIL" : "PASS");
    return g_errors ? 1 : 0;
}
