// CLEAN: all warps have counted before their histograms are added up.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define WARPS 8
#define BINS 64

__global__ void hist(const unsigned char* data, unsigned* bins, int n) {
    __shared__ unsigned h[WARPS * BINS];
    for (int k = threadIdx.x; k < WARPS * BINS; k += blockDim.x) h[k] = 0;
    __syncthreads();
    unsigned* mine = h + (threadIdx.x >> 5) * BINS;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&mine[data[i] & (BINS - 1)], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; ++w)
            sum += h[w * BINS + b];
        atomicAdd(bins + b, sum);
    }
}

int main() {
    const int n = 1 << 18;
    std::vector<unsigned char> data(n);
    for (int i = 0; i < n; ++i) data[i] = (i * 7) & 255;
    unsigned char* d;
    unsigned *bins, out[BINS];
    cudaMalloc(&d, n);
    cudaMalloc(&bins, sizeof(out));
    cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof(out));
    hist<<<64, WARPS * 32>>>(d, bins, n);
    cudaMemcpy(out, bins, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%u\n", out[3]);
    cudaFree(d);
    cudaFree(bins);
}
