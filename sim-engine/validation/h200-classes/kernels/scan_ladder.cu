// Prefix sums: in a block by doubling, by a tree, by shuffles; then the blocks' sums are added.
#include <cstdio>
#include <cuda_runtime.h>
#define N (1 << 22)

__global__ void scanDoubling(const int *in, int *out, int *sums) {
  __shared__ int a[2][512];
  int t = threadIdx.x, g = blockIdx.x * 512 + t, w = 0;
  a[0][t] = in[g];
  __syncthreads();
  for (int d = 1; d < 512; d <<= 1) {
    a[1 - w][t] = t >= d ? a[w][t] + a[w][t - d] : a[w][t];
    w = 1 - w;
    __syncthreads();
  }
  out[g] = a[w][t];
  if (t == 511) sums[blockIdx.x] = a[w][t];
}

__global__ void scanTree(const int *in, int *out, int *sums) {
  __shared__ int a[1024];
  int t = threadIdx.x, base = blockIdx.x * 1024;
  a[2 * t] = in[base + 2 * t];
  a[2 * t + 1] = in[base + 2 * t + 1];
  int offset = 1;
  for (int d = 512; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      a[j] += a[i];
    }
    offset *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = a[1023];
    a[1023] = 0;
  }
  for (int d = 1; d < 1024; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      int x = a[i];
      a[i] = a[j];
      a[j] += x;
    }
  }
  __syncthreads();
  out[base + 2 * t] = a[2 * t];
  out[base + 2 * t + 1] = a[2 * t + 1];
}

__global__ void scanWarps(const int4 *in, int4 *out, int *sums) {
  __shared__ int warps[8];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, g = blockIdx.x * 256 + t;
  int4 v = in[g];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  int s = v.w;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    int u = __shfl_up_sync(~0u, s, o);
    if (lane >= o) s += u;
  }
  if (lane == 31) warps[warp] = s;
  __syncthreads();
  if (warp == 0) {
    int x = lane < 8 ? warps[lane] : 0;
#pragma unroll
    for (int o = 1; o < 8; o <<= 1) {
      int u = __shfl_up_sync(~0u, x, o);
      if (lane >= o) x += u;
    }
    if (lane < 8) warps[lane] = x;
  }
  __syncthreads();
  int before = s - v.w + (warp > 0 ? warps[warp - 1] : 0);
  out[g] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
  if (t == 255) sums[blockIdx.x] = before + v.w;
}

__global__ void addSums(int *out, const int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += sums[i / 1024];
}

int main() {
  int *in, *out, *sums;
  cudaMalloc(&in, N * sizeof(int));
  cudaMalloc(&out, N * sizeof(int));
  cudaMalloc(&sums, N / 512 * sizeof(int));
  int *h = new int[N];
  for (int i = 0; i < N; i++) h[i] = i % 7;
  cudaMemcpy(in, h, N * sizeof(int), cudaMemcpyHostToDevice);
  scanDoubling<<<N / 512, 512>>>(in, out, sums);
  scanTree<<<N / 1024, 512>>>(in, out, sums);
  scanWarps<<<N / 1024, 256>>>((const int4 *)in, (int4 *)out, sums);
  addSums<<<N / 256, 256>>>(out, sums);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
