// CLEAN
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void two_phase(int* x, int half) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    if (i < half) {
        x[i + half] = x[i] + 1;

    }
    grid.sync();
    if (i < half) x[i] = x[2 * half - 1 - i];
}

int main() {
    int half = 4096;
    const int n = 2 * half;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int* x;
    cudaMalloc(&x, n * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    void* args[] = {&x, &half};
    cudaLaunchCooperativeKernel((const void*)two_phase, dim3(n / 256), dim3(256), args, 0, 0);
    cudaMemcpy(h.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(x);
}
