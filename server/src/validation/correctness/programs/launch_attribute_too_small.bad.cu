// BROKEN: the attribute allows 64 KB and the launch asks for 96 KB.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reverse_all(float* x, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = s[n - 1 - i];
}

int main() {
    const int n = 24 * 1024;
    const int bytes = n * sizeof(float);
    std::vector<float> h(n, 1.f);
    float* x;
    cudaMalloc(&x, bytes);
    cudaMemcpy(x, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(reverse_all, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    reverse_all<<<1, 1024, bytes>>>(x, n);  // BUG: launch-fails (or line 20)
    cudaMemcpy(h.data(), x, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
}
