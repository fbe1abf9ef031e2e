// BROKEN: threads beyond the last row return, and the others wait for them at the tiles' barriers.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TILE 16

__global__ void matvec(const float* a, const float* x, float* y, int rows, int cols) {
    __shared__ float xs[TILE];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int base = 0; base < cols; base += TILE) {
        if (threadIdx.x < TILE) xs[threadIdx.x] = x[base + threadIdx.x];
        __syncthreads();  // BUG: divergent-barrier (or line 19)
        for (int k = 0; k < TILE; ++k) sum += a[row * cols + base + k] * xs[k];
        __syncthreads();
    }
    y[row] = sum;
}

int main() {
    const int rows = 1000, cols = 512;
    std::vector<float> a(rows * cols, 1.f), x(cols, 1.f), y(rows);
    float *da, *dx, *dy;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&dx, cols * sizeof(float));
    cudaMalloc(&dy, rows * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice);
    matvec<<<(rows + 127) / 128, 128>>>(da, dx, dy, rows, cols);
    cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", y[0]);
    cudaFree(da); cudaFree(dx); cudaFree(dy);
}
