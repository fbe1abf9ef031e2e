// BROKEN: no barrier of the grid between the phases: thread 255 of block 0 reads tmp[256], which block 1 may not have written yet.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void smooth_twice(const float* x, float* tmp, float* y, int n) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    if (i < n) tmp[i] = 0.5f * x[i];  // BUG: global-memory-race (or line 13)

    if (i < n) y[i] = tmp[i] + tmp[i + 1 < n ? i + 1 : 0];
}

int main() {
    int n = 4096;
    std::vector<float> h(n, 3.f);
    float *x, *tmp, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&tmp, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    void* args[] = {&x, &tmp, &y, &n};
    cudaLaunchCooperativeKernel((const void*)smooth_twice, dim3(n / 256), dim3(256), args, 0, 0);
    cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(tmp);
    cudaFree(y);
}
