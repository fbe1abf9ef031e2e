#include <cuda_runtime.h>
#include <cstdio>
// A thread a row, from memory: `ROWS` loads of a row's words, then `SAME` of words that all lanes read (or of a line side by side).
template <int ROWS, int SAME, int WAY> __global__ void mix(const float* __restrict__ a, const float* __restrict__ x, float* out, long long* cycles, int words, int rounds, int stride) {
  const float* row = a + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * stride;
  float s = 0;
  __syncthreads();
  long long begin = clock64();
  for (int r = 0; r < rounds; r++)
    for (int c = 0; c < words; c += 4) {
      float v[4], w[4] = {1, 1, 1, 1};
#pragma unroll
      for (int k = 0; k < 4; k++) if (k < ROWS) v[k] = row[c + k]; else v[k] = 1;
#pragma unroll
      for (int k = 0; k < 4; k++) if (k < SAME) w[k] = WAY == 0 ? x[c + k] : x[(c + k) * 32 + (threadIdx.x & 31)];
#pragma unroll
      for (int k = 0; k < 4; k++) s += v[k] * w[k];
    }
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
float *a, *x, *out; long long* cyc;
size_t at = 0;
template <int ROWS, int SAME> void go(int blocks, int warps, int words, int stride) {
  double sum = 0; int n = 0;
  for (int k = 0; k < 3; k++) {
    size_t bytes = (size_t)blocks * warps * 32 * stride;
    if (at + bytes > (3ull << 28)) at = 0;
    cudaMemset(out, 0, 1 << 27);
    mix<ROWS, SAME, 0><<<blocks, warps * 32>>>(a + at, x, out, cyc, words, 1, stride);
    at += bytes;
    long long h[132]; cudaMemcpy(h, cyc, blocks * 8, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++) sum += h[b]; n += blocks;
  }
  printf("same %d blocks %3d warps %2d words %5d stride %5d: %8.1f cycles for eight of each warp, %6.2f a load\n", SAME, blocks, warps, words, stride, sum / n / (words / 8), sum / n / words / warps);
}
int main() {
  cudaMalloc(&a, 3ull << 30); cudaMalloc(&x, 1 << 24); cudaMalloc(&out, 1 << 28); cudaMalloc(&cyc, 8 * 132);
  cudaMemset(a, 0, 3ull << 30); cudaMemset(x, 0, 1 << 24);
  for (int stride : {1024, 1032, 2048, 4096, 4104, 8192, 16384}) for (int blocks : {1, 32, 132}) for (int warps : {1, 2, 4, 8}) { if (blocks == 132 && stride > 4200) continue; go<4, 0>(blocks, warps, 1024, stride); if (warps == 4) go<4, 4>(blocks, warps, 1024, stride); }
}
