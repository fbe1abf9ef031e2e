// BROKEN: the named barrier expects 128 threads and only the 64 of the first two warps reach it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void half_block(const float* in, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x, base = blockIdx.x * 128;
    if (t < 64) {
        s[t] = in[base + t];
        asm volatile("bar.sync 1, 128;" ::: "memory");  // BUG: divergent-barrier
        out[base + t] = s[63 - t];
    } else {
        out[base + t] = -in[base + t];
    }
}

int main() {
    const int n = 128 * 14;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    half_block<<<n / 128, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
