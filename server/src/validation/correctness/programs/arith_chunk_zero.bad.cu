// BROKEN: 100 / 256 is 0 elements per part, and every thread divides by it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void part_counts(const int* x, int* count, int n, int parts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int per = n / parts;
    int owner = i / per;  // BUG: unchecked-arithmetic
    if (owner >= parts) owner = parts - 1;
    atomicAdd(&count[owner], x[i]);
}

int main() {
    const int n = 100, parts = 256;
    std::vector<int> h(n, 1), c(parts);
    int *x, *count;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&count, parts * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(count, 0, parts * sizeof(int));
    part_counts<<<1, 128>>>(x, count, n, parts);
    cudaMemcpy(c.data(), count, parts * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", c[0]);
    cudaFree(x);
    cudaFree(count);
}
