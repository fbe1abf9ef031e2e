// Sparse matrix times vector: rows of different lengths by threads, by warps, by diagonals.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void spmvScalarRows(int rows, const int *ptr, const int *cols, const float *vals, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float dot = 0;
    int start = ptr[row], end = ptr[row + 1];
    for (int j = start; j < end; j++) dot += vals[j] * x[cols[j]];
    y[row] += dot;
  }
}

__global__ void spmvVectorRows(int rows, const int *ptr, const int *cols, const float *vals, const float *x, float *y) {
  __shared__ float sums[256];
  int thread = blockDim.x * blockIdx.x + threadIdx.x;
  int row = thread / 32, lane = thread & 31;
  if (row < rows) {
    int start = ptr[row], end = ptr[row + 1];
    float sum = 0;
    for (int j = start + lane; j < end; j += 32) sum += vals[j] * x[cols[j]];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
    sums[threadIdx.x] = sum;
    if (lane == 0) y[row] += sums[threadIdx.x];
  }
}

__global__ void spmvDiagonals(int rows, int count, const int *offsets, const float *data, const float *x, float *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    float dot = 0;
    for (int n = 0; n < count; n++) {
      int col = row + offsets[n];
      float v = data[rows * n + row];
      if (col >= 0 && col < rows) dot += v * x[col];
    }
    y[row] += dot;
  }
}

int main() {
  const int rows = 1 << 18;
  std::vector<int> ptr(rows + 1), cols;
  for (int r = 0; r < rows; r++) {
    ptr[r] = cols.size();
    int count = 8 + r % 17;
    for (int j = 0; j < count; j++) cols.push_back((r + j * 97) % rows);
  }
  ptr[rows] = cols.size();
  std::vector<float> vals(cols.size(), 1.0f);
  int *d_ptr, *d_cols, *d_offsets;
  float *d_vals, *d_x, *d_y, *d_data;
  cudaMalloc(&d_ptr, (rows + 1) * sizeof(int));
  cudaMalloc(&d_cols, cols.size() * sizeof(int));
  cudaMalloc(&d_vals, cols.size() * sizeof(float));
  cudaMalloc(&d_x, rows * sizeof(float));
  cudaMalloc(&d_y, rows * sizeof(float));
  cudaMalloc(&d_data, rows * 7 * sizeof(float));
  cudaMalloc(&d_offsets, 7 * sizeof(int));
  cudaMemcpy(d_ptr, ptr.data(), (rows + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_cols, cols.data(), cols.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_vals, vals.data(), cols.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_x, 0, rows * sizeof(float));
  cudaMemset(d_y, 0, rows * sizeof(float));
  cudaMemset(d_data, 0, rows * 7 * sizeof(float));
  int offsets[7] = {-4096, -64, -1, 0, 1, 64, 4096};
  cudaMemcpy(d_offsets, offsets, sizeof(offsets), cudaMemcpyHostToDevice);
  spmvScalarRows<<<rows / 256, 256>>>(rows, d_ptr, d_cols, d_vals, d_x, d_y);
  spmvVectorRows<<<rows / 8, 256>>>(rows, d_ptr, d_cols, d_vals, d_x, d_y);
  spmvDiagonals<<<rows / 256, 256>>>(rows, 7, d_offsets, d_data, d_x, d_y);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
