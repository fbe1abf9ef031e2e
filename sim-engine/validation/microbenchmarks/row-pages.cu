// A warp whose lanes each go along a row of their own: one load a turn, two, and two with a store, the rows side by side or in pages far apart.
#include <cstdio>
template <int LOADS, int STORES>
__global__ void walk(const float* a, const float* b, float* c, long long far, long long near, int turns, long long* cycles, float* out) {
  long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  const float *x = a + row * far, *y = b + row * near;
  float* z = c + row * near;
  float s = 0;
  long long from = clock64();
#pragma unroll 1
  for (int i = 0; i < turns; i++) {
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(x + i));
    if (LOADS > 1) {
      float w;
      asm volatile("ld.global.f32 %0, [%1];" : "=f"(w) : "l"(y + i));
      v += w;
    }
    if (STORES) asm volatile("st.global.f32 [%0], %1;" ::"l"(z + i), "f"(v));
    else s += v;
    if (s == 1.25f) break;
  }
  if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long*)cycles, (unsigned long long)(clock64() - from));
  if (s == 1.5f) out[0] = s;
}
static float *a, *b, *c, *out;
static long long* cycles;
template <int L, int S>
void run(int sms, int warps, long long far, long long near, bool cold) {
  int turns = 512;
  for (int again = 0; again < 2; again++) {
    if (cold) { cudaMemset(out, 0, 256 << 20); }
    *cycles = 0;
    walk<L, S><<<sms, warps * 32>>>(a, b, c, far, near, turns, cycles, out);
    cudaDeviceSynchronize();
  }
  printf("loads %d stores %d sms %d warps %d far %lld near %lld %s cycles a turn %.1f\n", L, S, sms, warps, far * 4, near * 4, cold ? "cold" : "warm", (double)*cycles / turns / sms / warps);
}
int main() {
  cudaMalloc(&a, 20ll << 30);
  cudaMalloc(&b, 1ll << 30);
  cudaMalloc(&c, 1ll << 30);
  cudaMalloc(&out, 256 << 20);
  cudaMallocManaged(&cycles, 4096);
  for (int sms : {1, 64})
    for (int warps : {1, 2})
      for (long long far : {776ll, 768ll, 16384ll + 8, (1ll << 19) + 8})
        for (bool cold : {false, true}) {
          run<1, 0>(sms, warps, far, 776, cold);
          run<2, 0>(sms, warps, far, 776, cold);
          run<1, 1>(sms, warps, far, 776, cold);
          run<2, 1>(sms, warps, far, 776, cold);
          run<2, 1>(sms, warps, far, 768, cold);
        }
  puts(cudaGetErrorString(cudaGetLastError()));
}
