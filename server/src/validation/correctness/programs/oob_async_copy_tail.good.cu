// CLEAN
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

constexpr int TILE = 256;

__global__ void reverse_tiles(const float* in, float* out, int n) {
    __shared__ float tile[TILE];
    cg::thread_block block = cg::this_thread_block();
    int base = blockIdx.x * TILE;
    int count = min(TILE, n - base);
    cg::memcpy_async(block, tile, in + base, sizeof(float) * count);
    cg::wait(block);
    if (threadIdx.x < count) out[base + threadIdx.x] = tile[count - 1 - threadIdx.x];
}

int main() {
    const int n = 1000;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reverse_tiles<<<(n + TILE - 1) / TILE, TILE>>>(in, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
