// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TS = 32;

__global__ void sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n) {
    __shared__ float As[TS][TS + 1];
    __shared__ float Bs[TS][TS + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TS + ty, col = blockIdx.x * TS + tx;
    float acc = 0.f;
    for (int t = 0; t < n; t += TS) {
        As[ty][tx] = A[row * n + t + tx];
        Bs[ty][tx] = B[(t + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TS; ++k)
            acc = fmaf(As[ty][k], Bs[k][tx], acc);
        __syncthreads();
    }
    C[row * n + col] = acc;
}

int main() {
    const int n = 128;
    const size_t bytes = size_t(n) * n * sizeof(float);
    std::vector<float> h(n * n, 0.1f);
    float *A, *B, *C;
    cudaMalloc(&A, bytes);
    cudaMalloc(&B, bytes);
    cudaMalloc(&C, bytes);
    cudaMemcpy(A, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(B, h.data(), bytes, cudaMemcpyHostToDevice);
    sgemm<<<dim3(n / TS, n / TS), dim3(TS, TS)>>>(A, B, C, n);
    cudaMemcpy(h.data(), C, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(A); cudaFree(B); cudaFree(C);
}
