// BROKEN: grid.y is 70,000 and the limit is 65,535: no thread runs.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void row_scale(float* m, const float* f, int rows, int cols) {
    int r = blockIdx.y;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
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
    dim3 grid((cols + 63) / 64, rows);
    row_scale<<<grid, 64>>>(dm, df, rows, cols);  // BUG: launch-fails (or line 20)
    cudaMemcpy(m.data(), dm, m.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", m[0]);
    cudaFree(dm);
    cudaFree(df);
}
