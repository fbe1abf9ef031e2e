// BROKEN: a half2 is loaded at every odd element: thread 1 of block 0 reads 4 bytes at byte 2.
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void neighbour_max(const __half* x, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    __half2 p = *reinterpret_cast<const __half2*>(x + i);  // BUG: misaligned-access
    y[i] = __hmax(__low2half(p), __high2half(p));
}

int main() {
    const int n = 2049;
    std::vector<__half> h(n);
    for (int i = 0; i < n; ++i) h[i] = __float2half(0.01f * (i % 50));
    __half *x, *y;
    cudaMalloc(&x, n * sizeof(__half));
    cudaMalloc(&y, n * sizeof(__half));
    cudaMemcpy(x, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    neighbour_max<<<(n - 1 + 255) / 256, 256>>>(x, y, n);
    cudaMemcpy(h.data(), y, (n - 1) * sizeof(__half), cudaMemcpyDeviceToHost);
    printf("%f\n", __half2float(h[0]));
    cudaFree(x);
    cudaFree(y);
}
