// CS 5220 - Lab 3 handout: "Sums and counts"
// Part A walks through the classic sum reduction, one improvement at a time.
// Part B does the same for a byte histogram.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t err_ = (call);                                             \
    if (err_ != cudaSuccess) {                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                   \
              cudaGetErrorString(err_));                                   \
      exit(EXIT_FAILURE);                                                  \
    }                                                                      \
  } while (0)

// ---------------------------------------------------------------- Part A
// Step 0: interleaved addressing, divergent branches (modulo is slow, too)
__global__ void reduce0(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + tid;
  s[tid] = (i < n) ? in[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (tid % (2 * k) == 0) s[tid] += s[tid + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// Step 1: no divergence, but bank conflicts
__global__ void reduce1(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + tid;
  s[tid] = (i < n) ? in[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    unsigned idx = 2 * k * tid;
    if (idx < blockDim.x) s[idx] += s[idx + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// Step 2: sequential addressing
__global__ void reduce2(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + tid;
  s[tid] = (i < n) ? in[i] : 0;
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (tid < k) s[tid] += s[tid + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// Step 3: first add during load, half the blocks
__global__ void reduce3(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x * 2 + tid;
  int v = (i < n) ? in[i] : 0;
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  s[tid] = v;
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (tid < k) s[tid] = v = v + s[tid + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = v;
}

// Step 4: the last warp uses shuffles; several elements per thread
template <unsigned BS>
__global__ void reduce4(const int *in, int *out, unsigned n) {
  __shared__ int s[BS];
  unsigned tid = threadIdx.x;
  int v = 0;
  for (unsigned i = blockIdx.x * BS + tid; i < n; i += BS * gridDim.x) v += in[i];
  s[tid] = v;
  __syncthreads();
  if (BS >= 512) { if (tid < 256) s[tid] = v = v + s[tid + 256]; __syncthreads(); }
  if (BS >= 256) { if (tid < 128) s[tid] = v = v + s[tid + 128]; __syncthreads(); }
  if (BS >= 128) { if (tid < 64) s[tid] = v = v + s[tid + 64]; __syncthreads(); }
  if (tid < 32) {
    v += s[tid + 32];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    if (tid == 0) out[blockIdx.x] = v;
  }
}

// Step 5: int4 loads, shuffles everywhere, one atomic per block
__global__ void reduce5(const int4 *in4, const int *in, int *out, unsigned n) {
  __shared__ int warpSum[32];
  unsigned n4 = n / 4;
  int v = 0;
  unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = g; i < n4; i += blockDim.x * gridDim.x) {
    int4 q = in4[i];
    v += q.x + q.y + q.z + q.w;
  }
  if (g < n - 4 * n4) v += in[4 * n4 + g];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  if (lane == 0) warpSum[w] = v;
  __syncthreads();
  if (w == 0) {
    v = lane < (blockDim.x >> 5) ? warpSum[lane] : 0;
    v = __reduce_add_sync(0xffffffffu, v);
    if (lane == 0) atomicAdd(out, v);
  }
}

// For comparison: the thing you should not do
__global__ void reduceAtomic(const int *in, int *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[i & 255], in[i]);
}

// ---------------------------------------------------------------- Part B
__global__ void hist0(const unsigned char *data, unsigned n, unsigned *bins) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

__global__ void hist1(const unsigned char *data, unsigned n, unsigned *bins) {
  __shared__ unsigned h[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) h[b] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&h[data[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], h[b]);
}

// one sub-histogram per warp and 4 bytes per load
__global__ void hist2(const unsigned *data4, unsigned n4, unsigned *bins) {
  __shared__ unsigned h[8][256];
  unsigned w = threadIdx.x >> 5;
  for (int b = threadIdx.x; b < 8 * 256; b += blockDim.x) (&h[0][0])[b] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
    unsigned q = data4[i];
    atomicAdd(&h[w][q & 255], 1u);
    atomicAdd(&h[w][(q >> 8) & 255], 1u);
    atomicAdd(&h[w][(q >> 16) & 255], 1u);
    atomicAdd(&h[w][q >> 24], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned t = 0;
    for (int k = 0; k < 8; k++) t += h[k][b];
    if (t) atomicAdd(&bins[b], t);
  }
}

static bool report(const char *name, bool ok, float ms) {
  printf("  %-14s %8.3f ms  %s\n", name, ms, ok ? "ok" : "WRONG");
  return ok;
}

int main() {
  const unsigned N = 6000011;  // not a multiple of anything, on purpose
  std::vector<int> h(N);
  int expect = 0;
  for (unsigned i = 0; i < N; i++) { h[i] = (int)(i * 2654435761u >> 28); expect += h[i]; }

  int *d_in, *d_out;
  const unsigned maxBlocks = (N + 127) / 128;
  CHECK(cudaMalloc(&d_in, N * sizeof(int)));
  CHECK(cudaMalloc(&d_out, maxBlocks * sizeof(int)));
  CHECK(cudaMemcpy(d_in, h.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  std::vector<int> part(maxBlocks);
  cudaEvent_t t0, t1;
  CHECK(cudaEventCreate(&t0));
  CHECK(cudaEventCreate(&t1));
  bool pass = true;

  printf("Part A: sum of %u ints, expected %d\n", N, expect);
  for (int step = 0; step <= 7; step++) {
    unsigned blocks = 0, bs = 256;
    CHECK(cudaMemset(d_out, 0, maxBlocks * sizeof(int)));
    CHECK(cudaEventRecord(t0));
    switch (step) {
      case 0: blocks = (N + bs - 1) / bs; reduce0<<<blocks, bs, bs * sizeof(int)>>>(d_in, d_out, N); break;
      case 1: blocks = (N + bs - 1) / bs; reduce1<<<blocks, bs, bs * sizeof(int)>>>(d_in, d_out, N); break;
      case 2: blocks = (N + bs - 1) / bs; reduce2<<<blocks, bs, bs * sizeof(int)>>>(d_in, d_out, N); break;
      case 3: blocks = (N + 2 * bs - 1) / (2 * bs); reduce3<<<blocks, bs, bs * sizeof(int)>>>(d_in, d_out, N); break;
      case 4: blocks = 528; reduce4<256><<<blocks, 256>>>(d_in, d_out, N); break;
      case 5: blocks = 264; reduce4<512><<<blocks, 512>>>(d_in, d_out, N); break;
      case 6: blocks = 1; reduce5<<<264, 512>>>((const int4 *)d_in, d_in, d_out, N); break;
      case 7: blocks = 256; reduceAtomic<<<(N + bs - 1) / bs, bs>>>(d_in, d_out, N); break;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(t1));
    CHECK(cudaEventSynchronize(t1));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, t0, t1));
    CHECK(cudaMemcpy(part.data(), d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    int sum = 0;
    for (unsigned b = 0; b < blocks; b++) sum += part[b];
    char nm[32];
    snprintf(nm, sizeof nm, "step %d", step);
    pass &= report(nm, sum == expect, ms);
  }

  const unsigned NB = 4 * 1500000;
  std::vector<unsigned char> bytes(NB);
  std::vector<unsigned> ref(256, 0), got(256);
  unsigned x = 12345;
  for (unsigned i = 0; i < NB; i++) {
    x = x * 1664525u + 1013904223u;
    bytes[i] = (unsigned char)(((x >> 24) + ((x >> 16) & 255)) / 2);  // triangle-shaped
    ref[bytes[i]]++;
  }
  unsigned char *d_b;
  unsigned *d_bins;
  CHECK(cudaMalloc(&d_b, NB));
  CHECK(cudaMalloc(&d_bins, 256 * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_b, bytes.data(), NB, cudaMemcpyHostToDevice));
  printf("Part B: histogram of %u bytes\n", NB);
  for (int step = 0; step < 3; step++) {
    CHECK(cudaMemset(d_bins, 0, 256 * sizeof(unsigned)));
    CHECK(cudaEventRecord(t0));
    if (step == 0) hist0<<<(NB + 255) / 256, 256>>>(d_b, NB, d_bins);
    if (step == 1) hist1<<<400, 256>>>(d_b, NB, d_bins);
    if (step == 2) hist2<<<400, 256>>>((const unsigned *)d_b, NB / 4, d_bins);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(t1));
    CHECK(cudaEventSynchronize(t1));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, t0, t1));
    CHECK(cudaMemcpy(got.data(), d_bins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    char nm[32];
    snprintf(nm, sizeof nm, "hist %d", step);
    pass &= report(nm, got == ref, ms);
  }
  printf("%s\n", pass ? "PASS" : "FAIL");
  cudaFree(d_in); cudaFree(d_out); cudaFree(d_b); cudaFree(d_bins);
  return pass ? 0 : 1;
}
