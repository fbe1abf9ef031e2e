// What __match_any_sync and __match_all_sync take, by how many different values the lanes of a warp have: one warp, and all that an SM holds.
#include <cstdio>
#include <cuda_runtime.h>
template <int KIND>
__global__ void chain(unsigned *out, long long *cycles, int different, int turns) {
  unsigned value = threadIdx.x % 32 % different;
  unsigned sum = 0;
  long long begin = clock64();
  for (int i = 0; i < turns; i++) {
    unsigned mask;
    if (KIND == 0) mask = __match_any_sync(~0u, value);
    if (KIND == 1) { int all; mask = __match_all_sync(~0u, value, &all); }
    if (KIND == 2) mask = __ballot_sync(~0u, value & 1);
    if (KIND == 3) mask = __reduce_add_sync(~0u, value);
    if (KIND == 4) mask = __shfl_xor_sync(~0u, value, 1);
    if (KIND == 5) mask = __match_any_sync(~0u, (unsigned long long)value << 20);
    sum += mask;
    value ^= (mask >> 31) & (sum == 0x12345678u);
  }
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = end - begin;
}
template <int KIND> void measure(const char *name, unsigned *out, long long *cycles) {
  for (int different : {1, 2, 4, 8, 16, 32}) {
    printf("%-12s %2d different:", name, different);
    for (int warps : {1, 4, 8, 16, 32}) {
      int turns = 512;
      for (int twice = 0; twice < 2; twice++) chain<KIND><<<132, 32 * warps>>>(out, cycles, different, turns);
      long long c; cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
      printf("  %2d warps %7.1f", warps, (double)c / turns);
    }
    printf("  cycles a turn\n");
  }
}
int main() {
  unsigned *out; long long *cycles;
  cudaMalloc(&out, 1 << 22); cudaMalloc(&cycles, 8);
  measure<0>("match.any", out, cycles); measure<5>("match.any.64", out, cycles); measure<1>("match.all", out, cycles);
  measure<2>("ballot", out, cycles); measure<3>("reduce.add", out, cycles); measure<4>("shuffle", out, cycles);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
