// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ __forceinline__ void group_sync(int id) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(64) : "memory");
}

__global__ void swap_in_groups(const float* in, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    int group = t / 64;
    s[t] = in[blockIdx.x * 128 + t];
    group_sync(1 + group);
    out[blockIdx.x * 128 + t] = s[t ^ 32];
}

int main() {
    const int n = 128 * 10;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    swap_in_groups<<<n / 128, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
