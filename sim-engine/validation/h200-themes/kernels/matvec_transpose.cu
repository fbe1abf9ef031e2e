// Homework 3: matrices in memory.
//   - transposes (naive / tiled / padded / float4)
//   - y = A x and y = A^T x
//   - triangular matrices: packed lower-triangular multiply, trace of diagonals
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE 32
#define ROWS 8

static inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}
#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)

__global__ void transposeNaive(float *odata, const float *idata, int w, int h)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y0 = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y0 + j < h)
            odata[(size_t)x * h + (y0 + j)] = idata[(size_t)(y0 + j) * w + x];
}

__global__ void transposeSharedConflicts(float *odata, const float *idata, int w, int h)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y + j < h)
            tile[threadIdx.y + j][threadIdx.x] = idata[(size_t)(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < h && y + j < w)
            odata[(size_t)(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

// blocks are taken along diagonals, rows padded by one word
__global__ void transposeDiagonalPadded(float *odata, const float *idata, int w, int h)
{
    __shared__ float tile[TILE][TILE + 1];
    int bid = blockIdx.x + gridDim.x * blockIdx.y;
    int by = bid % gridDim.y;
    int bx = ((bid / gridDim.y) + by) % gridDim.x;

    int x = bx * TILE + threadIdx.x;
    int y = by * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y + j < h)
            tile[threadIdx.y + j][threadIdx.x] = idata[(size_t)(y + j) * w + x];
    __syncthreads();
    x = by * TILE + threadIdx.x;
    y = bx * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < h && y + j < w)
            odata[(size_t)(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

// one thread per row, rows are read by single threads: uncoalesced
__global__ void matvecThreadPerRow(const float *A, const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    for (int c = 0; c < cols; ++c) s += A[(size_t)r * cols + c] * x[c];
    y[r] = s;
}

__global__ void matvecWarpPerRow(const float *A, const float *x, float *y, int rows, int cols)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp >= rows) return;
    const float *row = A + (size_t)warp * cols;
    float s = 0.f;
    for (int c = lane; c < cols; c += 32) s += row[c] * x[c];
    for (int m = 16; m > 0; m >>= 1) s += __shfl_xor_sync(0xffffffff, s, m);
    if (lane == 0) y[warp] = s;
}

// y = A^T x: thread per column, rows split in slabs (blockIdx.y), combined with atomics
__global__ void matTvecSlabs(const float *A, const float *x, float *y, int rows, int cols, int slab)
{
    extern __shared__ float xs[];
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = blockIdx.y * slab;
    int r1 = min(rows, r0 + slab);
    for (int k = threadIdx.x; k < r1 - r0; k += blockDim.x) xs[k] = x[r0 + k];
    __syncthreads();
    if (c < cols) {
        float s = 0.f;
        for (int r = r0; r < r1; ++r) s += A[(size_t)r * cols + c] * xs[r - r0];
        atomicAdd(&y[c], s);
    }
}

// packed lower triangle, row r starts at r(r+1)/2; one block per row => imbalanced work
__global__ void packedTriangularMV(const float *L, const float *x, float *y, int n)
{
    __shared__ float part[4];
    int r = blockIdx.x;
    const float *row = L + (size_t)r * (r + 1) / 2;
    float s = 0.f;
    for (int c = threadIdx.x; c <= r; c += blockDim.x) s += row[c] * x[c];
    for (int m = 16; m > 0; m >>= 1) s += __shfl_down_sync(0xffffffff, s, m);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) y[r] = part[0] + part[1] + part[2] + part[3];
}

// sums along every wrapped diagonal d: sum_r A[r][(r+d) mod n]
__global__ void wrappedDiagonalSums(const float *A, float *diag, int n, int rowsPerBlock)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= n) return;
    int r0 = blockIdx.y * rowsPerBlock;
    int r1 = min(n, r0 + rowsPerBlock);
    float s = 0.f;
    for (int r = r0; r < r1; ++r) {
        int c = r + d;
        if (c >= n) c -= n;
        s += A[(size_t)r * n + c];
    }
    atomicAdd(&diag[d], s);
}

// Bank conflicts in isolation: every thread walks shared memory with the given stride
__global__ void sharedStrideWalk(float *out, int stride, int rounds)
{
    __shared__ float buf[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) buf[i] = (float)(i & 15);
    __syncthreads();
    float acc = 0.f;
    int idx = (threadIdx.x * stride) & 4095;
    for (int k = 0; k < rounds; ++k) {
        acc += buf[idx];
        idx = (idx + 33 * stride) & 4095;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}

int main()
{
    const int n = 4096;
    const size_t bytes = sizeof(float) * n * n;
    float *h = (float *)malloc(bytes), *hx = (float *)malloc(n * sizeof(float));
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
            h[(size_t)r * n + c] = (float)((r * 7 + c * 13) % 32) / 32.f;
    for (int c = 0; c < n; ++c) hx[c] = (c % 9 - 4) * 0.25f;

    float *A, *B, *x, *y, *yt, *diag, *walk;
    gpuErrchk(cudaMalloc(&A, bytes));
    gpuErrchk(cudaMalloc(&B, bytes));
    gpuErrchk(cudaMalloc(&x, n * 4));
    gpuErrchk(cudaMalloc(&y, n * 4));
    gpuErrchk(cudaMalloc(&yt, n * 4));
    gpuErrchk(cudaMalloc(&diag, n * 4));
    gpuErrchk(cudaMalloc(&walk, 264 * 256 * 4));
    gpuErrchk(cudaMemcpy(A, h, bytes, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(x, hx, n * 4, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemset(yt, 0, n * 4));
    gpuErrchk(cudaMemset(diag, 0, n * 4));

    dim3 tb(TILE, ROWS), tg(n / TILE, n / TILE);
    transposeNaive<<<tg, tb>>>(B, A, n, n);
    transposeSharedConflicts<<<tg, tb>>>(B, A, n, n);
    transposeDiagonalPadded<<<tg, tb>>>(B, A, n, n);
    matvecThreadPerRow<<<n / 64, 64>>>(A, x, y, n, n);
    matvecWarpPerRow<<<n / 8, 256>>>(A, x, y, n, n);
    matTvecSlabs<<<dim3(n / 128, 16), 128, 256 * sizeof(float)>>>(A, x, yt, n, n, 256);
    gpuErrchk(cudaGetLastError());

    float *hy = (float *)malloc(n * 4), *hyt = (float *)malloc(n * 4);
    gpuErrchk(cudaMemcpy(hy, y, n * 4, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(hyt, yt, n * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int k = 0; k < n; k += 511) {
        double s = 0, t = 0;
        for (int j = 0; j < n; ++j) {
            s += (double)h[(size_t)k * n + j] * hx[j];
            t += (double)h[(size_t)j * n + k] * hx[j];
        }
        worst = fmax(worst, fmax(fabs(s - hy[k]), fabs(t - hyt[k])));
    }
    printf("matvec worst abs error %g\n", worst);

    // A's first n(n+1)/2 entries are reused as a packed triangle
    packedTriangularMV<<<n, 128>>>(A, x, y, n);
    wrappedDiagonalSums<<<dim3(n / 256, 32), 256>>>(A, diag, n, n / 32);
    sharedStrideWalk<<<264, 256>>>(walk, 1, 2000);
    sharedStrideWalk<<<264, 256>>>(walk, 16, 2000);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaMemcpy(hy, y, n * 4, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(hyt, diag, n * 4, cudaMemcpyDeviceToHost));
    printf("tri y[n-1]=%f  diagonal[0]=%f\n", hy[n - 1], hyt[0]);

    float *hb = (float *)malloc(bytes);
    gpuErrchk(cudaMemcpy(hb, B, bytes, cudaMemcpyDeviceToHost));
    int errs = 0;
    for (int r = 0; r < n; r += 17)
        for (int c = 0; c < n; c += 13) errs += hb[(size_t)c * n + r] != h[(size_t)r * n + c];
    printf("transpose errors: %d\n", errs);
    free(h); free(hx); free(hy); free(hyt); free(hb);
    cudaFree(A); cudaFree(B); cudaFree(x); cudaFree(y); cudaFree(yt); cudaFree(diag); cudaFree(walk);
    return errs ? 1 : 0;
}
