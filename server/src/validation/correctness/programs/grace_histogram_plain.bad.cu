// BROKEN: the global histogram is incremented without an atomic: thread 0 of block 0 and thread 0 of block 1 both update hist[0].
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void histogram(const unsigned char* data, unsigned* hist, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    while (i < n) {
        hist[data[i]]++;  // BUG: global-memory-race
        i += stride;
    }
}

int main() {
    const int n = 1 << 16;
    std::vector<unsigned char> h(n);
    for (int i = 0; i < n; ++i) h[i] = (unsigned char)(i & 255);
    unsigned char* data;
    unsigned* hist;
    cudaMalloc(&data, n);
    cudaMalloc(&hist, 256 * sizeof(unsigned));
    cudaMemcpy(data, h.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(hist, 0, 256 * sizeof(unsigned));
    histogram<<<32, 256>>>(data, hist, n);
    std::vector<unsigned> out(256);
    cudaMemcpy(out.data(), hist, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u\n", out[0]);
    cudaFree(data);
    cudaFree(hist);
}
