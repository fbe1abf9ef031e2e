// BROKEN: a cooperative launch of 4,096 blocks of 512 threads cannot be resident at once (at most 4 blocks on each of 132 multiprocessors).
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void normalise(float* x, float* total, int n) {
    cg::grid_group grid = cg::this_grid();
    float v = 0.f;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) v += x[i];
    atomicAdd(total, v);
    grid.sync();
    float sum = *total;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] /= sum;
}

int main() {
    int n = 4096 * 512;
    std::vector<float> h(n, 1.f);
    float *x, *total;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&total, sizeof(float));
    cudaMemset(total, 0, sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    void* args[] = {&x, &total, &n};
    dim3 grid(n / 512);
    cudaLaunchCooperativeKernel((void*)normalise, grid, dim3(512), args, 0, 0);  // BUG: launch-fails
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(total);
}
