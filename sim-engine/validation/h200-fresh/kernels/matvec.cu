// Matrix times vector: a thread a row, a warp a row, a block a row, and the transposed matrix.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void threadPerRow(const float *A, const float *x, float *y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int j = 0; j < cols; j++) sum += A[row * cols + j] * x[j];
    y[row] = sum;
  }
}

__global__ void warpPerRow(const float *A, const float *x, float *y, int rows, int cols) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  float sum = 0.0f;
  for (int j = lane; j < cols; j += 32) sum += A[(size_t)warp * cols + j] * x[j];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (lane == 0) y[warp] = sum;
}

__global__ void blockPerRow(const float4 *A, const float4 *x, float *y, int cols4) {
  __shared__ float partial[8];
  float sum = 0;
  for (int j = threadIdx.x; j < cols4; j += blockDim.x) {
    float4 a = A[(size_t)blockIdx.x * cols4 + j], b = x[j];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < 8; w++) total += partial[w];
    y[blockIdx.x] = total;
  }
}

__global__ void transposedColumns(const float *A, const float *x, float *y, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int i = blockIdx.y; i < rows; i += gridDim.y) sum += A[(size_t)i * cols + col] * x[i];
  atomicAdd(&y[col], sum);
}

int main() {
  const int rows = 4096, cols = 8192;
  std::vector<float> h((size_t)rows * cols);
  for (size_t i = 0; i < h.size(); i++) h[i] = (i % 13) * 0.1f;
  float *A, *x, *y;
  cudaMalloc(&A, h.size() * sizeof(float));
  cudaMalloc(&x, cols * sizeof(float));
  cudaMalloc(&y, cols * sizeof(float));
  cudaMemcpy(A, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(x, h.data(), cols * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(y, 0, cols * sizeof(float));
  threadPerRow<<<rows / 128, 128>>>(A, x, y, rows, cols);
  warpPerRow<<<rows / 8, 256>>>(A, x, y, rows, cols);
  blockPerRow<<<rows, 256>>>((const float4 *)A, (const float4 *)x, y, cols / 4);
  transposedColumns<<<dim3(cols / 256, 32), 256>>>(A, x, y, rows, cols);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
