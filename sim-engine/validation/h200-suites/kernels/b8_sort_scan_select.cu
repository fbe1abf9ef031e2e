// b8_sort_scan_select.cu
//
// Sorting, scanning and selection primitives in C++17 with cooperative groups
// and libcu++: bitonic sort, one radix sort pass, five ways to scan, merge
// path, odd-even transposition, compaction, partition, unique, reduce by key.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/std/cstdint>
#include <cuda/std/utility>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

namespace cg = cooperative_groups;
using u32 = cuda::std::uint32_t;
using u64 = cuda::std::uint64_t;

#define CU_TRY(...)                                                                       \
  do {                                                                                    \
    if (cudaError_t err_ = (__VA_ARGS__); err_ != cudaSuccess) {                          \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));   \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

constexpr int div_up(int a, int b) { return (a + b - 1) / b; }

// ============================================================================
// Bitonic sort
// ============================================================================
constexpr int kBitonicTile = 2048;

__device__ __forceinline__ void compare_exchange(u32& a, u32& b, bool ascending) {
  if ((a > b) == ascending) cuda::std::swap(a, b);
}

// Sorts tiles of 2048; the direction alternates from tile to tile.
__global__ void __launch_bounds__(kBitonicTile / 2) bitonic_sort_tile(u32* data) {
  __shared__ u32 s[kBitonicTile];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  u32* tile = data + static_cast<size_t>(blockIdx.x) * kBitonicTile;
  s[t] = tile[t];
  s[t + kBitonicTile / 2] = tile[t + kBitonicTile / 2];
  const bool tile_up = (blockIdx.x & 1) == 0;
  for (int k = 2; k <= kBitonicTile; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      block.sync();
      const int i = 2 * t - (t & (j - 1));
      const bool up = k == kBitonicTile ? tile_up : (i & k) == 0;
      compare_exchange(s[i], s[i + j], up);
    }
  }
  block.sync();
  tile[t] = s[t];
  tile[t + kBitonicTile / 2] = s[t + kBitonicTile / 2];
}

// One compare-exchange step over global memory.
__global__ void bitonic_global_step(u32* data, int n, int k, int j) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 2) return;
  const int i = 2 * t - (t & (j - 1));
  u32 a = data[i], b = data[i + j];
  if ((a > b) == ((i & k) == 0)) {
    data[i] = b;
    data[i + j] = a;
  }
}

// All remaining steps of phase k whose distance fits a tile.
__global__ void __launch_bounds__(kBitonicTile / 2) bitonic_merge_tile(u32* data, int k) {
  __shared__ u32 s[kBitonicTile];
  const int t = threadIdx.x;
  const int base = blockIdx.x * kBitonicTile;
  s[t] = data[base + t];
  s[t + kBitonicTile / 2] = data[base + t + kBitonicTile / 2];
  for (int j = kBitonicTile / 2; j > 0; j >>= 1) {
    __syncthreads();
    const int i = 2 * t - (t & (j - 1));
    compare_exchange(s[i], s[i + j], ((base + i) & k) == 0);
  }
  __syncthreads();
  data[base + t] = s[t];
  data[base + t + kBitonicTile / 2] = s[t + kBitonicTile / 2];
}

// ============================================================================
// Block-level scan used below
// ============================================================================
template <int THREADS>
struct block_scan {
  static constexpr int warps = THREADS / 32;
  struct storage {
    u32 warp_total[warps];
  };

  // Returns the exclusive prefix of v and the total of the block.
  static __device__ u32 exclusive(const cg::thread_block& block, storage& st, u32 v, u32& total) {
    const auto warp = cg::tiled_partition<32>(block);
    const u32 inc = cg::inclusive_scan(warp, v);
    if (warp.thread_rank() == 31) st.warp_total[warp.meta_group_rank()] = inc;
    block.sync();
    u32 before = 0, sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const u32 x = st.warp_total[w];
      before += w < static_cast<int>(warp.meta_group_rank()) ? x : 0u;
      sum += x;
    }
    block.sync();
    total = sum;
    return before + inc - v;
  }
};

// ============================================================================
// Radix sort pass, four bits
// ============================================================================
constexpr int kRadixThreads = 256;
constexpr int kRadixItems = 8;
constexpr int kRadixTile = kRadixThreads * kRadixItems;
constexpr int kDigits = 16;

__global__ void __launch_bounds__(kRadixThreads)
    radix_count(const u32* __restrict__ keys, u32* __restrict__ counts, int shift) {
  __shared__ u32 hist[kRadixThreads / 32][kDigits];
  if (threadIdx.x < kDigits * (kRadixThreads / 32)) (&hist[0][0])[threadIdx.x] = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32;
  const u32* tile = keys + static_cast<size_t>(blockIdx.x) * kRadixTile;
#pragma unroll
  for (int i = 0; i < kRadixItems; ++i)
    atomicAdd(&hist[warp][(tile[i * kRadixThreads + threadIdx.x] >> shift) & (kDigits - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < kDigits) {
    u32 sum = 0;
    for (int w = 0; w < kRadixThreads / 32; ++w) sum += hist[w][threadIdx.x];
    counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;  // digit-major
  }
}

// Exclusive scan of n counters by one block, eight per thread and round.
__global__ void __launch_bounds__(1024) radix_scan(u32* counts, int n) {
  using scan = block_scan<1024>;
  __shared__ scan::storage st;
  const auto block = cg::this_thread_block();
  u32 carry = 0;
  for (int base = 0; base < n; base += 1024 * 8) {
    u32 v[8], sum = 0, total;
    const int first = base + threadIdx.x * 8;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      v[i] = first + i < n ? counts[first + i] : 0;
      sum += v[i];
    }
    u32 run = carry + scan::exclusive(block, st, sum, total);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (first + i < n) counts[first + i] = run;
      run += v[i];
    }
    carry += total;
  }
}

// Stable scatter: ranks by warp match, then by warp order, then by round.
__global__ void __launch_bounds__(kRadixThreads)
    radix_scatter(const u32* __restrict__ keys_in, const u32* __restrict__ vals_in, u32* __restrict__ keys_out,
                  u32* __restrict__ vals_out, const u32* __restrict__ offsets, int shift) {
  constexpr int warps = kRadixThreads / 32;
  __shared__ u32 base[kDigits];
  __shared__ u32 warp_count[warps][kDigits];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int lane = warp.thread_rank(), w = warp.meta_group_rank();
  if (threadIdx.x < kDigits) base[threadIdx.x] = offsets[threadIdx.x * gridDim.x + blockIdx.x];
  const size_t tile = static_cast<size_t>(blockIdx.x) * kRadixTile;
  for (int i = 0; i < kRadixItems; ++i) {
    const size_t at = tile + i * kRadixThreads + threadIdx.x;
    const u32 key = keys_in[at];
    const u32 val = vals_in[at];
    const u32 digit = (key >> shift) & (kDigits - 1);
    if (threadIdx.x < kDigits * warps) (&warp_count[0][0])[threadIdx.x] = 0;
    block.sync();
    const u32 peers = warp.match_any(digit);
    const u32 rank = __popc(peers & ((1u << lane) - 1u));
    if (rank == 0) warp_count[w][digit] = __popc(peers);
    block.sync();
    u32 dst = base[digit] + rank;
    for (int k = 0; k < w; ++k) dst += warp_count[k][digit];
    keys_out[dst] = key;
    vals_out[dst] = val;
    block.sync();
    if (threadIdx.x < kDigits) {
      u32 sum = 0;
#pragma unroll
      for (int k = 0; k < warps; ++k) sum += warp_count[k][threadIdx.x];
      base[threadIdx.x] += sum;
    }
    block.sync();
  }
}

// ============================================================================
// Scans
// ============================================================================
// Hillis-Steele, inclusive, one value per thread, double-buffered.
__global__ void __launch_bounds__(1024) scan_hillis_steele(const u32* __restrict__ in, u32* __restrict__ out) {
  __shared__ u32 buf[2][1024];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  const size_t at = static_cast<size_t>(blockIdx.x) * 1024 + t;
  int cur = 0;
  buf[0][t] = in[at];
  block.sync();
  for (int d = 1; d < 1024; d <<= 1) {
    buf[cur ^ 1][t] = buf[cur][t] + (t >= d ? buf[cur][t - d] : 0u);
    cur ^= 1;
    block.sync();
  }
  out[at] = buf[cur][t];
}

// Blelloch, exclusive, two values per thread, padded against bank conflicts.
__device__ __forceinline__ constexpr int padded(int i) { return i + (i >> 5); }
__global__ void __launch_bounds__(1024) scan_blelloch(const u32* __restrict__ in, u32* __restrict__ out) {
  constexpr int n = 2048;
  __shared__ u32 s[n + n / 32];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  const size_t at = static_cast<size_t>(blockIdx.x) * n;
  s[padded(t)] = in[at + t];
  s[padded(t + 1024)] = in[at + t + 1024];
  int stride = 1;
  for (int d = n / 2; d > 0; d >>= 1) {
    block.sync();
    if (t < d) s[padded(stride * (2 * t + 2) - 1)] += s[padded(stride * (2 * t + 1) - 1)];
    stride <<= 1;
  }
  if (t == 0) s[padded(n - 1)] = 0;
  for (int d = 1; d < n; d <<= 1) {
    stride >>= 1;
    block.sync();
    if (t < d) {
      const int a = padded(stride * (2 * t + 1) - 1), b = padded(stride * (2 * t + 2) - 1);
      const u32 x = s[a];
      s[a] = s[b];
      s[b] += x;
    }
  }
  block.sync();
  out[at + t] = s[padded(t)];
  out[at + t + 1024] = s[padded(t + 1024)];
}

// Multi-block scan: reduce, scan the sums (radix_scan), then scan again.
constexpr int kScanThreads = 256;
constexpr int kScanItems = 8;
constexpr int kScanTile = kScanThreads * kScanItems;

struct items8 {
  u32 v[8];
  __device__ static items8 load(const u32* p) {
    items8 r;
    const uint4 a = reinterpret_cast<const uint4*>(p)[0], b = reinterpret_cast<const uint4*>(p)[1];
    r.v[0] = a.x, r.v[1] = a.y, r.v[2] = a.z, r.v[3] = a.w;
    r.v[4] = b.x, r.v[5] = b.y, r.v[6] = b.z, r.v[7] = b.w;
    return r;
  }
  __device__ void store(u32* p) const {
    reinterpret_cast<uint4*>(p)[0] = make_uint4(v[0], v[1], v[2], v[3]);
    reinterpret_cast<uint4*>(p)[1] = make_uint4(v[4], v[5], v[6], v[7]);
  }
  __device__ u32 sum() const {
    u32 s = 0;
#pragma unroll
    for (u32 x : v) s += x;
    return s;
  }
  __device__ void exclusive_from(u32 run) {
#pragma unroll
    for (u32& x : v) {
      const u32 t = x;
      x = run;
      run += t;
    }
  }
};

__global__ void __launch_bounds__(kScanThreads) scan_tile_sums(const u32* __restrict__ in, u32* __restrict__ sums) {
  __shared__ u32 part[kScanThreads / 32];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const u32 s = items8::load(in + static_cast<size_t>(blockIdx.x) * kScanTile + threadIdx.x * kScanItems).sum();
  const u32 ws = cg::reduce(warp, s, cg::plus<u32>());
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = ws;
  block.sync();
  if (threadIdx.x == 0) {
    u32 total = 0;
    for (u32 p : part) total += p;
    sums[blockIdx.x] = total;
  }
}

__global__ void __launch_bounds__(kScanThreads)
    scan_apply(const u32* __restrict__ in, const u32* __restrict__ tile_offset, u32* __restrict__ out) {
  using scan = block_scan<kScanThreads>;
  __shared__ scan::storage st;
  const size_t at = static_cast<size_t>(blockIdx.x) * kScanTile + threadIdx.x * kScanItems;
  items8 x = items8::load(in + at);
  u32 total;
  const u32 ex = scan::exclusive(cg::this_thread_block(), st, x.sum(), total);
  x.exclusive_from(tile_offset[blockIdx.x] + ex);
  x.store(out + at);
}

// ----------------------------------------------------------------------------
// Decoupled look-back
// ----------------------------------------------------------------------------
struct tile_chain {
  u64* state;   // flag in the upper half: 1 = aggregate, 2 = inclusive prefix
  u32* ticket;  // tiles are numbered in the order in which blocks start

  using ref64 = cuda::atomic_ref<u64, cuda::thread_scope_device>;

  __device__ int take_ticket() const {
    return static_cast<int>(
        cuda::atomic_ref<u32, cuda::thread_scope_device>(*ticket).fetch_add(1u, cuda::memory_order_relaxed));
  }
  __device__ void publish(int tile, u64 flag, u32 value) const {
    ref64(state[tile]).store((flag << 32) | value, cuda::memory_order_relaxed);
  }
  // Called by a full warp; returns the exclusive prefix of the tile.
  template <class Warp>
  __device__ u32 lookback(const Warp& warp, int tile, u32 aggregate) const {
    const int lane = warp.thread_rank();
    if (tile == 0) {
      if (lane == 0) publish(0, 2, aggregate);
      return 0;
    }
    if (lane == 0) publish(tile, 1, aggregate);
    u32 prefix = 0;
    for (int base = tile - 1;; base -= 32) {
      const int idx = base - lane;
      u64 s = u64{2} << 32;
      if (idx >= 0) {
        do {
          s = ref64(state[idx]).load(cuda::memory_order_relaxed);
        } while ((s >> 32) == 0);
      }
      warp.sync();
      const u32 done = warp.ballot((s >> 32) == 2);
      const int stop = done ? __ffs(done) - 1 : 32;
      prefix += cg::reduce(warp, lane <= stop ? static_cast<u32>(s) : 0u, cg::plus<u32>());
      if (done) break;
    }
    if (lane == 0) publish(tile, 2, prefix + aggregate);
    return prefix;
  }
};

// What the three single-pass kernels share: number the tile, scan, look back.
struct single_pass {
  block_scan<kScanThreads>::storage st;
  int tile;
  u32 tile_prefix;

  __device__ int begin(const tile_chain& chain) {
    if (threadIdx.x == 0) tile = chain.take_ticket();
    __syncthreads();
    return tile;
  }
  // Exclusive prefix over the whole input of this thread's value.
  __device__ u32 prefix(const tile_chain& chain, u32 value, u32& total) {
    const auto block = cg::this_thread_block();
    const u32 ex = block_scan<kScanThreads>::exclusive(block, st, value, total);
    const auto warp = cg::tiled_partition<32>(block);
    if (warp.meta_group_rank() == 0) {
      const u32 p = chain.lookback(warp, tile, total);
      if (warp.thread_rank() == 0) tile_prefix = p;
    }
    block.sync();
    return tile_prefix + ex;
  }
};

__global__ void __launch_bounds__(kScanThreads)
    scan_decoupled_lookback(const u32* __restrict__ in, u32* __restrict__ out, tile_chain chain) {
  __shared__ single_pass pass;
  const int tile = pass.begin(chain);
  const size_t at = static_cast<size_t>(tile) * kScanTile + threadIdx.x * kScanItems;
  items8 x = items8::load(in + at);
  u32 total;
  const u32 run = pass.prefix(chain, x.sum(), total);
  x.exclusive_from(run);
  x.store(out + at);
}

// Bit i is set if item i differs from its predecessor.
__device__ __forceinline__ u32 head_mask(const items8& x, const u32* keys, size_t at) {
  u32 mask = (at == 0 || keys[at - 1] != x.v[0]) ? 1u : 0u;
#pragma unroll
  for (int i = 1; i < 8; ++i) mask |= (x.v[i] != x.v[i - 1] ? 1u : 0u) << i;
  return mask;
}

__global__ void __launch_bounds__(kScanThreads)
    unique_lookback(const u32* __restrict__ keys, u32* __restrict__ out, u32* __restrict__ n_out, int n_tiles,
                    tile_chain chain) {
  __shared__ single_pass pass;
  const int tile = pass.begin(chain);
  const size_t at = static_cast<size_t>(tile) * kScanTile + threadIdx.x * kScanItems;
  const items8 x = items8::load(keys + at);
  const u32 heads = head_mask(x, keys, at);
  u32 total;
  u32 pos = pass.prefix(chain, __popc(heads), total);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (heads >> i & 1u) out[pos++] = x.v[i];
  if (tile == n_tiles - 1 && threadIdx.x == 0) *n_out = pass.tile_prefix + total;
}

// Keys are sorted.  A thread sums runs within its eight items; a run goes to
// the output with one atomic per thread it touches.
__global__ void __launch_bounds__(kScanThreads)
    reduce_by_key(const u32* __restrict__ keys, const u32* __restrict__ values, u32* __restrict__ out_keys,
                  u32* __restrict__ out_sums, u32* __restrict__ n_out, int n_tiles, tile_chain chain) {
  __shared__ single_pass pass;
  const int tile = pass.begin(chain);
  const size_t at = static_cast<size_t>(tile) * kScanTile + threadIdx.x * kScanItems;
  const items8 k = items8::load(keys + at);
  const items8 v = items8::load(values + at);
  const u32 heads = head_mask(k, keys, at);
  u32 total;
  u32 seg = pass.prefix(chain, __popc(heads), total);  // heads before this thread
  u32 sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (heads >> i & 1u) {
      if (i > 0) atomicAdd(&out_sums[seg - 1], sum);
      out_keys[seg++] = k.v[i];
      sum = 0;
    }
    sum += v.v[i];
  }
  atomicAdd(&out_sums[seg - 1], sum);
  if (tile == n_tiles - 1 && threadIdx.x == 0) *n_out = pass.tile_prefix + total;
}

// ============================================================================
// Merge path
// ============================================================================
constexpr int kMergeThreads = 128;
constexpr int kMergeItems = 15;
constexpr int kMergeTile = kMergeThreads * kMergeItems;

// Number of elements taken from a on diagonal `diag` (a first on ties).
__device__ __forceinline__ int merge_path(const u32* a, int na, const u32* b, int nb, int diag) {
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (a[mid] <= b[diag - 1 - mid])
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

__global__ void __launch_bounds__(kMergeThreads)
    merge_sorted(const u32* __restrict__ a, int na, const u32* __restrict__ b, int nb, u32* __restrict__ out) {
  __shared__ u32 s[kMergeTile];
  __shared__ int split[2];
  const int n = na + nb;
  const int d0 = blockIdx.x * kMergeTile, d1 = min(n, d0 + kMergeTile);
  if (threadIdx.x < 2) split[threadIdx.x] = merge_path(a, na, b, nb, threadIdx.x == 0 ? d0 : d1);
  __syncthreads();
  const int a0 = split[0], a1 = split[1], b0 = d0 - a0, b1 = d1 - a1;
  const int la = a1 - a0, lb = b1 - b0;
  for (int i = threadIdx.x; i < la; i += kMergeThreads) s[i] = a[a0 + i];
  for (int i = threadIdx.x; i < lb; i += kMergeThreads) s[la + i] = b[b0 + i];
  __syncthreads();

  const u32 *sa = s, *sb = s + la;
  const int diag = min(static_cast<int>(threadIdx.x) * kMergeItems, la + lb);
  int i = merge_path(sa, la, sb, lb, diag);
  int j = diag - i;
  u32 r[kMergeItems];
#pragma unroll
  for (int k = 0; k < kMergeItems; ++k) {
    const bool have_a = i < la, have_b = j < lb;
    const bool from_a = have_a && (!have_b || sa[i] <= sb[j]);
    r[k] = from_a ? sa[i] : (have_b ? sb[j] : 0u);
    i += from_a;
    j += !from_a && have_b;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kMergeItems; ++k)
    if (diag + k < la + lb) s[threadIdx.x * kMergeItems + k] = r[k];
  __syncthreads();
  for (int k = threadIdx.x; k < la + lb; k += kMergeThreads) out[d0 + k] = s[k];
}

// ============================================================================
// Odd-even transposition sort of 512-element segments
// ============================================================================
__global__ void __launch_bounds__(256) odd_even_sort(u32* data) {
  constexpr int n = 512;
  __shared__ u32 s[n];
  const auto block = cg::this_thread_block();
  u32* seg = data + static_cast<size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  s[t] = seg[t];
  s[t + 256] = seg[t + 256];
  for (int step = 0; step < n; ++step) {
    block.sync();
    const int i = 2 * t + (step & 1);
    if (i + 1 < n) compare_exchange(s[i], s[i + 1], true);
  }
  block.sync();
  seg[t] = s[t];
  seg[t + 256] = s[t + 256];
}

// ============================================================================
// Selection
// ============================================================================
struct multiple_of_three {
  __device__ bool operator()(u32 x) const { return x % 3u == 0u; }
};
struct less_than {
  u32 pivot;
  __device__ bool operator()(u32 x) const { return x < pivot; }
};

// Unordered compaction: one atomic per group of threads that keep their item.
template <class Pred>
__global__ void compact_aggregated(const u32* __restrict__ in, int n, u32* __restrict__ out, u32* count, Pred pred) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const u32 x = in[i];
    if (pred(x)) {
      const auto keep = cg::coalesced_threads();
      u32 base = 0;
      if (keep.thread_rank() == 0) base = atomicAdd(count, keep.size());
      out[keep.shfl(base, 0) + keep.thread_rank()] = x;
    }
  }
}

// Partition: true items from the front, the others from the back; one pair of
// atomics per block.
template <class Pred>
__global__ void __launch_bounds__(kScanThreads)
    partition_two_ended(const u32* __restrict__ in, int n, u32* __restrict__ out, u32* cursors, Pred pred) {
  using scan = block_scan<kScanThreads>;
  __shared__ scan::storage st;
  __shared__ u32 front, back;
  const auto block = cg::this_thread_block();
  const size_t at = static_cast<size_t>(blockIdx.x) * kScanTile + threadIdx.x * kScanItems;
  const items8 x = items8::load(in + at);
  u32 mask = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) mask |= (pred(x.v[i]) ? 1u : 0u) << i;
  u32 total;
  const u32 ex = scan::exclusive(block, st, __popc(mask), total);
  if (threadIdx.x == 0) {
    front = atomicAdd(&cursors[0], total);
    back = atomicAdd(&cursors[1], kScanTile - total);
  }
  block.sync();
  u32 f = front + ex;
  u32 b = n - 1 - (back + threadIdx.x * kScanItems - ex);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (mask >> i & 1u)
      out[f++] = x.v[i];
    else
      out[b--] = x.v[i];
  }
}

// ============================================================================
// Host
// ============================================================================
class device_array {
 public:
  explicit device_array(size_t n) : n_(n) {
    CU_TRY(cudaMalloc(&p_, n * sizeof(u32)));
    CU_TRY(cudaMemset(p_, 0, n * sizeof(u32)));
  }
  explicit device_array(const std::vector<u32>& h) : device_array(h.size()) { set(h); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(p_); }
  void set(const std::vector<u32>& h) {
    CU_TRY(cudaMemcpy(p_, h.data(), h.size() * sizeof(u32), cudaMemcpyHostToDevice));
  }
  std::vector<u32> get() const { return get(n_); }
  std::vector<u32> get(size_t n) const {
    std::vector<u32> h(n);
    CU_TRY(cudaMemcpy(h.data(), p_, n * sizeof(u32), cudaMemcpyDeviceToHost));
    return h;
  }
  operator u32*() const { return p_; }

 private:
  u32* p_ = nullptr;
  size_t n_;
};

// State for one single-pass kernel.
struct chain_storage {
  u64* state = nullptr;
  u32* ticket = nullptr;
  explicit chain_storage(int tiles) {
    CU_TRY(cudaMalloc(&state, tiles * sizeof(u64)));
    CU_TRY(cudaMalloc(&ticket, sizeof(u32)));
    CU_TRY(cudaMemset(state, 0, tiles * sizeof(u64)));
    CU_TRY(cudaMemset(ticket, 0, sizeof(u32)));
  }
  ~chain_storage() {
    cudaFree(state);
    cudaFree(ticket);
  }
  tile_chain view() const { return {state, ticket}; }
};

static int g_failed = 0;
static void result(std::string_view name, bool ok) {
  CU_TRY(cudaGetLastError());
  CU_TRY(cudaDeviceSynchronize());
  std::printf("%-28.*s %s\n", static_cast<int>(name.size()), name.data(), ok ? "ok" : "FAILED");
  g_failed += !ok;
}

int main() {
  std::mt19937 gen(7);
  const int n = 1 << 20;
  std::vector<u32> random(n);
  std::generate(random.begin(), random.end(), [&] { return static_cast<u32>(gen()); });

  {  // bitonic: tiles of 2048, then one merge to runs of 4096
    device_array d(random);
    bitonic_sort_tile<<<n / kBitonicTile, kBitonicTile / 2>>>(d);
    const auto tiles = d.get();
    bool ok = true;
    for (int t = 0; t < n / kBitonicTile; ++t) {
      const auto first = tiles.begin() + t * kBitonicTile, last = first + kBitonicTile;
      ok &= t % 2 == 0 ? std::is_sorted(first, last) : std::is_sorted(first, last, std::greater<>());
    }
    result("bitonic_sort_tile", ok);
    bitonic_global_step<<<n / 2 / 256, 256>>>(d, n, 2 * kBitonicTile, kBitonicTile);
    bitonic_merge_tile<<<n / kBitonicTile, kBitonicTile / 2>>>(d, 2 * kBitonicTile);
    const auto runs = d.get();
    for (int t = 0; t < n / (2 * kBitonicTile); ++t) {
      std::vector<u32> want(random.begin() + t * 2 * kBitonicTile, random.begin() + (t + 1) * 2 * kBitonicTile);
      if (t % 16) continue;
      std::sort(want.begin(), want.end());
      ok &= std::equal(want.begin(), want.end(), runs.begin() + t * 2 * kBitonicTile);
    }
    result("bitonic_merge", ok);
  }

  {  // radix pass on bits 8..11
    const int shift = 8, blocks = n / kRadixTile;
    std::vector<u32> index(n);
    std::iota(index.begin(), index.end(), 0u);
    device_array k(random), v(index), k2(n), v2(n), counts(kDigits * blocks);
    radix_count<<<blocks, kRadixThreads>>>(k, counts, shift);
    radix_scan<<<1, 1024>>>(counts, kDigits * blocks);
    radix_scatter<<<blocks, kRadixThreads>>>(k, v, k2, v2, counts, shift);
    std::vector<u32> order(index);
    std::stable_sort(order.begin(), order.end(),
                     [&](u32 a, u32 b) { return ((random[a] >> shift) & 15u) < ((random[b] >> shift) & 15u); });
    result("radix count/scan/scatter", v2.get() == order);
  }

  const int m = 1 << 21;
  std::vector<u32> small(m);
  for (int i = 0; i < m; ++i) small[i] = (i * 2654435761u) >> 28;
  std::vector<u32> exclusive(m);
  for (int i = 1; i < m; ++i) exclusive[i] = exclusive[i - 1] + small[i - 1];
  device_array d_small(small), d_scan(m);

  {
    scan_hillis_steele<<<m / 1024, 1024>>>(d_small, d_scan);
    const auto h = d_scan.get();
    bool ok = true;
    for (int i = 0; i < m; ++i) ok &= h[i] == exclusive[i] + small[i] - exclusive[i / 1024 * 1024];
    result("scan_hillis_steele", ok);
  }
  {
    scan_blelloch<<<m / 2048, 1024>>>(d_small, d_scan);
    const auto h = d_scan.get();
    bool ok = true;
    for (int i = 0; i < m; ++i) ok &= h[i] == exclusive[i] - exclusive[i / 2048 * 2048];
    result("scan_blelloch", ok);
  }
  {
    const int tiles = m / kScanTile;
    device_array sums(tiles);
    scan_tile_sums<<<tiles, kScanThreads>>>(d_small, sums);
    radix_scan<<<1, 1024>>>(sums, tiles);
    scan_apply<<<tiles, kScanThreads>>>(d_small, sums, d_scan);
    result("scan in three kernels", d_scan.get() == exclusive);
  }
  {
    const int tiles = m / kScanTile;
    chain_storage chain(tiles);
    scan_decoupled_lookback<<<tiles, kScanThreads>>>(d_small, d_scan, chain.view());
    result("scan_decoupled_lookback", d_scan.get() == exclusive);
  }

  {  // merge path
    std::vector<u32> a(random.begin(), random.begin() + 500000), b(random.begin() + 500000, random.end());
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    device_array da(a), db(b), out(n);
    merge_sorted<<<div_up(n, kMergeTile), kMergeThreads>>>(da, static_cast<int>(a.size()), db,
                                                          static_cast<int>(b.size()), out);
    std::vector<u32> want(n);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    result("merge_sorted", out.get() == want);
  }

  {  // odd-even
    device_array d(random);
    odd_even_sort<<<n / 512, 256>>>(d);
    const auto h = d.get();
    bool ok = true;
    for (int s = 0; s < n / 512; ++s) ok &= std::is_sorted(h.begin() + s * 512, h.begin() + (s + 1) * 512);
    result("odd_even_sort", ok);
  }

  {  // compaction
    device_array in(random), out(n), count(1);
    compact_aggregated<<<132 * 8, 256>>>(in, n, out, count, multiple_of_three{});
    u64 want_sum = 0, want_count = 0, sum = 0;
    for (u32 x : random)
      if (x % 3u == 0) {
        want_sum += x;
        ++want_count;
      }
    const auto c = count.get()[0];
    for (u32 x : out.get(c)) sum += x;
    result("compact_aggregated", c == want_count && sum == want_sum);
  }

  {  // partition
    device_array in(random), out(n), cursors(2);
    const u32 pivot = 0x60000000u;
    partition_two_ended<<<n / kScanTile, kScanThreads>>>(in, n, out, cursors, less_than{pivot});
    const auto h = out.get();
    const size_t c = cursors.get()[0];
    const u64 want = std::accumulate(random.begin(), random.end(), u64{0});
    const bool ok = std::all_of(h.begin(), h.begin() + c, [&](u32 x) { return x < pivot; }) &&
                    std::all_of(h.begin() + c, h.end(), [&](u32 x) { return x >= pivot; }) &&
                    std::accumulate(h.begin(), h.end(), u64{0}) == want;
    result("partition_two_ended", ok);
  }

  {  // unique and reduce by key over sorted keys with runs of geometric length
    std::vector<u32> keys(m);
    u32 key = 5;
    for (int i = 0; i < m; ++i) {
      if ((gen() & 7u) == 0u) key += 1u + (gen() & 3u);
      keys[i] = key;
    }
    std::vector<u32> want_keys, want_sums;
    for (int i = 0; i < m; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        want_keys.push_back(keys[i]);
        want_sums.push_back(0);
      }
      want_sums.back() += small[i];
    }
    const int tiles = m / kScanTile;
    device_array d_keys(keys), out(m), sums(m), count(1);
    {
      chain_storage chain(tiles);
      unique_lookback<<<tiles, kScanThreads>>>(d_keys, out, count, tiles, chain.view());
      const auto c = count.get()[0];
      result("unique_lookback", c == want_keys.size() && out.get(c) == want_keys);
    }
    {
      chain_storage chain(tiles);
      reduce_by_key<<<tiles, kScanThreads>>>(d_keys, d_small, out, sums, count, tiles, chain.view());
      const auto c = count.get()[0];
      result("reduce_by_key", c == want_keys.size() && out.get(c) == want_keys && sums.get(c) == want_sums);
    }
  }

  std::printf("%s\n", g_failed ? "FAILURES" : "all primitives verified");
  return 0;
}
