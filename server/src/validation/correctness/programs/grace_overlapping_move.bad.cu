// BROKEN: rows move by one within one buffer: a row is read while another block writes it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T>
__global__ void move_rows(T* dst, const T* src, int rows, int cols, int pitch) {
    for (int r = blockIdx.y; r < rows; r += gridDim.y)
        for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += blockDim.x * gridDim.x)
            dst[r * pitch + c] = src[r * pitch + c];  // BUG: global-memory-race
}

int main() {
    const int rows = 64, cols = 300, pitch = 320;
    std::vector<double> h(rows * pitch, 1.0);
    double *buf, *other;
    cudaMalloc(&buf, h.size() * sizeof(double));
    cudaMalloc(&other, h.size() * sizeof(double));
    cudaMemcpy(buf, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
    dim3 grid(2, rows - 1);
    move_rows<double><<<grid, 256>>>(buf, buf + pitch, rows - 1, cols, pitch);
    cudaMemcpy(h.data(), buf, h.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(buf);
    cudaFree(other);
}
