#include <algorithm>
#include <random>
#include <vector>

struct Entry { int row, col; float v; };
__global__ void coo(const int *row, const int *col, const float *v, const float *x, float *y, int nnz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nnz) atomicAdd(&y[row[i]], v[i] * x[col[i]]);
}
int main() {
  const int rows = 4096, cols = 4096, want = 60000;
  std::mt19937 rng(99);
  std::uniform_int_distribution<int> pr(0, rows - 1), pc(0, cols - 1);
  std::normal_distribution<float> pv(0.f, 1.f);
  std::vector<Entry> entries;
  for (int i = 0; i < want; i++) entries.push_back({pr(rng), pc(rng), pv(rng)});
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.row < b.row || (a.row == b.row && a.col < b.col); });
  std::vector<int> row, col; std::vector<float> v;
  for (const auto &e : entries) {
    if (!row.empty() && row.back() == e.row && col.back() == e.col) continue;
    row.push_back(e.row); col.push_back(e.col); v.push_back(e.v);
  }
  int nnz = (int)row.size();



  int *dr, *dc; float *dv, *dx, *dy;
  cudaMalloc(&dr, nnz * 4); cudaMalloc(&dc, nnz * 4); cudaMalloc(&dv, nnz * 4); cudaMalloc(&dx, cols * 4); cudaMalloc(&dy, rows * 4);
  cudaMemcpy(dr, row.data(), nnz * 4, cudaMemcpyHostToDevice); cudaMemcpy(dc, col.data(), nnz * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dv, v.data(), nnz * 4, cudaMemcpyHostToDevice);
  coo<<<(nnz + 255) / 256, 256>>>(dr, dc, dv, dx, dy, nnz);
}
