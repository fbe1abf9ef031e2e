// BROKEN: each element takes its right neighbour's, which the next block may have changed already.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scale(float* x, int n, float f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

__global__ void advect(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) x[i] = 0.5f * (x[i] + x[i + 1]);  // BUG: global-memory-race
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
        advect<<<(n + 127) / 128, 128>>>(x, n);

    }
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(y);
}
