#include <cuda_fp16.h>
#include <cstdio>
#include "src/00_non_coalesced_global_memory_access.cu"
#include "src/cuda_gemm_utils.cu"
int main() {
  using T = float;
  const size_t n = 4096;
  T *A, *B, *C;
  const T alpha{1.0f}, beta{0.0f};
  cudaMalloc(&A, sizeof(T) * n * n); cudaMalloc(&B, sizeof(T) * n * n); cudaMalloc(&C, sizeof(T) * n * n);
  cudaMemset(A, 0, sizeof(T) * n * n); cudaMemset(B, 0, sizeof(T) * n * n); cudaMemset(C, 0, sizeof(T) * n * n);
  launch_gemm_kernel_v00<T>(n, n, n, &alpha, A, n, B, n, &beta, C, n, 0);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
