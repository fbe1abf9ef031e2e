// Histograms over a few words, by the number of words and how far apart they are: sums of all lanes at random among them, in as many copies as blocks
// share or each its own.
#include <cstdio>
#include <cuda_runtime.h>
__device__ __forceinline__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
// A tenth of all lanes at one word, the others at random, in copies that lie `stride` words apart.
template <int SHARE>
__global__ void skewed(unsigned* y, int words, int copies, int stride, int rounds) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* mine = y + (size_t)(blockIdx.x % copies) * stride;
  for (int r = 0; r < rounds; r++) {
    unsigned h = mixed(t * rounds + r);
    unsigned w = (h >> 8) % 100 < SHARE ? 3 : h % words;
    atomicAdd(&mine[w], 1u);
  }
}
int main() {
  unsigned* y;
  cudaMalloc(&y, 64 << 20);
  for (int words : {16, 64, 256, 1024, 4096})
    for (int copies : {1, 8, 64, 528}) {
      skewed<0><<<528, 256>>>(y, words, copies, words, 8);
      skewed<10><<<528, 256>>>(y, words, copies, words, 8);
    }
  skewed<50><<<528, 256>>>(y, 256, 1, 256, 8);
  skewed<50><<<528, 256>>>(y, 256, 64, 256, 8);
  skewed<50><<<528, 256>>>(y, 256, 64, 1024, 8);
  skewed<10><<<528, 256>>>(y, 256, 64, 1024, 8);
  skewed<10><<<528, 256>>>(y, 256, 64, 272, 8);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
