// The L2: what all SMs read of it, and what one SM reads of it and writes to it.
#include "measure.h"

static const int unroll = 4;
// `turns` rounds over n elements, of which each block begins with others.
__global__ void readAgain(const float4 *in, size_t n, int turns, long long *out) {
  const size_t step = (size_t)blockDim.x * unroll, all = step * gridDim.x;
  float sum = 0;
  __syncthreads();
  long long t0 = clock64();
  for (int turn = 0; turn < turns; ++turn)
    for (size_t i = blockIdx.x * step + threadIdx.x; i < n; i += all) {
      float4 v[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) v[u] = __ldcg(in + i + (size_t)u * blockDim.x);
#pragma unroll
      for (int u = 0; u < unroll; ++u) sum += v[u].x + v[u].y + v[u].z + v[u].w;
    }
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
  if (sum == 12.345f) out[blockIdx.x] = 0;
}
__global__ void writeAgain(float4 *to, size_t n, int turns, long long *out) {
  __syncthreads();
  long long t0 = clock64();
  for (int turn = 0; turn < turns; ++turn)
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) to[i] = make_float4(turn, 1, 2, 3);
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[0] = t1 - t0;
}

int main() {
  begin();
  const int sms = smCount(), blocks = sms * 4, threads = 512;
  const size_t turn = (size_t)blocks * threads * unroll;
  const size_t l2 = (size_t)attribute(cudaDevAttrL2CacheSize);
  // Three eighths of it, as far as all blocks read as much.
  const size_t n = std::max((size_t)1, l2 * 3 / 8 / sizeof(float4) / turn) * turn;
  const size_t one = l2 / 8 / sizeof(float4) / (1024 * unroll) * 1024 * unroll;
  float4 *a;
  CHECK(cudaMalloc(&a, std::max(n, one) * sizeof(float4)));
  CHECK(cudaMemset(a, 0, std::max(n, one) * sizeof(float4)));
  for (int i = 0; i < samples; ++i) {
    auto all = [&](int turns) { return seconds([&] { readAgain<<<blocks, threads>>>(a, n, turns, outDevice); }); };
    sample("l2Bandwidth", n * sizeof(float4) * 50.0 / slope(all(100), all(50), 1) / 1e9);
    auto read = [&](int turns) { return cycles([&] { readAgain<<<1, 1024>>>(a, one, turns, outDevice); }); };
    sample("l2PortBytesPerClock", one * sizeof(float4) * 2.0 / slope(read(4), read(2), 1));
    auto write = [&](int turns) { return cycles([&] { writeAgain<<<1, 1024>>>(a, one, turns, outDevice); }); };
    sample("l2WritePortBytesPerClock", one * sizeof(float4) * 2.0 / slope(write(4), write(2), 1));
  }
  return 0;
}
