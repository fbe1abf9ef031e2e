// CLEAN
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void sum(const float* in, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(int argc, char** argv) {
    int n = 1000;
    if (argc > 1) n = atoi(argv[1]);
    const int blocks = (n + 255) / 256;
    std::vector<float> h(n, 1.f), o(blocks);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    sum<<<blocks, 256>>>(in, out, n);
    cudaMemcpy(o.data(), out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[blocks - 1]);
    cudaFree(in);
    cudaFree(out);
}
