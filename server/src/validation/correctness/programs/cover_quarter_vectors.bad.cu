// BROKEN: 10,000 elements are 2,500 vectors, and 2,500 / 256 are 9 blocks: the last 196 vectors are left out.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scale4(float4* x, int vectors, float f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors) {
        float4 v = x[i];
        x[i] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
    }
}

int main() {
    const int n = 10000, vectors = n / 4;
    std::vector<float> h(n, 1.f);
    float4* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale4<<<vectors / 256, 256>>>(x, vectors, 2.f);  // BUG: grid-does-not-cover (or line 8)
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(x);
}
