// CLEAN: all lanes take part in the ballot.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void compact(const int* in, int* counts) {
    const int lane = threadIdx.x & 31;
    const int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned votes = 0;
    votes = __ballot_sync(0xffffffffu, v > 4) & 0xffffu;
    if (lane == 0) counts[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = __popc(votes);
}

int main() {
    const int n = 64 * 20;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i % 9;
    int *in, *counts;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&counts, n / 32 * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    compact<<<20, 64>>>(in, counts);
    cudaMemcpy(h.data(), counts, n / 32 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(counts);
}
