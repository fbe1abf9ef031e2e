// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void diffuse(const float* in, float* out, int steps) {
    __shared__ float s[2][128];
    int t = threadIdx.x;
    s[0][t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int k = 0; k < steps; ++k) {
        int from = k & 1, to = from ^ 1;
        float left = s[from][t > 0 ? t - 1 : 0];
        s[to][t] = 0.5f * (s[from][t] + left);
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = s[steps & 1][t];
}

int main() {
    const int blocks = 10, n = blocks * 128;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    diffuse<<<blocks, 128>>>(in, out, 6);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
