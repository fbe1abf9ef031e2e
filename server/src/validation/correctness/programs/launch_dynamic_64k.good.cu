// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void shuffle_rows(float* m, int cols) {
    extern __shared__ float row[];
    float* r = m + blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] = r[c];
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += blockDim.x) r[c] = row[cols - 1 - c];
}

int main() {
    const int rows = 20, cols = 16384;
    const size_t smem = cols * sizeof(float);
    std::vector<float> h(rows * cols, 1.f);
    float* m;
    cudaMalloc(&m, h.size() * sizeof(float));
    cudaMemcpy(m, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(shuffle_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem);
    shuffle_rows<<<rows, 256, smem>>>(m, cols);
    cudaMemcpy(h.data(), m, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(m);
}
