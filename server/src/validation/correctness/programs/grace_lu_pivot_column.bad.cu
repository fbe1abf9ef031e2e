// BROKEN: the update includes column k: thread (0,0) writes a[1][0] while thread (0,0) of block (1,0) reads it as its multiplier (k = 0).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void eliminate(float* a, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    if (i < n && j < n && j >= k) {
        float f = a[i * n + k] / a[k * n + k];
        a[i * n + j] -= f * a[k * n + j];  // BUG: global-memory-race (or line 10)
    }
}

int main() {
    const int n = 64;
    std::vector<float> h(n * n, 1.f);
    for (int i = 0; i < n; ++i) h[i * n + i] = n + i;
    float* a;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMemcpy(a, h.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    for (int k = 0; k < n - 1; ++k) {
        dim3 grid((n + 15) / 16, (n - k - 1 + 15) / 16);
        eliminate<<<grid, block>>>(a, n, k);
    }
    cudaMemcpy(h.data(), a, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n * n - 1]);
    cudaFree(a);
}
