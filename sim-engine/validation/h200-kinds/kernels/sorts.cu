// Pieces of sorting: bitonic in shared and global memory, odd-even in a block, one pass of a radix sort.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned int uint;

__device__ inline void order(uint &a, uint &b, bool up) {
  uint lo = min(a, b), hi = max(a, b);
  a = up ? lo : hi;
  b = up ? hi : lo;
}

// A block of 512 threads sorts its 1024 keys, every other block downwards.
__global__ void bitonicShared(uint *keys) {
  __shared__ uint s[1024];
  uint *k = keys + blockIdx.x * 1024;
  int t = threadIdx.x;
  s[t] = k[t], s[t + 512] = k[t + 512];
  for (int size = 2; size <= 1024; size <<= 1) {
    bool up = size == 1024 ? (blockIdx.x & 1) == 0 : (t & (size / 2)) == 0;
    for (int d = size / 2; d > 0; d >>= 1) {
      __syncthreads();
      int p = 2 * t - (t & (d - 1));
      order(s[p], s[p + d], up);
    }
  }
  __syncthreads();
  k[t] = s[t], k[t + 512] = s[t + 512];
}

__global__ void bitonicGlobalStep(uint *keys, int j, int k) {
  uint i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i) {
    uint a = keys[i], b = keys[other];
    if ((i & k) == 0 ? a > b : a < b) keys[i] = b, keys[other] = a;
  }
}

template <int N>
__global__ void oddEven(float *data) {
  __shared__ float s[N];
  int t = threadIdx.x;
  float *d = data + (size_t)blockIdx.x * N;
  s[t] = d[t], s[t + N / 2] = d[t + N / 2];
  __syncthreads();
  for (int phase = 0; phase < N; phase++) {
    int i = 2 * t + (phase & 1);
    if (i + 1 < N && s[i] > s[i + 1]) {
      float x = s[i];
      s[i] = s[i + 1], s[i + 1] = x;
    }
    __syncthreads();
  }
  d[t] = s[t], d[t + N / 2] = s[t + N / 2];
}

const int RB = 256, PER = 4, TILE = RB * PER;

// counts is laid out digit by digit, so that one scan gives every block its place.
__global__ void radixCount(const uint *in, uint *counts, int shift) {
  __shared__ uint c[16];
  if (threadIdx.x < 16) c[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0; r < PER; r++) atomicAdd(&c[(in[blockIdx.x * TILE + r * RB + threadIdx.x] >> shift) & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}

__global__ void scanCounts(uint *counts, int n) {
  __shared__ uint s[1024];
  uint sum = 0, t = threadIdx.x, each = n / 1024;
  for (uint i = 0; i < each; i++) sum += counts[t * each + i];
  s[t] = sum;
  __syncthreads();
  for (uint d = 1; d < 1024; d *= 2) {
    uint v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  uint run = s[t] - sum;
  for (uint i = 0; i < each; i++) {
    uint v = counts[t * each + i];
    counts[t * each + i] = run;
    run += v;
  }
}

__global__ void radixScatter(const uint *__restrict__ in, uint *__restrict__ out, const uint *__restrict__ starts, int shift) {
  __shared__ uint base[16], perWarp[RB / 32][16];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  if (t < 16) base[t] = starts[t * gridDim.x + blockIdx.x];
  for (int r = 0; r < PER; r++) {
    if (t < RB / 32 * 16) perWarp[t / 16][t % 16] = 0;
    __syncthreads();
    uint key = in[blockIdx.x * TILE + r * RB + t], digit = (key >> shift) & 15;
    uint same = __match_any_sync(0xffffffffu, digit), before = __popc(same & ((1u << lane) - 1));
    if (before == 0) perWarp[w][digit] = __popc(same);
    __syncthreads();
    uint at = base[digit] + before;
    for (int v = 0; v < w; v++) at += perWarp[v][digit];
    out[at] = key;
    __syncthreads();
    if (t < 16)
      for (int v = 0; v < RB / 32; v++) base[t] += perWarp[v][t];
    __syncthreads();
  }
}

int main() {
  const int n = 1 << 22, m = 1 << 19;
  uint *h = (uint *)malloc(n * sizeof(uint)), *keys, *out, *counts;
  float *f, *hf = (float *)malloc(m * sizeof(float));
  for (int i = 0; i < n; i++) h[i] = ((uint)rand() << 16) ^ rand();
  for (int i = 0; i < m; i++) hf[i] = h[i] / 1e6f;
  cudaMalloc(&keys, n * sizeof(uint)), cudaMalloc(&out, n * sizeof(uint)), cudaMalloc(&f, m * sizeof(float));
  cudaMalloc(&counts, 16 * (n / TILE) * sizeof(uint));
  cudaMemcpy(keys, h, n * sizeof(uint), cudaMemcpyHostToDevice);
  cudaMemcpy(f, hf, m * sizeof(float), cudaMemcpyHostToDevice);
  radixCount<<<n / TILE, RB>>>(keys, counts, 8);
  scanCounts<<<1, 1024>>>(counts, 16 * (n / TILE));
  radixScatter<<<n / TILE, RB>>>(keys, out, counts, 8);
  bitonicShared<<<n / 1024, 512>>>(keys);
  bitonicGlobalStep<<<n / 1024, 1024>>>(keys, 1024, 2048);
  oddEven<640><<<m / 640, 320>>>(f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
