// CLEAN: each stream writes its own half.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void square(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

int main() {
    const int n = 1 << 16, half = n / 2;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaStream_t s[2];
    for (auto& each : s) cudaStreamCreate(&each);
    for (int k = 0; k < 2; ++k)
        square<<<half / 256, 256, 0, s[k]>>>(in + k * half, out + k * half, half);
    for (auto& each : s) cudaStreamSynchronize(each);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[1]);
    for (auto& each : s) cudaStreamDestroy(each);
    cudaFree(in);
    cudaFree(out);
}
