// CLEAN
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void flip(const float* in, float* out) {
    __shared__ alignas(16) float tile[256];
    auto block = cg::this_thread_block();
    int base = blockIdx.x * 256;
    cg::memcpy_async(block, tile, in + base, sizeof(tile));
    cg::wait(block);
    out[base + threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
    const int n = 256 * 30;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    flip<<<n / 256, 256>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
