// 256-bin histograms and stream compaction under different atomic strategies.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace cg = cooperative_groups;

constexpr int NUM_BINS = 256;
using Hist = std::array<unsigned, NUM_BINS>;

#define CUDA_OK(e) cudaOk((e), #e, __LINE__)
static void cudaOk(cudaError_t e, const char *what, int line) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s -> %s\n", line, what, cudaGetErrorName(e));
    exit(10);
}

// ---------------------------------------------------------------- global atomics
__global__ void hist_global_atomics(const uint8_t *__restrict__ data, size_t n, unsigned *__restrict__ bins) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (; i < n; i += stride) atomicAdd(&bins[data[i]], 1u);
}

// ---------------------------------------------------------------- shared, one copy per block
__global__ void hist_shared_atomics(const uint8_t *__restrict__ data, size_t n, unsigned *__restrict__ bins) {
    __shared__ unsigned local[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    const uint32_t *words = reinterpret_cast<const uint32_t *>(data);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n / 4; i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t w = words[i];
        atomicAdd(&local[w & 0xff], 1u);
        atomicAdd(&local[(w >> 8) & 0xff], 1u);
        atomicAdd(&local[(w >> 16) & 0xff], 1u);
        atomicAdd(&local[w >> 24], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        if (local[b]) atomicAdd(&bins[b], local[b]);
}

// ------------------------------------- privatised: a copy per warp, plain stores to partials
template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    hist_warp_private(const uint4 *__restrict__ data, size_t n16, unsigned *__restrict__ partial) {
    __shared__ unsigned sub[WARPS][NUM_BINS + 1];
    unsigned *mine = sub[threadIdx.x / 32];
    for (int b = threadIdx.x % 32; b < NUM_BINS; b += 32) mine[b] = 0;
    __syncwarp();

    auto tally = [&](uint32_t w) {
        atomicAdd(mine + (w & 255), 1u);
        atomicAdd(mine + (w >> 8 & 255), 1u);
        atomicAdd(mine + (w >> 16 & 255), 1u);
        atomicAdd(mine + (w >> 24), 1u);
    };
    for (size_t i = blockIdx.x * (size_t)(WARPS * 32) + threadIdx.x; i < n16; i += (size_t)gridDim.x * WARPS * 32) {
        const uint4 v = __ldcs(data + i);
        tally(v.x);
        tally(v.y);
        tally(v.z);
        tally(v.w);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += WARPS * 32) {
        unsigned s = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) s += sub[w][b];
        partial[(size_t)b * gridDim.x + blockIdx.x] = s;
    }
}

// one block per bin
__global__ void __launch_bounds__(128) hist_merge_partials(const unsigned *__restrict__ partial, int copies, unsigned *__restrict__ bins) {
    __shared__ unsigned ws[4];
    unsigned s = 0;
    for (int c = threadIdx.x; c < copies; c += 128) s += partial[(size_t)blockIdx.x * copies + c];
    s = __reduce_add_sync(0xffffffffu, s);
    if (threadIdx.x % 32 == 0) ws[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) bins[blockIdx.x] = ws[0] + ws[1] + ws[2] + ws[3];
}

// ---------------------------------------------------------------- warp aggregated with match_any
__global__ void hist_match_any(const uint8_t *__restrict__ data, size_t n, unsigned *__restrict__ bins) {
    __shared__ unsigned local[NUM_BINS];
    local[threadIdx.x] = 0;  // blockDim.x == NUM_BINS
    __syncthreads();
    const unsigned lane = threadIdx.x & 31;
    const size_t warps = (size_t)gridDim.x * blockDim.x / 32;
    const size_t warp_id = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32;
    for (size_t base = warp_id * 32; base < n; base += warps * 32) {
        const bool valid = base + lane < n;
        const unsigned act = __ballot_sync(0xffffffffu, valid);
        if (valid) {
            const unsigned bin = data[base + lane];
            const unsigned peers = __match_any_sync(act, bin);
            if (lane == (unsigned)__ffs(peers) - 1) atomicAdd(&local[bin], (unsigned)__popc(peers));
        }
    }
    __syncthreads();
    if (local[threadIdx.x]) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// ---------------------------------------------------------------- compaction
struct KeepIf {
    int threshold;
    __host__ __device__ bool operator()(int v) const { return (v & 0x3ff) < threshold; }
};

// Block-level: ranks through shared atomics, one global atomic per block iteration.
template <class Pred>
__global__ void compact_block_atomic(const int *__restrict__ in, int n, int *__restrict__ out, int *counter, Pred pred) {
    __shared__ int s_count, s_base;
    const int step = gridDim.x * blockDim.x;
    const int rounds = (n + step - 1) / step;
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x == 0) s_count = 0;
        __syncthreads();
        const int i = r * step + blockIdx.x * blockDim.x + threadIdx.x;
        int v = 0, rank = -1;
        if (i < n) {
            v = in[i];
            if (pred(v)) rank = atomicAdd(&s_count, 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) s_base = atomicAdd(counter, s_count);
        __syncthreads();
        if (rank >= 0) out[s_base + rank] = v;
    }
}

// Warp aggregated via coalesced groups.
template <class Pred>
__global__ void compact_warp_aggregated(const int *__restrict__ in, int n, int *__restrict__ out, int *counter, Pred pred) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int v = in[i];
        if (pred(v)) {
            cg::coalesced_group active = cg::coalesced_threads();
            int base = 0;
            if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
            base = active.shfl(base, 0);
            out[base + active.thread_rank()] = v;
        }
    }
}

// ---------------------------------------------------------------- host driver
struct Driver {
    unsigned *d_bins = nullptr;
    Hist ref{};
    bool ok = true;

    void clear() { CUDA_OK(cudaMemset(d_bins, 0, sizeof(Hist))); }
    void verify(const char *name) {
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaDeviceSynchronize());
        Hist h;
        CUDA_OK(cudaMemcpy(h.data(), d_bins, sizeof(Hist), cudaMemcpyDeviceToHost));
        const bool good = h == ref;
        printf("%-26s %s\n", name, good ? "ok" : "MISMATCH");
        ok &= good;
    }
};

int main(int argc, char **argv) {
    size_t n = 16u << 20;
    if (argc > 1) n = (strtoull(argv[1], nullptr, 10) + 15) / 16 * 16;

    // Roughly bell-shaped byte data so that some bins are hot.
    std::vector<uint8_t> bytes(n);
    uint64_t st = 0x9E3779B97F4A7C15ull;
    Driver drv;
    for (size_t i = 0; i < n; ++i) {
        st = st * 6364136223846793005ull + 1442695040888963407ull;
        const unsigned a = (st >> 56) & 255, b = (st >> 48) & 255, c = (st >> 40) & 255;
        bytes[i] = (uint8_t)((a + b + c) / 3);
        ++drv.ref[bytes[i]];
    }
    uint8_t *d_data;
    const int priv_blocks = 132 * 6;
    unsigned *d_partial;
    CUDA_OK(cudaMalloc(&d_data, n));
    CUDA_OK(cudaMalloc(&drv.d_bins, sizeof(Hist)));
    CUDA_OK(cudaMalloc(&d_partial, sizeof(unsigned) * NUM_BINS * priv_blocks));
    CUDA_OK(cudaMemcpy(d_data, bytes.data(), n, cudaMemcpyHostToDevice));

    drv.clear();
    hist_global_atomics<<<132 * 8, 256>>>(d_data, n, drv.d_bins);
    drv.verify("hist_global_atomics");

    drv.clear();
    hist_shared_atomics<<<132 * 4, 256>>>(d_data, n, drv.d_bins);
    drv.verify("hist_shared_atomics");

    drv.clear();
    hist_warp_private<8><<<priv_blocks, 256>>>(reinterpret_cast<const uint4 *>(d_data), n / 16, d_partial);
    CUDA_OK(cudaGetLastError());
    hist_merge_partials<<<NUM_BINS, 128>>>(d_partial, priv_blocks, drv.d_bins);
    drv.verify("hist_warp_private+merge");

    drv.clear();
    hist_match_any<<<132 * 8, NUM_BINS>>>(d_data, n, drv.d_bins);
    drv.verify("hist_match_any");

    // ---- compaction
    const int m = 6 * 1000 * 1000 + 37;
    std::vector<int> vals(m);
    const KeepIf pred{400};
    long long ref_count = 0, ref_sum = 0;
    unsigned ref_xor = 0;
    for (int i = 0; i < m; ++i) {
        st = st * 6364136223846793005ull + 1442695040888963407ull;
        vals[i] = (int)(st >> 34);
        if (pred(vals[i])) {
            ++ref_count;
            ref_sum += vals[i];
            ref_xor ^= (unsigned)vals[i] * 2654435761u;
        }
    }
    int *d_in, *d_out, *d_counter;
    CUDA_OK(cudaMalloc(&d_in, sizeof(int) * m));
    CUDA_OK(cudaMalloc(&d_out, sizeof(int) * m));
    CUDA_OK(cudaMalloc(&d_counter, sizeof(int)));
    CUDA_OK(cudaMemcpy(d_in, vals.data(), sizeof(int) * m, cudaMemcpyHostToDevice));
    std::vector<int> out(m);
    auto verify_compaction = [&](const char *name) {
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaDeviceSynchronize());
        int count = 0;
        CUDA_OK(cudaMemcpy(&count, d_counter, sizeof(int), cudaMemcpyDeviceToHost));
        bool good = count == ref_count;
        if (good) {
            CUDA_OK(cudaMemcpy(out.data(), d_out, sizeof(int) * count, cudaMemcpyDeviceToHost));
            const long long sum = std::accumulate(out.begin(), out.begin() + count, 0LL);
            unsigned x = 0;
            for (int i = 0; i < count; ++i) x ^= (unsigned)out[i] * 2654435761u;
            good = sum == ref_sum && x == ref_xor;
        }
        printf("%-26s kept %d (ref %lld) %s\n", name, count, ref_count, good ? "ok" : "MISMATCH");
        drv.ok &= good;
    };

    CUDA_OK(cudaMemset(d_counter, 0, sizeof(int)));
    compact_block_atomic<<<132 * 4, 512>>>(d_in, m, d_out, d_counter, pred);
    verify_compaction("compact_block_atomic");

    CUDA_OK(cudaMemset(d_counter, 0, sizeof(int)));
    compact_warp_aggregated<<<132 * 8, 256>>>(d_in, m, d_out, d_counter, pred);
    verify_compaction("compact_warp_aggregated");

    cudaFree(d_data);
    cudaFree(drv.d_bins);
    cudaFree(d_partial);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_counter);
    printf("%s\n", drv.ok ? "PASS" : "FAIL");
    return drv.ok ? 0 : 1;
}
