/**
 * Floating-point numbers of 8 bits. The machine converts a pair of them to and from halves in an instruction; here they are halves whose
 * bits are moved, scaled where their exponents begin elsewhere, which is a few instructions more.
 */
const kinds = [
  { name: "e4m3", interpretation: "__NV_E4M3" },
  { name: "e5m2", interpretation: "__NV_E5M2" },
] as const;

const numbers = ["int", "unsigned int", "short", "unsigned short", "long long", "unsigned long long"];

const one = ({ name, interpretation }: (typeof kinds)[number]): string => `struct __nv_fp8_${name} {
 __nv_fp8_storage_t __x;
 __nv_fp8_${name}() = default;
${["float", "double", "__half", "__nv_bfloat16", ...numbers]
  .map(
    (from) =>
      ` __host__ __device__ explicit __nv_fp8_${name}(${from} x) { __x = __nv_cvt_float_to_fp8((float)x, __NV_SATFINITE, ${interpretation}); }`,
  )
  .join("\n")}
 __host__ __device__ explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, ${interpretation}); }
 __host__ __device__ explicit operator float() const { return __half2float(__nv_cvt_fp8_to_halfraw(__x, ${interpretation})); }
${["double", "__nv_bfloat16", "bool", ...numbers].map((to) => ` __host__ __device__ explicit operator ${to}() const { return (${to})(float)*this; }`).join("\n")}
};
struct __nv_fp8x2_${name} {
 __nv_fp8x2_storage_t __x;
 __nv_fp8x2_${name}() = default;
 __host__ __device__ explicit __nv_fp8x2_${name}(float2 v) { __x = __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, ${interpretation}); }
 __host__ __device__ explicit __nv_fp8x2_${name}(__half2 v) { __x = __nv_cvt_float2_to_fp8x2(__half22float2(v), __NV_SATFINITE, ${interpretation}); }
 __host__ __device__ explicit __nv_fp8x2_${name}(__nv_bfloat162 v) { __x = __nv_cvt_float2_to_fp8x2(__bfloat1622float2(v), __NV_SATFINITE, ${interpretation}); }
 __host__ __device__ explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, ${interpretation}); }
 __host__ __device__ explicit operator float2() const { return __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, ${interpretation})); }
};
struct __nv_fp8x4_${name} {
 __nv_fp8x4_storage_t __x;
 __nv_fp8x4_${name}() = default;
 __host__ __device__ explicit __nv_fp8x4_${name}(float4 v) {
  __x = __nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, ${interpretation}) |
   ((unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, ${interpretation}) << 16);
 }
 __host__ __device__ explicit operator float4() const {
  float2 a = __half22float2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, ${interpretation}));
  float2 b = __half22float2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), ${interpretation}));
  return make_float4(a.x, a.y, b.x, b.y);
 }
};
`;

export const fp8 = `#pragma once
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t, const __nv_fp8_interpretation_t to) {
 bool wide = to == __NV_E5M2;
 float most = wide ? 57344.0f : 448.0f;
 float kept = fminf(fmaxf(x, -most), most);
 unsigned bits = __half_as_ushort(__float2half_rn(wide ? kept : kept * 0.00390625f));
 unsigned sign = (bits >> 8) & 0x80;
 return (__nv_fp8_storage_t)(sign | (((bits & 0x7fff) + (wide ? 0x7f : 0x3f)) >> (wide ? 8 : 7)));
}
inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t keep, const __nv_fp8_interpretation_t to) {
 return __nv_cvt_float_to_fp8((float)x, keep, to);
}
inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half x, const __nv_saturation_t keep, const __nv_fp8_interpretation_t to) {
 return __nv_cvt_float_to_fp8(__half2float(x), keep, to);
}
inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16 x, const __nv_saturation_t keep, const __nv_fp8_interpretation_t to) {
 return __nv_cvt_float_to_fp8(__bfloat162float(x), keep, to);
}
inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 v, const __nv_saturation_t keep, const __nv_fp8_interpretation_t to) {
 return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, keep, to) | ((unsigned)__nv_cvt_float_to_fp8(v.y, keep, to) << 8));
}
inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2 v, const __nv_saturation_t keep, const __nv_fp8_interpretation_t to) {
 return __nv_cvt_float2_to_fp8x2(__half22float2(v), keep, to);
}
inline __host__ __device__ __half __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t of) {
 if (of == __NV_E5M2) return __ushort_as_half((unsigned short)(x << 8));
 return __hmul(__ushort_as_half((unsigned short)(((x & 0x80) << 8) | ((x & 0x7f) << 7))), __float2half(256.0f));
}
inline __host__ __device__ __half2 __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t of) {
 return __halves2half2(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, of), __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), of));
}
${kinds.map(one).join("")}`;
