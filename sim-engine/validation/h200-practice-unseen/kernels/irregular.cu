/* irregular.cu - sparse and irregular work in plain C: SpMV in four formats/mappings, BFS by levels,
 * bitonic sort, one radix pass, merge path.  All data from one LCG.                                */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>

#define CHECK(c) check_((c), #c, __LINE__)
static void check_(cudaError_t e, const char *s, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s -> %s\n", line, s, cudaGetErrorString(e));
    exit(1);
}
#define NEW(type, n) ((type *)malloc((size_t)(n) * sizeof(type)))
#define DNEW(ptr, n) CHECK(cudaMalloc((void **)&(ptr), (size_t)(n) * sizeof(*(ptr))))
#define UP(d, h, n) CHECK(cudaMemcpy((d), (h), (size_t)(n) * sizeof(*(h)), cudaMemcpyHostToDevice))
#define DOWN(h, d, n) CHECK(cudaMemcpy((h), (d), (size_t)(n) * sizeof(*(h)), cudaMemcpyDeviceToHost))
#define SYNC() do { CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); } while (0)

static unsigned lcg = 20240229u;
static unsigned rnd(void) { lcg = lcg * 1664525u + 1013904223u; return (lcg ^ (lcg >> 16)) & 0x0fffffffu; }
static int fails;
static void say(const char *what, int ok) { printf("%-22s %s\n", what, ok ? "PASS" : "FAIL"); fails += !ok; }

/* ================================================================== SpMV */
#define ROWS 65536
#define ELLW 24
static int *row_ptr, *col;
static float *val, *x, *y, *y_ref;
static int *d_row, *d_col, *d_ecol;
static float *d_val, *d_x, *d_y, *d_eval;

__global__ void spmv_scalar(int n, const int *rp, const int *ci, const float *a, const float *v, float *out)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        float s = 0.f;
        for (int k = rp[r]; k < rp[r + 1]; k++) s += a[k] * v[ci[k]];
        out[r] = s;
    }
}

__global__ void spmv_warp(int n, const int *__restrict__ rp, const int *__restrict__ ci, const float *__restrict__ a,
                          const float *__restrict__ v, float *__restrict__ out)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (r >= n) return;
    float s = 0.f;
    for (int k = rp[r] + lane; k < rp[r + 1]; k += 32) s += a[k] * __ldg(&v[ci[k]]);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0) out[r] = s;
}

/* LANES threads per row */
#define LANES 8
__global__ void spmv_sub(int n, const int *__restrict__ rp, const int *__restrict__ ci, const float *__restrict__ a,
                         const float *__restrict__ v, float *__restrict__ out)
{
    int g = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, l = threadIdx.x % LANES;
    int stride = gridDim.x * blockDim.x / LANES;
    for (int r = g; r < n; r += stride) {      /* n is a multiple of the stride: no ragged warps */
        int b = rp[r], e = rp[r + 1];
        float s = 0.f;
        for (int k = b + l; k < e; k += LANES) s = fmaf(a[k], v[ci[k]], s);
        s += __shfl_xor_sync(0xffffffffu, s, 4);
        s += __shfl_xor_sync(0xffffffffu, s, 2);
        s += __shfl_xor_sync(0xffffffffu, s, 1);
        if (l == 0) out[r] = s;
    }
}

/* ELL part, column-major; the tail of long rows stays in CSR */
__global__ void spmv_ell(int n, const int *__restrict__ ec, const float *__restrict__ ev, const int *__restrict__ rp,
                         const int *__restrict__ ci, const float *__restrict__ a, const float *__restrict__ v, float *__restrict__ out)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0.f;
    for (int j = 0; j < ELLW; j++) {
        int c = ec[j * n + r];
        if (c < 0) break;
        s += ev[j * n + r] * v[c];
    }
    for (int k = rp[r] + ELLW; k < rp[r + 1]; k++) s += a[k] * v[ci[k]];
    out[r] = s;
}

static void spmv_check(const char *name)
{
    int ok = 1;
    SYNC();
    DOWN(y, d_y, ROWS);
    for (int i = 0; i < ROWS; i++)
        if (!(fabsf(y[i] - y_ref[i]) < 1e-3f)) ok = 0;
    say(name, ok);
    CHECK(cudaMemset(d_y, 0xff, ROWS * sizeof(float)));
}

static void do_spmv(void)
{
    row_ptr = NEW(int, ROWS + 1);
    row_ptr[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        int len = 4 + rnd() % 24;
        if (rnd() % 64 == 0) len = 100 + rnd() % 200;
        row_ptr[i + 1] = row_ptr[i] + len;
    }
    int nnz = row_ptr[ROWS];
    col = NEW(int, nnz);
    val = NEW(float, nnz);
    x = NEW(float, ROWS); y = NEW(float, ROWS); y_ref = NEW(float, ROWS);
    for (int i = 0; i < ROWS; i++) x[i] = (float)(rnd() % 2001) / 1000.f - 1.f;
    for (int i = 0; i < ROWS; i++)
        for (int k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
            /* half near the diagonal, half anywhere */
            col[k] = (k & 1) ? (int)((i + rnd() % 512) % ROWS) : (int)(rnd() % ROWS);
            val[k] = (float)(rnd() % 2001) / 1000.f - 1.f;
        }
    int *ec = NEW(int, ROWS * ELLW);
    float *ev = NEW(float, ROWS * ELLW);
    for (int i = 0; i < ROWS; i++) {
        double s = 0;
        for (int k = row_ptr[i]; k < row_ptr[i + 1]; k++) s += (double)val[k] * x[col[k]];
        y_ref[i] = (float)s;
        for (int j = 0; j < ELLW; j++) {
            int k = row_ptr[i] + j, in = k < row_ptr[i + 1];
            ec[j * ROWS + i] = in ? col[k] : -1;
            ev[j * ROWS + i] = in ? val[k] : 0.f;
        }
    }
    DNEW(d_row, ROWS + 1); DNEW(d_col, nnz); DNEW(d_val, nnz); DNEW(d_x, ROWS); DNEW(d_y, ROWS);
    DNEW(d_ecol, ROWS * ELLW); DNEW(d_eval, ROWS * ELLW);
    UP(d_row, row_ptr, ROWS + 1); UP(d_col, col, nnz); UP(d_val, val, nnz); UP(d_x, x, ROWS);
    UP(d_ecol, ec, ROWS * ELLW); UP(d_eval, ev, ROWS * ELLW);

    spmv_scalar<<<ROWS / 128, 128>>>(ROWS, d_row, d_col, d_val, d_x, d_y);
    spmv_check("csr scalar");
    spmv_warp<<<ROWS / 8, 256>>>(ROWS, d_row, d_col, d_val, d_x, d_y);
    spmv_check("csr warp");
    spmv_sub<<<512, 256>>>(ROWS, d_row, d_col, d_val, d_x, d_y);
    spmv_check("csr 8 lanes");
    spmv_ell<<<ROWS / 256, 256>>>(ROWS, d_ecol, d_eval, d_row, d_col, d_val, d_x, d_y);
    spmv_check("ell + tail");
    free(ec); free(ev); free(val); free(x); free(y); free(y_ref);
    CHECK(cudaFree(d_ecol)); CHECK(cudaFree(d_eval)); CHECK(cudaFree(d_val)); CHECK(cudaFree(d_x)); CHECK(cudaFree(d_y));
}

/* ================================================================== BFS over the same pattern */
__global__ void bfs_topdown(const int *rp, const int *ci, int *dist, const int *front, int nf, int *next, int *nn, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nf) return;
    int u = front[i];
    for (int k = rp[u]; k < rp[u + 1]; k++) {
        int w = ci[k];
        if (dist[w] < 0 && atomicCAS(&dist[w], -1, level) == -1) next[atomicAdd(nn, 1)] = w;
    }
}

/* a warp per frontier vertex, one counter update for the warp */
__global__ void bfs_warp(const int *rp, const int *ci, int *dist, const int *front, int nf, int *next, int *nn, int level)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (w >= nf) return;
    int u = front[w], e = rp[u + 1];
    for (int k0 = rp[u]; k0 < e; k0 += 32) {
        int t = -1, fresh = 0;
        if (k0 + lane < e) {
            t = ci[k0 + lane];
            fresh = dist[t] < 0 && atomicCAS(&dist[t], -1, level) == -1;
        }
        unsigned m = __ballot_sync(0xffffffffu, fresh);
        if (m == 0) continue;
        int base = 0;
        if (lane == 0) base = atomicAdd(nn, __popc(m));
        base = __shfl_sync(0xffffffffu, base, 0);
        if (fresh) next[base + __popc(m & ((1u << lane) - 1u))] = t;
    }
}

static void do_bfs(void)
{
    int *ref = NEW(int, ROWS), *queue = NEW(int, ROWS), *dist = NEW(int, ROWS);
    int *d_dist, *d_f[2], *d_n, head = 0, tail = 0;
    for (int i = 0; i < ROWS; i++) ref[i] = -1;
    ref[1] = 0; queue[tail++] = 1;
    while (head < tail) {
        int u = queue[head++];
        for (int k = row_ptr[u]; k < row_ptr[u + 1]; k++)
            if (ref[col[k]] < 0) { ref[col[k]] = ref[u] + 1; queue[tail++] = col[k]; }
    }
    DNEW(d_dist, ROWS); DNEW(d_f[0], ROWS); DNEW(d_f[1], ROWS); DNEW(d_n, 1);
    int one = 1, zero = 0, nf = 1, cur = 0, level = 1;
    CHECK(cudaMemset(d_dist, 0xff, ROWS * sizeof(int)));
    UP(d_dist + 1, &zero, 1);
    UP(d_f[0], &one, 1);
    while (nf > 0 && level < 12) {
        CHECK(cudaMemset(d_n, 0, sizeof(int)));
        if (level & 1)
            bfs_topdown<<<(nf + 127) / 128, 128>>>(d_row, d_col, d_dist, d_f[cur], nf, d_f[cur ^ 1], d_n, level);
        else
            bfs_warp<<<(nf + 3) / 4, 128>>>(d_row, d_col, d_dist, d_f[cur], nf, d_f[cur ^ 1], d_n, level);
        SYNC();
        DOWN(&nf, d_n, 1);
        cur ^= 1;
        level++;
    }
    DOWN(dist, d_dist, ROWS);
    printf("bfs: %d levels, %d vertices reached\n", level - 1, tail);
    say("bfs distances", memcmp(dist, ref, ROWS * sizeof(int)) == 0);
    free(ref); free(queue); free(dist);
    CHECK(cudaFree(d_dist)); CHECK(cudaFree(d_f[0])); CHECK(cudaFree(d_f[1])); CHECK(cudaFree(d_n));
}

/* ================================================================== bitonic sort */
#define BN (1 << 18)
#define BCHUNK 2048
/* sort each chunk of 2048, directions alternating */
__global__ void __launch_bounds__(1024) bitonic_chunks(unsigned *d)
{
    __shared__ unsigned s[BCHUNK];
    unsigned base = blockIdx.x * BCHUNK, t = threadIdx.x;
    s[t] = d[base + t];
    s[t + 1024] = d[base + t + 1024];
    for (unsigned k = 2; k <= BCHUNK; k <<= 1)
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            unsigned lo = 2 * t - (t & (j - 1)), hi = lo + j;
            int asc = ((base + lo) & k) == 0;
            unsigned a = s[lo], b = s[hi];
            if ((a > b) == asc) { s[lo] = b; s[hi] = a; }
        }
    __syncthreads();
    d[base + t] = s[t];
    d[base + t + 1024] = s[t + 1024];
}
__global__ void bitonic_step(unsigned *d, unsigned k, unsigned j)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lo = 2 * t - (t & (j - 1)), hi = lo + j;
    unsigned a = d[lo], b = d[hi];
    if ((a > b) == ((lo & k) == 0)) { d[lo] = b; d[hi] = a; }
}
__global__ void __launch_bounds__(1024) bitonic_finish(unsigned *d, unsigned k)
{
    __shared__ unsigned s[BCHUNK];
    unsigned base = blockIdx.x * BCHUNK, t = threadIdx.x;
    s[t] = d[base + t];
    s[t + 1024] = d[base + t + 1024];
    int asc = (base & k) == 0;
#pragma unroll
    for (unsigned j = BCHUNK / 2; j > 0; j >>= 1) {
        __syncthreads();
        unsigned lo = 2 * t - (t & (j - 1));
        unsigned a = s[lo], b = s[lo + j];
        if ((a > b) == asc) { s[lo] = b; s[lo + j] = a; }
    }
    __syncthreads();
    d[base + t] = s[t];
    d[base + t + 1024] = s[t + 1024];
}

static int cmp_u(const void *a, const void *b)
{
    unsigned p = *(const unsigned *)a, q = *(const unsigned *)b;
    return p < q ? -1 : p > q;
}

static void do_bitonic(void)
{
    /* only up to k = 8192, so that the number of launches stays small: sorted runs of 8192 */
    unsigned *h = NEW(unsigned, BN), *g = NEW(unsigned, BN), *d;
    for (int i = 0; i < BN; i++) h[i] = rnd();
    DNEW(d, BN);
    UP(d, h, BN);
    bitonic_chunks<<<BN / BCHUNK, 1024>>>(d);
    for (unsigned k = 4096; k <= 8192; k <<= 1) {
        for (unsigned j = k >> 1; j >= BCHUNK; j >>= 1) bitonic_step<<<BN / 512, 256>>>(d, k, j);
        bitonic_finish<<<BN / BCHUNK, 1024>>>(d, k);
    }
    SYNC();
    DOWN(g, d, BN);
    int ok = 1;
    for (int r = 0; r < BN / 8192; r++) {
        qsort(h + r * 8192, 8192, sizeof(unsigned), cmp_u);
        for (int i = 0; i < 8192; i++) {
            unsigned want = (r & 1) ? h[r * 8192 + 8191 - i] : h[r * 8192 + i];
            if (g[r * 8192 + i] != want) ok = 0;
        }
    }
    say("bitonic runs", ok);
    free(h); free(g);
    CHECK(cudaFree(d));
}

/* ================================================================== one stable radix pass, 4 bits, by block */
#define RN (1 << 20)
#define RB 256
#define RBLOCKS (RN / (RB * 4))
__global__ void radix_count(const unsigned *in, unsigned *cnt, int shift)
{
    __shared__ unsigned c[16];
    if (threadIdx.x < 16) c[threadIdx.x] = 0;
    __syncthreads();
    uint4 v = ((const uint4 *)in)[blockIdx.x * RB + threadIdx.x];
    atomicAdd(&c[(v.x >> shift) & 15], 1);
    atomicAdd(&c[(v.y >> shift) & 15], 1);
    atomicAdd(&c[(v.z >> shift) & 15], 1);
    atomicAdd(&c[(v.w >> shift) & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) cnt[threadIdx.x * RBLOCKS + blockIdx.x] = c[threadIdx.x];
}
/* exclusive scan of 16 * RBLOCKS = 16384 counters in one block, 16 each */
__global__ void __launch_bounds__(1024) radix_scan(unsigned *cnt)
{
    __shared__ unsigned w[32];
    unsigned a[16], sum = 0;
    const int t = threadIdx.x, lane = t & 31;
    for (int i = 0; i < 16; i++) { a[i] = cnt[t * 16 + i]; sum += a[i]; }
    unsigned inc = sum;
    for (int o = 1; o < 32; o <<= 1) {
        unsigned u = __shfl_up_sync(0xffffffffu, inc, o);
        if (lane >= o) inc += u;
    }
    if (lane == 31) w[t >> 5] = inc;
    __syncthreads();
    if (t < 32) {
        unsigned z = w[t];
        for (int o = 1; o < 32; o <<= 1) {
            unsigned u = __shfl_up_sync(0xffffffffu, z, o);
            if (t >= o) z += u;
        }
        w[t] = z;
    }
    __syncthreads();
    unsigned run = inc - sum + (t >= 32 ? w[(t >> 5) - 1] : 0);
    for (int i = 0; i < 16; i++) { cnt[t * 16 + i] = run; run += a[i]; }
}
/* ranks inside the block: four rounds of 256 keys, ballots within a warp, warp totals in shared memory */
__global__ void __launch_bounds__(RB) radix_scatter(const unsigned *in, unsigned *out, const unsigned *off, int shift)
{
    __shared__ unsigned next[16];
    __shared__ unsigned tot[RB / 32][16];
    const int lane = threadIdx.x & 31, wp = threadIdx.x >> 5;
    if (threadIdx.x < 16) next[threadIdx.x] = off[threadIdx.x * RBLOCKS + blockIdx.x];
    for (int q = 0; q < 4; q++) {
        unsigned key = in[(blockIdx.x * 4 + q) * RB + threadIdx.x];
        unsigned dig = (key >> shift) & 15;
        unsigned same = 0xffffffffu;
        for (int b = 0; b < 4; b++) {
            unsigned bal = __ballot_sync(0xffffffffu, (dig >> b) & 1);
            same &= ((dig >> b) & 1) ? bal : ~bal;
        }
        unsigned rank = __popc(same & ((1u << lane) - 1u));
        if (lane < 16) tot[wp][lane] = 0;
        __syncwarp();
        if (rank == 0) tot[wp][dig] = __popc(same);
        __syncthreads();
        unsigned pos = next[dig] + rank;
        for (int k = 0; k < wp; k++) pos += tot[k][dig];
        out[pos] = key;
        __syncthreads();
        if (threadIdx.x < 16)
            for (int k = 0; k < RB / 32; k++) next[threadIdx.x] += tot[k][threadIdx.x];
        __syncthreads();
    }
}

static void do_radix(void)
{
    unsigned *h = NEW(unsigned, RN), *g = NEW(unsigned, RN), *want = NEW(unsigned, RN);
    unsigned *d_in, *d_out, *d_cnt, start[17] = {0};
    const int shift = 8;
    for (int i = 0; i < RN; i++) { h[i] = rnd(); start[((h[i] >> shift) & 15) + 1]++; }
    for (int i = 0; i < 16; i++) start[i + 1] += start[i];
    for (int i = 0; i < RN; i++) want[start[(h[i] >> shift) & 15]++] = h[i];
    DNEW(d_in, RN); DNEW(d_out, RN); DNEW(d_cnt, 16 * RBLOCKS);
    UP(d_in, h, RN);
    radix_count<<<RBLOCKS, RB>>>(d_in, d_cnt, shift);
    radix_scan<<<1, 1024>>>(d_cnt);
    radix_scatter<<<RBLOCKS, RB>>>(d_in, d_out, d_cnt, shift);
    SYNC();
    DOWN(g, d_out, RN);
    say("radix pass, stable", memcmp(g, want, RN * sizeof(unsigned)) == 0);
    free(h); free(g); free(want);
    CHECK(cudaFree(d_in)); CHECK(cudaFree(d_out)); CHECK(cudaFree(d_cnt));
}

/* ================================================================== merge path */
#define MA 700000
#define MB 500000
#define PER 8
__device__ __forceinline__ int path(const unsigned *a, int na, const unsigned *b, int nb, int diag)
{
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int m = (lo + hi) >> 1;
        if (a[m] <= b[diag - 1 - m]) lo = m + 1;
        else hi = m;
    }
    return lo;
}
/* each thread finds its own place in global memory */
__global__ void merge_global(const unsigned *a, const unsigned *b, unsigned *out)
{
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * PER;
    if (d >= MA + MB) return;
    int i = path(a, MA, b, MB, d), j = d - i;
    for (int q = 0; q < PER && d + q < MA + MB; q++) {
        int take = j >= MB || (i < MA && a[i] <= b[j]);
        out[d + q] = take ? a[i++] : b[j++];
    }
}
/* the block finds its slab, copies it to shared memory and merges there */
__global__ void __launch_bounds__(128) merge_shared(const unsigned *__restrict__ a, const unsigned *__restrict__ b, unsigned *__restrict__ out)
{
    __shared__ unsigned s[128 * PER];
    __shared__ int cut[2];
    int d0 = blockIdx.x * 128 * PER, d1 = min(d0 + 128 * PER, MA + MB);
    if (threadIdx.x < 2) cut[threadIdx.x] = path(a, MA, b, MB, threadIdx.x ? d1 : d0);
    __syncthreads();
    int i0 = cut[0], na = cut[1] - i0, j0 = d0 - i0, nb = (d1 - d0) - na;
    for (int t = threadIdx.x; t < na + nb; t += 128) s[t] = t < na ? a[i0 + t] : b[j0 + t - na];
    __syncthreads();
    const unsigned *sa = s, *sb = s + na;
    int d = min((int)threadIdx.x * PER, na + nb);
    int i = path(sa, na, sb, nb, d), j = d - i;
    unsigned r[PER];
#pragma unroll
    for (int q = 0; q < PER; q++) {
        r[q] = 0;
        if (d + q < na + nb) {
            int take = j >= nb || (i < na && sa[i] <= sb[j]);
            r[q] = take ? sa[i++] : sb[j++];
        }
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < PER; q++)
        if (d + q < na + nb) s[d + q] = r[q];
    __syncthreads();
    for (int t = threadIdx.x; t < na + nb; t += 128) out[d0 + t] = s[t];
}

static void do_merge(void)
{
    unsigned *a = NEW(unsigned, MA), *b = NEW(unsigned, MB), *g = NEW(unsigned, MA + MB), *w = NEW(unsigned, MA + MB);
    unsigned *da, *db, *dout, v = 0;
    for (int i = 0; i < MA; i++) { v += rnd() % 7; a[i] = v; }
    v = 1000;
    for (int i = 0; i < MB; i++) { v += rnd() % 11; b[i] = v; }
    for (int i = 0, j = 0, k = 0; k < MA + MB; k++) w[k] = j >= MB || (i < MA && a[i] <= b[j]) ? a[i++] : b[j++];
    DNEW(da, MA); DNEW(db, MB); DNEW(dout, MA + MB);
    UP(da, a, MA); UP(db, b, MB);
    CHECK(cudaMemset(dout, 0, (MA + MB) * sizeof(unsigned)));
    merge_global<<<((MA + MB + PER - 1) / PER + 255) / 256, 256>>>(da, db, dout);
    SYNC();
    DOWN(g, dout, MA + MB);
    say("merge path global", memcmp(g, w, (MA + MB) * sizeof(unsigned)) == 0);
    CHECK(cudaMemset(dout, 0, (MA + MB) * sizeof(unsigned)));
    merge_shared<<<(MA + MB + 128 * PER - 1) / (128 * PER), 128>>>(da, db, dout);
    SYNC();
    DOWN(g, dout, MA + MB);
    say("merge path shared", memcmp(g, w, (MA + MB) * sizeof(unsigned)) == 0);
    free(a); free(b); free(g); free(w);
    CHECK(cudaFree(da)); CHECK(cudaFree(db)); CHECK(cudaFree(dout));
}

int main(void)
{
    do_spmv();
    do_bfs();
    do_bitonic();
    do_radix();
    do_merge();
    free(row_ptr); free(col);
    CHECK(cudaFree(d_row)); CHECK(cudaFree(d_col));
    printf("%s\n", fails ? "there were failures" : "everything passed");
    return fails;
}
