// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void gradient(const float* in, float* out, int n) {
    __shared__ float s[130];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + 1;
    s[t] = i < n ? in[i] : 0.f;
    if (threadIdx.x == 0) {
        if (i > 0) s[0] = in[i - 1];
        else s[0] = in[0];
    }
    if (threadIdx.x == 127) s[129] = i + 1 < n ? in[i + 1] : 0.f;
    __syncthreads();
    if (i < n) out[i] = 0.5f * (s[t + 1] - s[t - 1]);
}

int main() {
    const int n = 128 * 30;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    gradient<<<n / 128, 128>>>(in, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
