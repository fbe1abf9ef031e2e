// Parallel reductions (4 variants) and prefix sums (3-kernel Blelloch, decoupled look-back).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(x)                                                                      \
    if (cudaError_t err = (x); err != cudaSuccess) {                                  \
        fprintf(stderr, "[%s:%d] %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
        exit(1);                                                                      \
    }

// =============================================================== reductions
// v0: interleaved addressing with modulo divergence.
__global__ void reduce_interleaved(const float *in, float *out, int n) {
    extern __shared__ float sdata[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) atomicAdd(out, sdata[0]);
}

// v1: sequential addressing, first add during load, unrolled last warp.
template <unsigned BLOCK>
__global__ void reduce_sequential(const float *in, float *out, int n) {
    __shared__ float sdata[BLOCK];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (BLOCK * 2) + tid;
    float v = i < n ? in[i] : 0.0f;
    if (i + BLOCK < n) v += in[i + BLOCK];
    sdata[tid] = v;
    __syncthreads();
#pragma unroll
    for (unsigned s = BLOCK / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] = v = v + sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        v += sdata[tid + 32];
#pragma unroll
        for (int off = 16; off > 0; off >>= 1) v += __shfl_down_sync(0xffffffff, v, off);
        if (tid == 0) atomicAdd(out, v);
    }
}

// v2: grid-stride float4 loads, two-level warp shuffle.
__global__ void __launch_bounds__(256) reduce_shuffle_vec4(const float4 *__restrict__ in, float *out, int n4) {
    __shared__ float warp_sums[8];
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        const float4 t = in[i];
        v += (t.x + t.y) + (t.z + t.w);
    }
#pragma unroll
    for (int off = 16; off; off >>= 1) v += __shfl_down_sync(0xffffffffu, v, off);
    if ((threadIdx.x & 31) == 0) warp_sums[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 8) {
        v = warp_sums[threadIdx.x];
#pragma unroll
        for (int off = 4; off; off >>= 1) v += __shfl_down_sync(0xffu, v, off, 8);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}

// v3: cooperative groups, unroll-by-4 for memory parallelism, last block finishes.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    reduce_cg_last_block(const float4 *__restrict__ in, float *partial, unsigned *ticket, float *out, int n4) {
    cg::thread_block cta = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(cta);
    __shared__ float ws[BLOCK / 32];
    __shared__ bool is_last;

    const int stride = gridDim.x * BLOCK;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
    for (; i + 3 * stride < n4; i += 4 * stride) {
        const float4 p = __ldg(in + i), q = __ldg(in + i + stride);
        const float4 r = __ldg(in + i + 2 * stride), s = __ldg(in + i + 3 * stride);
        a0 += p.x + p.y + p.z + p.w;
        a1 += q.x + q.y + q.z + q.w;
        a2 += r.x + r.y + r.z + r.w;
        a3 += s.x + s.y + s.z + s.w;
    }
    for (; i < n4; i += stride) {
        const float4 p = __ldg(in + i);
        a0 += p.x + p.y + p.z + p.w;
    }
    float v = cg::reduce(warp, (a0 + a1) + (a2 + a3), cg::plus<float>());
    if (warp.thread_rank() == 0) ws[warp.meta_group_rank()] = v;
    cta.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < BLOCK / 32 ? ws[warp.thread_rank()] : 0.0f;
        v = cg::reduce(warp, v, cg::plus<float>());
        if (warp.thread_rank() == 0) {
            partial[blockIdx.x] = v;
            __threadfence();
            is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        }
    }
    cta.sync();
    if (!is_last) return;
    v = 0.0f;
    for (int b = threadIdx.x; b < gridDim.x; b += BLOCK) v += __ldcg(partial + b);
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0) ws[warp.meta_group_rank()] = v;
    cta.sync();
    if (threadIdx.x == 0) {
        v = 0.0f;
        for (int w = 0; w < BLOCK / 32; ++w) v += ws[w];
        *out = v;
    }
}

// =============================================================== three-phase scan
constexpr int kBlellochTile = 1024;
#define CONFLICT_FREE(n) ((n) + ((n) >> 5))

// Work-efficient exclusive scan of a 1024-element tile by 512 threads.
__global__ void scan_blelloch_tile(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
                                   uint32_t *__restrict__ tile_sums, int n) {
    __shared__ uint32_t temp[CONFLICT_FREE(kBlellochTile)];
    const int tid = threadIdx.x;
    const int base = blockIdx.x * kBlellochTile;
    const int ai = tid, bi = tid + kBlellochTile / 2;
    temp[CONFLICT_FREE(ai)] = base + ai < n ? in[base + ai] : 0u;
    temp[CONFLICT_FREE(bi)] = base + bi < n ? in[base + bi] : 0u;

    int offset = 1;
    for (int d = kBlellochTile >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            const int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
            temp[CONFLICT_FREE(b)] += temp[CONFLICT_FREE(a)];
        }
        offset *= 2;
    }
    if (tid == 0) {
        tile_sums[blockIdx.x] = temp[CONFLICT_FREE(kBlellochTile - 1)];
        temp[CONFLICT_FREE(kBlellochTile - 1)] = 0u;
    }
    for (int d = 1; d < kBlellochTile; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            const int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
            const uint32_t t = temp[CONFLICT_FREE(a)];
            temp[CONFLICT_FREE(a)] = temp[CONFLICT_FREE(b)];
            temp[CONFLICT_FREE(b)] += t;
        }
    }
    __syncthreads();
    if (base + ai < n) out[base + ai] = temp[CONFLICT_FREE(ai)];
    if (base + bi < n) out[base + bi] = temp[CONFLICT_FREE(bi)];
}

__device__ __forceinline__ uint32_t warp_inclusive_scan(uint32_t v) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const uint32_t t = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += t;
    }
    return v;
}

// Single block exclusive scan over the tile sums (in place).
template <int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS) scan_tile_sums(uint32_t *sums, int n) {
    __shared__ uint32_t ws[32];
    uint32_t v[ITEMS], total = 0;
    const int first = threadIdx.x * ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        v[i] = first + i < n ? sums[first + i] : 0u;
        total += v[i];
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const uint32_t inc = warp_inclusive_scan(total);
    if (lane == 31) ws[warp] = inc;
    __syncthreads();
    if (warp == 0) {
        const uint32_t w = lane < THREADS / 32 ? ws[lane] : 0u;
        ws[lane] = warp_inclusive_scan(w) - w;
    }
    __syncthreads();
    uint32_t run = ws[warp] + inc - total;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (first + i < n) sums[first + i] = run;
        run += v[i];
    }
}

__global__ void scan_add_offsets(uint32_t *__restrict__ data, const uint32_t *__restrict__ offsets, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        uint4 *p = reinterpret_cast<uint4 *>(data + i);
        const uint32_t o = offsets[i / kBlellochTile];
        uint4 v = *p;
        v.x += o; v.y += o; v.z += o; v.w += o;
        *p = v;
    } else {
        for (int j = i; j < n; ++j) data[j] += offsets[j / kBlellochTile];
    }
}

// =============================================================== single-pass look-back
enum : uint32_t { kInvalid = 0, kAggregate = 1, kPrefix = 2 };

__device__ __forceinline__ unsigned long long pack_state(uint32_t flag, uint32_t value) {
    return (static_cast<unsigned long long>(flag) << 32) | value;
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS)
    scan_decoupled_lookback(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
                            unsigned long long *states, unsigned *tile_counter, int n) {
    constexpr int ITEMS = 8;
    constexpr int WARPS = THREADS / 32;
    __shared__ unsigned s_tile;
    __shared__ uint32_t s_warp[WARPS];
    __shared__ uint32_t s_prefix;

    if (threadIdx.x == 0) s_tile = atomicAdd(tile_counter, 1u);
    __syncthreads();
    const int tile = s_tile;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int first = tile * (THREADS * ITEMS) + threadIdx.x * ITEMS;

    uint32_t v[ITEMS];
    if (first + ITEMS <= n) {
        const uint4 a = *reinterpret_cast<const uint4 *>(in + first);
        const uint4 b = *reinterpret_cast<const uint4 *>(in + first + 4);
        v[0] = a.x; v[1] = a.y; v[2] = a.z; v[3] = a.w;
        v[4] = b.x; v[5] = b.y; v[6] = b.z; v[7] = b.w;
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) v[i] = first + i < n ? in[first + i] : 0u;
    }
    uint32_t total = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) total += v[i];
    const uint32_t inc = warp_inclusive_scan(total);
    if (lane == 31) s_warp[warp] = inc;
    __syncthreads();

    uint32_t warp_base = 0, aggregate = 0;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
        const uint32_t t = s_warp[w];
        if (w < warp) warp_base += t;
        aggregate += t;
    }

    if (warp == 0) {
        uint32_t exclusive = 0;
        if (tile == 0) {
            if (lane == 0) atomicExch(&states[0], pack_state(kPrefix, aggregate));
        } else {
            if (lane == 0) atomicExch(&states[tile], pack_state(kAggregate, aggregate));
            int look = tile - 1 - lane;
            while (true) {
                unsigned long long st;
                do {
                    st = look >= 0 ? *(volatile unsigned long long *)(states + look) : pack_state(kPrefix, 0u);
                } while (__any_sync(0xffffffffu, uint32_t(st >> 32) == kInvalid));
                const unsigned done = __ballot_sync(0xffffffffu, uint32_t(st >> 32) == kPrefix);
                const int stop = done ? __ffs(done) - 1 : 31;
                uint32_t c = lane <= stop ? uint32_t(st) : 0u;
#pragma unroll
                for (int d = 16; d > 0; d >>= 1) c += __shfl_xor_sync(0xffffffffu, c, d);
                exclusive += c;
                if (done) break;
                look -= 32;
            }
            if (lane == 0) atomicExch(&states[tile], pack_state(kPrefix, exclusive + aggregate));
        }
        if (lane == 0) s_prefix = exclusive;
    }
    __syncthreads();

    uint32_t run = s_prefix + warp_base + inc - total;
    uint32_t r[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        r[i] = run;
        run += v[i];
    }
    if (first + ITEMS <= n) {
        *reinterpret_cast<uint4 *>(out + first) = make_uint4(r[0], r[1], r[2], r[3]);
        *reinterpret_cast<uint4 *>(out + first + 4) = make_uint4(r[4], r[5], r[6], r[7]);
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (first + i < n) out[first + i] = r[i];
    }
}

// =============================================================== host
int main() {
    const int nr = 1 << 24;                 // reduction length
    const int ns = 8 * 1000 * 1000 + 160;   // scan length (not a multiple of the tile)
    bool ok = true;

    // ---- reductions
    std::vector<float> h(nr);
    double ref = 0.0;
    uint32_t s = 88172645u;
    for (int i = 0; i < nr; ++i) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        h[i] = (s >> 8) * (1.0f / 16777216.0f);
        ref += h[i];
    }
    float *d_in, *d_out, *d_partial;
    unsigned *d_ticket;
    const int grid3 = 132 * 4;
    CHECK(cudaMalloc(&d_in, nr * sizeof(float)));
    CHECK(cudaMalloc(&d_out, 4 * sizeof(float)));
    CHECK(cudaMalloc(&d_partial, grid3 * sizeof(float)));
    CHECK(cudaMalloc(&d_ticket, sizeof(unsigned)));
    CHECK(cudaMemcpy(d_in, h.data(), nr * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, 4 * sizeof(float)));
    CHECK(cudaMemset(d_ticket, 0, sizeof(unsigned)));

    reduce_interleaved<<<(nr + 255) / 256, 256, 256 * sizeof(float)>>>(d_in, d_out + 0, nr);
    CHECK(cudaGetLastError());
    reduce_sequential<512><<<(nr + 1023) / 1024, 512>>>(d_in, d_out + 1, nr);
    CHECK(cudaGetLastError());
    reduce_shuffle_vec4<<<132 * 8, 256>>>(reinterpret_cast<const float4 *>(d_in), d_out + 2, nr / 4);
    CHECK(cudaGetLastError());
    reduce_cg_last_block<512>
        <<<grid3, 512>>>(reinterpret_cast<const float4 *>(d_in), d_partial, d_ticket, d_out + 3, nr / 4);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    float res[4];
    CHECK(cudaMemcpy(res, d_out, sizeof(res), cudaMemcpyDeviceToHost));
    const char *names[4] = {"interleaved", "sequential", "shuffle_vec4", "cg_last_block"};
    for (int i = 0; i < 4; ++i) {
        const double rel = fabs(res[i] - ref) / ref;
        const bool good = rel < 2e-4;
        printf("reduce %-14s %.1f (ref %.1f) rel %.2e %s\n", names[i], res[i], ref, rel, good ? "ok" : "BAD");
        ok = ok && good;
    }

    // ---- scans
    std::vector<uint32_t> hs(ns), expect(ns), got(ns);
    uint32_t acc = 0;
    for (int i = 0; i < ns; ++i) {
        s = s * 1664525u + 1013904223u;
        hs[i] = s >> 20;
        expect[i] = acc;
        acc += hs[i];
    }
    const int tiles_b = (ns + kBlellochTile - 1) / kBlellochTile;
    constexpr int LB_THREADS = 256, LB_TILE = LB_THREADS * 8;
    const int tiles_l = (ns + LB_TILE - 1) / LB_TILE;
    uint32_t *d_a, *d_b, *d_sums;
    unsigned long long *d_states;
    unsigned *d_counter;
    CHECK(cudaMalloc(&d_a, ns * sizeof(uint32_t)));
    CHECK(cudaMalloc(&d_b, ns * sizeof(uint32_t)));
    CHECK(cudaMalloc(&d_sums, tiles_b * sizeof(uint32_t)));
    CHECK(cudaMalloc(&d_states, tiles_l * sizeof(unsigned long long)));
    CHECK(cudaMalloc(&d_counter, sizeof(unsigned)));
    CHECK(cudaMemcpy(d_a, hs.data(), ns * sizeof(uint32_t), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_states, 0, tiles_l * sizeof(unsigned long long)));
    CHECK(cudaMemset(d_counter, 0, sizeof(unsigned)));

    auto compare = [&](const char *name) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got.data(), d_b, ns * sizeof(uint32_t), cudaMemcpyDeviceToHost));
        CHECK(cudaMemset(d_b, 0xff, ns * sizeof(uint32_t)));
        int bad = 0;
        for (int i = 0; i < ns; ++i) bad += got[i] != expect[i];
        printf("scan %-20s mismatches %d\n", name, bad);
        ok = ok && bad == 0;
    };

    static_assert(1024 * 8 * kBlellochTile >= 8 * 1000 * 1000 + 160, "one block must cover all tile sums");
    scan_blelloch_tile<<<tiles_b, kBlellochTile / 2>>>(d_a, d_b, d_sums, ns);
    CHECK(cudaGetLastError());
    scan_tile_sums<1024, 8><<<1, 1024>>>(d_sums, tiles_b);
    CHECK(cudaGetLastError());
    scan_add_offsets<<<(ns / 4 + 255) / 256, 256>>>(d_b, d_sums, ns);
    CHECK(cudaGetLastError());
    compare("blelloch 3-phase");

    scan_decoupled_lookback<LB_THREADS><<<tiles_l, LB_THREADS>>>(d_a, d_b, d_states, d_counter, ns);
    CHECK(cudaGetLastError());
    compare("decoupled look-back");

    for (void *p : {(void *)d_in, (void *)d_out, (void *)d_partial, (void *)d_ticket, (void *)d_a, (void *)d_b,
                    (void *)d_sums, (void *)d_states, (void *)d_counter})
        CHECK(cudaFree(p));
    puts(ok ? "PASS" : "FAIL");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
