// BROKEN: the guard asks for i >= 1 and the lag is 4: threads 1 to 3 of block 0 read x[-3] to x[-1].
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void lag_diff(const double* x, double* out, int n, int lag) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double prev = 0.0;
    if (i >= 1) prev = x[i - lag];  // BUG: out-of-bounds-access
    out[i] = x[i] - prev;
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20000;
    const int lag = 4;
    std::vector<double> h(n);
    for (int i = 0; i < n; ++i) h[i] = 0.5 * i;
    double *x, *out;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&out, n * sizeof(double));
    cudaMemcpy(x, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    lag_diff<<<(n + 191) / 192, 192>>>(x, out, n, lag);
    cudaMemcpy(h.data(), out, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(x);
    cudaFree(out);
}
