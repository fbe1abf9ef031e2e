// Rates of the H200 model, further: reads and writes that meet in the L2, the L1 by access shape, branches not taken, small launches.
//   nvcc -O3 -arch=sm_90 mixed.cu -o mixed && ./mixed
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                               \
  do {                                                                                            \
    cudaError_t e_ = (call);                                                                      \
    if (e_ != cudaSuccess) { printf("error %s line %d\n", cudaGetErrorString(e_), __LINE__); }    \
  } while (0)
static int sms;
static const double clockHz = 1.98e9;
__device__ unsigned sinkU;
static long long *outDevice;

template <class F> static double seconds(F launch, int times = 3) {
  cudaEvent_t a, b;
  cudaEventCreate(&a); cudaEventCreate(&b);
  launch();
  CHECK(cudaDeviceSynchronize());
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    cudaEventRecord(a); launch(); cudaEventRecord(b);
    CHECK(cudaEventSynchronize(b));
    float ms = 0; cudaEventElapsedTime(&ms, a, b);
    best = std::min(best, ms * 1e-3);
  }
  cudaEventDestroy(a); cudaEventDestroy(b);
  return best;
}

// R reads and W writes a turn, each of 16 bytes a lane or of one word in `sectorStride` bytes, in 4 MB each that stay in the L2
template <int R, int W, bool WIDE> __global__ void meet(const char *in, char *outp, unsigned bytes, int turns, unsigned strideBytes) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  unsigned warps = gridDim.x * blockDim.x / 32, span = 32 * strideBytes;
  unsigned acc = 0;
  for (int t = 0; t < turns; ++t) {
    unsigned at = (unsigned)(((unsigned long long)(warp + t * warps) * span) % bytes) + lane * strideBytes;
    unsigned v[R > 0 ? R : 1];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const char *p = in + (size_t)r * bytes + at;
      if (WIDE) { uint4 x = __ldcg((const uint4 *)p); v[r] = x.x + x.w; } else v[r] = __ldcg((const unsigned *)p);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) acc += v[r];
#pragma unroll
    for (int w = 0; w < W; ++w) {
      char *p = outp + (size_t)w * bytes + at;
      if (WIDE) *(uint4 *)p = make_uint4(acc, t, lane, w); else *(unsigned *)p = acc + t;
    }
  }
  if (acc == 12345u) sinkU = acc;
}
template <int R, int W> static void meets(char *a, char *b) {
  const unsigned bytes = 4 << 20;
  const int turns = 256;
  double t = seconds([&] { meet<R, W, true><<<sms * 8, 256>>>(a, b, bytes, turns, 16); });
  double warps = (double)sms * 64 * turns;
  printf("meet reads %d writes %d wide 16 cycles/turn/SM %.2f\n", R, W, t * clockHz / (warps / sms));
  for (unsigned stride : {4u, 32u, 64u, 128u}) {
    t = seconds([&] { meet<R, W, false><<<sms * 8, 256>>>(a, b, bytes, turns, stride); });
    printf("meet reads %d writes %d stride %u cycles/turn/SM %.2f\n", R, W, stride, t * clockHz / (warps / sms));
  }
}

// L1 throughput by shape; eight places `step` bytes apart, so that nothing is merged
template <int WORDS, int KIND> __global__ void l1(char *data, int rowBytes, int lanesPerRow, int strideBytes, int n, long long *out) {
  int lane = threadIdx.x & 31;
  char *p = data + (KIND != 0 ? (size_t)blockIdx.x * 262144 : 0) + (lane / lanesPerRow) * rowBytes + (lane % lanesPerRow) * strideBytes;
  unsigned acc = 0, a, b, c, d;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    long long t0 = clock64();
    for (int i = 0; i < n; i += 8) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        char *q = p + j * 16384;
        if (KIND == 0) {
          if (WORDS == 1) asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(a) : "l"(q) : "memory");
          if (WORDS == 2) asm volatile("ld.global.ca.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(q) : "memory");
          if (WORDS == 4) asm volatile("ld.global.ca.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(q) : "memory");
          acc += a;
        } else {
          if (WORDS == 1) asm volatile("st.global.b32 [%0], %1;" ::"l"(q), "r"(i) : "memory");
          if (WORDS == 4) asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" ::"l"(q), "r"(i) : "memory");
        }
      }
      asm volatile("membar.cta;" ::: "memory");
    }
    __syncthreads();
    long long t1 = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = t1 - t0;
  }
  if (acc == 12345) sinkU = acc;
}
template <int WORDS, int KIND> static void shape(const char *name, int rowBytes, int lanesPerRow, int stride, char *data) {
  const int n = 512, threads = 1024;
  l1<WORDS, KIND><<<sms, threads>>>(data, rowBytes, lanesPerRow, stride, n, outDevice);
  long long v; CHECK(cudaMemcpy(&v, outDevice, 8, cudaMemcpyDeviceToHost));
  printf("l1 %s%d %s row %d lanes %d stride %d cycles %.3f\n", KIND ? "store" : "load", WORDS * 32, name, rowBytes, lanesPerRow, stride, v / (double)(n * threads / 32));
}
template <int WORDS, int KIND> static void shapes(char *data) {
  int w = WORDS * 4;
  shape<WORDS, KIND>("row", 0, 32, w, data);
  shape<WORDS, KIND>("broadcast", 0, 32, 0, data);
  for (int s : {2, 4, 8, 16, 32}) if (s * w * 32 <= 16384) shape<WORDS, KIND>("stride", 0, 32, s * w, data);
  shape<WORDS, KIND>("stride", 0, 32, 64 + w, data);
  for (int row : {128, 256, 512, 1024}) { shape<WORDS, KIND>("rows2", row, 16, w, data); shape<WORDS, KIND>("rows4", row, 8, w, data); shape<WORDS, KIND>("rows8", row, 4, w, data); }
}

// Sixteen branches a turn that are never taken, or always
template <bool TAKEN> __global__ void branches(long long *out, int turns, unsigned a, unsigned never) {
  unsigned x = a + threadIdx.x;
  long long t0 = clock64();
#pragma unroll 1
  for (int i = 0; i < turns; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
      asm volatile("{.reg .pred p; setp.eq.u32 p, %2, %3; @p bra L%=; lop3.b32 %0, %0, %1, %1, 0x6a; lop3.b32 %0, %0, %1, %1, 0x6a; lop3.b32 %0, %0, %1, %1, 0x6a; lop3.b32 %0, %0, %1, %1, 0x6a; lop3.b32 %0, %0, %1, %1, 0x6a; lop3.b32 %0, %0, %1, %1, 0x6a; lop3.b32 %0, %0, %1, %1, 0x6a; lop3.b32 %0, %0, %1, %1, 0x6a; L%=: }"
                   : "+r"(x) : "r"(a), "r"(never + k), "r"(TAKEN ? never + k : 77777u));
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) { out[0] = t1 - t0; sinkU = x; }
}

// Small launches, for the profiler
__global__ void loadOne(const float *a, float *c) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = a[i]; if (v == 12345.f) c[i] = v; }
__global__ void loadTwo(const float *a, const float *b, float *c) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = a[i] + b[i]; if (v == 12345.f) c[i] = v; }
__global__ void storeOne(float *c) { int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = i; }
__global__ void addTwo(const float *a, const float *b, float *c) { int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = a[i] + b[i]; }
__global__ void arithmetic(float *c, float x) { float v = threadIdx.x; for (int i = 0; i < 8; ++i) { v = v * x + 1; } if (v == 12345.f) c[0] = v; }

int main(int argc, char **argv) {
  cudaDeviceProp prop; CHECK(cudaGetDeviceProperties(&prop, 0)); sms = prop.multiProcessorCount;
  size_t bytes = (size_t)1 << 28;
  char *a, *b, *c; CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes)); CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMemset(a, 0, bytes)); CHECK(cudaMemset(b, 0, bytes));
  CHECK(cudaMalloc(&outDevice, 1 << 20));
  if (argc > 1 && !strcmp(argv[1], "profile")) {
    for (int grid : {1, 132, 1056, 4096, 16384}) for (int threads : {256, 1024}) {
      arithmetic<<<grid, threads>>>((float *)c, 1.5f);
      storeOne<<<grid, threads>>>((float *)c);
      loadOne<<<grid, threads>>>((float *)a, (float *)c);
      loadTwo<<<grid, threads>>>((float *)a, (float *)b, (float *)c);
      addTwo<<<grid, threads>>>((float *)a, (float *)b, (float *)c);
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  meets<1, 0>(a, b); meets<2, 0>(a, b); meets<0, 1>(a, b); meets<1, 1>(a, b); meets<2, 1>(a, b); meets<1, 2>(a, b); meets<4, 1>(a, b);
  for (int i = 0; i < 2; ++i) branches<false><<<1, 32>>>(outDevice, 1024, 16, 5);
  long long v; CHECK(cudaMemcpy(&v, outDevice, 8, cudaMemcpyDeviceToHost)); printf("branch not taken, 8 adds: %.2f\n", v / 1024.0 / 16);
  for (int i = 0; i < 2; ++i) branches<true><<<1, 32>>>(outDevice, 1024, 16, 5);
  CHECK(cudaMemcpy(&v, outDevice, 8, cudaMemcpyDeviceToHost)); printf("branch taken, no adds: %.2f\n", v / 1024.0 / 16);
  shapes<1, 0>(a); shapes<2, 0>(a); shapes<4, 0>(a); shapes<1, 1>(b); shapes<4, 1>(b);
  printf("done\n");
  return 0;
}
