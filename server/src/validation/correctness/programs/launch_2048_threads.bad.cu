// BROKEN: 2,048 threads per block, the limit is 1,024: the kernel never starts.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scale(float* x, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}

int main() {
    const int n = 1 << 20;
    const int threads = 2048;
    std::vector<float> h(n, 1.f);
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + threads - 1) / threads, threads>>>(x, n, 2.f);  // BUG: launch-fails
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
}
