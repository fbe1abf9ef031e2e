// BROKEN: the tail of the queue is bumped without an atomic: thread 0 of block 0 and thread 0 of block 1 both read and write *tail.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void compact(const int* in, int* queue, int* tail, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 == 0) {
        int slot = (*tail)++;  // BUG: global-memory-race
        queue[slot] = in[i];
    }
}

int main() {
    const int n = 6000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *in, *queue, *tail, count = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&queue, n * sizeof(int));
    cudaMalloc(&tail, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(tail, 0, sizeof(int));
    compact<<<(n + 127) / 128, 128>>>(in, queue, tail, n);
    cudaMemcpy(&count, tail, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", count);
    cudaFree(in); cudaFree(queue); cudaFree(tail);
}
