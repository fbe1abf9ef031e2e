// CLEAN: each element takes its right neighbour's of the other buffer.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scale(float* x, int n, float f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

__global__ void advect(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = i < n - 1 ? 0.5f * (x[i] + x[i + 1]) : x[i];
}

int main() {
    const int n = 5000;
    std::vector<float> h(n, 1.f);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int step = 0; step < 4; ++step) {
        scale<<<(n + 127) / 128, 128>>>(x, n, 0.99f);
        advect<<<(n + 127) / 128, 128>>>(x, y, n);
        std::swap(x, y);
    }
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(y);
}
