// BROKEN: the download writes n floats into a host vector of n / 2.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void table(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = sqrtf(float(i));
}

int main() {
    const int n = 8000;
    std::vector<float> result(n / 2);
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    table<<<(n + 255) / 256, 256>>>(x, n);
    cudaMemcpy(result.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);  // BUG: copy-size
    printf("%f\n", result[10]);
    cudaFree(x);
}
