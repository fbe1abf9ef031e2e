// Barriers: one after the other; of blocks side by side on an SM, with what stands between them done by all warps, or by the block's first
// alone, from the first block that begins to the last that ends; and of sums over a block in shared memory, by how its threads are indexed.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <map>

constexpr int rounds = 512, each = 8, turns = 2048, sums = 128;

// Barriers one after the other, with so many multiply-adds (0, of the first warp alone 3), loads (2) or stores (4) of shared memory between them.
template <int mode, int n>
__global__ void unrolled(float* out, long long* cycles, float a, int zero) {
  __shared__ float words[1024];
  float x = threadIdx.x;
  int at = threadIdx.x * zero;
  words[threadIdx.x] = 0;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < rounds; t++)
#pragma unroll
    for (int e = 0; e < each; e++) {
      if (mode == 0 || (mode == 3 && threadIdx.x < 32)) {
#pragma unroll
        for (int k = 0; k < n; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
      }
      if (mode == 2) {
#pragma unroll
        for (int k = 0; k < n; k++) at = __float_as_int(*(volatile float*)&words[at]);
      }
      if (mode == 4) {
#pragma unroll
        for (int k = 0; k < n; k++) *(volatile float*)&words[threadIdx.x] = x;
      }
      asm volatile("bar.sync 0;" ::: "memory");
    }
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + at + words[threadIdx.x];
}
template <int mode, int n>
void ofOneBlock(const char* what, float* out, long long* cycles) {
  printf("%-12s %2d", what, n);
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    for (int again = 0; again < 2; again++) unrolled<mode, n><<<132, warps * 32>>>(out, cycles, 0.5f, 0), cudaDeviceSynchronize();
    printf("  %d: %.1f", warps, (double)cycles[5] / rounds / each);
  }
  printf("\n");
}

// Barriers of blocks side by side.
template <int mode>
__global__ void turn(float* out, long long* cycles, float a) {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  __shared__ float words[1024];
  float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
  words[threadIdx.x] = x0;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; t++) {
    if (mode == 1 || (mode == 2 && threadIdx.x < 32)) {
#pragma unroll
      for (int k = 0; k < 16; k++) x0 = x0 * a + 1.f, x1 = x1 * a + 1.f, x2 = x2 * a + 1.f, x3 = x3 * a + 1.f;
    }
    if (mode == 3 && threadIdx.x < 32) words[threadIdx.x] += words[threadIdx.x + 32];
    if (mode == 4) words[threadIdx.x] += words[threadIdx.x ^ 32];
    if (mode == 6 && (threadIdx.x & 31) == 0) words[threadIdx.x] += words[threadIdx.x + 1];
    __syncthreads();
  }
  const long long end = clock64();
  if (threadIdx.x == 0) {
    cycles[3 * blockIdx.x] = begin;
    cycles[3 * blockIdx.x + 1] = end;
    cycles[3 * blockIdx.x + 2] = sm;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3 + words[threadIdx.x];
}

template <int mode>
void sideBySide(const char* what, float* out, long long* cycles, int sms) {
  for (int warps : {1, 2, 4, 8, 16})
    for (int blocks : {1, 2, 4, 8, 16, 32}) {
      if (warps * blocks > 64) continue;
      for (int again = 0; again < 2; again++) turn<mode><<<sms * blocks, warps * 32>>>(out, cycles, 0.5f), cudaDeviceSynchronize();
      // From the first of an SM's blocks that begins to the last that ends.
      std::map<long long, std::pair<long long, long long>> spans;
      std::map<long long, int> counts;
      for (int b = 0; b < sms * blocks; b++) {
        auto [found, isNew] = spans.try_emplace(cycles[3 * b + 2], cycles[3 * b], cycles[3 * b + 1]);
        found->second.first = std::min(found->second.first, cycles[3 * b]);
        found->second.second = std::max(found->second.second, cycles[3 * b + 1]);
        counts[cycles[3 * b + 2]]++;
      }
      double sum = 0, of = 0;
      for (auto& [sm, span] : spans)
        if (counts[sm] == blocks) sum += span.second - span.first, of++;
      printf("%-34s %2d warps %2d blocks %8.1f cycles a turn on %.0f SMs\n", what, warps, blocks, sum / of / turns, of);
    }
}


// Sums over a block of 256 threads.
template <int mode>
__global__ void reduction(int* out, long long* cycles, int limit) {
  extern __shared__ int sdata[];
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  const int tid = threadIdx.x;
  sdata[tid] = tid;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < sums; t++) {
    if (mode == 0) {
#pragma unroll 1
      for (unsigned s = 1; s < blockDim.x; s *= 2) { int index = 2 * s * tid; if (index < blockDim.x) sdata[index] += sdata[index + s]; __syncthreads(); }
    }
    if (mode == 1) {
#pragma unroll 1
      for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) { if (tid < s) sdata[tid] += sdata[tid + s]; __syncthreads(); }
    }
    if (mode == 2) {
#pragma unroll 1
      for (unsigned s = 1; s < blockDim.x; s *= 2) { if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s]; __syncthreads(); }
    }
    if (mode == 3) {  // As 0, no lane ever.
#pragma unroll 1
      for (unsigned s = 1; s < blockDim.x; s *= 2) { int index = 2 * s * tid; if (index < limit) sdata[index] += sdata[index + s]; __syncthreads(); }
    }
    if (mode == 4) {  // As 0, without barriers.
#pragma unroll 1
      for (unsigned s = 1; s < blockDim.x; s *= 2) { int index = 2 * s * tid; if (index < blockDim.x) sdata[index] += sdata[index + s]; }
    }
    if (mode == 5) {  // As 3, without barriers.
#pragma unroll 1
      for (unsigned s = 1; s < blockDim.x; s *= 2) { int index = 2 * s * tid; if (index < limit) sdata[index] += sdata[index + s]; }
    }
  }
  const long long end = clock64();
  if (threadIdx.x == 0) {
    cycles[3 * blockIdx.x] = begin;
    cycles[3 * blockIdx.x + 1] = end;
    cycles[3 * blockIdx.x + 2] = sm;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sdata[threadIdx.x];
}
template <int mode>
void ofSums(const char* what, int* out, long long* cycles) {
  for (int blocks : {1, 2, 4, 8}) {
      for (int again = 0; again < 2; again++) reduction<mode><<<132 * blocks, 256, 1024>>>(out, cycles, -1), cudaDeviceSynchronize();
      std::map<long long, std::pair<long long, long long>> spans;
      for (int b = 0; b < 132 * blocks; b++) {
        auto [found, isNew] = spans.try_emplace(cycles[3 * b + 2], cycles[3 * b], cycles[3 * b + 1]);
        found->second.first = std::min(found->second.first, cycles[3 * b]);
        found->second.second = std::max(found->second.second, cycles[3 * b + 1]);
      }
      double sum = 0, of = 0;
      for (auto& [sm, span] : spans) sum += span.second - span.first, of++;
      printf("%-34s 8 warps %2d blocks %8.1f cycles a turn\n", what, blocks, sum / of / sums / 8);
  }
}
int main() {
  float* out;
  long long* cycles;
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaMalloc(&out, 132 * 2048 * 4);
  cudaMallocManaged(&cycles, 132 * 32 * 24);
  ofOneBlock<0, 0>("FFMA", out, cycles), ofOneBlock<0, 1>("FFMA", out, cycles), ofOneBlock<0, 2>("FFMA", out, cycles);
  ofOneBlock<0, 4>("FFMA", out, cycles), ofOneBlock<0, 8>("FFMA", out, cycles), ofOneBlock<0, 16>("FFMA", out, cycles);
  ofOneBlock<2, 1>("LDS", out, cycles), ofOneBlock<2, 2>("LDS", out, cycles), ofOneBlock<2, 4>("LDS", out, cycles);
  ofOneBlock<4, 1>("STS", out, cycles), ofOneBlock<4, 2>("STS", out, cycles), ofOneBlock<4, 4>("STS", out, cycles);
  ofOneBlock<3, 4>("FFMA first", out, cycles), ofOneBlock<3, 16>("FFMA first", out, cycles);
  sideBySide<0>("nothing", out, cycles, sms);
  sideBySide<1>("64 FFMA, all warps", out, cycles, sms);
  sideBySide<2>("64 FFMA, the first warp", out, cycles, sms);
  sideBySide<3>("a word added to, first warp", out, cycles, sms);
  sideBySide<4>("a word added to, all warps", out, cycles, sms);
  sideBySide<6>("a word added to, a lane of each", out, cycles, sms);
  ofSums<0>("strided", (int*)out, cycles);
  ofSums<1>("sequential", (int*)out, cycles);
  ofSums<2>("interleaved", (int*)out, cycles);
  ofSums<3>("strided, no lane", (int*)out, cycles);
  ofSums<4>("strided, no barrier", (int*)out, cycles);
  ofSums<5>("strided, no lane nor barrier", (int*)out, cycles);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
