/*
 * GPU sorting: bitonic (shared + global), odd-even transposition in a block,
 * merge path, and one LSD radix digit (count / scan / scatter).
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned int uint;

#define cudaCheck(err) __cudaCheck(err, __LINE__)
static void __cudaCheck(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        printf("line %d: %s\n", line, cudaGetErrorString(e));
        exit(-1);
    }
}

const int SHARED_ELEMS = 2048;

__device__ inline void cmpSwap(uint &a, uint &b, bool up)
{
    if ((a > b) == up) { uint t = a; a = b; b = t; }
}

// sort chunks of 2048 in alternating directions with 1024 threads
__global__ void bitonicSortShared(uint *keys)
{
    __shared__ uint s[SHARED_ELEMS];
    uint *k = keys + (size_t)blockIdx.x * SHARED_ELEMS;
    s[threadIdx.x] = k[threadIdx.x];
    s[threadIdx.x + 1024] = k[threadIdx.x + 1024];
    for (uint size = 2; size <= SHARED_ELEMS; size <<= 1) {
        bool up = size == SHARED_ELEMS ? (blockIdx.x & 1) == 0 : (threadIdx.x & (size / 2)) == 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            cmpSwap(s[pos], s[pos + stride], up);
        }
    }
    __syncthreads();
    k[threadIdx.x] = s[threadIdx.x];
    k[threadIdx.x + 1024] = s[threadIdx.x + 1024];
}

// one compare-exchange step at a stride too large for shared memory
__global__ void bitonicStepGlobal(uint *keys, uint n, uint size, uint stride)
{
    uint t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    uint pos = 2 * t - (t & (stride - 1));
    bool up = (pos & size) == 0;
    uint a = keys[pos], b = keys[pos + stride];
    if ((a > b) == up) { keys[pos] = b; keys[pos + stride] = a; }
}

// finish a merge of `size` once the stride fits in shared memory
__global__ void bitonicMergeShared(uint *keys, uint size)
{
    __shared__ uint s[SHARED_ELEMS];
    uint *k = keys + (size_t)blockIdx.x * SHARED_ELEMS;
    s[threadIdx.x] = k[threadIdx.x];
    s[threadIdx.x + 1024] = k[threadIdx.x + 1024];
    bool up = ((blockIdx.x * SHARED_ELEMS) & size) == 0;
    for (uint stride = SHARED_ELEMS / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        cmpSwap(s[pos], s[pos + stride], up);
    }
    __syncthreads();
    k[threadIdx.x] = s[threadIdx.x];
    k[threadIdx.x + 1024] = s[threadIdx.x + 1024];
}

// brick sort of 512 elements a block, 256 threads
__global__ void oddEvenBlocks(uint *keys)
{
    __shared__ uint s[512];
    uint *k = keys + (size_t)blockIdx.x * 512;
    int t = threadIdx.x;
    s[t] = k[t];
    s[t + 256] = k[t + 256];
    __syncthreads();
    for (int phase = 0; phase < 512; ++phase) {
        int i = 2 * t + (phase & 1);
        if (i + 1 < 512) cmpSwap(s[i], s[i + 1], true);
        __syncthreads();
    }
    k[t] = s[t];
    k[t + 256] = s[t + 256];
}

__device__ uint mergePathSearch(const uint *A, uint na, const uint *B, uint nb, uint diag)
{
    uint lo = diag > nb ? diag - nb : 0;
    uint hi = diag < na ? diag : na;
    while (lo < hi) {
        uint mid = (lo + hi) / 2;
        if (A[mid] <= B[diag - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

// every thread merges ITEMS outputs of A ++ B
template <int ITEMS>
__global__ void mergePath(const uint *A, uint na, const uint *B, uint nb, uint *C)
{
    uint diag = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    if (diag >= na + nb) return;
    uint a = mergePathSearch(A, na, B, nb, diag);
    uint b = diag - a;
    for (int k = 0; k < ITEMS && diag + k < na + nb; ++k) {
        bool takeA = b >= nb || (a < na && A[a] <= B[b]);
        C[diag + k] = takeA ? A[a++] : B[b++];
    }
}

// ---- radix: 4 bit digits, tile of 1024 keys, 256 threads x 4 -------------
#define RADIX 16
#define TILE_KEYS 1024

__global__ void radixCount(const uint *keys, uint *counts, uint shift, uint tiles)
{
    __shared__ uint c[RADIX];
    if (threadIdx.x < RADIX) c[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < TILE_KEYS; k += blockDim.x)
        atomicAdd(&c[(keys[blockIdx.x * TILE_KEYS + k] >> shift) & (RADIX - 1)], 1u);
    __syncthreads();
    // digit-major so that one scan yields the scatter bases
    if (threadIdx.x < RADIX) counts[threadIdx.x * tiles + blockIdx.x] = c[threadIdx.x];
}

__global__ void radixScanCounts(uint *counts, uint m)
{
    __shared__ uint s[1024];
    uint per = (m + 1023) / 1024;
    uint first = min(threadIdx.x * per, m), last = min(first + per, m);
    uint sum = 0;
    for (uint i = first; i < last; ++i) sum += counts[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1) {
        uint v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += v;
        __syncthreads();
    }
    uint run = s[threadIdx.x] - sum;
    for (uint i = first; i < last; ++i) {
        uint v = counts[i];
        counts[i] = run;
        run += v;
    }
}

// stable: 32 lanes at a time, rank within the warp by ballots, one warp per tile quarter in turn
__global__ void radixScatter(const uint *in, uint *out, const uint *bases, uint shift, uint tiles)
{
    __shared__ uint warpCount[8][RADIX];
    __shared__ uint base[RADIX];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    if (threadIdx.x < RADIX) base[threadIdx.x] = bases[threadIdx.x * tiles + blockIdx.x];
    for (int round = 0; round < TILE_KEYS / 256; ++round) {
        uint key = in[blockIdx.x * TILE_KEYS + round * 256 + threadIdx.x];
        uint digit = (key >> shift) & (RADIX - 1);
        uint peers = 0xffffffffu;
        for (int b = 0; b < 4; ++b) {
            uint bit = (digit >> b) & 1;
            uint ones = __ballot_sync(0xffffffffu, bit);
            peers &= bit ? ones : ~ones;
        }
        uint rank = __popc(peers & ((1u << lane) - 1));
        if (lane < RADIX) warpCount[w][lane] = 0;
        __syncwarp();
        if (rank == 0) warpCount[w][digit] = __popc(peers);
        __syncthreads();
        uint pos = base[digit] + rank;
        for (int v = 0; v < w; ++v) pos += warpCount[v][digit];
        out[pos] = key;
        __syncthreads();
        if (threadIdx.x < RADIX)
            for (int v = 0; v < 8; ++v) base[threadIdx.x] += warpCount[v][threadIdx.x];
        __syncthreads();
    }
}

int main()
{
    const uint n = 1 << 21;
    std::vector<uint> h(n), r(n);
    uint x = 2463534242u;
    for (uint i = 0; i < n; ++i) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; h[i] = x; }
    uint *d, *e, *counts;
    const uint tiles = n / TILE_KEYS;
    cudaCheck(cudaMalloc(&d, n * 4));
    cudaCheck(cudaMalloc(&e, n * 4));
    cudaCheck(cudaMalloc(&counts, tiles * RADIX * 4));
    cudaCheck(cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice));

    // bitonic: sort 2048s, then merge to sorted runs of 4096
    bitonicSortShared<<<n / SHARED_ELEMS, 1024>>>(d);
    bitonicStepGlobal<<<n / 2 / 256, 256>>>(d, n, 4096, 2048);
    bitonicMergeShared<<<n / SHARED_ELEMS, 1024>>>(d, 4096);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(r.data(), d, n * 4, cudaMemcpyDeviceToHost));
    bool ok = std::is_sorted(r.begin(), r.begin() + 4096) &&
              std::is_sorted(r.begin() + 4096, r.begin() + 8192, std::greater<uint>());
    printf("bitonic: %s\n", ok ? "ok" : "bad");

    cudaCheck(cudaMemcpy(e, h.data(), n * 4, cudaMemcpyHostToDevice));
    oddEvenBlocks<<<n / 512, 256>>>(e);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(r.data(), e, n * 4, cudaMemcpyDeviceToHost));
    ok = true;
    for (uint b = 0; b < n; b += 512 * 64) ok = ok && std::is_sorted(r.begin() + b, r.begin() + b + 512);
    printf("odd-even: %s\n", ok ? "ok" : "bad");

    // merge path on two host-sorted halves of different length
    const uint na = n / 3, nb = n - na;
    std::vector<uint> two(h);
    std::sort(two.begin(), two.begin() + na);
    std::sort(two.begin() + na, two.end());
    cudaCheck(cudaMemcpy(d, two.data(), n * 4, cudaMemcpyHostToDevice));
    mergePath<8><<<(n / 8 + 127) / 128, 128>>>(d, na, d + na, nb, e);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(r.data(), e, n * 4, cudaMemcpyDeviceToHost));
    printf("merge path: %s\n", std::is_sorted(r.begin(), r.end()) ? "ok" : "bad");

    cudaCheck(cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice));
    const uint shift = 8;
    radixCount<<<tiles, 256>>>(d, counts, shift, tiles);
    radixScanCounts<<<1, 1024>>>(counts, tiles * RADIX);
    radixScatter<<<tiles, 256>>>(d, e, counts, shift, tiles);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(r.data(), e, n * 4, cudaMemcpyDeviceToHost));
    std::stable_sort(h.begin(), h.end(), [=](uint a, uint b) {
        return ((a >> shift) & 15) < ((b >> shift) & 15);
    });
    printf("radix digit: %s\n", r == h ? "ok" : "bad");
    cudaFree(d); cudaFree(e); cudaFree(counts);
    return 0;
}
