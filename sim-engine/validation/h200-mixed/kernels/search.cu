// Selection, scans and tables: decoupled partials, segmented sums, a hash table, k-nearest, merges, a trie of bits.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <vector>

// Scan of blocks of 2048 by warps, eight values a thread.
__global__ void scanBlocks(int* out, const int* in, int* totals, int n) {
  __shared__ int warps[8];
  const int base = (blockIdx.x * blockDim.x + threadIdx.x) * 8, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v[8];
  int4 a = *reinterpret_cast<const int4*>(in + base), b = *reinterpret_cast<const int4*>(in + base + 4);
  v[0] = a.x; v[1] = v[0] + a.y; v[2] = v[1] + a.z; v[3] = v[2] + a.w;
  v[4] = v[3] + b.x; v[5] = v[4] + b.y; v[6] = v[5] + b.z; v[7] = v[6] + b.w;
  int sum = v[7];
  for (int offset = 1; offset < 32; offset <<= 1) {
    const int other = __shfl_up_sync(0xffffffffu, sum, offset);
    if (lane >= offset) sum += other;
  }
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  if (warp == 0 && lane < 8) {
    int s = warps[lane];
    for (int offset = 1; offset < 8; offset <<= 1) {
      const int other = __shfl_up_sync(0xffu, s, offset);
      if (lane >= offset) s += other;
    }
    warps[lane] = s;
    if (lane == 7) totals[blockIdx.x] = s;
  }
  __syncthreads();
  const int before = sum - v[7] + (warp > 0 ? warps[warp - 1] : 0);
  *reinterpret_cast<int4*>(out + base) = make_int4(v[0] + before, v[1] + before, v[2] + before, v[3] + before);
  *reinterpret_cast<int4*>(out + base + 4) = make_int4(v[4] + before, v[5] + before, v[6] + before, v[7] + before);
}

// Keys and counts in a table of open addressing.
__global__ void insert(uint32_t* keys, uint32_t* counts, const uint32_t* words, int n, uint32_t mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t key = words[i];
  uint32_t slot = (key * 2654435761u) & mask;
  while (true) {
    const uint32_t was = atomicCAS(&keys[slot], 0xffffffffu, key);
    if (was == 0xffffffffu || was == key) {
      atomicAdd(&counts[slot], 1);
      return;
    }
    slot = (slot + 1) & mask;
  }
}

// The nearest of m centres for each point of eight dimensions, centres in shared memory.
__global__ void nearest(int* label, float* distance, const float* points, const float* centres, int n, int m) {
  extern __shared__ float c[];
  for (int i = threadIdx.x; i < m * 8; i += blockDim.x) c[i] = centres[i];
  __syncthreads();
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  float x[8];
#pragma unroll
  for (int d = 0; d < 8; d++) x[d] = points[d * n + p];
  float best = FLT_MAX;
  int which = 0;
  for (int k = 0; k < m; k++) {
    float s = 0.f;
#pragma unroll
    for (int d = 0; d < 8; d++) {
      const float t = x[d] - c[k * 8 + d];
      s += t * t;
    }
    if (s < best) {
      best = s;
      which = k;
    }
  }
  label[p] = which;
  distance[p] = best;
}

// New centres: sums by label, in shared memory first.
__global__ void accumulate(float* sums, int* counts, const float* points, const int* label, int n, int m) {
  extern __shared__ float s[];
  int* cnt = (int*)(s + m * 8);
  for (int i = threadIdx.x; i < m * 9; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
    const int k = label[p];
    for (int d = 0; d < 8; d++) atomicAdd(&s[k * 8 + d], points[d * n + p]);
    atomicAdd(&cnt[k], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < m * 8; i += blockDim.x) atomicAdd(&sums[i], s[i]);
  for (int i = threadIdx.x; i < m; i += blockDim.x) atomicAdd(&counts[i], cnt[i]);
}

// A binary search of each needle in a sorted array.
__global__ void lowerBound(int* out, const int* sorted, const int* needles, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const int key = needles[i];
  int low = 0, high = n;
  while (low < high) {
    const int mid = (low + high) / 2;
    if (sorted[mid] < key) low = mid + 1;
    else high = mid;
  }
  out[i] = low;
}

// Rows of a matrix of unequal lengths, a warp a row.
__global__ void segmentSums(float* out, const float* values, const int* offsets, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0.f;
  for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) sum += values[i];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane == 0) out[row] = sum;
}

// Bits set of 64-bit words, ballots counted.
__global__ void popcounts(unsigned long long* total, const uint64_t* words, int n) {
  unsigned long long sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += __popcll(words[i]);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(total, sum);
}

// The transposition of bytes four by four through prmt-like packing.
__global__ void packBytes(uint32_t* out, const uint8_t* in, int n4) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  out[i] = in[i] | in[i + n4] << 8 | in[i + 2 * n4] << 16 | (uint32_t)in[i + 3 * n4] << 24;
}

int main() {
  const int n = 1 << 22;
  int *in, *out, *totals, *offsets;
  uint32_t *keys, *counts;
  float *points, *centres, *distance;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, n * 4);
  cudaMalloc(&totals, n * 4);
  cudaMalloc(&keys, n * 4);
  cudaMalloc(&counts, n * 4);
  cudaMalloc(&points, n * 4);
  cudaMalloc(&centres, 64 * 8 * 4);
  cudaMalloc(&distance, n * 4);
  cudaMalloc(&offsets, (65536 + 1) * 4);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = (int)((i * 2654435761u) >> 12) % 300000;
  cudaMemcpy(in, host.data(), n * 4, cudaMemcpyHostToDevice);
  std::vector<float> f(n);
  for (int i = 0; i < n; i++) f[i] = (float)(i * 37 % 1009) / 1009.f;
  cudaMemcpy(points, f.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(centres, f.data(), 64 * 8 * 4, cudaMemcpyHostToDevice);
  cudaMemset(keys, 0xff, n * 4);
  cudaMemset(counts, 0, n * 4);
  std::vector<int> starts(65537);
  for (int i = 0, at = 0; i <= 65536; i++) {
    starts[i] = at;
    at += 20 + i % 71;
  }
  cudaMemcpy(offsets, starts.data(), 65537 * 4, cudaMemcpyHostToDevice);
  std::vector<int> ramp(n);
  for (int i = 0; i < n; i++) ramp[i] = i / 14;

  scanBlocks<<<n / 2048, 256>>>(out, in, totals, n);
  insert<<<n / 4 / 256, 256>>>(keys, counts, (const uint32_t*)in, n / 4, (1 << 20) - 1);
  nearest<<<n / 8 / 128, 128, 64 * 8 * 4>>>(out, distance, points, centres, n / 8, 64);
  accumulate<<<264, 256, 64 * 9 * 4>>>(distance, totals, points, out, n / 8, 64);
  cudaMemcpy(out, ramp.data(), n * 4, cudaMemcpyHostToDevice);
  lowerBound<<<n / 4 / 256, 256>>>(totals, out, in, n, n / 4);
  segmentSums<<<65536 / 8, 256>>>(distance, points, offsets, 65536);
  popcounts<<<528, 256>>>((unsigned long long*)totals, (const uint64_t*)in, n / 2);
  packBytes<<<n / 4 / 256, 256>>>((uint32_t*)out, (const uint8_t*)in, n / 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
