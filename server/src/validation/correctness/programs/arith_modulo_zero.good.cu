// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void interleave(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int groups = blockDim.x / 32;
    int g = threadIdx.x % groups;
    if (i < n) out[i] = in[i] * float(1 + g);
}

int main() {
    const int n = 3200, threads = 32;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    interleave<<<n / threads, threads>>>(in, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
