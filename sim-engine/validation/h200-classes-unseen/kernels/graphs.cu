// Sparse matrices and graphs: rows a thread, rows a warp, ELLPACK, coordinates, a level of a search, page rank.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void csrThread(const int *rows, const int *cols, const float *vals, const float *x, float *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0.f;
  for (int k = rows[r]; k < rows[r + 1]; k++) s += vals[k] * x[cols[k]];
  y[r] = s;
}

__global__ void csrWarp(const int *rows, const int *cols, const float *vals, const float *x, float *y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (r >= n) return;
  float s = 0.f;
  for (int k = rows[r] + lane; k < rows[r + 1]; k += 32) s += vals[k] * x[cols[k]];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) y[r] = s;
}

__global__ void ell(const int *cols, const float *vals, const float *x, float *y, int n, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0.f;
  for (int k = 0; k < width; k++) s += vals[k * n + r] * x[cols[k * n + r]];
  y[r] = s;
}

__global__ void coordinates(const int *row, const int *col, const float *vals, const float *x, float *y, int nnz) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < nnz) atomicAdd(&y[row[k]], vals[k] * x[col[k]]);
}

__global__ void level(const int *rows, const int *cols, int *distance, int *changed, int at, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && distance[v] == at)
    for (int k = rows[v]; k < rows[v + 1]; k++)
      if (distance[cols[k]] < 0) {
        distance[cols[k]] = at + 1;
        *changed = 1;
      }
}

int main() {
  const int n = 1 << 18, each = 16, nnz = n * each;
  std::vector<int> rows(n + 1), cols(nnz), row(nnz), distance(n, -1);
  for (int i = 0; i <= n; i++) rows[i] = i * each;
  for (int k = 0; k < nnz; k++) {
    cols[k] = rand() % n;
    row[k] = k / each;
  }
  for (int i = 0; i < n; i += 8) distance[i] = 0;
  int *dr, *dc, *dd, *drow, *changed;
  float *v, *x, *y;
  cudaMalloc(&dr, (n + 1) * sizeof(int));
  cudaMalloc(&dc, nnz * sizeof(int));
  cudaMalloc(&drow, nnz * sizeof(int));
  cudaMalloc(&dd, n * sizeof(int));
  cudaMalloc(&changed, sizeof(int));
  cudaMalloc(&v, nnz * sizeof(float));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(dr, rows.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, cols.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(drow, row.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dd, distance.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(v, 0, nnz * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  csrThread<<<n / 256, 256>>>(dr, dc, v, x, y, n);
  csrWarp<<<n / 8, 256>>>(dr, dc, v, x, y, n);
  ell<<<n / 128, 128>>>(dc, v, x, y, n, each);
  coordinates<<<nnz / 256, 256>>>(drow, dc, v, x, y, nnz);
  level<<<n / 256, 256>>>(dr, dc, dd, changed, 0, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
