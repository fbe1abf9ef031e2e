// Prefix sums, from the naive block scan to the chained single pass scan,
// and stream compaction on top of it.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define CUDA_OK(x) do { cudaError_t err = (x); if (err != cudaSuccess) { \
    std::printf("CUDA error %s at line %d\n", cudaGetErrorString(err), __LINE__); std::exit(2); } } while (0)

using u32 = unsigned int;
using u64 = unsigned long long;

constexpr int SECTION = 1024;
constexpr int LOG_BANKS = 5;
#define PAD(i) ((i) + ((i) >> LOG_BANKS))

// Hillis & Steele, double buffered, inclusive within a section
__global__ void hillisSteeleSections(const u32* X, u32* Y, int n)
{
    __shared__ u32 buf[2][SECTION];
    int t = threadIdx.x;
    int i = blockIdx.x * SECTION + t;
    int cur = 0;
    buf[0][t] = i < n ? X[i] : 0u;
    __syncthreads();
    for (int d = 1; d < SECTION; d <<= 1) {
        u32 v = buf[cur][t];
        if (t >= d) v += buf[cur][t - d];
        buf[cur ^ 1][t] = v;
        cur ^= 1;
        __syncthreads();
    }
    if (i < n) Y[i] = buf[cur][t];
}

// Work-efficient Blelloch, exclusive, two elements a thread, padded against bank conflicts
__global__ void blellochSections(const u32* X, u32* Y, u32* sums, int n)
{
    __shared__ u32 s[PAD(2 * SECTION)];
    const int t = threadIdx.x;
    const int N = 2 * SECTION;
    const int base = blockIdx.x * N;
    s[PAD(t)] = base + t < n ? X[base + t] : 0u;
    s[PAD(t + SECTION)] = base + t + SECTION < n ? X[base + t + SECTION] : 0u;
    int off = 1;
    for (int d = N >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int ai = off * (2 * t + 1) - 1;
            int bi = off * (2 * t + 2) - 1;
            s[PAD(bi)] += s[PAD(ai)];
        }
        off <<= 1;
    }
    if (t == 0) {
        sums[blockIdx.x] = s[PAD(N - 1)];
        s[PAD(N - 1)] = 0;
    }
    for (int d = 1; d < N; d <<= 1) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = off * (2 * t + 1) - 1;
            int bi = off * (2 * t + 2) - 1;
            u32 tmp = s[PAD(ai)];
            s[PAD(ai)] = s[PAD(bi)];
            s[PAD(bi)] += tmp;
        }
    }
    __syncthreads();
    if (base + t < n) Y[base + t] = s[PAD(t)];
    if (base + t + SECTION < n) Y[base + t + SECTION] = s[PAD(t + SECTION)];
}

__device__ __forceinline__ u32 warpInclusive(u32 v)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        u32 o = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += o;
    }
    return v;
}

// Block of 1024 threads; returns inclusive, total through reference
__device__ u32 blockInclusive(u32 v, u32* sh, u32& total)
{
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const int warps = blockDim.x >> 5;
    u32 inc = warpInclusive(v);
    if (lane == 31) sh[w] = inc;
    __syncthreads();
    if (w == 0) {
        u32 x = lane < warps ? sh[lane] : 0;
        x = warpInclusive(x);
        if (lane < warps) sh[lane] = x;
    }
    __syncthreads();
    u32 res = inc + (w ? sh[w - 1] : 0u);
    total = sh[warps - 1];
    __syncthreads();
    return res;
}

// One block loops over the block sums and replaces them by their exclusive scan
__global__ void scanBlockSums(u32* sums, int m)
{
    __shared__ u32 sh[32];
    u32 carry = 0;
    for (int base = 0; base < m; base += blockDim.x) {
        int i = base + threadIdx.x;
        u32 v = i < m ? sums[i] : 0;
        u32 total;
        u32 inc = blockInclusive(v, sh, total);
        if (i < m) sums[i] = carry + inc - v;
        carry += total;
    }
}

__global__ void addSectionOffsets(u32* Y, const u32* sums, int n)
{
    int base = blockIdx.x * 2 * SECTION;
    u32 o = sums[blockIdx.x];
    for (int k = threadIdx.x; k < 2 * SECTION; k += blockDim.x)
        if (base + k < n) Y[base + k] += o;
}

// Single pass with decoupled look-back. Status word: high 2 bits flag, low 32 bits value.
constexpr u64 F_AGG = 1ull << 62, F_PREFIX = 2ull << 62, F_MASK = 3ull << 62;

template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) lookbackScan(const u32* __restrict__ X, u32* __restrict__ Y,
                                                      volatile u64* status, u32* ticket, int n)
{
    __shared__ u32 sh[32];
    __shared__ u32 tileShared, prefixShared;
    if (threadIdx.x == 0) tileShared = atomicAdd(ticket, 1u);
    __syncthreads();
    const int tile = (int)tileShared;
    const int base = tile * BLOCK * ITEMS + threadIdx.x * ITEMS;
    u32 r[ITEMS];
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        r[k] = base + k < n ? X[base + k] : 0u;
        sum += r[k];
    }
    u32 total;
    u32 excl = blockInclusive(sum, sh, total) - sum;
    if (threadIdx.x == 0) {
        if (tile == 0) {
            status[0] = F_PREFIX | total;
            prefixShared = 0;
        } else {
            status[tile] = F_AGG | total;
            u32 run = 0;
            for (int j = tile - 1; j >= 0;) {
                u64 st = status[j];
                u64 f = st & F_MASK;
                if (f == 0) continue;
                run += (u32)st;
                if (f == F_PREFIX) break;
                --j;
            }
            status[tile] = F_PREFIX | (u32)(run + total);
            prefixShared = run;
        }
    }
    __syncthreads();
    u32 acc = prefixShared + excl;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        acc += r[k];
        if (base + k < n) Y[base + k] = acc;
    }
}

__global__ void markMultiples(const u32* X, u32* flag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flag[i] = (X[i] % 3u == 0u);
}

__global__ void compactScatter(const u32* X, const u32* flag, const u32* incl, u32* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flag[i]) out[incl[i] - 1] = X[i];
}

// order not kept, one atomic per warp
__global__ void compactWarpAggregated(const u32* X, u32* out, u32* counter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 v = i < n ? X[i] : 1u;
    bool keep = i < n && v % 3u == 0u;
    u32 ballot = __ballot_sync(~0u, keep);
    int lane = threadIdx.x & 31;
    u32 base = 0;
    if (lane == 0 && ballot) base = atomicAdd(counter, (u32)__popc(ballot));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(ballot & ((1u << lane) - 1u))] = v;
}

int main()
{
    const int n = 10'000'000 + 77;
    std::vector<u32> h(n);
    u32 s = 12345;
    for (auto& x : h) { s = s * 1664525u + 1013904223u; x = s >> 26; }

    u32 *X, *Y, *F, *O, *sums, *small;
    u64* status;
    const int secs = (n + 2 * SECTION - 1) / (2 * SECTION);
    constexpr int B = 256, IT = 8;
    const int tiles = (n + B * IT - 1) / (B * IT);
    CUDA_OK(cudaMalloc(&X, sizeof(u32) * n));
    CUDA_OK(cudaMalloc(&Y, sizeof(u32) * n));
    CUDA_OK(cudaMalloc(&F, sizeof(u32) * n));
    CUDA_OK(cudaMalloc(&O, sizeof(u32) * n));
    CUDA_OK(cudaMalloc(&sums, sizeof(u32) * secs));
    CUDA_OK(cudaMalloc(&small, sizeof(u32) * 4));
    CUDA_OK(cudaMalloc(&status, sizeof(u64) * tiles));
    CUDA_OK(cudaMemcpy(X, h.data(), sizeof(u32) * n, cudaMemcpyHostToDevice));

    hillisSteeleSections<<<(n + SECTION - 1) / SECTION, SECTION>>>(X, Y, n);
    CUDA_OK(cudaGetLastError());
    u32 probe = 0, ref = 0;
    for (int i = SECTION; i < SECTION + 500; ++i) ref += h[i];
    CUDA_OK(cudaMemcpy(&probe, Y + SECTION + 499, 4, cudaMemcpyDeviceToHost));
    std::printf("Hillis-Steele probe %u expected %u\n", probe, ref);

    blellochSections<<<secs, SECTION>>>(X, Y, sums, n);
    scanBlockSums<<<1, 1024>>>(sums, secs);
    addSectionOffsets<<<secs, 256>>>(Y, sums, n);
    CUDA_OK(cudaGetLastError());
    u32 tot = std::accumulate(h.begin(), h.end() - 1, 0u);
    CUDA_OK(cudaMemcpy(&probe, Y + n - 1, 4, cudaMemcpyDeviceToHost));
    std::printf("three-phase exclusive last %u expected %u\n", probe, tot);

    markMultiples<<<(n + 255) / 256, 256>>>(X, F, n);
    CUDA_OK(cudaMemset(status, 0, sizeof(u64) * tiles));
    CUDA_OK(cudaMemset(small, 0, sizeof(u32) * 4));
    lookbackScan<B, IT><<<tiles, B>>>(F, Y, status, small, n);
    compactScatter<<<(n + 255) / 256, 256>>>(X, F, Y, O, n);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(&probe, Y + n - 1, 4, cudaMemcpyDeviceToHost));
    u32 cnt = 0;
    for (u32 x : h) cnt += x % 3 == 0;
    std::printf("kept %u expected %u\n", probe, cnt);

    compactWarpAggregated<<<(n + 255) / 256, 256>>>(X, O, small + 1, n);
    CUDA_OK(cudaMemcpy(&probe, small + 1, 4, cudaMemcpyDeviceToHost));
    std::printf("kept (warp aggregated) %u\n", probe);
    for (void* p : {(void*)X, (void*)Y, (void*)F, (void*)O, (void*)sums, (void*)small, (void*)status}) cudaFree(p);
    return probe == cnt ? 0 : 1;
}
