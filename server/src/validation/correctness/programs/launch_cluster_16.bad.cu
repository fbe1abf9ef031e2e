// BROKEN: the cluster of 16 blocks is above the portable size of 8 and the kernel's attribute for larger ones is not set.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void bump(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}

int main() {
    const int n = 64 * 128;
    std::vector<int> h(n, 1);
    int* x;
    cudaMalloc(&x, n * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(64);
    cfg.blockDim = dim3(128);
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeClusterDimension;
    attr[0].val.clusterDim.x = 16;
    attr[0].val.clusterDim.y = 1;
    attr[0].val.clusterDim.z = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, bump, x, n);  // BUG: launch-fails (or line 22)
    cudaMemcpy(h.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(x);
}
