#include <cstdio>
#include <random>
#include <vector>

__global__ void spmv(int rows, const int *row_ptr, const int *col, const float *val, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float s = 0;
    for (int k = row_ptr[r]; k < row_ptr[r + 1]; ++k) s += val[k] * x[col[k]];
    y[r] = s;
  }
}
int main() {
  const int rows = 20000, cols = 20000;
  std::mt19937 rng(1234);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<int> row_ptr, col;
  std::vector<float> val;
  row_ptr.push_back(0);
  for (int r = 0; r < rows; ++r) {
    int n = rng() % 32;
    for (int k = 0; k < n; ++k) {
      col.push_back(rng() % cols);
      val.push_back(unit(rng));
    }
    row_ptr.push_back((int)col.size());
  }
  std::vector<float> x(cols, 1.0f);
  int nnz = col.size();



  int *d_row, *d_col; float *d_val, *d_x, *d_y;
  cudaMalloc(&d_row, row_ptr.size() * sizeof(int));
  cudaMalloc(&d_col, nnz * sizeof(int));
  cudaMalloc(&d_val, nnz * sizeof(float));
  cudaMalloc(&d_x, cols * sizeof(float));
  cudaMalloc(&d_y, rows * sizeof(float));
  cudaMemcpy(d_row, row_ptr.data(), row_ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_col, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_val, val.data(), nnz * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_x, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice);
  spmv<<<(rows + 255) / 256, 256>>>(rows, d_row, d_col, d_val, d_x, d_y);
  cudaDeviceSynchronize();
}
