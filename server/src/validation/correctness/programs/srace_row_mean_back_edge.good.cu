// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void centre_rows(float* m, int rows, int cols) {
    __shared__ float s[128];
    int t = threadIdx.x;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        float* row = m + r * cols;
        float v = 0.f;
        for (int c = t; c < cols; c += 128) v += row[c];
        s[t] = v;
        __syncthreads();
        for (int d = 64; d > 0; d /= 2) {
            if (t < d) s[t] += s[t + d];
            __syncthreads();
        }
        float mean = s[0] / cols;
        for (int c = t; c < cols; c += 128) row[c] -= mean;
        __syncthreads();
    }
}

int main() {
    const int rows = 60, cols = 300;
    std::vector<float> h(rows * cols);
    for (int i = 0; i < rows * cols; ++i) h[i] = i % 11;
    float* m;
    cudaMalloc(&m, h.size() * sizeof(float));
    cudaMemcpy(m, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    centre_rows<<<8, 128>>>(m, rows, cols);
    cudaMemcpy(h.data(), m, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(m);
}
