// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void expand(const float* in, float* mid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        mid[2 * i] = in[i];
        mid[2 * i + 1] = 0.5f * (in[i] + in[i + 1 < n ? i + 1 : i]);
    }
}

__global__ void sharpen(const float* mid, float* out, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) out[i] = 1.5f * mid[i];
}

int main() {
    const int n = 3000, m = 2 * n;
    std::vector<float> h(m, 1.f);
    float *in, *mid, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&mid, m * sizeof(float));
    cudaMalloc(&out, m * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    expand<<<(n + 255) / 256, 256>>>(in, mid, n);
    sharpen<<<(m + 255) / 256, 256>>>(mid, out, m);
    cudaMemcpy(h.data(), out, m * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[m - 1]);
    cudaFree(in); cudaFree(mid); cudaFree(out);
}
