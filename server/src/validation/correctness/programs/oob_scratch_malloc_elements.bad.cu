// BROKEN: cudaMalloc gets elements instead of bytes: thread 0 of block 0 writes scratch[4096], at byte 16,384 of 16,384.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int DEPTH = 8;

__global__ void powers(const float* x, float* scratch, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float p = 1.0f;
    for (int k = 0; k < DEPTH; ++k) {
        p *= x[i];
        scratch[k * n + i] = p;  // BUG: out-of-bounds-access (or line 26)
    }
    float sum = 0.0f;
    for (int k = DEPTH - 1; k >= 0; --k) sum += scratch[k * n + i];
    out[i] = sum;
}

int main() {
    const int n = 2048;
    std::vector<float> h(n, 0.5f);
    float *x, *scratch, *out;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&scratch, n * DEPTH);
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    powers<<<n / 128, 128>>>(x, scratch, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(scratch);
    cudaFree(out);
}
