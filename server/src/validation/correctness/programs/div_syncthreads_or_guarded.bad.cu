// BROKEN: __syncthreads_or stands behind the guard of the row: of the last block, thread 0 comes to it and thread 255 does not.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void any_negative(const float* x, int* flags, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int any = __syncthreads_or(x[i] < 0.f);  // BUG: divergent-barrier (or line 8)
        if (threadIdx.x == 0) flags[blockIdx.x] = any;
    }
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
