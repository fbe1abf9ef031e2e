// BROKEN: no guard: 100 blocks x 256 threads for 25,500 elements, so thread 156 of block 99 accesses x[25500] and y[25500].
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

        y[i] = a * x[i] + y[i];  // BUG: out-of-bounds-access
}

int main() {
    const int n = 25500;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    float *dx, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, dx, dy);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", y[n - 1]);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
