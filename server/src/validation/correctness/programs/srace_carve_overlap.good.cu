// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void mirror_mul(const float* x, const float* y, float* out) {
    extern __shared__ float smem[];
    int t = threadIdx.x, n = blockDim.x;
    int base = blockIdx.x * n;
    float* a = smem;
    float* b = smem + n;
    a[t] = x[base + t];
    b[t] = y[base + t];
    __syncthreads();
    out[base + t] = a[n - 1 - t] * b[n - 1 - t];
}

int main() {
    const int threads = 256, blocks = 16, n = threads * blocks;
    std::vector<float> hx(n, 2.f), hy(n, 3.f);
    float *x, *y, *out;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    mirror_mul<<<blocks, threads, 2 * threads * sizeof(float)>>>(x, y, out);
    cudaMemcpy(hx.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", hx[0]);
    cudaFree(x); cudaFree(y); cudaFree(out);
}
