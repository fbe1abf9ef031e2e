// Thread block clusters: sums and a histogram over the shared memory of several blocks.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
namespace cg = cooperative_groups;

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

// A row a cluster: each block sums a part, and reads the others' sums from their shared memory.
template <int BLOCKS>
__global__ void __cluster_dims__(BLOCKS, 1, 1) rowOfCluster(const float *in, float *out, int width) {
  __shared__ float sums[8];
  __shared__ float whole;
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), row = blockIdx.x / BLOCKS;
  const int each = width / BLOCKS;
  const float *x = in + static_cast<size_t>(row) * width + rank * each;
  float sum = 0;
  for (int i = threadIdx.x; i < each; i += blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (int i = 0; i < blockDim.x / 32; i++) sum += sums[i];
    whole = sum;
  }
  cluster.sync();
  sum = 0;
  for (int b = 0; b < BLOCKS; b++) sum += *cluster.map_shared_rank(&whole, b);
  cluster.sync();
  float *y = out + static_cast<size_t>(row) * width + rank * each;
  for (int i = threadIdx.x; i < each; i += blockDim.x) y[i] = x[i] / sum;
}

// Bins spread over the blocks of a cluster.
__global__ void __cluster_dims__(4, 1, 1) histogram(const unsigned *keys, unsigned *bins, int n) {
  __shared__ unsigned mine[1024];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bin = keys[i] % 4096;
    unsigned *theirs = cluster.map_shared_rank(mine, bin / 1024);
    atomicAdd(theirs + bin % 1024, 1u);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) atomicAdd(&bins[cluster.block_rank() * 1024 + i], mine[i]);
}

// Each block brings a tile and reads its neighbour's.
__global__ void __cluster_dims__(2, 1, 1) neighbour(const float *in, float *out) {
  __shared__ float tile[2048];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) tile[i] = in[static_cast<size_t>(blockIdx.x) * 2048 + i];
  cluster.sync();
  const float *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) out[static_cast<size_t>(blockIdx.x) * 2048 + i] = tile[i] + other[2047 - i];
  cluster.sync();
}

int main() {
  const int n = 1 << 24;
  float *in, *out;
  unsigned *keys, *bins;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMalloc(&keys, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&bins, 4096 * sizeof(unsigned)));
  CHECK(cudaMemset(in, 0, n * sizeof(float)));
  unsigned *host = new unsigned[n];
  unsigned state = 1;
  for (int i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    host[i] = state >> 8;
  }
  CHECK(cudaMemcpy(keys, host, n * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(bins, 0, 4096 * sizeof(unsigned)));
  rowOfCluster<2><<<256 * 2, 256>>>(in, out, n / 256);
  rowOfCluster<8><<<256 * 8, 256>>>(in, out, n / 256);
  histogram<<<264, 256>>>(keys, bins, n);
  neighbour<<<n / 2048, 256>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
