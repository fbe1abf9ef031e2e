// BROKEN: the local array acc is added to before anything is stored in it, in every thread.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void phase_sums(const float* in, float* out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float acc[4];
    for (int c = 0; c < cols; ++c) acc[c & 3] += in[c * rows + r];  // BUG: uninitialised-memory-read
#pragma unroll
    for (int k = 0; k < 4; ++k) out[k * rows + r] = acc[k];
}

int main() {
    const int rows = 700, cols = 32;
    std::vector<float> h(rows * cols, 1.f), o(rows * 4);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, o.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    phase_sums<<<(rows + 127) / 128, 128>>>(in, out, rows, cols);
    cudaMemcpy(o.data(), out, o.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
