// BROKEN: the result is copied from device memory that has been freed.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void fill(float* x, int n, float v) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = v;
}

int main() {
    const int n = 5000;
    std::vector<float> h(n);
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    fill<<<4, 256>>>(x, n, 2.5f);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);  // BUG: use-after-free

    printf("%f\n", h[0]);
    return 0;
}
