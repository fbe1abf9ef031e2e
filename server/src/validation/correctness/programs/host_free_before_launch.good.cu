// CLEAN: the scratch is given back behind the kernel that uses it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void stage(const float* in, float* tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tmp[i] = in[i] + 1.f;
}

__global__ void finish(const float* tmp, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tmp[i] * tmp[i];
}

int main() {
    const int n = 2048;
    std::vector<float> h(n, 1.f);
    cudaStream_t s;
    cudaStreamCreate(&s);
    float *in, *out, *tmp;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMallocAsync(&tmp, n * sizeof(float), s);
    cudaMemcpyAsync(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice, s);
    stage<<<n / 256, 256, 0, s>>>(in, tmp, n);
    finish<<<n / 256, 256, 0, s>>>(tmp, out, n);
    cudaFreeAsync(tmp, s);
    cudaStreamSynchronize(s);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaStreamDestroy(s);
    cudaFree(in);
    cudaFree(out);
}
