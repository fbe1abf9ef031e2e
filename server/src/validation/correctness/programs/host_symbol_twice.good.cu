// CLEAN: as many bytes as the table has are copied to it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Tap { float weight; int shift; };
__constant__ Tap taps[8];

__global__ void apply(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;
    for (const Tap& t : taps) sum += t.weight * in[(i + t.shift) % n];
    if (i < n) out[i] = sum;
}

int main() {
    const int n = 1024;
    std::vector<Tap> h(16);
    for (int k = 0; k < 16; ++k) h[k] = Tap{1.f / (k + 1), k};
    std::vector<float> v(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(taps, h.data(), sizeof(taps));
    apply<<<n / 128, 128>>>(in, out, n);
    cudaMemcpy(v.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[0]);
    cudaFree(in);
    cudaFree(out);
}
