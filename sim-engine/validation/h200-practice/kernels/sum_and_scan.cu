/*
 * sum_and_scan.cu - seven textbook reductions, two modern ones, then prefix sums and segmented sums.
 * Everything is unsigned 32 bit (wrap-around), so host and device must agree exactly;
 * only the segmented sums are float.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        cudaError_t r_ = (x);                                                                      \
        if (r_ != cudaSuccess) {                                                                   \
            printf("error %d (%s) in %s, line %d\n", (int)r_, cudaGetErrorString(r_), #x, __LINE__); \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define N (1 << 22)
#define BS 256
#define FULL 0xffffffffu

u32 *h_in, *h_out, *h_part;
u32 *d_in, *d_out, *d_part;
u32 expected;
int failures;

/* ------------------------------------------------------------------ reductions */
/* 1: interleaved, modulo */
__global__ void red1(const u32 *in, u32 *out)
{
    __shared__ u32 s[BS];
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (u32 d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* 2: interleaved, strided index */
__global__ void red2(const u32 *in, u32 *out)
{
    __shared__ u32 s[BS];
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (u32 d = 1; d < blockDim.x; d *= 2) {
        u32 i = 2 * d * t;
        if (i < blockDim.x) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* 3: sequential addressing */
__global__ void red3(const u32 *in, u32 *out)
{
    __shared__ u32 s[BS];
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (u32 d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* 4: first addition while loading */
__global__ void red4(const u32 *in, u32 *out)
{
    __shared__ u32 s[BS];
    u32 t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    s[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (u32 d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* 5: last warp unrolled */
__device__ void last_warp(volatile u32 *s, u32 t)
{
    u32 v = s[t];
    v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 8];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 4];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 2];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 1];  __syncwarp(); s[t] = v;
}
__global__ void red5(const u32 *in, u32 *out)
{
    __shared__ u32 s[BS];
    u32 t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    s[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (u32 d = blockDim.x / 2; d > 32; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) last_warp(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

/* 6: completely unrolled by the preprocessor */
#define HALVE(d) if (BS >= 2 * (d)) { if (t < (d)) s[t] += s[t + (d)]; __syncthreads(); }
__global__ void red6(const u32 *in, u32 *out)
{
    __shared__ u32 s[BS];
    u32 t = threadIdx.x, i = blockIdx.x * BS * 2 + t;
    s[t] = in[i] + in[i + BS];
    __syncthreads();
    HALVE(512) HALVE(256) HALVE(128) HALVE(64)
    if (t < 32) last_warp(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

/* 7: many elements per thread, the last block to finish adds the partial sums */
__device__ u32 g_done = 0;
__global__ void red7(const u32 *in, u32 *part, u32 *total, int n)
{
    __shared__ u32 s[BS];
    __shared__ bool last;
    u32 t = threadIdx.x, acc = 0;
    for (u32 i = blockIdx.x * BS * 2 + t; i < n; i += gridDim.x * BS * 2) acc += in[i] + in[i + BS];
    s[t] = acc;
    __syncthreads();
    HALVE(256) HALVE(128) HALVE(64)
    if (t < 32) last_warp(s, t);
    if (t == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&g_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        acc = 0;
        for (u32 i = t; i < gridDim.x; i += BS) acc += ((volatile u32 *)part)[i];
        s[t] = acc;
        __syncthreads();
        HALVE(256) HALVE(128) HALVE(64)
        if (t < 32) last_warp(s, t);
        if (t == 0) { *total = s[0]; g_done = 0; }
    }
}

/* 8: uint4 loads, shuffles, one atomic per block */
__global__ void red8(const uint4 *in, u32 *total, int n4)
{
    __shared__ u32 w[32];
    u32 acc = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uint4 v = in[i];
        acc += v.x + v.y + v.z + v.w;
    }
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(FULL, acc, o);
    if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x < 32) {
        acc = threadIdx.x < (blockDim.x >> 5) ? w[threadIdx.x] : 0;
        acc = __reduce_add_sync(FULL, acc);
        if (threadIdx.x == 0) atomicAdd(total, acc);
    }
}

/* 9: cooperative launch, one grid-wide barrier */
__global__ void red9(const u32 *in, u32 *part, u32 *total, int n)
{
    namespace cg = cooperative_groups;
    cg::grid_group grid = cg::this_grid();
    __shared__ u32 w[BS / 32];
    u32 acc = 0;
    for (u32 i = grid.thread_rank(); i < n; i += grid.size()) acc += in[i];
    acc = __reduce_add_sync(FULL, acc);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        acc = 0;
        for (int i = 0; i < BS / 32; ++i) acc += w[i];
        part[blockIdx.x] = acc;
    }
    grid.sync();
    if (blockIdx.x == 0 && threadIdx.x < 32) {
        acc = 0;
        for (u32 i = threadIdx.x; i < gridDim.x; i += 32) acc += part[i];
        acc = __reduce_add_sync(FULL, acc);
        if (threadIdx.x == 0) *total = acc;
    }
}

/* ------------------------------------------------------------------ scans (inclusive) */
/* three-phase, Hillis-Steele in shared memory with two halves */
__global__ void scan_blocks(const u32 *in, u32 *out, u32 *sums)
{
    __shared__ u32 s[2][1024];
    int t = threadIdx.x, p = 0;
    int i = blockIdx.x * 1024 + t;
    s[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1) {
        u32 v = s[p][t];
        if (t >= d) v += s[p][t - d];
        p ^= 1;
        s[p][t] = v;
        __syncthreads();
    }
    out[i] = s[p][t];
    if (t == 1023) sums[blockIdx.x] = s[p][t];
}

/* one block of 1024, exclusive scan of up to 4096 sums: 4 per thread, work-efficient sweep over shared memory */
__global__ void scan_sums(u32 *sums, int n)
{
    __shared__ u32 s[1024];
    int t = threadIdx.x;
    u32 a[4], run = 0;
    for (int q = 0; q < 4; ++q) {
        a[q] = t * 4 + q < n ? sums[t * 4 + q] : 0;
        run += a[q];
    }
    s[t] = run;
    for (int d = 1; d < 1024; d <<= 1) { /* up */
        __syncthreads();
        int i = (t + 1) * 2 * d - 1;
        if (i < 1024) s[i] += s[i - d];
    }
    if (t == 0) s[1023] = 0;
    for (int d = 512; d > 0; d >>= 1) { /* down */
        __syncthreads();
        int i = (t + 1) * 2 * d - 1;
        if (i < 1024) {
            u32 x = s[i - d];
            s[i - d] = s[i];
            s[i] += x;
        }
    }
    __syncthreads();
    run = s[t];
    for (int q = 0; q < 4; ++q) {
        if (t * 4 + q < n) sums[t * 4 + q] = run;
        run += a[q];
    }
}

__global__ void add_sums(u32 *out, const u32 *sums)
{
    u32 base = sums[blockIdx.x];
    uint4 *o = (uint4 *)(out + blockIdx.x * 1024);
    uint4 v = o[threadIdx.x];
    v.x += base; v.y += base; v.z += base; v.w += base;
    o[threadIdx.x] = v;
}

/* single pass, decoupled look-back; state word = flag << 32 | value, flag 1 = aggregate, 2 = inclusive prefix */
#define LB_ITEMS 8
__global__ void scan_lookback(const u32 *in, u32 *out, volatile u64 *state, u32 *ticket)
{
    __shared__ u32 warp_tot[BS / 32];
    __shared__ u32 sh_tile, sh_prefix;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0) sh_tile = atomicAdd(ticket, 1u);
    __syncthreads();
    const u32 tile = sh_tile;
    const uint4 *src = (const uint4 *)(in + (size_t)tile * BS * LB_ITEMS) + threadIdx.x * 2;
    uint4 a = src[0], b = src[1];
    a.y += a.x; a.z += a.y; a.w += a.z;
    b.x += a.w; b.y += b.x; b.z += b.y; b.w += b.z;
    u32 tot = b.w, inc = tot;
    for (int o = 1; o < 32; o <<= 1) {
        u32 v = __shfl_up_sync(FULL, inc, o);
        if (lane >= o) inc += v;
    }
    if (lane == 31) warp_tot[warp] = inc;
    __syncthreads();
    u32 before = inc - tot, agg = 0;
    for (int w = 0; w < BS / 32; ++w) {
        u32 v = warp_tot[w];
        if (w < warp) before += v;
        agg += v;
    }
    if (warp == 0) {
        u32 prefix = 0;
        if (tile == 0) {
            if (lane == 0) state[0] = (2ull << 32) | agg;
        } else {
            if (lane == 0) state[tile] = (1ull << 32) | agg;
            int look = (int)tile - 1 - lane;
            for (;;) {
                u64 st;
                do {
                    st = look >= 0 ? state[look] : (2ull << 32);
                } while (__any_sync(FULL, (u32)(st >> 32) == 0));
                u32 full = __ballot_sync(FULL, (u32)(st >> 32) == 2);
                int stop = full ? __ffs(full) - 1 : 31;
                prefix += __reduce_add_sync(FULL, lane <= stop ? (u32)st : 0u);
                if (full) break;
                look -= 32;
            }
            if (lane == 0) state[tile] = (2ull << 32) | (u32)(prefix + agg);
        }
        if (lane == 0) sh_prefix = prefix;
    }
    __syncthreads();
    u32 off = sh_prefix + before;
    a.x += off; a.y += off; a.z += off; a.w += off;
    b.x += off; b.y += off; b.z += off; b.w += off;
    uint4 *dst = (uint4 *)(out + (size_t)tile * BS * LB_ITEMS) + threadIdx.x * 2;
    dst[0] = a;
    dst[1] = b;
}

/* ------------------------------------------------------------------ segmented sums */
#define NSEG 20000
__global__ void seg_thread(const u32 *in, const int *start, float *out, int nseg)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= nseg) return;
    float acc = 0.0f;
    for (int i = start[s]; i < start[s + 1]; ++i) acc += (float)(in[i] & 255u);
    out[s] = acc;
}
__global__ void seg_warp(const u32 *in, const int *start, float *out, int nseg)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (s >= nseg) return;
    float acc = 0.0f;
    int e = start[s + 1];
    for (int i = start[s] + lane; i < e; i += 32) acc += (float)(in[i] & 255u);
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(FULL, acc, o);
    if (lane == 0) out[s] = acc;
}
/* by element: each element knows its segment, a warp adds equal neighbours before the atomic */
__global__ void seg_atomic(const u32 *in, const int *seg_of, float *out, int n)
{
    int lane = threadIdx.x & 31;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int sg = seg_of[i];
        float v = (float)(in[i] & 255u);
        for (int o = 1; o < 32; o <<= 1) {
            float u = __shfl_up_sync(FULL, v, o);
            int q = __shfl_up_sync(FULL, sg, o);
            if (lane >= o && q == sg) v += u;
        }
        int nxt = __shfl_down_sync(FULL, sg, 1);
        if (lane == 31 || nxt != sg) atomicAdd(&out[sg], v);
    }
}

/* ------------------------------------------------------------------ host */
static void report(const char *name, int ok)
{
    printf("%-18s %s\n", name, ok ? "PASS" : "FAIL");
    if (!ok) ++failures;
}
static void finish(void)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
static void check_partials(const char *name, int blocks)
{
    u32 s = 0;
    finish();
    CHECK(cudaMemcpy(h_part, d_part, blocks * sizeof(u32), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; ++i) s += h_part[i];
    report(name, s == expected);
    CHECK(cudaMemset(d_part, 0, (N / BS) * sizeof(u32)));
}
static void check_total(const char *name, const u32 *d_total)
{
    u32 s = 0;
    finish();
    CHECK(cudaMemcpy(&s, d_total, sizeof s, cudaMemcpyDeviceToHost));
    report(name, s == expected);
}
static void check_scan(const char *name)
{
    u32 run = 0;
    int ok = 1;
    finish();
    CHECK(cudaMemcpy(h_out, d_out, N * sizeof(u32), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) {
        run += h_in[i];
        if (h_out[i] != run) { ok = 0; break; }
    }
    report(name, ok);
    CHECK(cudaMemset(d_out, 0, N * sizeof(u32)));
}

int main(void)
{
    u32 s = 1u;
    u32 *d_total, *d_ticket;
    u64 *d_state;
    h_in = (u32 *)malloc(N * sizeof(u32));
    h_out = (u32 *)malloc(N * sizeof(u32));
    h_part = (u32 *)malloc((N / BS) * sizeof(u32));
    for (int i = 0; i < N; ++i) {
        s = s * 1664525u + 1013904223u;
        h_in[i] = s >> 12;
        expected += h_in[i];
    }
    CHECK(cudaMalloc((void **)&d_in, N * sizeof(u32)));
    CHECK(cudaMalloc((void **)&d_out, N * sizeof(u32)));
    CHECK(cudaMalloc((void **)&d_part, (N / BS) * sizeof(u32)));
    CHECK(cudaMalloc((void **)&d_total, sizeof(u32)));
    CHECK(cudaMalloc((void **)&d_ticket, sizeof(u32)));
    CHECK(cudaMalloc((void **)&d_state, N / (BS * LB_ITEMS) * sizeof(u64)));
    CHECK(cudaMemcpy(d_in, h_in, N * sizeof(u32), cudaMemcpyHostToDevice));

    red1<<<N / BS, BS>>>(d_in, d_part);       check_partials("modulo", N / BS);
    red2<<<N / BS, BS>>>(d_in, d_part);       check_partials("strided", N / BS);
    red3<<<N / BS, BS>>>(d_in, d_part);       check_partials("sequential", N / BS);
    red4<<<N / BS / 2, BS>>>(d_in, d_part);   check_partials("first add", N / BS / 2);
    red5<<<N / BS / 2, BS>>>(d_in, d_part);   check_partials("last warp", N / BS / 2);
    red6<<<N / BS / 2, BS>>>(d_in, d_part);   check_partials("unrolled", N / BS / 2);
    CHECK(cudaMemset(d_total, 0, sizeof(u32)));
    red7<<<512, BS>>>(d_in, d_part, d_total, N);
    check_total("many + last block", d_total);
    CHECK(cudaMemset(d_total, 0, sizeof(u32)));
    red8<<<264, 512>>>((const uint4 *)d_in, d_total, N / 4);
    check_total("shuffle + atomic", d_total);
    {
        int n = N, per_sm = 0, sms = 0;
        void *args[] = {&d_in, &d_part, &d_total, &n};
        CHECK(cudaMemset(d_total, 0, sizeof(u32)));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, red9, BS, 0));
        CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
        if (per_sm > 4) per_sm = 4;
        CHECK(cudaLaunchCooperativeKernel((void *)red9, dim3(per_sm * sms), dim3(BS), args, 0, 0));
        check_total("cooperative grid", d_total);
    }

    scan_blocks<<<N / 1024, 1024>>>(d_in, d_out, d_part);
    scan_sums<<<1, 1024>>>(d_part, N / 1024);
    add_sums<<<N / 1024, 256>>>(d_out, d_part);
    check_scan("scan 3 phases");

    CHECK(cudaMemset(d_state, 0, N / (BS * LB_ITEMS) * sizeof(u64)));
    CHECK(cudaMemset(d_ticket, 0, sizeof(u32)));
    scan_lookback<<<N / (BS * LB_ITEMS), BS>>>(d_in, d_out, d_state, d_ticket);
    check_scan("scan look-back");

    {   /* segments of very different lengths */
        int *start = (int *)malloc((NSEG + 1) * sizeof(int)), *segof = (int *)malloc(N * sizeof(int));
        float *want = (float *)malloc(NSEG * sizeof(float)), *got = (float *)malloc(NSEG * sizeof(float));
        int *d_start, *d_segof, pos = 0;
        float *d_seg;
        for (int i = 0; i < NSEG; ++i) {
            start[i] = pos;
            s = s * 1664525u + 1013904223u;
            int len = (s >> 28) == 0 ? (int)((s >> 10) & 2047) : (int)((s >> 10) & 127);
            if (i == NSEG - 1 || pos + len > N) len = i == NSEG - 1 ? (N - pos > 4096 ? 4096 : N - pos) : N - pos;
            double acc = 0.0;
            for (int k = 0; k < len; ++k) { acc += h_in[pos + k] & 255u; segof[pos + k] = i; }
            want[i] = (float)acc;
            pos += len;
        }
        start[NSEG] = pos;
        CHECK(cudaMalloc((void **)&d_start, (NSEG + 1) * sizeof(int)));
        CHECK(cudaMalloc((void **)&d_segof, N * sizeof(int)));
        CHECK(cudaMalloc((void **)&d_seg, NSEG * sizeof(float)));
        CHECK(cudaMemcpy(d_start, start, (NSEG + 1) * sizeof(int), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_segof, segof, pos * sizeof(int), cudaMemcpyHostToDevice));
        for (int v = 0; v < 3; ++v) {
            int ok = 1;
            CHECK(cudaMemset(d_seg, 0, NSEG * sizeof(float)));
            if (v == 0) seg_thread<<<(NSEG + 127) / 128, 128>>>(d_in, d_start, d_seg, NSEG);
            if (v == 1) seg_warp<<<(NSEG + 7) / 8, 256>>>(d_in, d_start, d_seg, NSEG);
            if (v == 2) seg_atomic<<<1024, 256>>>(d_in, d_segof, d_seg, pos & ~31);
            finish();
            CHECK(cudaMemcpy(got, d_seg, NSEG * sizeof(float), cudaMemcpyDeviceToHost));
            /* the by-element version leaves out the ragged end (less than a warp): skip what it touches */
            int lim = NSEG;
            if (v == 2) while (lim > 0 && start[lim] > (pos & ~31)) --lim;
            for (int i = 0; i < lim; ++i)
                if (!(fabsf(got[i] - want[i]) < 0.5f)) ok = 0;
            report(v == 0 ? "segments thread" : v == 1 ? "segments warp" : "segments atomic", ok);
        }
        CHECK(cudaFree(d_start)); CHECK(cudaFree(d_segof)); CHECK(cudaFree(d_seg));
        free(start); free(segof); free(want); free(got);
    }
    printf("%d failures\n", failures);
    CHECK(cudaFree(d_in)); CHECK(cudaFree(d_out)); CHECK(cudaFree(d_part));
    CHECK(cudaFree(d_total)); CHECK(cudaFree(d_ticket)); CHECK(cudaFree(d_state));
    free(h_in); free(h_out); free(h_part);
    return failures;
}
