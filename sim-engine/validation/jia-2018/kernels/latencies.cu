// Table 4.1: dependent instructions of one warp. Each kernel is launched with as many turns, then with twice as many: what is between
// them is 64 steps a turn.
#include <cuda_fp16.h>

#define CHAIN(name, type, ...)                                         \
  __global__ void name(type *out, int turns, type a, type b) {         \
    type x = a;                                                        \
    for (int turn = 0; turn < turns; ++turn) {                         \
      _Pragma("unroll") for (int i = 0; i < 64; ++i) asm volatile(__VA_ARGS__); \
    }                                                                  \
    out[threadIdx.x] = x;                                              \
  }

CHAIN(fadd, float, "add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(b))
CHAIN(fmul, float, "mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(b))
CHAIN(ffma, float, "fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(b))
CHAIN(dadd, double, "add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(b))
CHAIN(dfma, double, "fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(b))
// A shift and a logic operation a step.
__global__ void logic(unsigned *out, int turns, unsigned a, unsigned b) {
  unsigned x = a;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 64; ++i) x = (x << 1) ^ b;
  }
  out[threadIdx.x] = x;
}
CHAIN(imad, unsigned, "mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b))
CHAIN(popc, unsigned, "popc.b32 %0, %0;" : "+r"(x))
CHAIN(mufu, float, "ex2.approx.ftz.f32 %0, %0;" : "+f"(x))
__global__ void hfma2(__half2 *out, int turns, float a, float b) {
  __half2 x = __float2half2_rn(a), y = __float2half2_rn(b);
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 64; ++i) x = __hfma2(x, y, y);
  }
  out[threadIdx.x] = x;
}

int main() {
  float *f; double *d; unsigned *u; __half2 *h;
  cudaMalloc(&f, 128); cudaMalloc(&d, 256); cudaMalloc(&u, 128); cudaMalloc(&h, 128);
  fadd<<<1, 32>>>(f, 64, 1.0f, 0.5f); fadd<<<1, 32>>>(f, 128, 1.0f, 0.5f);
  fmul<<<1, 32>>>(f, 64, 1.0f, 0.5f); fmul<<<1, 32>>>(f, 128, 1.0f, 0.5f);
  ffma<<<1, 32>>>(f, 64, 1.0f, 0.5f); ffma<<<1, 32>>>(f, 128, 1.0f, 0.5f);
  dadd<<<1, 32>>>(d, 64, 1.0, 0.5); dadd<<<1, 32>>>(d, 128, 1.0, 0.5);
  dfma<<<1, 32>>>(d, 64, 1.0, 0.5); dfma<<<1, 32>>>(d, 128, 1.0, 0.5);
  hfma2<<<1, 32>>>(h, 64, 1.0f, 0.5f); hfma2<<<1, 32>>>(h, 128, 1.0f, 0.5f);
  logic<<<1, 32>>>(u, 64, 1, 2); logic<<<1, 32>>>(u, 128, 1, 2);
  imad<<<1, 32>>>(u, 64, 1, 2); imad<<<1, 32>>>(u, 128, 1, 2);
  popc<<<1, 32>>>(u, 64, 1, 2); popc<<<1, 32>>>(u, 128, 1, 2);
  mufu<<<1, 32>>>(f, 64, 1.0f, 0.5f); mufu<<<1, 32>>>(f, 128, 1.0f, 0.5f);
  cudaDeviceSynchronize();
  return 0;
}
