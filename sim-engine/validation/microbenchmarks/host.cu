// Host memory that kernels reach over the link: latency, bandwidth by what is read, written and read again, by pattern and by SMs.
// Build: nvcc -O3 -std=c++17 -arch=native host.cu -o host; prints tab-separated rows.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

__global__ void chase(const unsigned *next, unsigned *out, long long *cycles, int steps) {
  unsigned at = 0;
  for (int i = 0; i < 64; i++) at = next[at];
  const long long from = clock64();
  for (int i = 0; i < steps; i++) at = next[at];
  cycles[0] = (clock64() - from) / steps;
  *out = at;
}

__global__ void copyAll(const float *in, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void sumAll(const float *in, float *out, int n, int times) {
  float sum = 0;
  for (int t = 0; t < times; t++)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void fill(float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = i;
}
__global__ void strided(const float *in, float *out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / stride) out[i] = in[(size_t)i * stride];
}
__global__ void fillStrided(float *out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / stride) out[(size_t)i * stride] = i;
}
__global__ void add(int *counters, int n, int slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counters[i % slots], 1);
}

template <typename F>
float timeOf(F launch) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  launch();
  cudaEventRecord(a);
  for (int i = 0; i < 5; i++) launch();
  cudaEventRecord(b);
  CHECK(cudaEventSynchronize(b));
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  return ms * 1000 / 5;
}

int main() {
  const int n = 1 << 24;
  float *host, *host2, *device;
  unsigned *next;
  long long *cycles;
  CHECK(cudaHostAlloc(&host, n * 4, cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&host2, n * 4, cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&next, 1 << 24, cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&cycles, 64, cudaHostAllocMapped));
  CHECK(cudaMalloc(&device, n * 4));
  const int count = 1 << 22;
  for (int stride : {1024, 32, 8, 1}) {
    for (int i = 0; i < count; i++) next[i] = (i + stride) % count;
    chase<<<1, 1>>>(next, (unsigned *)device, cycles, 1000);
    CHECK(cudaDeviceSynchronize());
    printf("latency\tstride %d bytes\t%lld cycles\n", stride * 4, cycles[0]);
  }
  for (int i = 0; i < 1024; i++) next[i * 32 % 32768] = (i + 1) * 32 % 32768;
  chase<<<1, 1>>>(next, (unsigned *)device, cycles, 8000);
  CHECK(cudaDeviceSynchronize());
  printf("latency, read again\t128 KB, line by line\t%lld cycles\n", cycles[0]);
  for (int blocks : {1, 4, 16, 132, 1056}) {
    const int m = blocks < 16 ? n / 16 : n;
    const float r = timeOf([&] { sumAll<<<blocks, 512>>>(host, device, m, 1); });
    const float w = timeOf([&] { fill<<<blocks, 512>>>(host, m); });
    const float b = timeOf([&] { copyAll<<<blocks, 512>>>(host, host2, m); });
    printf("GB/s\t%d blocks\tread %.2f\twritten %.2f\tboth, each way %.2f\n", blocks, m * 4e-3 / r, m * 4e-3 / w, m * 4e-3 / b);
  }
  for (int kb : {64, 1024, 16384}) {
    const int m = kb * 256;
    const float one = timeOf([&] { sumAll<<<132, 512>>>(host, device, m, 1); }), eight = timeOf([&] { sumAll<<<132, 512>>>(host, device, m, 8); });
    printf("read again\t%d KB\tonce %.1f us\teight times %.1f us\n", kb, one, eight);
  }
  for (int stride : {1, 2, 4, 8, 16, 32, 64}) {
    const int threads = n / stride;
    const float r = timeOf([&] { strided<<<threads / 256, 256>>>(host, device, n, stride); });
    const float w = timeOf([&] { fillStrided<<<threads / 256, 256>>>(host, n, stride); });
    printf("strided\t%d bytes apart\tread %.1f us (%.2f GB/s of sectors)\twritten %.1f us (%.2f GB/s of sectors)\n", stride * 4, r,
           threads * 32e-3 * (stride < 8 ? stride / 8.0 : 1) / r, w, threads * 32e-3 * (stride < 8 ? stride / 8.0 : 1) / w);
  }
  for (int slots : {1, 32, 65536}) {
    const float a = timeOf([&] { add<<<4096, 256>>>((int *)host, 1 << 20, slots); });
    printf("atomics\t%d addresses\t%.1f us for %d\n", slots, a, 1 << 20);
  }
  return 0;
}
