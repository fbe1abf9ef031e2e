// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void clamp(float* x, int n, float lo, float hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fminf(fmaxf(x[i], lo), hi);
}

int main() {
    const int n = 200, threads = 256;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i * 0.02f;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    int blocks = (n + threads - 1) / threads;
    clamp<<<blocks, threads>>>(x, n, 0.f, 1.f);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(x);
}
