// A thread a row of memory that no cache holds: what turns of 16 loads side by side cost a warp, by how far a thread's loads and the rows lie apart.
#include <cstdio>
#define TURN 16
template <int APART>
__global__ void rows(const float* a, long long stride, int columns, float* out, long long* cycles) {
  a += (blockIdx.x * (long long)blockDim.x + threadIdx.x) * stride;
  float s = 0;
  long long begin = clock64();
  for (int c = 0; c < columns; c += TURN * APART) {
    float v[TURN];
#pragma unroll
    for (int k = 0; k < TURN; k++) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[k]) : "l"(a + c + k * APART));
#pragma unroll
    for (int k = 0; k < TURN; k++) s += v[k];
  }
  long long end = clock64();
  if (s == 1.2345f) out[0] = s;
  if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long*)cycles, (unsigned long long)(end - begin));
}
static float *a, *out, *flush;
static long long* cycles;
template <int APART>
void run(int sms, int warps, long long stride, bool cold) {
  const int turns = 16, columns = turns * TURN * APART;
  if (columns > stride) return;
  long long c = 0;
  for (int warm = 0; warm < 2; warm++) {
    if (cold) cudaMemset(flush, warm, 512 << 20);
    cudaMemset(cycles, 0, 8);
    rows<APART><<<sms, warps * 32>>>(a, stride, columns, out, cycles);
    cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
  }
  printf("rows %s sms %d warps %d apart %d stride %lld cycles/turn %.1f\n", cold ? "memory" : "L2", sms, warps, APART * 4, stride * 4, (double)c / turns / sms / warps);
}
int main() {
  cudaMalloc(&a, 2ll << 30);
  cudaMalloc(&flush, 512 << 20);
  cudaMalloc(&out, 8);
  cudaMalloc(&cycles, 8);
  cudaMemset(a, 0, 2ll << 30);
  for (bool cold : {true, false})
    for (int sms : {1, 16, 132})
      for (int warps : {1, 2, 4, 8})
        for (long long stride : {2048ll, 2000ll, 2056ll, 8192ll, 1024ll}) {
          run<1>(sms, warps, stride, cold);
          run<2>(sms, warps, stride, cold);
          run<4>(sms, warps, stride, cold);
          run<8>(sms, warps, stride, cold);
        }
  puts(cudaGetErrorString(cudaGetLastError()));
}
