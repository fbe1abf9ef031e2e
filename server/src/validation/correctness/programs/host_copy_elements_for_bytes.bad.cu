// BROKEN: the upload copies n bytes of n ints: only the first 1,024 of 4,096 reach the device.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void double_all(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

int main() {
    const int n = 4096;
    std::vector<int> h(n, 21);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n, cudaMemcpyHostToDevice);  // BUG: copy-size (or line 8)
    double_all<<<n / 256, 256>>>(in, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[n - 1]);
    cudaFree(in);
    cudaFree(out);
}
