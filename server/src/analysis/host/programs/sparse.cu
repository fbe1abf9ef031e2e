// Compressed rows whose lengths differ: random lengths summed up, and lengths that follow the row.
#include <cstdlib>
#include <vector>

__global__ void spmv(const int *rowPtr, const int *col, const float *val, const float *x, float *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int e = rowPtr[row]; e < rowPtr[row + 1]; ++e) sum += val[e] * x[col[e]];
  y[row] = sum;
}

int main() {
  const int rows = 1 << 15;
  std::vector<int> rowPtr(rows + 1);
  std::vector<int> col;
  rowPtr[0] = 0;
  for (int r = 0; r < rows; ++r) {
    int length = 1 + rand() % 31;
    rowPtr[r + 1] = rowPtr[r] + length;
  }
  int nnz = rows * 16;
  col.resize(nnz);
  for (int e = 0; e < nnz; ++e) col[e] = rand() % rows;
  std::vector<float> val(nnz, 1.0f);
  int *dRow, *dCol;
  float *dVal, *x, *y;
  cudaMalloc(&dRow, rowPtr.size() * sizeof(int));
  cudaMalloc(&dCol, nnz * sizeof(int));
  cudaMalloc(&dVal, nnz * sizeof(float));
  cudaMalloc(&x, rows * sizeof(float));
  cudaMalloc(&y, rows * sizeof(float));
  cudaMemcpy(dRow, rowPtr.data(), rowPtr.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dCol, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dVal, val.data(), nnz * sizeof(float), cudaMemcpyHostToDevice);
  spmv<<<rows / 128, 128>>>(dRow, dCol, dVal, x, y, rows);
}
//= spmv 256 128 | dRow[131076]+0=values(0,11,17,21,29,49,68,76) dCol[2097152]+0=uniform(0,32768) dVal[2097152]+0=constant(1) x[131072]+0=? y[131072]+0=? 32768
