// Sorting networks, radix sort passes, merge by ranks and the fast Walsh transform
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define checkCudaErrors(x) { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "%s(%i) : %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } }

typedef unsigned int uint;
#define SHARED_SIZE_LIMIT 1024U

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir) {
    uint t;
    if ((keyA > keyB) == dir) {
        t = keyA; keyA = keyB; keyB = t;
        t = valA; valA = valB; valB = t;
    }
}

// every block sorts SHARED_SIZE_LIMIT elements, odd / even blocks in opposite direction
__global__ void bitonicSortShared1(uint *d_DstKey, uint *d_DstVal, const uint *d_SrcKey, const uint *d_SrcVal) {
    cg::thread_block cta = cg::this_thread_block();
    __shared__ uint s_key[SHARED_SIZE_LIMIT];
    __shared__ uint s_val[SHARED_SIZE_LIMIT];
    const uint base = blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    s_key[threadIdx.x] = d_SrcKey[base];
    s_val[threadIdx.x] = d_SrcVal[base];
    s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcKey[base + SHARED_SIZE_LIMIT / 2];
    s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcVal[base + SHARED_SIZE_LIMIT / 2];
    for (uint size = 2; size < SHARED_SIZE_LIMIT; size <<= 1) {
        uint ddd = (threadIdx.x & (size / 2)) != 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            cg::sync(cta);
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    uint ddd = blockIdx.x & 1;
    for (uint stride = SHARED_SIZE_LIMIT / 2; stride > 0; stride >>= 1) {
        cg::sync(cta);
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
    }
    cg::sync(cta);
    d_DstKey[base] = s_key[threadIdx.x];
    d_DstVal[base] = s_val[threadIdx.x];
    d_DstKey[base + SHARED_SIZE_LIMIT / 2] = s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2];
    d_DstVal[base + SHARED_SIZE_LIMIT / 2] = s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2];
}

__global__ void bitonicMergeGlobal(uint *d_Key, uint *d_Val, uint arrayLength, uint size, uint stride, uint dir) {
    uint global_comparatorI = blockIdx.x * blockDim.x + threadIdx.x;
    uint comparatorI = global_comparatorI & (arrayLength / 2 - 1);
    uint ddd = dir ^ ((comparatorI & (size / 2)) != 0);
    uint pos = 2 * global_comparatorI - (global_comparatorI & (stride - 1));
    uint keyA = d_Key[pos], valA = d_Val[pos];
    uint keyB = d_Key[pos + stride], valB = d_Val[pos + stride];
    Comparator(keyA, valA, keyB, valB, ddd);
    d_Key[pos] = keyA;
    d_Val[pos] = valA;
    d_Key[pos + stride] = keyB;
    d_Val[pos + stride] = valB;
}

// odd-even merge sort of 1024 keys in shared memory
__global__ void oddEvenMergeSortShared(uint *d_DstKey, const uint *d_SrcKey, uint dir) {
    __shared__ uint s_key[SHARED_SIZE_LIMIT];
    const uint base = blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    s_key[threadIdx.x] = d_SrcKey[base];
    s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcKey[base + SHARED_SIZE_LIMIT / 2];
    uint dummy0 = 0, dummy1 = 0;
    for (uint size = 2; size <= SHARED_SIZE_LIMIT; size <<= 1) {
        uint stride = size / 2;
        uint offset = threadIdx.x & (stride - 1);
        {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos], dummy0, s_key[pos + stride], dummy1, dir);
            stride >>= 1;
        }
        for (; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride) Comparator(s_key[pos - stride], dummy0, s_key[pos], dummy1, dir);
        }
    }
    __syncthreads();
    d_DstKey[base] = s_key[threadIdx.x];
    d_DstKey[base + SHARED_SIZE_LIMIT / 2] = s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2];
}

// ---- radix sort, 4 bits per pass -------------------------------------------------------
#define RADIX 16
#define RS_THREADS 256
#define RS_ITEMS 4
#define RS_TILE (RS_THREADS * RS_ITEMS)

// counts[digit * numBlocks + block]
__global__ void radixCount(const uint *keys, uint *counts, int n, int shift) {
    __shared__ uint hist[RADIX];
    if (threadIdx.x < RADIX) hist[threadIdx.x] = 0;
    __syncthreads();
    int base = blockIdx.x * RS_TILE;
    for (int k = 0; k < RS_ITEMS; k++) {
        int i = base + k * RS_THREADS + threadIdx.x;
        if (i < n) atomicAdd(&hist[(keys[i] >> shift) & (RADIX - 1)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < RADIX) counts[threadIdx.x * gridDim.x + blockIdx.x] = hist[threadIdx.x];
}

// exclusive scan of the whole count table by a single block
__global__ void scanSingleBlock(uint *data, int n) {
    __shared__ uint warpSums[32];
    __shared__ uint carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + threadIdx.x;
        uint v = i < n ? data[i] : 0, x = v;
        for (int o = 1; o < 32; o <<= 1) {
            uint y = __shfl_up_sync(0xffffffffu, x, o);
            if (lane >= o) x += y;
        }
        if (lane == 31) warpSums[wid] = x;
        __syncthreads();
        if (wid == 0) {
            uint s = lane < (int)(blockDim.x >> 5) ? warpSums[lane] : 0;
            for (int o = 1; o < 32; o <<= 1) {
                uint y = __shfl_up_sync(0xffffffffu, s, o);
                if (lane >= o) s += y;
            }
            warpSums[lane] = s;
        }
        __syncthreads();
        uint prefix = carry + (wid > 0 ? warpSums[wid - 1] : 0);
        if (i < n) data[i] = prefix + x - v;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) carry = prefix + x;
        __syncthreads();
    }
}

// stable scatter: the tile is first split by 4 one bit passes in shared memory
__global__ void radixScatter(uint *out, const uint *keys, const uint *scanned, int n, int shift) {
    __shared__ uint s[RS_TILE];
    __shared__ uint warpTot[RS_TILE / 32 / RS_ITEMS];
    __shared__ uint digitStart[RADIX];
    int base = blockIdx.x * RS_TILE;
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    for (int k = 0; k < RS_ITEMS; k++) s[k * RS_THREADS + threadIdx.x] = keys[base + k * RS_THREADS + threadIdx.x];
    __syncthreads();
    for (int b = 0; b < 4; b++) {
        uint mine[RS_ITEMS], zeros = 0;
        for (int k = 0; k < RS_ITEMS; k++) {
            mine[k] = s[threadIdx.x * RS_ITEMS + k];
            zeros += !((mine[k] >> (shift + b)) & 1);
        }
        uint x = zeros;
        for (int o = 1; o < 32; o <<= 1) {
            uint y = __shfl_up_sync(0xffffffffu, x, o);
            if (lane >= o) x += y;
        }
        if (lane == 31) warpTot[wid] = x;
        __syncthreads();
        uint before = 0, total = 0;
        for (int w = 0; w < RS_THREADS / 32; w++) {
            if (w < wid) before += warpTot[w];
            total += warpTot[w];
        }
        uint z = before + x - zeros;                       // zeros before my first item
        uint one = total + threadIdx.x * RS_ITEMS - z;     // position of my first one
        for (int k = 0; k < RS_ITEMS; k++) {
            if ((mine[k] >> (shift + b)) & 1) s[one++] = mine[k];
            else s[z++] = mine[k];
        }
        __syncthreads();
    }
    for (int k = 0; k < RS_ITEMS; k++) {
        int i = k * RS_THREADS + threadIdx.x;
        uint d = (s[i] >> shift) & (RADIX - 1);
        if (i == 0 || ((s[i - 1] >> shift) & (RADIX - 1)) != d) digitStart[d] = i;
    }
    __syncthreads();
    for (int k = 0; k < RS_ITEMS; k++) {
        int i = k * RS_THREADS + threadIdx.x;
        uint key = s[i];
        uint d = (key >> shift) & (RADIX - 1);
        out[scanned[d * gridDim.x + blockIdx.x] + i - digitStart[d]] = key;
    }
}

// ---- merge sort step: each element finds its rank in the sibling run by binary search ----
__device__ inline uint lowerBound(const uint *a, uint len, uint key) {
    uint lo = 0, hi = len;
    while (lo < hi) {
        uint mid = (lo + hi) >> 1;
        if (a[mid] < key) lo = mid + 1; else hi = mid;
    }
    return lo;
}
__device__ inline uint upperBound(const uint *a, uint len, uint key) {
    uint lo = 0, hi = len;
    while (lo < hi) {
        uint mid = (lo + hi) >> 1;
        if (a[mid] <= key) lo = mid + 1; else hi = mid;
    }
    return lo;
}
__global__ void mergeByRank(uint *dst, const uint *src, uint run, uint n) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint pair = i / (2 * run) * (2 * run);
    uint off = i - pair;
    uint key = src[i];
    if (off < run) dst[pair + off + lowerBound(src + pair + run, run, key)] = key;
    else dst[pair + (off - run) + upperBound(src + pair, run, key)] = key;
}

// ---- fast Walsh transform ----------------------------------------------------------------
__global__ void fwtBatch1Kernel(float *d_Output, const float *d_Input, int log2N) {
    const int N = 1 << log2N;
    const int base = blockIdx.x << log2N;
    extern __shared__ float s_data[];
    for (int pos = threadIdx.x; pos < N; pos += blockDim.x) s_data[pos] = d_Input[base + pos];
    const int pos = threadIdx.x;
    // radix-4 stages, N is a power of 4 and blockDim = N / 4
    for (int stride = N >> 2; stride > 0; stride >>= 2) {
        int lo = pos & (stride - 1);
        int i0 = ((pos - lo) << 2) + lo;
        int i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        __syncthreads();
        float D0 = s_data[i0], D1 = s_data[i1], D2 = s_data[i2], D3 = s_data[i3], T;
        T = D0; D0 = D0 + D2; D2 = T - D2;
        T = D1; D1 = D1 + D3; D3 = T - D3;
        T = D0; s_data[i0] = D0 + D1; s_data[i1] = T - D1;
        T = D2; s_data[i2] = D2 + D3; s_data[i3] = T - D3;
    }
    __syncthreads();
    for (int p = threadIdx.x; p < N; p += blockDim.x) d_Output[base + p] = s_data[p];
}

__global__ void fwtBatch2Kernel(float *d_Output, const float *d_Input, int stride) {
    const int pos = blockIdx.x * blockDim.x + threadIdx.x;
    int lo = pos & (stride - 1);
    int i0 = ((pos - lo) << 2) + lo;
    int i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    float D0 = d_Input[i0], D1 = d_Input[i1], D2 = d_Input[i2], D3 = d_Input[i3], T;
    T = D0; D0 = D0 + D2; D2 = T - D2;
    T = D1; D1 = D1 + D3; D3 = T - D3;
    T = D0; d_Output[i0] = D0 + D1; d_Output[i1] = T - D1;
    T = D2; d_Output[i2] = D2 + D3; d_Output[i3] = T - D3;
}

int main(int argc, char **argv) {
    const uint N = 1 << 21;
    uint *h = (uint *)malloc(N * sizeof(uint));
    float *hf = (float *)malloc(N * 2 * sizeof(float));
    srand(2001);
    for (uint i = 0; i < N; i++) h[i] = ((uint)rand() << 8) ^ (uint)rand();
    for (uint i = 0; i < 2 * N; i++) hf[i] = (float)(rand() % 64) - 31.5f;
    uint *keys, *vals, *k1, *v1, *k2, *counts;
    float *f0, *f1;
    checkCudaErrors(cudaMalloc((void **)&keys, N * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&vals, N * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&k1, N * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&v1, N * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&k2, N * sizeof(uint)));
    checkCudaErrors(cudaMalloc((void **)&f0, 2 * N * sizeof(float)));
    checkCudaErrors(cudaMalloc((void **)&f1, 2 * N * sizeof(float)));
    const int rsBlocks = N / RS_TILE;
    checkCudaErrors(cudaMalloc((void **)&counts, RADIX * rsBlocks * sizeof(uint)));
    checkCudaErrors(cudaMemcpy(keys, h, N * sizeof(uint), cudaMemcpyHostToDevice));
    for (uint i = 0; i < N; i++) h[i] = i;
    checkCudaErrors(cudaMemcpy(vals, h, N * sizeof(uint), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(f0, hf, 2 * N * sizeof(float), cudaMemcpyHostToDevice));

    // bitonic: local sort and the first big merge step
    bitonicSortShared1<<<N / SHARED_SIZE_LIMIT, SHARED_SIZE_LIMIT / 2>>>(k1, v1, keys, vals);
    bitonicMergeGlobal<<<N / 512, 256>>>(k1, v1, N, 2 * SHARED_SIZE_LIMIT, SHARED_SIZE_LIMIT, 1);

    // odd-even local sort followed by two merges by rank
    oddEvenMergeSortShared<<<N / SHARED_SIZE_LIMIT, SHARED_SIZE_LIMIT / 2>>>(k2, keys, 1);
    mergeByRank<<<N / 256, 256>>>(vals, k2, SHARED_SIZE_LIMIT, N);
    mergeByRank<<<N / 256, 256>>>(k2, vals, 2 * SHARED_SIZE_LIMIT, N);

    // a radix sort pass over bits 8..11
    radixCount<<<rsBlocks, RS_THREADS>>>(keys, counts, N, 8);
    scanSingleBlock<<<1, 1024>>>(counts, RADIX * rsBlocks);
    radixScatter<<<rsBlocks, RS_THREADS>>>(v1, keys, counts, N, 8);

    // Walsh transform of 2N values: one global radix-4 stage, then batches of 1024 in shared memory
    fwtBatch2Kernel<<<2 * N / 4 / 256, 256>>>(f1, f0, 2 * N / 4);
    fwtBatch1Kernel<<<2 * N / 1024, 256, 1024 * sizeof(float)>>>(f0, f1, 10);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaDeviceSynchronize());

    double s = 0;
    int bad = 0;
    checkCudaErrors(cudaMemcpy(h, k2, N * sizeof(uint), cudaMemcpyDeviceToHost));
    for (uint i = 1; i < N; i++) if (i % 4096 && h[i] < h[i - 1]) bad++;
    for (uint i = 0; i < N; i += 97) s += h[i];
    checkCudaErrors(cudaMemcpy(h, v1, N * sizeof(uint), cudaMemcpyDeviceToHost));
    for (uint i = 1; i < N; i++) if (((h[i] >> 8) & 15) < ((h[i - 1] >> 8) & 15)) bad++;
    checkCudaErrors(cudaMemcpy(h, k1, N * sizeof(uint), cudaMemcpyDeviceToHost));
    for (uint i = 0; i < N; i += 101) s += h[i];
    checkCudaErrors(cudaMemcpy(hf, f0, 2 * N * sizeof(float), cudaMemcpyDeviceToHost));
    for (uint i = 0; i < 2 * N; i++) s += fabs(hf[i]);
    printf("checksum %.3f, out of order: %d\n", s, bad);
    free(h);
    free(hf);
    return 0;
}
