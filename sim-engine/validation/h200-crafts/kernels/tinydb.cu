// tinydb: columnar query operators. Each operator comes in the variants we tried.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_TRY(x) do { cudaError_t e__ = (x); if (e__ != cudaSuccess) { \
    fprintf(stderr, "tinydb: %s failed: %s (%s:%d)\n", #x, cudaGetErrorString(e__), __FILE__, __LINE__); abort(); } } while (0)

using i32 = int32_t; using u32 = uint32_t; using i64 = long long; using u64 = unsigned long long;

struct LineItem {            // row store, 32 bytes
    i32 orderkey, suppkey; i32 quantity, discount; i32 shipdate; i32 price; i32 tax; i32 flags;
};

__host__ __device__ inline u32 mix(u32 x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }

__host__ __device__ inline LineItem make_row(u32 i)
{
    LineItem r;
    r.orderkey = (i32)(mix(i) % 400000u);
    r.suppkey = (i32)(mix(i ^ 0xabcdu) % 1000u);
    r.quantity = 1 + (i32)(mix(i + 17) % 50u);
    r.discount = (i32)(mix(i + 91) % 11u);
    r.shipdate = 8000 + (i32)(mix(i + 7777) % 2500u);
    r.price = 900 + (i32)(mix(i * 3 + 1) % 100000u);
    r.tax = (i32)(i % 9u); r.flags = (i32)(i & 3u);
    return r;
}

// ---------------------------------------------------------------- load
__global__ void gen_rows(LineItem* rows, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rows[i] = make_row(i);
}
__global__ void shred(const LineItem* __restrict__ rows, i32* okey, i32* skey, unsigned char* qty, unsigned char* disc, i32* ship, i32* price, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    LineItem r = rows[i];
    okey[i] = r.orderkey; skey[i] = r.suppkey; qty[i] = (unsigned char)r.quantity; disc[i] = (unsigned char)r.discount; ship[i] = r.shipdate; price[i] = r.price;
}

// ---------------------------------------------------------------- Q6 (scan + aggregate)
__device__ __forceinline__ void warp_commit(i64 v, u64* out) {
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0 && v) atomicAdd(out, (u64)v);
}
__global__ void q6_rows(const LineItem* __restrict__ rows, u32 n, u64* out) {
    i64 acc = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const LineItem& r = rows[i];
        if (r.shipdate >= 9000 && r.shipdate < 9365 && r.discount >= 5 && r.discount <= 7 && r.quantity < 24) acc += (i64)r.price * r.discount;
    }
    warp_commit(acc, out);
}
__global__ void q6_cols(const i32* __restrict__ ship, const unsigned char* __restrict__ disc, const unsigned char* __restrict__ qty, const i32* __restrict__ price, u32 n, u64* out) {
    i64 acc = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        i32 s = ship[i];
        if (s >= 9000 && s < 9365 && disc[i] >= 5 && disc[i] <= 7 && qty[i] < 24) acc += (i64)price[i] * disc[i];
    }
    warp_commit(acc, out);
}

// ---------------------------------------------------------------- selection
__global__ void select_atomic(const i32* __restrict__ ship, u32 n, i32 lim, u32* out, u32* count) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && ship[i] < lim) out[atomicAdd(count, 1u)] = i;
}
__global__ void select_warp(const i32* __restrict__ ship, u32 n, i32 lim, u32* out, u32* count) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    bool p = i < n && ship[i] < lim;
    u32 m = __ballot_sync(0xffffffffu, p), lane = threadIdx.x & 31, base = 0;
    if (lane == 0 && m) base = atomicAdd(count, (u32)__popc(m));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (p) out[base + __popc(m & ((1u << lane) - 1))] = i;
}
template <int BS, int IPT>
__global__ void select_block(const i32* __restrict__ ship, u32 n, i32 lim, u32* out, u32* count) {
    __shared__ u32 stage[BS * IPT];
    __shared__ u32 cnt, base;
    if (threadIdx.x == 0) cnt = 0;
    __syncthreads();
    u32 start = blockIdx.x * BS * IPT;
#pragma unroll
    for (int k = 0; k < IPT; k++) {
        u32 i = start + k * BS + threadIdx.x;
        bool p = i < n && ship[i] < lim;
        u32 m = __ballot_sync(0xffffffffu, p), lane = threadIdx.x & 31, b = 0;
        if (lane == 0 && m) b = atomicAdd(&cnt, (u32)__popc(m));
        b = __shfl_sync(0xffffffffu, b, 0);
        if (p) stage[b + __popc(m & ((1u << lane) - 1))] = i;
    }
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, cnt);
    __syncthreads();
    for (u32 k = threadIdx.x; k < cnt; k += BS) out[base + k] = stage[k];
}

// ---------------------------------------------------------------- group by
__global__ void groupby_global(const i32* __restrict__ key, const i32* __restrict__ price, u32 n, u64* sums) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sums[key[i]], (u64)price[i]);
}
__global__ void groupby_shared(const i32* __restrict__ key, const i32* __restrict__ price, u32 n, int groups, u64* sums) {
    extern __shared__ u64 s[];
    for (int g = threadIdx.x; g < groups; g += blockDim.x) s[g] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[key[i]], (u64)price[i]);
    __syncthreads();
    for (int g = threadIdx.x; g < groups; g += blockDim.x) if (s[g]) atomicAdd(&sums[g], s[g]);
}

// ---------------------------------------------------------------- hash join
constexpr u32 EMPTY = 0xffffffffu;
__global__ void ht_build(u64* table, u32 mask, u32 nkeys) {          // orders: key = 2*i, payload = i%1000
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nkeys) return;
    u32 key = 2 * i;
    u64 entry = ((u64)key << 32) | (i % 1000);
    u32 h = mix(key) & mask;
    while (atomicCAS(&table[h], ~0ull, entry) != ~0ull) h = (h + 1) & mask;
}
__global__ void ht_probe(const u64* __restrict__ table, u32 mask, const i32* __restrict__ okey, u32 n, u64* matches, u64* paysum) {
    i64 m = 0, ps = 0;
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u32 key = (u32)okey[i], h = mix(key) & mask;
        for (;;) {
            u64 e = table[h];
            u32 k = (u32)(e >> 32);
            if (k == key) { m = 1; ps = (u32)e; break; }
            if (k == EMPTY) break;
            h = (h + 1) & mask;
        }
    }
    warp_commit(m, matches);
    warp_commit(ps, paysum);
}

// ---------------------------------------------------------------- light compression: 13 bit packing
__global__ void pack13(const i32* __restrict__ v, u32* __restrict__ w, u32 words, u32 n) {
    u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= words) return;
    u32 bit = k * 32, first = bit / 13, acc = 0;
    for (u32 i = first; i < n && i * 13 < bit + 32; i++) {
        int sh = (int)(i * 13) - (int)bit;
        u32 x = (u32)v[i] & 0x1fffu;
        acc |= sh >= 0 ? x << sh : x >> -sh;
    }
    w[k] = acc;
}
__global__ void unpack13(const u32* __restrict__ w, i32* __restrict__ v, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 bit = i * 13, k = bit >> 5;
    v[i] = (i32)(__funnelshift_r(w[k], w[k + 1], bit & 31) & 0x1fffu);
}

struct Stopwatch {
    cudaEvent_t a, b; const char* what;
    explicit Stopwatch(const char* w) : what(w) { cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a); }
    ~Stopwatch() { float ms; CUDA_TRY(cudaGetLastError()); cudaEventRecord(b); CUDA_TRY(cudaEventSynchronize(b)); cudaEventElapsedTime(&ms, a, b); printf("%-16s %8.1f us\n", what, ms * 1e3f); cudaEventDestroy(a); cudaEventDestroy(b); }
};
static bool g_ok = true;
#define EXPECT(c) do { if (!(c)) { printf("   ^ check failed: %s\n", #c); g_ok = false; } } while (0)

int main(int argc, char** argv)
{
    const u32 n = argc > 1 ? (u32)atoi(argv[1]) : 3000000u;
    const int groups = 1000;
    u64 q6 = 0, nsel = 0, matches = 0, paysum = 0;
    std::vector<u64> gsum(groups, 0);
    for (u32 i = 0; i < n; i++) {
        LineItem r = make_row(i);
        if (r.shipdate >= 9000 && r.shipdate < 9365 && r.discount >= 5 && r.discount <= 7 && r.quantity < 24) q6 += (u64)r.price * r.discount;
        nsel += r.shipdate < 8500;
        gsum[r.suppkey] += r.price;
        if (r.orderkey % 2 == 0) { matches++; paysum += (r.orderkey / 2) % 1000; }
    }
    LineItem* rows; i32 *okey, *skey, *ship, *price, *unp; unsigned char *qty, *disc; u32 *sel, *packed; u64 *table, *acc;
    const u32 tsize = 1u << 19, nkeys = 200000, words = (u32)(((u64)n * 13 + 31) / 32);
    CUDA_TRY(cudaMalloc(&rows, sizeof(LineItem) * n));
    for (i32** c : {&okey, &skey, &ship, &price, &unp}) CUDA_TRY(cudaMalloc(c, 4ull * n));
    CUDA_TRY(cudaMalloc(&qty, n)); CUDA_TRY(cudaMalloc(&disc, n));
    CUDA_TRY(cudaMalloc(&sel, 4ull * n)); CUDA_TRY(cudaMalloc(&packed, 4ull * (words + 1)));
    CUDA_TRY(cudaMalloc(&table, 8ull * tsize)); CUDA_TRY(cudaMalloc(&acc, 8 * (groups + 8)));
    CUDA_TRY(cudaMemset(table, 0xff, 8ull * tsize));
    std::vector<u64> h(groups + 8);
    auto reset = [&] { CUDA_TRY(cudaMemset(acc, 0, 8 * (groups + 8))); };
    auto fetch = [&] { CUDA_TRY(cudaMemcpy(h.data(), acc, 8 * (groups + 8), cudaMemcpyDeviceToHost)); };
    const u32 T = 256, B = (n + T - 1) / T;

    { Stopwatch w("generate"); gen_rows<<<B, T>>>(rows, n); }
    { Stopwatch w("shred"); shred<<<(n + 127) / 128, 128>>>(rows, okey, skey, qty, disc, ship, price, n); }
    reset(); { Stopwatch w("q6 rows"); q6_rows<<<792, T>>>(rows, n, acc); } fetch(); EXPECT(h[0] == q6);
    reset(); { Stopwatch w("q6 columns"); q6_cols<<<792, T>>>(ship, disc, qty, price, n, acc); } fetch(); EXPECT(h[0] == q6);

    std::vector<u32> hs(n);
    for (int v = 0; v < 3; v++) {
        reset();
        { Stopwatch w(v == 0 ? "select atomic" : v == 1 ? "select warp" : "select block");
          u32* cnt = (u32*)acc;
          if (v == 0) select_atomic<<<B, T>>>(ship, n, 8500, sel, cnt);
          else if (v == 1) select_warp<<<B, T>>>(ship, n, 8500, sel, cnt);
          else select_block<256, 8><<<(n + 2047) / 2048, 256>>>(ship, n, 8500, sel, cnt); }
        fetch();
        EXPECT((u32)h[0] == nsel);
        CUDA_TRY(cudaMemcpy(hs.data(), sel, 4 * nsel, cudaMemcpyDeviceToHost));
        bool good = true; u64 xs = 0;
        for (u64 k = 0; k < nsel; k += 37) { good &= hs[k] < n && make_row(hs[k]).shipdate < 8500; xs += hs[k]; }
        EXPECT(good && xs > 0);
    }
    reset(); { Stopwatch w("groupby global"); groupby_global<<<B, T>>>(skey, price, n, acc); } fetch(); EXPECT(!memcmp(h.data(), gsum.data(), 8 * groups));
    reset(); { Stopwatch w("groupby shared"); groupby_shared<<<264, 512, groups * sizeof(u64)>>>(skey, price, n, groups, acc); } fetch(); EXPECT(!memcmp(h.data(), gsum.data(), 8 * groups));

    { Stopwatch w("join build"); ht_build<<<(nkeys + 255) / 256, 256>>>(table, tsize - 1, nkeys); }
    reset(); { Stopwatch w("join probe"); ht_probe<<<B, T>>>(table, tsize - 1, okey, n, acc, acc + 1); } fetch(); EXPECT(h[0] == matches); EXPECT(h[1] == paysum);

    CUDA_TRY(cudaMemset(packed, 0, 4ull * (words + 1)));
    CUDA_TRY(cudaMemset(unp, 0, 4ull * n));
    { Stopwatch w("pack13"); pack13<<<(words + 191) / 192, 192>>>(skey, packed, words, n); }
    { Stopwatch w("unpack13"); unpack13<<<B, T>>>(packed, unp, n); }
    std::vector<i32> hv(n);
    CUDA_TRY(cudaMemcpy(hv.data(), unp, 4ull * n, cudaMemcpyDeviceToHost));
    bool good = true;
    for (u32 i = 0; i < n; i += 11) good &= hv[i] == make_row(i).suppkey;
    EXPECT(good);
    puts(g_ok ? "PASS" : "FAIL");
    return !g_ok;
}
