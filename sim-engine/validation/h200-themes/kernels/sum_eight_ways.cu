// Eight ways to sum an array -- lecture 5 handout.
// Each step improves on the previous one. All kernels produce partial sums
// (or a final sum) which the host compares with a reference.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t e_ = (call);                                             \
        if (e_ != cudaSuccess) {                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,               \
                    cudaGetErrorString(e_));                                 \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)

constexpr int kThreads = 256;

// Step 1: interleaved addressing with divergent branch
__global__ void reduce1_interleaved(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = (i < n) ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 2: strided index, no divergence, but bank conflicts
__global__ void reduce2_strided_index(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = (i < n) ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned index = 2 * s * tid;
        if (index < blockDim.x)
            sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 3: sequential addressing
__global__ void reduce3_sequential(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = (i < n) ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 4: first add during load
__global__ void reduce4_first_add(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + tid;
    int v = 0;
    if (i < n) v = in[i];
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    sdata[tid] = v;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] = v = v + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = v;
}

// Step 5: unroll the last warp (with explicit __syncwarp, volatile is not enough)
__device__ void warpTail(int *s, unsigned t)
{
    int v = s[t];
    v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 8];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 4];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 2];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 1];  __syncwarp(); s[t] = v;
}

__global__ void reduce5_unroll_warp(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + tid;
    int v = 0;
    if (i < n) v = in[i];
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    sdata[tid] = v;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) warpTail(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 6: complete unrolling with a template, several elements per thread
template <unsigned BS>
__global__ void reduce6_template(const int *in, int *out, unsigned n)
{
    __shared__ int sdata[BS];
    const unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (BS * 2) + tid;
    const unsigned grid = BS * 2 * gridDim.x;
    int v = 0;
    while (i < n) {
        v += in[i];
        if (i + BS < n) v += in[i + BS];
        i += grid;
    }
    sdata[tid] = v;
    __syncthreads();
    if (BS >= 1024) { if (tid < 512) sdata[tid] += sdata[tid + 512]; __syncthreads(); }
    if (BS >= 512)  { if (tid < 256) sdata[tid] += sdata[tid + 256]; __syncthreads(); }
    if (BS >= 256)  { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
    if (BS >= 128)  { if (tid < 64)  sdata[tid] += sdata[tid + 64];  __syncthreads(); }
    if (tid < 32) warpTail(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 7: shuffles + one atomic per block
__global__ void reduce7_shuffle_atomic(const int *__restrict__ in, int *total, unsigned n)
{
    __shared__ int warpSums[32];
    int v = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    const unsigned lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    if (lane == 0) warpSums[w] = v;
    __syncthreads();
    if (w == 0) {
        v = lane < blockDim.x / 32 ? warpSums[lane] : 0;
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
        if (lane == 0) atomicAdd(total, v);
    }
}

// Step 8: one cooperative launch, int4 loads, grid-wide barrier
__global__ void reduce8_coop_grid(const int4 *__restrict__ in4, int *partial, int *total, unsigned n4)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ int ws[32];

    int v = 0;
    for (unsigned i = (unsigned)grid.thread_rank(); i < n4; i += (unsigned)grid.size()) {
        int4 q = in4[i];
        v += q.x + q.y + q.z + q.w;
    }
    for (int o = warp.size() / 2; o > 0; o /= 2) v += warp.shfl_down(v, o);
    if (warp.thread_rank() == 0) ws[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < warp.meta_group_size() ? ws[warp.thread_rank()] : 0;
        for (int o = 16; o > 0; o /= 2) v += warp.shfl_down(v, o);
        if (warp.thread_rank() == 0) partial[blockIdx.x] = v;
    }
    grid.sync();
    if (blockIdx.x == 0) {
        v = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) v += partial[i];
        for (int o = 16; o > 0; o /= 2) v += warp.shfl_down(v, o);
        if (warp.thread_rank() == 0) ws[warp.meta_group_rank()] = v;
        block.sync();
        if (threadIdx.x == 0) {
            int s = 0;
            for (unsigned k = 0; k < warp.meta_group_size(); ++k) s += ws[k];
            *total = s;
        }
    }
}

static int finish(const int *dPartial, int count)
{
    std::vector<int> h(count);
    CHECK(cudaMemcpy(h.data(), dPartial, count * sizeof(int), cudaMemcpyDeviceToHost));
    int s = 0;
    for (int x : h) s += x;
    return s;
}

int main()
{
    const unsigned n = (1u << 24);
    std::vector<int> h(n);
    int ref = 0;
    for (unsigned i = 0; i < n; ++i) {
        h[i] = (int)((i * 2654435761u) >> 28) - 3;
        ref += h[i];
    }
    int *dIn, *dOut;
    const int blocks1 = (n + kThreads - 1) / kThreads;
    CHECK(cudaMalloc(&dIn, n * sizeof(int)));
    CHECK(cudaMalloc(&dOut, (blocks1 + 1) * sizeof(int)));
    CHECK(cudaMemcpy(dIn, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    const size_t sm = kThreads * sizeof(int);
    auto report = [&](const char *name, int got) {
        CHECK(cudaGetLastError());
        printf("%-24s %12d  %s\n", name, got, got == ref ? "ok" : "WRONG");
    };

    reduce1_interleaved<<<blocks1, kThreads, sm>>>(dIn, dOut, n);
    report("interleaved", finish(dOut, blocks1));
    reduce2_strided_index<<<blocks1, kThreads, sm>>>(dIn, dOut, n);
    report("strided index", finish(dOut, blocks1));
    reduce3_sequential<<<blocks1, kThreads, sm>>>(dIn, dOut, n);
    report("sequential", finish(dOut, blocks1));
    reduce4_first_add<<<blocks1 / 2, kThreads, sm>>>(dIn, dOut, n);
    report("first add", finish(dOut, blocks1 / 2));
    reduce5_unroll_warp<<<blocks1 / 2, kThreads, sm>>>(dIn, dOut, n);
    report("unroll warp", finish(dOut, blocks1 / 2));
    reduce6_template<512><<<1024, 512>>>(dIn, dOut, n);
    report("template", finish(dOut, 1024));

    CHECK(cudaMemset(dOut, 0, sizeof(int)));
    reduce7_shuffle_atomic<<<2048, kThreads>>>(dIn, dOut, n);
    report("shuffle+atomic", finish(dOut, 1));

    int dev = 0, sms = 0, perSm = 0;
    CHECK(cudaGetDevice(&dev));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, reduce8_coop_grid, kThreads, 0));
    if (perSm > 4) perSm = 4;
    int gridBlocks = sms * perSm;
    const int4 *in4 = reinterpret_cast<const int4 *>(dIn);
    int *total = dOut + blocks1;
    unsigned n4 = n / 4;
    void *args[] = {&in4, &dOut, &total, &n4};
    CHECK(cudaLaunchCooperativeKernel((void *)reduce8_coop_grid, dim3(gridBlocks), dim3(kThreads), args, 0, 0));
    report("cooperative grid", finish(total, 1));

    CHECK(cudaFree(dIn));
    CHECK(cudaFree(dOut));
    return 0;
}
