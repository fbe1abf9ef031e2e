// Atomic sums over places all over memory, of which each is wanted by several lanes of a warp: lanes next to each other have the same word, and the
// words of a warp follow each other (a matrix's entries by rows) or lie anywhere.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

template <typename T, int LANES, bool FOLLOWING>
__global__ void sums(T* y, unsigned mask, int rounds) {
  constexpr int words = (32 + LANES - 1) / LANES;
  unsigned lane = threadIdx.x % 32;
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned warps = gridDim.x * blockDim.x / 32;
  for (int r = 0; r < rounds; r++) {
    unsigned word = (r * warps + warp) * words + lane / LANES;
    atomicAdd(&y[(FOLLOWING ? word : mixed(word)) & mask], (T)1);
  }
}

template <typename T, int LANES, bool FOLLOWING>
__global__ void returned(T* y, unsigned mask, int rounds, T* out) {
  constexpr int words = (32 + LANES - 1) / LANES;
  unsigned lane = threadIdx.x % 32;
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned warps = gridDim.x * blockDim.x / 32;
  T sum = 0;
  for (int r = 0; r < rounds; r++) {
    unsigned word = (r * warps + warp) * words + lane / LANES;
    sum += atomicAdd(&y[(FOLLOWING ? word : mixed(word)) & mask], (T)1);
  }
  if (sum == (T)12345678) *out = sum;
}

static void *y, *out;
const unsigned mask = (1u << 20) - 1;
const int blocks = 132 * 8, threads = 256, rounds = 16;

template <typename T, int LANES>
void run() {
  sums<T, LANES, true><<<blocks, threads>>>((T*)y, mask, rounds);
  sums<T, LANES, false><<<blocks, threads>>>((T*)y, mask, rounds);
}
template <typename T>
void all() {
  run<T, 1>();
  run<T, 2>();
  run<T, 3>();
  run<T, 4>();
  run<T, 6>();
  run<T, 8>();
  run<T, 12>();
  run<T, 16>();
  run<T, 32>();
}
int main() {
  cudaMalloc(&y, 8 << 20);
  cudaMalloc(&out, 8);
  cudaMemset(y, 0, 8 << 20);
  all<int>();
  all<float>();
  run<double, 1>();
  run<double, 4>();
  run<double, 16>();
  run<unsigned long long, 1>();
  run<unsigned long long, 4>();
  run<unsigned long long, 16>();
  returned<int, 1, false><<<blocks, threads>>>((int*)y, mask, rounds, (int*)out);
  returned<int, 4, false><<<blocks, threads>>>((int*)y, mask, rounds, (int*)out);
  returned<int, 16, true><<<blocks, threads>>>((int*)y, mask, rounds, (int*)out);
  returned<float, 4, true><<<blocks, threads>>>((float*)y, mask, rounds, (float*)out);
  returned<float, 16, true><<<blocks, threads>>>((float*)y, mask, rounds, (float*)out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
