// Sparse rows and graphs: products, a breadth-first level, PageRank both ways, degrees, a dense copy.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Csr {
  int n;
  int *ptr, *idx;
  float *val;
};

__global__ void spmvScalar(Csr a, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < a.n) {
    float dot = 0;
    for (int e = a.ptr[row]; e < a.ptr[row + 1]; e++) dot += a.val[e] * x[a.idx[e]];
    y[row] = dot;
  }
}

__global__ void spmvWarp(int n, const int *__restrict__ ptr, const int *__restrict__ idx, const float *__restrict__ val,
                         const float *__restrict__ x, float *__restrict__ y) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (warp >= n) return;
  float dot = 0;
  for (int e = ptr[warp] + lane; e < ptr[warp + 1]; e += 32) dot += val[e] * x[idx[e]];
#pragma unroll
  for (int o = 16; o > 0; o /= 2) dot += __shfl_down_sync(0xffffffff, dot, o);
  if (lane == 0) y[warp] = dot;
}

// Neighbours not seen yet get the next level and join the next frontier, once each.
__global__ void bfsLevel(Csr g, const int *frontier, int count, int *next, int *nextCount, int *level, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int u = frontier[i];
  for (int e = g.ptr[u]; e < g.ptr[u + 1]; e++) {
    int v = g.idx[e];
    if (atomicCAS(&level[v], -1, depth) == -1) next[atomicAdd(nextCount, 1)] = v;
  }
}

__global__ void rankPush(Csr g, const float *rank, float *sum) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= g.n) return;
  int from = g.ptr[u], to = g.ptr[u + 1];
  if (from == to) return;
  float share = rank[u] / (to - from);
  for (int e = from; e < to; e++) atomicAdd(&sum[g.idx[e]], share);
}

// Rows are the incoming edges here; eight lanes work on a vertex.
__global__ void __launch_bounds__(256) rankPull(Csr in, const int *__restrict__ outDegree, const float *__restrict__ rank, float *__restrict__ next, float d) {
  int v = blockIdx.x * 32 + threadIdx.x / 8, l = threadIdx.x % 8;
  float s = 0;
  if (v < in.n)
    for (int e = in.ptr[v] + l, end = in.ptr[v + 1]; e < end; e += 8) {
      int u = in.idx[e];
      s += rank[u] / max(outDegree[u], 1);
    }
  for (int o = 4; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o, 8);
  if (l == 0 && v < in.n) next[v] = (1 - d) / in.n + d * s;
}

__global__ void countDegrees(const int2 *edges, int m, int *outDegree, int *inDegree) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
    int2 uv = edges[e];
    atomicAdd(&outDegree[uv.x], 1);
    atomicAdd(&inDegree[uv.y], 1);
  }
}

__global__ void cooToDense(const int2 *edges, const float *val, int m, float *dense, int limit) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  int2 uv = edges[e];
  if (uv.x < limit && uv.y < limit) atomicAdd(&dense[(size_t)uv.x * limit + uv.y], val[e]);
}

template <typename T>
T *toDevice(const std::vector<T> &h) {
  T *d;
  cudaMalloc(&d, h.size() * sizeof(T));
  cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  const int n = 300000, m = 16 * n, limit = 8192, hubs = 20000;
  std::vector<int2> edges(m);
  for (auto &e : edges) {  // a few vertices are popular, and so are their low-numbered friends
    double a = rand() / (RAND_MAX + 1.0), b = rand() / (RAND_MAX + 1.0);
    e = make_int2((int)(n * pow(a, 1.3)), (int)(n * b * b));
  }
  std::vector<int> ptr(n + 1, 0), idx(m), level(n, -1), frontier(hubs);
  for (auto &e : edges) ptr[e.x + 1]++;
  for (int i = 0; i < n; i++) ptr[i + 1] += ptr[i];
  std::vector<int> at(ptr.begin(), ptr.end() - 1);
  for (auto &e : edges) idx[at[e.x]++] = e.y;
  for (int i = 0; i < hubs; i++) frontier[i] = i * 15, level[i * 15] = 0;
  std::vector<float> val(m, 0.5f), x(n, 1.0f / n);
  Csr g = {n, toDevice(ptr), toDevice(idx), toDevice(val)};
  int2 *coo = toDevice(edges);
  float *dx = toDevice(x), *y, *dense;
  int *lev = toDevice(level), *front = toDevice(frontier), *next, *degrees, *nextCount;
  cudaMalloc(&y, n * sizeof(float)), cudaMalloc(&dense, (size_t)limit * limit * sizeof(float));
  cudaMalloc(&next, n * sizeof(int)), cudaMalloc(&degrees, 2 * n * sizeof(int)), cudaMalloc(&nextCount, sizeof(int));
  cudaMemset(dense, 0, (size_t)limit * limit * sizeof(float));
  cudaMemset(degrees, 0, 2 * n * sizeof(int)), cudaMemset(nextCount, 0, sizeof(int));
  countDegrees<<<1056, 256>>>(coo, m, degrees, degrees + n);
  spmvScalar<<<(n + 127) / 128, 128>>>(g, dx, y);
  spmvWarp<<<(n + 7) / 8, 256>>>(n, g.ptr, g.idx, g.val, dx, y);
  bfsLevel<<<(hubs + 63) / 64, 64>>>(g, front, hubs, next, nextCount, lev, 1);
  rankPull<<<(n + 31) / 32, 256>>>(g, degrees + n, dx, y, 0.85f);
  cudaMemset(y, 0, n * sizeof(float));
  rankPush<<<(n + 191) / 192, 192>>>(g, dx, y);
  cooToDense<<<(m + 511) / 512, 512>>>(coo, g.val, m, dense, limit);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
