// Dependent instructions of one warp: two loops of which one has twice as many in a turn, so that the loop itself cancels out.
#include "measure.h"

enum Op { FFMA, IMAD, DFMA, HFMA2, EX2 };
template <int OP, int N> __global__ void chain(long long *out, int turns, unsigned a, unsigned b) {
  unsigned x = a + threadIdx.x;
  float f = a, g = b * 0.5f;
  double d = a, e = b * 0.5;
  long long t0 = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (OP == FFMA) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(g));
      if (OP == IMAD) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
      if (OP == DFMA) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(d) : "d"(e));
#if __CUDA_ARCH__ >= 530
      // As programs have them: from 8.0 on ptxas gives every other one to another pipe.
      if (OP == HFMA2) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#endif
      if (OP == EX2) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
    }
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) out[0] = t1 - t0;
  if (x + f + d == 12345) out[1] = 1;
}

template <int OP> static void latency(const char *figure) {
  const int turns = 64;
  for (int i = 0; i < samples; ++i) {
    double more = cycles([&] { chain<OP, 256><<<1, 32>>>(outDevice, turns, 16, 8); });
    double less = cycles([&] { chain<OP, 128><<<1, 32>>>(outDevice, turns, 16, 8); });
    sample(figure, slope(more, less, 128.0 * turns));
  }
}

int main() {
  begin();
  latency<FFMA>("arithmeticLatency");
  latency<IMAD>("multiplyLatency");
  latency<DFMA>("fp64Latency");
  if (attribute(cudaDevAttrComputeCapabilityMajor) * 10 + attribute(cudaDevAttrComputeCapabilityMinor) >= 53) latency<HFMA2>("fp16Latency");
  latency<EX2>("specialLatency");
  return 0;
}
