// BROKEN: the volatile tail relies on lock step: at +16, lane 0 reads s[16] while lane 16 of the same warp may not have added s[48] to it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ void warp_tail(volatile float* s, int t) {
    float v = s[t];
    v += s[t + 32];  s[t] = v;
    v += s[t + 16];  s[t] = v;  // BUG: shared-memory-race (or line 8)
    v += s[t + 8];  s[t] = v;
    v += s[t + 4];  s[t] = v;
    v += s[t + 2];  s[t] = v;
    v += s[t + 1];  s[t] = v;
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
