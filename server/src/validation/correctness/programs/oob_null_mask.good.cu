// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <bool MASKED>
__global__ void scale(float* x, const unsigned char* mask, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (MASKED && mask[i] == 0) return;
    x[i] *= a;
}

int main() {
    const int n = 7777;
    std::vector<float> h(n, 1.f);
    float* x;
    unsigned char* mask = nullptr;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<false><<<(n + 127) / 128, 128>>>(x, mask, 3.f, n);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
}
