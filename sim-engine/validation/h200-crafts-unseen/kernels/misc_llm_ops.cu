/*
 * Assorted kernels: int8 quantise / dequantise, LoRA, MoE routing + small grouped gemm,
 * causal depthwise conv1d, gradient clipping.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <vector>
#include <algorithm>

static void _chk(cudaError_t r, const char *what, int line)
{
    if (r != cudaSuccess) { fprintf(stderr, "%s (line %d): %s\n", what, line, cudaGetErrorString(r)); exit(EXIT_FAILURE); }
}
#define CUDACHK(x) _chk((x), #x, __LINE__)
#define LAUNCHED() CUDACHK(cudaGetLastError())

/* ---------- quantisation ---------- */
__global__ void quantize_rowwise(const float *x, int8_t *q, float *scale, int cols)
{
    __shared__ float red[32];
    const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * cols);
    float m = 0.f;
    for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
        float4 v = row[i];
        m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = m;
    __syncthreads();
    for (int i = 0; i < blockDim.x / 32; i++) m = fmaxf(m, red[i]);
    float inv = m > 0.f ? 127.f / m : 0.f;
    if (threadIdx.x == 0) scale[blockIdx.x] = m / 127.f;
    char4 *out = (char4 *)(q + (size_t)blockIdx.x * cols);
    for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
        float4 v = row[i];
        out[i] = make_char4(__float2int_rn(v.x * inv), __float2int_rn(v.y * inv), __float2int_rn(v.z * inv), __float2int_rn(v.w * inv));
    }
}

/* a warp quantises a block of 64 values (absmax per block) */
__global__ void quantize_block64(const float *x, int8_t *q, float *scale, int nblk)
{
    int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (b >= nblk) return;
    float2 v = ((const float2 *)x)[(size_t)b * 32 + lane];
    float m = fmaxf(fabsf(v.x), fabsf(v.y));
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float inv = m > 0.f ? 127.f / m : 0.f;
    ((char2 *)q)[(size_t)b * 32 + lane] = make_char2(__float2int_rn(v.x * inv), __float2int_rn(v.y * inv));
    if (lane == 0) scale[b] = m / 127.f;
}

__global__ void dequantize_block64(const char4 *q, const float *scale, float4 *x, int n4)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride) {
        char4 c = q[i];
        float s = scale[i / 16];
        x[i] = make_float4(c.x * s, c.y * s, c.z * s, c.w * s);
    }
}

/* ---------- LoRA: y += alpha * (x A^T) B^T, rank 16 ---------- */
#define RANK 16
__global__ void lora_down(const float *x, const float *A, float *t, int C)
{   /* block of RANK warps for a token */
    extern __shared__ float xs[];
    int tok = blockIdx.x, w = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < C; i += blockDim.x) xs[i] = x[(size_t)tok * C + i];
    __syncthreads();
    float s = 0.f;
    for (int i = lane; i < C; i += 32) s += xs[i] * A[w * C + i];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) t[tok * RANK + w] = s;
}
__global__ void lora_up_add(const float *t, const float *B, float *y, int tokens, int OC, float alpha)
{   /* thread per output column, 8 tokens a block */
    __shared__ float ts[8][RANK];
    int o = blockIdx.x * blockDim.x + threadIdx.x, t0 = blockIdx.y * 8;
    if (threadIdx.x < 8 * RANK) {
        int r = threadIdx.x / RANK;
        ts[r][threadIdx.x % RANK] = t0 + r < tokens ? t[t0 * RANK + threadIdx.x] : 0.f;
    }
    __syncthreads();
    if (o >= OC) return;
    __align__(16) float b[RANK];
    #pragma unroll
    for (int k = 0; k < RANK; k += 4) *(float4 *)&b[k] = *(const float4 *)&B[(size_t)o * RANK + k];
    for (int r = 0; r < 8 && t0 + r < tokens; r++) {
        float s = 0.f;
        #pragma unroll
        for (int k = 0; k < RANK; k++) s += ts[r][k] * b[k];
        y[(size_t)(t0 + r) * OC + o] += alpha * s;
    }
}

/* ---------- MoE ---------- */
#define NE 32
#define TOPK 2
__global__ void moe_gate(const float *logits, int *expert, float *weight, int *count, int tokens)
{   /* warp per token, lane = expert */
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (t >= tokens) return;
    float v = logits[t * NE + lane], best[TOPK];
    int who[TOPK];
    for (int k = 0; k < TOPK; k++) {
        float m = v; int i = lane;
        for (int o = 16; o; o >>= 1) {
            float m2 = __shfl_xor_sync(0xffffffff, m, o); int i2 = __shfl_xor_sync(0xffffffff, i, o);
            if (m2 > m || (m2 == m && i2 < i)) { m = m2; i = i2; }
        }
        best[k] = m; who[k] = i;
        if (lane == i) v = -INFINITY;
    }
    if (lane < TOPK) {
        float e1 = expf(best[1] - best[0]), w = lane == 0 ? 1.f / (1.f + e1) : e1 / (1.f + e1);
        int e = lane == 0 ? who[0] : who[1];
        expert[t * TOPK + lane] = e;
        weight[t * TOPK + lane] = w;
        atomicAdd(&count[e], 1);
    }
}

/* offsets per expert by a warp scan, then a stable position for every (token, k): one block */
__global__ void __launch_bounds__(1024) moe_scan_scatter(const int *expert, const int *count, int *offset, int *src, int *pos, int n)
{
    __shared__ int base[NE], wcnt[32][NE];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    if (w == 0) {
        int c = count[lane], s = c;
        for (int o = 1; o < 32; o <<= 1) { int u = __shfl_up_sync(0xffffffff, s, o); if (lane >= o) s += u; }
        base[lane] = s - c;
        offset[lane] = s - c;
        if (lane == 31) offset[NE] = s;
    }
    for (int i0 = 0; i0 < n; i0 += 1024) {
        int i = i0 + threadIdx.x, e = i < n ? expert[i] : -1;
        wcnt[w][lane] = 0;
        __syncwarp();
        unsigned peers = __match_any_sync(0xffffffff, e);
        int rank = __popc(peers & ((1u << lane) - 1));
        if (e >= 0 && rank == 0) wcnt[w][e] = __popc(peers);
        __syncthreads();
        if (w == 0) {   /* exclusive scan over the warps, lane = expert */
            int run = base[lane];
            for (int k = 0; k < 32; k++) { int c = wcnt[k][lane]; wcnt[k][lane] = run; run += c; }
            base[lane] = run;
        }
        __syncthreads();
        if (e >= 0) { int p = wcnt[w][e] + rank; src[p] = i / TOPK; pos[i] = p; }
        __syncthreads();
    }
}

/* rows of x gathered by src, a weight matrix (K, N) per expert; tile 32x64, 128 threads with 4x4 */
__global__ void __launch_bounds__(128) grouped_gemm(const float *x, const float *w, float *out, const int *offset, const int *src, int K, int N)
{
    __shared__ float xs[16][36], ws[16][64];
    int e = blockIdx.z, beg = offset[e], end = offset[e + 1], r0 = beg + blockIdx.y * 32;
    if (r0 >= end) return;
    int n0 = blockIdx.x * 64, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int lr = threadIdx.x / 4, lk = threadIdx.x % 4 * 4;
    const float *xrow = r0 + lr < end ? x + (size_t)src[r0 + lr] * K : NULL;
    w += (size_t)e * K * N;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        float4 a = xrow ? *(const float4 *)(xrow + k0 + lk) : make_float4(0, 0, 0, 0);
        xs[lk][lr] = a.x; xs[lk + 1][lr] = a.y; xs[lk + 2][lr] = a.z; xs[lk + 3][lr] = a.w;
        for (int j = threadIdx.x; j < 16 * 16; j += 128) *(float4 *)&ws[j / 16][j % 16 * 4] = *(const float4 *)&w[(size_t)(k0 + j / 16) * N + n0 + j % 16 * 4];
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 p = *(float4 *)&xs[k][ty * 4], q = *(float4 *)&ws[k][tx * 4];
            float pa[4] = {p.x, p.y, p.z, p.w}, qa[4] = {q.x, q.y, q.z, q.w};
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += pa[i] * qa[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        int r = r0 + ty * 4 + i;
        if (r < end) *(float4 *)&out[(size_t)r * N + n0 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
}

__global__ void moe_combine(const float *y, const int *pos, const float *weight, float *out, int N)
{
    int t = blockIdx.x;
    int p0 = pos[t * TOPK], p1 = pos[t * TOPK + 1];
    float w0 = weight[t * TOPK], w1 = weight[t * TOPK + 1];
    for (int c = threadIdx.x; c < N; c += blockDim.x) out[(size_t)t * N + c] = w0 * y[(size_t)p0 * N + c] + w1 * y[(size_t)p1 * N + c];
}

/* ---------- causal depthwise conv1d, x (B, C, T), width 4, silu ---------- */
template <int W, int PER>
__global__ void conv1d_causal(const float *x, const float *w, const float *bias, float *y, int C, int T)
{
    extern __shared__ float s[];   /* blockDim * PER + W - 1 */
    int c = blockIdx.y, b = blockIdx.z, span = blockDim.x * PER, t0 = blockIdx.x * span;
    const float *xr = x + ((size_t)b * C + c) * T;
    for (int i = threadIdx.x; i < span + W - 1; i += blockDim.x) {
        int t = t0 + i - (W - 1);
        s[i] = t >= 0 && t < T ? xr[t] : 0.f;
    }
    float k[W];
    #pragma unroll
    for (int j = 0; j < W; j++) k[j] = w[c * W + j];
    float bb = bias[c];
    __syncthreads();
    #pragma unroll
    for (int p = 0; p < PER; p++) {
        int l = p * blockDim.x + threadIdx.x;
        float a = bb;
        #pragma unroll
        for (int j = 0; j < W; j++) a += k[j] * s[l + j];
        if (t0 + l < T) y[((size_t)b * C + c) * T + t0 + l] = a / (1.f + __expf(-a));
    }
}

/* ---------- clip by global norm ---------- */
__global__ void sumsq(const float *g, float *out, int n)
{
    __shared__ float sh[256];
    float s = 0.f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += g[i] * g[i];
    sh[threadIdx.x] = s;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) { if (threadIdx.x < k) sh[threadIdx.x] += sh[threadIdx.x + k]; __syncthreads(); }
    if (threadIdx.x == 0) atomicAdd(out, sh[0]);
}
__global__ void clip_scale(float *g, const float *ss, int n, float max_norm)
{
    float c = max_norm / (sqrtf(*ss) + 1e-6f);
    if (c >= 1.f) return;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] *= c;
}

/* ------------------------------------------------------------------ */
static std::vector<float> rnd(size_t n) { std::vector<float> v(n); static uint32_t s = 9; for (auto &e : v) { s = s * 1664525u + 1013904223u; e = (s >> 8) / 8388608.f - 1.f; } return v; }
static void *dalloc(size_t bytes) { void *p; CUDACHK(cudaMalloc(&p, bytes)); CUDACHK(cudaMemset(p, 0, bytes)); return p; }
static float *dcopy(const std::vector<float> &v) { float *p = (float *)dalloc(v.size() * 4); CUDACHK(cudaMemcpy(p, v.data(), v.size() * 4, cudaMemcpyHostToDevice)); return p; }
static std::vector<float> fetch(const float *d, size_t n) { std::vector<float> h(n); CUDACHK(cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost)); return h; }
static int errors = 0;
static void expect(bool good, const char *name) { printf("  %-22s %s\n", name, good ? "ok" : "FAILED"); errors += !good; }

static void test_quant(void)
{
    const int R = 3000, C = 2048; const size_t n = (size_t)R * C;
    std::vector<float> x = rnd(n);
    float *dx = dcopy(x), *ds = (float *)dalloc(n / 64 * 4), *dy = (float *)dalloc(n * 4);
    int8_t *dq = (int8_t *)dalloc(n);
    quantize_rowwise<<<R, 256>>>(dx, dq, ds, C); LAUNCHED();
    std::vector<int8_t> q(n); CUDACHK(cudaMemcpy(q.data(), dq, n, cudaMemcpyDeviceToHost));
    std::vector<float> s = fetch(ds, R);
    bool good = true;
    for (size_t i = 0; i < n; i += 97) good &= fabsf(q[i] * s[i / C] - x[i]) <= 0.51f * s[i / C];
    expect(good, "quantize rowwise");
    quantize_block64<<<(unsigned)(n / 64 / 8), 256>>>(dx, dq, ds, (int)(n / 64)); LAUNCHED();
    dequantize_block64<<<132 * 6, 256>>>((char4 *)dq, ds, (float4 *)dy, (int)(n / 4)); LAUNCHED();
    std::vector<float> y = fetch(dy, n);
    good = true;
    for (size_t i = 0; i < n; i += 101) good &= fabsf(y[i] - x[i]) < 0.0041f;
    expect(good, "block quant + dequant");
    cudaFree(dx); cudaFree(ds); cudaFree(dy); cudaFree(dq);
}

static void test_lora(void)
{
    const int T = 1021, C = 1024, OC = 1536;
    std::vector<float> x = rnd(T * C), A = rnd(RANK * C), B = rnd(OC * RANK), y = rnd((size_t)T * OC);
    float *dx = dcopy(x), *dA = dcopy(A), *dB = dcopy(B), *dy = dcopy(y), *dt = (float *)dalloc(T * RANK * 4);
    lora_down<<<T, RANK * 32, C * 4>>>(dx, dA, dt, C); LAUNCHED();
    lora_up_add<<<dim3((OC + 191) / 192, (T + 7) / 8), 192>>>(dt, dB, dy, T, OC, 0.25f); LAUNCHED();
    std::vector<float> g = fetch(dy, (size_t)T * OC);
    bool good = true;
    for (int q = 0; q < 100; q++) {
        int t = q * 31 % T, o = q * 457 % OC; double s = 0;
        for (int r = 0; r < RANK; r++) { double d = 0; for (int c = 0; c < C; c++) d += (double)x[t * C + c] * A[r * C + c]; s += d * B[o * RANK + r]; }
        good &= fabs(y[(size_t)t * OC + o] + 0.25 * s - g[(size_t)t * OC + o]) < 1e-2;
    }
    expect(good, "lora");
    cudaFree(dx); cudaFree(dA); cudaFree(dB); cudaFree(dy); cudaFree(dt);
}

static void test_moe(void)
{
    const int T = 2000, K = 512, N = 256;
    std::vector<float> x = rnd((size_t)T * K), w = rnd((size_t)NE * K * N), lg = rnd(T * NE);
    float *dx = dcopy(x), *dw = dcopy(w), *dlg = dcopy(lg), *dwt = (float *)dalloc(T * TOPK * 4), *dy = (float *)dalloc((size_t)T * TOPK * N * 4), *dout = (float *)dalloc((size_t)T * N * 4);
    int *dex = (int *)dalloc(T * TOPK * 4), *dcnt = (int *)dalloc(NE * 4), *doff = (int *)dalloc((NE + 1) * 4), *dsrc = (int *)dalloc(T * TOPK * 4), *dpos = (int *)dalloc(T * TOPK * 4);
    moe_gate<<<(T + 7) / 8, 256>>>(dlg, dex, dwt, dcnt, T); LAUNCHED();
    moe_scan_scatter<<<1, 1024>>>(dex, dcnt, doff, dsrc, dpos, T * TOPK); LAUNCHED();
    std::vector<int> cnt(NE);
    CUDACHK(cudaMemcpy(cnt.data(), dcnt, NE * 4, cudaMemcpyDeviceToHost));
    int most = *std::max_element(cnt.begin(), cnt.end());
    grouped_gemm<<<dim3(N / 64, (most + 31) / 32, NE), 128>>>(dx, dw, dy, doff, dsrc, K, N); LAUNCHED();
    moe_combine<<<T, 128>>>(dy, dpos, dwt, dout, N); LAUNCHED();
    std::vector<float> o = fetch(dout, (size_t)T * N);
    bool good = true;
    for (int q = 0; q < 120; q++) {
        int t = (q * 83 + 1) % T, c = q * 29 % N, a = 0, b = -1;
        const float *l = &lg[t * NE];
        for (int e = 1; e < NE; e++) if (l[e] > l[a]) a = e;
        for (int e = 0; e < NE; e++) if (e != a && (b < 0 || l[e] > l[b])) b = e;
        double e1 = exp(l[b] - l[a]), sa = 0, sb = 0;
        for (int k = 0; k < K; k++) { sa += (double)x[(size_t)t * K + k] * w[((size_t)a * K + k) * N + c]; sb += (double)x[(size_t)t * K + k] * w[((size_t)b * K + k) * N + c]; }
        good &= fabs((sa + e1 * sb) / (1 + e1) - o[(size_t)t * N + c]) < 1e-3;
    }
    expect(good, "moe");
    for (void *p : {(void *)dx, (void *)dw, (void *)dlg, (void *)dwt, (void *)dy, (void *)dout, (void *)dex, (void *)dcnt, (void *)doff, (void *)dsrc, (void *)dpos}) cudaFree(p);
}

static void test_conv(void)
{
    const int B = 2, C = 1500, T = 1000, W = 4, bs = 128;
    std::vector<float> x = rnd((size_t)B * C * T), w = rnd(C * W), bias = rnd(C);
    float *dx = dcopy(x), *dw = dcopy(w), *db = dcopy(bias), *dy = (float *)dalloc(x.size() * 4);
    conv1d_causal<4, 2><<<dim3((T + bs * 2 - 1) / (bs * 2), C, B), bs, (bs * 2 + W - 1) * 4>>>(dx, dw, db, dy, C, T); LAUNCHED();
    std::vector<float> y = fetch(dy, x.size());
    bool good = true;
    for (size_t i = 0; i < x.size(); i += 173) {
        int t = i % T, c = i / T % C; float a = bias[c];
        for (int j = 0; j < W; j++) { int u = t + j - (W - 1); if (u >= 0) a += w[c * W + j] * x[i - t + u]; }
        good &= fabsf(a / (1.f + expf(-a)) - y[i]) < 1e-4f;
    }
    expect(good, "conv1d");
    cudaFree(dx); cudaFree(dw); cudaFree(db); cudaFree(dy);
}

static void test_clip(void)
{
    const int n = 5000001;
    std::vector<float> g = rnd(n);
    float *dg = dcopy(g), *ss = (float *)dalloc(4);
    sumsq<<<132 * 4, 256>>>(dg, ss, n); LAUNCHED();
    clip_scale<<<(n + 255) / 256, 256>>>(dg, ss, n, 1.0f); LAUNCHED();
    std::vector<float> h = fetch(dg, n);
    double a = 0, b = 0;
    for (int i = 0; i < n; i++) { a += (double)g[i] * g[i]; b += (double)h[i] * h[i]; }
    expect(fabs(sqrt(b) - 1.0) < 1e-3 && fabs(h[n - 1] * sqrt(a) - g[n - 1]) < 1e-3, "clip");
    cudaFree(dg); cudaFree(ss);
}

int main(void)
{
    test_quant();
    test_lora();
    test_moe();
    test_conv();
    test_clip();
    printf("%s\n", errors ? "FAIL" : "PASS");
    return errors != 0;
}
