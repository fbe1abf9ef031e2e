// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void largest(const int* x, int* top, int n) {
    __shared__ int best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(&best, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(top, best);
}

int main() {
    const int n = 6000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 31) % 5987;
    int *x, *top, out = 0;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&top, sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(top, 0, sizeof(int));
    largest<<<(n + 255) / 256, 256>>>(x, top, n);
    cudaMemcpy(&out, top, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", out);
    cudaFree(x);
    cudaFree(top);
}
