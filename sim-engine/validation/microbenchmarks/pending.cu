#include <cuda_runtime.h>
#include <cstdio>
// Threads go along rows of their own: LOADS loads a turn, `apart` words from each other, and `step` words further with each turn.
template <int LOADS> __global__ void walk(const float* __restrict__ a, float* out, long long* cycles, int turns, int stride, int step, int apart) {
  const float* row = a + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * stride;
  float s = 0;
  __syncthreads();
  long long begin = clock64();
  for (int c = 0; c < turns; c++) {
    float v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) v[k] = row[c * step + k * apart];
#pragma unroll
    for (int k = 0; k < LOADS; k++) s += v[k];
    if (s > 1e30f) row += 1;
  }
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
  if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = end - begin;
}
// The same beside one warp that loads a line, or 32 of them, from the L1, one load behind the other.
template <int LOADS> __global__ void beside(const float* __restrict__ a, const int* __restrict__ p, float* out, long long* cycles, int turns, int stride, int step, int apart, int lines) {
  __shared__ volatile int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    int at = 0; const int* q = p + threadIdx.x * (lines == 1 ? 0 : 32);
    for (int k = 0; k < 64; k++) at = q[at];
    long long b = clock64();
    for (int k = 0; k < turns; k++) at = q[at];
    long long e = clock64();
    if (threadIdx.x == 0) { cycles[0] = e - b + (at & 1); done = 1; }
    return;
  }
  const float* row = a + (size_t)(blockIdx.x * blockDim.x + threadIdx.x - 32) * stride;
  float s = 0; int c = 0;
  while (!done) {
    float v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) v[k] = row[(c * step + k * apart) & (stride - 1)];
#pragma unroll
    for (int k = 0; k < LOADS; k++) s += v[k];
    if (s > 1e30f) row += 1;
    c++;
  }
  if (threadIdx.x == 32) cycles[1] = c;
  out[threadIdx.x] = s;
}
float *a, *out; int* p; long long* cyc; size_t at = 0; const size_t whole = 3ull << 28;
const float* fresh(size_t words) { if (at + words > whole) at = 0; const float* r = a + at; at += words; cudaMemset(out, 0, 1 << 27); return r; }
template <int LOADS> void go(int step, int apart, const char* what) {
  const int stride = 16384, turns = 512;
  for (int warps : {1, 2, 3, 4, 6, 8, 16}) {
    const float* r = fresh((size_t)warps * 32 * stride);
    walk<LOADS><<<1, warps * 32>>>(r, out, cyc, turns, stride, step, apart);
    long long h[16]; cudaMemcpy(h, cyc, warps * 8, cudaMemcpyDeviceToHost);
    double s = 0; for (int w = 0; w < warps; w++) s += h[w];
    printf("%s: %2d loads, %2d words a turn, %2d words apart, %2d warps: %7.1f cycles a turn\n", what, LOADS, step, apart, warps, s / warps / turns);
  }
  for (int lines : {1, 32}) for (int warps : {1, 3, 4, 7}) {
    const float* r = fresh((size_t)warps * 32 * stride);
    beside<LOADS><<<1, warps * 32 + 32>>>(r, p, out, cyc, 20000, stride, step, apart, lines);
    long long h[2]; cudaMemcpy(h, cyc, 16, cudaMemcpyDeviceToHost);
    printf("   a hit of %2d lines beside %d such warps: %7.1f cycles; theirs %7.1f a turn\n", lines, warps, h[0] / 20000.0, (double)h[0] / h[1]);
  }
}
int main() {
  cudaMalloc(&a, 3ull << 30); cudaMalloc(&p, 1 << 20); cudaMalloc(&out, 1 << 28); cudaMalloc(&cyc, 8 * 132);
  cudaMemset(a, 0, 3ull << 30); cudaMemset(p, 0, 1 << 20);
  go<4>(4, 1, "a sector in two turns");
  go<4>(8, 1, "a sector a turn, three more of it");
  go<4>(8, 2, "a sector a turn, three more of it");
  go<4>(32, 8, "four sectors a turn");
  go<1>(8, 1, "a sector a turn");
  go<1>(1, 1, "a sector in eight turns");
  go<2>(8, 1, "a sector a turn, one more of it");
  go<8>(8, 1, "a sector a turn, seven more of it");
  go<16>(16, 1, "two sectors a turn");
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
