/* gpu_sorting.cu - bitonic networks, LSD radix passes, merge path.  C port, keys are unsigned 32 bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned int u32;

struct kv { u32 key; u32 val; };

struct radix_plan {
    u32 n;
    u32 nblocks;
    u32 items_per_block;
    u32 *counts;   /* [digit][block] */
    u32 *totals;
};

#define TRY(e) do { cudaError_t rc_ = (e); if (rc_ != cudaSuccess) { fprintf(stderr, "[%d] %s\n", __LINE__, cudaGetErrorString(rc_)); exit(1); } } while (0)

/* sort 2*blockDim keys in shared memory, one full bitonic network per block */
__global__ void bitonic_block(u32 *keys, u32 n, int alternate)
{
    extern __shared__ u32 s[];
    u32 len = blockDim.x * 2, base = blockIdx.x * len;
    for (u32 i = threadIdx.x; i < len; i += blockDim.x) s[i] = base + i < n ? keys[base + i] : 0xffffffffu;
    for (u32 size = 2; size <= len; size <<= 1) {
        u32 dir = (size == len) ? (alternate & blockIdx.x & 1) : ((threadIdx.x & (size / 2)) != 0);
        for (u32 stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            u32 pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            u32 a = s[pos], b = s[pos + stride];
            if ((a > b) != dir) {
                s[pos] = b;
                s[pos + stride] = a;
            }
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < len; i += blockDim.x) if (base + i < n) keys[base + i] = s[i];
}

/* one compare-exchange step in global memory, key/value pairs moved as 8 byte structs */
__global__ void bitonic_global_step(kv *data, u32 n, u32 size, u32 stride)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 i = 2 * t - (t & (stride - 1));
    if (i + stride >= n) return;
    kv a = data[i], b = data[i + stride];
    u32 up = (i & size) == 0;
    if ((a.key > b.key) == up) {
        data[i] = b;
        data[i + stride] = a;
    }
}

/* each warp sorts 32 keys held in registers using shuffles */
__global__ void bitonic_warp(u32 *keys, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    u32 v = i < n ? keys[i] : 0xffffffffu;
#pragma unroll
    for (u32 size = 2; size <= 32; size <<= 1)
#pragma unroll
        for (u32 stride = size / 2; stride > 0; stride >>= 1) {
            u32 o = __shfl_xor_sync(0xffffffffu, v, stride);
            bool keep_min = ((lane & stride) == 0) == ((lane & size) == 0 || size == 32);
            v = keep_min ? min(v, o) : max(v, o);
        }
    if (i < n) keys[i] = v;
}

/* radix pass, step 1: digit counts per block (BITS wide digits) */
template <int BITS>
__global__ void radix_count(const u32 *keys, radix_plan p, int shift)
{
    __shared__ u32 h[1 << BITS];
    for (u32 d = threadIdx.x; d < (1u << BITS); d += blockDim.x) h[d] = 0;
    __syncthreads();
    u32 lo = blockIdx.x * p.items_per_block, hi = min(lo + p.items_per_block, p.n);
    for (u32 i = lo + threadIdx.x; i < hi; i += blockDim.x) atomicAdd(&h[(keys[i] >> shift) & ((1u << BITS) - 1)], 1u);
    __syncthreads();
    for (u32 d = threadIdx.x; d < (1u << BITS); d += blockDim.x) p.counts[d * p.nblocks + blockIdx.x] = h[d];
}

/* step 2: exclusive scan of the count matrix by one block, blockDim = 1024 */
__global__ void radix_scan(radix_plan p, u32 ncounts)
{
    __shared__ u32 tmp[1024];
    u32 carry = 0;
    for (u32 base = 0; base < ncounts; base += 1024) {
        u32 i = base + threadIdx.x, v = i < ncounts ? p.counts[i] : 0;
        tmp[threadIdx.x] = v;
        __syncthreads();
        for (u32 off = 1; off < 1024; off *= 2) {
            u32 t = threadIdx.x >= off ? tmp[threadIdx.x - off] : 0;
            __syncthreads();
            tmp[threadIdx.x] += t;
            __syncthreads();
        }
        if (i < ncounts) p.counts[i] = carry + tmp[threadIdx.x] - v;
        carry += tmp[1023];
        __syncthreads();
    }
    if (threadIdx.x == 0) p.totals[0] = carry;
}

/* step 3: stable scatter; ranks inside a warp by match_any, warps of a block take turns */
template <int BITS>
__global__ void radix_scatter(const u32 *__restrict__ in, u32 *__restrict__ out, radix_plan p, int shift)
{
    const u32 RADIX = 1u << BITS;
    __shared__ u32 next[1 << BITS];
    for (u32 d = threadIdx.x; d < RADIX; d += blockDim.x) next[d] = p.counts[d * p.nblocks + blockIdx.x];
    __syncthreads();
    u32 lo = blockIdx.x * p.items_per_block, hi = min(lo + p.items_per_block, p.n);
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, nwarps = blockDim.x >> 5;
    for (u32 base = lo; base < hi; base += blockDim.x) {
        u32 i = base + threadIdx.x;
        bool live = i < hi;
        u32 key = live ? in[i] : 0;
        u32 d = live ? (key >> shift) & (RADIX - 1) : RADIX;
        u32 peers = __match_any_sync(0xffffffffu, d);
        u32 rank = __popc(peers & ((1u << lane) - 1)), pos = 0;
        for (u32 w = 0; w < nwarps; ++w) {
            if (w == warp) {
                if (live) pos = next[d] + rank;
                __syncwarp();
                if (live && rank == 0) next[d] += __popc(peers);
            }
            __syncthreads();
        }
        if (live) out[pos] = key;
    }
}

/* number of elements of a among the first diag of merge(a, b) */
__device__ u32 merge_path(const u32 *a, u32 na, const u32 *b, u32 nb, u32 diag)
{
    u32 lo = diag > nb ? diag - nb : 0, hi = min(diag, na);
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* pairwise merge of sorted runs, every thread finds its own diagonal in global memory */
template <int VT>
__global__ void merge_runs_direct(const u32 *__restrict__ in, u32 *__restrict__ out, u32 run)
{
    u32 g = (blockIdx.x * blockDim.x + threadIdx.x) * VT;
    u32 pair = g / (2 * run), off = g % (2 * run);
    const u32 *a = in + pair * 2 * run, *b = a + run;
    u32 i = merge_path(a, run, b, run, off), j = off - i;
#pragma unroll
    for (int k = 0; k < VT; ++k) {
        bool take_a = j >= run || (i < run && a[i] <= b[j]);
        out[g + k] = take_a ? a[i++] : b[j++];
    }
}

/* same, but the block's slice is staged in shared memory first */
template <int NT, int VT>
__global__ void __launch_bounds__(NT) merge_runs_shared(const u32 *__restrict__ in, u32 *__restrict__ out, u32 run)
{
    __shared__ u32 s[NT * VT];
    __shared__ u32 bounds[2];
    u32 g = blockIdx.x * NT * VT, pair = g / (2 * run), off = g % (2 * run);
    const u32 *a = in + pair * 2 * run, *b = a + run;
    if (threadIdx.x < 2) bounds[threadIdx.x] = merge_path(a, run, b, run, off + threadIdx.x * NT * VT);
    __syncthreads();
    u32 a0 = bounds[0], na = bounds[1] - a0, b0 = off - a0, nb = NT * VT - na;
    for (u32 k = threadIdx.x; k < NT * VT; k += NT) s[k] = k < na ? a[a0 + k] : b[b0 + k - na];
    __syncthreads();
    u32 diag = threadIdx.x * VT, i = merge_path(s, na, s + na, nb, diag), j = diag - i, r[VT];
#pragma unroll
    for (int k = 0; k < VT; ++k) {
        bool take_a = j >= nb || (i < na && s[i] <= s[na + j]);
        r[k] = take_a ? s[i++] : s[na + j++];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VT; ++k) s[diag + k] = r[k];
    __syncthreads();
    for (u32 k = threadIdx.x; k < NT * VT; k += NT) out[g + k] = s[k];
}

template <int BITS>
static void radix_pass(u32 *in, u32 *out, radix_plan *p, int shift, int threads)
{
    radix_count<BITS><<<p->nblocks, threads>>>(in, *p, shift);
    radix_scan<<<1, 1024>>>(*p, p->nblocks << BITS);
    radix_scatter<BITS><<<p->nblocks, threads>>>(in, out, *p, shift);
    TRY(cudaGetLastError());
}

int main(void)
{
    const u32 n = 1u << 22;
    std::vector<u32> host(n), sorted(n);
    u32 s = 77;
    for (u32 i = 0; i < n; ++i) {
        s = s * 1664525u + 1013904223u;
        host[i] = s ^ (s >> 15);
    }
    u32 *a, *b;
    radix_plan plan;
    memset(&plan, 0, sizeof plan);
    TRY(cudaMalloc(&a, n * sizeof(u32)));
    TRY(cudaMalloc(&b, n * sizeof(u32)));
    TRY(cudaMalloc(&plan.counts, 256 * 1024 * sizeof(u32)));
    TRY(cudaMalloc(&plan.totals, sizeof(u32)));
    TRY(cudaMemcpy(a, host.data(), n * sizeof(u32), cudaMemcpyHostToDevice));

    bitonic_warp<<<n / 256, 256>>>(a, n);
    bitonic_global_step<<<n / 4 / 256, 256>>>((kv *)a, n / 2, 1u << 12, 1u << 11);
    bitonic_global_step<<<n / 4 / 512, 512>>>((kv *)a, n / 2, 1u << 20, 1u << 2);
    TRY(cudaMemcpy(a, host.data(), n * sizeof(u32), cudaMemcpyHostToDevice));
    bitonic_block<<<(n - 5000) / 512 + 1, 256, 512 * sizeof(u32)>>>(a, n - 5000, 1);
    TRY(cudaMemcpy(a, host.data(), n * sizeof(u32), cudaMemcpyHostToDevice));
    bitonic_block<<<n / 2048, 1024, 2048 * sizeof(u32)>>>(a, n, 0);

    merge_runs_direct<8><<<n / (128 * 8), 128>>>(a, b, 2048);
    merge_runs_shared<256, 8><<<n / 2048, 256>>>(b, a, 4096);
    merge_runs_shared<128, 16><<<n / 2048, 128>>>(a, b, 8192);
    merge_runs_direct<4><<<n / (256 * 4), 256>>>(b, a, 16384);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(sorted.data(), a, n * sizeof(u32), cudaMemcpyDeviceToHost));
    u32 bad = 0;
    for (u32 i = 1; i < n; ++i) bad += (i % 32768) && sorted[i - 1] > sorted[i];
    printf("merge: %u inversions inside runs\n", bad);

    plan.n = n;
    plan.nblocks = 528;
    plan.items_per_block = (n + 527) / 528;
    radix_pass<8>(a, b, &plan, 0, 256);
    plan.nblocks = 1024;
    plan.items_per_block = n / 1024;
    radix_pass<4>(b, a, &plan, 28, 512);
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(sorted.data(), a, n * sizeof(u32), cudaMemcpyDeviceToHost));
    bad = 0;
    for (u32 i = 1; i < n; ++i)
        bad += (sorted[i - 1] >> 28) > (sorted[i] >> 28) || ((sorted[i - 1] >> 28) == (sorted[i] >> 28) && (sorted[i - 1] & 255) > (sorted[i] & 255));
    printf("radix: %u inversions\n", bad);
    return 0;
}
