// Irregular data structures: BFS, PageRank, connected components, triangles, open addressing hash tables.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

#define CHK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct Graph { int n, m; const int* row; const int* col; };

// ---------------------------------------------------------------- BFS
// every vertex checks whether it is on the current level
__global__ void bfs_topology(Graph g, int* level, int cur, int* changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.n || level[v] != cur) return;
  for (int e = g.row[v]; e < g.row[v + 1]; ++e) {
    int w = g.col[e];
    if (level[w] < 0) { level[w] = cur + 1; *changed = 1; }  // benign race, same value
  }
}
// frontier queue, thread per frontier vertex, one atomic per discovered vertex
__global__ void bfs_queue_thread(Graph g, int* level, int cur, const int* q, const int* qn, int* next, int* nextn) {
  int n = *qn;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int v = q[i];
    for (int e = g.row[v]; e < g.row[v + 1]; ++e) {
      int w = g.col[e];
      if (level[w] < 0 && atomicCAS(&level[w], -1, cur + 1) == -1) next[atomicAdd(nextn, 1)] = w;
    }
  }
}
// frontier queue, warp per vertex, coalesced group reserves queue space once
__global__ void bfs_queue_warp(Graph g, int* level, int cur, const int* q, const int* qn, int* next, int* nextn) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int n = *qn, nw = gridDim.x * blockDim.x / 32;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < n; i += nw) {
    int v = q[i], end = g.row[v + 1];
    for (int e = g.row[v] + (int)warp.thread_rank(); e < end; e += 32) {
      int w = g.col[e];
      if (level[w] < 0 && atomicCAS(&level[w], -1, cur + 1) == -1) {
        auto act = cg::coalesced_threads();
        int base = 0;
        if (act.thread_rank() == 0) base = atomicAdd(nextn, (int)act.size());
        next[act.shfl(base, 0) + act.thread_rank()] = w;
      }
    }
  }
}

// ---------------------------------------------------------------- PageRank
__global__ void pr_pull(Graph g, const float* __restrict__ contrib, float* __restrict__ out, float damp) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.n) return;
  float s = 0.f;
  for (int e = g.row[v], end = g.row[v + 1]; e < end; ++e) s += contrib[g.col[e]];
  out[v] = (1.f - damp) / g.n + damp * s;
}
template <int LANES>
__global__ void __launch_bounds__(256) pr_pull_subwarp(Graph g, const float* __restrict__ contrib, float* __restrict__ out, float damp) {
  auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  float s = 0.f;
  if (v < g.n)
    for (int e = g.row[v] + (int)tile.thread_rank(); e < g.row[v + 1]; e += LANES) s += contrib[g.col[e]];
#pragma unroll
  for (int o = LANES / 2; o; o /= 2) s += tile.shfl_down(s, o);
  if (v < g.n && tile.thread_rank() == 0) out[v] = (1.f - damp) / g.n + damp * s;
}
__global__ void pr_push(Graph g, const float* rank, float* out, float damp) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.n) return;
  int b = g.row[v], e = g.row[v + 1];
  if (b == e) return;
  float c = damp * rank[v] / (e - b);
  for (; b < e; ++b) atomicAdd(&out[g.col[b]], c);
}

// ---------------------------------------------------------------- components
__global__ void label_propagate(Graph g, int* label, int* changed) {
  bool any = false;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < g.n; v += gridDim.x * blockDim.x) {
    int best = label[v];
    for (int e = g.row[v]; e < g.row[v + 1]; ++e) best = min(best, ((volatile int*)label)[g.col[e]]);
    if (best < label[v]) { atomicMin(&label[v], best); any = true; }
  }
  if (__any_sync(__activemask(), any) && any) *changed = 1;
}
__device__ int uf_find(volatile int* p, int v) {
  int cur = p[v];
  while (cur != v) {
    int up = p[cur];
    if (up != cur) p[v] = up;  // path halving; parents only ever decrease
    v = cur;
    cur = up;
  }
  return v;
}
__global__ void uf_hook_edges(int m, const int2* __restrict__ edges, int* parent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int a = edges[i].x, b = edges[i].y;
  for (;;) {
    a = uf_find(parent, a);
    b = uf_find(parent, b);
    if (a == b) break;
    if (a < b) { int t = a; a = b; b = t; }
    if (atomicCAS(&parent[a], a, b) == a) break;
  }
}
__global__ void uf_compress(int n, int* parent) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) parent[v] = uf_find(parent, v);
}

// ---------------------------------------------------------------- triangles: binary search of sorted adjacency, thread per edge
__global__ void triangles_edge(Graph g, const int2* __restrict__ edges, int m, unsigned long long* total) {
  unsigned found = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    int u = edges[i].x, v = edges[i].y;
    if (g.row[u + 1] - g.row[u] > g.row[v + 1] - g.row[v]) { int t = u; u = v; v = t; }
    for (int e = g.row[u]; e < g.row[u + 1]; ++e) {
      int key = g.col[e], lo = g.row[v], hi = g.row[v + 1];
      while (lo < hi) { int mid = (lo + hi) >> 1; if (g.col[mid] < key) lo = mid + 1; else hi = mid; }
      found += lo < g.row[v + 1] && g.col[lo] == key;
    }
  }
  found = __reduce_add_sync(~0u, found);
  if ((threadIdx.x & 31) == 0 && found) atomicAdd(total, (unsigned long long)found);
}

// ---------------------------------------------------------------- hash tables
constexpr uint32_t kEmpty = 0xffffffffu;
struct Murmur { __host__ __device__ uint32_t operator()(uint32_t h) const { h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; return h ^ (h >> 16); } };
struct Weak { __host__ __device__ uint32_t operator()(uint32_t h) const { return h * 2654435769u >> 7; } };

// 64-bit slots {key,value}, linear probing, first writer wins
template <class Hash>
__global__ void hash_insert64(unsigned long long* table, uint32_t mask, const uint32_t* keys, int n, int* dup) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t k = keys[i], slot = Hash()(k) & mask;
  unsigned long long mine = ((unsigned long long)k << 32) | (uint32_t)i;
  for (uint32_t probe = 0; probe <= mask; ++probe) {
    unsigned long long old = atomicCAS(&table[slot], ~0ull, mine);
    if (old == ~0ull) return;
    if ((uint32_t)(old >> 32) == k) { atomicAdd(dup, 1); return; }
    slot = (slot + 1) & mask;
  }
}
template <class Hash>
__global__ void hash_lookup64(const unsigned long long* __restrict__ table, uint32_t mask, const uint32_t* __restrict__ keys, uint32_t* __restrict__ vals, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint32_t k = keys[i], slot = Hash()(k) & mask, v = kEmpty;
    for (uint32_t probe = 0; probe <= mask; ++probe, slot = (slot + 1) & mask) {
      unsigned long long s = table[slot];
      if (s == ~0ull) break;
      if ((uint32_t)(s >> 32) == k) { v = (uint32_t)s; break; }
    }
    vals[i] = v;
  }
}
// counting table: separate key and counter arrays, quadratic probing
__global__ void hash_count(uint32_t* tkeys, uint32_t* tcount, uint32_t mask, const uint32_t* keys, int n, uint32_t key_mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t k = keys[i] & key_mask, slot = Murmur()(k) & mask;
  for (uint32_t probe = 1; probe <= mask; ++probe) {
    uint32_t old = ((volatile uint32_t*)tkeys)[slot];
    if (old == kEmpty) old = atomicCAS(&tkeys[slot], kEmpty, k);
    if (old == kEmpty || old == k) { atomicAdd(&tcount[slot], 1u); return; }
    slot = (slot + probe) & mask;
  }
}

int main() {
  const int N = 1 << 17, M = 1 << 20, K = 1 << 21, CAP = 1 << 22, SRC = 1024;
  uint32_t s = 8088;
  auto rnd = [&s] { s = s * 1664525u + 1013904223u; return s >> 8; };
  std::vector<int2> edges(M);
  std::vector<int> row(N + 1, 0), col(2 * M);
  for (auto& e : edges) {  // endpoint u skewed towards small ids
    double r = rnd() / 16777216.0;
    e = make_int2((int)(r * r * N), (int)(rnd() % N));
    row[e.x + 1]++; row[e.y + 1]++;
  }
  for (int v = 0; v < N; ++v) row[v + 1] += row[v];
  std::vector<int> fill(row.begin(), row.end() - 1);
  for (auto& e : edges) { col[fill[e.x]++] = e.y; col[fill[e.y]++] = e.x; }
  for (int v = 0; v < N; ++v) std::sort(col.begin() + row[v], col.begin() + row[v + 1]);
  std::vector<uint32_t> keys(K);
  for (auto& k : keys) k = (rnd() << 8 ^ rnd()) & 0x7fffffffu;
  std::vector<int> level(N, -1), iota(N), src(SRC);
  for (int i = 0; i < SRC; ++i) { src[i] = i * 97 % N; level[src[i]] = 0; }
  for (int i = 0; i < N; ++i) iota[i] = i;
  std::vector<float> rank(N, 1.f / N);

  int *drow, *dcol, *dlevel, *q0, *q1, *cnt, *label; int2* dedges; float *dr, *dr2; uint32_t *dkeys, *dvals, *tk, *tc; unsigned long long *table, *tri;
  CHK(cudaMalloc(&drow, (N + 1) * 4)); CHK(cudaMalloc(&dcol, 2 * M * 4)); CHK(cudaMalloc(&dlevel, N * 4)); CHK(cudaMalloc(&q0, N * 4)); CHK(cudaMalloc(&q1, N * 4));
  CHK(cudaMalloc(&cnt, 64)); CHK(cudaMalloc(&label, N * 4)); CHK(cudaMalloc(&dedges, M * 8)); CHK(cudaMalloc(&dr, N * 4)); CHK(cudaMalloc(&dr2, N * 4));
  CHK(cudaMalloc(&dkeys, K * 4)); CHK(cudaMalloc(&dvals, K * 4)); CHK(cudaMalloc(&tk, CAP)); CHK(cudaMalloc(&tc, CAP)); CHK(cudaMalloc(&table, CAP * 8ull)); CHK(cudaMalloc(&tri, 8));
  auto up = [](void* d, const void* h, size_t b) { CHK(cudaMemcpy(d, h, b, cudaMemcpyHostToDevice)); };
  up(drow, row.data(), (N + 1) * 4); up(dcol, col.data(), 2 * M * 4); up(dedges, edges.data(), M * 8); up(dkeys, keys.data(), K * 4); up(dr, rank.data(), N * 4);
  CHK(cudaMemset(table, 0xff, CAP * 8ull)); CHK(cudaMemset(tk, 0xff, CAP)); CHK(cudaMemset(tc, 0, CAP)); CHK(cudaMemset(tri, 0, 8)); CHK(cudaMemset(dr2, 0, N * 4));
  Graph g{N, 2 * M, drow, dcol};

  auto reset = [&] { up(dlevel, level.data(), N * 4); up(q0, src.data(), SRC * 4); int c[16] = {SRC}; up(cnt, c, 64); };
  reset();
  bfs_topology<<<N / 256, 256>>>(g, dlevel, 0, cnt + 8);
  reset();
  for (int l = 0; l < 2; ++l) {
    bfs_queue_thread<<<264, 128>>>(g, dlevel, l, q0, cnt + l, q1, cnt + l + 1);
    std::swap(q0, q1);
  }
  CHK(cudaDeviceSynchronize());
  reset();
  bfs_queue_warp<<<132 * 4, 256>>>(g, dlevel, 0, q0, cnt, q1, cnt + 1);
  pr_pull<<<N / 128, 128>>>(g, dr, dr2, 0.85f);
  pr_pull_subwarp<8><<<N * 8 / 256, 256>>>(g, dr, dr2, 0.85f);
  pr_push<<<N / 256, 256>>>(g, dr, dr2, 0.85f);
  up(label, iota.data(), N * 4);
  label_propagate<<<132 * 2, 256>>>(g, label, cnt + 9);
  CHK(cudaDeviceSynchronize());
  up(label, iota.data(), N * 4);
  uf_hook_edges<<<M / 256, 256>>>(M, dedges, label);
  uf_compress<<<N / 512, 512>>>(N, label);
  triangles_edge<<<M / 8 / 128, 128>>>(g, dedges, M / 8, tri);
  CHK(cudaDeviceSynchronize());
  hash_insert64<Murmur><<<K / 256, 256>>>(table, CAP - 1, dkeys, K, cnt + 10);
  hash_lookup64<Murmur><<<132 * 8, 256>>>(table, CAP - 1, dkeys, dvals, K);
  CHK(cudaMemset(table, 0xff, CAP * 8ull));
  hash_insert64<Weak><<<K / 2 / 512, 512>>>(table, CAP / 2 - 1, dkeys, K / 2, cnt + 11);
  hash_count<<<K / 256, 256>>>(tk, tc, CAP / 4 - 1, dkeys, K, 0xffffu);
  CHK(cudaGetLastError());
  CHK(cudaDeviceSynchronize());
  unsigned long long t; int c[16];
  std::vector<int> lab(N);
  CHK(cudaMemcpy(&t, tri, 8, cudaMemcpyDeviceToHost)); CHK(cudaMemcpy(c, cnt, 64, cudaMemcpyDeviceToHost)); CHK(cudaMemcpy(lab.data(), label, N * 4, cudaMemcpyDeviceToHost));
  int comps = 0;
  for (int v = 0; v < N; ++v) comps += lab[v] == v;
  printf("triangle hits %llu, components %d, frontier %d, duplicates %d\n", t, comps, c[1], c[10]);
  return 0;
}
