// BROKEN: the number of float4 is rounded up: thread 250 loads and stores floats 1000 to 1003 of 1,002.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scale4(float* x, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n4 = (n + 3) / 4;
    float4* x4 = reinterpret_cast<float4*>(x);
    if (i < n4) {
        float4 v = x4[i];  // BUG: out-of-bounds-access (or line 13)
        v.x *= a; v.y *= a; v.z *= a; v.w *= a;
        x4[i] = v;
    }
    int tail = n4 * 4 + i;
    if (tail < n) x[tail] *= a;
}

int main() {
    const int n = 1002;
    std::vector<float> h(n, 1.0f);
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale4<<<1, 256>>>(d, n, 2.0f);
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(d);
}
