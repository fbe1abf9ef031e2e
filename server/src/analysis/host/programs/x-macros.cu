// Launches made by macros: token pasting, stringification, variadic checks, a timed loop.
#include <cstdio>
#include <cstdlib>

#define KERNELS(X) X(copy, 1) X(twice, 2) X(thrice, 3)
#define DEFINE(name, factor) \
  __global__ void name##Kernel(const float *in, float *out, int n) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i < n) out[i] = factor * in[i]; \
  }
KERNELS(DEFINE)

#define BLOCKS(n, block) (((n) + (block) - 1) / (block))
#define LAUNCH(kernel, n, ...) \
  do { \
    kernel<<<BLOCKS(n, 256), 256>>>(__VA_ARGS__, n); \
    if (cudaGetLastError() != cudaSuccess) { fprintf(stderr, #kernel " failed\n"); exit(1); } \
  } while (0)

template <typename F>
static float timed(F body, int repeats = 20) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  body();
  cudaEventRecord(start);
  for (int r = 0; r < repeats; r++) body();
  cudaEventRecord(stop);
  float ms;
  cudaEventElapsedTime(&ms, start, stop);
  return ms / repeats;
}

int main() {
  const int n = 3 * 1000 * 1000;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  float t = timed([&] { LAUNCH(copyKernel, n, in, out); });
#define RUN(name, factor) t += timed([=] { name##Kernel<<<BLOCKS(n, factor * 64), factor * 64>>>(in, out, n); });
  KERNELS(RUN)
  printf("%f\n", t);
}
//= copyKernel 11719 256 | in[12000000]+0=? out[12000000]+0=? 3000000
//= copyKernel 46875 64 | in[12000000]+0=? out[12000000]+0=? 3000000
//= twiceKernel 23438 128 | in[12000000]+0=? out[12000000]+0=? 3000000
//= thriceKernel 15625 192 | in[12000000]+0=? out[12000000]+0=? 3000000
