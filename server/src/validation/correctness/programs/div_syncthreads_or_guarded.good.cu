// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void any_negative(const float* x, int* flags, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int any = __syncthreads_or(i < n && x[i] < 0.f);
    if (threadIdx.x == 0) flags[blockIdx.x] = any;
}

int main() {
    const int n = 1000, blocks = (n + 255) / 256;
    std::vector<float> h(n, 1.f);
    std::vector<int> f(blocks);
    float* x;
    int* flags;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&flags, blocks * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    any_negative<<<blocks, 256>>>(x, flags, n);
    cudaMemcpy(f.data(), flags, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", f[0]);
    cudaFree(x);
    cudaFree(flags);
}
