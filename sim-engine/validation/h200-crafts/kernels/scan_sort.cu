/* Homework 4, parallel programming. Scans first and then sorting with them.
   name: m. okafor                                                        */
#include <stdio.h>
#include <stdlib.h>
#include <algorithm>
#include <random>
#include <vector>
using namespace std;

typedef unsigned int uint;

void chk(cudaError_t e, const char* what) {
    if (e != cudaSuccess) { printf("error at %s : %s\n", what, cudaGetErrorString(e)); exit(1); }
}

// ---- 1. hillis steele, each block scans its own 512 (inclusive), double buffer
__global__ void hillis(const uint* a, uint* r, int n)
{
    __shared__ uint buf[2][512];
    int t = threadIdx.x;
    int i = blockIdx.x * 512 + t;
    int cur = 0;
    buf[0][t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        if (t >= d) buf[1-cur][t] = buf[cur][t] + buf[cur][t-d];
        else        buf[1-cur][t] = buf[cur][t];
        cur = 1 - cur;
        __syncthreads();
    }
    if (i < n) r[i] = buf[cur][t];
}

// ---- 2. blelloch up/down sweep, exclusive over 1024 elements with 512 threads
template<bool PAD>
__device__ __forceinline__ int sidx(int i) { return PAD ? i + (i >> 5) : i; }

template<bool PAD>
__global__ void blelloch(const uint* a, uint* r, int n)
{
    __shared__ uint s[1024 + 32];
    int t = threadIdx.x;
    int base = blockIdx.x * 1024;
    s[sidx<PAD>(t)]       = base + t < n ? a[base + t] : 0;
    s[sidx<PAD>(t + 512)] = base + t + 512 < n ? a[base + t + 512] : 0;
    int off = 1;
    for (int d = 512; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[sidx<PAD>(off*(2*t+2)-1)] += s[sidx<PAD>(off*(2*t+1)-1)];
        off *= 2;
    }
    if (t == 0) s[sidx<PAD>(1023)] = 0;
    for (int d = 1; d < 1024; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int x = sidx<PAD>(off*(2*t+1)-1), y = sidx<PAD>(off*(2*t+2)-1);
            uint tmp = s[x];
            s[x] = s[y];
            s[y] += tmp;
        }
    }
    __syncthreads();
    if (base + t < n) r[base + t] = s[sidx<PAD>(t)];
    if (base + t + 512 < n) r[base + t + 512] = s[sidx<PAD>(t + 512)];
}

// ---- 3. shuffle scan of a block, returns inclusive value. bs = multiple of 32
__device__ uint blockInclusive(uint v, uint* warps)
{
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, nw = blockDim.x / 32;
    for (int d = 1; d < 32; d *= 2) {
        uint o = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += o;
    }
    if (lane == 31) warps[w] = v;
    __syncthreads();
    if (w == 0) {
        uint x = lane < nw ? warps[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            uint o = __shfl_up_sync(~0u, x, d);
            if (lane >= d) x += o;
        }
        warps[lane] = x;
    }
    __syncthreads();
    uint res = v + (w > 0 ? warps[w-1] : 0);
    __syncthreads();
    return res;
}

__global__ void scanBlocks(const uint* a, uint* r, uint* sums, int n)
{
    __shared__ uint warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint v = blockInclusive(i < n ? a[i] : 0, warps);
    if (i < n) r[i] = v;
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = v;
}

// exclusive scan of m values by only one block
__global__ void scanSums(uint* sums, int m)
{
    __shared__ uint warps[32];
    __shared__ uint carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (int b = 0; b < m; b += blockDim.x) {
        int i = b + threadIdx.x;
        uint x = i < m ? sums[i] : 0;
        uint v = blockInclusive(x, warps);
        uint c = carry;
        if (i < m) sums[i] = c + v - x;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) carry = c + v;
        __syncthreads();
    }
}

__global__ void addSums(uint* r, const uint* sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] += sums[blockIdx.x];
}

// ---- 4. sorts
// each thread sorts a little piece of 16 all alone
__global__ void insertionPieces(uint* a, int pieces)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pieces) return;
    uint* q = a + p * 16;
    for (int i = 1; i < 16; i++) {
        uint key = q[i];
        int j = i - 1;
        while (j >= 0 && q[j] > key) { q[j+1] = q[j]; j--; }
        q[j+1] = key;
    }
}

// n^2 counting rank
__global__ void rankSort(const uint* a, uint* r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint me = a[i];
    int pos = 0;
    for (int j = 0; j < n; j++) {
        uint o = a[j];
        if (o < me || (o == me && j < i)) pos++;
    }
    r[pos] = me;
}

__global__ void bitonicBlock(uint* a)
{
    __shared__ uint s[1024];
    int t = threadIdx.x;
    a += blockIdx.x * 1024;
    s[t] = a[t];
    s[t+512] = a[t+512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k/2; j > 0; j /= 2) {
            __syncthreads();
            int lo = 2*t - (t & (j-1));
            bool up = (lo & k) == 0;
            uint x = s[lo], y = s[lo+j];
            if ((x > y) == up) { s[lo] = y; s[lo+j] = x; }
        }
    __syncthreads();
    a[t] = s[t];
    a[t+512] = s[t+512];
}

// merge neighbour runs: everybody finds its place by binary search in the other run
__global__ void mergeRuns(const uint* a, uint* r, int run, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int pair = i / (2*run) * (2*run);
    bool left = i - pair < run;
    int lo = left ? pair + run : pair, start = lo, hi = lo + run;
    uint v = a[i];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        bool less = left ? a[mid] < v : a[mid] <= v;
        if (less) lo = mid + 1; else hi = mid;
    }
    int within = left ? i - pair : i - pair - run;
    r[pair + within + (lo - start)] = v;
}

// radix, 4 bits
__global__ void radixCount(const uint* a, uint* counts, int n, int shift)
{
    __shared__ uint c[16];
    if (threadIdx.x < 16) c[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&c[(a[i] >> shift) & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}

__global__ void radixScatter(const uint* a, uint* r, const uint* offs, int n, int shift)
{
    __shared__ uint wc[8][17];
    int t = threadIdx.x, lane = t % 32, w = t / 32;
    for (int k = t; k < 8*17; k += blockDim.x) wc[k/17][k%17] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + t;
    uint key = i < n ? a[i] : 0;
    uint d = i < n ? (key >> shift) & 15 : 16;
    uint same = __match_any_sync(~0u, d);
    uint rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0) wc[w][d] = __popc(same);
    __syncthreads();
    if (i < n) {
        uint p = offs[d * gridDim.x + blockIdx.x] + rank;
        for (int k = 0; k < w; k++) p += wc[k][d];
        r[p] = key;
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000000;
    mt19937 gen(2023);
    vector<uint> h(n), g(n);
    for (auto& x : h) x = gen() >> 4;

    uint *a, *r, *b, *sums;
    size_t bytes = n * sizeof(uint);
    chk(cudaMalloc(&a, bytes + 4096), "malloc a");
    chk(cudaMalloc(&r, bytes + 4096), "malloc r");
    chk(cudaMalloc(&b, bytes + 4096), "malloc b");
    chk(cudaMalloc(&sums, 16 * (n/256 + 2) * sizeof(uint)), "malloc sums");
    chk(cudaMemcpy(a, h.data(), bytes, cudaMemcpyHostToDevice), "copy");
    int bad = 0;

    // hillis
    hillis<<<(n + 511)/512, 512>>>(a, r, n);
    chk(cudaMemcpy(g.data(), r, bytes, cudaMemcpyDeviceToHost), "hillis");
    uint run = 0;
    for (int i = 0; i < n; i++) { if (i % 512 == 0) run = 0; run += h[i]; if (run != g[i]) { bad++; break; } }
    printf("hillis steele   %s\n", bad ? "bad" : "good");

    for (int pad = 0; pad < 2; pad++) {
        if (pad) blelloch<true><<<(n + 1023)/1024, 512>>>(a, r, n);
        else     blelloch<false><<<(n + 1023)/1024, 512>>>(a, r, n);
        chk(cudaMemcpy(g.data(), r, bytes, cudaMemcpyDeviceToHost), "blelloch");
        int was = bad;
        for (int i = 0; i < n; i++) { if (i % 1024 == 0) run = 0; if (run != g[i]) { bad++; break; } run += h[i]; }
        printf("blelloch pad=%d  %s\n", pad, bad > was ? "bad" : "good");
    }

    int nb = (n + 1023)/1024;
    scanBlocks<<<nb, 1024>>>(a, r, sums, n);
    scanSums<<<1, 1024>>>(sums, nb);
    addSums<<<nb, 1024>>>(r, sums, n);
    chk(cudaMemcpy(g.data(), r, bytes, cudaMemcpyDeviceToHost), "full scan");
    run = 0;
    int was = bad;
    for (int i = 0; i < n; i++) { run += h[i]; if (run != g[i]) { bad++; break; } }
    printf("full scan       %s\n", bad > was ? "bad" : "good");

    // sorts. pieces of 16
    chk(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice), "d2d");
    insertionPieces<<<(n/16 + 127)/128, 128>>>(b, n/16);
    chk(cudaMemcpy(g.data(), b, bytes, cudaMemcpyDeviceToHost), "insertion");
    was = bad;
    for (int p = 0; p < n/16; p++) if (!is_sorted(g.begin() + 16*p, g.begin() + 16*p + 16)) { bad++; break; }
    printf("insertion       %s\n", bad > was ? "bad" : "good");

    const int small = 10000;
    rankSort<<<(small + 255)/256, 256>>>(a, r, small);
    chk(cudaMemcpy(g.data(), r, small*4, cudaMemcpyDeviceToHost), "rank");
    vector<uint> ref(h.begin(), h.begin() + small);
    sort(ref.begin(), ref.end());
    was = bad;
    if (!equal(ref.begin(), ref.end(), g.begin())) bad++;
    printf("rank sort       %s\n", bad > was ? "bad" : "good");

    // runs of 4096
    int m = n / 4096 * 4096;
    chk(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice), "d2d");
    bitonicBlock<<<m/1024, 512>>>(b);
    mergeRuns<<<m/256, 256>>>(b, r, 1024, m);
    mergeRuns<<<m/256, 256>>>(r, b, 2048, m);
    chk(cudaMemcpy(g.data(), b, m*4, cudaMemcpyDeviceToHost), "merge");
    was = bad;
    for (int p = 0; p < m; p += 4096) {
        if (!is_sorted(g.begin() + p, g.begin() + p + 4096)) { bad++; break; }
        uint x = 0, y = 0;
        for (int k = 0; k < 4096; k++) { x += h[p+k]; y += g[p+k]; }
        if (x != y) { bad++; break; }
    }
    printf("bitonic + merge %s\n", bad > was ? "bad" : "good");

    // radix on the low byte
    int rb = (n + 255)/256;
    uint *from = a, *to = r;
    for (int shift = 0; shift < 8; shift += 4) {
        radixCount<<<rb, 256>>>(from, sums, n, shift);
        scanSums<<<1, 1024>>>(sums, 16*rb);
        radixScatter<<<rb, 256>>>(from, to, sums, n, shift);
        from = to;
        to = b;
    }
    chk(cudaMemcpy(g.data(), from, bytes, cudaMemcpyDeviceToHost), "radix");
    vector<int> pos(257, 0);
    for (uint x : h) pos[(x & 255) + 1]++;
    for (int i = 0; i < 256; i++) pos[i+1] += pos[i];
    was = bad;
    for (uint x : h) if (g[pos[x & 255]++] != x) { bad++; break; }
    printf("radix low byte  %s\n", bad > was ? "bad" : "good");

    printf(bad ? "FAIL\n" : "PASS\n");
    return bad != 0;
}
