// How many atomics that nobody waits for an SM hands on before it has to wait for the slice that does them: by when each warp has issued each.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const int most = 256;
// Each warp adds with so many lanes on each of its words; `apart` words between those of warps.
template <typename T> __global__ void adds(T* at, int lanesOnOne, int apart, int count, long long* when) {
  __shared__ long long begin;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T* mine = at + (size_t)(blockIdx.x * (blockDim.x / 32) + warp) * apart + lane / lanesOnOne;
  if (threadIdx.x == 0) begin = clock64();
  __syncthreads();
  for (int k = 0; k < count; k++) {
    atomicAdd(mine, (T)1);
    long long now = clock64();
    if (lane == 0) when[((size_t)blockIdx.x * (blockDim.x / 32) + warp) * most + k] = now - begin;
  }
}

template <typename T> void one(const char* type, T* at, long long* when, int blocks, int warps, int lanesOnOne, int apart, int count) {
  std::vector<long long> host((size_t)blocks * warps * most);
  for (int k = 0; k < 2; k++) {
    adds<T><<<blocks, 32 * warps>>>(at, lanesOnOne, apart, count, when);
    cudaDeviceSynchronize();
  }
  cudaMemcpy(host.data(), when, host.size() * 8, cudaMemcpyDeviceToHost);
  // Of block 0: all requests in the order they were issued in.
  std::vector<long long> all;
  for (int w = 0; w < warps; w++)
    for (int k = 0; k < count; k++) all.push_back(host[(size_t)w * most + k]);
  std::sort(all.begin(), all.end());
  printf("%s blocks %d warps %d lanes on one word %d words apart %d: cycles when so many were issued:", type, blocks, warps, lanesOnOne, apart);
  for (int n : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096})
    if (n <= (int)all.size()) printf(" %d:%lld", n, all[n - 1]);
  printf("\n");
}

int main() {
  void* at;
  long long* when;
  cudaMalloc(&at, 64 << 20);
  cudaMalloc(&when, (size_t)132 * 32 * most * 8);
  cudaMemset(at, 0, 64 << 20);
  for (int blocks : {1, 132})
    for (int warps : {1, 4, 32}) {
      int count = warps == 1 ? 256 : warps == 4 ? 128 : 32;
      one("int", (int*)at, when, blocks, warps, 32, 0, count);
      one("float", (float*)at, when, blocks, warps, 32, 0, count);
      one("float", (float*)at, when, blocks, warps, 1, 0, count);
      one("float", (float*)at, when, blocks, warps, 32, 1, count);
      one("float", (float*)at, when, blocks, warps, 32, 256, count);
      one("float", (float*)at, when, blocks, warps, 1, 32, count);
      one("float", (float*)at, when, blocks, warps, 1, 1024, count);
    }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
