// Loads that hit in the L1 and lie in rows: cycles that the SM takes for one, by how many rows a warp's lanes read, how far rows lie apart,
// whether lanes that share a row stand side by side or in turn, and whether they read one word of it or neighbours.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int turns = 64, each = 8;

__global__ void rows(const float* a, long long pitch, int rows, bool inTurn, bool neighbours, int step, float* out, long long* cycles) {
  const int lane = threadIdx.x % 32, sharing = 32 / rows;
  const int row = inTurn ? lane % rows : lane / sharing, within = inTurn ? lane / rows : lane % sharing;
  const float* at = a + row * pitch + (neighbours ? within : 0);
  float sum = 0, warm;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(warm) : "l"(at) : "memory");
  sum += warm;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; t++) {
    float v[each];
#pragma unroll
    for (int k = 0; k < each; k++) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[k]) : "l"(at + k) : "memory");
#pragma unroll
    for (int k = 0; k < each; k++) sum += v[k];
    // None, which the compiler does not know.
    at += step;
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  if (sum == 1.2345f) *out = sum;
}

int main() {
  const int warps = 16;
  float *a, *out;
  long long* cycles;
  const size_t bytes = 32ull * (1024 * 128 + 128) + 4096;
  cudaMalloc(&a, bytes);
  cudaMalloc(&out, 4);
  cudaMalloc(&cycles, 8);
  cudaMemset(a, 0, bytes);
  for (int count : {1, 2, 4, 8, 16, 32})
    for (int pitch : {128, 256, 384, 512, 1024, 1152, 1536, 1664, 2048, 3072, 4096, 9216, 73728, 131072, 132, 144, 160, 192, 1552, 1568, 1600, 73856, 73760})
      for (bool inTurn : {false, true})
        for (bool neighbours : {false, true}) {
          if ((count == 1 || count == 32) && (inTurn || (neighbours && count == 32))) continue;
          long long found = 0;
          for (int again = 0; again < 2; again++) rows<<<1, warps * 32>>>(a, pitch / 4, count, inTurn, neighbours, 0, out, cycles);
          cudaMemcpy(&found, cycles, 8, cudaMemcpyDeviceToHost);
          printf("%2d rows %6d bytes apart, lanes of a row %s, %s: %.2f cycles a load\n", count, pitch, inTurn ? "in turn" : "side by side",
                 neighbours ? "neighbours" : "one word", (double)found / warps / turns / each);
        }
  puts(cudaGetErrorString(cudaGetLastError()));
}
