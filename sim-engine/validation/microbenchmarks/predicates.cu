// Loads and stores under a predicate that all lanes have, or none: cycles to what needs the result; what a predicate takes to what runs under
// it, or selects by it; and warps of instructions of the uniform datapath beside those of others.
#include <cuda_runtime.h>
#include <cstdio>
constexpr int turns = 64, each = 16;
template <int mode>
__global__ void off(int* out, const int* in, long long* cycles, int limit) {
  __shared__ int words[1024];
  words[threadIdx.x] = 0;
  __syncthreads();
  int sum = 0;
  const bool lanes = (int)threadIdx.x < limit;
  const unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x * 4;
  const int* mine = in + threadIdx.x;
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; t++)
#pragma unroll
    for (int e = 0; e < each; e++) {
      if (mode == 0) asm volatile("{ .reg .pred p; .reg .s32 x; setp.ne.s32 p, %2, 0; .reg .u32 q; add.u32 q, %1, %0; mov.s32 x, 0; @p ld.shared.s32 x, [q]; @p add.s32 %0, %0, x; }" : "+r"(sum) : "r"(at), "r"((int)lanes));
      if (mode == 1) asm volatile("{ .reg .pred p; .reg .s32 x; setp.ne.s32 p, %2, 0; .reg .u64 q; cvt.s64.s32 q, %0; add.s64 q, q, %1; mov.s32 x, 0; @p ld.global.ca.s32 x, [q]; @p add.s32 %0, %0, x; }" : "+r"(sum) : "l"(mine), "r"((int)lanes));
      if (mode == 2) asm volatile("{ .reg .pred p; .reg .s32 x; setp.ne.s32 p, %2, 0; @p st.shared.s32 [%1], %0; @p add.s32 %0, %0, 1; }" : "+r"(sum) : "r"(at), "r"((int)lanes));
      if (mode == 3) asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, %1; @p add.s32 %0, %0, 1; }" : "+r"(sum) : "r"(limit));
      if (mode == 4) asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, %1; selp.s32 %0, %0, %2, p; }" : "+r"(sum) : "r"(limit), "r"((int)lanes));
      if (mode == 5) asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; .reg .u64 q; .reg .s32 x; cvt.s64.s32 q, %0; add.s64 q, q, %1; mov.s32 x, 0; @p ld.global.cg.s32 x, [q]; @p add.s32 %0, %0, x; }" : "+r"(sum) : "l"(mine), "r"((int)lanes));
    }
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
  out[threadIdx.x] = sum + words[threadIdx.x ^ 1];
}
template <int mode>
void measure(const char* what, int* out, int* in, long long* cycles) {
  for (int limit : {32, 0}) {
    for (int again = 0; again < 3; again++) off<mode><<<1, 32>>>(out, in, cycles, limit), cudaDeviceSynchronize();
    printf("%-28s %s %6.1f cycles\n", what, limit ? "all lanes" : "no lane  ", (double)*cycles / turns / each);
  }
}
template <int mode>
void many(const char* what, int* out, int* in, long long* cycles) {
  for (int warps : {1, 4, 8, 16, 32}) {
    for (int again = 0; again < 3; again++) off<mode><<<132, warps * 32>>>(out, in, cycles, 32), cudaDeviceSynchronize();
    printf("%-28s %2d warps %6.2f cycles\n", what, warps, (double)*cycles / turns / each);
  }
}
int main() {
  int *out, *in;
  long long* cycles;
  cudaMalloc(&out, 4096);
  cudaMalloc(&in, 4096);
  cudaMemset(in, 0, 4096);
  cudaMallocManaged(&cycles, 8);
  measure<0>("LDS, IADD", out, in, cycles);
  measure<1>("LDG, IADD", out, in, cycles);
  measure<5>("LDG past the L1, IADD", out, in, cycles);
  measure<2>("STS, IADD", out, in, cycles);
  measure<3>("ISETP, IADD under it", out, in, cycles);
  measure<4>("ISETP, SEL", out, in, cycles);
  many<3>("UISETP, UIADD3", out, in, cycles);
  many<4>("ISETP, SEL", out, in, cycles);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
