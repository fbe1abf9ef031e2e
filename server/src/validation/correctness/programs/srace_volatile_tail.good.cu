// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ void warp_tail(volatile float* s, int t) {
    float v = s[t];
    v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 8]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 4]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 2]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 1]; __syncwarp(); s[t] = v;
}

__global__ void sum_blocks(const float* in, float* out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    if (t < 128) s[t] += s[t + 128];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) warp_tail(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
    const int blocks = 50, n = blocks * 256;
    std::vector<float> h(n, 1.f), o(blocks);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    sum_blocks<<<blocks, 256>>>(in, out);
    cudaMemcpy(o.data(), out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
