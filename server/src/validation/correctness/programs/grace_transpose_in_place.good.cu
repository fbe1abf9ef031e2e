// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void transpose_in_place(float* m, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n && x > y) {
        float a = m[y * n + x], b = m[x * n + y];
        m[y * n + x] = b;
        m[x * n + y] = a;
    }
}

int main() {
    const int n = 512;
    std::vector<float> h(n * n);
    for (int i = 0; i < n * n; ++i) h[i] = i;
    float* m;
    cudaMalloc(&m, n * n * sizeof(float));
    cudaMemcpy(m, h.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid(n / 32, n / 8);
    transpose_in_place<<<grid, block>>>(m, n);
    cudaMemcpy(h.data(), m, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[1]);
    cudaFree(m);
}
