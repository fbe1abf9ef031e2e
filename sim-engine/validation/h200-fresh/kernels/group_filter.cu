// Cooperative groups: a filter that asks for places once a warp, sums by tiles of different sizes, a grid that waits for itself.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__device__ int atomicAggInc(int *counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(counter, active.size());
  base = active.shfl(base, 0);
  return base + active.thread_rank();
}

__global__ void filterPositive(int *dst, int *count, const int *src, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && src[i] > 0) dst[atomicAggInc(count)] = src[i];
}

template <int SIZE>
__device__ int sumTile(cg::thread_block_tile<SIZE> g, int value) {
  for (int i = g.size() / 2; i > 0; i /= 2) value += g.shfl_down(value, i);
  return value;
}

template <int SIZE>
__global__ void sumsOfTiles(const int *in, int *out, int n) {
  cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
  int sum = 0;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; i < n; i += gridDim.x * blockDim.x * 4) {
    int4 v = *reinterpret_cast<const int4 *>(in + i);
    sum += v.x + v.y + v.z + v.w;
  }
  sum = sumTile<SIZE>(tile, sum);
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
}

__global__ void dotThenScale(float *x, const float *y, float *partial, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  __shared__ float shared[256];
  float sum = 0.f;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i] * y[i];
  shared[block.thread_rank()] = sum;
  cg::sync(block);
  for (int s = block.size() / 2; s > 0; s >>= 1) {
    if (block.thread_rank() < s) shared[block.thread_rank()] += shared[block.thread_rank() + s];
    cg::sync(block);
  }
  if (block.thread_rank() == 0) partial[blockIdx.x] = shared[0];
  cg::sync(grid);
  float total = 0.f;
  for (int b = 0; b < gridDim.x; b++) total += partial[b];
  for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] *= total;
}

int main() {
  const int n = 1 << 23;
  std::vector<int> h(n);
  for (int i = 0; i < n; i++) h[i] = (i * 37) % 101 - 50;
  int *src, *dst, *count;
  cudaMalloc(&src, n * sizeof(int));
  cudaMalloc(&dst, n * sizeof(int));
  cudaMalloc(&count, sizeof(int));
  cudaMemcpy(src, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(count, 0, sizeof(int));
  filterPositive<<<n / 256, 256>>>(dst, count, src, n);
  sumsOfTiles<32><<<264, 256>>>(src, count, n);
  sumsOfTiles<8><<<264, 256>>>(src, count, n);
  float *x, *y, *partial;
  int m = 1 << 21;
  cudaMalloc(&x, m * sizeof(float));
  cudaMalloc(&y, m * sizeof(float));
  cudaMalloc(&partial, 132 * sizeof(float));
  cudaMemset(x, 0, m * sizeof(float));
  cudaMemset(y, 0, m * sizeof(float));
  void *args[] = {&x, &y, &partial, &m};
  cudaLaunchCooperativeKernel((void *)dotThenScale, dim3(132), dim3(256), args, 0, 0);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
