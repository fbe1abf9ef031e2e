// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int T>
__global__ void gemm(const float* A, const float* B, float* C, int n) {
    __shared__ float As[T][T], Bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < n; k0 += T) {
        int ka = k0 + tx, kb = k0 + ty;
        As[ty][tx] = (row < n && ka < n) ? A[row * n + ka] : 0.0f;
        Bs[ty][tx] = (kb < n && col < n) ? B[kb * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = acc;
}

int main() {
    const int n = 100;
    const size_t bytes = n * n * sizeof(float);
    std::vector<float> h(n * n, 1.0f);
    float *A, *B, *C;
    cudaMalloc(&A, bytes);
    cudaMalloc(&B, bytes);
    cudaMalloc(&C, bytes);
    cudaMemcpy(A, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(B, h.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    gemm<16><<<grid, block>>>(A, B, C, n);
    cudaMemcpy(h.data(), C, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(A); cudaFree(B); cudaFree(C);
}
