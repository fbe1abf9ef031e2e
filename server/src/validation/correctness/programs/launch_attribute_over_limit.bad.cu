// BROKEN: 256 KB of dynamic shared memory are more than the 227 KB that a block may have even with the attribute.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reverse_long(double* x, int n) {
    extern __shared__ double s[];
    double* seg = x + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = seg[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) seg[i] = s[n - 1 - i];
}

int main() {
    const int n = 32768, segments = 8;
    const int smem = n * sizeof(double);
    std::vector<double> h(n * segments, 1.0);
    double* x;
    cudaMalloc(&x, h.size() * sizeof(double));
    cudaMemcpy(x, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(reverse_long, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
    reverse_long<<<segments, 1024, smem>>>(x, n);  // BUG: launch-fails (or line 21)
    cudaMemcpy(h.data(), x, h.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
}
