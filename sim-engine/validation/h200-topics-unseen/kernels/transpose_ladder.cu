// Matrix transpose ladder: from a plain copy to swizzled and vectorised tiles.
//
// The matrix has `rows` x `cols` elements, row major.  The transpose out has
// cols x rows.  Dimensions are deliberately not multiples of the tile width.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TILE_DIM   32
#define BLOCK_ROWS 8

#define CHECK_CUDA(call)                                                     \
    do {                                                                     \
        cudaError_t err_ = (call);                                           \
        if (err_ != cudaSuccess) {                                           \
            fprintf(stderr, "%s:%d: %s -> %s\n", __FILE__, __LINE__, #call,  \
                    cudaGetErrorString(err_));                               \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)

// ---------------------------------------------------------------- kernel 1
// Straight copy, the roofline of all others.
__global__ void copyRows(float *out, const float *in, int rows, int cols)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows)
            out[(size_t)(y + j) * cols + x] = in[(size_t)(y + j) * cols + x];
}

// ---------------------------------------------------------------- kernel 2
// One thread per element, stores are strided.
__global__ void transposeNaiveWrite(float *out, const float *in, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows)
        out[(size_t)x * rows + y] = in[(size_t)y * cols + x];
}

// ---------------------------------------------------------------- kernel 3
// One thread per element, loads are strided instead.
__global__ void transposeNaiveRead(float *out, const float *in, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;   // runs along rows of the input
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < rows && y < cols)
        out[(size_t)y * rows + x] = in[(size_t)x * cols + y];
}

// ---------------------------------------------------------------- kernel 4
// Tile in shared memory; column accesses all fall in one bank.
__global__ void transposeTiled(float *out, const float *in, int rows, int cols)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < cols)
            out[(size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

// ---------------------------------------------------------------- kernel 5
// The classic: one column of padding. Works for any element type.
template <typename T>
__global__ void transposePadded(T *out, const T *in, int rows, int cols)
{
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < cols)
            out[(size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

// ---------------------------------------------------------------- kernel 6
// XOR swizzle instead of padding: no shared memory wasted.
__global__ void transposeSwizzled(float *__restrict__ out, const float *__restrict__ in,
                                  int rows, int cols)
{
    __shared__ float tile[TILE_DIM * TILE_DIM];
    const int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE_DIM + tx;
    int y = blockIdx.y * TILE_DIM + ty;
#pragma unroll
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        int r = ty + j;
        if (x < cols && y + j < rows)
            tile[r * TILE_DIM + (tx ^ r)] = in[(size_t)(y + j) * cols + x];
    }
    __syncthreads();
    x = blockIdx.y * TILE_DIM + tx;
    y = blockIdx.x * TILE_DIM + ty;
#pragma unroll
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        int c = ty + j;
        if (x < rows && y + j < cols)
            out[(size_t)(y + j) * rows + x] = tile[tx * TILE_DIM + (c ^ tx)];
    }
}

// ---------------------------------------------------------------- kernel 7
// Each block walks COARSE tiles along a row of tiles.
template <int COARSE>
__global__ __launch_bounds__(TILE_DIM *BLOCK_ROWS) void
transposeCoarsened(float *__restrict__ out, const float *__restrict__ in, int rows, int cols)
{
    __shared__ float tile[COARSE][TILE_DIM][TILE_DIM + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int y0 = blockIdx.y * TILE_DIM;
#pragma unroll
    for (int c = 0; c < COARSE; ++c) {
        int x = (blockIdx.x * COARSE + c) * TILE_DIM + tx;
#pragma unroll
        for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
            if (x < cols && y0 + ty + j < rows)
                tile[c][ty + j][tx] = in[(size_t)(y0 + ty + j) * cols + x];
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < COARSE; ++c) {
        int yo = (blockIdx.x * COARSE + c) * TILE_DIM;
#pragma unroll
        for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
            if (y0 + tx < rows && yo + ty + j < cols)
                out[(size_t)(yo + ty + j) * rows + y0 + tx] = tile[c][tx][ty + j];
    }
}

// ---------------------------------------------------------------- kernel 8
// float4 loads and float4 stores on a 64x64 tile. Needs rows%4==0, cols%4==0.
__global__ __launch_bounds__(256) void
transposeFloat4(float *__restrict__ out, const float *__restrict__ in, int rows, int cols)
{
    __shared__ float tile[64][65];
    const int tx = threadIdx.x;  // 0..15
    const int ty = threadIdx.y;  // 0..15
    int x = blockIdx.x * 64 + tx * 4;
    int y = blockIdx.y * 64 + ty;
#pragma unroll
    for (int j = 0; j < 64; j += 16) {
        if (x < cols && y + j < rows) {
            float4 v = *reinterpret_cast<const float4 *>(in + (size_t)(y + j) * cols + x);
            tile[ty + j][tx * 4 + 0] = v.x;
            tile[ty + j][tx * 4 + 1] = v.y;
            tile[ty + j][tx * 4 + 2] = v.z;
            tile[ty + j][tx * 4 + 3] = v.w;
        }
    }
    __syncthreads();
    x = blockIdx.y * 64 + tx * 4;
    y = blockIdx.x * 64 + ty;
#pragma unroll
    for (int j = 0; j < 64; j += 16) {
        if (x < rows && y + j < cols) {
            float4 v;
            v.x = tile[tx * 4 + 0][ty + j];
            v.y = tile[tx * 4 + 1][ty + j];
            v.z = tile[tx * 4 + 2][ty + j];
            v.w = tile[tx * 4 + 3][ty + j];
            *reinterpret_cast<float4 *>(out + (size_t)(y + j) * rows + x) = v;
        }
    }
}

// ------------------------------------------------------------------- host
template <typename T>
static int verify(const char *name, const T *dev, T *host, const T *ref, size_t n, float ms)
{
    CHECK_CUDA(cudaMemcpy(host, dev, n * sizeof(T), cudaMemcpyDeviceToHost));
    size_t bad = 0;
    for (size_t i = 0; i < n; ++i)
        if (host[i] != ref[i]) ++bad;
    double gb = 2.0 * n * sizeof(T) / 1e9;
    printf("%-24s %8.3f ms %8.1f GB/s  %s\n", name, ms, gb / (ms * 1e-3), bad ? "FAIL" : "ok");
    return bad ? 1 : 0;
}

int main()
{
    const int rows = 3000, cols = 2020;             // multiples of 4, not of 32
    const size_t n = (size_t)rows * cols;
    float *h_in = (float *)malloc(n * sizeof(float));
    float *h_out = (float *)malloc(n * sizeof(float));
    float *h_ref = (float *)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; ++i) h_in[i] = (float)(i % 1000003) * 0.5f;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) h_ref[(size_t)c * rows + r] = h_in[(size_t)r * cols + c];

    float *d_in, *d_out;
    CHECK_CUDA(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK_CUDA(cudaMemcpy(d_in, h_in, n * sizeof(float), cudaMemcpyHostToDevice));

    cudaEvent_t t0, t1;
    CHECK_CUDA(cudaEventCreate(&t0));
    CHECK_CUDA(cudaEventCreate(&t1));

    dim3 threads(TILE_DIM, BLOCK_ROWS);
    dim3 grid((cols + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM);
    dim3 tNaive(32, 8);
    dim3 gNaiveW((cols + 31) / 32, (rows + 7) / 8);
    dim3 gNaiveR((rows + 31) / 32, (cols + 7) / 8);
    int failures = 0;

    for (int k = 0; k < 8; ++k) {
        const char *name = "";
        CHECK_CUDA(cudaMemset(d_out, 0xff, n * sizeof(float)));
        CHECK_CUDA(cudaEventRecord(t0));
        switch (k) {
        case 0: name = "copy";            copyRows<<<grid, threads>>>(d_out, d_in, rows, cols); break;
        case 1: name = "naive (write)";   transposeNaiveWrite<<<gNaiveW, tNaive>>>(d_out, d_in, rows, cols); break;
        case 2: name = "naive (read)";    transposeNaiveRead<<<gNaiveR, tNaive>>>(d_out, d_in, rows, cols); break;
        case 3: name = "tiled";           transposeTiled<<<grid, threads>>>(d_out, d_in, rows, cols); break;
        case 4: name = "tiled + padding"; transposePadded<float><<<grid, threads>>>(d_out, d_in, rows, cols); break;
        case 5: name = "tiled + swizzle"; transposeSwizzled<<<grid, threads>>>(d_out, d_in, rows, cols); break;
        case 6: {
            name = "coarsened x4";
            dim3 g((cols + TILE_DIM * 4 - 1) / (TILE_DIM * 4), grid.y);
            transposeCoarsened<4><<<g, threads>>>(d_out, d_in, rows, cols);
            break;
        }
        case 7: {
            name = "float4 64x64";
            dim3 g((cols + 63) / 64, (rows + 63) / 64);
            transposeFloat4<<<g, dim3(16, 16)>>>(d_out, d_in, rows, cols);
            break;
        }
        }
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaEventRecord(t1));
        CHECK_CUDA(cudaEventSynchronize(t1));
        float ms;
        CHECK_CUDA(cudaEventElapsedTime(&ms, t0, t1));
        failures += verify(name, d_out, h_out, k == 0 ? h_in : h_ref, n, ms);
    }

    // double precision, another, odd size
    {
        const int r2 = 1531, c2 = 1777;
        const size_t m = (size_t)r2 * c2;
        double *hi = (double *)malloc(m * sizeof(double));
        double *ho = (double *)malloc(m * sizeof(double));
        double *hr = (double *)malloc(m * sizeof(double));
        for (size_t i = 0; i < m; ++i) hi[i] = 1.0 / (double)(i + 1);
        for (int r = 0; r < r2; ++r)
            for (int c = 0; c < c2; ++c) hr[(size_t)c * r2 + r] = hi[(size_t)r * c2 + c];
        double *di, *dO;
        CHECK_CUDA(cudaMalloc(&di, m * sizeof(double)));
        CHECK_CUDA(cudaMalloc(&dO, m * sizeof(double)));
        CHECK_CUDA(cudaMemcpy(di, hi, m * sizeof(double), cudaMemcpyHostToDevice));
        dim3 g((c2 + TILE_DIM - 1) / TILE_DIM, (r2 + TILE_DIM - 1) / TILE_DIM);
        CHECK_CUDA(cudaEventRecord(t0));
        transposePadded<double><<<g, threads>>>(dO, di, r2, c2);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaEventRecord(t1));
        CHECK_CUDA(cudaEventSynchronize(t1));
        float ms;
        CHECK_CUDA(cudaEventElapsedTime(&ms, t0, t1));
        failures += verify("double padded", dO, ho, hr, m, ms);
        cudaFree(di); cudaFree(dO);
        free(hi); free(ho); free(hr);
    }

    cudaEventDestroy(t0); cudaEventDestroy(t1);
    cudaFree(d_in); cudaFree(d_out);
    free(h_in); free(h_out); free(h_ref);
    printf("%s\n", failures ? "FAIL" : "PASS");
    return failures ? 1 : 0;
}
