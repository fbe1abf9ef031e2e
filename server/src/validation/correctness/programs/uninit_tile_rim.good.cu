// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void block_sums(const int* x, int* out, int n) {
    __shared__ int tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t] = i < n ? x[i] : 0;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 256; ++k) sum += tile[k];
        out[blockIdx.x] = sum;
    }
}

int main() {
    const int n = 1000, blocks = (n + 255) / 256;
    std::vector<int> h(n, 1);
    int *x, *out;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    block_sums<<<blocks, 256>>>(x, out, n);
    cudaMemcpy(h.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(x);
    cudaFree(out);
}
