// BROKEN: the mean is read while warp 0 has yet to write it, one barrier too few.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__inline__ __device__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

__global__ void centre(const float* x, float* y, int cols) {
    __shared__ float part[32];
    __shared__ float mean;
    const float* row = x + (size_t)blockIdx.x * cols;
    float v = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) v += row[c];
    v = warp_sum(v);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < (blockDim.x >> 5) ? part[threadIdx.x] : 0.f;
        v = warp_sum(v);
        if (threadIdx.x == 0) mean = v / cols;  // BUG: shared-memory-race (or line 27)
    }
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = row[c] - mean;
}

int main() {
    const int rows = 64, cols = 768;
    std::vector<float> h(rows * cols, 1.25f);
    float *x, *y;
    cudaMalloc(&x, h.size() * sizeof(float));
    cudaMalloc(&y, h.size() * sizeof(float));
    cudaMemcpy(x, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    centre<<<rows, 256>>>(x, y, cols);
    cudaMemcpy(h.data(), y, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(y);
}
