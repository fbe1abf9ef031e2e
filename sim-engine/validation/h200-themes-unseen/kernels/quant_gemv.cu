// Quantised matrix-vector and matrix-matrix kernels: q8_0 / q4_0 style blocks, W8A8 with dp4a, W4A16 groupwise.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <vector>

#define QK 32
typedef struct { half d; int8_t qs[QK]; } block_q8_0;          // 34 bytes
typedef struct { half d; uint8_t qs[QK / 2]; } block_q4_0;     // 18 bytes
struct __align__(4) block_q8_1 { half d; half s; int8_t qs[QK]; };   // activation block: scale and scale*sum
static_assert(sizeof(block_q8_0) == 34 && sizeof(block_q4_0) == 18 && sizeof(block_q8_1) == 36, "packing");

#define CUDA_CHECK(x) do { cudaError_t s_ = (x); if (s_ != cudaSuccess) { fprintf(stderr, "CUDA error %d (%s) at line %d\n", (int)s_, cudaGetErrorString(s_), __LINE__); exit(1); } } while (0)

static __device__ __forceinline__ int get_int_b2(const void *x, int i32) {   // only 2-byte alignment guaranteed
    const uint16_t *x16 = (const uint16_t *)x;
    return x16[2 * i32] | ((int)x16[2 * i32 + 1] << 16);
}
static __device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) x += __shfl_xor_sync(0xffffffff, x, m, 32);
    return x;
}

// activations float -> q8_1, one warp lane per value
static __global__ void quantize_q8_1(const float *x, block_q8_1 *y, int k) {
    int ix = blockDim.x * blockIdx.x + threadIdx.x;
    if (ix >= k) return;          // k is a multiple of 32: whole warps
    float xi = x[ix], amax = fabsf(xi), sum = xi;
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) {
        amax = fmaxf(amax, __shfl_xor_sync(0xffffffff, amax, m, 32));
        sum += __shfl_xor_sync(0xffffffff, sum, m, 32);
    }
    float d = amax / 127;
    y[ix / QK].qs[ix % QK] = amax == 0.0f ? 0 : (int8_t)roundf(xi / d);
    if (ix % QK == 0) { y[ix / QK].d = __float2half(d); y[ix / QK].s = __float2half(sum); }
}

// weights -> q4_0, a thread per block of 32
static __global__ void quantize_q4_0(const float *w, block_q4_0 *q, int nblocks) {
    int ib = blockIdx.x * blockDim.x + threadIdx.x;
    if (ib >= nblocks) return;
    const float *x = w + (size_t)ib * QK;
    float amax = 0.f, mx = 0.f;
    for (int j = 0; j < QK; j++) if (fabsf(x[j]) > amax) { amax = fabsf(x[j]); mx = x[j]; }
    float d = mx / -8, id = d != 0.f ? 1.f / d : 0.f;
    q[ib].d = __float2half(d);
    for (int j = 0; j < QK / 2; j++) {
        int a = min(15, (int)(x[j] * id + 8.5f)), b = min(15, (int)(x[j + 16] * id + 8.5f));
        q[ib].qs[j] = (uint8_t)(a | (b << 4));
    }
}

// q4_0 (weights) x q8_1 (activations): a warp per row
static __global__ void mul_mat_vec_q4_0_q8_1(const block_q4_0 *w, const block_q8_1 *y, float *dst, int ncols, int nrows) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= nrows) return;
    const int nb = ncols / QK;
    float acc = 0.f;
    // 4 lanes work on one block (4 bytes of nibbles each), 8 blocks in flight
    for (int ib = threadIdx.x / 4; ib < nb; ib += 8) {
        const block_q4_0 *bw = w + (size_t)row * nb + ib;
        const block_q8_1 *by = y + ib;
        const int l = threadIdx.x % 4;
        int v = get_int_b2(bw->qs, l);
        int lo = v & 0x0F0F0F0F, hi = (v >> 4) & 0x0F0F0F0F;
        int ulo = *(const int *)&by->qs[4 * l], uhi = *(const int *)&by->qs[16 + 4 * l];
        int s = __dp4a(lo, ulo, __dp4a(hi, uhi, 0));
        // the -8 offset, spread evenly over the four lanes
        acc += __half2float(bw->d) * (s * __half2float(by->d) - 2.0f * __half2float(by->s));
    }
    acc = warp_sum(acc);
    if (threadIdx.x == 0) dst[row] = acc;
}

// dequantise q4_0 rows to fp16
static __global__ void dequantize_q4_0(const block_q4_0 *w, half *out, int nblocks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;     // one byte (two weights) each
    int ib = i / (QK / 2), j = i % (QK / 2);
    if (ib >= nblocks) return;
    float d = __half2float(w[ib].d);
    uint8_t v = w[ib].qs[j];
    out[(size_t)ib * QK + j] = __float2half(d * ((v & 15) - 8));
    out[(size_t)ib * QK + j + 16] = __float2half(d * ((v >> 4) - 8));
}

// plain fp16 gemv for reference speed: block per row, half2 x float2
static __global__ void gemv_f16(const half2 *w, const float2 *x, float *y, int ncols2) {
    const half2 *r = w + (size_t)blockIdx.x * ncols2;
    float acc = 0.f;
    for (int i = threadIdx.x; i < ncols2; i += blockDim.x) {
        float2 a = __half22float2(r[i]), b = x[i];
        acc += a.x * b.x + a.y * b.y;
    }
    acc = warp_sum(acc);
    __shared__ float part[32];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x < 32) {
        acc = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f);
        if (threadIdx.x == 0) y[blockIdx.x] = acc;
    }
}

// W8A8 gemm: A (M,K) int8 row scales, B (N,K) int8 column scales, C float. 64x64 tile, K step 32 bytes, dp4a.
static __global__ void __launch_bounds__(256) gemm_w8a8_dp4a(const int *A, const int *B, const float *sa, const float *sb, float *C,
                                                             int M, int N, int K4) {
    __shared__ int As[8][64 + 1], Bs[8][64 + 1];
    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    int acc[4][4] = {};
    for (int k0 = 0; k0 < K4; k0 += 8) {
#pragma unroll
        for (int p = 0; p < 2; p++) {
            int r = (tid + p * 256) / 8, k = tid % 8;
            As[k][r] = A[(size_t)(m0 + r) * K4 + k0 + k];
            Bs[k][r] = B[(size_t)(n0 + r) * K4 + k0 + k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            int a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) { a[i] = As[k][ty + 16 * i]; b[i] = Bs[k][tx + 16 * i]; }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] = __dp4a(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int m = m0 + ty + 16 * i, n = n0 + tx + 16 * j;
            C[(size_t)m * N + n] = acc[i][j] * sa[m] * sb[n];
        }
}

// W4A16 gemv, awq-like: packed (N, K/8) words, scale and zero point for every GROUP inputs
template <int GROUP>
static __global__ void gemv_w4a16_group(const half *x, const uint32_t *qw, const half *scales, const uint8_t *zeros, half *y, int N, int K) {
    int n = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (n >= N) return;
    const int words = K / 8, groups = K / GROUP;
    float acc = 0.f;
    for (int i = lane; i < words; i += 32) {
        uint32_t q = qw[(size_t)n * words + i];
        int g = i * 8 / GROUP;
        float s = __half2float(scales[(size_t)n * groups + g]);
        float z = (float)zeros[(size_t)n * groups + g];
        uint4 xv = *reinterpret_cast<const uint4 *>(x + i * 8);
        const half2 *xh = reinterpret_cast<const half2 *>(&xv);
        float t = 0.f;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 f = __half22float2(xh[k]);
            t += f.x * ((float)((q >> (8 * k)) & 15) - z) + f.y * ((float)((q >> (8 * k + 4)) & 15) - z);
        }
        acc += s * t;
    }
    acc = warp_sum(acc);
    if (lane == 0) y[n] = __float2half(acc);
}

template <typename T> static T *up(const std::vector<T> &v) {
    T *d;
    CUDA_CHECK(cudaMalloc(&d, v.size() * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

int main() {
    const int rows = 11008, cols = 4096, nblk = rows * (cols / QK);
    uint32_t st = 777;
    auto rnd = [&] { st = st * 1664525u + 1013904223u; return (int)(st >> 16); };
    std::vector<float> w((size_t)rows * cols), x(cols);
    for (auto &v : w) v = (rnd() % 2001 - 1000) * 5e-5f;
    for (auto &v : x) v = (rnd() % 2001 - 1000) * 1e-3f;
    float *dw = up(w), *dx = up(x), *y1, *y2;
    block_q4_0 *q4; block_q8_1 *q8; half *deq;
    CUDA_CHECK(cudaMalloc(&q4, sizeof(block_q4_0) * (size_t)nblk));
    CUDA_CHECK(cudaMalloc(&q8, sizeof(block_q8_1) * (cols / QK)));
    CUDA_CHECK(cudaMalloc(&deq, w.size() * 2));
    CUDA_CHECK(cudaMalloc(&y1, rows * 4)); CUDA_CHECK(cudaMalloc(&y2, rows * 4));

    quantize_q4_0<<<(nblk + 255) / 256, 256>>>(dw, q4, nblk);
    quantize_q8_1<<<cols / 256, 256>>>(dx, q8, cols);
    mul_mat_vec_q4_0_q8_1<<<(rows + 3) / 4, dim3(32, 4)>>>(q4, q8, y1, cols, rows);
    dequantize_q4_0<<<(nblk * 16 + 255) / 256, 256>>>(q4, deq, nblk);
    gemv_f16<<<rows, 256>>>((const half2 *)deq, (const float2 *)dx, y2, cols / 2);
    CUDA_CHECK(cudaGetLastError());
    std::vector<float> a(rows), b(rows);
    CUDA_CHECK(cudaMemcpy(a.data(), y1, rows * 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(b.data(), y2, rows * 4, cudaMemcpyDeviceToHost));
    double num = 0, den = 0;
    for (int i = 0; i < rows; i++) { num += (a[i] - b[i]) * (a[i] - b[i]); den += b[i] * b[i]; }
    printf("q4_0 x q8_1 vs dequantised fp16: relative l2 %.5f\n", sqrt(num / den));

    const int M = 1024, N = 2048, K = 2048;
    std::vector<int8_t> A((size_t)M * K), B((size_t)N * K);
    for (auto &v : A) v = (int8_t)(rnd() % 255 - 127);
    for (auto &v : B) v = (int8_t)(rnd() % 255 - 127);
    std::vector<float> sa(M), sb(N), c((size_t)M * N);
    for (auto &v : sa) v = 0.001f + (rnd() % 100) * 1e-5f;
    for (auto &v : sb) v = 0.002f + (rnd() % 100) * 1e-5f;
    int8_t *dA = up(A), *dB = up(B);
    float *dsa = up(sa), *dsb = up(sb), *dC;
    CUDA_CHECK(cudaMalloc(&dC, c.size() * 4));
    gemm_w8a8_dp4a<<<dim3(N / 64, M / 64), 256>>>((const int *)dA, (const int *)dB, dsa, dsb, dC, M, N, K / 4);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(c.data(), dC, c.size() * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int s = 0; s < 300; s++) {
        int m = s * 37 % M, n = s * 1511 % N;
        long r = 0;
        for (int k = 0; k < K; k++) r += (int)A[(size_t)m * K + k] * B[(size_t)n * K + k];
        worst = fmax(worst, fabs((double)r * sa[m] * sb[n] - c[(size_t)m * N + n]));
    }
    printf("w8a8 dp4a gemm: max err %.6f\n", worst);

    const int G = 128, N4 = 12288, K4 = 4096;
    std::vector<uint32_t> qw((size_t)N4 * K4 / 8);
    for (auto &v : qw) v = ((uint32_t)rnd() << 16) ^ (uint32_t)rnd();
    std::vector<half> sc((size_t)N4 * K4 / G), hx(K4), hy(N4);
    std::vector<uint8_t> zp(sc.size());
    for (auto &v : sc) v = __float2half(0.005f + (rnd() % 64) * 1e-4f);
    for (auto &v : zp) v = 6 + rnd() % 4;
    for (int i = 0; i < K4; i++) hx[i] = __float2half(x[i]);
    uint32_t *dq = up(qw); half *dsc = up(sc), *dhx = up(hx), *dhy = up(hy); uint8_t *dzp = up(zp);
    gemv_w4a16_group<G><<<(N4 + 7) / 8, 256>>>(dhx, dq, dsc, dzp, dhy, N4, K4);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(hy.data(), dhy, N4 * 2, cudaMemcpyDeviceToHost));
    worst = 0;
    for (int n = 0; n < N4; n += 311) {
        double r = 0;
        for (int k = 0; k < K4; k++) {
            size_t g = (size_t)n * (K4 / G) + k / G;
            r += (double)__half2float(hx[k]) * __half2float(sc[g]) * ((int)((qw[(size_t)n * (K4 / 8) + k / 8] >> (4 * (k % 8))) & 15) - zp[g]);
        }
        worst = fmax(worst, fabs(r - __half2float(hy[n])));
    }
    printf("w4a16 group %d gemv: max err %.5f\n", G, worst);
    CUDA_CHECK(cudaDeviceSynchronize());
    return 0;
}
