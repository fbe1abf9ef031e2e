// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void row_scale(float* m, const float* f, int rows, int cols) {
    int r = blockIdx.x;
    int c = blockIdx.y * blockDim.x + threadIdx.x;
    if (r < rows && c < cols) m[size_t(r) * cols + c] *= f[r];
}

int main() {
    const int rows = 70000, cols = 64;
    std::vector<float> m(size_t(rows) * cols, 1.f), f(rows, 0.5f);
    float *dm, *df;
    cudaMalloc(&dm, m.size() * sizeof(float));
    cudaMalloc(&df, rows * sizeof(float));
    cudaMemcpy(dm, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(df, f.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid(rows, (cols + 63) / 64);
    row_scale<<<grid, 64>>>(dm, df, rows, cols);
    cudaMemcpy(m.data(), dm, m.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", m[0]);
    cudaFree(dm);
    cudaFree(df);
}
