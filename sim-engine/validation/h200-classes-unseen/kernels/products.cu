// Matrix products: one result a thread in both orders, tiles, a strip of results, many small ones.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void rowByX(const float *A, const float *B, float *C, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0.f;
  for (int k = 0; k < N; k++) s += A[row * N + k] * B[k * N + col];
  C[row * N + col] = s;
}

__global__ void rowByY(const float *A, const float *B, float *C, int N) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < N && col < N) {
    float s = 0.f;
    for (int k = 0; k < N; k++) s += A[row * N + k] * B[k * N + col];
    C[row * N + col] = s;
  }
}

template <int T> __global__ void tiled(const float *A, const float *B, float *C, int N) {
  __shared__ float a[T][T], b[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float s = 0.f;
  for (int m = 0; m < N / T; m++) {
    a[ty][tx] = A[row * N + m * T + tx];
    b[ty][tx] = B[(m * T + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < T; k++) s += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = s;
}

// Four rows of results a thread.
__global__ void strips(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int N) {
  __shared__ float a[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty * 4;
  float s[4] = {0.f, 0.f, 0.f, 0.f};
  for (int m = 0; m < N; m += 32) {
    for (int i = 0; i < 4; i++) a[ty * 4 + i][tx] = A[(row + i) * N + m + tx];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
      float b = B[(m + k) * N + col];
      for (int i = 0; i < 4; i++) s[i] += a[ty * 4 + i][k] * b;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) C[(row + i) * N + col] = s[i];
}

__global__ void small8(const double *A, const double *B, double *C) {
  __shared__ double a[64], b[64];
  int t = threadIdx.x, base = blockIdx.x * 64;
  a[t] = A[base + t];
  b[t] = B[base + t];
  __syncthreads();
  double s = 0;
  for (int k = 0; k < 8; k++) s += a[t / 8 * 8 + k] * b[k * 8 + t % 8];
  C[base + t] = s;
}

int main() {
  const int N = 1024;
  size_t bytes = N * N * sizeof(double);
  float *A, *B, *C;
  cudaMalloc(&A, bytes);
  cudaMalloc(&B, bytes);
  cudaMalloc(&C, bytes);
  float *h = (float *)malloc(N * N * sizeof(float));
  for (int i = 0; i < N * N; i++) h[i] = rand() % 10;
  cudaMemcpy(A, h, N * N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(B, h, N * N * sizeof(float), cudaMemcpyHostToDevice);
  rowByX<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(A, B, C, N);
  rowByY<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(A, B, C, N);
  tiled<16><<<dim3(N / 16, N / 16), dim3(16, 16)>>>(A, B, C, N);
  tiled<32><<<dim3(N / 32, N / 32), dim3(32, 32)>>>(A, B, C, N);
  strips<<<dim3(N / 32, N / 32), dim3(32, 8)>>>(A, B, C, N);
  small8<<<N * N / 64, 64>>>((double *)A, (double *)B, (double *)C);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
