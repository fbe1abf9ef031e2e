// CLEAN: each element is compared with the number of elements.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int ITEMS, typename F>
__global__ void transform(const float* in, float* out, int n, F f) {
    int first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
    if (first >= n) return;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) out[i] = f(in[i]);
    }
}

struct Affine {
    float a, b;
    __device__ float operator()(float x) const { return a * x + b; }
};

int main() {
    const int n = 100001;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    transform<4><<<(n + 1023) / 1024, 256>>>(in, out, n, Affine{2.f, 1.f});
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
