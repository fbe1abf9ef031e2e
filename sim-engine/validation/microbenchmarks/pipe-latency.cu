// Latency of chains that go from pipe to pipe: cycles a turn of one warp. nvcc -O3 -arch=sm_90 pipe-latency.cu; what a turn is made of is to be seen by cuobjdump -sass.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
constexpr int turns = 256;
template <int KIND> __device__ __forceinline__ unsigned step(unsigned x, unsigned y, float g) {
  if (KIND == 0) return __float_as_uint(__uint_as_float(x << 16) * g);                            // IMAD.U32 or SHF, FMUL
  if (KIND == 1) return __float_as_uint(fmaf(__uint_as_float(x), g, g)) & y;                       // FFMA, LOP3
  if (KIND == 2) return __float_as_uint(fmaf(__uint_as_float(x * y + y), g, g));                   // IMAD, FFMA
  if (KIND == 3) return (x * y + y) ^ y;                                                            // IMAD, LOP3
  if (KIND == 4) { __half h = __ushort_as_half((unsigned short)x); return __half_as_ushort(__float2half(__half2float(h) * g)); }  // HADD2.F32, FMUL, F2FP
  if (KIND == 5) { __half2 h = *reinterpret_cast<__half2 *>(&x), c = *reinterpret_cast<__half2 *>(&y); h = __hfma2(h, c, c); return *reinterpret_cast<unsigned *>(&h); }  // HFMA2.MMA, HFMA2
  if (KIND == 6) { __half h = __ushort_as_half((unsigned short)x), c = __ushort_as_half((unsigned short)y); return __half_as_ushort(__hfma(h, c, c)); }  // HFMA2 of single halves
  if (KIND == 7) { __half h = __ushort_as_half((unsigned short)x), c = __ushort_as_half((unsigned short)y); return __half_as_ushort(__hadd(h, c)); }  // HADD2
  if (KIND == 8) { asm volatile("{.reg .f32 t; mov.b32 t, %0; ex2.approx.ftz.f32 t, t; mov.b32 %0, t;}" : "+r"(x)); return __float_as_uint(__uint_as_float(x) * g); }  // MUFU, FMUL
  if (KIND == 9) return __float_as_uint((float)(int)x) ^ y;                                         // I2FP, LOP3
  if (KIND == 10) return __ballot_sync(~0u, x > y);                                                 // ISETP, VOTE
  if (KIND == 11) return __reduce_add_sync(~0u, x);                                                 // REDUX, and back
  if (KIND == 12) return __shfl_xor_sync(~0u, x, 1);                                                // SHFL
  if (KIND == 13) return max((int)x, (int)y) + y;                                                   // VIADDMNMX or both
  if (KIND == 14) return __float_as_uint(fmaxf(__uint_as_float(x), g) * g);                         // FMNMX, FMUL
  if (KIND == 15) { __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)x); return __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(b) * g)); }
  return x;
}
template <int KIND> __global__ void chain(unsigned *out, long long *cycles, float g) {
  unsigned x = out[threadIdx.x], y = out[threadIdx.x + 32] | 3;
  long long begin = clock64();
#pragma unroll 32
  for (int i = 0; i < turns; i++) x = step<KIND>(x, y, g);
  long long end = clock64();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0) *cycles = end - begin;
}
template <int KIND> void run(const char *name, unsigned *out, long long *cycles) {
  long long best = 1 << 30;
  for (int k = 0; k < 4; k++) {
    chain<KIND><<<1, 32>>>(out, cycles, 1.25f);
    cudaDeviceSynchronize();
    best = *cycles < best ? *cycles : best;
  }
  printf("%s: %.2f cycles\n", name, (double)best / turns);
}
int main() {
  unsigned *out; long long *cycles;
  cudaMalloc(&out, 4096); cudaMemset(out, 7, 4096); cudaMallocManaged(&cycles, 8);
  run<0>("shift, fmul", out, cycles); run<1>("ffma, lop3", out, cycles); run<2>("imad, ffma", out, cycles); run<3>("imad, lop3", out, cycles);
  run<4>("hadd2.f32, fmul, f2fp", out, cycles); run<5>("hfma2 of words", out, cycles); run<6>("hfma2 of halves", out, cycles); run<7>("hadd2 of halves", out, cycles);
  run<8>("mufu, fmul", out, cycles); run<9>("i2fp, lop3", out, cycles); run<10>("isetp, vote", out, cycles); run<11>("redux", out, cycles); run<12>("shfl", out, cycles);
  run<13>("maximum, sum", out, cycles); run<14>("fmnmx, fmul", out, cycles); run<15>("from brain, fmul, to brain", out, cycles);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
