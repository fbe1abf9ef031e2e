// BROKEN: lanes exchange values through shared memory with no __syncwarp() between.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void rotate_in_warp(const int* in, int* out) {
    __shared__ int lanes[4][32];
    const int w = threadIdx.x >> 5, l = threadIdx.x & 31;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    lanes[w][l] = in[i];  // BUG: shared-memory-race (or line 12)

    out[i] = lanes[w][(l + 5) & 31];
}

int main() {
    const int n = 128 * 50;
    std::vector<int> h(n, 1);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    rotate_in_warp<<<50, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
