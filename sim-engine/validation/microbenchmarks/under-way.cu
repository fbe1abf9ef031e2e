// What a block waits for that reads what another one has just asked memory for: blocks of one warp, each on an SM of its own, go through
// the same lines one after the other (each address waits for the load before). Cycles a step: alone, side by side, one behind the other by
// so many cycles, and through lines that the L2 holds.
#include <cuda_runtime.h>
#include <cstdio>

constexpr int steps = 2048;

__device__ int line(int step) { return step * 32 * 37 % (1 << 24); }

__global__ void follow(const int* __restrict__ data, long long* cycles, int behind) {
  extern __shared__ int keepsOthersAway[];
  if (threadIdx.x != 0) return;
  const long long from = clock64() + 20000 + (long long)behind * blockIdx.x;
  while (clock64() < from) {}
  const long long begin = clock64();
  int at = 0;
  for (int k = 0; k < steps; k++) at = line(k) + __ldcg(data + at % (1 << 24));
  cycles[blockIdx.x] = clock64() - begin + (at == -1);
}

int main() {
  int *data, *other;
  long long* cycles;
  const size_t bytes = sizeof(int) << 24;
  cudaMalloc(&data, bytes);
  cudaMalloc(&other, 4 * bytes);
  cudaMallocManaged(&cycles, 132 * sizeof(long long));
  cudaMemset(data, 0, bytes);
  cudaFuncSetAttribute(follow, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
  auto run = [&](int blocks, int behind, bool held, const char* what) {
    cudaMemset(other, 1, 4 * bytes);  // fills the L2 with something else
    if (held) follow<<<1, 32, 200 * 1024>>>(data, cycles, 0);
    follow<<<blocks, 32, 200 * 1024>>>(data, cycles, behind);
    cudaDeviceSynchronize();
    double sum = 0, least = 1e30, most = 0;
    for (int b = 0; b < blocks; b++) {
      const double each = (double)cycles[b] / steps;
      sum += each;
      least = each < least ? each : least;
      most = each > most ? each : most;
    }
    printf("%-44s %4d blocks  %6.1f cycles a step (%.1f to %.1f)\n", what, blocks, sum / blocks, least, most);
  };
  run(1, 0, false, "warm up");
  run(1, 0, false, "from memory, alone");
  run(1, 0, true, "from the L2, alone");
  run(132, 0, true, "from the L2, side by side");
  for (int blocks : {2, 8, 32, 132}) run(blocks, 0, false, "from memory, side by side");
  for (int behind : {100, 400, 1600, 6400, 25600}) {
    char text[64];
    snprintf(text, sizeof(text), "from memory, each %d cycles behind", behind);
    run(8, behind, false, text);
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
