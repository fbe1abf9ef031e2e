// CLEAN
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__inline__ __device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

__global__ void dot(const float* a, const float* b, float* total, int n) {
    __shared__ float part[8];
    float v = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += a[i] * b[i];
    v = warp_sum(v);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.f;
        for (int w = 0; w < 8; ++w) s += part[w];
        atomicAdd(total, s);
    }
}

int main(int argc, char* argv[]) {
    const int n = (argc > 1) ? atoi(argv[1]) : 50000;
    std::vector<float> h(n, 1.f);
    float *a, *b, *total, sum = 0.f;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&total, sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof(float));
    dot<<<20, 256>>>(a, b, total, n);
    cudaMemcpy(&sum, total, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", sum);
    cudaFree(a); cudaFree(b); cudaFree(total);
}
