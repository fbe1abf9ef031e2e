// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256, 2) poly(const float* x, float* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        y[i] = ((v * 0.5f + 1.f) * v - 2.f) * v + 3.f;
    }
}

int main() {
    const int n = 100000;
    std::vector<float> h(n, 0.25f);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(256);
    poly<<<64, block>>>(x, y, n);
    cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(y);
}
