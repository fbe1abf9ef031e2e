/*
 * Discrete Cosine Transform 8x8 blockwise, quantization and inverse transform.
 *
 * Two implementations are compared:
 *   DCT1 - direct evaluation of C * X * C^T by an 8x8 thread block
 *   DCT2 - separable fast 8-point transform, one thread per 8 samples
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <typename T>
void check(T result, char const *const func, const char *const file, int const line)
{
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<unsigned int>(result),
                cudaGetErrorName(result), func);
        exit(EXIT_FAILURE);
    }
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

#define BLOCK_SIZE 8
#define BLOCK_SIZE_LOG2 3

/* tile processed by a DCT2 block: 8 x 2 transform blocks, 8 threads each */
#define KER2_BLOCKS_X 8
#define KER2_BLOCKS_Y 2
#define KER2_WIDTH (KER2_BLOCKS_X * BLOCK_SIZE)
#define KER2_HEIGHT (KER2_BLOCKS_Y * BLOCK_SIZE)
#define KER2_SMEMBLOCK_STRIDE (KER2_WIDTH + 1)

#define C_a 1.387039845322148f
#define C_b 1.306562964876377f
#define C_c 1.175875602419359f
#define C_d 0.785694958387102f
#define C_e 0.541196100146197f
#define C_f 0.275899379282943f
#define C_norm 0.3535533905932737f

__constant__ float DCTv8matrix[BLOCK_SIZE * BLOCK_SIZE];
__constant__ short Q[BLOCK_SIZE * BLOCK_SIZE];

static const short h_Q[64] = {
    32, 33, 51, 81, 66, 39, 34, 17, 33, 36, 48, 47, 28, 23, 12, 12, 51, 48, 47, 28, 23, 12,
    12, 12, 81, 47, 28, 23, 12, 12, 12, 12, 66, 28, 23, 12, 12, 12, 12, 12, 39, 23, 12, 12,
    12, 12, 12, 12, 34, 12, 12, 12, 12, 12, 12, 12, 17, 12, 12, 12, 12, 12, 12, 12};

__global__ void CUDAkernel1DCT(float *Dst, const float *Src, int Stride)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ float CurBlockLocal1[BLOCK_SIZE * BLOCK_SIZE];
    __shared__ float CurBlockLocal2[BLOCK_SIZE * BLOCK_SIZE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = (blockIdx.x << BLOCK_SIZE_LOG2) + tx;
    const int y = (blockIdx.y << BLOCK_SIZE_LOG2) + ty;

    CurBlockLocal1[(ty << BLOCK_SIZE_LOG2) + tx] = Src[y * Stride + x];
    cg::sync(cta);

    // C * X
    float curelem = 0;
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE; i++)
        curelem += DCTv8matrix[(ty << BLOCK_SIZE_LOG2) + i] * CurBlockLocal1[(i << BLOCK_SIZE_LOG2) + tx];
    CurBlockLocal2[(ty << BLOCK_SIZE_LOG2) + tx] = curelem;
    cg::sync(cta);

    // (C * X) * C^T
    curelem = 0;
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE; i++)
        curelem += CurBlockLocal2[(ty << BLOCK_SIZE_LOG2) + i] * DCTv8matrix[(tx << BLOCK_SIZE_LOG2) + i];

    Dst[y * Stride + x] = curelem;
}

__global__ void CUDAkernel1IDCT(float *Dst, const float *Src, int Stride)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ float CurBlockLocal1[BLOCK_SIZE * BLOCK_SIZE];
    __shared__ float CurBlockLocal2[BLOCK_SIZE * BLOCK_SIZE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = (blockIdx.x << BLOCK_SIZE_LOG2) + tx;
    const int y = (blockIdx.y << BLOCK_SIZE_LOG2) + ty;

    CurBlockLocal1[(ty << BLOCK_SIZE_LOG2) + tx] = Src[y * Stride + x];
    cg::sync(cta);

    // C^T * X
    float curelem = 0;
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE; i++)
        curelem += DCTv8matrix[(i << BLOCK_SIZE_LOG2) + ty] * CurBlockLocal1[(i << BLOCK_SIZE_LOG2) + tx];
    CurBlockLocal2[(ty << BLOCK_SIZE_LOG2) + tx] = curelem;
    cg::sync(cta);

    // (C^T * X) * C
    curelem = 0;
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE; i++)
        curelem += CurBlockLocal2[(ty << BLOCK_SIZE_LOG2) + i] * DCTv8matrix[(i << BLOCK_SIZE_LOG2) + tx];

    Dst[y * Stride + x] = curelem;
}

__device__ void CUDAsubroutineInplaceDCTvector(float *Vect0, int Step)
{
    float *Vect1 = Vect0 + Step;
    float *Vect2 = Vect1 + Step;
    float *Vect3 = Vect2 + Step;
    float *Vect4 = Vect3 + Step;
    float *Vect5 = Vect4 + Step;
    float *Vect6 = Vect5 + Step;
    float *Vect7 = Vect6 + Step;

    float X07P = (*Vect0) + (*Vect7);
    float X16P = (*Vect1) + (*Vect6);
    float X25P = (*Vect2) + (*Vect5);
    float X34P = (*Vect3) + (*Vect4);

    float X07M = (*Vect0) - (*Vect7);
    float X61M = (*Vect6) - (*Vect1);
    float X25M = (*Vect2) - (*Vect5);
    float X43M = (*Vect4) - (*Vect3);

    float X07P34PP = X07P + X34P;
    float X07P34PM = X07P - X34P;
    float X16P25PP = X16P + X25P;
    float X16P25PM = X16P - X25P;

    (*Vect0) = C_norm * (X07P34PP + X16P25PP);
    (*Vect2) = C_norm * (C_b * X07P34PM + C_e * X16P25PM);
    (*Vect4) = C_norm * (X07P34PP - X16P25PP);
    (*Vect6) = C_norm * (C_e * X07P34PM - C_b * X16P25PM);

    (*Vect1) = C_norm * (C_a * X07M - C_c * X61M + C_d * X25M - C_f * X43M);
    (*Vect3) = C_norm * (C_c * X07M + C_f * X61M - C_a * X25M + C_d * X43M);
    (*Vect5) = C_norm * (C_d * X07M + C_a * X61M + C_f * X25M - C_c * X43M);
    (*Vect7) = C_norm * (C_f * X07M + C_d * X61M + C_c * X25M + C_a * X43M);
}

__device__ void CUDAsubroutineInplaceIDCTvector(float *Vect, int Step)
{
    float Y0 = Vect[0], Y1 = Vect[Step], Y2 = Vect[2 * Step], Y3 = Vect[3 * Step];
    float Y4 = Vect[4 * Step], Y5 = Vect[5 * Step], Y6 = Vect[6 * Step], Y7 = Vect[7 * Step];

    float Y04P = Y0 + Y4;
    float Y04M = Y0 - Y4;
    float Y2b6eP = C_b * Y2 + C_e * Y6;
    float Y2e6bM = C_e * Y2 - C_b * Y6;

    float E0 = Y04P + Y2b6eP;
    float E1 = Y04M + Y2e6bM;
    float E2 = Y04M - Y2e6bM;
    float E3 = Y04P - Y2b6eP;

    float O0 = C_a * Y1 + C_c * Y3 + C_d * Y5 + C_f * Y7;
    float O1 = C_c * Y1 - C_f * Y3 - C_a * Y5 - C_d * Y7;
    float O2 = C_d * Y1 - C_a * Y3 + C_f * Y5 + C_c * Y7;
    float O3 = C_f * Y1 - C_d * Y3 + C_c * Y5 - C_a * Y7;

    Vect[0] = C_norm * (E0 + O0);
    Vect[7 * Step] = C_norm * (E0 - O0);
    Vect[1 * Step] = C_norm * (E1 + O1);
    Vect[6 * Step] = C_norm * (E1 - O1);
    Vect[2 * Step] = C_norm * (E2 + O2);
    Vect[5 * Step] = C_norm * (E2 - O2);
    Vect[3 * Step] = C_norm * (E3 + O3);
    Vect[4 * Step] = C_norm * (E3 - O3);
}

/* block: (8, KER2_BLOCKS_X, KER2_BLOCKS_Y) */
template <bool Inverse>
__global__ void CUDAkernel2Transform(float *dst, const float *src, int Width, int Height, int Stride)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ float block[KER2_HEIGHT * KER2_SMEMBLOCK_STRIDE];

    // column inside the tile, and the 8 rows that belong to this transform block
    const int col = threadIdx.y * BLOCK_SIZE + threadIdx.x;
    const int row0 = threadIdx.z * BLOCK_SIZE;
    const int gx = blockIdx.x * KER2_WIDTH + col;
    const int gy = blockIdx.y * KER2_HEIGHT + row0;
    const bool inside = gx < Width && gy < Height;

    if (inside) {
#pragma unroll
        for (int i = 0; i < BLOCK_SIZE; i++)
            block[(row0 + i) * KER2_SMEMBLOCK_STRIDE + col] = src[(gy + i) * Stride + gx];
    }
    cg::sync(cta);
    if (inside) {
        // row "threadIdx.x" of my transform block
        float *rowPtr = block + (row0 + threadIdx.x) * KER2_SMEMBLOCK_STRIDE + threadIdx.y * BLOCK_SIZE;
        if (Inverse)
            CUDAsubroutineInplaceIDCTvector(rowPtr, 1);
        else
            CUDAsubroutineInplaceDCTvector(rowPtr, 1);
    }
    cg::sync(cta);
    if (inside) {
        float *colPtr = block + row0 * KER2_SMEMBLOCK_STRIDE + col;
        if (Inverse)
            CUDAsubroutineInplaceIDCTvector(colPtr, KER2_SMEMBLOCK_STRIDE);
        else
            CUDAsubroutineInplaceDCTvector(colPtr, KER2_SMEMBLOCK_STRIDE);
        // no other thread touches my column after the row phase
#pragma unroll
        for (int i = 0; i < BLOCK_SIZE; i++)
            dst[(gy + i) * Stride + gx] = block[(row0 + i) * KER2_SMEMBLOCK_STRIDE + col];
    }
}

__global__ void CUDAkernelQuantizationFloat(float *SrcDst, int Stride)
{
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int idx = ((blockIdx.y << BLOCK_SIZE_LOG2) + ty) * Stride + (blockIdx.x << BLOCK_SIZE_LOG2) + tx;
    float curCoef = SrcDst[idx];
    float curQuant = (float)Q[(ty << BLOCK_SIZE_LOG2) + tx];
    SrcDst[idx] = rintf(curCoef / curQuant) * curQuant;
}

__global__ void squaredErrorKernel(const float *a, const float *b, double *result, int n)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    __shared__ double partial[32];

    double acc = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float d = a[i] - b[i];
        acc += (double)d * d;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        acc += tile32.shfl_down(acc, offset);
    if (tile32.thread_rank() == 0)
        partial[tile32.meta_group_rank()] = acc;
    cg::sync(cta);
    if (cta.thread_rank() == 0) {
        double s = 0.0;
        for (unsigned i = 0; i < tile32.meta_group_size(); i++)
            s += partial[i];
        atomicAdd(result, s);
    }
}

static void computeDCT8x8Gold(const float *src, float *dst, const float *C, int width, int height)
{
    for (int by = 0; by < height; by += 8)
        for (int bx = 0; bx < width; bx += 8) {
            float tmp[64];
            for (int u = 0; u < 8; u++)
                for (int x = 0; x < 8; x++) {
                    float s = 0;
                    for (int i = 0; i < 8; i++)
                        s += C[u * 8 + i] * src[(by + i) * width + bx + x];
                    tmp[u * 8 + x] = s;
                }
            for (int u = 0; u < 8; u++)
                for (int v = 0; v < 8; v++) {
                    float s = 0;
                    for (int i = 0; i < 8; i++)
                        s += tmp[u * 8 + i] * C[v * 8 + i];
                    dst[(by + u) * width + bx + v] = s;
                }
        }
}

static float maxAbsDiff(const float *a, const float *b, int n)
{
    float m = 0;
    for (int i = 0; i < n; i++) {
        float d = fabsf(a[i] - b[i]);
        if (d > m) m = d;
    }
    return m;
}

int main(int argc, char **argv)
{
    printf("%s Starting...\n\n", argv[0]);
    const int width = 1912, height = 1080; // 239 x 135 transform blocks: partial DCT2 tiles on both axes
    const int n = width * height;
    const size_t bytes = n * sizeof(float);

    float h_C[64];
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            h_C[u * 8 + x] = (float)((u == 0 ? sqrt(1.0 / 8.0) : 0.5) * cos((2 * x + 1) * u * M_PI / 16.0));
    checkCudaErrors(cudaMemcpyToSymbol(DCTv8matrix, h_C, sizeof(h_C)));
    checkCudaErrors(cudaMemcpyToSymbol(Q, h_Q, sizeof(h_Q)));

    float *h_img = (float *)malloc(bytes);
    float *h_gold = (float *)malloc(bytes);
    float *h_res = (float *)malloc(bytes);
    // synthetic picture: gradient + rings + checker texture, level shifted
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float dx = x - 0.4f * width, dy = y - 0.6f * height;
            float v = 60.0f + 80.0f * x / width + 40.0f * sinf(sqrtf(dx * dx + dy * dy) * 0.05f);
            if (((x >> 4) ^ (y >> 4)) & 1) v += 25.0f;
            h_img[y * width + x] = floorf(v) - 128.0f;
        }

    float *d_img, *d_dct1, *d_dct2, *d_rec;
    double *d_err;
    checkCudaErrors(cudaMalloc((void **)&d_img, bytes));
    checkCudaErrors(cudaMalloc((void **)&d_dct1, bytes));
    checkCudaErrors(cudaMalloc((void **)&d_dct2, bytes));
    checkCudaErrors(cudaMalloc((void **)&d_rec, bytes));
    checkCudaErrors(cudaMalloc((void **)&d_err, sizeof(double)));
    checkCudaErrors(cudaMemcpy(d_img, h_img, bytes, cudaMemcpyHostToDevice));

    dim3 threads(BLOCK_SIZE, BLOCK_SIZE);
    dim3 grid(width / BLOCK_SIZE, height / BLOCK_SIZE);
    dim3 threads2(BLOCK_SIZE, KER2_BLOCKS_X, KER2_BLOCKS_Y);
    dim3 grid2((width + KER2_WIDTH - 1) / KER2_WIDTH, (height + KER2_HEIGHT - 1) / KER2_HEIGHT);
    bool ok = true;

    computeDCT8x8Gold(h_img, h_gold, h_C, width, height);

    // method 1
    CUDAkernel1DCT<<<grid, threads>>>(d_dct1, d_img, width);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(h_res, d_dct1, bytes, cudaMemcpyDeviceToHost));
    float e1 = maxAbsDiff(h_res, h_gold, n);
    CUDAkernelQuantizationFloat<<<grid, threads>>>(d_dct1, width);
    checkCudaErrors(cudaGetLastError());
    CUDAkernel1IDCT<<<grid, threads>>>(d_rec, d_dct1, width);
    checkCudaErrors(cudaGetLastError());

    checkCudaErrors(cudaMemset(d_err, 0, sizeof(double)));
    squaredErrorKernel<<<216, 320>>>(d_img, d_rec, d_err, n);
    checkCudaErrors(cudaGetLastError());
    double h_err;
    checkCudaErrors(cudaMemcpy(&h_err, d_err, sizeof(double), cudaMemcpyDeviceToHost));
    double psnr = 10.0 * log10(255.0 * 255.0 / (h_err / n));
    printf("DCT1: max coefficient error %g, PSNR after quantization %.2f dB\n", e1, psnr);
    ok = ok && e1 < 1e-2f && psnr > 25.0;

    // method 2, forward and inverse without quantization must give the picture back
    CUDAkernel2Transform<false><<<grid2, threads2>>>(d_dct2, d_img, width, height, width);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(h_res, d_dct2, bytes, cudaMemcpyDeviceToHost));
    float e2 = maxAbsDiff(h_res, h_gold, n);
    CUDAkernel2Transform<true><<<grid2, threads2>>>(d_rec, d_dct2, width, height, width);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(h_res, d_rec, bytes, cudaMemcpyDeviceToHost));
    float e3 = maxAbsDiff(h_res, h_img, n);
    printf("DCT2: max coefficient error %g, max round trip error %g\n", e2, e3);
    ok = ok && e2 < 1e-2f && e3 < 1e-2f;

    checkCudaErrors(cudaFree(d_img));
    checkCudaErrors(cudaFree(d_dct1));
    checkCudaErrors(cudaFree(d_dct2));
    checkCudaErrors(cudaFree(d_rec));
    checkCudaErrors(cudaFree(d_err));
    free(h_img); free(h_gold); free(h_res);
    printf("\n%s\n", ok ? "Test passed" : "Test failed!");
    exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
}
