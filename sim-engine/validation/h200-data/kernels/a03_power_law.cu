#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

__global__ void degree_sum(const int *row, const int *col, const int *level, int *out, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= n) return;
  int best = 1 << 30;
  for (int e = row[warp] + lane; e < row[warp + 1]; e += 32) best = min(best, level[col[e]]);
  for (int o = 16; o; o >>= 1) best = min(best, __shfl_down_sync(~0u, best, o));
  if (lane == 0) out[warp] = best;
}
int main() {
  const int n = 8192;
  std::default_random_engine gen(7);
  std::uniform_real_distribution<double> u(0.0, 1.0);
  auto degree = [&]() { return std::min(1024, (int)(2.0 / std::pow(1.0 - u(gen), 1.0 / 1.3))); };
  std::vector<int> row(n + 1), col;
  row[0] = 0;
  for (int v = 0; v < n; v++) {
    int d = degree();
    for (int k = 0; k < d; k++) {
      int target = static_cast<int>(u(gen) * n);
      col.push_back(target);
    }
    std::sort(col.begin() + row[v], col.end());
    row[v + 1] = col.size();
  }
  std::vector<int> level(n, 1);



  int *d_row, *d_col, *d_level, *d_out;
  cudaMalloc(&d_row, sizeof(int) * row.size()); cudaMalloc(&d_col, sizeof(int) * col.size());
  cudaMalloc(&d_level, sizeof(int) * n); cudaMalloc(&d_out, sizeof(int) * n);
  cudaMemcpy(d_row, row.data(), sizeof(int) * row.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_col, col.data(), sizeof(int) * col.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_level, level.data(), sizeof(int) * n, cudaMemcpyHostToDevice);
  degree_sum<<<(n * 32 + 255) / 256, 256>>>(d_row, d_col, d_level, d_out, n);
}
