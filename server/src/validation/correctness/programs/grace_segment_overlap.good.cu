// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int SEG = 500;

__global__ void scale_segments(const float* in, const float* gain, float* out, int n) {
    float g = gain[blockIdx.x];
    int begin = blockIdx.x * SEG;
    int last = min(begin + SEG - 1, n - 1);
    for (int i = begin + threadIdx.x; i <= last; i += blockDim.x) out[i] = g * in[i];
}

int main() {
    const int blocks = 20, n = blocks * SEG;
    std::vector<float> h(n, 1.f), g(blocks);
    for (int b = 0; b < blocks; ++b) g[b] = 1.f + b;
    float *in, *gain, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&gain, blocks * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(gain, g.data(), blocks * sizeof(float), cudaMemcpyHostToDevice);
    scale_segments<<<blocks, 128>>>(in, gain, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(in); cudaFree(gain); cudaFree(out);
}
