// What host code pays for asking: by its own clock, the least of several turns.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
using clk = std::chrono::steady_clock;
__global__ void tick(float *x) { x[threadIdx.x] += 1.0f; }
__global__ void many(float *x, int a, int b, int c, int d, int e, int f, float g, float h, const float *y, const float *z) { x[threadIdx.x] += a + b + c + d + e + f + g + h + y[0] + z[0]; }
__global__ void spin(float *x, int n) { float s = x[threadIdx.x]; for (int i = 0; i < n; i++) s = s * 1.0001f + 0.5f; x[threadIdx.x] = s; }
template <typename F> void report(const char *name, int times, F f) {
  double least = 1e30, sum = 0;
  for (int k = 0; k < 7; k++) {
    cudaDeviceSynchronize();
    auto t0 = clk::now();
    f();
    auto t1 = clk::now();
    cudaDeviceSynchronize();
    auto t2 = clk::now();
    double ask = std::chrono::duration<double, std::micro>(t1 - t0).count() / times, all = std::chrono::duration<double, std::micro>(t2 - t0).count() / times;
    if (all < least) { least = all; sum = ask; }
  }
  printf("%s: %.3f us asked, %.3f us in all, each of %d\n", name, sum, least, times);
}
int main() {
  float *x, *y, host[256], *locked;
  const size_t big = 64 << 20;
  cudaMalloc(&x, big);
  cudaMalloc(&y, big);
  cudaMallocHost(&locked, big);
  char *pageable = (char *)malloc(big);
  memset(pageable, 1, big);
  cudaStream_t s[4];
  for (auto &one : s) cudaStreamCreate(&one);
  cudaEvent_t e;
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  report("launch", 1000, [&] { for (int i = 0; i < 1000; i++) tick<<<1, 32>>>(x); });
  report("launch of 11 arguments", 1000, [&] { for (int i = 0; i < 1000; i++) many<<<1, 32>>>(x, 1, 2, 3, 4, 5, 6, 7, 8, x, x); });
  report("launch, 4 streams", 1000, [&] { for (int i = 0; i < 1000; i++) tick<<<1, 32, 0, s[i & 3]>>>(x); });
  report("launch of 5 us", 500, [&] { for (int i = 0; i < 500; i++) spin<<<1, 32>>>(x, 2000); });
  report("launch of 10 us", 500, [&] { for (int i = 0; i < 500; i++) spin<<<1, 32>>>(x, 4000); });
  report("10 us alone", 1, [&] { spin<<<1, 32>>>(x, 4000); });
  report("100 us alone", 1, [&] { spin<<<1, 32>>>(x, 48000); });
  report("launch and synchronise", 300, [&] { for (int i = 0; i < 300; i++) { tick<<<1, 32>>>(x); cudaDeviceSynchronize(); } });
  report("launch of 10 us and synchronise", 300, [&] { for (int i = 0; i < 300; i++) { spin<<<1, 32>>>(x, 4000); cudaDeviceSynchronize(); } });
  report("launch and 4 bytes to pageable", 300, [&] { for (int i = 0; i < 300; i++) { tick<<<1, 32>>>(x); cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost); } });
  report("launch and 4 bytes to locked", 300, [&] { for (int i = 0; i < 300; i++) { tick<<<1, 32>>>(x); cudaMemcpy(locked, x, 4, cudaMemcpyDeviceToHost); } });
  report("4 bytes from pageable and launch", 300, [&] { for (int i = 0; i < 300; i++) { cudaMemcpy(x, host, 4, cudaMemcpyHostToDevice); tick<<<1, 32>>>(x); } });
  report("4 bytes from pageable", 300, [&] { for (int i = 0; i < 300; i++) cudaMemcpy(x, host, 4, cudaMemcpyHostToDevice); });
  report("4 bytes to pageable", 300, [&] { for (int i = 0; i < 300; i++) cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost); });
  report("4 bytes asynchronously from locked", 300, [&] { for (int i = 0; i < 300; i++) cudaMemcpyAsync(x, locked, 4, cudaMemcpyHostToDevice); });
  report("set of 1 kB and launch", 300, [&] { for (int i = 0; i < 300; i++) { cudaMemsetAsync(x, 0, 1024); tick<<<1, 32>>>(x); } });
  report("set of 1 kB", 300, [&] { for (int i = 0; i < 300; i++) cudaMemsetAsync(x, 0, 1024); });
  report("copy on the device, 1 kB", 300, [&] { for (int i = 0; i < 300; i++) cudaMemcpyAsync(y, x, 1024, cudaMemcpyDeviceToDevice); });
  report("record", 300, [&] { for (int i = 0; i < 300; i++) cudaEventRecord(e); });
  report("launch, record, wait in another stream, launch", 300, [&] { for (int i = 0; i < 300; i++) { tick<<<1, 32, 0, s[i & 1]>>>(x); cudaEventRecord(e, s[i & 1]); cudaStreamWaitEvent(s[~i & 1], e, 0); } });
  for (size_t n = 4096; n <= big; n *= 4) {
    char name[99];
    sprintf(name, "%zu bytes from pageable", n); report(name, 1, [&] { cudaMemcpy(x, pageable, n, cudaMemcpyHostToDevice); });
    sprintf(name, "%zu bytes to pageable", n); report(name, 1, [&] { cudaMemcpy(pageable, x, n, cudaMemcpyDeviceToHost); });
    sprintf(name, "%zu bytes from locked", n); report(name, 1, [&] { cudaMemcpy(x, locked, n, cudaMemcpyHostToDevice); });
    sprintf(name, "%zu bytes to locked", n); report(name, 1, [&] { cudaMemcpy(locked, x, n, cudaMemcpyDeviceToHost); });
  }
  report("64 MB both ways at once", 1, [&] { cudaMemcpyAsync(x, locked, big / 2, cudaMemcpyHostToDevice, s[0]); cudaMemcpyAsync(locked + big / 8, y, big / 2, cudaMemcpyDeviceToHost, s[1]); });
  return 0;
}
