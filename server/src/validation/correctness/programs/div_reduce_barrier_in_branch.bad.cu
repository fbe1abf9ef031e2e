// BROKEN: the barrier stands inside if (t < d): at d = 128 thread 128 of block 0 does not reach it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reduce(const float* in, float* out) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads();  // BUG: divergent-barrier (or line 12)
        }

    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
    const int threads = 256, blocks = 64, n = threads * blocks;
    std::vector<float> h(n, 1.f), o(blocks);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<blocks, threads, threads * sizeof(float)>>>(in, out);
    cudaMemcpy(o.data(), out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
