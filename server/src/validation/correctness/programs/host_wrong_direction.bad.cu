// BROKEN: the result is copied back with cudaMemcpyHostToDevice: a device pointer as source of a host copy.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void iota(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}

int main() {
    const int n = 1024;
    int* h = (int*)calloc(n, sizeof(int));
    int* d = nullptr;
    cudaMalloc(&d, n * sizeof(int));
    iota<<<n / 128, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyHostToDevice);  // BUG: copy-direction
    printf("%d\n", h[n - 1]);
    cudaFree(d);
    free(h);
}
