// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void warp_totals(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float v = i < n ? in[i] : 0.f;
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_down_sync(0xffffffff, v, o);
    if (i % 32 == 0 && i < n) out[i / 32] = v;
}

int main() {
    const int n = 1000, warps = (n + 31) / 32;
    std::vector<float> h(n, 1.f), o(warps);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, warps * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    warp_totals<<<(n + 127) / 128, 128>>>(in, out, n);
    cudaMemcpy(o.data(), out, warps * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[warps - 1]);
    cudaFree(in);
    cudaFree(out);
}
