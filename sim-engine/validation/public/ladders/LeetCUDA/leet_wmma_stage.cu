#include "hgemm_wmma_stage_k.cuh"
int main() {
  const int n = 4096;
  half *a, *b, *c;
  cudaMalloc(&a, sizeof(half) * n * n); cudaMalloc(&b, sizeof(half) * n * n); cudaMalloc(&c, sizeof(half) * n * n);
  cudaMemset(a, 0, sizeof(half) * n * n); cudaMemset(b, 0, sizeof(half) * n * n);
  torch::Tensor A{a, n, n, torch::kHalf}, B{b, n, n, torch::kHalf}, C{c, n, n, torch::kHalf};
  hgemm_wmma_m16n16k16_mma4x2_warp2x4_stages(A, B, C, 3, false, 2048);
  hgemm_wmma_m16n16k16_mma4x2_warp2x4_stages_dsmem(A, B, C, 3, false, 2048);
  hgemm_wmma_m16n16k16_mma4x4_warp4x4_stages_dsmem(A, B, C, 3, false, 2048);
  hgemm_wmma_m16n16k16_mma4x2_warp2x4_stages(A, B, C, 2, true, 1024);
  hgemm_wmma_m16n16k16_mma4x4_warp4x4_stages_dsmem(A, B, C, 2, true, 1024);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
