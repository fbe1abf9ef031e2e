// b2_graph_dynamic.cu
//
// Graph analytics with dynamic work lists, written in C++17 with cooperative
// groups and libcu++ atomics.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/utility>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <queue>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

// ---------------------------------------------------------------------------
// Host-side plumbing
// ---------------------------------------------------------------------------
inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <class T>
struct device_vector {
  T* data{};
  std::size_t size{};
  explicit device_vector(std::size_t n) : size(n) { check(cudaMalloc(&data, n * sizeof(T)), "malloc"); }
  device_vector(std::size_t n, int byte) : device_vector(n) {
    check(cudaMemset(data, byte, n * sizeof(T)), "memset");
  }
  explicit device_vector(const std::vector<T>& h) : device_vector(h.size()) { assign(h); }
  device_vector(const device_vector&) = delete;
  device_vector& operator=(const device_vector&) = delete;
  ~device_vector() { cudaFree(data); }
  void assign(const std::vector<T>& h) {
    check(cudaMemcpy(data, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice), "h2d");
  }
  std::vector<T> to_host() const {
    std::vector<T> h(size);
    check(cudaMemcpy(h.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost), "d2h");
    return h;
  }
};

struct graph_view {
  int num_vertices;
  int num_edges;
  const int* __restrict__ offsets;
  const int* __restrict__ neighbors;
};

// An append-only list with a global cursor.
struct worklist {
  int* items;
  int* cursor;

  // One atomic per group of converged threads.
  __device__ void push(int v) const {
    const auto active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) {
      cuda::atomic_ref<int, cuda::thread_scope_device> c(*cursor);
      base = c.fetch_add(static_cast<int>(active.size()), cuda::memory_order_relaxed);
    }
    base = active.shfl(base, 0);
    items[base + active.thread_rank()] = v;
  }
};

template <class T>
__device__ T relaxed_load(T& x) {
  return cuda::atomic_ref<T, cuda::thread_scope_device>(x).load(cuda::memory_order_relaxed);
}

constexpr int kUnreached = 0x7fffffff;

// ---------------------------------------------------------------------------
// BFS: one top-down step (vertex-parallel over a frontier queue) ...
// ---------------------------------------------------------------------------
__global__ void bfs_top_down(graph_view g, const int* __restrict__ frontier, int frontier_size,
                             int next_level, int* level, worklist next) {
  const auto grid = cg::this_grid();
  for (unsigned long long i = grid.thread_rank(); i < (unsigned long long)frontier_size;
       i += grid.num_threads()) {
    const int u = frontier[i];
    for (int e = g.offsets[u], end = g.offsets[u + 1]; e < end; ++e) {
      const int v = g.neighbors[e];
      if (level[v] != kUnreached) continue;
      int expected = kUnreached;
      cuda::atomic_ref<int, cuda::thread_scope_device> lv(level[v]);
      if (lv.compare_exchange_strong(expected, next_level, cuda::memory_order_relaxed)) next.push(v);
    }
  }
}

// ... the same step by a tile of threads per frontier vertex ...
template <int TILE>
__global__ void bfs_top_down_tiled(graph_view g, const int* __restrict__ frontier, int frontier_size,
                                   int next_level, int* level, worklist next) {
  const auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / TILE;
  if (i >= frontier_size) return;
  const int u = frontier[i];
  const int end = g.offsets[u + 1];
  for (int e = g.offsets[u] + tile.thread_rank(); e < end; e += TILE) {
    const int v = g.neighbors[e];
    if (level[v] == kUnreached && atomicCAS(&level[v], kUnreached, next_level) == kUnreached)
      next.push(v);
  }
}

// ... and bottom-up: unreached vertices look for a parent in the last level.
__global__ void bfs_bottom_up(graph_view g, const int* __restrict__ level_in, int last_level,
                              int* __restrict__ level_out, int* __restrict__ found) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool hit = false;
  if (v < g.num_vertices) {
    int lv = level_in[v];
    if (lv == kUnreached) {
      for (int e = g.offsets[v], end = g.offsets[v + 1]; e < end; ++e) {
        if (level_in[g.neighbors[e]] == last_level) {
          hit = true;
          lv = last_level + 1;
          break;
        }
      }
    }
    level_out[v] = lv;
  }
  const int n = __syncthreads_count(hit);
  if (threadIdx.x == 0 && n > 0)
    cuda::atomic_ref<int, cuda::thread_scope_device>(*found).fetch_add(n, cuda::memory_order_relaxed);
}

// ---------------------------------------------------------------------------
// SSSP relaxation: edge-parallel against vertex-parallel
// ---------------------------------------------------------------------------
__global__ void relax_edge_parallel(int num_edges, const int* __restrict__ src, const int* __restrict__ dst,
                                    const int* __restrict__ weight, const int* __restrict__ dist_in,
                                    int* dist_out) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= num_edges) return;
  const int du = dist_in[src[e]];
  if (du == kUnreached) return;
  const int cand = du + weight[e];
  const int v = dst[e];
  if (cand < dist_in[v]) atomicMin(&dist_out[v], cand);
}

__global__ void relax_vertex_parallel(graph_view g, const int* __restrict__ weight,
                                      const int* __restrict__ dist_in, int* __restrict__ dist_out) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.num_vertices) return;
  int best = dist_in[v];
  for (int e = g.offsets[v], end = g.offsets[v + 1]; e < end; ++e) {  // the graph is symmetric
    const int du = dist_in[g.neighbors[e]];
    if (du != kUnreached) best = min(best, du + weight[e]);
  }
  dist_out[v] = best;
}

// ---------------------------------------------------------------------------
// PageRank
// ---------------------------------------------------------------------------
__global__ void pagerank_contrib(graph_view g, const float* __restrict__ rank, float* __restrict__ contrib) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.num_vertices) return;
  const int deg = g.offsets[v + 1] - g.offsets[v];
  contrib[v] = deg > 0 ? rank[v] / static_cast<float>(deg) : 0.f;
}

template <int TILE>
__global__ void pagerank_pull(graph_view g, const float* __restrict__ contrib, const float* __restrict__ old_rank,
                              float damping, float* __restrict__ rank, float* __restrict__ l1_change) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<TILE>(block);
  __shared__ float block_change;
  if (block.thread_rank() == 0) block_change = 0.f;
  block.sync();

  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / TILE;
  if (v < g.num_vertices) {
    float sum = 0.f;
    const int end = g.offsets[v + 1];
    for (int e = g.offsets[v] + tile.thread_rank(); e < end; e += TILE) sum += contrib[g.neighbors[e]];
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (tile.thread_rank() == 0) {
      const float r = (1.f - damping) / static_cast<float>(g.num_vertices) + damping * sum;
      atomicAdd(&block_change, fabsf(r - old_rank[v]));
      rank[v] = r;
    }
  }
  block.sync();
  if (block.thread_rank() == 0) atomicAdd(l1_change, block_change);
}

__global__ void pagerank_push_edges(int num_edges, const int* __restrict__ src, const int* __restrict__ dst,
                                    const float* __restrict__ contrib, float damping, float* sum) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < num_edges; e += gridDim.x * blockDim.x) {
    cuda::atomic_ref<float, cuda::thread_scope_device> s(sum[dst[e]]);
    s.fetch_add(damping * contrib[src[e]], cuda::memory_order_relaxed);
  }
}

// ---------------------------------------------------------------------------
// k-core peeling
// ---------------------------------------------------------------------------
// The seed: every vertex whose degree is below k.
__global__ void kcore_seed(graph_view g, int k, int* __restrict__ degree, worklist out) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.num_vertices) return;
  const int d = g.offsets[v + 1] - g.offsets[v];
  degree[v] = d;
  if (d < k) out.push(v);
}

// Persistent peeling: all rounds in one cooperative launch.  `items` is a
// single append-only list; each round handles [begin, end) and appends.
__global__ void kcore_peel_persistent(graph_view g, int k, int* degree, worklist list, int* rounds) {
  const auto grid = cg::this_grid();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int num_warps = static_cast<int>(grid.num_threads() / 32);
  const int warp_id = static_cast<int>(grid.thread_rank() / 32);

  int begin = 0;
  int end = relaxed_load(*list.cursor);
  int round = 0;
  while (begin < end && round < 200) {
    // Every warp has read `end` before anyone may append.
    grid.sync();
    for (int i = begin + warp_id; i < end; i += num_warps) {
      const int u = list.items[i];
      const int stop = g.offsets[u + 1];
      for (int e = g.offsets[u] + warp.thread_rank(); e < stop; e += 32) {
        const int v = g.neighbors[e];
        cuda::atomic_ref<int, cuda::thread_scope_device> dv(degree[v]);
        if (dv.fetch_sub(1, cuda::memory_order_relaxed) == k) list.push(v);
      }
    }
    grid.sync();
    begin = end;
    end = relaxed_load(*list.cursor);
    ++round;
  }
  if (grid.thread_rank() == 0) *rounds = round;
}

// ---------------------------------------------------------------------------
// Jaccard similarity of the end points of an edge
// ---------------------------------------------------------------------------
// A thread per edge: merge of two sorted neighbour lists.
__global__ void jaccard_merge(graph_view g, int n, const int* __restrict__ src, const int* __restrict__ dst,
                              float* __restrict__ out) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  const int u = src[e], v = dst[e];
  int i = g.offsets[u], j = g.offsets[v];
  const int iend = g.offsets[u + 1], jend = g.offsets[v + 1];
  const int total = (iend - i) + (jend - j);
  int common = 0;
  while (i < iend && j < jend) {
    const int a = g.neighbors[i], b = g.neighbors[j];
    common += (a == b);
    i += (a <= b);
    j += (b <= a);
  }
  out[e] = total > common ? static_cast<float>(common) / static_cast<float>(total - common) : 0.f;
}

// A tile per edge: every lane binary-searches its share of the shorter list.
template <int TILE>
__global__ void jaccard_search(graph_view g, int n, const int* __restrict__ src, const int* __restrict__ dst,
                               float* __restrict__ out) {
  const auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
  const int e = (blockIdx.x * blockDim.x + threadIdx.x) / TILE;
  if (e >= n) return;
  int u = src[e], v = dst[e];
  int du = g.offsets[u + 1] - g.offsets[u];
  int dv = g.offsets[v + 1] - g.offsets[v];
  if (du > dv) {
    cuda::std::swap(u, v);
    cuda::std::swap(du, dv);
  }
  const int* small_list = g.neighbors + g.offsets[u];
  const int* big_list = g.neighbors + g.offsets[v];
  int common = 0;
  for (int i = tile.thread_rank(); i < du; i += TILE) {
    const int key = small_list[i];
    int lo = 0, hi = dv;
    while (lo < hi) {
      const int mid = (lo + hi) / 2;
      if (big_list[mid] < key)
        lo = mid + 1;
      else
        hi = mid;
    }
    common += (lo < dv && big_list[lo] == key);
  }
  common = cg::reduce(tile, common, cg::plus<int>());
  if (tile.thread_rank() == 0) {
    const int uni = du + dv - common;
    out[e] = uni > 0 ? static_cast<float>(common) / static_cast<float>(uni) : 0.f;
  }
}

// ---------------------------------------------------------------------------
// Random walks with restart
// ---------------------------------------------------------------------------
__device__ __forceinline__ cuda::std::uint32_t xorshift32(cuda::std::uint32_t& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

__global__ void random_walks(graph_view g, int walkers, int length, cuda::std::uint32_t seed,
                             int* __restrict__ path_end, int* visits) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= walkers) return;
  cuda::std::uint32_t s = (seed ^ (w * 0x9E3779B9u)) | 1u;
  const int home = w % g.num_vertices;
  int v = home;
  for (int step = 0; step < length; ++step) {
    const int begin = g.offsets[v];
    const int deg = g.offsets[v + 1] - begin;
    const cuda::std::uint32_t r = xorshift32(s);
    if (deg == 0 || (r & 15u) == 0u)
      v = home;
    else
      v = g.neighbors[begin + static_cast<int>(__umulhi(r, static_cast<unsigned>(deg)))];
    if ((step & 7) == 7) atomicAdd(&visits[v], 1);
  }
  path_end[w] = v;
}

// ---------------------------------------------------------------------------
// Connected components by union-find (hook with CAS, path halving)
// ---------------------------------------------------------------------------
__device__ int uf_find(int* parent, int v) {
  int p = relaxed_load(parent[v]);
  while (p != v) {
    const int gp = relaxed_load(parent[p]);
    if (gp != p) {
      cuda::atomic_ref<int, cuda::thread_scope_device>(parent[v]).store(gp, cuda::memory_order_relaxed);
    }
    v = p;
    p = gp;
  }
  return v;
}

__global__ void uf_init(graph_view g, int* __restrict__ parent) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.num_vertices) return;
  // Start from the first smaller neighbour, as in ECL-CC.
  int p = v;
  for (int e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
    if (g.neighbors[e] < v) {
      p = g.neighbors[e];
      break;
    }
  }
  parent[v] = p;
}

__global__ void uf_hook(int num_edges, const int* __restrict__ src, const int* __restrict__ dst, int* parent) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= num_edges) return;
  const int u = src[e], v = dst[e];
  if (u <= v) return;  // each undirected edge once
  int a = uf_find(parent, u);
  int b = uf_find(parent, v);
  while (a != b) {
    if (a < b) cuda::std::swap(a, b);
    int expected = a;  // the larger root hangs below the smaller
    cuda::atomic_ref<int, cuda::thread_scope_device> pa(parent[a]);
    if (pa.compare_exchange_strong(expected, b, cuda::memory_order_relaxed)) break;
    a = uf_find(parent, expected);
    b = uf_find(parent, b);
  }
}

__global__ void uf_flatten(int n, int* parent) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = v;
  while (true) {
    const int p = relaxed_load(parent[r]);
    if (p == r) break;
    r = p;
  }
  cuda::atomic_ref<int, cuda::thread_scope_device>(parent[v]).store(r, cuda::memory_order_relaxed);
}

// ---------------------------------------------------------------------------
int main() try {
  // A symmetric graph with mildly skewed degrees and 1000 isolated vertices at
  // the end of the range.
  const int n = 131072, connected = n - 1000, m = 800000;
  std::mt19937 rng(20240607u);
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(2 * m);
  for (int i = 0; i < m; ++i) {
    const double a = rng() / 4294967296.0, b = rng() / 4294967296.0;
    const int u = static_cast<int>(a * connected);
    const int v = static_cast<int>(b * std::sqrt(b) * connected);
    if (u == v) continue;
    pairs.emplace_back(u, v);
    pairs.emplace_back(v, u);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const int ne = static_cast<int>(pairs.size());
  std::vector<int> off(n + 1, 0), nbr(ne), src(ne), wgt(ne);
  for (int e = 0; e < ne; ++e) {
    src[e] = pairs[e].first;
    nbr[e] = pairs[e].second;
    wgt[e] = 1 + (std::min(src[e], nbr[e]) * 7 + std::max(src[e], nbr[e]) * 13) % 31;  // symmetric
    off[src[e] + 1]++;
  }
  std::partial_sum(off.begin(), off.end(), off.begin());
  const int max_deg = [&] {
    int d = 0;
    for (int v = 0; v < n; ++v) d = std::max(d, off[v + 1] - off[v]);
    return d;
  }();
  std::printf("graph: %d vertices, %d directed edges, max degree %d\n", n, ne, max_deg);

  // CPU breadth first search
  std::vector<int> level_ref(n, kUnreached);
  const int source = 77777;
  {
    std::queue<int> q;
    q.push(source);
    level_ref[source] = 0;
    while (!q.empty()) {
      const int u = q.front();
      q.pop();
      for (int e = off[u]; e < off[u + 1]; ++e)
        if (level_ref[nbr[e]] == kUnreached) {
          level_ref[nbr[e]] = level_ref[u] + 1;
          q.push(nbr[e]);
        }
    }
  }
  // State after `depth` levels: the last level that has fewer than 10% of the vertices.
  int depth = 0;
  std::vector<int> level_count(64, 0);
  for (int v = 0; v < n; ++v)
    if (level_ref[v] < 64) level_count[level_ref[v]]++;
  while (depth + 1 < 64 && level_count[depth + 1] > 0 && level_count[depth + 1] < n / 10) ++depth;
  std::vector<int> level_part(n), frontier;
  for (int v = 0; v < n; ++v) {
    level_part[v] = level_ref[v] <= depth ? level_ref[v] : kUnreached;
    if (level_ref[v] == depth) frontier.push_back(v);
  }
  const int fs = static_cast<int>(frontier.size());

  device_vector<int> d_off(off), d_nbr(nbr), d_src(src), d_wgt(wgt), d_frontier(frontier);
  const graph_view g{n, ne, d_off.data, d_nbr.data};
  const int blocks_v = (n + 255) / 256, blocks_e = (ne + 255) / 256;
  int bad = 0;
  auto report = [&](const char* name, bool ok) {
    check(cudaGetLastError(), name);
    std::printf("  %-26s %s\n", name, ok ? "ok" : "FAILED");
    bad += !ok;
  };

  {  // --- BFS ---
    device_vector<int> d_level(level_part), d_level2(n), d_next(n), d_cursor(1, 0), d_found(1, 0);
    auto level_is = [&](const std::vector<int>& h, int upto) {
      for (int v = 0; v < n; ++v) {
        const int want = level_ref[v] <= upto ? level_ref[v] : kUnreached;
        if (h[v] != want) return false;
      }
      return true;
    };
    bfs_top_down<<<std::max(1, (fs + 127) / 128), 128>>>(g, d_frontier.data, fs, depth + 1, d_level.data,
                                                       worklist{d_next.data, d_cursor.data});
    report("bfs_top_down", level_is(d_level.to_host(), depth + 1) &&
                               d_cursor.to_host()[0] == level_count[depth + 1]);

    d_level.assign(level_part);
    d_cursor.assign({0});
    bfs_top_down_tiled<8><<<(fs * 8 + 255) / 256, 256>>>(g, d_frontier.data, fs, depth + 1, d_level.data,
                                                         worklist{d_next.data, d_cursor.data});
    report("bfs_top_down_tiled<8>", level_is(d_level.to_host(), depth + 1));

    bfs_bottom_up<<<blocks_v, 256>>>(g, d_level.data, depth + 1, d_level2.data, d_found.data);
    report("bfs_bottom_up", level_is(d_level2.to_host(), depth + 2) &&
                                d_found.to_host()[0] == level_count[depth + 2]);
  }

  {  // --- one round of SSSP relaxation ---
    std::vector<int> dist(n, kUnreached);
    for (int v = 0; v < n; ++v)
      if (level_part[v] != kUnreached || v % 3 == 0) dist[v] = (v * 37) % 1000;
    std::vector<int> ref = dist;
    for (int e = 0; e < ne; ++e)
      if (dist[src[e]] != kUnreached) ref[nbr[e]] = std::min(ref[nbr[e]], dist[src[e]] + wgt[e]);
    device_vector<int> d_in(dist), d_out(dist), d_out2(n, 0);
    relax_edge_parallel<<<blocks_e, 256>>>(ne, d_src.data, d_nbr.data, d_wgt.data, d_in.data, d_out.data);
    report("relax_edge_parallel", d_out.to_host() == ref);
    relax_vertex_parallel<<<blocks_v, 256>>>(g, d_wgt.data, d_in.data, d_out2.data);
    report("relax_vertex_parallel", d_out2.to_host() == ref);
  }

  {  // --- PageRank ---
    const float damping = 0.85f;
    std::vector<float> rank(n);
    for (int v = 0; v < n; ++v) rank[v] = (1.f + (v % 5) * 0.1f) / n;
    std::vector<double> ref(n, (1.0 - damping) / n);
    for (int e = 0; e < ne; ++e)
      ref[nbr[e]] += damping * double(rank[src[e]]) / (off[src[e] + 1] - off[src[e]]);
    device_vector<float> d_rank(rank), d_contrib(n), d_new(n), d_change(1, 0);
    device_vector<float> d_push(std::vector<float>(n, (1.f - damping) / n));
    auto close = [&](const std::vector<float>& h) {
      double err = 0;
      for (int v = 0; v < n; ++v) err = std::max(err, std::fabs(h[v] - ref[v]) * n);
      return err < 1e-2;
    };
    pagerank_contrib<<<blocks_v, 256>>>(g, d_rank.data, d_contrib.data);
    report("pagerank_contrib", true);
    pagerank_pull<8><<<(n * 8 + 255) / 256, 256>>>(g, d_contrib.data, d_rank.data, damping, d_new.data,
                                                   d_change.data);
    report("pagerank_pull<8>", close(d_new.to_host()));
    pagerank_push_edges<<<132 * 8, 256>>>(ne, d_src.data, d_nbr.data, d_contrib.data, damping, d_push.data);
    report("pagerank_push_edges", close(d_push.to_host()));
  }

  {  // --- k-core ---
    const int k = 10;
    device_vector<int> d_deg(n), d_items(n), d_cursor(1, 0), d_rounds(1, 0);
    kcore_seed<<<blocks_v, 256>>>(g, k, d_deg.data, worklist{d_items.data, d_cursor.data});
    report("kcore_seed", true);
    int per_sm = 0, sms = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kcore_peel_persistent, 256, 0), "occ");
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "attr");
    worklist list{d_items.data, d_cursor.data};
    graph_view gv = g;
    int kk = k;
    int *deg_ptr = d_deg.data, *rounds_ptr = d_rounds.data;
    void* args[] = {&gv, &kk, &deg_ptr, &list, &rounds_ptr};
    check(cudaLaunchCooperativeKernel((void*)kcore_peel_persistent, dim3(sms * std::min(per_sm, 4)), dim3(256),
                                      args, 0, nullptr),
          "coop launch");
    check(cudaDeviceSynchronize(), "kcore");
    // reference
    std::vector<int> deg(n), stack;
    std::vector<char> gone(n, 0);
    for (int v = 0; v < n; ++v) {
      deg[v] = off[v + 1] - off[v];
      if (deg[v] < k) {
        stack.push_back(v);
        gone[v] = 1;
      }
    }
    for (size_t i = 0; i < stack.size(); ++i)
      for (int e = off[stack[i]]; e < off[stack[i] + 1]; ++e)
        if (--deg[nbr[e]] < k && !gone[nbr[e]]) {
          gone[nbr[e]] = 1;
          stack.push_back(nbr[e]);
        }
    const int removed = d_cursor.to_host()[0];
    std::printf("  %d-core: %d vertices removed in %d rounds\n", k, removed, d_rounds.to_host()[0]);
    report("kcore_peel_persistent", removed == static_cast<int>(stack.size()));
  }

  {  // --- Jaccard ---
    device_vector<float> d_j1(ne), d_j2(ne);
    jaccard_merge<<<blocks_e, 256>>>(g, ne, d_src.data, d_nbr.data, d_j1.data);
    report("jaccard_merge", true);
    jaccard_search<8><<<(ne + 31) / 32, 256>>>(g, ne, d_src.data, d_nbr.data, d_j2.data);
    const auto a = d_j1.to_host(), b = d_j2.to_host();
    bool ok = true;
    for (int e = 0; e < ne; e += 101) {
      const int u = src[e], v = nbr[e];
      std::vector<int> inter;
      std::set_intersection(nbr.begin() + off[u], nbr.begin() + off[u + 1], nbr.begin() + off[v],
                            nbr.begin() + off[v + 1], std::back_inserter(inter));
      const int c = static_cast<int>(inter.size());
      const float want = float(c) / float(off[u + 1] - off[u] + off[v + 1] - off[v] - c);
      ok = ok && std::fabs(a[e] - want) < 1e-6f && std::fabs(b[e] - want) < 1e-6f;
    }
    report("jaccard_search<8>", ok);
  }

  {  // --- random walks ---
    const int walkers = 200000, length = 32;
    device_vector<int> d_end(walkers), d_visits(n, 0);
    random_walks<<<(walkers + 127) / 128, 128>>>(g, walkers, length, 12345u, d_end.data, d_visits.data);
    const auto visits = d_visits.to_host();
    const long long total = std::accumulate(visits.begin(), visits.end(), 0LL);
    report("random_walks", total == static_cast<long long>(walkers) * (length / 8));
  }

  {  // --- connected components ---
    device_vector<int> d_parent(n);
    uf_init<<<blocks_v, 256>>>(g, d_parent.data);
    report("uf_init", true);
    uf_hook<<<blocks_e, 256>>>(ne, d_src.data, d_nbr.data, d_parent.data);
    report("uf_hook", true);
    uf_flatten<<<blocks_v, 256>>>(n, d_parent.data);
    const auto label = d_parent.to_host();
    // reference union-find
    std::vector<int> p(n);
    std::iota(p.begin(), p.end(), 0);
    auto find = [&](int v) {
      while (p[v] != v) v = p[v] = p[p[v]];
      return v;
    };
    for (int e = 0; e < ne; ++e) {
      int a = find(src[e]), b = find(nbr[e]);
      if (a != b) p[std::max(a, b)] = std::min(a, b);
    }
    bool ok = true;
    for (int v = 0; v < n; ++v) ok = ok && label[v] == find(v);
    report("uf_flatten", ok);
  }

  check(cudaDeviceSynchronize(), "end");
  std::printf("%s\n", bad ? "some checks failed" : "all checks passed");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
