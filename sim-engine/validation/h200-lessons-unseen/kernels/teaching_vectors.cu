/*
 * teaching_vectors.cu
 *
 * Course notes, chapter 1: one-dimensional kernels.
 *   - vector addition in three flavours
 *   - saxpy
 *   - dot product in three flavours
 *   - matrix-vector product in three flavours
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                     \
    do {                                                                     \
        cudaError_t err_ = (call);                                           \
        if (err_ != cudaSuccess) {                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,               \
                    cudaGetErrorString(err_));                               \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)

#define BLOCK 256

/* ---------------------------------------------------------------- add --- */

/* one element per thread, guard at the tail */
__global__ void vecAdd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* a fixed number of blocks walks over the vector */
__global__ void vecAddStride(const float *a, const float *b, float *c, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        c[i] = a[i] + b[i];
}

/* four elements per thread with 16-byte accesses; n must divide by four */
__global__ void vecAdd4(const float4 *a, const float4 *b, float4 *c, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 x = a[i];
        float4 y = b[i];
        float4 z;
        z.x = x.x + y.x;
        z.y = x.y + y.y;
        z.z = x.z + y.z;
        z.w = x.w + y.w;
        c[i] = z;
    }
}

__global__ void saxpy(int n, float alpha, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = alpha * x[i] + y[i];
}

/* ---------------------------------------------------------------- dot --- */

/* every thread hits the same address; the lesson is that this is slow */
__global__ void dotAtomic(const float *x, const float *y, float *result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(result, x[i] * y[i]);
}

/* tree in shared memory, then one atomic per block */
__global__ void dotShared(const float *x, const float *y, float *result, int n)
{
    __shared__ float cache[BLOCK];
    int tid = threadIdx.x;
    float acc = 0.0f;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK)
        acc += x[i] * y[i];
    cache[tid] = acc;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(result, cache[0]);
}

/* warp shuffles instead of shared memory for most of the tree */
__global__ void dotShuffle(const float *x, const float *y, float *result, int n)
{
    __shared__ float perWarp[BLOCK / 32];
    float acc = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        acc = fmaf(x[i], y[i], acc);
    for (int o = 16; o > 0; o >>= 1)
        acc += __shfl_down_sync(0xffffffffu, acc, o);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0)
        perWarp[warp] = acc;
    __syncthreads();
    if (warp == 0) {
        acc = lane < BLOCK / 32 ? perWarp[lane] : 0.0f;
        for (int o = BLOCK / 64; o > 0; o >>= 1)
            acc += __shfl_down_sync(0xffffffffu, acc, o);
        if (lane == 0)
            atomicAdd(result, acc);
    }
}

/* ---------------------------------------------------- matrix * vector --- */

/* row-major matrix, one thread per row: neighbours are a row apart */
__global__ void matVecNaive(const float *A, const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int c = 0; c < cols; c++)
        sum += A[(size_t)r * cols + c] * x[c];
    y[r] = sum;
}

/* row-major matrix, one warp per row: lanes read neighbouring words */
__global__ void matVecWarp(const float *A, const float *x, float *y, int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += A[(size_t)r * cols + c] * x[c];
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0)
        y[r] = sum;
}

/* y = A^T x: one thread per column, coalesced without any cooperation */
__global__ void matTransVec(const float *A, const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    int chunk = (rows + gridDim.y - 1) / gridDim.y;
    int r0 = blockIdx.y * chunk;
    int r1 = min(r0 + chunk, rows);
    float sum = 0.0f;
    for (int r = r0; r < r1; r++)
        sum += A[(size_t)r * cols + c] * x[r];
    atomicAdd(&y[c], sum);
}

static unsigned seed = 12345u;
static float nextFloat(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 9) * (1.0f / 8388608.0f) - 0.5f;
}

static int close_enough(double got, double want, double tol)
{
    return fabs(got - want) <= tol * (1.0 + fabs(want));
}

int main(void)
{
    const int n = 1 << 24, nSmall = 1 << 19;
    const int rows = 8192, cols = 2048;
    int bad = 0;

    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));
    float *c = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) {
        a[i] = nextFloat();
        b[i] = a[i] * 0.5f + 0.25f;
    }
    float *da, *db, *dc, *dr, *dy, *dyt;
    CUDA_CHECK(cudaMalloc(&da, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&db, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dc, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dr, 3 * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dy, rows * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dyt, cols * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(da, a, n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(db, b, n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(dr, 0, 3 * sizeof(float)));
    CUDA_CHECK(cudaMemset(dyt, 0, cols * sizeof(float)));

    int grid = (n + BLOCK - 1) / BLOCK;
    vecAdd<<<grid, BLOCK>>>(da, db, dc, n);
    vecAddStride<<<132 * 8, BLOCK>>>(da, db, dc, n);
    vecAdd4<<<(n / 4 + 127) / 128, 128>>>((float4 *)da, (float4 *)db, (float4 *)dc, n / 4);
    saxpy<<<(n + 511) / 512, 512>>>(n, 2.0f, da, dc); /* c = a + b + 2a */
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(c, dc, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i += 997)
        bad += !close_enough(c[i], 3.0f * a[i] + b[i], 1e-5);

    dotAtomic<<<(nSmall + BLOCK - 1) / BLOCK, BLOCK>>>(da, db, dr + 0, nSmall);
    dotShared<<<1024, BLOCK>>>(da, db, dr + 1, n);
    dotShuffle<<<1024, BLOCK>>>(da, db, dr + 2, n);
    CUDA_CHECK(cudaGetLastError());
    float r[3];
    CUDA_CHECK(cudaMemcpy(r, dr, sizeof(r), cudaMemcpyDeviceToHost));
    double small = 0, full = 0;
    for (int i = 0; i < n; i++) {
        full += (double)a[i] * b[i];
        if (i == nSmall - 1)
            small = full;
    }
    bad += !close_enough(r[0], small, 1e-2);
    bad += !close_enough(r[1], full, 1e-2);
    bad += !close_enough(r[2], full, 1e-2);

    /* the first rows*cols words of a serve as the matrix, b as the vector */
    matVecNaive<<<(rows + 63) / 64, 64>>>(da, db, dc, rows, cols);
    matVecWarp<<<(rows * 32 + BLOCK - 1) / BLOCK, BLOCK>>>(da, db, dy, rows, cols);
    dim3 gt((cols + 127) / 128, 64);
    matTransVec<<<gt, 128>>>(da, db, dyt, rows, cols);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    float *y0 = (float *)malloc(rows * sizeof(float));
    float *y1 = (float *)malloc(rows * sizeof(float));
    CUDA_CHECK(cudaMemcpy(y0, dc, rows * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(y1, dy, rows * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < rows; i++)
        bad += !close_enough(y0[i], y1[i], 1e-3);
    float t7;
    CUDA_CHECK(cudaMemcpy(&t7, dyt + 7, sizeof(float), cudaMemcpyDeviceToHost));
    double want = 0;
    for (int q = 0; q < rows; q++)
        want += (double)a[(size_t)q * cols + 7] * b[q];
    bad += !close_enough(t7, want, 1e-2);

    printf("dots %.4f %.4f %.4f -> %s (%d mismatches)\n", r[0], r[1], r[2], bad ? "FAIL" : "PASS", bad);
    cudaFree(da); cudaFree(db); cudaFree(dc); cudaFree(dr); cudaFree(dy); cudaFree(dyt);
    free(a); free(b); free(c); free(y0); free(y1);
    return bad != 0;
}
