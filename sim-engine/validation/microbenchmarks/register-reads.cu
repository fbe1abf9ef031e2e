// Instructions whose codes register-reads.py writes into register-banks.cubin: nvcc -arch=sm_90 -O3 -cubin register-reads.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void arithmetic(const float *f, const int *n, const double *d, float *fo, int *no, double *dout) {
  int i = threadIdx.x;
  float a = f[i], b = f[i + 32], c = f[i + 64];
  fo[i] = fmaf(a, b, c); fo[i + 32] = a + c; fo[i + 64] = b * c;
  int x = n[i], y = n[i + 32], z = n[i + 64];
  no[i] = x * y + z; no[i + 32] = x + y + z; no[i + 64] = (x & y) ^ z; no[i + 96] = __funnelshift_l(x, y, z);
  dout[i] = fma(d[i], d[i + 32], d[i + 64]);
}
extern "C" __global__ void halves(const __half2 *in, __half2 *out) {
  __half2 chains[4], y = in[threadIdx.x];
  for (int k = 0; k < 4; k++) chains[k] = in[threadIdx.x + 32 * k + 32];
#pragma unroll
  for (int k = 0; k < 64; k++) chains[k % 4] = __hfma2(chains[k % 4], y, y);
  for (int k = 0; k < 4; k++) out[threadIdx.x + 32 * k] = chains[k];
  __half x = __low2half(in[threadIdx.x + 500]);
  for (int k = 0; k < 4; k++) reinterpret_cast<float *>(out)[threadIdx.x + 32 * k + 1000] = __high2float(chains[k]);
  out[threadIdx.x + 192] = __hfma2(__half2half2(x), chains[1], chains[2]);
}
extern "C" __global__ void pairs(const __half2 *in, __half2 *out) {
  __half2 a = in[threadIdx.x], b = in[threadIdx.x + 32], c = in[threadIdx.x + 64];
  out[threadIdx.x] = __hfma2(a, b, c);
  out[threadIdx.x + 32] = __hadd2(a, c);
  out[threadIdx.x + 64] = __hmul2(b, c);
}
extern "C" __global__ void brains(const __nv_bfloat162 *in, const float2 *f, __nv_bfloat162 *out) {
  __nv_bfloat162 a = in[threadIdx.x], b = in[threadIdx.x + 32], c = in[threadIdx.x + 64];
  out[threadIdx.x] = __hfma2(a, b, c);
  out[threadIdx.x + 32] = __hadd2_rn(a, b);
  out[threadIdx.x + 64] = __float22bfloat162_rn(f[threadIdx.x]);
}
extern "C" __global__ void shared(float *f, int n) {
  __shared__ __align__(16) float s[4096];
  int i = threadIdx.x;
  float4 v = reinterpret_cast<float4 *>(f)[i];
  s[i * 4 + n] = v.x;
  reinterpret_cast<float2 *>(s)[i + n * 7] = make_float2(v.x, v.z);
  __syncthreads();
  f[i + 7] = s[i * 3];
  float4 w = reinterpret_cast<float4 *>(s)[i * 3];
  f[i * 9] = w.x + w.y + w.z + w.w;
}
extern "C" __global__ void product(const unsigned *in, float *out) {
  unsigned a[4], b[2];
  float c[4], d[4];
  int i = threadIdx.x;
  for (int k = 0; k < 4; k++) a[k] = in[i + 32 * k], c[k] = __uint_as_float(in[i + 400 + 32 * k]);
  b[0] = in[i + 200]; b[1] = in[i + 300];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
  for (int k = 0; k < 4; k++) out[i * 4 + k] = d[k];
}
