/*
    Parallel reduction

    This sample shows how to perform a sum reduction on an array of values to
    produce a single value, going from a simple shared memory tree to warp
    shuffles, cooperative groups, a single pass version that uses
    __threadfence() and a single pass version with a grid wide barrier.

    Options: --n=<number of elements> --threads=<64..512, power of two>
*/
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#define checkCudaErrors(call)                                                              \
    do {                                                                                   \
        cudaError_t err = call;                                                            \
        if (err != cudaSuccess) {                                                          \
            fprintf(stderr, "CUDA error in file '%s' in line %i : %s.\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
            exit(EXIT_FAILURE);                                                            \
        }                                                                                  \
    } while (0)

#define MIN(x, y) ((x < y) ? x : y)

// Utility class used to avoid linker errors with extern
// unsized shared memory arrays with templated type
template <class T> struct SharedMemory
{
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
    __device__ inline operator const T *() const
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};
template <> struct SharedMemory<double>
{
    __device__ inline operator double *()
    {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};

/* interleaved addressing, divergent warps and the slow % operator */
template <class T> __global__ void reduce0(const T *g_idata, T *g_odata, unsigned int n)
{
    cg::thread_block cta = cg::this_thread_block();
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    cg::sync(cta);

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if ((tid % (2 * s)) == 0)
            sdata[tid] += sdata[tid + s];
        cg::sync(cta);
    }
    if (tid == 0)
        g_odata[blockIdx.x] = sdata[0];
}

/* sequential addressing, first add during the load from global memory */
template <class T> __global__ void reduce3(const T *g_idata, T *g_odata, unsigned int n)
{
    cg::thread_block cta = cg::this_thread_block();
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

    T mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockDim.x < n)
        mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    cg::sync(cta);

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] = mySum = mySum + sdata[tid + s];
        cg::sync(cta);
    }
    if (tid == 0)
        g_odata[blockIdx.x] = mySum;
}

/* multiple elements per thread, completely unrolled, warp shuffle at the end */
template <class T, unsigned int blockSize, bool nIsPow2> __global__ void reduce6(const T *g_idata, T *g_odata, unsigned int n)
{
    cg::thread_block cta = cg::this_thread_block();
    T *sdata = SharedMemory<T>();

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;

    T mySum = 0;
    while (i < n) {
        mySum += g_idata[i];
        if (nIsPow2 || i + blockSize < n)
            mySum += g_idata[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = mySum;
    cg::sync(cta);

    if ((blockSize >= 512) && (tid < 256))
        sdata[tid] = mySum = mySum + sdata[tid + 256];
    cg::sync(cta);
    if ((blockSize >= 256) && (tid < 128))
        sdata[tid] = mySum = mySum + sdata[tid + 128];
    cg::sync(cta);
    if ((blockSize >= 128) && (tid < 64))
        sdata[tid] = mySum = mySum + sdata[tid + 64];
    cg::sync(cta);

    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    if (cta.thread_rank() < 32) {
        if (blockSize >= 64)
            mySum += sdata[tid + 32];
        for (int offset = tile32.size() / 2; offset > 0; offset /= 2)
            mySum += tile32.shfl_down(mySum, offset);
    }
    if (cta.thread_rank() == 0)
        g_odata[blockIdx.x] = mySum;
}

/* cooperative groups collective */
template <class T> __global__ void cg_reduce(const T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();
    cg::thread_block cta = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(cta);
    unsigned int ctaSize = cta.size();
    unsigned int numCtas = gridDim.x;
    unsigned int threadRank = cta.thread_rank();
    unsigned int threadIndex = (blockIdx.x * ctaSize) + threadRank;

    T threadVal = 0;
    for (unsigned int i = threadIndex; i < n; i += numCtas * ctaSize)
        threadVal += g_idata[i];
    sdata[threadRank] = threadVal;
    cg::sync(cta);

    T warpVal = cg::reduce(tile, sdata[threadRank], cg::plus<T>());
    cg::sync(cta);
    if (tile.thread_rank() == 0)
        sdata[tile.meta_group_rank()] = warpVal;
    cg::sync(cta);
    if (threadRank == 0) {
        T total = 0;
        for (unsigned int w = 0; w < tile.meta_group_size(); w++)
            total += sdata[w];
        g_odata[blockIdx.x] = total;
    }
}

__device__ unsigned int retirementCount = 0;

template <unsigned int blockSize> __device__ float blockTreeSum(float mySum, float *sdata, unsigned int tid)
{
    sdata[tid] = mySum;
    __syncthreads();
#pragma unroll
    for (unsigned int s = blockSize / 2; s >= 32; s >>= 1) {
        if (tid < s)
            sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32)
        for (int offset = 16; offset > 0; offset >>= 1)
            mySum += __shfl_down_sync(0xffffffff, mySum, offset);
    return mySum;
}

/* last block to finish sums the partial results of all blocks */
template <unsigned int blockSize> __global__ void reduceSinglePass(const float *g_idata, float *g_odata, unsigned int n)
{
    __shared__ float sdata[blockSize];
    __shared__ bool amLast;
    const unsigned int tid = threadIdx.x;

    float s = 0.0f;
    for (unsigned int i = blockIdx.x * blockSize + tid; i < n; i += blockSize * gridDim.x)
        s += g_idata[i];
    s = blockTreeSum<blockSize>(s, sdata, tid);
    if (tid == 0)
        g_odata[blockIdx.x] = s;

    if (gridDim.x > 1) {
        // wait until all outstanding memory instructions in this thread are finished
        __threadfence();
        if (tid == 0) {
            unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
            amLast = (ticket == gridDim.x - 1);
        }
        __syncthreads();
        if (amLast) {
            volatile float *partial = g_odata;
            float mySum = 0.0f;
            for (unsigned int i = tid; i < gridDim.x; i += blockSize)
                mySum += partial[i];
            __syncthreads();
            mySum = blockTreeSum<blockSize>(mySum, sdata, tid);
            if (tid == 0) {
                g_odata[0] = mySum;
                retirementCount = 0; // reset so that the next run succeeds
            }
        }
    }
}

/* grid wide barrier instead of the ticket */
__global__ void reduceSinglePassMultiBlockCG(const float *g_idata, double *g_odata, unsigned int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    extern __shared__ double sdataD[];

    double mine = 0.0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        mine += g_idata[i];
    auto tile32 = cg::tiled_partition<32>(block);
    mine = cg::reduce(tile32, mine, cg::plus<double>());
    if (tile32.thread_rank() == 0)
        sdataD[tile32.meta_group_rank()] = mine;
    cg::sync(block);
    if (block.thread_rank() == 0) {
        double s = 0.0;
        for (unsigned int w = 0; w < tile32.meta_group_size(); w++)
            s += sdataD[w];
        g_odata[blockIdx.x] = s;
    }
    cg::sync(grid);
    if (grid.thread_rank() == 0) {
        for (unsigned int b = 1; b < gridDim.x; b++)
            g_odata[0] += g_odata[b];
    }
}

template <class T> double reduceCPU(const T *data, int size)
{
    double sum = 0.0, c = 0.0; // Kahan
    for (int i = 0; i < size; i++) {
        double y = (double)data[i] - c;
        double t = sum + y;
        c = (t - sum) - y;
        sum = t;
    }
    return sum;
}

static bool report(const char *name, double gpu, double cpu, double tol)
{
    bool pass = fabs(gpu - cpu) <= tol;
    printf("%-30s GPU %.6f  CPU %.6f  %s\n", name, gpu, cpu, pass ? "PASS" : "FAIL");
    return pass;
}

int main(int argc, char **argv)
{
    unsigned int n = 3300000;
    int threads = 256;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--n=", 4)) n = atoi(argv[i] + 4);
        if (!strncmp(argv[i], "--threads=", 10)) threads = atoi(argv[i] + 10);
    }
    if (threads < 64 || threads > 512 || (threads & (threads - 1))) {
        printf("bad number of threads\n");
        return EXIT_FAILURE;
    }

    cudaDeviceProp prop;
    int dev = 0;
    checkCudaErrors(cudaGetDevice(&dev));
    checkCudaErrors(cudaGetDeviceProperties(&prop, dev));
    printf("Using Device %d: %s\n%u elements, %d threads (max)\n\n", dev, prop.name, n, threads);

    int *h_int = (int *)malloc(n * sizeof(int));
    float *h_flt = (float *)malloc(n * sizeof(float));
    double *h_dbl = (double *)malloc(n * sizeof(double));
    for (unsigned int i = 0; i < n; i++) {
        // Keep the numbers small so we don't get truncation error in the sum
        h_int[i] = (int)(rand() & 0xFF);
        h_flt[i] = (rand() & 0xFF) / (float)RAND_MAX * 1e6f;
        h_dbl[i] = (rand() & 0xFF) / (double)RAND_MAX;
    }
    double cpuInt = reduceCPU(h_int, n), cpuFlt = reduceCPU(h_flt, n), cpuDbl = reduceCPU(h_dbl, n);

    int blocks0 = (n + threads - 1) / threads;
    int *d_int, *d_iout, *d_iout2;
    float *d_flt, *d_fout;
    double *d_dbl, *d_dout;
    checkCudaErrors(cudaMalloc(&d_int, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_iout, blocks0 * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_iout2, blocks0 * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_flt, n * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_fout, 1024 * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_dbl, n * sizeof(double)));
    checkCudaErrors(cudaMalloc(&d_dout, 1024 * sizeof(double)));
    checkCudaErrors(cudaMemcpy(d_int, h_int, n * sizeof(int), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_flt, h_flt, n * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_dbl, h_dbl, n * sizeof(double), cudaMemcpyHostToDevice));

    int *h_part = (int *)malloc(blocks0 * sizeof(int));
    bool ok = true;

    // reduce0: block sums, finished on the CPU
    reduce0<int><<<blocks0, threads, threads * sizeof(int)>>>(d_int, d_iout, n);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(h_part, d_iout, blocks0 * sizeof(int), cudaMemcpyDeviceToHost));
    ok &= report("reduce0<int>", reduceCPU(h_part, blocks0), cpuInt, 0.0);

    // reduce3 followed by a second level on the GPU
    int blocks3 = (n + threads * 2 - 1) / (threads * 2);
    reduce3<int><<<blocks3, threads, threads * sizeof(int)>>>(d_int, d_iout, n);
    checkCudaErrors(cudaGetLastError());
    reduce6<int, 128, false><<<1, 128, 128 * sizeof(int)>>>(d_iout, d_iout2, blocks3);
    checkCudaErrors(cudaGetLastError());
    int gpuInt;
    checkCudaErrors(cudaMemcpy(&gpuInt, d_iout2, sizeof(int), cudaMemcpyDeviceToHost));
    ok &= report("reduce3<int> + reduce6<int>", gpuInt, cpuInt, 0.0);

    // reduce6 float
    int blocks6 = MIN(prop.multiProcessorCount * 2, 1024);
    float h_f[1024];
    reduce6<float, 512, false><<<blocks6, 512, 512 * sizeof(float)>>>(d_flt, d_fout, n);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(h_f, d_fout, blocks6 * sizeof(float), cudaMemcpyDeviceToHost));
    ok &= report("reduce6<float>", reduceCPU(h_f, blocks6), cpuFlt, 1e-5 * cpuFlt);

    // cooperative groups, double
    double h_d[300];
    cg_reduce<double><<<300, 160, 160 * sizeof(double)>>>(d_dbl, d_dout, n);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(h_d, d_dout, 300 * sizeof(double), cudaMemcpyDeviceToHost));
    ok &= report("cg_reduce<double>", reduceCPU(h_d, 300), cpuDbl, 1e-9 * (cpuDbl + 1.0));

    // single pass, threadfence
    float gpuFlt;
    reduceSinglePass<128><<<450, 128>>>(d_flt, d_fout, n);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(&gpuFlt, d_fout, sizeof(float), cudaMemcpyDeviceToHost));
    ok &= report("reduceSinglePass", gpuFlt, cpuFlt, 1e-5 * cpuFlt);

    // single pass, grid sync
    if (prop.cooperativeLaunch) {
        int perSm = 0, cthreads = 384;
        size_t smem = (cthreads / 32) * sizeof(double);
        checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, reduceSinglePassMultiBlockCG, cthreads, smem));
        int cblocks = MIN(perSm * prop.multiProcessorCount, prop.multiProcessorCount);
        void *kernelArgs[] = {(void *)&d_flt, (void *)&d_dout, (void *)&n};
        checkCudaErrors(cudaLaunchCooperativeKernel((void *)reduceSinglePassMultiBlockCG, dim3(cblocks), dim3(cthreads), kernelArgs, smem, 0));
        double gpuD;
        checkCudaErrors(cudaMemcpy(&gpuD, d_dout, sizeof(double), cudaMemcpyDeviceToHost));
        ok &= report("reduceSinglePassMultiBlockCG", gpuD, cpuFlt, 1e-9 * cpuFlt);
    }

    cudaFree(d_int); cudaFree(d_iout); cudaFree(d_iout2); cudaFree(d_flt); cudaFree(d_fout); cudaFree(d_dbl); cudaFree(d_dout);
    free(h_int); free(h_flt); free(h_dbl); free(h_part);
    printf("\n%s\n", ok ? "Test passed" : "Test failed!");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
