// Shuffles, votes, shared memory, atomics, cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#define RESULT(k) out[threadIdx.x * 8 + (k)]

__global__ void shuffles(long long *out) {
    int t = threadIdx.x, v = t * t;
    RESULT(0) = __shfl_sync(0xffffffff, v, (t + 5) & 31);
    RESULT(1) = __shfl_up_sync(0xffffffff, v, 3);
    RESULT(2) = __shfl_down_sync(0xffffffff, v, 2, 8);
    RESULT(3) = __shfl_xor_sync(0xffffffff, v, 7);
    RESULT(4) = __shfl_xor_sync(0xffffffff, (long long)v << 33, 16);
    RESULT(5) = __double_as_longlong(__shfl_down_sync(0xffffffff, 0.5 * t, 1));
    RESULT(6) = __float_as_int(__shfl_sync(0xffffffff, 1.5f * t, 3, 16));
    int width = 8 << (t >> 5);
    RESULT(7) = __shfl_up_sync(0xffffffff, v, 2, width) + 10000 * __shfl_sync(0xffffffff, v, 9, width) + 100000000LL * __shfl_xor_sync(0xffffffff, t, 5, width);
}

__global__ void votes(long long *out) {
    int t = threadIdx.x;
    RESULT(0) = __ballot_sync(0xffffffff, t % 3 == 0);
    RESULT(1) = __any_sync(0xffffffff, t == 40) + 2 * __all_sync(0xffffffff, t < 32);
    RESULT(2) = __match_any_sync(0xffffffff, t % 5);
    RESULT(3) = __reduce_add_sync(0xffffffff, t) + 1000000LL * __reduce_max_sync(0xffffffff, t % 20);
    RESULT(4) = __syncthreads_count(t % 4 == 1) + 1000 * __syncthreads_or(t == 63) + 10000 * __syncthreads_and(t < 64);
    if (t % 2) RESULT(5) = __activemask(); else RESULT(5) = 0;
    RESULT(6) = __popc(__ballot_sync(0xffffffff, t & 2));
    RESULT(7) = warpSize;
}

__device__ int globalCounter = 5;
__device__ float globalTable[4] = {1.5f, 2.5f, 3.5f};
__constant__ int weights[2][2] = {{1, 2}, {3, 4}};

__global__ void atomics(long long *out) {
    __shared__ int sum, most;
    __shared__ unsigned bins[8];
    __shared__ unsigned long long wide;
    __shared__ float total;
    int t = threadIdx.x;
    if (t == 0) { sum = 0; most = -100; wide = 1ull << 40; total = 0; }
    if (t < 8) bins[t] = 0;
    __syncthreads();
    atomicAdd(&sum, t);
    atomicMax(&most, t % 50 - 20);
    atomicAdd(&bins[t % 8], 1u);
    atomicAdd(&wide, (unsigned long long)t);
    atomicAdd(&total, 0.5f);
    atomicOr(&bins[7], 0x100u);
    __syncthreads();
    RESULT(0) = sum; RESULT(1) = most; RESULT(2) = bins[t % 8]; RESULT(3) = wide; RESULT(4) = total;
    __syncthreads();
    if (t == 33) { int old = atomicExch(&sum, 9); old += atomicCAS(&most, 29, 77); most += old; }
    __syncthreads();
    RESULT(5) = sum * 100000 + most;
    RESULT(6) = globalCounter + globalTable[t & 3] * 2;
    RESULT(7) = weights[t & 1][(t >> 1) & 1];
}

template <typename T, int N> __device__ T blockSum(T v) {
    __shared__ T parts[N / 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    T s = 0;
    for (int i = 0; i < N / 32; ++i) s += parts[i];
    __syncthreads();
    return s;
}

__global__ void blockSums(long long *out) {
    int t = threadIdx.x;
    RESULT(0) = blockSum<int, 64>(t);
    RESULT(1) = blockSum<double, 64>(t * 0.5) * 4;
    RESULT(2) = blockSum<int, 64>(1);
    __shared__ int scan[2][64];
    int in = 0;
    scan[0][t] = t;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        scan[1 - in][t] = scan[in][t] + (t >= d ? scan[in][t - d] : 0);
        in = 1 - in;
        __syncthreads();
    }
    RESULT(3) = scan[in][t];
    extern __shared__ unsigned char raw[];
    int *ints = (int *)raw;
    float *floats = (float *)(raw + 64 * sizeof(int));
    ints[t] = t * 3; floats[63 - t] = t;
    __syncthreads();
    RESULT(4) = ints[(t + 1) & 63]; RESULT(5) = floats[t]; RESULT(6) = ((short *)ints)[2]; RESULT(7) = 0;
}

__global__ void groups(long long *out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = block.thread_rank();
    RESULT(0) = tile.thread_rank() + 100 * tile.size() + 100000 * tile.meta_group_rank();
    RESULT(1) = tile.shfl_down(t, 4);
    int v = t;
    for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_xor(v, o);
    RESULT(2) = v;
    RESULT(3) = tile.ballot(t & 1);
    RESULT(4) = tile.any(t == 20) + 2 * tile.all(t > 15);
    RESULT(5) = cg::reduce(tile, t, cg::plus<int>());
    RESULT(6) = cg::reduce(tile, t % 13, cg::greater<int>());
    block.sync();
    RESULT(7) = block.size() + block.group_index().x + block.thread_index().x;
}
