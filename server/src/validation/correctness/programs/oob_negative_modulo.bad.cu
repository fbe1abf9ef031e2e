// BROKEN: the remainder of a negative number is negative: thread 0 of block 0 reads x[-2].
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void periodic(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = x[(i + 2) % n] - x[(i - 2) % n];  // BUG: out-of-bounds-access
}

int main() {
    const int n = 1000;
    std::vector<float> h(n, 1.f);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    periodic<<<(n + 127) / 128, 128>>>(x, y, n);
    cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(y);
}
