// BROKEN: the shared histogram is incremented without an atomic: threads 0 and 64 (both values 0) update bins[0].
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int BINS = 64;

__global__ void histo(const unsigned char* img, unsigned* out, int n) {
    __shared__ unsigned bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        bins[img[i] / 4]++;  // BUG: shared-memory-race
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&out[b], bins[b]);
}

int main() {
    const int n = 1 << 18;
    std::vector<unsigned char> h(n);
    for (int i = 0; i < n; ++i) h[i] = (unsigned char)((i % 64) * 4);
    unsigned char* img;
    unsigned* out;
    cudaMalloc(&img, n);
    cudaMalloc(&out, BINS * sizeof(unsigned));
    cudaMemcpy(img, h.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, BINS * sizeof(unsigned));
    histo<<<24, 128>>>(img, out, n);
    unsigned r[BINS];
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%u\n", r[0]);
    cudaFree(img);
    cudaFree(out);
}
