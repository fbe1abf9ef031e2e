// BROKEN: every match stores its own position: thread 10 of block 0 and thread 254 of block 1 store different values to *pos (the equal-value store to *found is fine).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void find(const int* x, int n, int key, int* found, int* pos) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] == key) {
        *found = 1;
        *pos = i;  // BUG: global-memory-race
    }
}

int main() {
    const int n = 5000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i % 500;
    int none = n, first = -1;
    int *x, *found, *pos;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&found, sizeof(int));
    cudaMalloc(&pos, sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(found, 0, sizeof(int));
    cudaMemcpy(pos, &none, sizeof(int), cudaMemcpyHostToDevice);
    find<<<(n + 255) / 256, 256>>>(x, n, 10, found, pos);
    cudaMemcpy(&first, pos, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", first);
    cudaFree(x); cudaFree(found); cudaFree(pos);
}
