// Bandwidth of the device's memory: reads alone, and as many writes. Two sizes, so that what a launch costs cancels out.
#include "measure.h"

static const int unroll = 4;
__global__ void readAll(const float4 *in, size_t n, float *sink) {
  const size_t stride = (size_t)gridDim.x * blockDim.x * unroll;
  float sum = 0;
  for (size_t i = (size_t)blockIdx.x * blockDim.x * unroll + threadIdx.x; i < n; i += stride) {
    float4 v[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) v[u] = in[i + (size_t)u * blockDim.x];
#pragma unroll
    for (int u = 0; u < unroll; ++u) sum += v[u].x + v[u].y + v[u].z + v[u].w;
  }
  if (sum == 12.345f) *sink = sum;
}
__global__ void copyAll(const float4 *in, float4 *out, size_t n) {
  const size_t stride = (size_t)gridDim.x * blockDim.x * unroll;
  for (size_t i = (size_t)blockIdx.x * blockDim.x * unroll + threadIdx.x; i < n; i += stride) {
    float4 v[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) v[u] = in[i + (size_t)u * blockDim.x];
#pragma unroll
    for (int u = 0; u < unroll; ++u) out[i + (size_t)u * blockDim.x] = v[u];
  }
}

int main() {
  const int sms = smCount();
  const size_t turn = (size_t)sms * 8 * 256 * unroll;  // elements that all blocks read at once
  size_t available, total;
  CHECK(cudaMemGetInfo(&available, &total));
  // Each array up to 2 GB.
  const size_t n = std::min((size_t)2 << 30, available / 3) / sizeof(float4) / (2 * turn) * 2 * turn;
  float4 *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(float4)));
  CHECK(cudaMalloc(&b, n * sizeof(float4)));
  CHECK(cudaMemset(a, 0, n * sizeof(float4)));
  CHECK(cudaMemset(b, 0, n * sizeof(float4)));
  const double bytes = n / 2 * sizeof(float4);
  for (int i = 0; i < samples; ++i) {
    auto read = [&](size_t count) { return seconds([&] { readAll<<<sms * 8, 256>>>(a, count, (float *)b); }); };
    auto copy = [&](size_t count) { return seconds([&] { copyAll<<<sms * 8, 256>>>(a, b, count); }); };
    sample("dramReadBandwidth", bytes / slope(read(n), read(n / 2), 1) / 1e9);
    sample("dramMixedBandwidth", 2 * bytes / slope(copy(n), copy(n / 2), 1) / 1e9);
  }
  return 0;
}
