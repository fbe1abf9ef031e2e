// BROKEN: copies of 16 bytes begin at element 1 of the row: thread 0 of block 0 copies from byte 4 on.
#include <cstdio>
#include <vector>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void shifted_rows(const float* in, float* out) {
    __shared__ __align__(16) float s[256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[4 * t], &in[blockIdx.x * 256 + 1 + 4 * t], 16);  // BUG: misaligned-access
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = t; k < 256; k += 64) out[blockIdx.x * 256 + k] = s[k];
}

int main() {
    const int blocks = 7, n = blocks * 256;
    std::vector<float> h(n + 4, 1.f);
    float *in, *out;
    cudaMalloc(&in, (n + 4) * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), (n + 4) * sizeof(float), cudaMemcpyHostToDevice);
    shifted_rows<<<blocks, 64>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
