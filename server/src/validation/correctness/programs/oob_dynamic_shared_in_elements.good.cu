// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reverse_blocks(float* data) {
    extern __shared__ float s[];
    int base = blockIdx.x * blockDim.x;
    s[threadIdx.x] = data[base + threadIdx.x];
    __syncthreads();
    data[base + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

int main() {
    const int block = 256, grid = 32, n = block * grid;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reverse_blocks<<<grid, block, block * sizeof(float)>>>(d);
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(d);
}
