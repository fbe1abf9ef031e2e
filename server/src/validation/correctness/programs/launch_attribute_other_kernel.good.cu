// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void stage_one(float* x, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = s[(i + 1) % n];
}

__global__ void stage_two(float* x, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = 2.f * x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = s[n - 1 - i];
}

int main() {
    const int n = 20 * 1024;
    const int bytes = n * sizeof(float);
    std::vector<float> h(n, 1.f);
    float* x;
    cudaMalloc(&x, bytes);
    cudaMemcpy(x, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(stage_one, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaFuncSetAttribute(stage_two, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    stage_one<<<1, 512, bytes>>>(x, n);
    stage_two<<<1, 512, bytes>>>(x, n);
    cudaMemcpy(h.data(), x, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
}
