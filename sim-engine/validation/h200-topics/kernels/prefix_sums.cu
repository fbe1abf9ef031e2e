// Prefix sums.  The first kernels scan independent sections (one per block);
// the last ones scan the whole array hierarchically or in a single pass with
// decoupled look-back.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace scan {

inline void throwOnError(cudaError_t e, const char* where) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

template <typename T>
class DeviceBuffer {
  public:
    explicit DeviceBuffer(size_t n) : n_(n) { throwOnError(cudaMalloc(&p_, n * sizeof(T)), "cudaMalloc"); }
    explicit DeviceBuffer(const std::vector<T>& v) : DeviceBuffer(v.size()) {
        throwOnError(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "upload");
    }
    ~DeviceBuffer() { cudaFree(p_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    T* get() { return p_; }
    size_t size() const { return n_; }
    void zero() { throwOnError(cudaMemset(p_, 0, n_ * sizeof(T)), "memset"); }
    std::vector<T> download() const {
        std::vector<T> v(n_);
        throwOnError(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
        return v;
    }

  private:
    T* p_ = nullptr;
    size_t n_;
};

struct Sum {
    static constexpr int identity = 0;
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct Max {
    static constexpr int identity = INT32_MIN;
    __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

// ----------------------------------------------- Kogge-Stone, two buffers
template <int N, typename Op>
__global__ void koggeStone(const int* X, int* Y, int n, Op op) {
    __shared__ int buf[2][N];
    int i = blockIdx.x * N + threadIdx.x;
    int cur = 0;
    buf[0][threadIdx.x] = i < n ? X[i] : Op::identity;
    for (int stride = 1; stride < N; stride *= 2) {
        __syncthreads();
        int v = buf[cur][threadIdx.x];
        if (threadIdx.x >= stride) v = op(buf[cur][threadIdx.x - stride], v);
        buf[cur ^ 1][threadIdx.x] = v;
        cur ^= 1;
    }
    if (i < n) Y[i] = buf[cur][threadIdx.x];          // own element: no barrier needed
}

// ----------------------------------------------- Brent-Kung, 2 elements/thread
template <int N>
__global__ void brentKung(const int* X, int* Y, int n) {
    __shared__ int s[2 * N];
    int i = blockIdx.x * 2 * N + threadIdx.x;
    s[threadIdx.x] = i < n ? X[i] : 0;
    s[threadIdx.x + N] = i + N < n ? X[i + N] : 0;
    for (int stride = 1; stride <= N; stride *= 2) {
        __syncthreads();
        int k = (threadIdx.x + 1) * 2 * stride - 1;
        if (k < 2 * N) s[k] += s[k - stride];
    }
    for (int stride = N / 2; stride > 0; stride /= 2) {
        __syncthreads();
        int k = (threadIdx.x + 1) * 2 * stride - 1;
        if (k + stride < 2 * N) s[k + stride] += s[k];
    }
    __syncthreads();
    if (i < n) Y[i] = s[threadIdx.x];
    if (i + N < n) Y[i + N] = s[threadIdx.x + N];
}

// ----------------------------------------------- Blelloch, conflict free
__host__ __device__ constexpr int padded(int k) { return k + (k >> 5); }

template <int N>   // N threads, 2N elements, exclusive inside; written inclusive
__global__ void blelloch(const int* X, int* Y, int n) {
    __shared__ int t[padded(2 * N)];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 2 * N + tid;
    const int a = i < n ? X[i] : 0, b = i + N < n ? X[i + N] : 0;
    t[padded(tid)] = a;
    t[padded(tid + N)] = b;
    int off = 1;
    for (int d = N; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) t[padded(off * (2 * tid + 2) - 1)] += t[padded(off * (2 * tid + 1) - 1)];
        off *= 2;
    }
    __syncthreads();
    if (tid == 0) t[padded(2 * N - 1)] = 0;
    for (int d = 1; d <= N; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (tid < d) {
            int lo = padded(off * (2 * tid + 1) - 1), hi = padded(off * (2 * tid + 2) - 1);
            int tmp = t[lo];
            t[lo] = t[hi];
            t[hi] += tmp;
        }
    }
    __syncthreads();
    if (i < n) Y[i] = t[padded(tid)] + a;
    if (i + N < n) Y[i + N] = t[padded(tid + N)] + b;
}

// ----------------------------------------------- three-phase coarsened
template <int THREADS, int C>
__global__ void threePhase(const int* X, int* Y, int n) {
    __shared__ int s[THREADS * C];
    __shared__ int ends[2][THREADS];
    const int base = blockIdx.x * THREADS * C;
    for (int k = threadIdx.x; k < THREADS * C; k += THREADS) s[k] = base + k < n ? X[base + k] : 0;
    __syncthreads();
    int* mine = s + threadIdx.x * C;                 // phase 1: serial scan by threads
    for (int k = 1; k < C; ++k) mine[k] += mine[k - 1];
    int cur = 0;
    ends[0][threadIdx.x] = mine[C - 1];
    for (int stride = 1; stride < THREADS; stride *= 2) {   // phase 2
        __syncthreads();
        int v = ends[cur][threadIdx.x];
        if (threadIdx.x >= stride) v += ends[cur][threadIdx.x - stride];
        ends[cur ^ 1][threadIdx.x] = v;
        cur ^= 1;
    }
    __syncthreads();
    if (threadIdx.x > 0) {                           // phase 3
        int add = ends[cur][threadIdx.x - 1];
        for (int k = 0; k < C; ++k) mine[k] += add;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < THREADS * C; k += THREADS)
        if (base + k < n) Y[base + k] = s[k];
}

// ----------------------------------------------- shuffles
__device__ __forceinline__ int warpInclusive(int v) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += u;
    }
    return v;
}

template <int THREADS>   // returns the inclusive scan over the block; total by reference
__device__ int blockInclusive(int v, int& total) {
    __shared__ int sums[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warpInclusive(v);
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) sums[lane] = warpInclusive(lane < THREADS / 32 ? sums[lane] : 0);
    __syncthreads();
    total = sums[THREADS / 32 - 1];
    int before = warp > 0 ? sums[warp - 1] : 0;
    __syncthreads();
    return v + before;
}

// hierarchical, level 1: 4 elements per thread as int4 (array padded to int4)
template <int THREADS>
__global__ __launch_bounds__(THREADS) void scanBlocks(const int4* __restrict__ X, int4* __restrict__ Y,
                                                      int* __restrict__ sums, int n4) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int4 v = i < n4 ? X[i] : make_int4(0, 0, 0, 0);
    v.y += v.x; v.z += v.y; v.w += v.z;
    int total;
    int before = blockInclusive<THREADS>(v.w, total) - v.w;
    if (i < n4) Y[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// level 2: one block scans all the sums in a loop with a carry
template <int THREADS>
__global__ void scanSums(int* sums, int count) {
    int carry = 0;
    for (int base = 0; base < count; base += THREADS) {
        int i = base + threadIdx.x, total;
        int v = blockInclusive<THREADS>(i < count ? sums[i] : 0, total);
        if (i < count) sums[i] = v + carry;
        carry += total;
    }
}

// level 3
__global__ void addSums(int4* Y, const int* __restrict__ sums, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0 || i >= n4) return;
    int add = sums[blockIdx.x - 1];
    int4 v = Y[i];
    Y[i] = make_int4(v.x + add, v.y + add, v.z + add, v.w + add);
}

// ----------------------------------------------- single pass, decoupled look-back
// state word: high half 0 = invalid, 1 = aggregate, 2 = inclusive prefix
template <int THREADS, int ITEMS>
__global__ __launch_bounds__(THREADS) void lookback(const int* __restrict__ X, int* __restrict__ Y, int n,
                                                    unsigned long long* state, unsigned* ticket) {
    __shared__ int stage[THREADS * ITEMS];
    __shared__ unsigned tile;
    __shared__ int prefix;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
    __syncthreads();
    const int base = int(tile) * THREADS * ITEMS;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int j = k * THREADS + threadIdx.x;
        stage[j] = base + j < n ? X[base + j] : 0;
    }
    __syncthreads();
    int r[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) r[k] = stage[threadIdx.x * ITEMS + k] + (k ? r[k - 1] : 0);
    int total;
    int before = blockInclusive<THREADS>(r[ITEMS - 1], total) - r[ITEMS - 1];

    if (threadIdx.x < 32) {
        const int lane = threadIdx.x;
        if (lane == 0) {
            unsigned long long w = (tile == 0 ? 2ull : 1ull) << 32 | (unsigned)total;
            atomicExch(&state[tile], w);
        }
        int sum = 0;
        int at = int(tile) - 1;
        bool done = tile == 0;
        while (!done) {
            int t = at - lane;
            unsigned long long w;
            do {
                w = t >= 0 ? *(volatile unsigned long long*)&state[t] : (2ull << 32);
            } while (__any_sync(~0u, (w >> 32) == 0));
            unsigned full = __ballot_sync(~0u, (w >> 32) == 2);
            int first = full ? __ffs(full) - 1 : 32;           // nearest complete prefix
            int v = lane <= first ? int(unsigned(w)) : 0;
            for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
            sum += v;
            done = full != 0;
            at -= 32;
        }
        if (lane == 0) {
            if (tile != 0) atomicExch(&state[tile], 2ull << 32 | (unsigned)(sum + total));
            prefix = sum;
        }
    }
    __syncthreads();
    before += prefix;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) stage[threadIdx.x * ITEMS + k] = r[k] + before;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int j = k * THREADS + threadIdx.x;
        if (base + j < n) Y[base + j] = stage[j];
    }
}

template <typename Op>
bool sectionsMatch(const std::vector<int>& x, const std::vector<int>& y, int section, Op op) {
    int acc = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        acc = i % section == 0 ? x[i] : op(acc, x[i]);
        if (acc != y[i]) return false;
    }
    return true;
}

}  // namespace scan

int main() try {
    using namespace scan;
    const int n = 6'291'460;                          // 4 * odd-ish
    std::vector<int> x(n);
    uint32_t s = 99;
    for (auto& v : x) { s = s * 747796405u + 2891336453u; v = int(s >> 25) - 60; }
    DeviceBuffer<int> X(x), Y(n);
    bool all = true;
    auto report = [&](const char* name, bool ok) {
        all = all && ok;
        std::printf("%-28s %s\n", name, ok ? "ok" : "WRONG");
        Y.zero();
    };
    auto blocks = [&](int section) { return (n + section - 1) / section; };

    koggeStone<1024><<<blocks(1024), 1024>>>(X.get(), Y.get(), n, Sum{});
    throwOnError(cudaGetLastError(), "koggeStone");
    report("Kogge-Stone sum, 1024", sectionsMatch(x, Y.download(), 1024, Sum{}));
    koggeStone<256><<<blocks(256), 256>>>(X.get(), Y.get(), n, Max{});
    throwOnError(cudaGetLastError(), "koggeStone max");
    report("Kogge-Stone max, 256", sectionsMatch(x, Y.download(), 256, Max{}));
    brentKung<512><<<blocks(1024), 512>>>(X.get(), Y.get(), n);
    throwOnError(cudaGetLastError(), "brentKung");
    report("Brent-Kung", sectionsMatch(x, Y.download(), 1024, Sum{}));
    blelloch<512><<<blocks(1024), 512>>>(X.get(), Y.get(), n);
    throwOnError(cudaGetLastError(), "blelloch");
    report("Blelloch, conflict free", sectionsMatch(x, Y.download(), 1024, Sum{}));
    threePhase<256, 16><<<blocks(256 * 16), 256>>>(X.get(), Y.get(), n);
    throwOnError(cudaGetLastError(), "threePhase 16");
    report("three-phase, C=16", sectionsMatch(x, Y.download(), 256 * 16, Sum{}));
    threePhase<256, 7><<<blocks(256 * 7), 256>>>(X.get(), Y.get(), n);
    throwOnError(cudaGetLastError(), "threePhase 7");
    report("three-phase, C=7", sectionsMatch(x, Y.download(), 256 * 7, Sum{}));

    const int nb = blocks(512 * 4);
    DeviceBuffer<int> sums(nb);
    scanBlocks<512><<<nb, 512>>>((const int4*)X.get(), (int4*)Y.get(), sums.get(), n / 4);
    throwOnError(cudaGetLastError(), "scanBlocks");
    scanSums<1024><<<1, 1024>>>(sums.get(), nb);
    throwOnError(cudaGetLastError(), "scanSums");
    addSums<<<nb, 512>>>((int4*)Y.get(), sums.get(), n / 4);
    throwOnError(cudaGetLastError(), "addSums");
    report("hierarchical", sectionsMatch(x, Y.download(), n, Sum{}));

    const int tiles = blocks(256 * 15);
    DeviceBuffer<unsigned long long> state(tiles);
    DeviceBuffer<unsigned> ticket(1);
    state.zero();
    ticket.zero();
    lookback<256, 15><<<tiles, 256>>>(X.get(), Y.get(), n, state.get(), ticket.get());
    throwOnError(cudaGetLastError(), "lookback");
    report("single pass look-back", sectionsMatch(x, Y.download(), n, Sum{}));

    std::printf("%s\n", all ? "PASS" : "FAIL");
    return all ? 0 : 1;
} catch (const std::exception& e) {
    std::printf("%s\nFAIL\n", e.what());
    return 1;
}
