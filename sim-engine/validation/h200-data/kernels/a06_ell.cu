#include <cstdlib>
#include <algorithm>
#include <vector>

__global__ void ell(const int *len, const int *col, const float *val, const float *x, float *y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < len[r]; k++) s += val[k * rows + r] * x[col[k * rows + r]];
  y[r] = s;
}
int main() {
  const int rows = 10000, cols = 10000;
  int *len = (int *)malloc(rows * sizeof(int));
  int width = 0;
  for (int r = 0; r < rows; r++) {
    len[r] = 1 + rand() % 20;
    width = std::max(width, len[r]);
  }
  std::vector<int> col((size_t)width * rows, -1);
  std::vector<float> val((size_t)width * rows, 0.f);
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < len[r]; k++) {
      col[k * rows + r] = rand() % cols;
      val[k * rows + r] = rand() / (float)RAND_MAX;
    }



  int *dl, *dc; float *dv, *dx, *dy; size_t bytes = (size_t)width * rows * 4;
  cudaMalloc(&dl, rows * 4); cudaMalloc(&dc, bytes); cudaMalloc(&dv, bytes); cudaMalloc(&dx, cols * 4); cudaMalloc(&dy, rows * 4);
  cudaMemcpy(dl, len, rows * 4, cudaMemcpyHostToDevice); cudaMemcpy(dc, col.data(), bytes, cudaMemcpyHostToDevice); cudaMemcpy(dv, val.data(), bytes, cudaMemcpyHostToDevice);
  ell<<<(rows + 255) / 256, 256>>>(dl, dc, dv, dx, dy, rows);
}
