// Library functions with several results, complex numbers, atomics of every type, memory functions.
#include <cuComplex.h>
#include <cuda_pipeline.h>
#define RESULT(k) out[threadIdx.x * 8 + (k)]

__global__ void results(long long *out) {
    float f = 0.37f * threadIdx.x + 0.1f, whole, s, c;
    int exponent;
    float fraction = frexpf(f, &exponent);
    RESULT(0) = __float_as_int(fraction) + exponent * 1000;
    float part = modff(f, &whole);
    RESULT(1) = __float_as_int(part) ^ __float_as_int(whole);
    sincosf(0.0f * f, &s, &c);
    RESULT(2) = s * 10 + c;
    RESULT(3) = __float_as_int(ldexpf(f, 3)) ^ ilogbf(f);
    RESULT(4) = __float_as_int(hypotf(3.0f * threadIdx.x, 4.0f * threadIdx.x));
    RESULT(5) = __float_as_int(rsqrtf(1 << (threadIdx.x % 20 / 2 * 2))) ^ __float_as_int(cbrtf(27.0f));
    RESULT(6) = exp2f(threadIdx.x % 20) + log2f(1 << threadIdx.x % 20) + pow(2.0, 3) + powf(3.0f, 2);
    RESULT(7) = llabs(-5LL * threadIdx.x) + labs(-7L) + abs(-2.5f) * 2 + fabs(-1.5);
}

__global__ void complexNumbers(long long *out) {
    cuFloatComplex a = make_cuFloatComplex(threadIdx.x, 2), b = make_cuFloatComplex(1, -1);
    cuFloatComplex p = cuCmulf(a, b), q = cuCaddf(a, cuConjf(b)), d = cuCdivf(a, make_cuFloatComplex(2, 0));
    cuDoubleComplex z = cuCsub(make_cuDoubleComplex(1, threadIdx.x), make_cuDoubleComplex(0.5, 1));
    RESULT(0) = cuCrealf(p) * 1000 + cuCimagf(p);
    RESULT(1) = q.x * 1000 + q.y;
    RESULT(2) = d.x * 2000 + d.y;
    RESULT(3) = cuCreal(z) * 10 + cuCimag(z) * 1000;
    RESULT(4) = cuCabsf(make_cuFloatComplex(3, 4));
    RESULT(5) = RESULT(6) = RESULT(7) = 0;
}

__global__ void atomicTypes(long long *out) {
    __shared__ long long least; __shared__ unsigned wrapped, down, bits; __shared__ double sum; __shared__ int last; __shared__ float most;
    int t = threadIdx.x;
    if (t == 0) { least = 1LL << 40; wrapped = 0; down = 5; bits = ~0u; sum = 0; last = 1000; most = 0; }
    __syncthreads();
    atomicMin(&least, (long long)(t - 10) * 1000000007LL);
    atomicInc(&wrapped, 9); atomicDec(&down, 20); atomicAnd(&bits, ~(1u << (t % 32 / 2)));
    atomicAdd(&sum, 0.25 * t); atomicSub(&last, t); atomicXor(&bits, 0x80000000u);
    int seen = __float_as_int(most), assumed;
    do { assumed = seen; seen = atomicCAS((int *)&most, assumed, __float_as_int(fmaxf(__int_as_float(assumed), 1.5f * t))); } while (assumed != seen);
    __syncthreads();
    RESULT(0) = least; RESULT(1) = wrapped; RESULT(2) = down; RESULT(3) = bits; RESULT(4) = sum; RESULT(5) = last; RESULT(6) = most;
    __shared__ int slots[64];
    slots[t] = 0;
    __syncthreads();
    int mine = atomicAdd(&slots[t / 4], 1);
    __syncthreads();
    RESULT(7) = slots[t / 4] + (mine < 4);
}

__device__ int source[128] = {5, 6, 7, 8};
struct Item { int key; float weight; };

__global__ void copies(long long *out) {
    __shared__ int staged[128];
    __shared__ __align__(16) Item items[64];

    int t = threadIdx.x;
    __pipeline_memcpy_async(&staged[t * 2], &source[t * 2], sizeof(int) * 2);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    RESULT(0) = staged[t % 4];
    int a[4] = {1, 2, 3, t}, b[4];
    memcpy(b, a, sizeof(a));
    memset(a, 0xff, 2 * sizeof(int));
    RESULT(1) = b[3] + b[0]; RESULT(2) = a[1] + a[2];
    items[t] = {t, t * 0.5f};
    __syncthreads();
    Item other = items[63 - t];
    RESULT(3) = other.key + other.weight * 2;
    volatile int *loud = staged;
    loud[t] = t;
    RESULT(4) = loud[t];
    float bits = 1.0f; int pun; memcpy(&pun, &bits, 4);
    RESULT(5) = pun;
    RESULT(6) = __ldg(&source[t & 3]) + __ldcg(&source[0]);
    short lanes[4] = {1, 2, 3, 4};
    RESULT(7) = *reinterpret_cast<int *>(lanes + 2) + reinterpret_cast<char *>(lanes)[2];
}
