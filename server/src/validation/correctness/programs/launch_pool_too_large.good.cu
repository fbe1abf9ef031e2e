// CLEAN: the pool is as large as a block may have, and allowed by the attribute.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reverse_block(const float4* in, float4* out) {
    extern __shared__ float4 pool[];
    const int t = threadIdx.x, base = blockIdx.x * blockDim.x * 16;
    for (int k = 0; k < 16; ++k) pool[k * blockDim.x + t] = in[base + k * blockDim.x + t];
    __syncthreads();
    for (int k = 0; k < 16; ++k) out[base + k * blockDim.x + t] = pool[k * blockDim.x + blockDim.x - 1 - t];
}

int main() {
    const int threads = 256, blocks = 8, n = threads * blocks * 16;
    std::vector<float4> h(n);
    float4 *in, *out;
    cudaMalloc(&in, n * sizeof(float4));
    cudaMalloc(&out, n * sizeof(float4));
    cudaMemcpy(in, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    const size_t bytes = threads * 64 / 4 * sizeof(float4);
    cudaFuncSetAttribute(reverse_block, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    reverse_block<<<blocks, threads, bytes>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float4), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0].x);
    cudaFree(in);
    cudaFree(out);
}
