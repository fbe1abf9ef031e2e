// Who meets whom at an address: atomics of several types, private histograms, pools of counters, aggregated by hand.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;

#define OK(call)                                                                 \
  if (cudaError_t e = (call)) {                                                  \
    fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));                \
    exit(1);                                                                     \
  }

__global__ void byRemainder(int *counts, int n, int slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(counts + i % slots, 1);
}

__global__ void sumDouble(const double *x, double *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

__global__ void widestLong(const unsigned long long *x, unsigned long long *widest, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(widest + i % 32, x[i]);
}

// Those that pass are written one after another; a warp takes its places with one atomic.
__global__ void pack(const int *x, int *out, int *used, int n, int least) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] < least) return;
  cg::coalesced_group g = cg::coalesced_threads();
  int base = 0;
  if (g.thread_rank() == 0) base = atomicAdd(used, (int)g.size());
  out[g.shfl(base, 0) + g.thread_rank()] = x[i];
}

// A histogram of 64 bins, COPIES of it a block.
template <int COPIES>
__global__ void bins(const unsigned *keys, unsigned *total, int n) {
  __shared__ unsigned local[COPIES][64];
  for (int b = threadIdx.x; b < COPIES * 64; b += blockDim.x) (&local[0][0])[b] = 0;
  __syncthreads();
  const int copy = threadIdx.x / 32 % COPIES;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[copy][keys[i] >> 26], 1u);
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned s = 0;
    for (int c = 0; c < COPIES; c++) s += local[c][threadIdx.x];
    atomicAdd(total + threadIdx.x, s);
  }
}

// Scattered additions over a table: 16 MB, few meet.
__global__ void scatter(const unsigned *keys, float *table, int n, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(table + (keys[i] & mask), 1.0f);
}

__global__ void readHost(const float *mapped, float *sums, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += mapped[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void writeHost(float *mapped, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mapped[i] = i;
}

int main() {
  const int n = 1 << 21;
  std::vector<unsigned> keys(n);
  unsigned state = 12345;
  for (int i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    keys[i] = state;
  }
  unsigned *dKeys, *dTotal;
  int *dInts, *dOut;
  double *dDoubles;
  unsigned long long *dLongs;
  float *dTable;
  OK(cudaMalloc(&dKeys, n * sizeof(unsigned)));
  OK(cudaMalloc(&dTotal, 64 * sizeof(unsigned)));
  OK(cudaMalloc(&dInts, n * sizeof(int)));
  OK(cudaMalloc(&dOut, n * sizeof(int)));
  OK(cudaMalloc(&dDoubles, n * sizeof(double)));
  OK(cudaMalloc(&dLongs, n * sizeof(unsigned long long)));
  OK(cudaMalloc(&dTable, (1 << 22) * sizeof(float)));
  OK(cudaMemcpy(dKeys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  std::vector<int> ints(n);
  for (int i = 0; i < n; i++) ints[i] = i % 100;
  OK(cudaMemcpy(dInts, ints.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemset(dDoubles, 0, n * sizeof(double)));
  OK(cudaMemset(dLongs, 0, n * sizeof(unsigned long long)));
  OK(cudaMemset(dOut, 0, n * sizeof(int)));
  OK(cudaMemset(dTable, 0, (1 << 22) * sizeof(float)));
  const int blocks = n / 256;
  byRemainder<<<blocks, 256>>>(dOut, n, 1);
  byRemainder<<<blocks, 256>>>(dOut, n, 8);
  byRemainder<<<blocks, 256>>>(dOut, n, 32);
  byRemainder<<<blocks, 256>>>(dOut, n, 4096);
  sumDouble<<<blocks, 256>>>(dDoubles, dDoubles, n);
  widestLong<<<blocks, 256>>>(dLongs, dLongs, n);
  pack<<<blocks, 256>>>(dInts, dOut + 1, dOut, n, 50);
  bins<1><<<264, 256>>>(dKeys, dTotal, n);
  bins<8><<<264, 256>>>(dKeys, dTotal, n);
  scatter<<<blocks, 256>>>(dKeys, dTable, n, (1 << 22) - 1);
  scatter<<<blocks, 256>>>(dKeys, dTable, n, 1023);
  float *pinned, *mapped;
  OK(cudaHostAlloc(&pinned, n * sizeof(float), cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  for (int i = 0; i < n; i++) pinned[i] = 1;
  readHost<<<264, 256>>>(mapped, dTable, n);
  writeHost<<<blocks, 256>>>(mapped, n);
  OK(cudaDeviceSynchronize());
  return 0;
}
