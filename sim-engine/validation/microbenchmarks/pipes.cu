// What instructions of a kind keep a scheduler's pipe busy for: eight chains a warp that wait for themselves alone, 16 warps a scheduler.
#include <cstdio>
template <int KIND> __device__ __forceinline__ void step(unsigned& x, unsigned long long& w, float& f, unsigned y, float g) {
  if (KIND == 0) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
  if (KIND == 1) asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(w) : "r"(y), "r"(x));
  if (KIND == 2) asm volatile("mad.hi.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
  if (KIND == 3) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(y), "r"((unsigned)w));
  if (KIND == 4) asm volatile("shf.r.wrap.b32 %0, %0, %1, 7;" : "+r"(x) : "r"(y));
  if (KIND == 5) asm volatile("min.s32 %0, %0, %1;" : "+r"(x) : "r"(y));
  if (KIND == 6) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(g));
  if (KIND == 7) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(f) : "f"(g));
  if (KIND == 8) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
  if (KIND == 9) asm volatile("cvt.rn.f32.u32 %0, %1;" : "=f"(f) : "r"(__float_as_uint(f)));
  if (KIND == 10) asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(x) : "f"(__uint_as_float(x)));
  if (KIND == 11) asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
  if (KIND == 12) { asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(y)); asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(y), "r"((unsigned)w)); }
  if (KIND == 13) { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(g)); }
  if (KIND == 14) { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y)); asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(y), "r"((unsigned)w)); }
  if (KIND == 15) { asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(w) : "r"(y), "r"(x)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(g)); }
  if (KIND == 16) { asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(y)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(g)); }
  if (KIND == 17) asm volatile("prmt.b32 %0, %0, %1, 0x2143;" : "+r"(x) : "r"(y));
  if (KIND == 18) asm volatile("max.f32 %0, %0, %1;" : "+f"(f) : "f"(g));
  if (KIND == 19) asm volatile("popc.b32 %0, %0;" : "+r"(x));
  if (KIND == 20) asm volatile("{.reg .pred p; setp.gt.s32 p, %0, %1; selp.b32 %0, %1, %0, p;}" : "+r"(x) : "r"(y));
  if (KIND == 21) asm volatile("add.u64 %0, %0, %1;" : "+l"(w) : "l"((unsigned long long)y));
}
template <int KIND> __global__ void busy(unsigned y, float g, int turns, unsigned* out, long long* cycles) {
  unsigned x[8];
  unsigned long long w[8];
  float f[8];
  for (int i = 0; i < 8; i++) { x[i] = threadIdx.x + i * y; w[i] = x[i] * 3ull; f[i] = x[i]; }
  __syncthreads();
  long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; t++)
#pragma unroll
    for (int k = 0; k < 64; k++) step<KIND>(x[k % 8], w[k % 8], f[k % 8], y, g);
  __syncthreads();
  long long end = clock64();
  unsigned s = 0;
  for (int i = 0; i < 8; i++) s += x[i] + (unsigned)w[i] + (unsigned)(w[i] >> 32) + __float_as_uint(f[i]);
  out[threadIdx.x] = s;
  if (threadIdx.x == 0) *cycles = end - begin;
}
template <int KIND> void run(const char* name, int each) {
  static unsigned* out = nullptr;
  static long long* cycles;
  if (!out) { cudaMalloc(&out, 4096); cudaMallocManaged(&cycles, 8); }
  const int turns = 64;
  for (int threads : {128, 512, 1024}) {
    for (int warm = 0; warm < 2; warm++) { busy<KIND><<<1, threads>>>(5, 1.5f, turns, out, cycles); cudaDeviceSynchronize(); }
    printf("pipe %s warps a scheduler %d cycles/instruction %.2f\n", name, threads / 128, (double)*cycles / turns / 64 / each / (threads / 128));
  }
}
int main() {
  run<0>("imad", 1); run<1>("imad.wide", 1); run<2>("imad.hi", 1); run<3>("lop3", 1); run<4>("shf", 1); run<5>("imnmx", 1); run<6>("ffma", 1);
  run<7>("fadd", 1); run<8>("hfma2", 1); run<9>("i2f", 1); run<10>("f2i", 1); run<11>("add", 1); run<12>("add lop3", 2); run<13>("imad ffma", 2);
  run<14>("imad lop3", 2); run<15>("imad.wide ffma", 2); run<16>("hfma2 ffma", 2); run<17>("prmt", 1); run<18>("fmnmx", 1); run<19>("popc", 1);
  run<20>("setp selp", 2); run<21>("add64", 1);
  puts(cudaGetErrorString(cudaGetLastError()));
}
