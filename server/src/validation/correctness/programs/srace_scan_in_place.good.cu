// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scan_block(const int* in, int* out) {
    __shared__ int s[512];
    int t = threadIdx.x, base = blockIdx.x * 512;
    s[t] = in[base + t];
    __syncthreads();
    for (int d = 1; d < 512; d <<= 1) {
        int add = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    out[base + t] = s[t];
}

int main() {
    const int n = 512 * 12;
    std::vector<int> h(n, 1);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan_block<<<n / 512, 512>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[511]);
    cudaFree(in);
    cudaFree(out);
}
