// Floating arithmetic and conversions, bit by bit.
#include <cuda_fp16.h>
#define RESULT(k) out[threadIdx.x * 8 + (k)]

__global__ void widths(long long *out) {
    float f = 0.1f * (threadIdx.x + 1);
    double d = 0.1 * (threadIdx.x + 1);
    int i = threadIdx.x;
    RESULT(0) = __float_as_int(f * f - 0.5f);
    RESULT(1) = __double_as_longlong(d * f);
    RESULT(2) = __float_as_int(f * 1.5);
    RESULT(3) = __float_as_int(f / 3 + i);
    RESULT(4) = __double_as_longlong(1 / d);
    f += d; f *= 2; f -= i;
    RESULT(5) = __float_as_int(f);
    d /= f;
    RESULT(6) = __double_as_longlong(d);
    RESULT(7) = __float_as_int(1.0f / (i + 1)) + (f > d) * 2 + (f != f);
}

__global__ void conversions(long long *out) {
    float f = 1.5f * ((int)threadIdx.x - 31);
    RESULT(0) = __float2int_rn(f) * 100 + __float2int_rz(f);
    RESULT(1) = __float2int_ru(f) * 100 + __float2int_rd(f);
    RESULT(2) = __float2uint_rn(f < 0 ? -f : f);
    RESULT(3) = __float_as_int(__int2float_rn(threadIdx.x * 16777217)) ^ __float_as_int(__uint2float_rz(0xffffffffu - threadIdx.x));
    RESULT(4) = __double2int_rn(f * 1.25) + llrintf(f) + lroundf(f);
    RESULT(5) = __double_as_longlong((double)(0xffffffffffffffffULL >> threadIdx.x));
    RESULT(6) = __float_as_int((float)(-123456789LL * threadIdx.x)) ^ __double2hiint(f) ^ __double2loint(f / 3.0);
    RESULT(7) = __double_as_longlong(__hiloint2double(0x40091eb8, threadIdx.x));
}

__global__ void rounding(long long *out) {
    float f = 0.75f * ((int)threadIdx.x - 31);
    RESULT(0) = __float_as_int(floorf(f)) ^ __float_as_int(ceilf(f));
    RESULT(1) = __float_as_int(truncf(f)) ^ __float_as_int(roundf(f));
    RESULT(2) = __float_as_int(rintf(f)) ^ __float_as_int(nearbyintf(f));
    RESULT(3) = __float_as_int(fmodf(f, 2.5f)) ^ __float_as_int(fabsf(f));
    RESULT(4) = __float_as_int(copysignf(3.0f, f)) ^ __float_as_int(fdimf(f, 1.0f));
    RESULT(5) = __float_as_int(fmaf(f, f, 0.1f)) ^ __double_as_longlong(fma((double)f, 0.1, 0.3));
    RESULT(6) = __float_as_int(sqrtf(fabsf(f))) ^ __double_as_longlong(sqrt(fabs((double)f)));
    RESULT(7) = isnan(f / 0.0f) + 2 * isinf(f / 0.0f) + 4 * signbit(f) + 8 * isfinite(f) + __float_as_int(__saturatef(f));
}

__global__ void halves(long long *out) {
    __half h = __float2half(0.1f * threadIdx.x);
    __half g = __int2half_rn(3);
    __half2 p = __halves2half2(h, g);
    __half2 q = __hmul2(p, __float2half2_rn(0.5f));
    q = __hfma2(q, p, p);
    RESULT(0) = __half_as_ushort(__hadd(h, g)) + 65536LL * __half_as_ushort(__hmul(h, g));
    RESULT(1) = __half_as_ushort(h * g + h) + 65536LL * __half_as_ushort(h / g);
    RESULT(2) = __float_as_int(__half2float(h)) + (h < g) + 2 * __hgt(h, g);
    RESULT(3) = __half_as_ushort(__low2half(q)) + 65536LL * __half_as_ushort(__high2half(q));
    RESULT(4) = __half_as_ushort(__hfma(h, g, h)) + 65536LL * __half_as_ushort(-h);
    RESULT(5) = __half2int_rn(h * __float2half(10.0f)) + __half2int_rz(g);
    float2 f = __half22float2(q);
    RESULT(6) = __float_as_int(f.x) ^ __float_as_int(f.y);
    h += g; h *= g;
    RESULT(7) = __half_as_ushort(h) + 65536LL * __half_as_ushort(q.x - q.y);
}

__global__ void literals(long long *out) {
    float f = threadIdx.x;
    RESULT(0) = __float_as_int(f + .5f) ^ __float_as_int(f * 1e-3f);
    RESULT(1) = __double_as_longlong(f + 1.) ^ __double_as_longlong(f * 0x1.8p3);
    RESULT(2) = 0x7fffffff + (long long)threadIdx.x + 0xffffffff + 010 + 0b101 + 'z' + '\n';
    RESULT(3) = 4000000000 + threadIdx.x;
    RESULT(4) = 1'000'000 * threadIdx.x;
    RESULT(5) = sizeof(1.0f) + 10 * sizeof(1.0) + 100 * sizeof('a') + 1000 * sizeof(1ull) + 10000 * sizeof(true + true);
    RESULT(6) = 10u - 20 + threadIdx.x;
    RESULT(7) = -5 / 2 * 10 + -5 % 3;
}
