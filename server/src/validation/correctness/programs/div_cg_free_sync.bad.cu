// BROKEN: cg::sync of the block is called by half of it.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__global__ void exchange(const int* in, int* out) {
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    const int t = block.thread_rank();
    s[t] = in[blockIdx.x * 128 + t];
    if (t < 64) {
        s[t] += 1;
        cg::sync(block);  // BUG: divergent-barrier
    }

    out[blockIdx.x * 128 + t] = s[t ^ 1];
}

int main() {
    const int n = 128 * 12;
    std::vector<int> h(n, 3);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    exchange<<<12, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
