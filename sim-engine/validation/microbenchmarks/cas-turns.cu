// Loops of compare-and-swap under the profiler: instructions (so turns of the loop), atomic requests and time.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__global__ void sums(float* at, int words, int times, int gap) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* word = (unsigned*)at + (long long)(thread % words) * gap;
  for (int k = 0; k < times; k++) {
    unsigned old = *(volatile unsigned*)word, assumed;
    do {
      assumed = old;
      old = atomicCAS(word, assumed, __float_as_uint(__uint_as_float(assumed) + 1.0f));
    } while (old != assumed);
  }
}
__global__ void dsums(double* at, int words, int times) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long* word = (unsigned long long*)at + (thread % words);
  for (int k = 0; k < times; k++) {
    unsigned long long old = *word, assumed;
    do {
      assumed = old;
      old = atomicCAS(word, assumed, __double_as_longlong(__longlong_as_double(assumed) + 1.0));
    } while (old != assumed);
  }
}
__global__ void maxima(float* at, const float* from, int words, int times) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* word = (unsigned*)at + (thread % words);
  for (int k = 0; k < times; k++) {
    float mine = from[thread + k * gridDim.x * blockDim.x];
    unsigned old = *(volatile unsigned*)word, assumed;
    while (__uint_as_float(old) < mine) {
      assumed = old;
      old = atomicCAS(word, assumed, __float_as_uint(mine));
      if (old == assumed) break;
    }
  }
}
int main() {
  float *at, *from;
  cudaMalloc(&at, 64 << 20);
  std::vector<float> v(8 << 20);
  unsigned s = 1;
  for (auto& x : v) { s = s * 1664525u + 1013904223u; x = (s >> 8) / 16777216.0f; }
  cudaMalloc(&from, v.size() * 4);
  cudaMemcpy(from, v.data(), v.size() * 4, cudaMemcpyHostToDevice);
  struct C { int blocks, threads, words, times, gap; };
  const C cs[] = {{1, 1, 1, 16, 1}, {1, 32, 1, 16, 1}, {1, 32, 32, 16, 1}, {1, 32, 4, 16, 1}, {1, 64, 1, 16, 1}, {1, 64, 32, 16, 1}, {1, 256, 32, 16, 1}, {1, 1024, 32, 16, 1}, {16, 32, 1, 8, 1}, {16, 32, 32, 8, 1}, {66, 32, 32, 8, 1}, {132, 32, 32, 8, 1}, {132, 32, 32, 8, 8}, {528, 32, 256, 8, 1}, {528, 32, 2048, 8, 1}, {2112, 32, 2048, 8, 1}, {2112, 32, 32768, 8, 1}, {132, 1024, 1024, 4, 1}, {132, 1024, 32768, 4, 1}, {64, 256, 1024, 4, 1}, {264, 256, 65536, 4, 1}, {1056, 256, 4096, 4, 1}, {1056, 256, 65536, 4, 1}};
  for (const C& c : cs) { cudaMemset(at, 0, 64 << 20); sums<<<c.blocks, c.threads>>>(at, c.words, c.times, c.gap); }
  for (const C& c : cs) { cudaMemset(at, 0, 64 << 20); if (c.gap == 1) dsums<<<c.blocks, c.threads>>>((double*)at, c.words, c.times); }
  for (const C& c : cs) { cudaMemset(at, 0, 64 << 20); if (c.gap == 1) maxima<<<c.blocks, c.threads>>>(at, from, c.words, c.times); }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
