// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TAPS = 9;
__constant__ float filter[TAPS];

__global__ void convolve(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.f;
    for (int k = 0; k < TAPS; ++k) sum += filter[k] * x[i + k];
    y[i] = sum;
}

int main() {
    const int n = 2000;
    float taps[TAPS] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
    std::vector<float> h(n + TAPS - 1, 1.f);
    float *x, *y;
    cudaMalloc(&x, h.size() * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(filter, taps, TAPS * sizeof(float));
    convolve<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(y);
}
