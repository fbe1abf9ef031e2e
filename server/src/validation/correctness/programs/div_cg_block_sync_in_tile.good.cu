// CLEAN
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void tile_totals(const int* in, int* out) {
    __shared__ int part[8];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int v = cg::reduce(tile, in[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<int>());
    if (tile.thread_rank() == 0) {
        part[tile.meta_group_rank()] = v;

    }
    block.sync();
    if (block.thread_rank() == 0) {
        int sum = 0;
        for (int w = 0; w < tile.meta_group_size(); ++w) sum += part[w];
        out[blockIdx.x] = sum;
    }
}

int main() {
    const int threads = 256, blocks = 15, n = threads * blocks;
    std::vector<int> h(n, 2), o(blocks);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    tile_totals<<<blocks, threads>>>(in, out);
    cudaMemcpy(o.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
