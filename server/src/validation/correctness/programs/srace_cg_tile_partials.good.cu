// CLEAN: the block meets before thread 0 adds up the tiles' partial sums.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__global__ void tile_partials(const int* in, int* out) {
    __shared__ int partial[16];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int sum = cg::reduce(tile, in[blockIdx.x * 256 + block.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) {
        int all = 0;
        for (int k = 0; k < 16; ++k) all += partial[k];
        out[blockIdx.x] = all;
    }
}

int main() {
    const int blocks = 40, n = blocks * 256;
    std::vector<int> h(n, 2), r(blocks);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    tile_partials<<<blocks, 256>>>(in, out);
    cudaMemcpy(r.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r[0]);
    cudaFree(in);
    cudaFree(out);
}
