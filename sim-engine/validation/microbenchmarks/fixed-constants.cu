// Words of the constant bank that are loaded under a predicate of lanes, which no operand can take: cycles an SM takes for each, by its
// warps.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float table[64];
constexpr int turns = 64, each = 16;

__device__ __forceinline__ unsigned one(unsigned some) {
  unsigned value = 0;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.const.u32 %0, [table+16];}" : "+r"(value) : "r"(some));
  return value;
}

__global__ void loads(unsigned* out, long long* cycles) {
  unsigned some = threadIdx.x & 1, sum[4] = {};
  __syncthreads();
  long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; t++)
#pragma unroll
    for (int k = 0; k < each; k++) sum[k % 4] += one(some);
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

void all(const char* name, unsigned* out, long long* cycles) {
  for (int warps : {1, 4, 8, 16, 32}) {
    long long c;
    for (int k = 0; k < 2; k++) loads<<<1, 32 * warps>>>(out, cycles);
    cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
    printf("%-28s %2d warps %6.2f cycles an instruction of the SM\n", name, warps, (double)c / (turns * each * warps));
  }
}

int main() {
  unsigned* out;
  long long* cycles;
  cudaMalloc(&out, 4096);
  cudaMalloc(&cycles, 8);
  all("a word under a predicate", out, cycles);
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
