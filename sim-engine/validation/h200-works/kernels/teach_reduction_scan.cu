// Parallel reduction (following the well known seven optimisation steps), scans, compaction and segmented sums
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define CHECK(call) \
{ \
    const cudaError_t error = call; \
    if (error != cudaSuccess) { \
        fprintf(stderr, "Error: %s:%d, ", __FILE__, __LINE__); \
        fprintf(stderr, "code: %d, reason: %s\n", error, cudaGetErrorString(error)); \
        exit(1); \
    } \
}

// 0: interleaved addressing with divergent branches
__global__ void reduce0(const int *g_idata, int *g_odata, unsigned n) {
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if ((tid % (2 * s)) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
// 1: interleaved with strided index (bank conflicts)
__global__ void reduce1(const int *g_idata, int *g_odata, unsigned n) {
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned index = 2 * s * tid;
        if (index < blockDim.x) sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
// 3: first add during load, sequential addressing
__global__ void reduce3(const int *g_idata, int *g_odata, unsigned n) {
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    int mySum = i < n ? g_idata[i] : 0;
    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}
// 6: multiple elements per thread, fully unrolled + last warp by shuffles
template <unsigned blockSize>
__global__ void reduce6(const int *__restrict__ g_idata, int *__restrict__ g_odata, unsigned n) {
    __shared__ int sdata[blockSize];
    cg::thread_block cta = cg::this_thread_block();
    unsigned tid = threadIdx.x;
    unsigned gridSize = blockSize * 2 * gridDim.x;
    int mySum = 0;
    for (unsigned i = blockIdx.x * blockSize * 2 + tid; i < n; i += gridSize) {
        mySum += g_idata[i];
        if (i + blockSize < n) mySum += g_idata[i + blockSize];
    }
    sdata[tid] = mySum;
    cg::sync(cta);
    if (blockSize >= 512) { if (tid < 256) sdata[tid] = mySum = mySum + sdata[tid + 256]; cg::sync(cta); }
    if (blockSize >= 256) { if (tid < 128) sdata[tid] = mySum = mySum + sdata[tid + 128]; cg::sync(cta); }
    if (blockSize >= 128) { if (tid < 64) sdata[tid] = mySum = mySum + sdata[tid + 64]; cg::sync(cta); }
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    if (tid < 32) {
        if (blockSize >= 64) mySum += sdata[tid + 32];
        for (int offset = tile32.size() / 2; offset > 0; offset /= 2) mySum += tile32.shfl_down(mySum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

// Hillis-Steele inclusive scan per block with double buffer
__global__ void hillisSteele(const int *in, int *out, int *blockSums, int n) {
    extern __shared__ int temp[];
    int tid = threadIdx.x, bs = blockDim.x;
    int gid = blockIdx.x * bs + tid;
    int pout = 0, pin = 1;
    temp[tid] = gid < n ? in[gid] : 0;
    __syncthreads();
    for (int offset = 1; offset < bs; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset) temp[pout * bs + tid] = temp[pin * bs + tid] + temp[pin * bs + tid - offset];
        else temp[pout * bs + tid] = temp[pin * bs + tid];
        __syncthreads();
    }
    if (gid < n) out[gid] = temp[pout * bs + tid];
    if (tid == bs - 1) blockSums[blockIdx.x] = temp[pout * bs + tid];
}

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
// Blelloch exclusive scan, two elements per thread, ELEMS = 2 * blockDim
template <int ELEMS>
__global__ void blelloch(const int *in, int *out, int *blockSums) {
    __shared__ int temp[ELEMS + (ELEMS >> LOG_NUM_BANKS)];
    int thid = threadIdx.x;
    const int *src = in + (size_t)blockIdx.x * ELEMS;
    int ai = thid, bi = thid + ELEMS / 2;
    temp[ai + CONFLICT_FREE_OFFSET(ai)] = src[ai];
    temp[bi + CONFLICT_FREE_OFFSET(bi)] = src[bi];
    int offset = 1;
    for (int d = ELEMS >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1;
            int b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (thid == 0) {
        int last = ELEMS - 1 + CONFLICT_FREE_OFFSET(ELEMS - 1);
        blockSums[blockIdx.x] = temp[last];
        temp[last] = 0;
    }
    for (int d = 1; d < ELEMS; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1;
            int b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            int t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    out[(size_t)blockIdx.x * ELEMS + ai] = temp[ai + CONFLICT_FREE_OFFSET(ai)];
    out[(size_t)blockIdx.x * ELEMS + bi] = temp[bi + CONFLICT_FREE_OFFSET(bi)];
}

// stream compaction, warp aggregated atomics (order not preserved)
__global__ void compactAggregated(const int *src, int *dst, int *counter, int n, int threshold) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = src[i];
        if (v > threshold) {
            cg::coalesced_group active = cg::coalesced_threads();
            int base = 0;
            if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
            base = active.shfl(base, 0);
            dst[base + active.thread_rank()] = v;
        }
    }
}

// segmented sums, CSR style offsets, one warp per segment
__global__ void segmentedSumWarp(const int *data, const int *offsets, int *sums, int nseg) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (warp >= nseg) return;
    int s = 0;
    for (int i = offsets[warp] + lane; i < offsets[warp + 1]; i += 32) s += data[i];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) sums[warp] = s;
}

int main() {
    const unsigned n = 1u << 22;
    std::vector<int> h(n);
    srand(5);
    for (unsigned i = 0; i < n; i++) h[i] = rand() & 0xFF;
    std::vector<int> off(1, 0);
    while (off.back() < (int)n) {
        int len = 1 + rand() % 200;
        if (rand() % 500 == 0) len *= 50;
        off.push_back(off.back() + len > (int)n ? (int)n : off.back() + len);
    }
    int nseg = (int)off.size() - 1;
    int *in, *out, *part, *counter, *d_off, *sums;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMalloc(&part, (n / 128) * sizeof(int)));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMalloc(&d_off, off.size() * sizeof(int)));
    CHECK(cudaMalloc(&sums, nseg * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_off, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counter, 0, sizeof(int)));

    const int threads = 256;
    long long check = 0;
    std::vector<int> hp(n / 128);
    auto add_parts = [&](int blocks) {
        CHECK(cudaMemcpy(hp.data(), part, blocks * sizeof(int), cudaMemcpyDeviceToHost));
        long long s = 0;
        for (int i = 0; i < blocks; i++) s += hp[i];
        printf("partial sum over %d blocks: %lld\n", blocks, s);
        check += s;
    };
    reduce0<<<n / threads, threads, threads * sizeof(int)>>>(in, part, n);
    add_parts(n / threads);
    reduce1<<<n / threads, threads, threads * sizeof(int)>>>(in, part, n);
    add_parts(n / threads);
    reduce3<<<n / threads / 2, threads, threads * sizeof(int)>>>(in, part, n);
    add_parts(n / threads / 2);
    reduce6<512><<<264, 512>>>(in, part, n);
    add_parts(264);
    hillisSteele<<<n / 512, 512, 2 * 512 * sizeof(int)>>>(in, out, part, n);
    add_parts(n / 512);
    blelloch<1024><<<n / 1024, 512>>>(in, out, part);
    add_parts(n / 1024);
    compactAggregated<<<528, 256>>>(in, out, counter, n, 191);
    segmentedSumWarp<<<(nseg * 32 + 127) / 128, 128>>>(in, d_off, sums, nseg);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int cnt;
    CHECK(cudaMemcpy(&cnt, counter, sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> hs(nseg);
    CHECK(cudaMemcpy(hs.data(), sums, nseg * sizeof(int), cudaMemcpyDeviceToHost));
    for (int s : hs) check += s;
    printf("checksum %lld, kept %d of %u\n", check, cnt, n);
    return 0;
}
