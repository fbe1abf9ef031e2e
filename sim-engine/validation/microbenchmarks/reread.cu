// Rows that are read twice past the L1, a warp each, all of them resident at once: what of them the L2 still has the second time, by how much they come to,
// what is written meanwhile, who reads them again, and whether all have read them once before.
#include <cooperative_groups.h>
#include <cstdio>
enum { NOTHING, OTHER, IN_PLACE };
static const char* written[] = {"nothing", "another buffer", "what is read"};
template <int WRITES>
__global__ void again(float* in, float* out, int words, int other, bool together, float* sink) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  int rows = gridDim.x * (blockDim.x / 32);
  float s = 0;
  for (int pass = 0; pass < 2; pass++) {
    long long at = (long long)((row + pass * other) % rows) * words + lane;
    for (int k = 0; k < words; k += 128) {
      float v[4];
#pragma unroll
      for (int u = 0; u < 4; u++) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[u]) : "l"(in + at + k + 32 * u));
#pragma unroll
      for (int u = 0; u < 4; u++) {
        s += v[u];
        if (pass == 1 && WRITES != NOTHING) (WRITES == OTHER ? out : in)[at + k + 32 * u] = v[u] + 1.0f;
      }
    }
    for (int step = 16; step > 0; step >>= 1) s += __shfl_xor_sync(0xffffffffu, s, step);
    if (together) cooperative_groups::this_grid().sync();
  }
  if (s == 1.2345f) sink[0] = s;
}
static float *in, *out, *sink;
template <int WRITES>
void run(int sms, int words, int other, bool together) {
  const int blocks = sms * 8, warps = 8;
  void* arguments[] = {&in, &out, &words, &other, &together, &sink};
  cudaLaunchCooperativeKernel((void*)again<WRITES>, blocks, warps * 32, arguments);
  cudaDeviceSynchronize();
  printf("%d KB read twice, %s written, again by %s, %s\n", (int)((long long)blocks * warps * words * 4 >> 10), written[WRITES],
         other == 0 ? "the same warp" : "another", together ? "after all have read it" : "each for itself");
}
int main() {
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaMalloc(&in, 256 << 20);
  cudaMalloc(&out, 256 << 20);
  cudaMalloc(&sink, 8);
  cudaMemset(in, 0, 256 << 20);
  for (int words : {256, 512, 640, 768, 896, 1024, 1280, 1536, 2048})
    for (int other : {0, 1, 8 * sms / 2 * 8 + 8})
      for (bool together : {true, false}) {
        if (other != 0 && !together) continue;
        run<NOTHING>(sms, words, other, together);
        run<OTHER>(sms, words, other, together);
        run<IN_PLACE>(sms, words, other, together);
      }
  puts(cudaGetErrorString(cudaGetLastError()));
}
