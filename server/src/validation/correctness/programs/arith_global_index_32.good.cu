// CLEAN
#include <cstdio>
#include <cuda_runtime.h>

__global__ void flip_bits(unsigned char* data, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = ~data[i];
}

int main() {
    const long long n = 3000000000LL;
    unsigned char *data, last = 0;
    cudaMalloc(&data, n);
    cudaMemset(data, 0x0f, n);
    unsigned blocks = (unsigned)((n + 255) / 256);
    flip_bits<<<blocks, 256>>>(data, n);
    cudaMemcpy(&last, data + n - 1, 1, cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(data);
}
