// BROKEN: two warps' leaders write the same element.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void warp_max(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (threadIdx.x % 32 == 0) out[i / 64] = v;  // BUG: global-memory-race
}

int main() {
    const int n = 128 * 30;
    std::vector<float> h(n), r(n / 32);
    for (int i = 0; i < n; ++i) h[i] = float((i * 71) % 509);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, r.size() * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, r.size() * sizeof(float));
    warp_max<<<30, 128>>>(in, out);
    cudaMemcpy(r.data(), out, r.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", r[0]);
    cudaFree(in);
    cudaFree(out);
}
