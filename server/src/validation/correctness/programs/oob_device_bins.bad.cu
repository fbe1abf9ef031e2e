// BROKEN: the data hold values up to 64 and there are 64 bins: thread 64 of block 0 increments bins[64].
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ unsigned int bins[64];

__global__ void histogram(const unsigned char* data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);  // BUG: out-of-bounds-access
}

int main() {
    const int n = 1 << 16;
    std::vector<unsigned char> h(n);
    for (int i = 0; i < n; ++i) h[i] = (unsigned char)(i % 65);
    unsigned char* d;
    cudaMalloc(&d, n);
    cudaMemcpy(d, h.data(), n, cudaMemcpyHostToDevice);
    histogram<<<16, 256>>>(d, n);
    unsigned int out[64];
    cudaMemcpyFromSymbol(out, bins, sizeof(out));
    printf("%u\n", out[0]);
    cudaFree(d);
}
