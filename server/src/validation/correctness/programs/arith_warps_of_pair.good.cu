// CLEAN: work is divided by the number of warps.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void split_rows(int* out, int rows) {
    const int groups = (blockDim.x + 63) / 64;
    const int each = rows / groups;
    for (int r = 0; r < each; ++r)
        if (threadIdx.x == 0) out[blockIdx.x * rows + r] = each;
}

int main() {
    const int rows = 12, blocks = 5;
    std::vector<int> h(rows * blocks);
    int* out;
    cudaMalloc(&out, h.size() * sizeof(int));
    cudaMemset(out, 0, h.size() * sizeof(int));
    split_rows<<<blocks, 32>>>(out, rows);
    cudaMemcpy(h.data(), out, h.size() * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(out);
}
