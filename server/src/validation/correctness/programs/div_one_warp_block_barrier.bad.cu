// BROKEN: the block barrier is used inside warp 0 only: thread 32 does not reach it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void last_warp_sum(const float* in, float* out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    if (t < 32) {
        float v = 0.f;
        for (int k = t; k < 256; k += 32) v += s[k];
        __syncthreads();  // BUG: divergent-barrier (or line 11)
        s[t] = v;
        __syncwarp();
        if (t == 0) {
            float sum = 0.f;
            for (int k = 0; k < 32; ++k) sum += s[k];
            out[blockIdx.x] = sum;
        }
    }
}

int main() {
    const int blocks = 30, n = blocks * 256;
    std::vector<float> h(n, 1.f), o(blocks);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    last_warp_sum<<<blocks, 256>>>(in, out);
    cudaMemcpy(o.data(), out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
