// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scatter(const float* x, const int* idx, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[idx[i]] = x[i];
}

int main() {
    const int n = 10000;
    std::vector<float> x(n);
    std::vector<int> idx(n);
    for (int i = 0; i < n; ++i) {
        x[i] = float(i);
        idx[i] = (i * 7) % n;
    }
    float *dx, *out;
    int* di;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&di, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(di, idx.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    scatter<<<(n + 255) / 256, 256>>>(dx, di, out, n);
    cudaMemcpy(x.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", x[0]);
    cudaFree(dx); cudaFree(di); cudaFree(out);
}
