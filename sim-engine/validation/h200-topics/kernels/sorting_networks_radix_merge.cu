// Sorting building blocks: bitonic (shared and global steps), odd-even
// transposition, local radix sort by splits, one global radix pass, merge
// path, rank sort.  Every block is checked against the standard library.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>
typedef uint32_t key_t32;
static void must(cudaError_t e, const char *file, int line)
{
    if (e == cudaSuccess) return;
    printf("%s(%d): %s\n", file, line, cudaGetErrorName(e));
    exit(-1);
}
#define MUST(x) must((x), __FILE__, __LINE__)
// ============================================================ bitonic
__device__ __forceinline__ void comparator(key_t32 &a, key_t32 &b, bool up)
{
    if ((a > b) == up) { key_t32 t = a; a = b; b = t; }
}

// 1024 threads sort 2048 keys; direction alternates with the block index
constexpr int BT = 1024, BN = 2 * BT;
__global__ __launch_bounds__(BT) void bitonicSortShared(key_t32 *data)
{
    __shared__ key_t32 s[BN];
    key_t32 *d = data + (size_t)blockIdx.x * BN;
    s[threadIdx.x] = d[threadIdx.x];
    s[threadIdx.x + BT] = d[threadIdx.x + BT];
    for (int size = 2; size <= BN; size <<= 1) {
        bool up = size == BN ? (blockIdx.x & 1) == 0 : (threadIdx.x & (size / 2)) == 0;
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            comparator(s[pos], s[pos + stride], up);
        }
    }
    __syncthreads();
    d[threadIdx.x] = s[threadIdx.x];
    d[threadIdx.x + BT] = s[threadIdx.x + BT];
}
__global__ void bitonicStepGlobal(key_t32 *data, int pairs, int size, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= pairs) return;
    int pos = 2 * t - (t & (stride - 1));
    bool up = (t & (size / 2)) == 0;
    key_t32 a = data[pos], b = data[pos + stride];
    comparator(a, b, up);
    data[pos] = a;
    data[pos + stride] = b;
}
__global__ __launch_bounds__(BT) void bitonicMergeShared(key_t32 *data, int size)
{
    __shared__ key_t32 s[BN];
    key_t32 *d = data + (size_t)blockIdx.x * BN;
    s[threadIdx.x] = d[threadIdx.x];
    s[threadIdx.x + BT] = d[threadIdx.x + BT];
    bool up = ((blockIdx.x * BT + threadIdx.x) & (size / 2)) == 0;
    for (int stride = BT; stride > 0; stride >>= 1) {
        __syncthreads();
        int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        comparator(s[pos], s[pos + stride], up);
    }
    __syncthreads();
    d[threadIdx.x] = s[threadIdx.x];
    d[threadIdx.x + BT] = s[threadIdx.x + BT];
}
// ============================================================ odd-even transposition
__global__ void oddEvenSort(key_t32 *data, int segment)   // segment = 2*blockDim.x
{
    extern __shared__ key_t32 sh[];
    key_t32 *d = data + (size_t)blockIdx.x * segment;
    for (int i = threadIdx.x; i < segment; i += blockDim.x) sh[i] = d[i];
    __syncthreads();
    for (int phase = 0; phase < segment; ++phase) {
        int i = 2 * threadIdx.x + (phase & 1);
        if (i + 1 < segment) comparator(sh[i], sh[i + 1], true);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < segment; i += blockDim.x) d[i] = sh[i];
}

// ============================================================ radix by splits
// exclusive position among the set flags of the block, by ballots
template <int THREADS> __device__ int blockRank(bool flag, int *warpSums, int &total)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    unsigned m = __ballot_sync(~0u, flag);
    int rank = __popc(m & ((1u << lane) - 1));
    if (lane == 0) warpSums[warp] = __popc(m);
    __syncthreads();
    int before = 0;
    total = 0;
#pragma unroll
    for (int w = 0; w < THREADS / 32; ++w) {
        int c = warpSums[w];
        before += w < warp ? c : 0;
        total += c;
    }
    __syncthreads();
    return before + rank;
}
template <int THREADS> __global__ void radixSortTile(key_t32 *data, int n, int bits)
{
    __shared__ key_t32 s[THREADS];
    __shared__ int warpSums[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x;
    key_t32 k = i < n ? data[i] : 0xffffffffu;
    for (int b = 0; b < bits; ++b) {
        bool one = (k >> b) & 1;
        int zeros;
        int rank = blockRank<THREADS>(!one, warpSums, zeros);
        int dst = one ? zeros + (int)threadIdx.x - rank : rank;
        s[dst] = k;
        __syncthreads();
        k = s[threadIdx.x];
        __syncthreads();
    }
    if (i < n) data[i] = k;
}
// one global pass on a 4-bit digit: count, scan, scatter (stable)
constexpr int RT = 256, DIGITS = 16;
__global__ void radixCount(const key_t32 *in, int n, int shift, int *counts)
{
    __shared__ int h[DIGITS];
    if (threadIdx.x < DIGITS) h[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * RT + threadIdx.x;
    if (i < n) atomicAdd(&h[(in[i] >> shift) & (DIGITS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = h[threadIdx.x];
}
__global__ __launch_bounds__(1024) void exclusiveScanOneBlock(int *v, int n)
{
    __shared__ int sums[1024];
    const int per = (n + 1023) / 1024, lo = min(n, (int)threadIdx.x * per), hi = min(n, lo + per);
    int acc = 0;
    for (int i = lo; i < hi; ++i) acc += v[i];
    sums[threadIdx.x] = acc;
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1) {
        int t = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        sums[threadIdx.x] += t;
        __syncthreads();
    }
    int run = sums[threadIdx.x] - acc;
    for (int i = lo; i < hi; ++i) { int t = v[i]; v[i] = run; run += t; }
}

__global__ void radixScatter(const key_t32 *__restrict__ in, key_t32 *__restrict__ out, int n, int shift,
                             const int *__restrict__ offsets)
{
    __shared__ int warpHist[RT / 32][DIGITS];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int t = threadIdx.x; t < RT / 32 * DIGITS; t += RT) (&warpHist[0][0])[t] = 0;
    __syncthreads();
    int i = blockIdx.x * RT + threadIdx.x;
    bool valid = i < n;
    key_t32 k = valid ? in[i] : 0;
    int digit = valid ? (k >> shift) & (DIGITS - 1) : DIGITS;
    unsigned peers = __match_any_sync(~0u, digit);
    int rank = __popc(peers & ((1u << lane) - 1));
    if (valid && rank == 0) warpHist[warp][digit] = __popc(peers);
    __syncthreads();
    if (valid) {
        int before = 0;
        for (int w = 0; w < warp; ++w) before += warpHist[w][digit];
        out[offsets[digit * gridDim.x + blockIdx.x] + before + rank] = k;
    }
}
// ============================================================ merge path
__host__ __device__ inline int coRank(int k, const key_t32 *A, int m, const key_t32 *B, int n)
{
    int lo = k > n ? k - n : 0, hi = k < m ? k : m;     // candidates for i
    while (lo < hi) {
        int i = (lo + hi) / 2;                           // take i from A, k-i from B
        if (A[i] <= B[k - i - 1]) lo = i + 1; else hi = i;
    }
    return lo;
}
__host__ __device__ inline void mergeSequential(const key_t32 *A, int m, const key_t32 *B, int n, key_t32 *C)
{
    int i = 0, j = 0, k = 0;
    while (k < m + n) C[k++] = j >= n || (i < m && A[i] <= B[j]) ? A[i++] : B[j++];
}
__global__ void mergeBasic(const key_t32 *A, int m, const key_t32 *B, int n, key_t32 *C, int per)
{
    int k0 = min(m + n, (int)(blockIdx.x * blockDim.x + threadIdx.x) * per), k1 = min(m + n, k0 + per);
    int i0 = coRank(k0, A, m, B, n), i1 = coRank(k1, A, m, B, n);
    mergeSequential(A + i0, i1 - i0, B + (k0 - i0), (k1 - i1) - (k0 - i0), C + k0);
}

constexpr int MT = 128, MPER = 15, MTILE = MT * MPER;
__global__ __launch_bounds__(MT) void mergeTiled(const key_t32 *__restrict__ A, int m, const key_t32 *__restrict__ B, int n,
                                                 key_t32 *__restrict__ C)
{
    __shared__ key_t32 s[MTILE], o[MTILE];
    __shared__ int bound[2];
    const int k0 = blockIdx.x * MTILE, k1 = min(m + n, k0 + MTILE);
    if (threadIdx.x < 2) bound[threadIdx.x] = coRank(threadIdx.x ? k1 : k0, A, m, B, n);
    __syncthreads();
    const int i0 = bound[0], na = bound[1] - i0, j0 = k0 - i0, nb = (k1 - k0) - na;
    for (int t = threadIdx.x; t < na + nb; t += MT) s[t] = t < na ? A[i0 + t] : B[j0 + t - na];
    __syncthreads();
    const int q0 = min(na + nb, (int)threadIdx.x * MPER), q1 = min(na + nb, q0 + MPER);
    const int a0 = coRank(q0, s, na, s + na, nb), a1 = coRank(q1, s, na, s + na, nb);
    mergeSequential(s + a0, a1 - a0, s + na + (q0 - a0), (q1 - a1) - (q0 - a0), o + q0);
    __syncthreads();
    for (int t = threadIdx.x; t < na + nb; t += MT) C[k0 + t] = o[t];
}
// ============================================================ rank sort
__global__ void rankSort(const key_t32 *__restrict__ in, key_t32 *__restrict__ out, int n)
{
    __shared__ key_t32 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    key_t32 me = i < n ? in[i] : 0;
    int rank = 0;
    for (int base = 0; base < n; base += 256) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? in[j] : 0xffffffffu;
        __syncthreads();
        int lim = min(256, n - base);
        for (int q = 0; q < lim; ++q) rank += tile[q] < me || (tile[q] == me && base + q < i);
        __syncthreads();
    }
    if (i < n) out[rank] = me;
}
// ============================================================ host
static std::vector<key_t32> randomKeys(int n, uint32_t seed, uint32_t mask)
{
    std::vector<key_t32> v(n);
    for (auto &k : v) { seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5; k = seed & mask; }
    return v;
}
int main()
{
    int bad = 0;
    auto say = [&](const char *what, bool good) { printf("%-22s %s\n", what, good ? "ok" : "WRONG"); bad += !good; };
    const int N = 4096 * 431;
    key_t32 *dA, *dB, *dC;
    int *dCount;
    MUST(cudaMalloc(&dA, N * sizeof(key_t32)));
    MUST(cudaMalloc(&dB, N * sizeof(key_t32)));
    MUST(cudaMalloc(&dC, 2 * N * sizeof(key_t32)));
    MUST(cudaMalloc(&dCount, DIGITS * ((N + RT - 1) / RT) * sizeof(int)));
    auto put = [&](key_t32 *d, const std::vector<key_t32> &h) { MUST(cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice)); };
    auto get = [&](const key_t32 *d, int n) {
        std::vector<key_t32> h(n);
        MUST(cudaGetLastError());
        MUST(cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost));
        return h;
    };
    { // bitonic: runs of 4096, every other one descending
        auto h = randomKeys(N, 1u, ~0u);
        put(dA, h);
        bitonicSortShared<<<N / BN, BT>>>(dA);
        MUST(cudaGetLastError());
        bitonicStepGlobal<<<(N / 2 + 255) / 256, 256>>>(dA, N / 2, 4096, 2048);
        MUST(cudaGetLastError());
        bitonicMergeShared<<<N / BN, BT>>>(dA, 4096);
        auto g = get(dA, N);
        bool good = true;
        for (int r = 0; r < N / 4096; r += (r % 2 ? 9 : 1)) {
            auto b = h.begin() + r * 4096;
            std::sort(b, b + 4096);
            if (r & 1) std::reverse(b, b + 4096);
            good = good && std::equal(b, b + 4096, g.begin() + r * 4096);
        }
        say("bitonic", good);
    }
    { // odd-even
        const int seg = 512, n = seg * 1500;
        auto h = randomKeys(n, 2u, 0xffffu);
        put(dA, h);
        oddEvenSort<<<n / seg, seg / 2, seg * sizeof(key_t32)>>>(dA, seg);
        auto g = get(dA, n);
        bool good = true;
        for (int r = 0; r < n / seg; r += 3) {
            std::sort(h.begin() + r * seg, h.begin() + (r + 1) * seg);
            good = good && std::equal(h.begin() + r * seg, h.begin() + (r + 1) * seg, g.begin() + r * seg);
        }
        say("odd-even", good);
    }
    { // radix tile: 16 bits; the last tile is partial and padded with ones
        const int n = 1'500'001;
        auto h = randomKeys(n, 3u, 0xffffu);
        put(dA, h);
        radixSortTile<512><<<(n + 511) / 512, 512>>>(dA, n, 16);
        auto g = get(dA, n);
        bool good = true;
        for (int b = 0; b < n; b += 512 * 5) {
            int e = std::min(n, b + 512);
            std::sort(h.begin() + b, h.begin() + e);
            good = good && std::equal(h.begin() + b, h.begin() + e, g.begin() + b);
        }
        say("radix tile", good);
    }
    { // radix global pass on bits 8..11
        const int n = 1'700'123, blocks = (n + RT - 1) / RT, shift = 8;
        auto h = randomKeys(n, 4u, ~0u);
        put(dA, h);
        radixCount<<<blocks, RT>>>(dA, n, shift, dCount);
        MUST(cudaGetLastError());
        exclusiveScanOneBlock<<<1, 1024>>>(dCount, DIGITS * blocks);
        MUST(cudaGetLastError());
        radixScatter<<<blocks, RT>>>(dA, dB, n, shift, dCount);
        auto g = get(dB, n);
        std::vector<std::vector<key_t32>> buckets(DIGITS);
        for (key_t32 k : h) buckets[(k >> shift) & (DIGITS - 1)].push_back(k);
        std::vector<key_t32> ref;
        for (auto &b : buckets) ref.insert(ref.end(), b.begin(), b.end());
        say("radix pass", g == ref);
    }
    { // merge path on two monotone arrays of different lengths
        const int m = 1'234'567, n = 1'600'001;
        std::vector<key_t32> a(m), b(n), ref(m + n);
        uint32_t va = 0, vb = 5, s = 17;
        for (auto &k : a) { s = s * 1664525u + 1013904223u; va += s >> 29; k = va; }
        for (auto &k : b) { s = s * 1664525u + 1013904223u; vb += s >> 30; k = vb; }
        mergeSequential(a.data(), m, b.data(), n, ref.data());
        put(dA, a);
        put(dB, b);
        const int per = 8, threads = (m + n + per - 1) / per;
        mergeBasic<<<(threads + 127) / 128, 128>>>(dA, m, dB, n, dC, per);
        say("merge basic", get(dC, m + n) == ref);
        MUST(cudaMemset(dC, 0, (m + n) * sizeof(key_t32)));
        mergeTiled<<<(m + n + MTILE - 1) / MTILE, MT>>>(dA, m, dB, n, dC);
        say("merge tiled", get(dC, m + n) == ref);
    }
    { // rank sort
        const int n = 20'011;
        auto h = randomKeys(n, 5u, 0x3fffu);
        put(dA, h);
        rankSort<<<(n + 255) / 256, 256>>>(dA, dB, n);
        std::sort(h.begin(), h.end());
        say("rank sort", get(dB, n) == h);
    }
    cudaFree(dA); cudaFree(dB); cudaFree(dC); cudaFree(dCount);
    printf(bad ? "FAIL\n" : "PASS\n");
    return bad ? 1 : 0;
}
