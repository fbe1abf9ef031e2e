// BROKEN: cudaMemset clears n bytes of n ints: the thread of i = 1250 (block 4, thread 226) reads a count that nothing set.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void tally(const int* key, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) count[key[i]] += 1;  // BUG: uninitialised-memory-read (or line 19)
}

int main() {
    const int n = 5000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *key, *count;
    cudaMalloc(&key, n * sizeof(int));
    cudaMalloc(&count, n * sizeof(int));
    cudaMemcpy(key, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(count, 0, n);
    tally<<<(n + 255) / 256, 256>>>(key, count, n);
    cudaMemcpy(h.data(), count, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[n - 1]);
    cudaFree(key);
    cudaFree(count);
}
