#include "hgemm_mma_k.cuh"
int main() {
  const int n = 4096;
  half *a, *b, *c;
  cudaMalloc(&a, sizeof(half) * n * n); cudaMalloc(&b, sizeof(half) * n * n); cudaMalloc(&c, sizeof(half) * n * n);
  cudaMemset(a, 0, sizeof(half) * n * n); cudaMemset(b, 0, sizeof(half) * n * n);
  torch::Tensor A{a, n, n, torch::kHalf}, B{b, n, n, torch::kHalf}, C{c, n, n, torch::kHalf};
  hgemm_mma_m16n8k16_naive(A, B, C);
  hgemm_mma_m16n8k16_mma2x4_warp4x4(A, B, C);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
