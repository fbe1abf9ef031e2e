// Barriers of blocks of 2 to 32 warps: what one costs, and what each warp adds.
#include "measure.h"

__global__ void barriers(long long *out, int n) {
  __syncthreads();
  long long t0 = clock64();
#pragma unroll 16
  for (int i = 0; i < n; ++i) __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[0] = t1 - t0;
}

int main() {
  begin();
  auto barrier = [](int warps) {
    auto run = [&](int n) { return cycles([&] { barriers<<<1, warps * 32>>>(outDevice, n); }); };
    return slope(run(1024), run(512), 512);
  };
  for (int i = 0; i < samples; ++i) {
    const double few = barrier(2), many = barrier(32), each = (many - few) / 30;
    sample("barrierPerWarp", each);
    sample("barrierLatency", few - 2 * each);
  }
  return 0;
}
