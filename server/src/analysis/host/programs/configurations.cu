// Tables of configurations, structured bindings, pairs and tuples of results, initialiser lists.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

struct Config {
  const char *name;
  int block;
  size_t elements;
};

__global__ void work(float *p, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
__global__ void tail(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 0; }
__global__ void both(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 0; }
__global__ void last(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 0; }

static std::pair<dim3, dim3> shape(int width, int height) {
  dim3 block(32, 4);
  return {dim3((width + 31) / 32, (height + 3) / 4), block};
}

struct Plan {
  int blocks, threads;
};
static Plan planFor(int n) { return {(n + 63) / 64, 64}; }

int main() {
  float *p;
  cudaMalloc(&p, 1 << 24);
  const std::vector<Config> configs = {{"small", 64, 1000}, {"large", 256, 1u << 20}};
  for (const auto &config : configs) work<<<(config.elements + config.block - 1) / config.block, config.block>>>(p, config.elements);
  std::array<int, 3> sizes = {100, 300, 200};
  int most = *std::max_element(sizes.begin(), sizes.end());
  tail<<<1, std::max({32, 64, 96})>>>(p, most);
  auto [grid, block] = shape(100, 50);
  both<<<grid, block>>>(p, 5000);
  auto [blocks, threads] = planFor(1000);
  last<<<blocks, threads>>>(p, std::min(blocks, 4));
}
//= work 16 64 | p[16777216]+0=? 1000
//= work 4096 256 | p[16777216]+0=? 1048576
//= tail 1 96 | p[16777216]+0=? 300
//= both 4x13 32x4 | p[16777216]+0=? 5000
//= last 16 64 | p[16777216]+0=? 4
