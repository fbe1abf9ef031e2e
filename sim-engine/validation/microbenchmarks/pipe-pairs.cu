// What instructions of one kind take of the pipes of others: cycles of a scheduler for one of the first kind with so many of a second, eight
// chains a warp, 16 warps a scheduler. What a kind is made of besides is told; nvcc -cubin and nvdisasm show that nothing else is in a turn.
#include <cstdio>
constexpr int turns = 32;
/** One of the kind on a chain; `y` and `z` are in registers that differ by thread. */
template <int KIND> __device__ __forceinline__ void first(unsigned& x, unsigned y, unsigned z, unsigned long long base) {
  unsigned long long w;
  if (KIND == 0) asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
  if (KIND == 1) asm volatile("mul.hi.u32 %0, %0, 0x5bd1e995;" : "+r"(x));
  if (KIND == 2) { asm volatile("mul.wide.u32 %0, %1, %2;" : "=l"(w) : "r"(x), "r"(y)); x = (unsigned)w ^ (unsigned)(w >> 32); }
  if (KIND == 3) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z));
  if (KIND == 4) { asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z)); x ^= y; }
  if (KIND == 5) { asm volatile("mad.wide.u32 %0, %1, 4, %2;" : "=l"(w) : "r"(x), "l"(base)); x = (unsigned)w ^ (unsigned)(w >> 32); }
  if (KIND == 6) { w = x; asm volatile("add.u64 %0, %1, %2;" : "=l"(w) : "l"(w), "l"(base)); x = (unsigned)w ^ (unsigned)(w >> 32); }
  if (KIND == 7) asm volatile("dp4a.u32.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(z));
  if (KIND == 8) asm volatile("{.reg .f32 t; mov.b32 t, %0; ex2.approx.ftz.f32 t, t; mov.b32 %0, t;}" : "+r"(x));
  if (KIND == 9) asm volatile("{.reg .f32 t; cvt.rp.f32.u32 t, %0; mov.b32 %0, t;}" : "+r"(x));
  if (KIND == 10) asm volatile("{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}" : "+r"(x));
  if (KIND == 11) asm volatile("{.reg .f32 t; mov.b32 t, %0; cvt.rzi.u32.f32 %0, t;}" : "+r"(x));
  if (KIND == 12) asm volatile("{.reg .f32 f; mov.b32 f, %0; cvt.rn.bf16x2.f32 %0, f, f;}" : "+r"(x));
  if (KIND == 13) x = __ballot_sync(0xffffffffu, x & 1);
  if (KIND == 14) x = __shfl_xor_sync(0xffffffffu, x, 1);
}
template <int KIND, int SECOND, int TIMES> __global__ void __launch_bounds__(512) busy(unsigned* out, long long* cycles, float g) {
  unsigned x[8], v[8];
  float f[8];
  const unsigned y = out[threadIdx.x] | 5, z = out[threadIdx.x + 32] | 3;
  const unsigned long long base = (unsigned long long)out * (threadIdx.x + 5);
  for (int j = 0; j < 8; j++) x[j] = threadIdx.x * 7919u + j, v[j] = x[j], f[j] = j;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < turns; i++)
#pragma unroll
    for (int k = 0; k < 64; k++) {
      first<KIND>(x[k % 8], y, z, base);
#pragma unroll
      for (int t = 0; t < TIMES; t++) {
        if (SECOND == 0) asm volatile("prmt.b32 %0, %0, %1, 0x5432;" : "+r"(v[k % 8]) : "r"(z));
        if (SECOND == 1) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[k % 8]) : "f"(g));
      }
    }
  __syncthreads();
  const long long end = clock64();
  unsigned sum = 0, sm;
  for (int j = 0; j < 8; j++) sum += x[j] + v[j] + __float_as_uint(f[j]);
  out[blockIdx.x * 512 + threadIdx.x] = sum;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0) cycles[3 * blockIdx.x] = sm, cycles[3 * blockIdx.x + 1] = begin, cycles[3 * blockIdx.x + 2] = end;
}
template <int KIND, int SECOND, int TIMES> void run(const char* name) {
  constexpr int sms = 132, blocks = 4;
  static unsigned* out;
  static long long *cycles, host[3 * sms * blocks];
  if (!out) cudaMalloc(&out, sms * blocks * 512 * 4), cudaMalloc(&cycles, sizeof host), cudaMemset(out, 7, sms * blocks * 512 * 4);
  for (int warm = 0; warm < 2; warm++) busy<KIND, SECOND, TIMES><<<sms * blocks, 512>>>(out, cycles, 1.0001f);
  cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost);
  double sum = 0;
  int full = 0;
  for (int sm = 0; sm < sms; sm++) {
    long long begin = -1, end = 0;
    int here = 0;
    for (int b = 0; b < sms * blocks; b++) {
      if (host[3 * b] != sm) continue;
      here++;
      if (begin < 0 || host[3 * b + 1] < begin) begin = host[3 * b + 1];
      if (host[3 * b + 2] > end) end = host[3 * b + 2];
    }
    if (here == blocks) sum += end - begin, full++;
  }
  printf("%s and %d %s: cycles %.2f\n", name, TIMES, SECOND ? "ffma" : "prmt", sum / full / turns / 64 / 16);
}
template <int KIND> void all(const char* name) {
  run<KIND, 0, 0>(name); run<KIND, 0, 1>(name); run<KIND, 0, 2>(name); run<KIND, 0, 4>(name); run<KIND, 1, 1>(name); run<KIND, 1, 4>(name);
}
int main() {
  all<0>("imad.hi"); all<1>("imad.hi of a constant"); all<2>("imad.wide, lop3"); all<3>("imad"); all<4>("imad, lop3"); all<5>("lea, lea.hi.x, lop3");
  all<6>("iadd3, imad.x, lop3"); all<7>("idp"); all<8>("mufu.ex2"); all<9>("i2f.rp"); all<10>("i2fp"); all<11>("f2i"); all<12>("f2fp");
  all<13>("lop3, isetp, vote"); all<14>("shfl");
  puts(cudaGetErrorString(cudaGetLastError()));
}
