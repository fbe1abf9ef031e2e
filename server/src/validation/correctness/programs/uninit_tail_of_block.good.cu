// CLEAN: the threads beyond the end store zero.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int B>
__global__ void energy(const float* v, float* out, int n) {
    __shared__ float part[B];
    int i = blockIdx.x * B + threadIdx.x;
    part[threadIdx.x] = i < n ? v[i] * v[i] : 0.f;
    __syncthreads();
    for (int d = B / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

int main() {
    const int n = 1000;
    std::vector<float> h(n, 1.f);
    float *v, *out, sum = 0;
    cudaMalloc(&v, n * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(v, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(float));
    energy<256><<<(n + 255) / 256, 256>>>(v, out, n);
    cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", sum);
    cudaFree(v);
    cudaFree(out);
}
