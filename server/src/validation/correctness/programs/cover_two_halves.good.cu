// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void square_range(const float* in, float* out, int first, int count, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int i = first + k;
    if (k < count && i < n) out[i] = in[i] * in[i];
}

int main() {
    const int n = 10001, half = n / 2, rest = n - n / 2;
    std::vector<float> h(n, 3.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    square_range<<<(half + 255) / 256, 256>>>(in, out, 0, half, n);
    square_range<<<(rest + 255) / 256, 256>>>(in, out, half, rest, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(in);
    cudaFree(out);
}
