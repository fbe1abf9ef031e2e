// Sums that all warps make along one row, by columns, and with what goes before them: how far the warps are in step.
#include <cstdio>
template <int LOADS, int UNROLL, int TURNED>
__global__ void along(float* sum, const float* in, int C) {
  int lane = threadIdx.x % 32;
  long long row = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32;
  const float* x = in + row * C;
  int begin = TURNED ? (int)(row * 2654435761u >> 8) % (C / 32) * 32 : 0;
#pragma unroll UNROLL
  for (int i = lane; i < C; i += 32) {
    int at = i + begin;
    if (TURNED && at >= C) at -= C;
    float v = 1.f;
    if (LOADS > 0) v = x[at];
    atomicAdd(&sum[at], v);
  }
}
// A row is read, summed over the warp, and then goes into the sums: as a norm's gradient does.
__global__ void behind(float* sum, const float* in, int C) {
  int lane = threadIdx.x % 32;
  long long row = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32;
  const float* x = in + row * C;
  float all = 0;
  for (int i = lane; i < C; i += 32) all += x[i];
  for (int o = 16; o; o /= 2) all += __shfl_xor_sync(~0u, all, o);
  for (int i = lane; i < C; i += 32) atomicAdd(&sum[i], x[i] * all);
}
static float *a, *s;
static cudaEvent_t from, to;
template <typename F> float us(F f) {
  float best = 1e9;
  for (int k = 0; k < 4; k++) {
    float ms;
    cudaEventRecord(from); f(); cudaEventRecord(to); cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    if (k && ms * 1000 < best) best = ms * 1000;
  }
  return best;
}
int main() {
  cudaMalloc(&a, 512 << 20); cudaMalloc(&s, 4 << 20); cudaMemset(a, 0, 512 << 20); cudaMemset(s, 0, 4 << 20);
  cudaEventCreate(&from); cudaEventCreate(&to);
  printf("sums at %zu of 2 MB\n", (size_t)s % (2 << 20));
  for (int C : {32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024, 1536, 2048, 3072, 4096, 8192})
    printf("columns %d rows 8192 us %.1f\n", C, us([&] { along<0, 4, 0><<<1024, 256>>>(s, a, C); }));
  for (int C : {128, 256, 512, 768, 1024, 2048})
    for (int kb : {0, 50, 100, 200}) {
      const int rows = 8192, blocks = rows / 8;
      auto set = [&](auto k) { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10); };
      set(along<0, 1, 0>); set(along<0, 4, 0>); set(along<1, 1, 0>); set(along<1, 4, 0>); set(along<1, 4, 1>); set(along<0, 4, 1>); set(behind);
      size_t d = (size_t)kb << 10;
      printf("columns %d shared %d KB us: sum1 %.1f sum4 %.1f load1 %.1f load4 %.1f turned %.1f turned-load %.1f behind %.1f\n", C, kb,
        us([&] { along<0, 1, 0><<<blocks, 256, d>>>(s, a, C); }), us([&] { along<0, 4, 0><<<blocks, 256, d>>>(s, a, C); }),
        us([&] { along<1, 1, 0><<<blocks, 256, d>>>(s, a, C); }), us([&] { along<1, 4, 0><<<blocks, 256, d>>>(s, a, C); }),
        us([&] { along<0, 4, 1><<<blocks, 256, d>>>(s, a, C); }), us([&] { along<1, 4, 1><<<blocks, 256, d>>>(s, a, C); }),
        us([&] { behind<<<blocks, 256, d>>>(s, a, C); }));
    }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
