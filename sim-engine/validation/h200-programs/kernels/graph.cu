// PageRank, triangle counting and hash insertion on a synthetic graph.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <numeric>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                     \
  do {                                                                       \
    cudaError_t err__ = (call);                                              \
    if (err__ != cudaSuccess) {                                              \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err__)); \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

constexpr int kNodes = 1 << 18;
constexpr int kDegree = 16;

struct Graph {
  int *rowPtr;
  int *col;
  int nodes;
};

__global__ void pagerankPull(Graph g, const float *__restrict__ rank, const float *__restrict__ invDeg, float *next, float d) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.nodes) return;
  float sum = 0.0f;
  for (int e = g.rowPtr[v]; e < g.rowPtr[v + 1]; ++e) {
    int u = g.col[e];
    sum += rank[u] * invDeg[u];
  }
  next[v] = (1.0f - d) / g.nodes + d * sum;
}

__global__ void pagerankWarp(Graph g, const float *__restrict__ rank, const float *__restrict__ invDeg, float *next, float d) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  if (warp >= g.nodes) return;
  int start = g.rowPtr[warp], end = g.rowPtr[warp + 1];
  float sum = 0.0f;
  for (int e = start + lane; e < end; e += 32) {
    int u = g.col[e];
    sum += rank[u] * invDeg[u];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) next[warp] = (1.0f - d) / g.nodes + d * sum;
}

__global__ void degreeHistogram(const int *rowPtr, int *hist, int n, int bins) {
  extern __shared__ int local[];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    int deg = rowPtr[v + 1] - rowPtr[v];
    atomicAdd(&local[min(deg, bins - 1)], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&hist[i], local[i]);
}

__global__ void insertKeys(const unsigned *keys, unsigned *table, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i] + 1;
  unsigned slot = (key * 2654435761u) & mask;
  while (true) {
    unsigned old = atomicCAS(&table[slot], 0u, key);
    if (old == 0u || old == key) break;
    slot = (slot + 1) & mask;
  }
}

__global__ void relabel(const int *__restrict__ perm, const float *__restrict__ in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[perm[i]] = in[i];
}

int main() {
  std::vector<int> rowPtr(kNodes + 1), col(kNodes * kDegree), perm(kNodes);
  for (int v = 0; v <= kNodes; v++) rowPtr[v] = v * kDegree;
  for (size_t e = 0; e < col.size(); e++) col[e] = rand() % kNodes;
  std::iota(perm.begin(), perm.end(), 0);
  for (int i = kNodes - 1; i > 0; i--) std::swap(perm[i], perm[rand() % (i + 1)]);
  std::vector<float> rank(kNodes, 1.0f / kNodes), inv(kNodes, 1.0f / kDegree);
  std::vector<unsigned> keys(kNodes);
  for (auto &k : keys) k = rand();

  Graph g;
  g.nodes = kNodes;
  CUDA_CHECK(cudaMalloc(&g.rowPtr, rowPtr.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&g.col, col.size() * sizeof(int)));
  float *dRank, *dInv, *dNext;
  int *dHist, *dPerm;
  unsigned *dKeys, *dTable;
  CUDA_CHECK(cudaMalloc(&dRank, kNodes * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dInv, kNodes * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dNext, kNodes * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dHist, 64 * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dPerm, kNodes * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dKeys, kNodes * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&dTable, (kNodes * 4) * sizeof(unsigned)));
  CUDA_CHECK(cudaMemcpy(g.rowPtr, rowPtr.data(), rowPtr.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(g.col, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dRank, rank.data(), kNodes * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dInv, inv.data(), kNodes * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dPerm, perm.data(), kNodes * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dKeys, keys.data(), kNodes * sizeof(unsigned), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dHist, 0, 64 * sizeof(int)));
  CUDA_CHECK(cudaMemset(dTable, 0, (kNodes * 4) * sizeof(unsigned)));

  const int threads = 256;
  pagerankPull<<<(kNodes + threads - 1) / threads, threads>>>(g, dRank, dInv, dNext, 0.85f);
  pagerankWarp<<<(kNodes * 32 + threads - 1) / threads, threads>>>(g, dRank, dInv, dNext, 0.85f);
  degreeHistogram<<<264, threads, 64 * sizeof(int)>>>(g.rowPtr, dHist, kNodes, 64);
  insertKeys<<<(kNodes + threads - 1) / threads, threads>>>(dKeys, dTable, kNodes, kNodes * 4 - 1);
  relabel<<<(kNodes + threads - 1) / threads, threads>>>(dPerm, dRank, dNext, kNodes);
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
