// Instructions whose codes pipe-members.py writes into register-banks.cubin: nvcc -arch=sm_90 -O3 -cubin pipe-members.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void integers(const int *in, const int *in2, int *out, int n) {
  int i = threadIdx.x, x = in[i], y = in[i + 32], z = in[i + 64], u = in[i + 96], k = 0;
  auto keep = [&](int value) { out[i + 32 * k++] = value; };
  keep(x + y + z); keep((x & y) ^ z); keep(x * y + z); keep(max(x, y)); keep(max(max(x, y), z)); keep(x * 4 + y); keep(__byte_perm(x, y, z)); keep(__funnelshift_l(x, y, z));
  keep(x > y ? z : u); keep(__popc(x)); keep(__clz(y)); keep(__brev(z)); keep(__dp4a(x, y, z)); keep(abs(u)); keep(__vabsdiffs4(x, y)); keep(x + 77); keep(x << n);
  keep(__shfl_xor_sync(~0u, y, 3)); keep(__reduce_add_sync(~0u, z)); keep(__reduce_max_sync(~0u, u)); keep(__ballot_sync(~0u, x > 7)); keep(__mulhi(x, y)); keep(__vmaxs2(x, y));
  long long w = (long long)x * y; keep(int(w >> 32) ^ int(w));
  keep((x << 8) >> 8); keep(__viaddmax_s32(x, y, z)); keep(min(x, 5) + __vimax3_s32(y, z, u));
}
extern "C" __global__ void floats(const float *in, float *out, int *whole, int n) {
  int i = threadIdx.x, k = 0;
  float x = in[i], y = in[i + 32], z = in[i + 64], u = in[i + 96];
  auto keep = [&](float value) { out[i + 32 * k++] = value; };
  keep(fmaf(x, y, z)); keep(x + y); keep(x * y); keep(fmaxf(x, y)); keep(x > y ? z : u); keep(exp2f(x)); keep(__frcp_rn(y)); keep(__sinf(z)); keep(__log2f(u)); keep(rsqrtf(x));
  keep(rintf(y)); keep(float(__float_as_int(z))); keep(float(__float_as_uint(u) & 255)); keep(tanhf(z));
  asm volatile("{.reg .f32 t; ex2.approx.ftz.f32 t, %1; mov.f32 %0, t;}" : "=f"(u) : "f"(z)); keep(u);
  asm volatile("{.reg .f32 t; rcp.approx.ftz.f32 t, %1; mov.f32 %0, t;}" : "=f"(u) : "f"(z)); keep(u);
  asm volatile("{.reg .f32 t; tanh.approx.f32 t, %1; mov.f32 %0, t;}" : "=f"(u) : "f"(z)); keep(u);
  whole[i] = int(x); whole[i + 32] = __float2int_rn(y);
  keep(float(whole[i + 500])); keep(float((unsigned char)whole[i + 600]));  keep(float((long long)whole[i + 700]));
}
extern "C" __global__ void halves(const __half2 *in, const __half *one, const float2 *f, __half2 *out, float *fo, __nv_bfloat162 *bo, int *no) {
  int i = threadIdx.x;
  __half2 a = in[i], b = in[i + 32];
  out[i] = __float22half2_rn(f[i]); bo[i] = __float22bfloat162_rn(f[i + 32]);
  fo[i] = __high2float(a); out[i + 64] = __hmax2(a, b); no[i] = __hbgt2(a, b); no[i + 32] = __hgt(one[i], one[i + 64]);
  fo[i + 64] = __bfloat162float(reinterpret_cast<const __nv_bfloat16 *>(one)[i + 900]);
}
