// CLEAN: the doubles come first in the block's pool.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void mixed(const float* in, double* out, int k) {
    extern __shared__ unsigned char pool[];
    double* many = reinterpret_cast<double*>(pool);
    float* few = reinterpret_cast<float*>(many + blockDim.x);
    if (threadIdx.x < k) few[threadIdx.x] = in[threadIdx.x];
    many[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = many[blockDim.x - 1 - threadIdx.x] * few[threadIdx.x % k];
}

int main() {
    const int k = 5, threads = 64, blocks = 4;
    std::vector<float> h(k, 1.f);
    std::vector<double> r(threads * blocks);
    float* in;
    double* out;
    cudaMalloc(&in, k * sizeof(float));
    cudaMalloc(&out, r.size() * sizeof(double));
    cudaMemcpy(in, h.data(), k * sizeof(float), cudaMemcpyHostToDevice);
    mixed<<<blocks, threads, k * sizeof(float) + threads * sizeof(double)>>>(in, out, k);
    cudaMemcpy(r.data(), out, r.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", r[1]);
    cudaFree(in);
    cudaFree(out);
}
