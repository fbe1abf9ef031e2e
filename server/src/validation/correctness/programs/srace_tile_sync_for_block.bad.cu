// BROKEN: a warp tile is synchronised where the block should be: thread 0 reads s[32], which thread 32 of the next warp writes.
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void neighbour_warp(const float* in, float* out) {
    __shared__ float s[128];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int t = block.thread_rank();
    float v = in[blockIdx.x * 128 + t];
    s[t] = v + tile.shfl_xor(v, 1);
    tile.sync();
    out[blockIdx.x * 128 + t] = s[(t + 32) % 128];  // BUG: shared-memory-race (or line 14)
}

int main() {
    const int n = 128 * 25;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    neighbour_warp<<<n / 128, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
