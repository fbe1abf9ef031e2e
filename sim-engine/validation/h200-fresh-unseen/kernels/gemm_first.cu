// Matrix products as a course develops them: straight, coalesced or not, by tiles of 16 and of 32, two results a thread.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void matMulNaive(const float *A, const float *B, float *C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

__global__ void matMulWrongWay(const float *A, const float *B, float *C, int M, int N, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

template <int TILE>
__global__ void matMulTiled(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
    Bs[ty][tx] = col < N && t * TILE + ty < K ? B[(t * TILE + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

#define COARSE 4
__global__ void matMulCoarse(const float *A, const float *B, float *C, int width) {
  __shared__ float As[32][32], Bs[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 32 + ty, colStart = blockIdx.x * 32 * COARSE + tx;
  float value[COARSE];
  for (int c = 0; c < COARSE; ++c) value[c] = 0.0f;
  for (int ph = 0; ph < width / 32; ++ph) {
    As[ty][tx] = A[row * width + ph * 32 + tx];
    for (int c = 0; c < COARSE; ++c) {
      int col = colStart + c * 32;
      Bs[ty][tx] = B[(ph * 32 + ty) * width + col];
      __syncthreads();
      for (int k = 0; k < 32; ++k) value[c] += As[ty][k] * Bs[k][tx];
      __syncthreads();
    }
  }
  for (int c = 0; c < COARSE; ++c) C[row * width + colStart + c * 32] = value[c];
}

int main() {
  const int M = 1024, N = 1024, K = 1024;
  float *h = (float *)malloc(M * K * sizeof(float));
  for (int i = 0; i < M * K; i++) h[i] = rand() % 10;
  float *A, *B, *C;
  cudaMalloc(&A, M * K * sizeof(float));
  cudaMalloc(&B, K * N * sizeof(float));
  cudaMalloc(&C, M * N * sizeof(float));
  cudaMemcpy(A, h, M * K * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(B, h, K * N * sizeof(float), cudaMemcpyHostToDevice);
  dim3 threads(16, 16);
  dim3 blocks((N + threads.x - 1) / threads.x, (M + threads.y - 1) / threads.y);
  matMulNaive<<<blocks, threads>>>(A, B, C, M, N, K);
  matMulWrongWay<<<blocks, threads>>>(A, B, C, M, N, K);
  matMulTiled<16><<<blocks, threads>>>(A, B, C, M, N, K);
  matMulTiled<32><<<dim3(N / 32, M / 32), dim3(32, 32)>>>(A, B, C, M, N, K);
  matMulCoarse<<<dim3(N / 32 / COARSE, M / 32), dim3(32, 32)>>>(A, B, C, M);
  cudaMemcpy(h, C, M * N * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", h[17]);
  return 0;
}
