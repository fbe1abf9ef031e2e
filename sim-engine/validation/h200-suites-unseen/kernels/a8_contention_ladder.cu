// =====================================================================
// Atomics under contention: a ladder of histograms, then float min/max by
// CAS, ticket counters, stream compaction, locks, gradient scatter-add and
// reductions with float / double / half2 atomics.
// =====================================================================
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define CUDA_CHECK(call)                                                                   \
    do {                                                                                   \
        cudaError_t status = call;                                                         \
        if (status != cudaSuccess) {                                                       \
            printf("CUDA error: %s (%s:%d)\n", cudaGetErrorString(status), __FILE__, __LINE__); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

constexpr int N = 1 << 22;
constexpr int BLOCK_SIZE = 256;
constexpr int NUM_BINS = 256;
constexpr int MANY_BINS = 1 << 16;
constexpr int NUM_SMS = 132;
constexpr int VOCAB = 5000, TOKENS = 32768, DIM = 64;
constexpr int RECORDS = 4096, UPDATES = 65536;
constexpr int ITEMS = 8192;
constexpr int CELLS = 4096;

// ---------------------------------------------------------------------
// v0: one global atomic per element
// ---------------------------------------------------------------------
__global__ void histogram_v0(const uint8_t* data, unsigned int* hist, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        atomicAdd(&hist[data[idx]], 1u);
    }
}

// ---------------------------------------------------------------------
// v1: block-private histogram in shared memory, grid-stride loop
// ---------------------------------------------------------------------
__global__ void histogram_v1(const uint8_t* __restrict__ data, unsigned int* hist, int n) {
    __shared__ unsigned int s_hist[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) s_hist[b] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&s_hist[data[i]], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) {
        if (s_hist[b] > 0) atomicAdd(&hist[b], s_hist[b]);
    }
}

// ---------------------------------------------------------------------
// v2: one histogram per warp
// ---------------------------------------------------------------------
__global__ void histogram_v2(const uint8_t* __restrict__ data, unsigned int* hist, int n) {
    __shared__ unsigned int s_hist[BLOCK_SIZE / 32][NUM_BINS + 1];
    const int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < (BLOCK_SIZE / 32) * (NUM_BINS + 1); i += BLOCK_SIZE) (&s_hist[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
        atomicAdd(&s_hist[warp][data[i]], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += BLOCK_SIZE) {
        unsigned int sum = 0;
#pragma unroll
        for (int w = 0; w < BLOCK_SIZE / 32; ++w) sum += s_hist[w][b];
        atomicAdd(&hist[b], sum);
    }
}

// ---------------------------------------------------------------------
// v3: 16 bytes per load
// ---------------------------------------------------------------------
__device__ __forceinline__ void count_word(unsigned int* s_hist, uint32_t w) {
    atomicAdd(&s_hist[w & 0xff], 1u);
    atomicAdd(&s_hist[(w >> 8) & 0xff], 1u);
    atomicAdd(&s_hist[(w >> 16) & 0xff], 1u);
    atomicAdd(&s_hist[w >> 24], 1u);
}

__global__ __launch_bounds__(BLOCK_SIZE) void histogram_v3(const uint4* __restrict__ data, unsigned int* hist, int n_vec) {
    __shared__ unsigned int s_hist[NUM_BINS];
    s_hist[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n_vec; i += gridDim.x * BLOCK_SIZE) {
        uint4 v = __ldg(&data[i]);
        count_word(s_hist, v.x);
        count_word(s_hist, v.y);
        count_word(s_hist, v.z);
        count_word(s_hist, v.w);
    }
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], s_hist[threadIdx.x]);
}

// ---------------------------------------------------------------------
// v4: lanes with equal keys elect a leader (for skewed data)
// ---------------------------------------------------------------------
__global__ __launch_bounds__(BLOCK_SIZE) void histogram_v4(const uint8_t* __restrict__ data, unsigned int* hist, int n) {
    __shared__ unsigned int s_hist[NUM_BINS];
    s_hist[threadIdx.x] = 0;
    __syncthreads();
    const int lane = threadIdx.x & 31;
    // n is a multiple of the block size, so whole warps stay in the loop together
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
        int key = data[i];
        unsigned int peers = __match_any_sync(0xffffffff, key);
        if (lane == __ffs(peers) - 1) atomicAdd(&s_hist[key], __popc(peers));
    }
    __syncthreads();
    if (s_hist[threadIdx.x]) atomicAdd(&hist[threadIdx.x], s_hist[threadIdx.x]);
}

// ---------------------------------------------------------------------
// v5: eight bins only, packed 8-bit counters in a 64-bit register
// ---------------------------------------------------------------------
__global__ __launch_bounds__(BLOCK_SIZE) void histogram_v5_few_bins(const uint4* __restrict__ data, unsigned int* hist, int n_vec) {
    __shared__ unsigned int s_hist[8];
    if (threadIdx.x < 8) s_hist[threadIdx.x] = 0;
    __syncthreads();
    unsigned int total[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    unsigned long long packed = 0;
    int pending = 0;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n_vec; i += gridDim.x * BLOCK_SIZE) {
        uint4 v = data[i];
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; ++k)
#pragma unroll
            for (int b = 0; b < 4; ++b) packed += 1ull << (8 * ((w[k] >> (8 * b)) & 7));
        if (++pending == 15) {  // at most 240 in a counter
#pragma unroll
            for (int b = 0; b < 8; ++b) total[b] += (packed >> (8 * b)) & 0xff;
            packed = 0;
            pending = 0;
        }
    }
#pragma unroll
    for (int b = 0; b < 8; ++b) {
        total[b] += (packed >> (8 * b)) & 0xff;
        unsigned int sum = __reduce_add_sync(0xffffffff, total[b]);
        if ((threadIdx.x & 31) == b) atomicAdd(&s_hist[b], sum);
    }
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&hist[threadIdx.x], s_hist[threadIdx.x]);
}

// ---------------------------------------------------------------------
// v6: many bins, little contention
// ---------------------------------------------------------------------
__global__ void histogram_v6_many_bins(const uint16_t* __restrict__ data, unsigned int* hist, int n) {
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (base + 3 < n) {
        ushort4 v = *reinterpret_cast<const ushort4*>(data + base);
        atomicAdd(&hist[v.x], 1u);
        atomicAdd(&hist[v.y], 1u);
        atomicAdd(&hist[v.z], 1u);
        atomicAdd(&hist[v.w], 1u);
    }
}

// ---------------------------------------------------------------------
// float min / max through atomicCAS
// ---------------------------------------------------------------------
__device__ float atomicMaxFloat(float* address, float val) {
    int* address_as_int = (int*)address;
    int old = *address_as_int, assumed;
    while (val > __int_as_float(old)) {
        assumed = old;
        old = atomicCAS(address_as_int, assumed, __float_as_int(val));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}

__device__ float atomicMinFloat(float* address, float val) {
    int* address_as_int = (int*)address;
    int old = *address_as_int, assumed;
    while (val < __int_as_float(old)) {
        assumed = old;
        old = atomicCAS(address_as_int, assumed, __float_as_int(val));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}

__global__ void minmax_cas(const float* __restrict__ data, float* min_out, float* max_out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float v = data[idx];
        atomicMaxFloat(max_out, v);
        atomicMinFloat(min_out, v);
    }
}

// ---------------------------------------------------------------------
// Ticket counter: blocks fetch work items of uneven size
// ---------------------------------------------------------------------
__global__ __launch_bounds__(128) void ticket_workers(const float* __restrict__ data, const int* __restrict__ offsets,
                                                      float* __restrict__ sums, int items, int* ticket) {
    __shared__ int s_item;
    __shared__ float s_part[4];
    while (true) {
        if (threadIdx.x == 0) s_item = atomicAdd(ticket, 1);
        __syncthreads();
        int item = s_item;
        if (item >= items) break;
        float acc = 0.0f;
        for (int i = offsets[item] + threadIdx.x; i < offsets[item + 1]; i += 128) acc += data[i];
        for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
        if ((threadIdx.x & 31) == 0) s_part[threadIdx.x >> 5] = acc;
        __syncthreads();
        if (threadIdx.x == 0) sums[item] = s_part[0] + s_part[1] + s_part[2] + s_part[3];
    }
}

// ---------------------------------------------------------------------
// Stream compaction by atomic append
// ---------------------------------------------------------------------
__global__ void compact_v0_naive(const float* __restrict__ in, float* out, int* count, int n, float threshold) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n && in[idx] > threshold) {
        out[atomicAdd(count, 1)] = in[idx];
    }
}

__global__ void compact_v1_warp(const float* __restrict__ in, float* __restrict__ out, int* count, int n, float threshold) {
    const int lane = threadIdx.x & 31;
    for (int base = (blockIdx.x * blockDim.x + threadIdx.x) & ~31; base < n; base += gridDim.x * blockDim.x) {
        int idx = base + lane;
        float v = idx < n ? in[idx] : -INFINITY;
        bool keep = v > threshold;
        unsigned int mask = __ballot_sync(0xffffffff, keep);
        int offset = 0;
        if (lane == 0 && mask) offset = atomicAdd(count, __popc(mask));
        offset = __shfl_sync(0xffffffff, offset, 0);
        if (keep) out[offset + __popc(mask & ((1u << lane) - 1))] = v;
    }
}

// ---------------------------------------------------------------------
// Spin locks over a table of records
// ---------------------------------------------------------------------
struct Record {
    double sum;
    int count;
    float max_value;
};

__global__ void locked_update(Record* records, int* locks, const float* __restrict__ values, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return;
    int r = (int)((unsigned int)idx * 2654435761u >> 20) & (RECORDS - 1);
    float v = values[idx];
    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[r], 0, 1) == 0) {
            __threadfence();
            volatile Record* rec = &records[r];
            rec->sum = rec->sum + v;
            rec->count = rec->count + 1;
            if (v > rec->max_value) rec->max_value = v;
            __threadfence();
            atomicExch(&locks[r], 0);
            done = true;
        }
    }
}

// ---------------------------------------------------------------------
// Embedding gradients: scatter-add rows by token id
// ---------------------------------------------------------------------
__global__ void embedding_grad_v0(const int* __restrict__ ids, const float* __restrict__ grad, float* table, int tokens) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= tokens * DIM) return;
    int t = idx / DIM, d = idx % DIM;
    atomicAdd(&table[ids[t] * DIM + d], grad[idx]);
}

__global__ void embedding_grad_v1_vec4(const int* __restrict__ ids, const float4* __restrict__ grad, float4* table, int tokens) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= tokens * (DIM / 4)) return;
    int t = idx / (DIM / 4), d = idx % (DIM / 4);
    atomicAdd(&table[__ldg(&ids[t]) * (DIM / 4) + d], grad[idx]);
}

// ---------------------------------------------------------------------
// Reductions with atomics
// ---------------------------------------------------------------------
__global__ void reduce_float_naive(const float* __restrict__ in, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) atomicAdd(out, in[idx]);
}

__global__ void reduce_double_warp(const float* __restrict__ in, double* out, int n) {
    double acc = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) acc += in[i];
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, acc);
}

__global__ void accumulate_half2(const uint16_t* __restrict__ cell, __half2* acc, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) atomicAdd(&acc[cell[idx] & (CELLS - 1)], __floats2half2_rn(1.0f, 0.5f));
}

// ---------------------------------------------------------------------
// Host
// ---------------------------------------------------------------------
static uint32_t hash_u32(uint32_t a) {
    a = (a + 0x7ed55d16) + (a << 12);
    a = (a ^ 0xc761c23c) ^ (a >> 19);
    a = (a + 0x165667b1) + (a << 5);
    a = (a + 0xd3a2646c) ^ (a << 9);
    a = (a + 0xfd7046c5) + (a << 3);
    a = (a ^ 0xb55a4f09) ^ (a >> 16);
    return a;
}

static int num_failed = 0;
static void check(const char* name, bool ok) {
    printf("[%s] %s\n", ok ? " OK " : "FAIL", name);
    if (!ok) num_failed++;
}

int main() {
    // ---------------- inputs ----------------
    std::vector<uint8_t> uniform(N), skewed(N);
    std::vector<uint16_t> keys(N / 2);
    std::vector<float> values(N);
    for (int i = 0; i < N; i++) {
        uint32_t h = hash_u32(i);
        uniform[i] = h & 0xff;
        skewed[i] = (h >> 8) % 10 < 9 ? 42 : (h >> 16) & 0xff;
        values[i] = (float)(h >> 8) / 16777216.0f * 2.0f - 1.0f;
        if (i < N / 2) keys[i] = h >> 13;
    }
    std::vector<unsigned int> ref_uniform(NUM_BINS, 0), ref_skewed(NUM_BINS, 0), ref_few(8, 0), ref_many(MANY_BINS, 0);
    for (int i = 0; i < N; i++) {
        ref_uniform[uniform[i]]++;
        ref_skewed[skewed[i]]++;
        ref_few[uniform[i] & 7]++;
    }
    for (auto k : keys) ref_many[k]++;

    uint8_t *d_uniform, *d_skewed;
    uint16_t* d_keys;
    float* d_values;
    unsigned int* d_hist;
    CUDA_CHECK(cudaMalloc(&d_uniform, N));
    CUDA_CHECK(cudaMalloc(&d_skewed, N));
    CUDA_CHECK(cudaMalloc(&d_keys, keys.size() * sizeof(uint16_t)));
    CUDA_CHECK(cudaMalloc(&d_values, N * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_hist, MANY_BINS * sizeof(unsigned int)));
    CUDA_CHECK(cudaMemcpy(d_uniform, uniform.data(), N, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_skewed, skewed.data(), N, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_keys, keys.data(), keys.size() * sizeof(uint16_t), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_values, values.data(), N * sizeof(float), cudaMemcpyHostToDevice));

    auto clear_hist = [&](int bins) { CUDA_CHECK(cudaMemset(d_hist, 0, bins * sizeof(unsigned int))); };
    auto verify_hist = [&](const char* name, const std::vector<unsigned int>& ref) {
        CUDA_CHECK(cudaGetLastError());
        std::vector<unsigned int> h(ref.size());
        CUDA_CHECK(cudaMemcpy(h.data(), d_hist, h.size() * sizeof(unsigned int), cudaMemcpyDeviceToHost));
        check(name, h == ref);
    };

    // ---------------- histograms ----------------
    const int full_grid = N / BLOCK_SIZE;
    clear_hist(NUM_BINS);
    histogram_v0<<<full_grid, BLOCK_SIZE>>>(d_uniform, d_hist, N);
    verify_hist("histogram v0 global", ref_uniform);

    clear_hist(NUM_BINS);
    histogram_v1<<<NUM_SMS * 8, BLOCK_SIZE>>>(d_uniform, d_hist, N);
    verify_hist("histogram v1 shared", ref_uniform);

    clear_hist(NUM_BINS);
    histogram_v2<<<NUM_SMS * 8, BLOCK_SIZE>>>(d_uniform, d_hist, N);
    verify_hist("histogram v2 per warp", ref_uniform);

    clear_hist(NUM_BINS);
    histogram_v3<<<NUM_SMS * 4, BLOCK_SIZE>>>((const uint4*)d_uniform, d_hist, N / 16);
    verify_hist("histogram v3 vectorised", ref_uniform);

    clear_hist(NUM_BINS);
    histogram_v1<<<NUM_SMS * 8, BLOCK_SIZE>>>(d_skewed, d_hist, N);
    verify_hist("histogram v1 shared, skewed", ref_skewed);

    clear_hist(NUM_BINS);
    histogram_v4<<<NUM_SMS * 8, BLOCK_SIZE>>>(d_skewed, d_hist, N);
    verify_hist("histogram v4 match_any, skewed", ref_skewed);

    clear_hist(NUM_BINS);
    histogram_v5_few_bins<<<NUM_SMS * 4, BLOCK_SIZE>>>((const uint4*)d_uniform, d_hist, N / 16);
    verify_hist("histogram v5 few bins", ref_few);

    clear_hist(MANY_BINS);
    histogram_v6_many_bins<<<N / 2 / 4 / BLOCK_SIZE, BLOCK_SIZE>>>(d_keys, d_hist, N / 2);
    verify_hist("histogram v6 many bins", ref_many);

    // ---------------- min / max ----------------
    {
        const int n = N / 8;
        float init[2] = {1e30f, -1e30f}, got[2], *d_mm;
        CUDA_CHECK(cudaMalloc(&d_mm, sizeof(init)));
        CUDA_CHECK(cudaMemcpy(d_mm, init, sizeof(init), cudaMemcpyHostToDevice));
        minmax_cas<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(d_values, d_mm, d_mm + 1, n);
        CUDA_CHECK(cudaMemcpy(got, d_mm, sizeof(got), cudaMemcpyDeviceToHost));
        auto mm = std::minmax_element(values.begin(), values.begin() + n);
        check("min / max by CAS", got[0] == *mm.first && got[1] == *mm.second);
        cudaFree(d_mm);
    }

    // ---------------- tickets ----------------
    {
        std::vector<int> offsets(ITEMS + 1, 0);
        for (int i = 0; i < ITEMS; i++) offsets[i + 1] = offsets[i] + 16 + hash_u32(i + 999) % 480;
        int *d_offsets, *d_ticket;
        float* d_sums;
        CUDA_CHECK(cudaMalloc(&d_offsets, offsets.size() * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&d_ticket, sizeof(int)));
        CUDA_CHECK(cudaMalloc(&d_sums, ITEMS * sizeof(float)));
        CUDA_CHECK(cudaMemcpy(d_offsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemset(d_ticket, 0, sizeof(int)));
        ticket_workers<<<NUM_SMS * 8, 128>>>(d_values, d_offsets, d_sums, ITEMS, d_ticket);
        std::vector<float> sums(ITEMS);
        CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, ITEMS * sizeof(float), cudaMemcpyDeviceToHost));
        bool ok = true;
        for (int i = 0; i < ITEMS; i++) {
            double s = 0;
            for (int k = offsets[i]; k < offsets[i + 1]; k++) s += values[k];
            ok = ok && fabs(s - sums[i]) < 1e-3;
        }
        check("ticket workers", ok);
        cudaFree(d_offsets);
        cudaFree(d_ticket);
        cudaFree(d_sums);
    }

    // ---------------- compaction ----------------
    {
        const float threshold = 0.5f;
        int expected = 0, got, *d_count;
        double expected_sum = 0;
        for (float v : values)
            if (v > threshold) {
                expected++;
                expected_sum += v;
            }
        float* d_out;
        CUDA_CHECK(cudaMalloc(&d_out, N * sizeof(float)));
        CUDA_CHECK(cudaMalloc(&d_count, sizeof(int)));
        auto verify = [&](const char* name) {
            CUDA_CHECK(cudaMemcpy(&got, d_count, sizeof(int), cudaMemcpyDeviceToHost));
            bool ok = got == expected;
            if (ok) {
                std::vector<float> out(got);
                CUDA_CHECK(cudaMemcpy(out.data(), d_out, got * sizeof(float), cudaMemcpyDeviceToHost));
                double s = 0;
                for (float v : out) s += v;
                ok = fabs(s - expected_sum) < 1.0;
            }
            check(name, ok);
            CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
        };
        CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
        compact_v0_naive<<<full_grid, BLOCK_SIZE>>>(d_values, d_out, d_count, N, threshold);
        verify("compaction v0 naive");
        compact_v1_warp<<<NUM_SMS * 8, BLOCK_SIZE>>>(d_values, d_out, d_count, N, threshold);
        verify("compaction v1 warp aggregated");
        cudaFree(d_out);
        cudaFree(d_count);
    }

    // ---------------- locks ----------------
    {
        Record* d_rec;
        int* d_locks;
        CUDA_CHECK(cudaMalloc(&d_rec, RECORDS * sizeof(Record)));
        CUDA_CHECK(cudaMalloc(&d_locks, RECORDS * sizeof(int)));
        CUDA_CHECK(cudaMemset(d_rec, 0, RECORDS * sizeof(Record)));
        CUDA_CHECK(cudaMemset(d_locks, 0, RECORDS * sizeof(int)));
        locked_update<<<UPDATES / 128, 128>>>(d_rec, d_locks, d_values, UPDATES);
        std::vector<Record> rec(RECORDS), ref(RECORDS, Record{0.0, 0, 0.0f});
        CUDA_CHECK(cudaMemcpy(rec.data(), d_rec, RECORDS * sizeof(Record), cudaMemcpyDeviceToHost));
        for (int i = 0; i < UPDATES; i++) {
            Record& r = ref[((unsigned int)i * 2654435761u >> 20) & (RECORDS - 1)];
            r.sum += values[i];
            r.count++;
            r.max_value = std::max(r.max_value, values[i]);
        }
        bool ok = true;
        for (int i = 0; i < RECORDS; i++)
            ok = ok && rec[i].count == ref[i].count && rec[i].max_value == ref[i].max_value && fabs(rec[i].sum - ref[i].sum) < 1e-6;
        check("locked records", ok);
        cudaFree(d_rec);
        cudaFree(d_locks);
    }

    // ---------------- embedding gradients ----------------
    {
        std::vector<int> ids(TOKENS);
        for (int i = 0; i < TOKENS; i++) {
            float u = (hash_u32(i * 7 + 5) >> 8) / 16777216.0f;
            ids[i] = std::min(VOCAB - 1, (int)(u * u * VOCAB));
        }
        std::vector<double> ref((size_t)VOCAB * DIM, 0.0);
        for (int t = 0; t < TOKENS; t++)
            for (int d = 0; d < DIM; d++) ref[(size_t)ids[t] * DIM + d] += values[(size_t)t * DIM + d];
        int* d_ids;
        float* d_table;
        const size_t table_bytes = (size_t)VOCAB * DIM * sizeof(float);
        CUDA_CHECK(cudaMalloc(&d_ids, TOKENS * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&d_table, table_bytes));
        CUDA_CHECK(cudaMemcpy(d_ids, ids.data(), TOKENS * sizeof(int), cudaMemcpyHostToDevice));
        auto verify = [&](const char* name) {
            std::vector<float> table((size_t)VOCAB * DIM);
            CUDA_CHECK(cudaMemcpy(table.data(), d_table, table_bytes, cudaMemcpyDeviceToHost));
            double worst = 0;
            for (size_t i = 0; i < table.size(); i++) worst = std::max(worst, fabs(table[i] - ref[i]));
            check(name, worst < 1e-3);
        };
        CUDA_CHECK(cudaMemset(d_table, 0, table_bytes));
        embedding_grad_v0<<<TOKENS * DIM / BLOCK_SIZE, BLOCK_SIZE>>>(d_ids, d_values, d_table, TOKENS);
        verify("embedding grad v0");
        CUDA_CHECK(cudaMemset(d_table, 0, table_bytes));
        embedding_grad_v1_vec4<<<TOKENS * DIM / 4 / BLOCK_SIZE, BLOCK_SIZE>>>(d_ids, (const float4*)d_values, (float4*)d_table, TOKENS);
        verify("embedding grad v1 float4");
        cudaFree(d_ids);
        cudaFree(d_table);
    }

    // ---------------- reductions ----------------
    {
        const int n = N / 8;
        double ref = 0, ref_all = 0, got_d;
        for (int i = 0; i < N; i++) {
            ref_all += values[i];
            if (i < n) ref += values[i];
        }
        float got_f, *d_f;
        double* d_d;
        CUDA_CHECK(cudaMalloc(&d_f, sizeof(float)));
        CUDA_CHECK(cudaMalloc(&d_d, sizeof(double)));
        CUDA_CHECK(cudaMemset(d_f, 0, sizeof(float)));
        CUDA_CHECK(cudaMemset(d_d, 0, sizeof(double)));
        reduce_float_naive<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(d_values, d_f, n);
        CUDA_CHECK(cudaMemcpy(&got_f, d_f, sizeof(float), cudaMemcpyDeviceToHost));
        check("reduce float naive", fabs(got_f - ref) < 1.0);
        reduce_double_warp<<<NUM_SMS * 8, BLOCK_SIZE>>>(d_values, d_d, N);
        CUDA_CHECK(cudaMemcpy(&got_d, d_d, sizeof(double), cudaMemcpyDeviceToHost));
        check("reduce double warp", fabs(got_d - ref_all) < 1e-6);
        cudaFree(d_f);
        cudaFree(d_d);
    }
    {
        const int n = N / 4;
        __half2* d_acc;
        CUDA_CHECK(cudaMalloc(&d_acc, CELLS * sizeof(__half2)));
        CUDA_CHECK(cudaMemset(d_acc, 0, CELLS * sizeof(__half2)));
        accumulate_half2<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(d_keys, d_acc, n);
        std::vector<__half2> acc(CELLS);
        CUDA_CHECK(cudaMemcpy(acc.data(), d_acc, CELLS * sizeof(__half2), cudaMemcpyDeviceToHost));
        std::vector<int> ref(CELLS, 0);
        for (int i = 0; i < n; i++) ref[keys[i] & (CELLS - 1)]++;
        bool ok = true;
        for (int c = 0; c < CELLS; c++) ok = ok && __low2float(acc[c]) == (float)ref[c] && __high2float(acc[c]) == 0.5f * ref[c];
        check("accumulate half2", ok);
        cudaFree(d_acc);
    }

    CUDA_CHECK(cudaDeviceSynchronize());
    cudaFree(d_uniform);
    cudaFree(d_skewed);
    cudaFree(d_keys);
    cudaFree(d_values);
    cudaFree(d_hist);
    printf(num_failed ? "%d checks failed\n" : "all checks passed\n", num_failed);
    return 0;
}
