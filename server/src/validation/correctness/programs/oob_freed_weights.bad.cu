// BROKEN: the weights are freed before the second launch: thread 0 of block 0 of that launch reads w[0] in freed memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void apply_weights(float* x, const float* w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= w[i];
}

int main() {
    const int n = 3000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> hx(n, 1.0f), hw(n, 0.9f);
    float *x, *w;
    cudaMalloc(&x, bytes);
    cudaMalloc(&w, bytes);
    cudaMemcpy(x, hx.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(w, hw.data(), bytes, cudaMemcpyHostToDevice);
    int grid = (n + 255) / 256;
    apply_weights<<<grid, 256>>>(x, w, n);
    cudaFree(w);
    apply_weights<<<grid, 256>>>(x, w, n);  // BUG: use-after-free (or line 8)

    cudaMemcpy(hx.data(), x, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", hx[0]);
    cudaFree(x);
}
