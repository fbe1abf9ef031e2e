// BROKEN: sizeof of a pointer: 8 bytes instead of 4,000 are copied to the device.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void negate(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = -x[i];
}

int main() {
    const int n = 1000;
    float* h = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i) h[i] = i;
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);  // BUG: copy-size (or line 8)
    negate<<<(n + 127) / 128, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(d);
    free(h);
}
