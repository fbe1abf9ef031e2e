// What the second pass over a row takes, begun by all warps at once: loads that hit, each with a store to lines that are not there.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
enum { ROTATED = 1, PAST_L1 = 2, IN_PLACE = 4, STORES_ALONE = 8, BESIDE = 32, BATCH = 64, STREAMED = 128 };
template <int F> __global__ void pass2(float *in, float *out, int width, int wait, unsigned *ends) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row = blockIdx.x * (blockDim.x >> 5) + warp;
  float *x, *y;
  if (F & BESIDE) { x = in + (size_t)row * 2 * width; y = x + width; }
  else { x = in + (size_t)row * width; y = out + (size_t)row * width; }
  if (F & IN_PLACE) y = x;
  unsigned begin = clock();
  float s = 0;
  for (int i = lane; i < width; i += 32) s += x[i];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  __shared__ unsigned since;
  if (threadIdx.x == 0) since = begin;
  __syncthreads();
  while (clock() - since < wait) ;
  if (s > 1e30f) wait = 0;
  unsigned t0 = clock();
  int at = (F & ROTATED) ? (row * 7 % (width / 32)) * 32 : 0;
  if (F & BATCH) {
    for (int c = 0; c < width; c += 128) {
      int i = c + lane;
      float a = x[i], b = x[i + 32], d = x[i + 64], e = x[i + 96];
      y[i] = a - s; y[i + 32] = b - s; y[i + 64] = d - s; y[i + 96] = e - s;
    }
  } else
#pragma unroll 1
    for (int c = 0; c < width; c += 32) {
      int i = at + lane;
      float v = 0;
      if (!(F & STORES_ALONE)) v = (F & PAST_L1) ? __ldcg(x + i) : x[i];
      if (F & STREAMED) __stcs(y + i, v - s);
      else y[i] = v - s;
      at += 32; if ((F & ROTATED) && at == width) at = 0;
    }
  unsigned t1 = clock();
  if (lane == 0) { ends[row] = t1 - t0; }
}
__global__ void sweep(const float4 *a, size_t n, float *o) { float s = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += a[i].x; if (s == 3.f) *o = s; }
float *a, *b, *big; unsigned *ends; size_t n = (size_t)8448 * 1024, bigBytes = (size_t)512 << 20;
template <int F> void go(const char *name, int warps, int width) {
  int rows = 132 * warps, block = 256; 
  for (int turn = 0; turn < 2; turn++) {
    sweep<<<1024, 256>>>((float4 *)big, bigBytes / 16, ends ? (float *)ends : nullptr);
    pass2<F><<<rows / 8, block>>>(a, b, width, 60000, ends);
  }
  cudaDeviceSynchronize();
  std::vector<unsigned> e(rows); cudaMemcpy(e.data(), ends, rows * 4, cudaMemcpyDeviceToHost);
  unsigned first[8]; for (int w = 0; w < 8; w++) { double m = 0; for (int r = w; r < rows; r += 8) m += e[r]; first[w] = m / (rows / 8); }
  std::sort(e.begin(), e.end());
  printf("%-34s warps %2d width %4d: 10%% %6u median %6u 90%% %6u last %6u; a turn of last %5.0f, a line of SM %.2f; by warp of block %u %u %u %u %u %u %u %u\n", name, warps, width, e[rows / 10], e[rows / 2], e[rows * 9 / 10], e[rows - 1],
         e[rows * 99 / 100] / (width / 32.), e[rows * 99 / 100] / (width / 32. * warps), first[0], first[1], first[2], first[3], first[4], first[5], first[6], first[7]);
}
int main() {
  cudaMalloc(&a, n * 8 + 4096); cudaMalloc(&b, n * 4); cudaMalloc(&big, bigBytes); cudaMalloc(&ends, 1 << 20);
  cudaMemset(a, 0, n * 8); cudaMemset(b, 0, n * 4); cudaMemset(big, 0, bigBytes); cudaMemset(ends, 0, 4);
  for (int warps : {16, 32, 64}) for (int width : {256, 512, 1024}) {
    go<0>("hit, store elsewhere", warps, width);
    go<ROTATED>("hit, store elsewhere, rotated", warps, width);
    go<PAST_L1>("from the L2, store elsewhere", warps, width);
    go<PAST_L1 | ROTATED>("from the L2, store, rotated", warps, width);
    go<IN_PLACE>("hit, store there", warps, width);
    go<STORES_ALONE>("store elsewhere", warps, width);
    go<STORES_ALONE | ROTATED>("store elsewhere, rotated", warps, width);
    go<STORES_ALONE | IN_PLACE>("store there", warps, width);
    go<BESIDE>("hit, store beside", warps, width);
    go<BATCH>("four hits, four stores", warps, width);
    go<STREAMED>("hit, stream out", warps, width);
  }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
