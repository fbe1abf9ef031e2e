#include "src/kernel.cuh"
#include "src/utils.cu"
int main() {
  float *A, *B, *C;
  const int n = 2048;
  cudaMalloc(&A, sizeof(float) * n * n); cudaMalloc(&B, sizeof(float) * n * n); cudaMalloc(&C, sizeof(float) * n * n);
  cudaMemset(A, 0, sizeof(float) * n * n); cudaMemset(B, 0, sizeof(float) * n * n); cudaMemset(C, 0, sizeof(float) * n * n);
  for (int k = 1; k <= 7; k++) test_kernel(k, n, n, n, 1.0f, A, B, 0.0f, C, 0);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
