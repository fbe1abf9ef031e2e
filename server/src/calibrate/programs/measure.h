// What the programs of `warplens calibrate` have in common. Each prints a line a sample: the name of a figure of the GPU models and its
// value in that figure's unit; or `error` and what went wrong, and ends with 1. None needs a profiler or its permissions.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static const int samples = 9;

#define CHECK(call)                                   \
  do {                                                \
    cudaError_t e_ = (call);                          \
    if (e_ != cudaSuccess) {                          \
      printf("error %s\n", cudaGetErrorString(e_));   \
      exit(1);                                        \
    }                                                 \
  } while (0)

static void sample(const char *figure, double value) { printf("%s %.9g\n", figure, value); }

static int attribute(cudaDeviceAttr which) {
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}
static int smCount() { return attribute(cudaDevAttrMultiProcessorCount); }

// A place the kernels write their cycles to, eight bytes a block.
static long long *outDevice;
static const int mostOut = 1 << 16;
static void begin() { CHECK(cudaMalloc(&outDevice, sizeof(long long) * mostOut)); }

// Seconds that a launch takes, launched twice: what is met for the first time is not counted.
template <class Launch> static double seconds(Launch launch) {
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  launch();
  CHECK(cudaEventRecord(a));
  launch();
  CHECK(cudaEventRecord(b));
  CHECK(cudaGetLastError());
  CHECK(cudaEventSynchronize(b));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, a, b));
  CHECK(cudaEventDestroy(a));
  CHECK(cudaEventDestroy(b));
  return ms * 1e-3;
}

// The most cycles that a block of a launch wrote, launched twice.
template <class Launch> static double cycles(Launch launch, int blocks = 1) {
  launch();
  launch();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  static long long host[mostOut];
  CHECK(cudaMemcpy(host, outDevice, sizeof(long long) * blocks, cudaMemcpyDeviceToHost));
  return (double)*std::max_element(host, host + blocks);
}

// What a step takes, of two launches of which one does more of them: what comes before and after cancels out.
static double slope(double more, double less, double steps) { return (more - less) / steps; }

// Cycles that pass while warps of all SMs do arithmetic, over the time they take.
static __global__ void spinFor(long long *out, long long span) {
  long long t0 = clock64(), t1 = t0;
  float f = 1;
  while (t1 - t0 < span) {
    for (int i = 0; i < 32; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
    t1 = clock64();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
}
// Hertz of the SMs.
static double clockHz() {
  static const long long spans[] = {2000000, 10000000};
  double t[2], c[2];
  for (int k = 0; k < 2; ++k) {
    int blocks = smCount();
    t[k] = seconds([&] { spinFor<<<blocks, 128>>>(outDevice, spans[k]); });
    long long first;
    CHECK(cudaMemcpy(&first, outDevice, sizeof first, cudaMemcpyDeviceToHost));
    c[k] = (double)first;
  }
  return (c[1] - c[0]) / (t[1] - t[0]);
}
