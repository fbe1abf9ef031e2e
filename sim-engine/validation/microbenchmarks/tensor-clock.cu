// The clock that SMs run at while tensor cores work, and while they do not: cycles of an SM over nanoseconds, by how many of the
// instructions are matrix products and for how long.
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

enum Kind { none, half16, half32, bf16, tf32, int8, fp64 };

template <Kind kind>
__device__ void product(float (&d)[4], unsigned a) {
  unsigned* u = (unsigned*)d;
  double* f = (double*)d;
  if constexpr (kind == half16)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%2,%2,%2},{%2,%2},{%0,%1};" : "+r"(u[0]), "+r"(u[1]) : "r"(a));
  if constexpr (kind == half32)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a));
  if constexpr (kind == bf16)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a));
  if constexpr (kind == tf32)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a));
  if constexpr (kind == int8)
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};" : "+r"(u[0]), "+r"(u[1]), "+r"(u[2]), "+r"(u[3]) : "r"(a));
  if constexpr (kind == fp64)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%2},{%0,%1};" : "+d"(f[0]), "+d"(f[1]) : "d"((double)a));
}

// A product with every `others` multiply-adds.
template <Kind kind>
__global__ void work(int turns, int others, unsigned a, unsigned long long* out, float* sink) {
  float d[4] = {0, 0, 0, 0}, x = threadIdx.x, y = 1.0f;
  unsigned long long begin = nanoseconds();
  long long clocks = clock64();
  for (int turn = 0; turn < turns; turn++) {
    product<kind>(d, a);
#pragma unroll 4
    for (int k = 0; k < others; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
  }
  clocks = clock64() - clocks;
  unsigned long long end = nanoseconds();
  if (threadIdx.x == 0 && blockIdx.x == 0) { out[0] = clocks; out[1] = end - begin; }
  if (x + d[0] + d[1] + d[2] + d[3] == 12345.678f) *sink = x;
}

// Products that do not wait for each other: what the tensor cores do.
template <Kind kind>
__global__ void rate(int turns, unsigned a, unsigned long long* out, float* sink) {
  float d[8][4] = {};
  long long clocks = clock64();
  for (int turn = 0; turn < turns; turn++)
#pragma unroll
    for (int k = 0; k < 8; k++) product<kind>(d[k], a);
  clocks = clock64() - clocks;
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = clocks;
  float x = 0;
  for (int k = 0; k < 8; k++) x += d[k][0] + d[k][1] + d[k][2] + d[k][3];
  if (x == 12345.678f) *sink = x;
}

template <Kind kind>
void measure(const char* name, unsigned long long* out, float* sink) {
  for (int others : {0, 4, 16, 64, 256})
    for (int us : {20, 100, 1000, 20000}) {
      int turns = 100;
      unsigned long long got[2] = {0, 0};
      for (int k = 0; k < 6; k++) {
        work<kind><<<132, 512>>>(turns, others, 0x3c003c00, out, sink);
        cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
        if (k < 5) turns = (int)fmin(1e9, fmax(1, turns * (us * 1000.0 / fmax(1000.0, (double)got[1]))));
      }
      printf("%s, %3d multiply-adds each: %8.1f us, %5.0f MHz, a product of a warp in %.1f cycles\n", name, others, got[1] / 1e3,
             1000.0 * got[0] / got[1], (double)got[0] / turns);
    }
  for (int warps : {1, 2, 4}) {
    unsigned long long clocks;
    for (int k = 0; k < 3; k++) {
      rate<kind><<<132, warps * 128>>>(4096, 0, out, sink);
      cudaMemcpy(&clocks, out, sizeof clocks, cudaMemcpyDeviceToHost);
    }
    printf("%s: %d warps a scheduler begin a product in %.2f cycles\n", name, warps, clocks / (4096.0 * 8 * warps));
  }
}

int main() {
  unsigned long long* out;
  float* sink;
  cudaMalloc(&out, 16);
  cudaMalloc(&sink, 4);
  measure<none>("no products", out, sink);
  measure<half16>("f16 to f16", out, sink);
  measure<half32>("f16 to f32", out, sink);
  measure<bf16>("bf16 to f32", out, sink);
  measure<tf32>("tf32 to f32", out, sink);
  measure<int8>("s8 to s32", out, sink);
  measure<fp64>("f64 to f64", out, sink);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
