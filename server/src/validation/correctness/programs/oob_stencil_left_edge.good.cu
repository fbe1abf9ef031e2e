// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void heat_step(const float* in, float* out, int n, float k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i > 0 && i < n - 1) {
        out[i] = in[i] + k * (in[i - 1] - 2.0f * in[i] + in[i + 1]);
    } else {
        out[i] = in[i];
    }
}

int main() {
    const int n = 4096, steps = 10;
    std::vector<float> h(n, 0.0f);
    h[n / 2] = 100.0f;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s) {
        heat_step<<<n / 256, 256>>>(a, b, n, 0.25f);
        float* t = a; a = b; b = t;
    }
    cudaMemcpy(h.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n / 2]);
    cudaFree(a);
    cudaFree(b);
}
