// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void roles(const float* in, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    float v = in[blockIdx.x * 128 + t];
    switch (t / 64) {
    case 0:
        s[t] = v * 2.f;

        break;
    default:
        s[t] = v * 3.f;
        break;
    }
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[127 - t];
}

int main() {
    const int n = 128 * 16;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    roles<<<n / 128, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
