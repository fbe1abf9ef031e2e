// BROKEN: the copy back is asynchronous and another stream is waited for: h[0] may be read before it is there.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void square(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i * i;
}

int main() {
    const int n = 1024;
    int *h, *x;
    cudaMallocHost(&h, n * sizeof(int));
    cudaMalloc(&x, n * sizeof(int));
    cudaStream_t work, other;
    cudaStreamCreate(&work);
    cudaStreamCreate(&other);
    square<<<n / 256, 256, 0, work>>>(x, n);
    cudaMemcpyAsync(h, x, n * sizeof(int), cudaMemcpyDeviceToHost, work);
    cudaStreamSynchronize(other);
    printf("%d\n", h[0]);  // BUG: unsynchronised-host-read
    cudaStreamDestroy(work);
    cudaStreamDestroy(other);
    cudaFree(x);
    cudaFreeHost(h);
}
