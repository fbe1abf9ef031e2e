// Stores of a record's words by each thread, one right behind the other, so many warps an SM and so much arithmetic between records: which of
// them reach the L2 as one. To be run under ncu, which counts sectors that are written.
#include <cstdio>
template <int WORDS, int STRIDE>
__global__ void records(float* out, int rounds, int gap, float f) {
  long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x, threads = gridDim.x * (long long)blockDim.x;
  float v = threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
#pragma unroll 1
    for (int g = 0; g < gap; g++) v = v * f + 1.f;
    float* record = out + (r * threads + thread) * STRIDE;
#pragma unroll
    for (int w = 0; w < WORDS; w++) record[w] = v + w;
  }
}
static float* out;
template <int WORDS, int STRIDE>
void run() {
  for (int warps : {1, 2, 4, 8, 16, 32, 64})
    for (int gap : {0, 100, 1000}) {
      int rounds = 2048 / warps;
      if (rounds > 256) rounds = 256;
      int threads = warps < 8 ? warps * 32 : 256, blocks = 132 * (warps * 32 / threads);
      if (threads == 256 && warps < 8) continue;
      records<WORDS, STRIDE><<<blocks, threads>>>(out, rounds, gap, 0.5f);
      printf("words %d stride %d warps %d gap %d rounds %d\n", WORDS, STRIDE, warps, gap, rounds);
    }
}
int main() {
  cudaMalloc(&out, 4ll << 30);
  run<2, 8>();
  run<4, 8>();
  run<8, 8>();
  run<7, 7>();
  run<9, 9>();
  run<4, 4>();
  run<3, 3>();
  run<8, 16>();
  run<4, 32>();
  cudaDeviceSynchronize();
  puts(cudaGetErrorString(cudaGetLastError()));
}
