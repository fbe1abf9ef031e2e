// BROKEN: the grid of 10 blocks is no multiple of the cluster of 4: the launch is refused.
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) ring_sum(const int* in, int* out) {
    __shared__ int s[128];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i];
    cluster.sync();
    unsigned peer = (cluster.block_rank() + 1) % cluster.num_blocks();
    int* other = cluster.map_shared_rank(s, peer);
    out[i] = s[t] + other[t];
    cluster.sync();
}

int main() {
    const int blocks = 10, n = blocks * 128;
    std::vector<int> h(n, 3);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    ring_sum<<<blocks, 128>>>(in, out);  // BUG: launch-fails
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
