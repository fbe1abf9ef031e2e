// CLEAN: both streams are waited for before their results are read.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void increment(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ++x[i];
}

int main() {
    const int n = 4096;
    int *h[2], *d[2];
    cudaStream_t s[2];
    for (int k = 0; k < 2; ++k) {
        cudaStreamCreate(&s[k]);
        cudaMallocHost(&h[k], n * sizeof(int));
        cudaMalloc(&d[k], n * sizeof(int));
        for (int i = 0; i < n; ++i) h[k][i] = i;
    }
    for (int k = 0; k < 2; ++k) {
        cudaMemcpyAsync(d[k], h[k], n * sizeof(int), cudaMemcpyHostToDevice, s[k]);
        increment<<<n / 256, 256, 0, s[k]>>>(d[k], n);
        cudaMemcpyAsync(h[k], d[k], n * sizeof(int), cudaMemcpyDeviceToHost, s[k]);
    }
    cudaStreamSynchronize(s[0]);
    cudaStreamSynchronize(s[1]);
    printf("%d %d\n", h[0][0], h[1][0]);
    for (int k = 0; k < 2; ++k) {
        cudaStreamDestroy(s[k]);
        cudaFreeHost(h[k]);
        cudaFree(d[k]);
    }
}
