// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void relax(float* x, float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        scratch[i] = x[i];
        x[i] = 0.5f * scratch[i];
    }
}

int main() {
    const int n = 1024;
    std::vector<float> h(n, 8.f);
    float *x, *scratch;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&scratch, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; ++k) {
        relax<<<n / 256, 256>>>(x, scratch, n);
    }
    cudaFree(scratch);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
}
