// BROKEN: the grid is made for eight elements a thread, and a thread takes four.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int ITEMS>
__global__ void add(const float* a, const float* b, float* c, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    for (int k = 0; k < ITEMS; ++k)
        if (first + k < n) c[first + k] = a[first + k] + b[first + k];
}

int main() {
    const int n = 1 << 17, threads = 128;
    std::vector<float> h(n, 1.f);
    float *a, *b, *c;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    const int blocks = (n + threads * 8 - 1) / (threads * 8);
    add<4><<<blocks, threads>>>(a, b, c, n);  // BUG: grid-does-not-cover (or lines 10, 22)
    cudaMemcpy(h.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(a); cudaFree(b); cudaFree(c);
}
