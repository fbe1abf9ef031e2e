// Load latencies: a chain of addresses in random order, of as many lines as the cache in question holds and the one before it does not.
#include <numeric>
#include <random>
#include <vector>
#include "measure.h"

static const size_t line = 128;

__global__ void link(char *base, const unsigned *order, unsigned lines) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
    *(char **)(base + order[i] * line) = base + order[i + 1 == lines ? 0 : i + 1] * line;
}
// Goes on where the launch before ended.
template <bool L1> __global__ void chase(char **at, int steps, long long *out) {
  char *p = *at;
  long long t0 = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) {
    if (L1) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
    else asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
  }
  *at = p;
  long long t1 = clock64();
  out[0] = t1 - t0;
}

static char *pool, **at;
static void prepare(size_t bytes) {
  const unsigned lines = (unsigned)(bytes / line);
  std::vector<unsigned> order(lines);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  unsigned *there;
  CHECK(cudaMalloc(&there, lines * sizeof(unsigned)));
  CHECK(cudaMemcpy(there, order.data(), lines * sizeof(unsigned), cudaMemcpyHostToDevice));
  link<<<smCount() * 4, 256>>>(pool, there, lines);
  char *first = pool + order[0] * line;
  CHECK(cudaMemcpy(at, &first, sizeof first, cudaMemcpyHostToDevice));
  CHECK(cudaFree(there));
}
template <bool L1> static void latency(const char *figure, size_t bytes, int warm, int steps) {
  prepare(bytes);
  if (warm > 0) chase<L1><<<1, 1>>>(at, warm, outDevice);
  for (int i = 0; i < samples; ++i)
    sample(figure, slope(cycles([&] { chase<L1><<<1, 1>>>(at, 2 * steps, outDevice); }), cycles([&] { chase<L1><<<1, 1>>>(at, steps, outDevice); }), steps));
}

int main() {
  begin();
  const size_t l2 = (size_t)attribute(cudaDevAttrL2CacheSize);
  const size_t most = std::max((size_t)256 << 20, std::min((size_t)1 << 30, 16 * l2));
  CHECK(cudaMalloc(&pool, most));
  CHECK(cudaMalloc(&at, sizeof *at));
  latency<true>("l1Latency", 8192, 4096, 4096);
  latency<false>("l2Latency", l2 / 8, (int)(l2 / 8 / line), 8192);
  // Not warmed: it is far more than the L2 holds, and each step goes on in what was not met yet.
  latency<false>("dramLatency", most, 0, 8192);
  return 0;
}
