// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BINS 256

__global__ void histo(const unsigned char* in, unsigned* out, int n) {
    extern __shared__ unsigned bins[];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&out[b], bins[b]);
}

int main() {
    const int n = 40000;
    std::vector<unsigned char> h(n);
    for (int i = 0; i < n; ++i) h[i] = (unsigned char)(i * 13);
    unsigned char* in;
    unsigned *out, r[BINS];
    cudaMalloc(&in, n);
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(in, h.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(r));
    histo<<<10, 128, BINS * sizeof(unsigned)>>>(in, out, n);
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%u\n", r[0]);
    cudaFree(in);
    cudaFree(out);
}
