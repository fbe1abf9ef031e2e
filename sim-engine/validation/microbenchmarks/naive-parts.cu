#include <cuda_runtime.h>
#include <cstdio>
// A naive product, and parts of it: what the two loads of a turn cost.
template <int MODE> __global__ void part(int M, int N, int K, const float* A, const float* B, float* C) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float acc = 0.f;
  for (int k = 0; k < K; ++k) {
    if (MODE == 0) acc += A[row * K + k] * B[k * N + col];
    if (MODE == 1) acc += A[row * K + k];
    if (MODE == 2) acc += B[k * N + col];
    if (MODE == 3) acc += A[row * K + k] * B[(k & 7) * N + col];
    if (MODE == 4) acc += A[row * K + (k & 7)] * B[k * N + col];
    if (MODE == 5) acc += A[row * K + (k & 7)] * B[(k & 7) * N + col];
    if (MODE == 6) acc += A[k] * B[k * N + col];
    if (MODE == 7) acc += A[row * K + k] * B[k * N + threadIdx.x];
  }
  C[row * N + col] = acc;
}
template <int MODE> void go(float* a, float* b, float* c, int n) {
  for (dim3 block : {dim3(32, 4), dim3(32, 8), dim3(32, 16), dim3(32, 32)}) {
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
    float best = 1e30f;
    for (int k = 0; k < 4; k++) {
      cudaEventRecord(e0);
      part<MODE><<<dim3(n / 32, n / block.y), block>>>(n, n, n, a, b, c);
      cudaEventRecord(e1); cudaEventSynchronize(e1);
      float ms; cudaEventElapsedTime(&ms, e0, e1); best = ms < best ? ms : best;
    }
    double loads = (double)n / 32 * n * n * (MODE == 1 || MODE == 2 ? 1 : 2) / 132;
    printf("mode %d n %d block 32x%d: %8.1f us, %.3f cycles a load at 1980 MHz\n", MODE, n, block.y, best * 1000, best * 1e-3 * 1.98e9 / loads);
  }
}
int main() {
  float *a, *b, *c; const int n = 2112;  // 66 x 66 blocks of 32: whole waves
  cudaMalloc(&a, 32 << 20); cudaMalloc(&b, 32 << 20); cudaMalloc(&c, 32 << 20); cudaMemset(a, 0, 32 << 20); cudaMemset(b, 0, 32 << 20);
  go<0>(a, b, c, n); go<1>(a, b, c, n); go<2>(a, b, c, n); go<3>(a, b, c, n); go<4>(a, b, c, n); go<5>(a, b, c, n); go<6>(a, b, c, n); go<7>(a, b, c, n);
  go<0>(a, b, c, 1056); go<0>(a, b, c, 1024); go<0>(a, b, c, 2048);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
