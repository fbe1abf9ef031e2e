// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int N = 8192;

__global__ void mix(const float* a, const float* b, float* out) {
    __shared__ float sa[N];
    extern __shared__ float sb[];
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        sa[i] = a[i];
        sb[i] = b[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) out[i] = sa[N - 1 - i] * sb[i];
}

int main() {
    std::vector<float> h(N, 2.f);
    float *a, *b, *out;
    cudaMalloc(&a, N * sizeof(float));
    cudaMalloc(&b, N * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    cudaMemcpy(a, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    const int dyn = N * sizeof(float);
    cudaFuncSetAttribute(mix, cudaFuncAttributeMaxDynamicSharedMemorySize, dyn);
    mix<<<1, 512, dyn>>>(a, b, out);
    cudaMemcpy(h.data(), out, N * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(a); cudaFree(b); cudaFree(out);
}
