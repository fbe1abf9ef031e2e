// BROKEN: the tail of the reduction has no tile.sync(): lane 0 reads s[8] while lane 8 may not have added s[24] to it yet.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void tile_sums(const int* in, int* out) {
    __shared__ int s[128];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x, lane = tile.thread_rank();
    int* mine = s + (t & ~31);
    mine[lane] = in[blockIdx.x * 128 + t];
    tile.sync();
    for (int d = 16; d > 0; d /= 2) {
        int v = lane < d ? mine[lane + d] : 0;

        if (lane < d) mine[lane] += v;  // BUG: shared-memory-race (or line 16)

    }
    if (lane == 0) out[blockIdx.x * 4 + t / 32] = mine[0];
}

int main() {
    const int blocks = 6, n = blocks * 128;
    std::vector<int> h(n, 2);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, blocks * 4 * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    tile_sums<<<blocks, 128>>>(in, out);
    cudaMemcpy(h.data(), out, blocks * 4 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
