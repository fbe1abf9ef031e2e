// BROKEN: a float4 view starts one float into the array: thread 0 of block 0 loads 16 bytes at an address that is 4 modulo 16.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void copy4(const float* src, float* dst, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) reinterpret_cast<float4*>(dst)[i] = reinterpret_cast<const float4*>(src)[i];  // BUG: misaligned-access (or line 18)
}

int main() {
    const int n = 4096, skip = 1;
    std::vector<float> h(n + skip, 1.f);
    float *src, *dst;
    cudaMalloc(&src, (n + skip) * sizeof(float));
    cudaMalloc(&dst, n * sizeof(float));
    cudaMemcpy(src, h.data(), (n + skip) * sizeof(float), cudaMemcpyHostToDevice);
    copy4<<<n / 4 / 128, 128>>>(src + skip, dst, n / 4);
    cudaMemcpy(h.data(), dst, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(src);
    cudaFree(dst);
}
