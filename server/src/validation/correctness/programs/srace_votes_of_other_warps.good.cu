#include <cstdio>
#include <cuda_runtime.h>

constexpr int CLASSES = 32;

// How often each class is voted for.
__global__ void count_votes(const int* votes, int* counts) {
    __shared__ int seen[CLASSES];
    if (threadIdx.x < CLASSES) seen[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&seen[votes[blockIdx.x * blockDim.x + threadIdx.x]], 1);
    __syncthreads();
    if (threadIdx.x < CLASSES) atomicAdd(&counts[threadIdx.x], seen[threadIdx.x]);
}

int main() {
    const int n = 1024;
    int host[n], *votes, *counts;
    for (int i = 0; i < n; ++i) host[i] = i % 3;
    cudaMalloc(&votes, sizeof(host));
    cudaMalloc(&counts, CLASSES * sizeof(int));
    cudaMemcpy(votes, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemset(counts, 0, CLASSES * sizeof(int));
    count_votes<<<n / 256, 256>>>(votes, counts);
    cudaMemcpy(host, counts, CLASSES * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(votes);
    cudaFree(counts);
}
