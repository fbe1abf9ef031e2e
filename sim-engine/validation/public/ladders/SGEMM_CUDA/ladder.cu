#include "src/runner.cu"
int main() {
  const int sizes[] = {1024, 4096};
  float *A, *B, *C;
  cudaMalloc(&A, sizeof(float) * 4096 * 4096); cudaMalloc(&B, sizeof(float) * 4096 * 4096); cudaMalloc(&C, sizeof(float) * 4096 * 4096);
  cudaMemset(A, 0, sizeof(float) * 4096 * 4096); cudaMemset(B, 0, sizeof(float) * 4096 * 4096); cudaMemset(C, 0, sizeof(float) * 4096 * 4096);
  for (int s = 0; s < 2; s++)
    for (int k = 1; k <= 12; k++) run_kernel(k, sizes[s], sizes[s], sizes[s], 0.5f, A, B, 3.0f, C, 0);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
