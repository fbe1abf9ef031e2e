// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void count_odd(const int* x, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (x[i] & 1)) atomicAdd(count, 1);
}

int main() {
    const int n = 5000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *x, *count, odd = 0;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(count, 0, sizeof(int));
    count_odd<<<(n + 255) / 256, 256>>>(x, count, n);
    cudaMemcpy(&odd, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", odd);
    cudaFree(x);
    cudaFree(count);
}
