// int8 / int4 / 8-bit-table weights: quantise, gemv, gemm, and k-means assignment.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <float.h>

#define CUDA_CHECK(cmd) do {                                          \
    cudaError_t e = cmd;                                              \
    if (e != cudaSuccess) {                                           \
        printf("Failed: Cuda error %s:%d '%s'\n", __FILE__, __LINE__, \
               cudaGetErrorString(e));                                \
        exit(EXIT_FAILURE);                                           \
    } } while (0)

static __device__ __forceinline__ float warpReduceSum(float x) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(0xffffffff, x, mask, 32);
    return x;
}
static __device__ __forceinline__ int warpReduceSumI(int x) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(0xffffffff, x, mask, 32);
    return x;
}
static __device__ __forceinline__ float warpReduceMax(float x) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, mask, 32));
    return x;
}

// one block per row
__global__ void quantize_rows_absmax(const float *__restrict__ x, int8_t *__restrict__ qx,
                                     float *__restrict__ scales, int cols)
{
    const int row = blockIdx.x;
    const float4 *x4 = (const float4 *)(x + (size_t)row * cols);
    char4 *q4 = (char4 *)(qx + (size_t)row * cols);
    __shared__ float smax[32];

    float amax = 0.0f;
    for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
        float4 v = x4[i];
        amax = fmaxf(amax, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    amax = warpReduceMax(amax);
    if ((threadIdx.x & 31) == 0) smax[threadIdx.x >> 5] = amax;
    __syncthreads();
    amax = (threadIdx.x & 31) < (blockDim.x >> 5) ? smax[threadIdx.x & 31] : 0.0f;
    amax = warpReduceMax(amax);

    const float d = amax / 127.0f;
    const float id = d > 0.0f ? 1.0f / d : 0.0f;
    if (threadIdx.x == 0) scales[row] = d;
    for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
        float4 v = x4[i];
        char4 q;
        q.x = (signed char)__float2int_rn(v.x * id);
        q.y = (signed char)__float2int_rn(v.y * id);
        q.z = (signed char)__float2int_rn(v.z * id);
        q.w = (signed char)__float2int_rn(v.w * id);
        q4[i] = q;
    }
}

// y[row] = sum W[row,:]*x, a warp per row, int4 (16-byte) loads and dp4a
__global__ void gemv_int8_dp4a(const int8_t *__restrict__ W, const float *__restrict__ wscale,
                               const int8_t *__restrict__ x, const float *__restrict__ xscale,
                               float *__restrict__ y, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int4 *w = (const int4 *)(W + (size_t)row * cols);
    const int4 *xv = (const int4 *)x;
    int sum = 0;
    for (int i = threadIdx.x; i < cols / 16; i += 32) {
        int4 a = w[i];
        int4 b = xv[i];
        sum = __dp4a(a.x, b.x, sum);
        sum = __dp4a(a.y, b.y, sum);
        sum = __dp4a(a.z, b.z, sum);
        sum = __dp4a(a.w, b.w, sum);
    }
    sum = warpReduceSumI(sum);
    if (threadIdx.x == 0) y[row] = (float)sum * wscale[row] * xscale[0];
}

// C[M,N] = A[M,K] * B[N,K]^T, both int8 K-major. 64x64 tile, 256 threads of 4x4 dp4a.
__global__ void __launch_bounds__(256)
gemm_int8_dp4a(const int *__restrict__ A, const int *__restrict__ B, float *__restrict__ C,
               const float *__restrict__ sa, const float *__restrict__ sb, int M, int N, int K4)
{
    __shared__ int As[16][64 + 1];
    __shared__ int Bs[16][64 + 1];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    int acc[4][4] = {{0}};

    for (int k0 = 0; k0 < K4; k0 += 16) {
        for (int i = 0; i < 4; i++) {
            As[tx][ty + i * 16] = A[(m0 + ty + i * 16) * K4 + k0 + tx];
            Bs[tx][ty + i * 16] = B[(n0 + ty + i * 16) * K4 + k0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = As[k][ty * 4 + i];
                b[i] = Bs[k][tx + i * 16];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] = __dp4a(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int m = m0 + ty * 4 + i, n = n0 + tx + j * 16;
            C[m * N + n] = (float)acc[i][j] * sa[m] * sb[n];
        }
}

// 4-bit weights, groups of 32 along the row share one half scale and have zero point 8.
#define QK 32
typedef struct {
    half d;
    uint8_t qs[QK / 2];
} block_q4;
static_assert(sizeof(block_q4) == 18, "bad block size");

__global__ void dequantize_mul_mat_vec_q4(const block_q4 *__restrict__ vx, const float *__restrict__ y,
                                          float *__restrict__ dst, const int ncols, const int nrows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= nrows) return;
    const int nb = ncols / QK;
    const int tid = threadIdx.x;
    float tmp = 0.0f;
    // two lanes share a block: each handles 8 bytes
    for (int ib = tid / 2; ib < nb; ib += 16) {
        const block_q4 *b = vx + (size_t)row * nb + ib;
        const float d = __half2float(b->d);
        const int off = (tid & 1) * 8;
        const float *yy = y + ib * QK;
        float s = 0.0f;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const uint8_t q = b->qs[off + j];
            s += (float)((int)(q & 0xF) - 8) * yy[off + j];
            s += (float)((int)(q >> 4) - 8) * yy[off + j + 16];
        }
        tmp += d * s;
    }
    tmp = warpReduceSum(tmp);
    if (tid == 0) dst[row] = tmp;
}

// Packed nibbles in uint4 with a separate scale array (group of 128), half2 math.
__global__ void gemv_int4_packed(const uint4 *__restrict__ W, const half *__restrict__ scales,
                                 const half *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    extern __shared__ half2 sx[];
    for (int i = threadIdx.x; i < cols / 2; i += blockDim.x) sx[i] = ((const half2 *)x)[i];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const int vec = cols / 32;              // 32 nibbles per uint4
    const int groups = cols / 128;
    float acc = 0.f;
    for (int i = lane; i < vec; i += 32) {
        uint4 p = W[(size_t)row * vec + i];
        unsigned u[4] = {p.x, p.y, p.z, p.w};
        float sc = __half2float(scales[row * groups + i / 4]);
        float s = 0.f;
#pragma unroll
        for (int c = 0; c < 4; c++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned w = u[c] >> (8 * j);
                float2 xv = __half22float2(sx[i * 16 + c * 4 + j]);
                s += (float)((int)(w & 15) - 8) * xv.x;
                s += (float)((int)((w >> 4) & 15) - 8) * xv.y;
            }
        }
        acc += s * sc;
    }
    acc = warpReduceSum(acc);
    if (lane == 0) y[row] = acc;
}

__constant__ float c_fp8_table[256];

// byte -> value through a table copied to shared memory; writes half
__global__ void dequant_fp8_table(const uchar4 *__restrict__ in, half2 *__restrict__ out, size_t n4, float scale)
{
    __shared__ float tab[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tab[i] = c_fp8_table[i] * scale;
    __syncthreads();
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride) {
        uchar4 v = in[i];
        out[2 * i] = __floats2half2_rn(tab[v.x], tab[v.y]);
        out[2 * i + 1] = __floats2half2_rn(tab[v.z], tab[v.w]);
    }
}

// Points stored dim-major [D][n]; centroids in shared memory.
template <int D>
__global__ void kmeans_assign(const float *__restrict__ pts, const float *__restrict__ cent,
                              int *__restrict__ label, float *__restrict__ dist, int n, int k)
{
    extern __shared__ float sc[];
    for (int i = threadIdx.x; i < k * D; i += blockDim.x) sc[i] = cent[i];
    __syncthreads();
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    float v[D];
#pragma unroll
    for (int d = 0; d < D; d++) v[d] = pts[(size_t)d * n + p];
    float best = FLT_MAX;
    int bi = 0;
    for (int c = 0; c < k; c++) {
        float s = 0.f;
#pragma unroll
        for (int d = 0; d < D; d++) {
            float t = v[d] - sc[c * D + d];
            s += t * t;
        }
        if (s < best) { best = s; bi = c; }
    }
    label[p] = bi;
    dist[p] = best;
}

static float decode_e4m3(unsigned b)
{
    int s = b >> 7, e = (b >> 3) & 15, m = b & 7;
    float v;
    if (e == 0) v = ldexpf((float)m / 8.0f, -6);
    else if (e == 15 && m == 7) v = 0.0f;
    else v = ldexpf(1.0f + (float)m / 8.0f, e - 7);
    return s ? -v : v;
}

static double sumf(const float *d, size_t n)
{
    float *h = (float *)malloc(n * sizeof(float));
    CUDA_CHECK(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0;
    for (size_t i = 0; i < n; i++) s += h[i];
    free(h);
    return s;
}

int main(void)
{
    const int ROWS = 8192, COLS = 4096;
    const size_t NE = (size_t)ROWS * COLS;
    srand(2024);
    float *hx = (float *)malloc(NE * sizeof(float));
    unsigned st = 12345u;
    for (size_t i = 0; i < NE; i++) { st = st * 1103515245u + 12345u; hx[i] = ((st >> 8) & 0xffff) / 32768.0f - 1.0f; }

    float *d_x, *d_scale, *d_y;
    int8_t *d_q;
    CUDA_CHECK(cudaMalloc((void **)&d_x, NE * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_scale, ROWS * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_y, NE * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_q, NE));
    CUDA_CHECK(cudaMemcpy(d_x, hx, NE * sizeof(float), cudaMemcpyHostToDevice));
    double cs = 0;

    // 1, 2: quantise and multiply by row 0 of itself
    quantize_rows_absmax<<<ROWS, 256>>>(d_x, d_q, d_scale, COLS);
    CUDA_CHECK(cudaGetLastError());
    cs += sumf(d_scale, ROWS);
    gemv_int8_dp4a<<<ROWS / 4, dim3(32, 4)>>>(d_q, d_scale, d_q, d_scale, d_y, ROWS, COLS);
    CUDA_CHECK(cudaGetLastError());
    cs += sumf(d_y, ROWS);

    // 3: 1024 x 2048 x 2048 int8 product
    {
        const int M = 1024, N = 2048, K = 2048;
        gemm_int8_dp4a<<<dim3(N / 64, M / 64), 256>>>((const int *)d_q, (const int *)(d_q + NE / 2), d_y,
                                                     d_scale, d_scale + ROWS / 2, M, N, K / 4);
        CUDA_CHECK(cudaGetLastError());
        cs += sumf(d_y, (size_t)M * N);
    }

    // 4: q4 blocks
    const size_t nblk = NE / QK;
    block_q4 *h4 = (block_q4 *)malloc(nblk * sizeof(block_q4));
    for (size_t i = 0; i < nblk; i++) {
        h4[i].d = __float2half(0.01f + (i % 13) * 0.001f);
        for (int j = 0; j < QK / 2; j++) { st = st * 1103515245u + 12345u; h4[i].qs[j] = (uint8_t)(st >> 16); }
    }
    block_q4 *d4;
    CUDA_CHECK(cudaMalloc((void **)&d4, nblk * sizeof(block_q4)));
    CUDA_CHECK(cudaMemcpy(d4, h4, nblk * sizeof(block_q4), cudaMemcpyHostToDevice));
    dequantize_mul_mat_vec_q4<<<ROWS / 2, dim3(32, 2)>>>(d4, d_x, d_y, COLS, ROWS);
    CUDA_CHECK(cudaGetLastError());
    cs += sumf(d_y, ROWS);

    // 5: packed int4 (reuses the int8 bytes as nibbles)
    half *hs = (half *)malloc((size_t)ROWS * (COLS / 128) * sizeof(half));
    for (int i = 0; i < ROWS * (COLS / 128); i++) hs[i] = __float2half(0.005f * (1 + i % 7));
    half *hxh = (half *)malloc(COLS * sizeof(half));
    for (int i = 0; i < COLS; i++) hxh[i] = __float2half(hx[i]);
    half *d_s4, *d_xh;
    CUDA_CHECK(cudaMalloc((void **)&d_s4, (size_t)ROWS * (COLS / 128) * sizeof(half)));
    CUDA_CHECK(cudaMalloc((void **)&d_xh, COLS * sizeof(half)));
    CUDA_CHECK(cudaMemcpy(d_s4, hs, (size_t)ROWS * (COLS / 128) * sizeof(half), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_xh, hxh, COLS * sizeof(half), cudaMemcpyHostToDevice));
    gemv_int4_packed<<<ROWS / 8, 256, COLS * sizeof(half)>>>((const uint4 *)d_q, d_s4, d_xh, d_y, ROWS, COLS);
    CUDA_CHECK(cudaGetLastError());
    cs += sumf(d_y, ROWS);

    // 6: fp8-like table
    float tab[256];
    for (int i = 0; i < 256; i++) tab[i] = decode_e4m3(i);
    CUDA_CHECK(cudaMemcpyToSymbol(c_fp8_table, tab, sizeof(tab)));
    half *d_h = (half *)d_x;   // x is not needed any more
    dequant_fp8_table<<<132 * 8, 256>>>((const uchar4 *)d_q, (half2 *)d_h, NE / 4, 0.125f);
    CUDA_CHECK(cudaGetLastError());
    half hsmp[1024];
    CUDA_CHECK(cudaMemcpy(hsmp, d_h, sizeof(hsmp), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; i++) cs += __half2float(hsmp[i]);

    // 7: k-means assign, 300000 points of 16 dims and 100 centroids
    const int NP = 300000, D = 16, KC = 100;
    float *d_pts, *d_cent, *d_dist;
    int *d_lab;
    CUDA_CHECK(cudaMalloc((void **)&d_pts, (size_t)NP * D * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_cent, KC * D * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_dist, NP * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&d_lab, NP * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d_pts, hx, (size_t)NP * D * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_cent, hx + 7000000, KC * D * sizeof(float), cudaMemcpyHostToDevice));
    kmeans_assign<D><<<(NP + 255) / 256, 256, KC * D * sizeof(float)>>>(d_pts, d_cent, d_lab, d_dist, NP, KC);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    cs += sumf(d_dist, NP);
    printf("quantised_ops checksum = %.5f\n", cs);

    cudaFree(d_x); cudaFree(d_scale); cudaFree(d_y); cudaFree(d_q); cudaFree(d4); cudaFree(d_s4);
    cudaFree(d_xh); cudaFree(d_pts); cudaFree(d_cent); cudaFree(d_dist); cudaFree(d_lab);
    free(hx); free(h4); free(hs); free(hxh);
    return 0;
}
