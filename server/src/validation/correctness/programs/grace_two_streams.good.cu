// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void fill(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * i;
}

__global__ void add_one(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1.f;
}

int main() {
    const int n = 1 << 20;
    std::vector<float> h(n);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaStream_t s1, s2;
    cudaStreamCreate(&s1);
    cudaStreamCreate(&s2);
    cudaEvent_t ready;
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    fill<<<n / 256, 256, 0, s1>>>(x, n);
    cudaEventRecord(ready, s1);
    cudaStreamWaitEvent(s2, ready, 0);
    add_one<<<n / 256, 256, 0, s2>>>(x, y, n);
    cudaMemcpyAsync(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost, s2);
    cudaDeviceSynchronize();
    printf("%f\n", h[2]);
    cudaEventDestroy(ready);
    cudaStreamDestroy(s1);
    cudaStreamDestroy(s2);
    cudaFree(x);
    cudaFree(y);
}
