// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void pair_up(const float* in, float* tmp, float* out) {
    int base = blockIdx.x * blockDim.x, t = threadIdx.x;
    tmp[base + t] = in[base + t] * in[base + t];
    __syncthreads();
    out[base + t] = tmp[base + t] + tmp[base + (t + 32) % blockDim.x];
}

int main() {
    const int threads = 256, blocks = 40, n = threads * blocks;
    std::vector<float> h(n, 1.5f);
    float *in, *tmp, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&tmp, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    pair_up<<<blocks, threads>>>(in, tmp, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in); cudaFree(tmp); cudaFree(out);
}
