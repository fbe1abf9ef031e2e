// BROKEN: the pinned buffer is read before the stream with the asynchronous copy is synchronised.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void ramp(float* x, int n, float slope) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = slope * i;
}

int main() {
    const int n = 1 << 16;
    float *h, *d;
    cudaMallocHost(&h, n * sizeof(float));
    for (int i = 0; i < n; ++i) h[i] = 0.f;
    cudaMalloc(&d, n * sizeof(float));
    cudaStream_t s;
    cudaStreamCreate(&s);
    ramp<<<n / 256, 256, 0, s>>>(d, n, 0.5f);
    cudaMemcpyAsync(h, d, n * sizeof(float), cudaMemcpyDeviceToHost, s);

    printf("%f\n", h[n - 1]);  // BUG: unsynchronised-host-read
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    cudaFree(d);
    cudaFreeHost(h);
}
