// Loads of the constant bank: cycles an SM takes for one, of a warp's one address (ULDC) and of so many addresses of its lanes (LDC),
// by warps of the SM; and cycles from one to the next that waits for it.
#include <cuda_runtime.h>
#include <cstdio>

__constant__ float table[4096];
__constant__ int links[1024];

constexpr int turns = 256, each = 32;

// One address for the warp, which moves on through so many words, again and again.
__global__ void uniform(float* out, long long* cycles, int words, int times) {
  float sum = 0, other = 1;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < times; t++)
    for (int k = 0; k < words; k += 2) {
      sum = fmaf(sum, 0.5f, table[k]);
      other = fmaf(other, 0.5f, table[k + 1]);
    }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  out[threadIdx.x] = sum + other;
}

// By lane, over so many addresses; `apart` words from one instruction's to the next's.
template <int apart>
__global__ void byLane(float* out, long long* cycles, int start, int addresses) {
  float sums[8] = {};
  const int lane = threadIdx.x % addresses;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; t++) {
    const int at = ((start + t) & 31) + lane;
#pragma unroll
    for (int k = 0; k < each; k++) sums[k % 8] = fmaf(sums[k % 8], 0.5f, table[at + k * apart]);
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += sums[k];
  out[threadIdx.x] = sum;
}

__global__ void chain(int* out, long long* cycles, int start, int perLane) {
  int at = start + perLane * threadIdx.x;
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns * each; t++) at = links[at];
  *cycles = clock64() - begin;
  out[threadIdx.x] = at;
}

int main() {
  float* out;
  long long* cycles;
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMallocManaged(&cycles, sizeof(long long));
  for (int words : {128, 256, 512, 1024, 4096})
    for (int warps : {1, 4, 8, 16, 32}) {
      const int times = 8192 / words;
      for (int again = 0; again < 2; again++) uniform<<<1, warps * 32>>>(out, cycles, words, times), cudaDeviceSynchronize();
      printf("one address of the warp, %4d words  %2d warps  %.2f cycles an instruction of the SM\n", words, warps, (double)*cycles / (8192.0 * warps));
    }
  for (int addresses : {1, 2, 4, 8, 16, 32})
    for (int warps : {1, 4, 8, 16, 32}) {
      for (int again = 0; again < 2; again++) byLane<1><<<1, warps * 32>>>(out, cycles, 0, addresses), cudaDeviceSynchronize();
      printf("%2d addresses by lane, within 0.5 KB  %2d warps  %.2f cycles an instruction of the SM\n", addresses, warps, (double)*cycles / (turns * each * warps));
      for (int again = 0; again < 2; again++) byLane<64><<<1, warps * 32>>>(out, cycles, 0, addresses), cudaDeviceSynchronize();
      printf("%2d addresses by lane, over 8 KB      %2d warps  %.2f cycles an instruction of the SM\n", addresses, warps, (double)*cycles / (turns * each * warps));
    }
  for (int perLane : {0, 1}) {
    for (int again = 0; again < 2; again++) chain<<<1, 1>>>((int*)out, cycles, 0, perLane), cudaDeviceSynchronize();
    printf("one that waits for another, %s  %.1f cycles\n", perLane ? "by lane" : "of the warp", (double)*cycles / (turns * each));
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
