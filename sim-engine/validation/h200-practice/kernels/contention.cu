// contention.cu : what do atomics cost?  Histograms with few and many bins, hot counters, CAS loops.
// Benchmark style: tables of cases, one measured launch for each.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#include <algorithm>

static void ck(cudaError_t e, int line) { if (e) { std::printf("CUDA error '%s' at line %d\n", cudaGetErrorName(e), line); std::exit(3); } }
#define CK(e) ck((e), __LINE__)

using uint = unsigned int;

// --------------------------------------------------------------------------- histogram kernels
__global__ void hist_global(const uint* __restrict__ keys, uint* __restrict__ bins, int n, int nb) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[keys[i] % nb], 1u);
}

// several copies in global memory, a block uses copy blockIdx % copies
__global__ void hist_global_copies(const uint* __restrict__ keys, uint* __restrict__ bins, int n, int nb, int copies) {
    uint* mine = bins + (blockIdx.x % copies) * nb;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(mine + keys[i] % nb, 1u);
}
__global__ void fold_copies(const uint* __restrict__ parts, uint* __restrict__ bins, int nb, int copies) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nb) return;
    uint s = 0;
    for (int c = 0; c < copies; ++c) s += parts[c * nb + b];
    bins[b] = s;
}

__global__ void hist_shared(const uint* __restrict__ keys, uint* __restrict__ bins, int n, int nb) {
    extern __shared__ uint sh[];
    for (int b = threadIdx.x; b < nb; b += blockDim.x) sh[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(sh + (keys[i] % nb), 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < nb; b += blockDim.x)
        if (sh[b]) atomicAdd(bins + b, sh[b]);
}

// one sub-histogram per warp, four keys a load, padded by one to move the warps apart
template <int NB>
__global__ void __launch_bounds__(256) hist_per_warp(const uint4* __restrict__ keys, uint* __restrict__ bins, int n4) {
    __shared__ uint sub[8][NB + 1];
    for (int b = threadIdx.x; b < 8 * (NB + 1); b += 256) (&sub[0][0])[b] = 0;
    __syncthreads();
    uint* w = sub[threadIdx.x >> 5];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += gridDim.x * 256) {
        const uint4 k = keys[i];
        atomicAdd(&w[k.x % NB], 1u);
        atomicAdd(&w[k.y % NB], 1u);
        atomicAdd(&w[k.z % NB], 1u);
        atomicAdd(&w[k.w % NB], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NB; b += 256) {
        uint s = 0;
#pragma unroll
        for (int q = 0; q < 8; ++q) s += sub[q][b];
        atomicAdd(&bins[b], s);
    }
}

// no atomics while counting: every thread owns byte counters, flushed before they overflow
template <int NB>
__global__ void __launch_bounds__(128) hist_private_bytes(const uint4* __restrict__ keys, uint* __restrict__ bins, int n4) {
    static_assert(NB == 16, "16 bins");
    __shared__ unsigned char cnt[NB * 128];
    __shared__ uint tot[NB];
    if (threadIdx.x < NB) tot[threadIdx.x] = 0;
    for (int b = 0; b < NB; ++b) cnt[b * 128 + threadIdx.x] = 0;
    __syncthreads();
    const int stride = gridDim.x * 128;
    int pending = 0;
    for (int base = blockIdx.x * 128; base < n4; base += stride) {
        int i = base + threadIdx.x;
        if (i < n4) {
            uint4 k = keys[i];
            cnt[(k.x % NB) * 128 + threadIdx.x]++;
            cnt[(k.y % NB) * 128 + threadIdx.x]++;
            cnt[(k.z % NB) * 128 + threadIdx.x]++;
            cnt[(k.w % NB) * 128 + threadIdx.x]++;
        }
        if (++pending == 60 || base + stride >= n4) {     // at most 240 in a byte
            pending = 0;
            __syncthreads();
            // 8 threads per bin, 16 counters each
            int b = threadIdx.x >> 3, part = threadIdx.x & 7;
            uint s = 0;
            for (int c = 0; c < 16; ++c) s += cnt[b * 128 + part * 16 + c];
            atomicAdd(&tot[b], s);
            __syncthreads();
            for (int q = 0; q < NB; ++q) cnt[q * 128 + threadIdx.x] = 0;
            __syncthreads();
        }
    }
    __syncthreads();
    if (threadIdx.x < NB) atomicAdd(&bins[threadIdx.x], tot[threadIdx.x]);
}

// lanes with equal keys elect a leader
__global__ void hist_match(const uint* __restrict__ keys, uint* __restrict__ bins, int n, int nb) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint b = keys[i] % nb;
        uint peers = __match_any_sync(__activemask(), b);
        if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&bins[b], (uint)__popc(peers));
    }
}

// --------------------------------------------------------------------------- counters, compaction
__global__ void compact_naive(const uint* __restrict__ in, uint* __restrict__ out, int* __restrict__ count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (in[i] & 7u) == 0) out[atomicAdd(count, 1)] = in[i];
}
__global__ void compact_warp(const uint* __restrict__ in, uint* __restrict__ out, int* __restrict__ count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    uint v = i < n ? in[i] : 1u;
    bool keep = (v & 7u) == 0;
    uint m = __ballot_sync(0xffffffffu, keep);
    int base = 0;
    if (lane == 0 && m) base = atomicAdd(count, __popc(m));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) out[base + __popc(m & ((1u << lane) - 1))] = v;
}
__global__ void compact_block(const uint* __restrict__ in, uint* __restrict__ out, int* __restrict__ count, int n) {
    __shared__ int local, base;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = -1;
    uint v = 0;
    if (i < n) {
        v = in[i];
        if ((v & 7u) == 0) at = atomicAdd(&local, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, local);
    __syncthreads();
    if (at >= 0) out[base + at] = v;
}

// --------------------------------------------------------------------------- CAS loops
__device__ float atomic_max_cas(float* p, float v) {
    int* ip = reinterpret_cast<int*>(p);
    int old = *ip;
    while (__int_as_float(old) < v) {
        int seen = atomicCAS(ip, old, __float_as_int(v));
        if (seen == old) break;
        old = seen;
    }
    return __int_as_float(old);
}
__device__ void atomic_max_order(float* p, float v) {     // the sign decides which integer order is right
    if (v >= 0.f) atomicMax(reinterpret_cast<int*>(p), __float_as_int(v));
    else atomicMin(reinterpret_cast<uint*>(p), __float_as_uint(v));
}
__device__ double atomic_add_cas(double* p, double v) {
    auto* u = reinterpret_cast<unsigned long long*>(p);
    unsigned long long old = *u, seen;
    do {
        seen = old;
        old = atomicCAS(u, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (old != seen);
    return __longlong_as_double(old);
}
__device__ __forceinline__ float value_of(uint k) { return (float)(k & 0xffffffu) * (1.f / 8388608.f) - 1.f; }

__global__ void max_cas(const uint* __restrict__ keys, float* cells, int n, int ncell) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomic_max_cas(&cells[i % ncell], value_of(keys[i]));
}
__global__ void max_int_order(const uint* __restrict__ keys, float* cells, int n, int ncell) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomic_max_order(&cells[i % ncell], value_of(keys[i]));
}
template <bool NATIVE>
__global__ void dsum(const uint* __restrict__ keys, double* cells, int n, int ncell) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double v = value_of(keys[i]);
        if constexpr (NATIVE) atomicAdd(&cells[i % ncell], v);
        else atomic_add_cas(&cells[i % ncell], v);
    }
}

// --------------------------------------------------------------------------- harness
struct Timer {
    cudaEvent_t a, b;
    Timer() { CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b)); }
    ~Timer() { cudaEventDestroy(a); cudaEventDestroy(b); }
    void start() { CK(cudaEventRecord(a)); }
    float stop() {
        CK(cudaEventRecord(b));
        CK(cudaGetLastError());
        CK(cudaEventSynchronize(b));
        float ms = 0;
        CK(cudaEventElapsedTime(&ms, a, b));
        return ms;
    }
};
enum HistKind { GLOBAL, COPIES, SHARED, PER_WARP, PRIVATE, MATCH };
struct HistCase { const char* name; HistKind kind; int bins, blocks, threads; bool skewed; };
static const HistCase HIST[] = {
    {"global, 65536 bins", GLOBAL, 65536, 1056, 256, false},
    {"global, 256 bins", GLOBAL, 256, 528, 256, false},
    {"global copies, 1000 bins", COPIES, 1000, 528, 128, true},
    {"shared, 256 bins", SHARED, 256, 264, 512, false},
    {"shared, 256 bins, skewed", SHARED, 256, 264, 512, true},
    {"shared, 8192 bins", SHARED, 8192, 264, 1024, false},
    {"per warp, 256 bins, skewed", PER_WARP, 256, 1056, 256, true},
    {"private bytes, 16 bins", PRIVATE, 16, 1056, 128, false},
    {"match, 64 bins, skewed", MATCH, 64, 528, 256, true},
};
static int g_bad = 0;
static void line(const char* name, float ms, double n, bool ok) {
    std::printf("%-30s %9.1f us %8.2f Gkeys/s  %s\n", name, ms * 1e3, n / ms * 1e-6, ok ? "PASS" : "FAIL");
    g_bad += !ok;
}

int main() {
    const int n = 3 << 20;
    std::vector<uint> flat(n), skew(n);
    uint s = 31337;
    for (int i = 0; i < n; ++i) {
        s = s * 1664525u + 1013904223u;
        flat[i] = s >> 5;
        uint t = s >> 8;
        skew[i] = (t & 3) ? 17u : (t >> 2);       // three of four keys are the same
    }
    uint *dflat, *dskew, *dbins, *dcopies, *dout;
    int* dcount;
    float* dmax;
    double* dd;
    CK(cudaMalloc(&dflat, n * 4)); CK(cudaMalloc(&dskew, n * 4)); CK(cudaMalloc(&dbins, 65536 * 4));
    CK(cudaMalloc(&dcopies, 32 * 1000 * 4)); CK(cudaMalloc(&dout, n * 4)); CK(cudaMalloc(&dcount, 4));
    CK(cudaMalloc(&dmax, 4096 * 4)); CK(cudaMalloc(&dd, 1024 * 8));
    CK(cudaMemcpy(dflat, flat.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dskew, skew.data(), n * 4, cudaMemcpyHostToDevice));
    Timer tm;

    for (const HistCase& c : HIST) {
        const uint* src = c.skewed ? dskew : dflat;
        CK(cudaMemset(dbins, 0, 65536 * 4));
        CK(cudaMemset(dcopies, 0, 32 * 1000 * 4));
        tm.start();
        switch (c.kind) {
            case GLOBAL: hist_global<<<c.blocks, c.threads>>>(src, dbins, n, c.bins); break;
            case COPIES:
                hist_global_copies<<<c.blocks, c.threads>>>(src, dcopies, n, c.bins, 32);
                fold_copies<<<(c.bins + 127) / 128, 128>>>(dcopies, dbins, c.bins, 32);
                break;
            case SHARED: hist_shared<<<c.blocks, c.threads, c.bins * 4>>>(src, dbins, n, c.bins); break;
            case PER_WARP: hist_per_warp<256><<<c.blocks, 256>>>((const uint4*)src, dbins, n / 4); break;
            case PRIVATE: hist_private_bytes<16><<<c.blocks, 128>>>((const uint4*)src, dbins, n / 4); break;
            case MATCH: hist_match<<<c.blocks, c.threads>>>(src, dbins, n, c.bins); break;
        }
        float ms = tm.stop();
        std::vector<uint> got(c.bins), want(c.bins, 0);
        CK(cudaMemcpy(got.data(), dbins, c.bins * 4, cudaMemcpyDeviceToHost));
        for (uint k : (c.skewed ? skew : flat)) want[k % c.bins]++;
        line(c.name, ms, n, got == want);
    }

    // compaction: same multiset in some order
    std::vector<uint> want;
    for (uint k : flat) if ((k & 7u) == 0) want.push_back(k);
    std::sort(want.begin(), want.end());
    struct { const char* name; void (*k)(const uint*, uint*, int*, int); int threads; } comp[] = {
        {"compact, counter per lane", compact_naive, 256}, {"compact, counter per warp", compact_warp, 256}, {"compact, counter per block", compact_block, 1024}};
    for (auto& c : comp) {
        CK(cudaMemset(dcount, 0, 4));
        tm.start();
        c.k<<<(n + c.threads - 1) / c.threads, c.threads>>>(dflat, dout, dcount, n);
        float ms = tm.stop();
        int cnt = 0;
        CK(cudaMemcpy(&cnt, dcount, 4, cudaMemcpyDeviceToHost));
        bool ok = cnt == (int)want.size();
        if (ok) {
            std::vector<uint> got(cnt);
            CK(cudaMemcpy(got.data(), dout, cnt * 4, cudaMemcpyDeviceToHost));
            std::sort(got.begin(), got.end());
            ok = got == want;
        }
        line(c.name, ms, n, ok);
    }

    // maxima
    for (int v = 0; v < 2; ++v) {
        const int cells = v ? 61 : 1000;
        std::vector<float> init(cells, -2.f), got(cells), ref(cells, -2.f);
        for (int i = 0; i < n; ++i) ref[i % cells] = std::max(ref[i % cells], (float)(flat[i] & 0xffffffu) * (1.f / 8388608.f) - 1.f);
        CK(cudaMemcpy(dmax, init.data(), cells * 4, cudaMemcpyHostToDevice));
        tm.start();
        if (v == 0) max_cas<<<528, 256>>>(dflat, dmax, n, cells);
        else max_int_order<<<528, 256>>>(dflat, dmax, n, cells);
        float ms = tm.stop();
        CK(cudaMemcpy(got.data(), dmax, cells * 4, cudaMemcpyDeviceToHost));
        line(v ? "max, integer order, 61 cells" : "max, CAS loop, 1000 cells", ms, n, got == ref);
    }
    // double sums, fewer keys because of the retries
    for (int v = 0; v < 2; ++v) {
        const int cells = 512, m = v ? n : (1 << 17);
        std::vector<double> got(cells), ref(cells, 0.0);
        for (int i = 0; i < m; ++i) ref[i % cells] += (double)((float)(flat[i] & 0xffffffu) * (1.f / 8388608.f) - 1.f);
        CK(cudaMemset(dd, 0, cells * 8));
        tm.start();
        if (v) dsum<true><<<264, 256>>>(dflat, dd, m, cells);
        else dsum<false><<<64, 256>>>(dflat, dd, m, cells);
        float ms = tm.stop();
        CK(cudaMemcpy(got.data(), dd, cells * 8, cudaMemcpyDeviceToHost));
        double w = 0;
        for (int i = 0; i < cells; ++i) w = std::max(w, std::fabs(got[i] - ref[i]));
        line(v ? "double sum, native" : "double sum, CAS loop", ms, m, w < 1e-9);
    }
    std::printf("bad: %d\n", g_bad);
    CK(cudaFree(dflat)); CK(cudaFree(dskew)); CK(cudaFree(dbins)); CK(cudaFree(dcopies));
    CK(cudaFree(dout)); CK(cudaFree(dcount)); CK(cudaFree(dmax)); CK(cudaFree(dd));
    return g_bad != 0;
}
