// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void clear(unsigned* count) { *count = 0; }

__global__ void count_large(const float* x, unsigned* count, int n, float limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > limit) atomicAdd(count, 1u);
}

int main() {
    const int n = 3000;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i % 10;
    float* x;
    unsigned *count, found = 0;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&count, sizeof(unsigned));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    clear<<<1, 1>>>(count);
    count_large<<<(n + 127) / 128, 128>>>(x, count, n, 4.5f);
    cudaMemcpy(&found, count, sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u\n", found);
    cudaFree(x);
    cudaFree(count);
}
