// BROKEN: *count comes from cudaMalloc and nothing sets it: the atomicAdd of thread 0 of block 0 reads it undefined.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void count_positive(const float* x, int n, int* count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool p = i < n && x[i] > 0.f;
    int in_block = __syncthreads_count(p);
    if (threadIdx.x == 0) atomicAdd(count, in_block);  // BUG: uninitialised-memory-read
}

int main() {
    const int n = 12345;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = float(i % 3 - 1);
    float* x;
    int *count, result = 0;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&count, sizeof(int));

    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    count_positive<<<(n + 255) / 256, 256>>>(x, n, count);
    cudaMemcpy(&result, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result);
    cudaFree(x);
    cudaFree(count);
}
