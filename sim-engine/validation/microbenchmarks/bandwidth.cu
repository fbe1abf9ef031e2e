// Rates of the H200 model: memory by share of reads, one SM to all, the L2 by sectors of a line, the L1 by access shape.
//   nvcc -O3 -arch=sm_90 bandwidth.cu -o bandwidth && ./bandwidth
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                               \
  do {                                                                                            \
    cudaError_t e_ = (call);                                                                      \
    if (e_ != cudaSuccess) { printf("error %s line %d\n", cudaGetErrorString(e_), __LINE__); }    \
  } while (0)
static int sms;
static double clockHz = 1.98e9;
__device__ unsigned sinkU;
__device__ float sinkF;

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

// R arrays read, W written, float4 by float4
template <int R, int W, bool SAME> __global__ void mix(const float4 *in, float4 *outp, size_t n) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  float acc = 0;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float4 v[R > 0 ? R : 1];
    v[0] = make_float4(1, 2, 3, 4);
#pragma unroll
    for (int r = 0; r < R; ++r) v[r] = __ldcg(in + r * n + i);
#pragma unroll
    for (int r = 0; r < R; ++r) acc += v[r].x;
#pragma unroll
    for (int w = 0; w < W; ++w) (SAME ? (float4 *)in : outp)[w * n + i] = make_float4(acc, v[0].y, v[0].z, w);
  }
  if (acc == 12.345f) sinkF = acc;
}
template <int R, int W, bool SAME = false> static void mixed(char *a, char *b) {
  for (int perSm : {2, 8}) {
    size_t n = ((size_t)1 << 30) / 16 / (R + W);
    double t = seconds([&] { mix<R, W, SAME><<<sms * perSm, 256>>>((float4 *)a, (float4 *)b, n); });
    printf("mix reads %d writes %d %s warps %d GB/s %.1f\n", R, W, SAME ? "same" : "other", perSm * 8, n * 16.0 * (R + W) / t / 1e9);
  }
}

template <int U> __global__ void readStream(const float4 *in, size_t n, int rounds) {
  size_t stride = (size_t)gridDim.x * blockDim.x * U;
  float acc = 0;
  for (int r = 0; r < rounds; ++r)
    for (size_t i = (size_t)blockIdx.x * blockDim.x * U + threadIdx.x; i < n; i += stride) {
      float4 v[U];
#pragma unroll
      for (int u = 0; u < U; ++u) v[u] = __ldcg(in + i + (size_t)u * blockDim.x);
#pragma unroll
      for (int u = 0; u < U; ++u) acc += v[u].x + v[u].y + v[u].z + v[u].w;
    }
  if (acc == 12.345f) sinkF = acc;
}
__global__ void writeStream(float4 *outp, size_t n, int rounds) {
  for (int r = 0; r < rounds; ++r)
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) outp[i] = make_float4(r, 2, 3, 4);
}

// The lines of a footprint at random; of each line the sectors of `pattern` (4 bits): lanes share lines as many as there are sectors.
__device__ unsigned hash32(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }
template <bool STORE> __global__ void lineSectors(unsigned *p, unsigned lineMask, int per, int sectors, unsigned order) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, acc = 0;
  unsigned line = lane / sectors, sector = (order >> (4 * (lane % sectors))) & 3;
#pragma unroll 4
  for (int i = 0; i < per; ++i) {
    unsigned *q = p + (size_t)(hash32(warp * 977u + i * 131071u + line * 7919u) & lineMask) * 32 + sector * 8;
    if (STORE) *q = i; else acc += __ldcg(q);
  }
  if (acc == 12345u) sinkU = acc;
}

// L1 throughput by shape: every SM on its own 16 KB
template <int WORDS, int KIND> __global__ void l1(char *data, int rowBytes, int lanesPerRow, int strideBytes, int n, long long *out) {
  int lane = threadIdx.x & 31;
  char *p = data + (KIND != 0 ? (size_t)blockIdx.x * 65536 : 0) + (lane / lanesPerRow) * rowBytes + (lane % lanesPerRow) * strideBytes;
  unsigned acc = 0, a, b, c, d;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    long long t0 = clock64();
    for (int i = 0; i < n; i += 8) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        if (KIND == 0) {
          if (WORDS == 1) asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(a) : "l"(p));
          if (WORDS == 2) asm volatile("ld.global.ca.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
          if (WORDS == 4) asm volatile("ld.global.ca.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
          acc += a;
        } else {
          if (WORDS == 1) asm volatile("st.global.b32 [%0], %1;" ::"l"(p), "r"(i));
          if (WORDS == 4) asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(i));
        }
      }
    }
    __syncthreads();
    long long t1 = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = t1 - t0;
  }
  if (acc == 12345) sinkU = acc;
}
static long long *outDevice;
template <int WORDS, int KIND> static void shape(const char *name, int rowBytes, int lanesPerRow, int stride, char *data) {
  const int n = 1024, threads = 512;
  l1<WORDS, KIND><<<sms, threads>>>(data, rowBytes, lanesPerRow, stride, n, outDevice);
  long long v; CHECK(cudaMemcpy(&v, outDevice, 8, cudaMemcpyDeviceToHost));
  printf("l1 %s%d %s row %d lanes %d stride %d cycles %.3f\n", KIND ? "store" : "load", WORDS * 32, name, rowBytes, lanesPerRow, stride, v / (double)(n * threads / 32));
}
template <int WORDS, int KIND> static void shapes(char *data) {
  int w = WORDS * 4;
  shape<WORDS, KIND>("row", 0, 32, w, data);
  shape<WORDS, KIND>("broadcast", 0, 32, 0, data);
  for (int s : {2, 4, 8, 16, 32}) if (s * w * 32 <= 16384) shape<WORDS, KIND>("stride", 0, 32, s * w, data);
  shape<WORDS, KIND>("stride", 0, 32, 4 * w + 64, data);
  for (int row : {128, 256, 512, 1024}) { shape<WORDS, KIND>("rows2", row, 16, w, data); shape<WORDS, KIND>("rows4", row, 8, w, data); shape<WORDS, KIND>("rows8", row, 4, w, data); }
}

// Footprint read over and over by one block an SM: what stays in the L1
__global__ void again(const char *data, int bytes, int rounds, long long *out) {
  unsigned acc = 0; long long t = 0;
  for (int r = 0; r < rounds; ++r) {
    long long t0 = clock64();
    for (int i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4) { unsigned a; asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(a) : "l"(data + i)); acc += a; }
    __syncthreads();
    t = clock64() - t0;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = t;
  if (acc == 12345) sinkU = acc;
}

int main(int argc, char **argv) {
  cudaDeviceProp prop; CHECK(cudaGetDeviceProperties(&prop, 0)); sms = prop.multiProcessorCount;
  size_t bytes = (size_t)2 << 30;
  char *a, *b; CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes)); CHECK(cudaMemset(a, 0, bytes)); CHECK(cudaMemset(b, 0, bytes));
  CHECK(cudaMalloc(&outDevice, 1 << 20));
  if (argc > 1 && !strcmp(argv[1], "profile")) {  // under ncu: sectors and hits
    for (int kb : {64, 128, 160, 192, 208, 224, 256, 320, 512}) again<<<sms, 1024>>>(a, kb * 1024, 16, outDevice);
    unsigned lines = (4 << 20) / 128 - 1;
    lineSectors<false><<<sms * 8, 256>>>((unsigned *)a, lines, 64, 1, 0x0); lineSectors<false><<<sms * 8, 256>>>((unsigned *)a, lines, 64, 2, 0x10); lineSectors<false><<<sms * 8, 256>>>((unsigned *)a, lines, 64, 2, 0x20);
    lineSectors<false><<<sms * 8, 256>>>((unsigned *)a, lines, 64, 4, 0x3210);
    mix<1, 1, false><<<sms * 8, 256>>>((float4 *)a, (float4 *)b, (size_t)1 << 24);
    mix<2, 1, false><<<sms * 8, 256>>>((float4 *)a, (float4 *)b, (size_t)1 << 24);
    mix<1, 1, true><<<sms * 8, 256>>>((float4 *)a, (float4 *)b, (size_t)1 << 24);
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  mixed<1, 0>(a, b); mixed<3, 0>(a, b); mixed<7, 1>(a, b); mixed<3, 1>(a, b); mixed<2, 1>(a, b); mixed<1, 1>(a, b); mixed<1, 2>(a, b); mixed<1, 3>(a, b); mixed<0, 1>(a, b); mixed<0, 2>(a, b);
  mixed<1, 1, true>(a, b); mixed<2, 1, true>(a, b); mixed<3, 1, true>(a, b); mixed<2, 2, true>(a, b);
  for (int grid : {1, 2, 4, 8, 16, 32, 66, 99, 132}) for (int threads : {128, 256, 1024}) {
    size_t n = (size_t)8 << 20; int rounds = std::max(2, 4 * grid / 8);
    double t = seconds([&] { readStream<4><<<grid, threads>>>((float4 *)a, n / 16, rounds); }, 2);
    printf("sms %d warps %d read l2 bytes/cycle/SM %.2f\n", grid, threads / 32, n * (double)rounds / (t * clockHz) / grid);
    size_t m = std::min((size_t)1 << 30, (size_t)grid << 26);
    t = seconds([&] { readStream<4><<<grid, threads>>>((float4 *)a, m / 16, 1); }, 2);
    printf("sms %d warps %d read dram bytes/cycle/SM %.2f\n", grid, threads / 32, m / (t * clockHz) / grid);
    t = seconds([&] { writeStream<<<grid, threads>>>((float4 *)b, n / 16, rounds); }, 2);
    printf("sms %d warps %d write l2 bytes/cycle/SM %.2f\n", grid, threads / 32, n * (double)rounds / (t * clockHz) / grid);
    t = seconds([&] { writeStream<<<grid, threads>>>((float4 *)b, m / 16, 1); }, 2);
    printf("sms %d warps %d write dram bytes/cycle/SM %.2f\n", grid, threads / 32, m / (t * clockHz) / grid);
  }
  for (int mb : {4, 1024}) {
    unsigned mask = (unsigned)((size_t)mb * 1048576 / 128 - 1);
    struct { int sectors; unsigned order; } kinds[] = {{1, 0x0}, {2, 0x10}, {2, 0x20}, {2, 0x21}, {3, 0x210}, {4, 0x3210}};
    for (auto k : kinds) for (int grid : {1, 16, 132}) {
      int per = mb == 4 ? 256 : 64; int lanes = 32 / k.sectors * k.sectors;
      double t = seconds([&] { lineSectors<false><<<grid * 8, 256>>>((unsigned *)a, mask, per, k.sectors, k.order); }, 2);
      double requests = (double)grid * 64 * per;
      printf("lines mb %d sectors %d order %x sms %d load sectors/cycle/SM %.3f lines/cycle/SM %.3f\n", mb, k.sectors, k.order, grid, requests * lanes / (t * clockHz) / grid, requests * lanes / k.sectors / (t * clockHz) / grid);
      t = seconds([&] { lineSectors<true><<<grid * 8, 256>>>((unsigned *)b, mask, per, k.sectors, k.order); }, 2);
      printf("lines mb %d sectors %d order %x sms %d store sectors/cycle/SM %.3f lines/cycle/SM %.3f\n", mb, k.sectors, k.order, grid, requests * lanes / (t * clockHz) / grid, requests * lanes / k.sectors / (t * clockHz) / grid);
    }
  }
  shapes<1, 0>(a); shapes<2, 0>(a); shapes<4, 0>(a); shapes<1, 1>(b); shapes<4, 1>(b);
  for (int kb : {64, 128, 160, 192, 208, 224, 256, 320, 512}) {
    again<<<sms, 1024>>>(a, kb * 1024, 16, outDevice);
    long long v; CHECK(cudaMemcpy(&v, outDevice, 8, cudaMemcpyDeviceToHost));
    printf("again kb %d bytes/cycle %.2f\n", kb, kb * 1024.0 / v);
  }
  printf("done\n");
  return 0;
}
