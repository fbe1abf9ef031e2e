// Groups of coalesced threads, partitions, scans; copies by groups, pipelines and barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
#define RESULT(k) out[threadIdx.x * 8 + (k)]

__global__ void coalesced(long long *out) {
    int t = threadIdx.x, v = t * t;
    for (int k = 0; k < 8; k++) RESULT(k) = -1;
    if (t % 3 != 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        RESULT(0) = active.size() + 100 * active.thread_rank();
        RESULT(1) = active.shfl(v, 5);
        RESULT(2) = active.shfl_up(v, 2);
        RESULT(3) = active.shfl_down(v, 3);
        RESULT(4) = cg::reduce(active, v, cg::plus<int>());
        RESULT(5) = cg::reduce(active, v % 37, cg::greater<int>());
        RESULT(6) = active.any(t == 6) + 2 * active.all(t < 32);
        RESULT(7) = cg::reduce(active, 0.5f * v, cg::plus<float>());
    }
}

__global__ void partitions(long long *out) {
    int t = threadIdx.x;
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group odd = cg::binary_partition(warp, t & 1);
    RESULT(0) = odd.size() + 100 * odd.thread_rank() + 10000 * cg::reduce(odd, t, cg::plus<int>());
    cg::coalesced_group same = cg::labeled_partition(warp, t % 5);
    RESULT(1) = same.size() + 100 * same.thread_rank() + 10000 * cg::reduce(same, t, cg::plus<int>());
    RESULT(2) = same.shfl(t, 0);
    RESULT(3) = cg::inclusive_scan(warp, t);
    RESULT(4) = cg::exclusive_scan(warp, t * 2);
    RESULT(5) = cg::inclusive_scan(warp, t % 7, cg::greater<int>());
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    RESULT(6) = cg::exclusive_scan(tile, t + 1);
    RESULT(7) = cg::inclusive_scan(tile, 1LL << (t & 31));
}

__device__ long long about(cg::thread_group g) {
    g.sync();
    return g.size() + 1000 * g.thread_rank();
}
__global__ void anyGroup(long long *out) {
    cg::thread_block block = cg::this_thread_block();
    RESULT(0) = about(block);
    RESULT(1) = about(cg::tiled_partition<16>(block));
    RESULT(2) = about(cg::tiled_partition(block, 4));
    RESULT(3) = -1;
    if (threadIdx.x % 4 == 2) RESULT(3) = about(cg::coalesced_threads());
    RESULT(4) = RESULT(5) = RESULT(6) = RESULT(7) = 0;
}

__device__ int source[512];
__global__ void copies(long long *out) {
    __shared__ __align__(16) int ints[64];
    __shared__ __align__(16) int4 quads[16];
    __shared__ int staged[2][64];
    int t = threadIdx.x;
    cg::thread_block block = cg::this_thread_block();
    for (int k = 0; k < 8; k++) source[t * 8 + k] = 3 * (t * 8 + k) + 1;
    block.sync();
    cg::memcpy_async(block, ints, source, sizeof(ints));
    cg::memcpy_async(block, quads, (int4 *)source + 16, cuda::aligned_size_t<16>(sizeof(quads)));
    cg::wait(block);
    RESULT(0) = ints[63 - t];
    RESULT(1) = quads[t % 16].z;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const auto shape = cuda::aligned_size_t<alignof(int)>(sizeof(int));
    for (int stage = 0; stage < 2; stage++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&staged[stage][t], &source[t + 64 * stage], shape, pipe);
        pipe.producer_commit();
    }
    for (int stage = 0; stage < 2; stage++) {
        pipe.consumer_wait();
        __syncthreads();
        RESULT(2 + stage) = staged[stage][t ^ 5];
        pipe.consumer_release();
    }
    RESULT(4) = RESULT(5) = RESULT(6) = RESULT(7) = 0;
}

__global__ void barriers(long long *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    s[t] = t * 7;
    auto token = bar.arrive();
    bar.wait(std::move(token));
    RESULT(0) = s[63 - t];
    bar.arrive_and_wait();
    s[t] = t * 11;
    bar.arrive_and_wait();
    RESULT(1) = s[t ^ 33];
    RESULT(2) = RESULT(3) = RESULT(4) = RESULT(5) = RESULT(6) = RESULT(7) = 0;
}

__global__ void bits(long long *out) {
    unsigned t = threadIdx.x, high, sum;
    asm("bfind.u32 %0, %1;" : "=r"(high) : "r"(t * t * 977));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(t * 0x01030507u), "r"(0x80402010u), "r"(t));
    RESULT(0) = high;
    RESULT(1) = sum;
    int *own = new int[t + 1];
    own[t] = t * 5;
    RESULT(2) = own[t];
    delete[] own;
    RESULT(3) = RESULT(4) = RESULT(5) = RESULT(6) = RESULT(7) = 0;
}
