// Atomics under different contention: histograms, compaction counters, min/max, hash table, last block.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

static void HandleError(cudaError_t err, const char *file, int line) {
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

// 16 bins straight in global memory: worst contention
__global__ void histo16_global(const unsigned char *buffer, long size, unsigned int *histo) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&histo[buffer[i] & 15], 1u);
        i += stride;
    }
}

// 256 bins in shared memory, one per block (the book's version, with 4-byte loads)
__global__ void histo256_shared(const uchar4 *buffer, long size4, unsigned int *histo) {
    __shared__ unsigned int temp[256];
    temp[threadIdx.x] = 0;
    __syncthreads();
    long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    long offset = (long)blockDim.x * gridDim.x;
    while (i < size4) {
        uchar4 v = buffer[i];
        atomicAdd(&temp[v.x], 1u);
        atomicAdd(&temp[v.y], 1u);
        atomicAdd(&temp[v.z], 1u);
        atomicAdd(&temp[v.w], 1u);
        i += offset;
    }
    __syncthreads();
    atomicAdd(&histo[threadIdx.x], temp[threadIdx.x]);
}

// 16 bins privatised per thread in registers packed as bytes-in-shared columns, then reduced
template <int BINS, int THREADS>
__global__ void histo_private_columns(const uint4 *__restrict__ data, int n16, unsigned *__restrict__ histo) {
    __shared__ unsigned cnt[BINS][THREADS];      // one column per thread: no atomics at all
    const int t = threadIdx.x;
#pragma unroll
    for (int b = 0; b < BINS; ++b) cnt[b][t] = 0;
    for (int i = blockIdx.x * THREADS + t; i < n16; i += gridDim.x * THREADS) {
        uint4 v = data[i];
        unsigned w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; ++k)
#pragma unroll
            for (int s = 0; s < 32; s += 8) cnt[(w[k] >> s) & (BINS - 1)][t]++;
    }
    __syncthreads();
    const int lane = t & 31, warp = t >> 5;
    for (int b = warp; b < BINS; b += THREADS / 32) {
        unsigned s = 0;
        for (int j = lane; j < THREADS; j += 32) s += cnt[b][j];
        s = __reduce_add_sync(0xffffffffu, s);
        if (lane == 0) atomicAdd(&histo[b], s);
    }
}

// 4096 bins of 32-bit values; private copy per block, zeros not flushed
__global__ void histo4096_privatised(const unsigned *__restrict__ v, int n, unsigned *histo) {
    __shared__ unsigned h[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) h[i] = 0u;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(h + (v[i] >> 20), 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (h[i]) atomicAdd(histo + i, h[i]);
}

__global__ void histo4096_global(const unsigned *__restrict__ v, int n, unsigned *histo) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(histo + (v[i] >> 20), 1u);
}

// warp-aggregated counter for stream compaction
__device__ int atomicAggInc(int *ctr) {
    auto g = cg::coalesced_threads();
    int base = 0;
    if (g.thread_rank() == 0) base = atomicAdd(ctr, (int)g.size());
    return g.shfl(base, 0) + g.thread_rank();
}
__global__ void filter_k(int *dst, int *nres, const int *src, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    if ((src[i] & 0xff) > 100) dst[atomicAggInc(nres)] = src[i];
}

// float min by CAS loop, int max by the native atomic, over keyed segments
__device__ float atomicMinFloat(float *addr, float value) {
    int *ia = (int *)addr;
    int old = atomicAdd(ia, 0);
    while (value < __int_as_float(old)) {
        int assumed = old;
        old = atomicCAS(ia, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}
__global__ void segment_min_max(const unsigned *__restrict__ v, int n, int nseg, float *mn, int *mx) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = v[i];
        int seg = (x * 2654435761u >> 12) % nseg;
        atomicMinFloat(&mn[seg], (float)(x & 0xffffff) * 1e-3f);
        atomicMax(&mx[seg], (int)(x >> 1));
    }
}

// ---- open addressing hash table: key in the high word, value in the low word
const uint64_t EMPTY = 0xffffffffffffffffull;

__device__ __forceinline__ uint32_t murmur(uint32_t k) {
    k ^= k >> 16; k *= 0x85ebca6b; k ^= k >> 13; k *= 0xc2b2ae35; k ^= k >> 16;
    return k;
}
__global__ void hash_insert(unsigned long long *table, uint32_t mask, const uint32_t *keys, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n) return;
    uint32_t key = keys[tid];
    unsigned long long entry = ((unsigned long long)key << 32) | (key ^ 0x5bd1e995u);
    uint32_t slot = murmur(key) & mask;
    while (true) {
        unsigned long long prev = atomicCAS(&table[slot], (unsigned long long)EMPTY, entry);
        if (prev == EMPTY || (uint32_t)(prev >> 32) == key) return;
        slot = (slot + 1) & mask;
    }
}
__global__ void hash_lookup(const unsigned long long *__restrict__ table, uint32_t mask, const uint32_t *__restrict__ keys,
                            uint32_t *__restrict__ vals, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n) return;
    uint32_t key = keys[tid];
    uint32_t slot = murmur(key) & mask;
    uint32_t res = 0;
    for (;;) {
        unsigned long long e = table[slot];
        if (e == EMPTY) break;
        if ((uint32_t)(e >> 32) == key) { res = (uint32_t)e; break; }
        slot = (slot + 1) & mask;
    }
    vals[tid] = res;
}

// ---- sum with a ticket: the last block to finish adds the partial sums
__device__ unsigned int retirementCount = 0;

template <unsigned blockSize>
__device__ float block_sum(float v, float *sh) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < blockSize / 32 ? sh[threadIdx.x] : 0.f;
    if (threadIdx.x < 32)
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();
    return v;
}

template <unsigned blockSize>
__global__ void reduceSinglePass(const float4 *__restrict__ in, int n4, volatile float *partial, float *out) {
    __shared__ float sh[32];
    __shared__ bool amLast;
    float s = 0.f;
    for (int i = blockIdx.x * blockSize + threadIdx.x; i < n4; i += blockSize * gridDim.x) {
        float4 v = in[i];
        s += (v.x + v.y) + (v.z + v.w);
    }
    s = block_sum<blockSize>(s, sh);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        unsigned ticket = atomicInc(&retirementCount, gridDim.x);
        amLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (amLast) {
        __threadfence();
        float t = 0.f;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockSize) t += partial[i];
        t = block_sum<blockSize>(t, sh);
        if (threadIdx.x == 0) {
            *out = t;
            retirementCount = 0;
        }
    }
}

int main() {
    const int N = 1 << 24;                       // 16M bytes / 4M words
    std::vector<unsigned> h(N / 4 * 2);
    uint32_t s = 2463534242u;
    for (auto &x : h) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; x = s; }
    const int NW = (int)h.size();                // 8M words
    unsigned *d;
    HANDLE_ERROR(cudaMalloc(&d, (size_t)NW * 4));
    HANDLE_ERROR(cudaMemcpy(d, h.data(), (size_t)NW * 4, cudaMemcpyHostToDevice));
    unsigned *hist;
    HANDLE_ERROR(cudaMalloc(&hist, 5 * 4096 * 4));
    HANDLE_ERROR(cudaMemset(hist, 0, 5 * 4096 * 4));

    histo16_global<<<256, 256>>>((const unsigned char *)d, 1 << 19, hist);
    HANDLE_ERROR(cudaGetLastError());
    histo256_shared<<<132 * 4, 256>>>((const uchar4 *)d, NW, hist + 4096);
    HANDLE_ERROR(cudaGetLastError());
    histo_private_columns<16, 256><<<132 * 3, 256>>>((const uint4 *)d, NW / 4, hist + 2 * 4096);
    HANDLE_ERROR(cudaGetLastError());
    histo4096_privatised<<<132 * 2, 512>>>(d, NW, hist + 3 * 4096);
    HANDLE_ERROR(cudaGetLastError());
    histo4096_global<<<(NW / 2 + 255) / 256, 256>>>(d, NW / 2, hist + 4 * 4096);
    HANDLE_ERROR(cudaGetLastError());

    double cs = 0;
    std::vector<unsigned> hh(5 * 4096);
    HANDLE_ERROR(cudaMemcpy(hh.data(), hist, hh.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < hh.size(); i++) cs += (double)hh[i] * (i % 31);

    // compaction
    int *dst, *nres, hres = 0;
    HANDLE_ERROR(cudaMalloc(&dst, (size_t)NW * 4));
    HANDLE_ERROR(cudaMalloc(&nres, 4));
    HANDLE_ERROR(cudaMemset(nres, 0, 4));
    filter_k<<<(NW / 2 + 255) / 256, 256>>>(dst, nres, (const int *)d, NW / 2);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(&hres, nres, 4, cudaMemcpyDeviceToHost));
    cs += hres;

    // segments
    const int NSEG = 2000;
    std::vector<float> hm(NSEG, FLT_MAX);
    float *mn;
    int *mx;
    HANDLE_ERROR(cudaMalloc(&mn, NSEG * 4));
    HANDLE_ERROR(cudaMalloc(&mx, NSEG * 4));
    HANDLE_ERROR(cudaMemcpy(mn, hm.data(), NSEG * 4, cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemset(mx, 0, NSEG * 4));
    segment_min_max<<<1024, 128>>>(d, 1 << 20, NSEG, mn, mx);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(hm.data(), mn, NSEG * 4, cudaMemcpyDeviceToHost));
    for (float x : hm) cs += x < FLT_MAX ? x : 0;

    // hash table of 4M slots, 1.5M inserts, 3M lookups (half of them misses)
    const uint32_t cap = 1u << 22;
    unsigned long long *table;
    uint32_t *vals;
    HANDLE_ERROR(cudaMalloc(&table, (size_t)cap * 8));
    HANDLE_ERROR(cudaMalloc(&vals, 3000000 * 4));
    HANDLE_ERROR(cudaMemset(table, 0xff, (size_t)cap * 8));
    hash_insert<<<(1500000 + 511) / 512, 512>>>(table, cap - 1, d, 1500000);
    HANDLE_ERROR(cudaGetLastError());
    hash_lookup<<<(3000000 + 255) / 256, 256>>>(table, cap - 1, d, vals, 3000000);
    HANDLE_ERROR(cudaGetLastError());
    std::vector<uint32_t> hv(3000000);
    HANDLE_ERROR(cudaMemcpy(hv.data(), vals, hv.size() * 4, cudaMemcpyDeviceToHost));
    for (auto x : hv) cs += x & 0xff;

    // reduction
    std::vector<float> hf(N);
    for (int i = 0; i < N; i++) hf[i] = (i % 97) * 0.01f;
    float *df, *part, *out, ho;
    HANDLE_ERROR(cudaMalloc(&df, (size_t)N * 4));
    HANDLE_ERROR(cudaMalloc(&part, 4096 * 4));
    HANDLE_ERROR(cudaMalloc(&out, 4));
    HANDLE_ERROR(cudaMemcpy(df, hf.data(), (size_t)N * 4, cudaMemcpyHostToDevice));
    reduceSinglePass<256><<<132 * 8, 256>>>((const float4 *)df, N / 4, part, out);
    HANDLE_ERROR(cudaGetLastError());
    reduceSinglePass<512><<<132, 512>>>((const float4 *)df, N / 8, part, out);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaDeviceSynchronize());
    HANDLE_ERROR(cudaMemcpy(&ho, out, 4, cudaMemcpyDeviceToHost));
    cs += ho;
    printf("atomics checksum %.2f\n", cs);
    cudaFree(d); cudaFree(hist); cudaFree(dst); cudaFree(nres); cudaFree(mn); cudaFree(mx);
    cudaFree(table); cudaFree(vals); cudaFree(df); cudaFree(part); cudaFree(out);
    return 0;
}
