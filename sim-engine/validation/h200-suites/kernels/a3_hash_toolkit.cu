// Hash-table toolkit: device "view" objects with owning host classes (C++17).
//   linear probing, cuckoo, warp-cooperative buckets, distinct counting, group-by, bloom filters,
//   chained hash join, HyperLogLog.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace cg = cooperative_groups;

namespace util {

inline void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <typename T>
class span {
public:
    constexpr span() = default;
    __host__ __device__ constexpr span(T* p, uint32_t n) : ptr_(p), size_(n) {}
    template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
    __host__ __device__ constexpr span(span<U> o) : ptr_(o.data()), size_(o.size()) {}
    __host__ __device__ constexpr T& operator[](uint32_t i) const { return ptr_[i]; }
    __host__ __device__ constexpr T* data() const { return ptr_; }
    __host__ __device__ constexpr uint32_t size() const { return size_; }

private:
    T* ptr_ = nullptr;
    uint32_t size_ = 0;
};

template <typename T>
class device_array {
    struct deleter {
        void operator()(T* p) const { cudaFree(p); }
    };
    std::unique_ptr<T, deleter> ptr_;
    uint32_t size_ = 0;

public:
    explicit device_array(uint32_t n) : size_(n) {
        T* p = nullptr;
        check(cudaMalloc(&p, sizeof(T) * n), "cudaMalloc");
        ptr_.reset(p);
    }
    explicit device_array(const std::vector<T>& h) : device_array(static_cast<uint32_t>(h.size())) {
        check(cudaMemcpy(ptr_.get(), h.data(), sizeof(T) * size_, cudaMemcpyHostToDevice), "H2D");
    }
    void fill_bytes(int v) { check(cudaMemset(ptr_.get(), v, sizeof(T) * size_), "memset"); }
    std::vector<T> to_host() const {
        std::vector<T> h(size_);
        check(cudaMemcpy(h.data(), ptr_.get(), sizeof(T) * size_, cudaMemcpyDeviceToHost), "D2H");
        return h;
    }
    span<T> view() { return {ptr_.get(), size_}; }
    span<const T> view() const { return {ptr_.get(), size_}; }
    operator span<T>() { return view(); }
    operator span<const T>() const { return view(); }
};

}  // namespace util

using util::device_array;
using util::span;

constexpr uint32_t kEmpty = 0xffffffffu;
constexpr int kBlock = 256;

__host__ __device__ inline uint32_t murmur_mix(uint32_t h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}
__host__ __device__ inline uint32_t second_hash(uint32_t h) { return murmur_mix(h * 0x9e3779b9u + 0x7f4a7c15u); }

__device__ inline uint32_t global_tid() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ------------------------------------------------------------------ linear probing
struct LinearView {
    span<uint32_t> keys;
    span<uint32_t> values;
    uint32_t mask;

    __device__ bool insert_add(uint32_t key, uint32_t value) const {
        uint32_t slot = murmur_mix(key) & mask;
        for (uint32_t probe = 0; probe <= mask; ++probe) {
            uint32_t prev = atomicCAS(&keys[slot], kEmpty, key);
            if (prev == kEmpty || prev == key) {
                atomicAdd(&values[slot], value);
                return true;
            }
            slot = (slot + 1) & mask;
        }
        return false;
    }
    __device__ bool insert_key(uint32_t key) const {  // true when the key is new
        uint32_t slot = murmur_mix(key) & mask;
        for (uint32_t probe = 0; probe <= mask; ++probe) {
            uint32_t cur = keys[slot];
            if (cur == key) return false;
            if (cur == kEmpty) {
                uint32_t prev = atomicCAS(&keys[slot], kEmpty, key);
                if (prev == kEmpty) return true;
                if (prev == key) return false;
            }
            slot = (slot + 1) & mask;
        }
        return false;
    }
    __device__ uint32_t find(uint32_t key, uint32_t missing) const {
        uint32_t slot = murmur_mix(key) & mask;
        for (uint32_t probe = 0; probe <= mask; ++probe) {
            uint32_t cur = __ldg(&keys[slot]);
            if (cur == key) return __ldg(&values[slot]);
            if (cur == kEmpty) return missing;
            slot = (slot + 1) & mask;
        }
        return missing;
    }
};

class LinearTable {
    device_array<uint32_t> keys_, values_;

public:
    explicit LinearTable(uint32_t capacity) : keys_(capacity), values_(capacity) { clear(); }
    void clear() {
        keys_.fill_bytes(0xff);
        values_.fill_bytes(0);
    }
    LinearView view() { return {keys_.view(), values_.view(), keys_.view().size() - 1}; }
};

__global__ void table_reset(span<uint32_t> keys, span<uint32_t> values) {
    for (uint32_t i = global_tid(); i < keys.size() / 4; i += gridDim.x * blockDim.x) {
        reinterpret_cast<uint4*>(keys.data())[i] = make_uint4(kEmpty, kEmpty, kEmpty, kEmpty);
        reinterpret_cast<uint4*>(values.data())[i] = make_uint4(0, 0, 0, 0);
    }
}

__global__ void linear_insert(LinearView table, span<const uint32_t> keys, span<const uint32_t> values) {
    uint32_t i = global_tid();
    if (i < keys.size()) table.insert_add(keys[i], values[i]);
}

__global__ void linear_lookup(LinearView table, span<const uint32_t> queries, span<uint32_t> out) {
    uint32_t i = global_tid();
    if (i < queries.size()) out[i] = table.find(queries[i], 0u);
}

// ------------------------------------------------------------------ cuckoo
struct CuckooView {
    span<unsigned long long> slots;
    uint32_t mask;

    static __device__ unsigned long long pack(uint32_t k, uint32_t v) { return (static_cast<unsigned long long>(k) << 32) | v; }
    __device__ bool insert(uint32_t key, uint32_t value) const {
        unsigned long long entry = pack(key, value);
        uint32_t pos = murmur_mix(key) & mask;
        for (int it = 0; it < 64; ++it) {
            entry = atomicExch(&slots[pos], entry);
            uint32_t k = static_cast<uint32_t>(entry >> 32);
            if (k == kEmpty) return true;
            uint32_t p1 = murmur_mix(k) & mask;
            uint32_t p2 = second_hash(k) & mask;
            pos = pos == p1 ? p2 : p1;
        }
        return false;
    }
    __device__ uint32_t find(uint32_t key, uint32_t missing) const {
        unsigned long long a = __ldg(&slots[murmur_mix(key) & mask]);
        unsigned long long b = __ldg(&slots[second_hash(key) & mask]);
        if (static_cast<uint32_t>(a >> 32) == key) return static_cast<uint32_t>(a);
        if (static_cast<uint32_t>(b >> 32) == key) return static_cast<uint32_t>(b);
        return missing;
    }
};

__global__ void cuckoo_insert(CuckooView table, span<const uint32_t> keys, uint32_t* failed) {
    uint32_t i = global_tid();
    if (i < keys.size() && !table.insert(keys[i], i)) atomicAdd(failed, 1u);
}

__global__ void cuckoo_lookup(CuckooView table, span<const uint32_t> keys, span<uint32_t> out) {
    uint32_t i = global_tid();
    if (i < keys.size()) out[i] = table.find(keys[i], kEmpty);
}

// ------------------------------------------------------------------ warp-cooperative buckets of 32 slots
struct BucketView {
    span<uint32_t> keys;
    span<uint32_t> values;
    uint32_t bucket_mask;

    __device__ void insert_add(const cg::thread_block_tile<32>& warp, uint32_t key, uint32_t value) const {
        uint32_t b = murmur_mix(key) & bucket_mask;
        const uint32_t lane = warp.thread_rank();
        while (true) {
            uint32_t idx = b * 32 + lane;
            uint32_t cur = __ldcg(&keys[idx]);
            unsigned match = warp.ballot(cur == key);
            if (match) {
                if (lane == __ffs(match) - 1) atomicAdd(&values[idx], value);
                return;
            }
            unsigned empty = warp.ballot(cur == kEmpty);
            if (!empty) {
                b = (b + 1) & bucket_mask;
                continue;
            }
            int leader = __ffs(empty) - 1;
            uint32_t prev = 0;
            if (lane == leader) {
                prev = atomicCAS(&keys[idx], kEmpty, key);
                if (prev == kEmpty || prev == key) atomicAdd(&values[idx], value);
            }
            prev = warp.shfl(prev, leader);
            if (prev == kEmpty || prev == key) return;
        }
    }
    __device__ uint32_t find(const cg::thread_block_tile<32>& warp, uint32_t key, uint32_t missing) const {
        uint32_t b = murmur_mix(key) & bucket_mask;
        const uint32_t lane = warp.thread_rank();
        for (uint32_t probe = 0; probe <= bucket_mask; ++probe) {
            uint32_t cur = keys[b * 32 + lane];
            unsigned match = warp.ballot(cur == key);
            if (match) return values[b * 32 + __ffs(match) - 1];
            if (warp.any(cur == kEmpty)) return missing;
            b = (b + 1) & bucket_mask;
        }
        return missing;
    }
};

__global__ void bucket_insert(BucketView table, span<const uint32_t> keys, span<const uint32_t> values) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    uint32_t i = global_tid();
    uint32_t key = 0, value = 0;
    bool active = i < keys.size();
    if (active) {
        key = keys[i];
        value = values[i];
    }
    unsigned work = warp.ballot(active);
    while (work) {
        int src = __ffs(work) - 1;
        table.insert_add(warp, warp.shfl(key, src), warp.shfl(value, src));
        work &= work - 1;
    }
}

__global__ void bucket_lookup(BucketView table, span<const uint32_t> queries, span<uint32_t> out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    uint32_t i = global_tid();
    uint32_t key = i < queries.size() ? queries[i] : 0;
    uint32_t result = 0;
    for (int src = 0; src < 32; ++src) {
        uint32_t r = table.find(warp, warp.shfl(key, src), 0u);
        if (warp.thread_rank() == src) result = r;
    }
    if (i < queries.size()) out[i] = result;
}

// ------------------------------------------------------------------ distinct
__global__ __launch_bounds__(kBlock) void count_distinct(LinearView set, span<const uint32_t> keys, unsigned int* total) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ unsigned int block_total;
    if (block.thread_rank() == 0) block_total = 0;
    block.sync();
    unsigned int fresh = 0;
    for (uint32_t i = global_tid(); i < keys.size(); i += gridDim.x * blockDim.x) fresh += set.insert_key(keys[i]);
    fresh = cg::reduce(warp, fresh, cg::plus<unsigned int>());
    if (warp.thread_rank() == 0) atomicAdd(&block_total, fresh);
    block.sync();
    if (block.thread_rank() == 0) atomicAdd(total, block_total);
}

__global__ __launch_bounds__(kBlock) void hyperloglog(span<const uint32_t> keys, span<int> registers) {
    extern __shared__ int regs[];
    const uint32_t m = registers.size();
    for (uint32_t r = threadIdx.x; r < m; r += blockDim.x) regs[r] = 0;
    __syncthreads();
    for (uint32_t i = global_tid(); i < keys.size(); i += gridDim.x * blockDim.x) {
        uint32_t h = second_hash(keys[i]);
        uint32_t r = h & (m - 1);
        int rank = __clz(murmur_mix(h ^ 0xdeadbeefu)) + 1;
        if (regs[r] < rank) atomicMax(&regs[r], rank);
    }
    __syncthreads();
    for (uint32_t r = threadIdx.x; r < m; r += blockDim.x)
        if (regs[r]) atomicMax(&registers[r], regs[r]);
}

// ------------------------------------------------------------------ group by
struct GroupView {
    span<uint32_t> keys;
    span<unsigned long long> sum;
    span<uint32_t> count;
    span<uint32_t> max;
    uint32_t mask;

    __device__ void merge(uint32_t key, unsigned long long s, uint32_t c, uint32_t mx) const {
        uint32_t slot = murmur_mix(key) & mask;
        while (true) {
            uint32_t cur = __ldcg(&keys[slot]);
            if (cur == kEmpty) cur = atomicCAS(&keys[slot], kEmpty, key);
            if (cur == kEmpty || cur == key) break;
            slot = (slot + 1) & mask;
        }
        atomicAdd(&sum[slot], s);
        atomicAdd(&count[slot], c);
        atomicMax(&max[slot], mx);
    }
};

class GroupTable {
    device_array<uint32_t> keys_, count_, max_;
    device_array<unsigned long long> sum_;

public:
    explicit GroupTable(uint32_t cap) : keys_(cap), count_(cap), max_(cap), sum_(cap) {
        keys_.fill_bytes(0xff);
        count_.fill_bytes(0);
        max_.fill_bytes(0);
        sum_.fill_bytes(0);
    }
    GroupView view() { return {keys_.view(), sum_.view(), count_.view(), max_.view(), keys_.view().size() - 1}; }
    void collect(std::vector<unsigned long long>& sum, std::vector<uint32_t>& count, std::vector<uint32_t>& mx) const {
        auto k = keys_.to_host();
        auto c = count_.to_host(), m = max_.to_host();
        auto s = sum_.to_host();
        for (size_t i = 0; i < k.size(); ++i)
            if (k[i] != kEmpty) {
                uint32_t g = k[i] / 7919u;
                sum[g] += s[i];
                count[g] += c[i];
                mx[g] = std::max(mx[g], m[i]);
            }
    }
};

__global__ void groupby_global(GroupView table, span<const uint32_t> group, span<const uint32_t> value) {
    uint32_t i = global_tid();
    if (i < group.size()) table.merge(group[i], value[i], 1u, value[i]);
}

template <uint32_t Slots>
__global__ __launch_bounds__(kBlock) void groupby_shared(GroupView table, span<const uint32_t> group, span<const uint32_t> value) {
    __shared__ uint32_t s_key[Slots];
    __shared__ unsigned long long s_sum[Slots];
    __shared__ uint32_t s_count[Slots];
    __shared__ uint32_t s_max[Slots];
    for (uint32_t s = threadIdx.x; s < Slots; s += kBlock) {
        s_key[s] = kEmpty;
        s_sum[s] = 0;
        s_count[s] = 0;
        s_max[s] = 0;
    }
    __syncthreads();
    for (uint32_t i = global_tid(); i < group.size(); i += gridDim.x * blockDim.x) {
        uint32_t key = group[i], v = value[i];
        uint32_t slot = murmur_mix(key) & (Slots - 1);
        bool placed = false;
        for (int probe = 0; probe < 32; ++probe) {
            uint32_t prev = atomicCAS(&s_key[slot], kEmpty, key);
            if (prev == kEmpty || prev == key) {
                placed = true;
                break;
            }
            slot = (slot + 1) & (Slots - 1);
        }
        if (placed) {
            atomicAdd(&s_sum[slot], static_cast<unsigned long long>(v));
            atomicAdd(&s_count[slot], 1u);
            atomicMax(&s_max[slot], v);
        } else {
            table.merge(key, v, 1u, v);
        }
    }
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < Slots; s += kBlock)
        if (s_key[s] != kEmpty) table.merge(s_key[s], s_sum[s], s_count[s], s_max[s]);
}

// ------------------------------------------------------------------ bloom filters
struct BloomView {
    span<uint32_t> words;
    uint32_t bit_mask;
    static constexpr int kHashes = 4;

    __device__ void add(uint32_t key) const {
        uint32_t h1 = murmur_mix(key), h2 = second_hash(key) | 1u;
#pragma unroll
        for (int k = 0; k < kHashes; ++k) {
            uint32_t bit = (h1 + k * h2) & bit_mask;
            uint32_t m = 1u << (bit & 31);
            if (!(words[bit >> 5] & m)) atomicOr(&words[bit >> 5], m);
        }
    }
    __device__ bool contains(uint32_t key) const {
        uint32_t h1 = murmur_mix(key), h2 = second_hash(key) | 1u;
#pragma unroll
        for (int k = 0; k < kHashes; ++k) {
            uint32_t bit = (h1 + k * h2) & bit_mask;
            if (!((__ldg(&words[bit >> 5]) >> (bit & 31)) & 1u)) return false;
        }
        return true;
    }
};

__global__ void bloom_build(BloomView bloom, span<const uint32_t> keys) {
    uint32_t i = global_tid();
    if (i < keys.size()) bloom.add(keys[i]);
}

__global__ void bloom_probe(BloomView bloom, span<const uint32_t> queries, uint32_t* hits_out) {
    uint32_t i = global_tid();
    int hit = i < queries.size() ? bloom.contains(queries[i]) : 0;
    int n = __syncthreads_count(hit);
    if (threadIdx.x == 0 && n) atomicAdd(hits_out, static_cast<uint32_t>(n));
}

// ------------------------------------------------------------------ chained hash join
struct JoinView {
    span<int> head;
    span<int> next;
    span<const uint32_t> build_keys;
    uint32_t mask;
};

__global__ void join_build(JoinView j) {
    uint32_t i = global_tid();
    if (i >= j.build_keys.size()) return;
    uint32_t h = murmur_mix(j.build_keys[i]) & j.mask;
    j.next[i] = atomicExch(&j.head[h], static_cast<int>(i));
}

__global__ void join_count(JoinView j, span<const uint32_t> probe, unsigned long long* total) {
    uint32_t i = global_tid();
    unsigned int matches = 0;
    if (i < probe.size()) {
        uint32_t key = probe[i];
        for (int e = j.head[murmur_mix(key) & j.mask]; e >= 0; e = j.next[e]) matches += j.build_keys[e] == key;
    }
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    matches = cg::reduce(warp, matches, cg::plus<unsigned int>());
    if (warp.thread_rank() == 0 && matches) atomicAdd(total, static_cast<unsigned long long>(matches));
}

__global__ void join_materialise(JoinView j, span<const uint32_t> probe, span<uint2> out, unsigned int* cursor) {
    uint32_t i = global_tid();
    if (i >= probe.size()) return;
    uint32_t key = probe[i];
    for (int e = j.head[murmur_mix(key) & j.mask]; e >= 0; e = j.next[e]) {
        if (j.build_keys[e] == key) {
            cg::coalesced_group g = cg::coalesced_threads();
            unsigned int base = 0;
            if (g.thread_rank() == 0) base = atomicAdd(cursor, g.size());
            unsigned int pos = g.shfl(base, 0) + g.thread_rank();
            if (pos < out.size()) out[pos] = make_uint2(i, static_cast<uint32_t>(e));
        }
    }
}

// ------------------------------------------------------------------ host driver
namespace {
int failures = 0;
void expect(const char* what, bool ok, double shown) {
    std::printf("%-22s %14.1f %s\n", what, shown, ok ? "ok" : "FAIL");
    failures += !ok;
}
uint32_t blocks(uint32_t n) { return (n + kBlock - 1) / kBlock; }
}  // namespace

int main() try {
    constexpr uint32_t kN = 1u << 20, kRange = 700000, kCap = 1u << 21;
    std::vector<uint32_t> keys(kN), vals(kN), queries(kN);
    for (uint32_t i = 0; i < kN; ++i) {
        keys[i] = 1 + murmur_mix(i) % kRange;
        vals[i] = i % 101;
        queries[i] = 1 + murmur_mix(i ^ 0x55aa55aau) % (2 * kRange);
    }
    std::vector<uint32_t> ref_sum(2 * kRange + 1, 0);
    std::vector<char> present(2 * kRange + 1, 0);
    for (uint32_t i = 0; i < kN; ++i) {
        ref_sum[keys[i]] += vals[i];
        present[keys[i]] = 1;
    }
    const auto distinct = static_cast<uint32_t>(std::count(present.begin(), present.end(), 1));
    auto check_lookup = [&](const char* name, const std::vector<uint32_t>& got) {
        uint32_t bad = 0;
        for (uint32_t i = 0; i < kN; ++i) bad += got[i] != ref_sum[queries[i]];
        expect(name, bad == 0, bad);
    };

    device_array<uint32_t> d_keys(keys), d_vals(vals), d_queries(queries), d_out(kN), d_counter(4);
    d_counter.fill_bytes(0);

    // linear probing
    LinearTable linear(kCap);
    table_reset<<<132 * 4, kBlock>>>(linear.view().keys, linear.view().values);
    linear_insert<<<blocks(kN), kBlock>>>(linear.view(), d_keys, d_vals);
    linear_lookup<<<blocks(kN), kBlock>>>(linear.view(), d_queries, d_out);
    check_lookup("linear probing", d_out.to_host());

    // cuckoo with unique keys
    {
        constexpr uint32_t n = 400000;
        std::vector<uint32_t> unique(n);
        for (uint32_t i = 0; i < n; ++i) unique[i] = (i + 1) * 2654435761u;
        device_array<uint32_t> d_unique(unique), d_found(n);
        device_array<unsigned long long> slots(1u << 20);
        slots.fill_bytes(0xff);
        CuckooView view{slots.view(), (1u << 20) - 1};
        cuckoo_insert<<<blocks(n), kBlock>>>(view, d_unique, d_counter.view().data());
        cuckoo_lookup<<<blocks(n), kBlock>>>(view, d_unique, d_found);
        auto found = d_found.to_host();
        uint32_t missing = 0;
        for (uint32_t i = 0; i < n; ++i) missing += found[i] != i;
        expect("cuckoo", missing == d_counter.to_host()[0], missing);
    }

    // warp buckets
    {
        device_array<uint32_t> bk(kCap), bv(kCap);
        bk.fill_bytes(0xff);
        bv.fill_bytes(0);
        BucketView view{bk.view(), bv.view(), kCap / 32 - 1};
        bucket_insert<<<blocks(kN), kBlock>>>(view, d_keys, d_vals);
        bucket_lookup<<<blocks(kN), kBlock>>>(view, d_queries, d_out);
        check_lookup("warp buckets", d_out.to_host());
    }

    // distinct
    linear.clear();
    count_distinct<<<132 * 8, kBlock>>>(linear.view(), d_keys, d_counter.view().data() + 1);
    expect("distinct", d_counter.to_host()[1] == distinct, distinct);
    {
        constexpr uint32_t m = 4096;
        device_array<int> regs(m);
        regs.fill_bytes(0);
        hyperloglog<<<132 * 4, kBlock, m * sizeof(int)>>>(d_keys, regs);
        double s = 0;
        for (int r : regs.to_host()) s += std::ldexp(1.0, -r);
        double est = 0.7213 / (1.0 + 1.079 / m) * m * m / s;
        expect("hyperloglog", std::fabs(est / distinct - 1.0) < 0.1, est);
    }

    // group by: skewed group ids
    {
        constexpr uint32_t groups = 1000;
        std::vector<uint32_t> gid(kN);
        std::vector<unsigned long long> rs(groups, 0), gs(groups, 0), ss(groups, 0);
        std::vector<uint32_t> rc(groups, 0), gc(groups, 0), sc(groups, 0), rm(groups, 0), gm(groups, 0), sm(groups, 0);
        for (uint32_t i = 0; i < kN; ++i) {
            double u = (murmur_mix(i * 3 + 1) >> 8) / 16777216.0;
            uint32_t g = std::min(groups - 1, static_cast<uint32_t>(u * std::sqrt(u) * groups));
            gid[i] = g * 7919u;
            rs[g] += vals[i];
            rc[g] += 1;
            rm[g] = std::max(rm[g], vals[i]);
        }
        device_array<uint32_t> d_gid(gid);
        GroupTable a(4096), b(4096);
        groupby_global<<<blocks(kN), kBlock>>>(a.view(), d_gid, d_vals);
        groupby_shared<2048><<<132 * 2, kBlock>>>(b.view(), d_gid, d_vals);
        a.collect(gs, gc, gm);
        b.collect(ss, sc, sm);
        expect("group by global", gs == rs && gc == rc && gm == rm, groups);
        expect("group by shared", ss == rs && sc == rc && sm == rm, groups);
    }

    // bloom filter: build from a third of the keys
    {
        constexpr uint32_t bits = 1u << 23, nb = kN / 3;
        device_array<uint32_t> words(bits / 32);
        words.fill_bytes(0);
        BloomView bloom{words.view(), bits - 1};
        span<const uint32_t> build{d_keys.view().data(), nb};
        bloom_build<<<blocks(nb), kBlock>>>(bloom, build);
        bloom_probe<<<blocks(kN), kBlock>>>(bloom, d_queries, d_counter.view().data() + 2);
        std::vector<char> in(2 * kRange + 1, 0);
        for (uint32_t i = 0; i < nb; ++i) in[keys[i]] = 1;
        uint32_t exact = 0;
        for (uint32_t q : queries) exact += in[q];
        uint32_t got = d_counter.to_host()[2];
        expect("bloom", got >= exact && got < exact + kN / 10, got);
    }

    // join
    {
        constexpr uint32_t nr = 1u << 18, buckets = 1u << 18;
        std::vector<uint32_t> r(nr), s(kN), per_key(400001, 0);
        for (uint32_t i = 0; i < nr; ++i) {
            r[i] = 1 + murmur_mix(i + 77) % 200000;
            per_key[r[i]]++;
        }
        unsigned long long want = 0;
        for (uint32_t i = 0; i < kN; ++i) {
            s[i] = 1 + murmur_mix(i * 5 + 3) % 400000;
            want += per_key[s[i]];
        }
        device_array<uint32_t> d_r(r), d_s(s);
        device_array<int> head(buckets), next(nr);
        device_array<unsigned long long> total(1);
        device_array<uint2> out(static_cast<uint32_t>(want));
        head.fill_bytes(0xff);
        total.fill_bytes(0);
        JoinView j{head.view(), next.view(), d_r, buckets - 1};
        join_build<<<blocks(nr), kBlock>>>(j);
        join_count<<<blocks(kN), kBlock>>>(j, d_s, total.view().data());
        join_materialise<<<blocks(kN), kBlock>>>(j, d_s, out, d_counter.view().data() + 3);
        expect("join count", total.to_host()[0] == want, static_cast<double>(want));
        auto pairs = out.to_host();
        uint32_t bad = d_counter.to_host()[3] != want;
        for (size_t k = 0; k < pairs.size() && !bad; ++k)
            bad += pairs[k].x >= kN || pairs[k].y >= nr || s[pairs[k].x] != r[pairs[k].y];
        expect("join pairs", bad == 0, bad);
    }

    util::check(cudaDeviceSynchronize(), "sync");
    std::puts(failures ? "FAIL" : "PASS");
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
