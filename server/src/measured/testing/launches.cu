// One kernel in several configurations, and one that is launched again and again.
#include <cstdio>
__global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
template <int tile> __global__ void transpose(const float *in, float *out, int n) {
  __shared__ float part[tile][tile];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  part[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  out[y * n + x] = part[threadIdx.x][threadIdx.y];
}
int main() {
  const int n = 2048;
  float *a, *b;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  cudaMemset(b, 0, n * n * sizeof(float));
  for (int k = 0; k < 3; k++) axpy<<<n * n / 256, 256>>>(n * n, 2.0f, a, b);
  axpy<<<n * n / 64, 64>>>(n * n, 2.0f, a, b);
  transpose<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, n);
  transpose<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
