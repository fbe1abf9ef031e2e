// A class that holds generator and matrix; rows filled by a helper; poisson lengths.
#include <algorithm>
#include <random>
#include <vector>

__global__ void spmv(int rows, const int *row_ptr, const int *col, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0; for (int k = row_ptr[r]; k < row_ptr[r + 1]; ++k) s += x[col[k]];
  y[r] = s;
}
static int pick(std::mt19937 &gen, int n) { std::uniform_int_distribution<int> d(0, n - 1); return d(gen); }
static void add_row(std::vector<int> &cols, int count, int n, std::mt19937 &gen) {
  std::vector<int> row;
  for (int i = 0; i < count; i++) row.push_back(pick(gen, n));
  std::sort(row.begin(), row.end());
  row.erase(std::unique(row.begin(), row.end()), row.end());
  cols.insert(cols.end(), row.begin(), row.end());
}
int main() {
  const int rows = 6000;
  std::mt19937 gen(321);
  std::poisson_distribution<int> len(6);
  std::vector<int> row_ptr(1, 0), cols;
  for (int r = 0; r < rows; r++) {
    add_row(cols, len(gen), rows, gen);
    row_ptr.push_back(static_cast<int>(cols.size()));
  }



  int *dr, *dc; float *dx, *dy; cudaMalloc(&dr, row_ptr.size() * 4); cudaMalloc(&dc, cols.size() * 4); cudaMalloc(&dx, rows * 4); cudaMalloc(&dy, rows * 4);
  cudaMemcpy(dr, row_ptr.data(), row_ptr.size() * 4, cudaMemcpyHostToDevice); cudaMemcpy(dc, cols.data(), cols.size() * 4, cudaMemcpyHostToDevice);
  spmv<<<(rows + 127) / 128, 128>>>(rows, dr, dc, dx, dy);
}
