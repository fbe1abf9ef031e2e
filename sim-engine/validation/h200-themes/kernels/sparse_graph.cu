// Sparse matrices and graphs: the same synthetic graph serves both halves.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

#define CUDA_TRY(...)                                                             \
  do {                                                                            \
    cudaError_t status__ = (__VA_ARGS__);                                         \
    if (status__ != cudaSuccess) {                                                \
      std::fprintf(stderr, "error '%s' in %s\n", cudaGetErrorString(status__), #__VA_ARGS__); \
      std::abort();                                                               \
    }                                                                             \
  } while (false)

struct CsrHost {
  std::vector<int> offsets, columns;
  std::vector<float> values;
};

template <typename T>
T* to_device(std::vector<T> const& v)
{
  T* p = nullptr;
  CUDA_TRY(cudaMalloc(&p, v.size() * sizeof(T)));
  CUDA_TRY(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

// ------------------------------------------------------------------ kernels
__global__ void spmv_csr_scalar(int rows, const int* __restrict__ off, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* y)
{
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float dot = 0;
    for (int e = off[r]; e < off[r + 1]; ++e) dot += val[e] * x[col[e]];
    y[r] = dot;
  }
}

template <int LANES>
__global__ void spmv_csr_vector(int rows, const int* __restrict__ off, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* y)
{
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  int lane = threadIdx.x % LANES;
  float dot = 0;
  if (r < rows)
    for (int e = off[r] + lane; e < off[r + 1]; e += LANES) dot += val[e] * x[col[e]];
  for (int d = LANES / 2; d > 0; d /= 2) dot += __shfl_down_sync(0xffffffffu, dot, d, LANES);
  if (r < rows && lane == 0) y[r] = dot;
}

__global__ void spmv_ell(int rows, int width, const int* __restrict__ col, const float* __restrict__ val,
                         const float* __restrict__ x, float* y)
{
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float dot = 0;
  for (int k = 0; k < width; ++k) {
    int c = col[(size_t)k * rows + r];   // column-major: neighbours are coalesced
    if (c >= 0) dot += val[(size_t)k * rows + r] * x[c];
  }
  y[r] = dot;
}

__global__ void spmv_coo_atomic(int nnz, const int* __restrict__ row, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* y)
{
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < nnz; e += gridDim.x * blockDim.x)
    atomicAdd(&y[row[e]], val[e] * x[col[e]]);
}

// Y (rows x 32) = A X (cols x 32): a warp per row, a lane per output column
__global__ void spmm_warp_row(int rows, const int* __restrict__ off, const int* __restrict__ col,
                              const float* __restrict__ val, const float* __restrict__ X, float* Y)
{
  int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (r >= rows) return;
  float acc = 0;
  int end = off[r + 1];
  for (int base = off[r]; base < end; base += 32) {
    int c = 0;
    float v = 0;
    if (base + lane < end) { c = col[base + lane]; v = val[base + lane]; }
    int m = min(32, end - base);
    for (int k = 0; k < m; ++k) {
      int ck = __shfl_sync(0xffffffffu, c, k);
      float vk = __shfl_sync(0xffffffffu, v, k);
      acc += vk * X[(size_t)ck * 32 + lane];
    }
  }
  Y[(size_t)r * 32 + lane] = acc;
}

__global__ void bfs_expand(int frontierSize, const int* __restrict__ frontier, const int* __restrict__ off,
                           const int* __restrict__ col, int* level, int next, int* out, int* outSize)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= frontierSize) return;
  int u = frontier[t];
  for (int e = off[u]; e < off[u + 1]; ++e) {
    int v = col[e];
    if (atomicCAS(&level[v], -1, next) == -1) out[atomicAdd(outSize, 1)] = v;
  }
}

__global__ void pagerank_pull(int n, const int* __restrict__ off, const int* __restrict__ col,
                              const float* __restrict__ rank, const int* __restrict__ degree, float* next, float damping)
{
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float in = 0;
  for (int e = off[v]; e < off[v + 1]; ++e) {
    int u = col[e];
    in += rank[u] / degree[u];
  }
  next[v] = (1.f - damping) / n + damping * in;
}

// adjacency lists are sorted; count w > v > u with u-v, u-w, v-w
__global__ void triangle_count(int n, const int* __restrict__ off, const int* __restrict__ col, unsigned long long* total)
{
  int u = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  unsigned found = 0;
  if (u < n) {
    int u0 = off[u], u1 = off[u + 1];
    for (int e = u0 + lane; e < u1; e += 32) {
      int v = col[e];
      if (v <= u) continue;
      int i = e + 1, j = off[v], jEnd = off[v + 1];
      while (i < u1 && j < jEnd) {
        int a = col[i], b = col[j];
        if (a == b) { found += a > v; ++i; ++j; }
        else if (a < b) ++i;
        else ++j;
      }
    }
  }
  found = __reduce_add_sync(0xffffffffu, found);
  if (lane == 0 && found) atomicAdd(total, (unsigned long long)found);
}

// connected components: hook the larger root under the smaller one
__global__ void cc_hook(int n, const int* __restrict__ off, const int* __restrict__ col, int* parent)
{
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  for (int e = off[u]; e < off[u + 1]; ++e) {
    int a = u, b = col[e];
    if (b > a) continue;                    // each undirected edge once
    // lock-free union
    while (true) {
      int pa;
      while ((pa = atomicAdd(&parent[a], 0)) != a) a = pa;
      int pb;
      while ((pb = atomicAdd(&parent[b], 0)) != b) b = pb;
      if (a == b) break;
      if (a < b) { int t = a; a = b; b = t; }
      if (atomicCAS(&parent[a], a, b) == a) break;
    }
  }
}

__global__ void cc_jump(int n, const int* __restrict__ parent, int* label)
{
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = v;
  while (parent[r] != r) r = parent[r];
  label[v] = r;
}

// -------------------------------------------------------------------- host
static CsrHost make_graph(int n, int avg)
{
  std::vector<std::pair<int, int>> edges;
  unsigned s = 7;
  auto next = [&] { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
  for (int k = 0; k < n * avg / 2; ++k) {
    int u = next() % n;
    int v = (next() & 3) ? (u + 1 + next() % 64) % n : next() % (1 + next() % n);   // mostly local, some hubs
    if (u == v) continue;
    edges.emplace_back(u, v);
    edges.emplace_back(v, u);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  CsrHost g;
  g.offsets.assign(n + 1, 0);
  for (auto& e : edges) {
    ++g.offsets[e.first + 1];
    g.columns.push_back(e.second);
    g.values.push_back(0.01f * ((e.first * 3 + e.second * 5) % 100));
  }
  for (int i = 0; i < n; ++i) g.offsets[i + 1] += g.offsets[i];
  return g;
}

int main()
{
  const int n = 200000;
  CsrHost g = make_graph(n, 16);
  const int nnz = (int)g.columns.size();
  int longest = 0;
  std::vector<int> degree(n), rowOf(nnz);
  for (int r = 0; r < n; ++r) {
    degree[r] = g.offsets[r + 1] - g.offsets[r];
    longest = std::max(longest, degree[r]);
    for (int e = g.offsets[r]; e < g.offsets[r + 1]; ++e) rowOf[e] = r;
  }
  const int width = 24;    // rows longer than this are cut for ELL
  std::vector<int> ellCol((size_t)width * n, -1);
  std::vector<float> ellVal((size_t)width * n, 0.f);
  for (int r = 0; r < n; ++r)
    for (int k = 0; k < std::min(width, degree[r]); ++k) {
      ellCol[(size_t)k * n + r] = g.columns[g.offsets[r] + k];
      ellVal[(size_t)k * n + r] = g.values[g.offsets[r] + k];
    }
  std::vector<float> x(n), X((size_t)n * 32, 0.5f);
  for (int i = 0; i < n; ++i) x[i] = (i % 11) * 0.1f;
  std::printf("vertices %d, entries %d, longest row %d\n", n, nnz, longest);

  int *off = to_device(g.offsets), *col = to_device(g.columns), *row = to_device(rowOf), *deg = to_device(degree);
  int* ec = to_device(ellCol);
  float *val = to_device(g.values), *ev = to_device(ellVal), *dx = to_device(x), *dX = to_device(X);
  float *y1 = to_device(x), *y2 = to_device(x), *Y = to_device(X);
  const int B = 256, G = (n + B - 1) / B;

  spmv_csr_scalar<<<G, B>>>(n, off, col, val, dx, y1);
  spmv_csr_vector<8><<<(n * 8 + B - 1) / B, B>>>(n, off, col, val, dx, y2);
  CUDA_TRY(cudaGetLastError());
  std::vector<float> a(n), b(n);
  CUDA_TRY(cudaMemcpy(a.data(), y1, n * 4, cudaMemcpyDeviceToHost));
  CUDA_TRY(cudaMemcpy(b.data(), y2, n * 4, cudaMemcpyDeviceToHost));
  float diff = 0;
  for (int i = 0; i < n; ++i) diff = std::max(diff, std::fabs(a[i] - b[i]));
  std::printf("csr scalar vs vector: %g\n", diff);
  spmv_ell<<<G, B>>>(n, width, ec, ev, dx, y2);
  CUDA_TRY(cudaMemset(y2, 0, n * 4));
  spmv_coo_atomic<<<1056, B>>>(nnz, row, col, val, dx, y2);
  spmm_warp_row<<<(n + 7) / 8, 256>>>(n, off, col, val, dX, Y);
  CUDA_TRY(cudaGetLastError());

  // one BFS step from a frontier of every 50th vertex
  std::vector<int> frontier, level(n, -1), iota(n);
  for (int i = 0; i < n; ++i) iota[i] = i;
  for (int v = 0; v < n; v += 50) { frontier.push_back(v); level[v] = 0; }
  int *fr = to_device(frontier), *lv = to_device(level), *out = to_device(iota), *parent = to_device(iota), *label = to_device(iota);
  unsigned long long* tri;
  int* cnt;
  CUDA_TRY(cudaMalloc(&tri, 8)); CUDA_TRY(cudaMemset(tri, 0, 8));
  CUDA_TRY(cudaMalloc(&cnt, 4)); CUDA_TRY(cudaMemset(cnt, 0, 4));
  int fs = (int)frontier.size();
  bfs_expand<<<(fs + 127) / 128, 128>>>(fs, fr, off, col, lv, 1, out, cnt);
  pagerank_pull<<<G, B>>>(n, off, col, dx, deg, y1, 0.85f);
  triangle_count<<<(n + 7) / 8, 256>>>(n, off, col, tri);
  cc_hook<<<G, B>>>(n, off, col, parent);
  cc_jump<<<G, B>>>(n, parent, label);
  CUDA_TRY(cudaGetLastError());

  int reached; unsigned long long triangles;
  CUDA_TRY(cudaMemcpy(&reached, cnt, 4, cudaMemcpyDeviceToHost));
  CUDA_TRY(cudaMemcpy(&triangles, tri, 8, cudaMemcpyDeviceToHost));
  CUDA_TRY(cudaMemcpy(iota.data(), label, n * 4, cudaMemcpyDeviceToHost));
  int comps = 0;
  for (int i = 0; i < n; ++i) comps += iota[i] == i;
  std::printf("new vertices %d, triangles %llu, components %d\n", reached, triangles, comps);
  for (void* p : {(void*)off, (void*)col, (void*)row, (void*)deg, (void*)ec, (void*)fr, (void*)lv, (void*)out, (void*)parent,
                  (void*)label, (void*)cnt, (void*)val, (void*)ev, (void*)dx, (void*)dX, (void*)y1, (void*)y2, (void*)Y, (void*)tri})
    cudaFree(p);
  return 0;
}
