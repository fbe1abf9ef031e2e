// Sums in global memory by type and by how many words they go over: rows of warps side by side, again and again; and words at random.
#include <cstdio>
#include <cuda_runtime.h>
__device__ unsigned hash(unsigned x) { x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; return x ^ (x >> 16); }
template <class T> __global__ void rows(T* at, unsigned words, int times) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < times; k++) { atomicAdd(at + thread % words, (T)1); thread += gridDim.x * blockDim.x + 32; }
}
template <class T> __global__ void anywhere(T* at, unsigned words, int times) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < times; k++) atomicAdd(at + hash(thread * 977 + k) % words, (T)1);
}
template <class T> void all(const char* name, T* at) {
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  for (int random = 0; random < 2; random++)
    for (unsigned bytes : {(unsigned)sizeof(T), 32u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 65536u, 262144u, 1u << 20, 16u << 20}) {
      unsigned words = bytes / sizeof(T); float ms = 0; int times = 64;
      for (int turn = 0; turn < 2; turn++) {
        cudaEventRecord(a);
        if (random) anywhere<T><<<132, 256>>>(at, words, times); else rows<T><<<132, 256>>>(at, words, times);
        cudaEventRecord(b); cudaEventSynchronize(b); cudaEventElapsedTime(&ms, a, b);
      }
      double lanes = 132.0 * 256 * times;
      printf("%s, %s of %u bytes: %.1f us, %.3f lanes a nanosecond\n", name, random ? "at random" : "rows", bytes, ms * 1e3, lanes / (ms * 1e6));
    }
}
int main() {
  void* at; cudaMalloc(&at, 64 << 20); cudaMemset(at, 0, 64 << 20);
  all<unsigned>("32 bits", (unsigned*)at); all<unsigned long long>("64 bits", (unsigned long long*)at);
  cudaMemset(at, 0, 64 << 20); all<float>("float", (float*)at); cudaMemset(at, 0, 64 << 20); all<double>("double", (double*)at);
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
