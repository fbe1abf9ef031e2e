// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void pair_sums(const float* in, float* out) {
    __shared__ float a[128], b[128];
    int t = threadIdx.x, base = blockIdx.x * 256;
    __pipeline_memcpy_async(&a[t], &in[base + t], sizeof(float));
    __pipeline_commit();
    __pipeline_memcpy_async(&b[t], &in[base + 128 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 128 + t] = a[127 - t] + b[127 - t];
}

int main() {
    const int blocks = 8, n = blocks * 256;
    std::vector<float> h(n, 1.5f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n / 2 * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    pair_sums<<<blocks, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n / 2 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
