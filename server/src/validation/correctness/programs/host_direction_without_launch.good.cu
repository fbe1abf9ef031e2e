#include <cstdio>
#include <cuda_runtime.h>

int main() {
    const size_t bytes = 1 << 16;
    char *host, *device;
    float ms;
    cudaEvent_t begin, end;
    cudaMallocHost(&host, bytes);
    cudaMalloc(&device, bytes);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    printf("%f GB/s\n", 2e-6 * bytes / ms);
    cudaFree(device);
    cudaFreeHost(host);
}
