// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void by_tens(const int* x, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i] / 10], 1);
}

int main() {
    const int n = 5000, count = 100;
    std::vector<int> h(n);
    unsigned state = 12345;
    for (int i = 0; i < n; ++i) {
        state = state * 1103515245u + 12345u;
        h[i] = (state >> 16) % 1000;
    }
    int *x, *bins;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&bins, count * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, count * sizeof(int));
    by_tens<<<(n + 255) / 256, 256>>>(x, bins, n);
    cudaMemcpy(h.data(), bins, count * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(x);
    cudaFree(bins);
}
