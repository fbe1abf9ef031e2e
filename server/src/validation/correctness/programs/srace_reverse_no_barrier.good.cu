// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reverse(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    int base = blockIdx.x * 256;
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[255 - t];
}

int main() {
    const int n = 256 * 40;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reverse<<<n / 256, 256>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
