#include <cmath>
#include <random>
#include <vector>

__global__ void hist(const int *data, int n, int *bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1);
}
int main() {
  const int n = 1 << 18, bins = 256;
  std::mt19937 rng(5);
  std::normal_distribution<double> normal(bins / 2.0, bins / 16.0);
  std::bernoulli_distribution hot(0.3);
  std::vector<int> data(n);
  for (int i = 0; i < n; i++) {
    if (hot(rng)) data[i] = 17;
    else {
      int b = (int)std::lround(normal(rng));
      data[i] = b < 0 ? 0 : b >= bins ? bins - 1 : b;
    }
  }



  int *dd, *db; cudaMalloc(&dd, n * 4); cudaMalloc(&db, bins * 4);
  cudaMemcpy(dd, data.data(), n * 4, cudaMemcpyHostToDevice); cudaMemset(db, 0, bins * 4);
  hist<<<256, 256>>>(dd, n, db);
}
