// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void digit_counts(const unsigned* keys, unsigned* counts, int n) {
    __shared__ unsigned bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + t;
    if (i < n) atomicAdd(&bins[keys[i] & 15u], 1u);
    __syncthreads();
    if (t < 16) counts[blockIdx.x * 16 + t] = bins[t];
}

int main() {
    const int n = 4096, blocks = n / 256;
    std::vector<unsigned> h(n);
    for (int i = 0; i < n; ++i) h[i] = i * 2654435761u;
    unsigned *keys, *counts;
    cudaMalloc(&keys, n * sizeof(unsigned));
    cudaMalloc(&counts, blocks * 16 * sizeof(unsigned));
    cudaMemcpy(keys, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    digit_counts<<<blocks, 256>>>(keys, counts, n);
    cudaMemcpy(h.data(), counts, blocks * 16 * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u\n", h[0]);
    cudaFree(keys);
    cudaFree(counts);
}
