// BROKEN: each warp has its own row but there is no __syncwarp: lane 0 reads ws[0][31], which lane 31 of the same warp writes.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reverse_in_warp(int* data, int n) {
    __shared__ int ws[4][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ws[warp][lane] = i < n ? data[i] : -1;

    int v = ws[warp][31 - lane];  // BUG: shared-memory-race (or line 10)
    if (i < n) data[i] = v;
}

int main() {
    const int n = 6400;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reverse_in_warp<<<(n + 127) / 128, 128>>>(d, n);
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(d);
}
