// BROKEN: nothing sets the counter before it is added to: thread 0 of block 0 updates what cudaMalloc gave.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void compact(const int* x, int* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 3 == 0) out[atomicAdd(count, 1)] = x[i];  // BUG: uninitialised-memory-read
}

int main() {
    const int n = 3000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *x, *out, *count, found = 0;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    compact<<<(n + 255) / 256, 256>>>(x, out, count, n);
    cudaMemcpy(&found, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", found);
    cudaFree(x);
    cudaFree(out);
    cudaFree(count);
}
