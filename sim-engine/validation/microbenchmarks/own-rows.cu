// Warps that load, change and store what lies side by side along rows, in turn: what a turn costs a warp, by how many rows a warp goes along at
// once, how far each turn goes on, whether rows begin alike or apart, whether what is loaded was stored to just before, and whether the next load goes
// ahead of the store.
#include <cstdio>
enum { LOAD, STORE, SAME, AHEAD, OTHER, OTHER_AHEAD, VOLATILE_SAME, VOLATILE_STORE };
static const char* names[] = {"load", "store", "load and store", "next load, store", "load, store elsewhere", "next load, store elsewhere", "volatile load and store", "volatile store"};

// `together` lanes lie side by side; a turn goes on by `step` words, and begins anew after `round` of them.
template <int OP>
__global__ void rows(float* a, const float* b, int together, long long stride, int step, int turns, int round, float* out, long long* cycles) {
  constexpr bool elsewhere = OP == OTHER || OP == OTHER_AHEAD, ahead = OP == AHEAD || OP == OTHER_AHEAD;
  long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  float* own = a + thread / together * stride + thread % together;
  const float* from = elsewhere ? b + (own - a) : own;
  float s = 0, next = 0;
  long long begin = clock64();
  if (ahead) asm volatile("ld.global.f32 %0, [%1];" : "=f"(next) : "l"(from));
  int at = 0;
#pragma unroll 1
  for (int c = 0; c < turns; c++) {
    float v = ahead ? next : c;
    int then = at + step == round ? 0 : at + step;
    if (ahead) asm volatile("ld.global.f32 %0, [%1];" : "=f"(next) : "l"(from + then));
    else if (OP == VOLATILE_SAME) asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(v) : "l"(from + at));
    else if (OP != STORE && OP != VOLATILE_STORE) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from + at));
    if (OP == LOAD) s += v;
    else if (OP == VOLATILE_SAME || OP == VOLATILE_STORE) asm volatile("st.volatile.global.f32 [%0], %1;" ::"l"(own + at), "f"(v + 1.0f));
    else asm volatile("st.global.f32 [%0], %1;" ::"l"(own + at), "f"(v + 1.0f));
    at = then;
  }
  long long end = clock64();
  if (s + next == 1.2345f) out[0] = s;
  if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long*)cycles, (unsigned long long)(end - begin));
}
static float *a, *b, *out, *flush;
static long long* cycles;
template <int OP>
void run(int sms, int warps, int together, int step, long long stride, bool again) {
  const int turns = again || step < 8 ? 1600 : 256;
  const int round = again ? 64 : 1 << 30;
  if (step * turns > stride && !again) return;
  long long c = 0;
  cudaMemset(flush, 1, 256 << 20);
  cudaMemset(cycles, 0, 8);
  rows<OP><<<sms, warps * 32>>>(a, b, together, stride, step * together, turns, again ? round * together : round, out, cycles);
  cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
  printf("%s, %s: sms %d warps %d rows of a warp %d %lld bytes apart, step %d: cycles/turn %.1f\n", names[OP], again ? "again" : "once", sms, warps,
         32 / together, stride * 4, step * 4, (double)c / turns / sms / warps);
}
void all(int sms, int warps, int together, int step, long long stride, bool again) {
  run<LOAD>(sms, warps, together, step, stride, again);
  run<STORE>(sms, warps, together, step, stride, again);
  run<SAME>(sms, warps, together, step, stride, again);
  run<AHEAD>(sms, warps, together, step, stride, again);
  run<OTHER>(sms, warps, together, step, stride, again);
  run<OTHER_AHEAD>(sms, warps, together, step, stride, again);
  run<VOLATILE_SAME>(sms, warps, together, step, stride, again);
  run<VOLATILE_STORE>(sms, warps, together, step, stride, again);
}
int main(int argc, char**) {
  const long long bytes = 132ll * 16 * 32 * 2060 * 4 + 4096;
  const bool profiling = argc > 1;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&flush, 256 << 20);
  cudaMalloc(&out, 8);
  cudaMalloc(&cycles, 8);
  cudaMemset(a, 0, bytes);
  cudaMemset(b, 0, bytes);
  for (bool again : {false, true})
    for (int together : {1, 4, 32})
      for (int step : {1, 8, 32})
        for (long long stride : {2056, 2057, 2060})
          for (int sms : {1, 132})
            for (int warps : {1, 2, 4, 16}) {
              if (stride != 2056 && (again || together != 1 || step != 1)) continue;
              if (profiling && (warps == 2 || warps == 4 || sms == 1 || step == 32)) continue;
              all(sms, warps, together, step, stride, again);
            }
  puts(cudaGetErrorString(cudaGetLastError()));
}
