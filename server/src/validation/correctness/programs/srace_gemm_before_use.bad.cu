// BROKEN: no barrier between loading the tiles and using them: thread (0,0) reads Bs[2][0], which thread (0,2) of the next warp writes.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float acc = 0.f;
    for (int t = 0; t < K / TILE; ++t) {
        As[threadIdx.y][threadIdx.x] = A[row * K + t * TILE + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * N + col];

        for (int k = 0; k < TILE; ++k)
            acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];  // BUG: shared-memory-race (or line 16)
        __syncthreads();
    }
    C[row * N + col] = acc;
}

int main() {
    const int M = 64, N = 96, K = 128;
    std::vector<float> a(M * K, 1.f), b(K * N, 2.f), c(M * N);
    float *A, *B, *C;
    cudaMalloc(&A, sizeof(float) * M * K);
    cudaMalloc(&B, sizeof(float) * K * N);
    cudaMalloc(&C, sizeof(float) * M * N);
    cudaMemcpy(A, a.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice);
    matmul<<<dim3(N / TILE, M / TILE), dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    cudaMemcpy(c.data(), C, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
    printf("%f\n", c[0]);
    cudaFree(A); cudaFree(B); cudaFree(C);
}
