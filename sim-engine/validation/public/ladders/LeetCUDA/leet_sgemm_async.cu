#include "sgemm_async_k.cuh"
int main() {
  const int n = 2048;
  float *a, *b, *c;
  cudaMalloc(&a, sizeof(float) * n * n); cudaMalloc(&b, sizeof(float) * n * n); cudaMalloc(&c, sizeof(float) * n * n);
  cudaMemset(a, 0, sizeof(float) * n * n); cudaMemset(b, 0, sizeof(float) * n * n);
  torch::Tensor A{a, n, n, torch::kFloat32}, B{b, n, n, torch::kFloat32}, C{c, n, n, torch::kFloat32};
  sgemm_t_8x4_sliced_k16_f32x4_bcf_dbuf(A, B, C);
  sgemm_t_8x4_sliced_k16_f32x4_bcf_dbuf_async(A, B, C);
  sgemm_t_8x8_sliced_k16_f32x4_bcf_dbuf(A, B, C);
  sgemm_t_8x8_sliced_k16_f32x4_bcf_dbuf_async(A, B, C);
  sgemm_t_8x16_sliced_k16_f32x4_bcf_dbuf(A, B, C);
  sgemm_t_8x16_sliced_k16_f32x4_bcf_dbuf_async(A, B, C);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
