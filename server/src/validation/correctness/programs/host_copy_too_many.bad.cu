// BROKEN: the copy is sized with double for arrays of float: 16,000 bytes into an allocation of 8,000.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void halve(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 0.5f;
}

int main() {
    const int n = 2000;
    std::vector<float> h(n, 1.f);
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);  // BUG: copy-size
    halve<<<(n + 255) / 256, 256>>>(x, n);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
}
