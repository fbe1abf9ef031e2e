// The first program of a beginner: malloc, copy in, one kernel, copy out.
#include <cstdio>
#include <cstdlib>
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  int n = 20 * (1 << 20);
  float *x = (float *)malloc(n * sizeof(float)), *y = (float *)malloc(n * sizeof(float)), *d_x, *d_y;
  for (int i = 0; i < n; i++) { x[i] = 1.0f; y[i] = 2.0f; }
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_y, n * sizeof(float));
  cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 511) / 512, 512>>>(n, 2.0f, d_x, d_y);
  cudaMemcpy(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", y[7]);
  cudaFree(d_x); cudaFree(d_y); free(x); free(y);
  return 0;
}
