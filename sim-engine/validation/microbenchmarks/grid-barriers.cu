// What waiting for the whole grid costs, by how many blocks of how many warps wait, alone and behind loads and stores.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
template <int WORK>
__global__ void waits(int count, float* x, long long* cycles) {
  cg::grid_group grid = cg::this_grid();
  long long t = grid.thread_rank();
  grid.sync();
  long long begin = clock64();
  for (int i = 0; i < count; i++) {
    if (WORK == 1) x[t] = i;
    if (WORK == 2) x[t] = x[(t + 4096) % grid.size()] + 1;
    grid.sync();
  }
  if (t == 0) *cycles = clock64() - begin;
}
int main() {
  float* x;
  long long* cycles;
  cudaMalloc(&x, 4 << 20);
  cudaMallocManaged(&cycles, 8);
  cudaMemset(x, 0, 4 << 20);
  int count = 50;
  void* a[] = {&count, &x, &cycles};
  for (int work = 0; work < 3; work++)
    for (int blocks : {1, 2, 8, 33, 66, 132, 264, 528, 1056})
      for (int warps : {1, 2, 4, 8, 16, 32}) {
        if (blocks / 132 * warps > 64) continue;
        void* k = work == 0 ? (void*)waits<0> : work == 1 ? (void*)waits<1> : (void*)waits<2>;
        for (int warm = 0; warm < 2; warm++)
          if (cudaLaunchCooperativeKernel(k, blocks, warps * 32, a, 0, 0) == cudaSuccess) cudaDeviceSynchronize();
        printf("grid work %d blocks %d warps %d cycles/wait %.0f\n", work, blocks, warps, (double)*cycles / count);
      }
  puts(cudaGetErrorString(cudaGetLastError()));
}
