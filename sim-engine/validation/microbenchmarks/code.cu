// Code met for the first time: cycles that a block takes for so many instructions in a row, the first time and once more, by instructions,
// warps of the block and blocks of the launch (the block that took longest is told), in the first launch of a kernel and in one that
// follows it at once.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <vector>

template <int count>
struct Sums {
  static __device__ __forceinline__ void add(float (&sums)[8], float by) {
    Sums<count / 16 * 8>::add(sums, by);
    Sums<count - count / 16 * 8>::add(sums, by);
  }
};
template <>
struct Sums<8> {
  static __device__ __forceinline__ void add(float (&sums)[8], float by) {
#pragma unroll
    for (int k = 0; k < 8; k++) sums[k] = fmaf(sums[k], by, by);
  }
};

template <int count>
__global__ void straight(float* out, int2* cycles, float by) {
  float sums[8];
  for (int k = 0; k < 8; k++) sums[k] = threadIdx.x + k;
  int took[2];
#pragma unroll 1
  for (int turn = 0; turn < 2; turn++) {
    __syncthreads();
    const long long begin = clock64();
    Sums<count>::add(sums, by);
    __syncthreads();
    took[turn] = int(clock64() - begin);
  }
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += sums[k];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = make_int2(took[0], took[1]);
}

template <int count>
void measure(float* out, int2* cycles) {
  for (int blocks : {1, 132, 1056})
    for (int warps : {1, 4, 8, 16})
      for (int launch = 0; launch < 2; launch++) {
        straight<count><<<blocks, 32 * warps>>>(out, cycles, 0.5f);
        cudaDeviceSynchronize();
        std::vector<int2> took(blocks);
        cudaMemcpy(took.data(), cycles, blocks * sizeof(int2), cudaMemcpyDeviceToHost);
        int first = 0, again = 0;
        for (const int2& each : took) first = std::max(first, each.x), again = std::max(again, each.y);
        printf("%5d instructions %4d blocks %2d warps launch %d: first %7d cycles, block 0 %7d; again %7d\n", count, blocks, warps, launch + 1,
               first, took[0].x, again);
      }
}

int main() {
  float* out;
  int2* cycles;
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMalloc(&cycles, 1056 * sizeof(int2));
  measure<64>(out, cycles);
  measure<256>(out, cycles);
  measure<1024>(out, cycles);
  measure<1536>(out, cycles);
  measure<2048>(out, cycles);
  measure<2560>(out, cycles);
  measure<3072>(out, cycles);
  measure<4096>(out, cycles);
  measure<6144>(out, cycles);
  measure<8192>(out, cycles);
  measure<16384>(out, cycles);
  return cudaGetLastError() != cudaSuccess;
}
