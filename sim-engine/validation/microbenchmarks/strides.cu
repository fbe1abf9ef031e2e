// Loads whose lanes lie 16 to 256 elements apart, line beside line: once each (`every`), and a row a thread (`rows`); from memory and from the L2.
#include <cstdio>
template <int AHEAD>
__global__ void every(const float* a, long long stride, int turns, float* out, long long* cycles) {
  long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x, all = gridDim.x * (long long)blockDim.x;
  float s = 0;
  long long begin = clock64();
  for (int c = 0; c < turns; c += AHEAD) {
    float v[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[k]) : "l"(a + (t + (c + k) * all) * stride));
#pragma unroll
    for (int k = 0; k < AHEAD; k++) s += v[k];
  }
  long long end = clock64();
  if (s == 1.2345f) out[0] = s;
  if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long*)cycles, (unsigned long long)(end - begin));
}
template <int AHEAD>
__global__ void rows(const float* a, long long stride, int turns, float* out, long long* cycles) {
  long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x, all = gridDim.x * (long long)blockDim.x;
  float s = 0;
  long long begin = clock64();
  for (int r = 0; r < turns; r++)
    for (int c = 0; c < stride; c += AHEAD) {
      float v[AHEAD];
#pragma unroll
      for (int k = 0; k < AHEAD; k++) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[k]) : "l"(a + (t + r * all) * stride + c + k));
#pragma unroll
      for (int k = 0; k < AHEAD; k++) s += v[k];
    }
  long long end = clock64();
  if (s == 1.2345f) out[0] = s;
  if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long*)cycles, (unsigned long long)(end - begin));
}
static float *a, *out, *flush;
static long long* cycles;
typedef void (*Kernel)(const float*, long long, int, float*, long long*);
void run(const char* name, Kernel kernel, int ahead, int blocks, int warps, long long stride, int turns, int loads, bool cold) {
  if (blocks * 32ll * warps * stride * turns > (512ll << 20)) return;
  // What is to come from the L2 has to fit into it.
  if (!cold && blocks * 32ll * warps * turns * (stride < 32 ? stride * 4 : 128) > (24ll << 20)) return;
  long long c = 0;
  float ms = 0;
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  for (int warm = 0; warm < 2; warm++) {
    if (cold) cudaMemset(flush, warm, 256 << 20);
    cudaMemset(cycles, 0, 8);
    cudaEventRecord(from);
    kernel<<<blocks, warps * 32>>>(a, stride, turns, out, cycles);
    cudaEventRecord(to);
    cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
    cudaEventElapsedTime(&ms, from, to);
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  printf("%s %s ahead %d blocks %d warps %d stride %lld loads %d cycles/load %.1f us %.1f\n", name, cold ? "memory" : "L2", ahead, blocks, warps,
         stride * 4, loads, (double)c / loads / blocks / warps, ms * 1000);
}
int main() {
  cudaMalloc(&a, 2ll << 30);
  cudaMalloc(&flush, 256 << 20);
  cudaMalloc(&out, 8);
  cudaMalloc(&cycles, 8);
  cudaMemset(a, 0, 2ll << 30);
  const long long strides[] = {1, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 256, 1024};
  for (bool cold : {true, false})
    for (int sms : {1, 132, 1056})
      for (int warps : {1, 4, 8}) {
        if (sms == 1056 && warps < 8) continue;
        for (long long stride : strides) {
          run("every", every<1>, 1, sms, warps, stride, 16, 16, cold);
          run("every", every<4>, 4, sms, warps, stride, 16, 16, cold);
        }
        for (long long stride : {8ll, 16ll, 24ll, 32ll, 40ll, 48ll, 64ll, 96ll, 128ll, 256ll, 1024ll}) {
          run("rows", rows<1>, 1, sms, warps, stride, 1, stride, cold);
          run("rows", rows<8>, 8, sms, warps, stride, 1, stride, cold);
        }
      }
  puts(cudaGetErrorString(cudaGetLastError()));
}
