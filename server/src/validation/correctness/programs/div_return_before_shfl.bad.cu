// BROKEN: n = 1,000 ends in the middle of a warp: lanes 8 to 31 of its last warp return before the full-mask shuffle (exited threads).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void warp_totals(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = i < n ? in[i] : 0.f;
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_down_sync(0xffffffff, v, o);  // BUG: divergent-barrier (or line 8)
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
