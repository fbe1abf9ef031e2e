/*
 * CS 451 - Parallel Programming, Lab 3
 * 2D convolution: naive -> constant memory -> shared-memory tiles
 *
 * usage: ./conv2d [width] [height]
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                     \
    do {                                                                     \
        cudaError_t err_ = (call);                                           \
        if (err_ != cudaSuccess) {                                           \
            fprintf(stderr, "CUDA error at %s:%d: %s\n", __FILE__, __LINE__, \
                    cudaGetErrorString(err_));                               \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)

#define FILTER_RADIUS 3
#define FILTER_DIM (2 * FILTER_RADIUS + 1)

#define IN_TILE_DIM 32
#define OUT_TILE_DIM (IN_TILE_DIM - 2 * FILTER_RADIUS)

#define CACHED_TILE_DIM 16

__constant__ float c_filter[FILTER_DIM][FILTER_DIM];

/* ------------------------------------------------------------------ */
/* step 0: colour image -> grey image                                  */
/* ------------------------------------------------------------------ */
__global__ void rgb_to_gray_kernel(const unsigned char *rgb, float *gray, int width, int height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        int i = row * width + col;
        unsigned char r = rgb[3 * i + 0];
        unsigned char g = rgb[3 * i + 1];
        unsigned char b = rgb[3 * i + 2];
        gray[i] = (0.299f * r + 0.587f * g + 0.114f * b) / 255.0f;
    }
}

/* step 1: everything from global memory */
__global__ void conv_naive_kernel(const float *in, const float *filter, float *out, int width, int height)
{
    int out_col = blockIdx.x * blockDim.x + threadIdx.x;
    int out_row = blockIdx.y * blockDim.y + threadIdx.y;
    if (out_col >= width || out_row >= height)
        return;

    float sum = 0.0f;
    for (int f_row = 0; f_row < FILTER_DIM; ++f_row) {
        for (int f_col = 0; f_col < FILTER_DIM; ++f_col) {
            int in_row = out_row - FILTER_RADIUS + f_row;
            int in_col = out_col - FILTER_RADIUS + f_col;
            if (in_row >= 0 && in_row < height && in_col >= 0 && in_col < width)
                sum += filter[f_row * FILTER_DIM + f_col] * in[in_row * width + in_col];
        }
    }
    out[out_row * width + out_col] = sum;
}

/* step 2: filter in constant memory */
__global__ void conv_const_kernel(const float *in, float *out, int width, int height)
{
    int out_col = blockIdx.x * blockDim.x + threadIdx.x;
    int out_row = blockIdx.y * blockDim.y + threadIdx.y;
    if (out_col >= width || out_row >= height)
        return;

    float sum = 0.0f;
    for (int f_row = 0; f_row < FILTER_DIM; ++f_row) {
        for (int f_col = 0; f_col < FILTER_DIM; ++f_col) {
            int in_row = out_row - FILTER_RADIUS + f_row;
            int in_col = out_col - FILTER_RADIUS + f_col;
            if (in_row >= 0 && in_row < height && in_col >= 0 && in_col < width)
                sum += c_filter[f_row][f_col] * in[in_row * width + in_col];
        }
    }
    out[out_row * width + out_col] = sum;
}

/* step 3: block = input tile, the halo threads go idle in the second phase */
__global__ void conv_tiled_kernel(const float *in, float *out, int width, int height)
{
    __shared__ float in_s[IN_TILE_DIM][IN_TILE_DIM];

    int row = blockIdx.y * OUT_TILE_DIM + threadIdx.y - FILTER_RADIUS;
    int col = blockIdx.x * OUT_TILE_DIM + threadIdx.x - FILTER_RADIUS;

    if (row >= 0 && row < height && col >= 0 && col < width)
        in_s[threadIdx.y][threadIdx.x] = in[row * width + col];
    else
        in_s[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();

    int tile_row = (int)threadIdx.y - FILTER_RADIUS;
    int tile_col = (int)threadIdx.x - FILTER_RADIUS;
    if (row >= 0 && row < height && col >= 0 && col < width) {
        if (tile_row >= 0 && tile_row < OUT_TILE_DIM && tile_col >= 0 && tile_col < OUT_TILE_DIM) {
            float sum = 0.0f;
            for (int f_row = 0; f_row < FILTER_DIM; ++f_row)
                for (int f_col = 0; f_col < FILTER_DIM; ++f_col)
                    sum += c_filter[f_row][f_col] * in_s[tile_row + f_row][tile_col + f_col];
            out[row * width + col] = sum;
        }
    }
}

/* step 4: block = output tile, halo cells come from the L2 cache */
__global__ void conv_cached_halo_kernel(const float *in, float *out, int width, int height)
{
    __shared__ float in_s[CACHED_TILE_DIM][CACHED_TILE_DIM];

    int row = blockIdx.y * CACHED_TILE_DIM + threadIdx.y;
    int col = blockIdx.x * CACHED_TILE_DIM + threadIdx.x;
    in_s[threadIdx.y][threadIdx.x] = (row < height && col < width) ? in[row * width + col] : 0.0f;
    __syncthreads();

    if (row < height && col < width) {
        float sum = 0.0f;
        for (int f_row = 0; f_row < FILTER_DIM; ++f_row) {
            for (int f_col = 0; f_col < FILTER_DIM; ++f_col) {
                int sr = (int)threadIdx.y - FILTER_RADIUS + f_row;
                int sc = (int)threadIdx.x - FILTER_RADIUS + f_col;
                if (sr >= 0 && sr < CACHED_TILE_DIM && sc >= 0 && sc < CACHED_TILE_DIM) {
                    sum += c_filter[f_row][f_col] * in_s[sr][sc];
                } else {
                    int gr = row - FILTER_RADIUS + f_row;
                    int gc = col - FILTER_RADIUS + f_col;
                    if (gr >= 0 && gr < height && gc >= 0 && gc < width)
                        sum += c_filter[f_row][f_col] * in[gr * width + gc];
                }
            }
        }
        out[row * width + col] = sum;
    }
}

/* step 5 (bonus): cooperative load of tile + halo, unrolled, several rows per thread */
template <int RADIUS, int BX, int BY, int ROWS>
__global__ void conv_coarsened_kernel(const float *__restrict__ in, float *__restrict__ out, int width, int height)
{
    constexpr int TW = BX + 2 * RADIUS;
    constexpr int TH = BY * ROWS + 2 * RADIUS;
    __shared__ float tile[TH][TW];

    const int x0 = blockIdx.x * BX - RADIUS;
    const int y0 = blockIdx.y * (BY * ROWS) - RADIUS;
    const int tid = threadIdx.y * BX + threadIdx.x;

    for (int i = tid; i < TH * TW; i += BX * BY) {
        int ty = i / TW, tx = i % TW;
        int gy = y0 + ty, gx = x0 + tx;
        tile[ty][tx] = (gx >= 0 && gx < width && gy >= 0 && gy < height) ? in[gy * width + gx] : 0.0f;
    }
    __syncthreads();

    const int col = blockIdx.x * BX + threadIdx.x;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int ly = threadIdx.y + r * BY;
        const int row = blockIdx.y * (BY * ROWS) + ly;
        if (col < width && row < height) {
            float acc = 0.0f;
#pragma unroll
            for (int fy = 0; fy <= 2 * RADIUS; ++fy)
#pragma unroll
                for (int fx = 0; fx <= 2 * RADIUS; ++fx)
                    acc = fmaf(c_filter[fy][fx], tile[ly + fy][threadIdx.x + fx], acc);
            out[row * width + col] = acc;
        }
    }
}

static void conv_cpu(const float *in, const float *f, float *out, int width, int height)
{
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float s = 0.0f;
            for (int i = 0; i < FILTER_DIM; ++i)
                for (int j = 0; j < FILTER_DIM; ++j) {
                    int yy = y + i - FILTER_RADIUS, xx = x + j - FILTER_RADIUS;
                    if (yy >= 0 && yy < height && xx >= 0 && xx < width)
                        s += f[i * FILTER_DIM + j] * in[yy * width + xx];
                }
            out[y * width + x] = s;
        }
}

static int check(const char *name, const float *ref, const float *d_out, float *h_out, size_t n, float ms)
{
    CUDA_CHECK(cudaMemcpy(h_out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    float worst = 0.0f;
    for (size_t i = 0; i < n; ++i)
        worst = fmaxf(worst, fabsf(ref[i] - h_out[i]));
    printf("  %-16s %8.3f ms   max diff %.2e  %s\n", name, ms, worst, worst < 1e-4f ? "PASS" : "FAIL");
    return worst < 1e-4f ? 0 : 1;
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 1500;
    int height = argc > 2 ? atoi(argv[2]) : 1013;
    size_t n = (size_t)width * height;
    printf("image %d x %d, filter %d x %d\n", width, height, FILTER_DIM, FILTER_DIM);

    unsigned char *h_rgb = (unsigned char *)malloc(3 * n);
    float *h_gray = (float *)malloc(n * sizeof(float));
    float *h_ref = (float *)malloc(n * sizeof(float));
    float *h_out = (float *)malloc(n * sizeof(float));
    float h_filter[FILTER_DIM * FILTER_DIM];

    srand(451);
    for (size_t i = 0; i < 3 * n; ++i)
        h_rgb[i] = (unsigned char)(rand() % 256);

    /* gaussian, sigma = 1.5 */
    float total = 0.0f;
    for (int i = 0; i < FILTER_DIM; ++i)
        for (int j = 0; j < FILTER_DIM; ++j) {
            int dy = i - FILTER_RADIUS, dx = j - FILTER_RADIUS;
            h_filter[i * FILTER_DIM + j] = expf(-(dx * dx + dy * dy) / (2.0f * 1.5f * 1.5f));
            total += h_filter[i * FILTER_DIM + j];
        }
    for (int i = 0; i < FILTER_DIM * FILTER_DIM; ++i)
        h_filter[i] /= total;

    unsigned char *d_rgb;
    float *d_gray, *d_out, *d_filter;
    CUDA_CHECK(cudaMalloc(&d_rgb, 3 * n));
    CUDA_CHECK(cudaMalloc(&d_gray, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_filter, sizeof(h_filter)));
    CUDA_CHECK(cudaMemcpy(d_rgb, h_rgb, 3 * n, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_filter, h_filter, sizeof(h_filter), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpyToSymbol(c_filter, h_filter, sizeof(h_filter)));

    cudaEvent_t t0, t1;
    CUDA_CHECK(cudaEventCreate(&t0));
    CUDA_CHECK(cudaEventCreate(&t1));
    float ms;
    int bad = 0;

    dim3 gblock(64, 4);
    dim3 ggrid((width + gblock.x - 1) / gblock.x, (height + gblock.y - 1) / gblock.y);
    rgb_to_gray_kernel<<<ggrid, gblock>>>(d_rgb, d_gray, width, height);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_gray, d_gray, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; ++i) {
        float g = (0.299f * h_rgb[3 * i] + 0.587f * h_rgb[3 * i + 1] + 0.114f * h_rgb[3 * i + 2]) / 255.0f;
        if (fabsf(g - h_gray[i]) > 1e-5f) { bad++; break; }
    }
    conv_cpu(h_gray, h_filter, h_ref, width, height);

#define TIMED(launch)                            \
    do {                                         \
        CUDA_CHECK(cudaMemset(d_out, 0, n * sizeof(float))); \
        CUDA_CHECK(cudaEventRecord(t0));         \
        launch;                                  \
        CUDA_CHECK(cudaGetLastError());          \
        CUDA_CHECK(cudaEventRecord(t1));         \
        CUDA_CHECK(cudaEventSynchronize(t1));    \
        CUDA_CHECK(cudaEventElapsedTime(&ms, t0, t1)); \
    } while (0)

    {
        dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
        TIMED((conv_naive_kernel<<<grid, block>>>(d_gray, d_filter, d_out, width, height)));
        bad += check("naive", h_ref, d_out, h_out, n, ms);
    }
    {
        dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
        TIMED((conv_const_kernel<<<grid, block>>>(d_gray, d_out, width, height)));
        bad += check("constant", h_ref, d_out, h_out, n, ms);
    }
    {
        dim3 block(IN_TILE_DIM, IN_TILE_DIM);
        dim3 grid((width + OUT_TILE_DIM - 1) / OUT_TILE_DIM, (height + OUT_TILE_DIM - 1) / OUT_TILE_DIM);
        TIMED((conv_tiled_kernel<<<grid, block>>>(d_gray, d_out, width, height)));
        bad += check("tiled", h_ref, d_out, h_out, n, ms);
    }
    {
        dim3 block(CACHED_TILE_DIM, CACHED_TILE_DIM);
        dim3 grid((width + CACHED_TILE_DIM - 1) / CACHED_TILE_DIM, (height + CACHED_TILE_DIM - 1) / CACHED_TILE_DIM);
        TIMED((conv_cached_halo_kernel<<<grid, block>>>(d_gray, d_out, width, height)));
        bad += check("cached halo", h_ref, d_out, h_out, n, ms);
    }
    {
        const int BX = 32, BY = 6, ROWS = 4;
        dim3 block(BX, BY), grid((width + BX - 1) / BX, (height + BY * ROWS - 1) / (BY * ROWS));
        TIMED((conv_coarsened_kernel<FILTER_RADIUS, BX, BY, ROWS><<<grid, block>>>(d_gray, d_out, width, height)));
        bad += check("coarsened", h_ref, d_out, h_out, n, ms);
    }

    CUDA_CHECK(cudaEventDestroy(t0));
    CUDA_CHECK(cudaEventDestroy(t1));
    cudaFree(d_rgb); cudaFree(d_gray); cudaFree(d_out); cudaFree(d_filter);
    free(h_rgb); free(h_gray); free(h_ref); free(h_out);
    printf("%s\n", bad ? "SOME TESTS FAILED" : "all good");
    return bad ? 1 : 0;
}
