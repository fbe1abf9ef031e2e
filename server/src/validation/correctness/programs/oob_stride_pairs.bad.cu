// BROKEN: the grid-stride loop reads the element behind its own, of which the last has none.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void differences(const double* x, double* d, size_t n) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        d[i] = x[i + 1] - x[i];  // BUG: out-of-bounds-access
}

int main() {
    const size_t n = 50000;
    std::vector<double> h(n, 1.0);
    double *x, *d;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(x, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d, 0, n * sizeof(double));
    differences<<<32, 256>>>(x, d, n);
    cudaMemcpy(h.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(d);
}
