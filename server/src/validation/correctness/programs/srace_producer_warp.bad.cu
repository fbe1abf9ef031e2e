// BROKEN: the producing warp goes on to fill the buffer that the other warps still read.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void dot_rows(const float* a, const float* x, float* y, int cols) {
    __shared__ float chunk[128];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float acc = 0.f;
    for (int base = 0; base < cols; base += 128) {
        if (warp == 0) {
            for (int k = lane; k < 128; k += 32) chunk[k] = x[base + k];  // BUG: shared-memory-race (or line 18)
        }
        __syncthreads();
        if (warp > 0) {
            const int row = blockIdx.x * 7 + warp - 1;
            for (int k = lane; k < 128; k += 32)
                acc += a[row * cols + base + k] * chunk[k];
        }

    }
    for (int d = 16; d > 0; d /= 2) acc += __shfl_down_sync(0xffffffffu, acc, d);
    if (warp > 0 && lane == 0) y[blockIdx.x * 7 + warp - 1] = acc;
}

int main() {
    const int rows = 7 * 20, cols = 1024;
    std::vector<float> a(rows * cols, 0.5f), x(cols, 2.f), y(rows);
    float *da, *dx, *dy;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    dot_rows<<<20, 256>>>(da, dx, dy, cols);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", y[0]);
    cudaFree(da); cudaFree(dx); cudaFree(dy);
}
