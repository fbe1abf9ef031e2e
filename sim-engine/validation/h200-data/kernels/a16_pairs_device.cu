// Seeded by the device: nobody knows the numbers. Edges as pairs, sorted, made unique.
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

__global__ void tri(const int *row, const int *col, int *out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int c = 0;
  for (int e = row[v]; e < row[v + 1]; e++) c += row[col[e] + 1] - row[col[e]];
  out[v] = c;
}
int main() {
  const int n = 4096, m = 50000;
  std::random_device rd;
  std::mt19937 gen(rd());
  std::uniform_int_distribution<int> pick(0, n - 1);
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < m; i++) {
    int u = pick(gen), v = pick(gen);
    if (u != v) edges.push_back(std::make_pair(u, v));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<int> row(n + 1, 0), col;
  for (auto &e : edges) { row[e.first + 1]++; col.push_back(e.second); }
  for (int v = 0; v < n; v++) row[v + 1] += row[v];



  int *dr, *dc, *dout; cudaMalloc(&dr, (n + 1) * 4); cudaMalloc(&dc, col.size() * 4); cudaMalloc(&dout, n * 4);
  cudaMemcpy(dr, row.data(), (n + 1) * 4, cudaMemcpyHostToDevice); cudaMemcpy(dc, col.data(), col.size() * 4, cudaMemcpyHostToDevice);
  tri<<<(n + 255) / 256, 256>>>(dr, dc, dout, n);
}
