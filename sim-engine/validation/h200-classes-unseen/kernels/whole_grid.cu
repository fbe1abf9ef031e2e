// Kernels that synchronise the grid: sweeps of Jacobi, a sum then a scaling, conjugate gradients on a line.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void sweeps(float *u, float *v, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  float *a = u, *b = v;
  for (int s = 0; s < count; s++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      float l = i > 0 ? a[i - 1] : 0.f, r = i < n - 1 ? a[i + 1] : 0.f;
      b[i] = 0.5f * (l + r);
    }
    grid.sync();
    float *t = a;
    a = b;
    b = t;
  }
}

__global__ void normalise(float *x, float *sum, int n) {
  cg::grid_group grid = cg::this_grid();
  __shared__ float part[8];
  float s = 0.f;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) s += x[i] * x[i];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) s += part[w];
    atomicAdd(sum, s);
  }
  grid.sync();
  float r = rsqrtf(*sum);
  for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] *= r;
}

__global__ void gradients(float *x, float *r, float *p, float *dots, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int k = 0; k < count; k++) {
    float a = 0.f, b = 0.f;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      float q = 2.f * p[i] - (i > 0 ? p[i - 1] : 0.f) - (i < n - 1 ? p[i + 1] : 0.f);
      a += r[i] * r[i];
      b += p[i] * q;
    }
    for (int o = 16; o > 0; o >>= 1) {
      a += warp.shfl_down(a, o);
      b += warp.shfl_down(b, o);
    }
    if (warp.thread_rank() == 0) {
      atomicAdd(&dots[2 * k], a);
      atomicAdd(&dots[2 * k + 1], b);
    }
    grid.sync();
    float alpha = dots[2 * k] / (dots[2 * k + 1] + 1e-20f);
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      float q = 2.f * p[i] - (i > 0 ? p[i - 1] : 0.f) - (i < n - 1 ? p[i + 1] : 0.f);
      x[i] += alpha * p[i];
      r[i] -= alpha * q;
    }
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) p[i] = r[i] + 0.5f * p[i];
    grid.sync();
  }
}

// Nothing but waiting.
__global__ void onlySync(int count) {
  cg::grid_group grid = cg::this_grid();
  for (int i = 0; i < count; i++) grid.sync();
}

int main() {
  int n = 1 << 22, few = 1 << 16, count = 10, waits = 20;
  float *u, *v, *p, *dots;
  cudaMalloc(&u, n * sizeof(float));
  cudaMalloc(&v, n * sizeof(float));
  cudaMalloc(&p, n * sizeof(float));
  cudaMalloc(&dots, 64 * sizeof(float));
  cudaMemset(u, 0, n * sizeof(float));
  cudaMemset(v, 0, n * sizeof(float));
  cudaMemset(p, 0, n * sizeof(float));
  cudaMemset(dots, 0, 64 * sizeof(float));
  void *a[] = {&u, &v, &n, &count}, *b[] = {&u, &dots, &n}, *c[] = {&u, &v, &p, &dots, &few, &count}, *d[] = {&waits};
  cudaLaunchCooperativeKernel((void *)sweeps, 264, 256, a, 0, 0);
  cudaLaunchCooperativeKernel((void *)normalise, 528, 256, b, 0, 0);
  cudaLaunchCooperativeKernel((void *)gradients, 132, 256, c, 0, 0);
  cudaLaunchCooperativeKernel((void *)onlySync, 132, 128, d, 0, 0);
  cudaLaunchCooperativeKernel((void *)onlySync, 1056, 256, d, 0, 0);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
