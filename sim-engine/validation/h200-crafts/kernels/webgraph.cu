// webgraph: SpMV formats, PageRank push/pull, BFS levels, triangles on a skewed random graph
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

#define CUDA(call) if (cudaError_t e_ = (call); e_ != cudaSuccess) { std::printf("%s at line %d\n", cudaGetErrorString(e_), __LINE__); std::exit(1); }

template <typename T> T* upload(const std::vector<T>& v) {
  T* p = nullptr;
  CUDA(cudaMalloc(&p, v.size() * sizeof(T)));
  CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <typename T> std::vector<T> download(const T* p, size_t n) {
  std::vector<T> v(n);
  CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

// ------------------------------------------------------------ y = A x
__global__ void spmv_coo(const int* row, const int* col, const float* val, const float* x, float* y, int nnz) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < nnz) atomicAdd(&y[row[e]], val[e] * x[col[e]]);
}
__global__ void spmv_scalar(const int* ptr, const int* col, const float* val, const float* x, float* y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0;
  for (int e = ptr[r]; e < ptr[r + 1]; ++e) s += val[e] * x[col[e]];
  y[r] = s;
}
template <int LANES>
__global__ void spmv_vector(const int* __restrict__ ptr, const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  float s = 0;
  if (r < n)
    for (int e = ptr[r] + lane; e < ptr[r + 1]; e += LANES) s += val[e] * x[col[e]];
  for (int o = LANES / 2; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o, LANES);
  if (r < n && lane == 0) y[r] = s;
}

// ------------------------------------------------------------ PageRank
__global__ void pr_contrib(const int* ptr, const float* rank, float* contrib, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) { int d = ptr[v + 1] - ptr[v]; contrib[v] = d ? rank[v] / d : 0.f; }
}
__global__ void pr_pull(const int* ptr, const int* col, const float* contrib, float* next, float base, float damp, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float s = 0;
  for (int e = ptr[v]; e < ptr[v + 1]; ++e) s += contrib[col[e]];
  next[v] = base + damp * s;
}
__global__ void pr_push(const int* ptr, const int* col, const float* rank, float* next, float damp, int n) {  // warp per vertex
  int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (v >= n) return;
  int b = ptr[v], e = ptr[v + 1];
  if (b == e) return;
  float c = damp * rank[v] / (e - b);
  for (int i = b + (threadIdx.x & 31); i < e; i += 32) atomicAdd(&next[col[i]], c);
}

// ------------------------------------------------------------ BFS
__global__ void bfs_scan_all(const int* ptr, const int* col, int* level, int cur, int n, int* changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != cur) return;
  bool any = false;
  for (int e = ptr[v]; e < ptr[v + 1]; ++e) {
    int u = col[e];
    if (level[u] < 0) { level[u] = cur + 1; any = true; }
  }
  if (any) *changed = 1;
}
__global__ void bfs_queue(const int* ptr, const int* col, int* level, int cur, const int* front, int nf, int* next, int* nnext) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (w >= nf) return;
  int v = front[w];
  for (int e = ptr[v] + lane; e < ptr[v + 1]; e += 32) {
    int u = col[e];
    if (level[u] < 0 && atomicCAS(&level[u], -1, cur + 1) == -1) next[atomicAdd(nnext, 1)] = u;
  }
}

// ------------------------------------------------------------ triangles: merge of sorted lists, one thread per edge
__global__ void triangles(const int* ptr, const int* col, const int* row, int nnz, unsigned long long* total) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned cnt = 0;
  if (e < nnz) {
    int a = row[e], b = col[e];
    if (a < b) {
      int i = ptr[a], ie = ptr[a + 1], j = ptr[b], je = ptr[b + 1];
      while (i < ie && j < je) {
        int x = col[i], y = col[j];
        if (x == y) { cnt += x > b; ++i; ++j; }
        else if (x < y) ++i;
        else ++j;
      }
    }
  }
  cnt = __reduce_add_sync(0xffffffffu, cnt);
  if ((threadIdx.x & 31) == 0 && cnt) atomicAdd(total, (unsigned long long)cnt);
}

__global__ void fill(float* p, float v, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = v;
}

int main() {
  const int n = 150001;
  std::mt19937 rng(99);
  std::vector<std::vector<int>> adj(n);
  for (int k = 0; k < 600000; ++k) {
    double u = rng() / 4294967296.0;
    int a = (int)(n * u * u * std::sqrt(u)), b = rng() % n;       // a is skewed to the small ids
    if (a == b) continue;
    adj[a].push_back(b);
    adj[b].push_back(a);
  }
  std::vector<int> ptr(1, 0), col, row;
  for (int v = 0; v < n; ++v) {
    auto& l = adj[v];
    std::sort(l.begin(), l.end());
    l.erase(std::unique(l.begin(), l.end()), l.end());
    for (int u : l) { col.push_back(u); row.push_back(v); }
    ptr.push_back((int)col.size());
  }
  const int nnz = (int)col.size();
  std::vector<float> val(nnz), x(n);
  for (int e = 0; e < nnz; ++e) val[e] = 0.5f + (e % 17) * 0.0625f;
  for (int v = 0; v < n; ++v) x[v] = 1.f + (v % 13) * 0.1f;
  std::printf("n=%d nnz=%d max degree %d\n", n, nnz, ptr[1] - ptr[0]);

  int *dptr = upload(ptr), *dcol = upload(col), *drow = upload(row);
  float *dval = upload(val), *dx = upload(x), *dy, *dz;
  CUDA(cudaMalloc(&dy, n * sizeof(float)));
  CUDA(cudaMalloc(&dz, n * sizeof(float)));
  bool ok = true;
  auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-4 * std::fabs(b) + 1e-6; };

  // SpMV
  std::vector<double> yr(n, 0);
  for (int v = 0; v < n; ++v) for (int e = ptr[v]; e < ptr[v + 1]; ++e) yr[v] += (double)val[e] * x[col[e]];
  const char* names[] = {"coo atomics", "csr scalar", "csr 8 lanes", "csr warp"};
  for (int kind = 0; kind < 4; ++kind) {
    CUDA(cudaMemset(dy, 0, n * sizeof(float)));
    switch (kind) {
      case 0: spmv_coo<<<(nnz + 255) / 256, 256>>>(drow, dcol, dval, dx, dy, nnz); break;
      case 1: spmv_scalar<<<(n + 127) / 128, 128>>>(dptr, dcol, dval, dx, dy, n); break;
      case 2: spmv_vector<8><<<(n * 8 + 255) / 256, 256>>>(dptr, dcol, dval, dx, dy, n); break;
      case 3: spmv_vector<32><<<(n * 32 + 255) / 256, 256>>>(dptr, dcol, dval, dx, dy, n); break;
    }
    CUDA(cudaGetLastError());
    auto y = download(dy, n);
    bool good = true;
    for (int v = 0; v < n; ++v) good &= near(y[v], yr[v]);
    std::printf("spmv %-12s %s\n", names[kind], good ? "ok" : "bad");
    ok &= good;
  }

  // PageRank, one iteration from uniform by pull, another by push
  const float damp = 0.85f, base = 0.15f / n;
  float *rank, *contrib;
  CUDA(cudaMalloc(&rank, n * sizeof(float)));
  CUDA(cudaMalloc(&contrib, n * sizeof(float)));
  fill<<<150, 256>>>(rank, 1.f / n, n);
  pr_contrib<<<(n + 255) / 256, 256>>>(dptr, rank, contrib, n);
  pr_pull<<<(n + 255) / 256, 256>>>(dptr, dcol, contrib, dy, base, damp, n);
  fill<<<150, 256>>>(dz, base, n);
  pr_push<<<(n + 7) / 8, 256>>>(dptr, dcol, rank, dz, damp, n);
  CUDA(cudaGetLastError());
  auto a = download(dy, n), b = download(dz, n);
  bool good = true;
  for (int v = 0; v < n; ++v) {
    double s = 0;
    for (int e = ptr[v]; e < ptr[v + 1]; ++e) s += 1.0 / n / (ptr[col[e] + 1] - ptr[col[e]]);
    good &= std::fabs(a[v] - (base + damp * s)) < 1e-3 * (base + damp * s) && std::fabs(b[v] - a[v]) < 1e-3 * a[v];
  }
  std::printf("pagerank         %s\n", good ? "ok" : "bad");
  ok &= good;

  // BFS from a leaf-ish vertex: host reference, first three levels both ways
  int src = n - 1;
  while (src > 0 && ptr[src + 1] - ptr[src] < 2) --src;
  const int LV = 3;
  std::vector<int> ref(n, -1);
  std::queue<int> q;
  q.push(src);
  ref[src] = 0;
  while (!q.empty()) {
    int v = q.front(); q.pop();
    if (ref[v] == LV) continue;
    for (int e = ptr[v]; e < ptr[v + 1]; ++e) if (ref[col[e]] < 0) { ref[col[e]] = ref[v] + 1; q.push(col[e]); }
  }
  std::vector<int> init(n, -1);
  init[src] = 0;
  int *level = upload(init), *changed, *f0, *f1;
  CUDA(cudaMalloc(&changed, sizeof(int)));
  CUDA(cudaMemset(changed, 0, sizeof(int)));
  CUDA(cudaMalloc(&f0, n * sizeof(int)));
  CUDA(cudaMalloc(&f1, n * sizeof(int)));
  for (int l = 0; l < LV; ++l) bfs_scan_all<<<(n + 255) / 256, 256>>>(dptr, dcol, level, l, n, changed);
  auto got = download(level, n);
  good = got == ref;
  CUDA(cudaMemcpy(level, init.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(f0, &src, sizeof(int), cudaMemcpyHostToDevice));
  int nf = 1;
  for (int l = 0; l < LV && nf > 0; ++l) {
    CUDA(cudaMemset(changed, 0, sizeof(int)));
    bfs_queue<<<(nf + 3) / 4, 128>>>(dptr, dcol, level, l, f0, nf, f1, changed);
    CUDA(cudaMemcpy(&nf, changed, sizeof(int), cudaMemcpyDeviceToHost));
    std::swap(f0, f1);
    std::printf("  level %d frontier %d\n", l + 1, nf);
  }
  good &= download(level, n) == ref;
  std::printf("bfs              %s\n", good ? "ok" : "bad");
  ok &= good;

  // triangles
  unsigned long long* tot;
  CUDA(cudaMallocManaged(&tot, sizeof *tot));
  *tot = 0;
  triangles<<<(nnz + 127) / 128, 128>>>(dptr, dcol, drow, nnz, tot);
  CUDA(cudaDeviceSynchronize());
  unsigned long long tri = 0;
  std::vector<int> mark(n, -1);
  for (int v = 0; v < n; ++v) {
    for (int e = ptr[v]; e < ptr[v + 1]; ++e) if (col[e] > v) mark[col[e]] = v;
    for (int e = ptr[v]; e < ptr[v + 1]; ++e) {
      int u = col[e];
      if (u <= v) continue;
      for (int k = ptr[u + 1] - 1; k >= ptr[u] && col[k] > u; --k) tri += mark[col[k]] == v;
    }
  }
  std::printf("triangles        %llu / %llu\n", *tot, tri);
  ok &= *tot == tri;
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
