// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void mark(const int* in, int* out, const int* modes) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i];
    __syncthreads();
    int sum = s[t] + s[127 - t];
    if (modes[blockIdx.x] > 0) {
        __syncthreads();
        s[t] = 2 * sum;
    }
    __syncthreads();
    out[i] = s[t];
}

int main() {
    const int blocks = 10, n = 128 * blocks;
    std::vector<int> h(n), m(blocks);
    for (int i = 0; i < n; ++i) h[i] = i % 2;
    for (int b = 0; b < blocks; ++b) m[b] = b % 2;
    int *in, *out, *modes;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&modes, blocks * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(modes, m.data(), blocks * sizeof(int), cudaMemcpyHostToDevice);
    mark<<<blocks, 128>>>(in, out, modes);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in); cudaFree(out); cudaFree(modes);
}
