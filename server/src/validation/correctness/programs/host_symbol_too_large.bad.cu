// BROKEN: 100 floats are copied to a __constant__ array of 64.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TABLE = 64;
__constant__ float table[TABLE];

__global__ void lookup(const int* idx, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[idx[i] % TABLE];
}

int main() {
    const int n = 3000;
    float values[100];
    for (int i = 0; i < 100; ++i) values[i] = 0.1f * i;
    std::vector<int> idx(n);
    for (int i = 0; i < n; ++i) idx[i] = i % 64;
    std::vector<float> o(n);
    int* di;
    float* out;
    cudaMalloc(&di, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(di, idx.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, values, sizeof(values));  // BUG: copy-size
    lookup<<<(n + 255) / 256, 256>>>(di, out, n);
    cudaMemcpy(o.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[1]);
    cudaFree(di);
    cudaFree(out);
}
