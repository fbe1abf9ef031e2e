// BROKEN: the index of 3,000,000,000 bytes is kept in an int: from block 8,388,608 on it is negative and passes the guard.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void flip_bits(unsigned char* data, long long n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // BUG: unchecked-arithmetic (or line 7)
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
