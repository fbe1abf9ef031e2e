// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int ITEMS>
__global__ void add_bias(float* x, float bias, int n) {
    int base = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int i = base + k * blockDim.x;
        if (i < n) x[i] += bias;
    }
}

int main() {
    const int n = 13000, threads = 128;
    std::vector<float> h(n, 1.f);
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    const int per_block = threads * 4;
    add_bias<4><<<(n + per_block - 1) / per_block, threads>>>(x, 0.5f, n);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(x);
}
