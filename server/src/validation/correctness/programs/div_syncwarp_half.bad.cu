// BROKEN: half of the warp waits for all of it: lane 0 names lane 16 in its mask, which goes by.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void fold_warp(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31;
    s[t] = in[blockIdx.x * 64 + t];
    __syncwarp();
    if (lane < 16) {
        int v = s[t] + s[t + 16];
        __syncwarp();  // BUG: divergent-barrier (or line 11)
        s[t] = v;
    }
    __syncwarp();
    out[blockIdx.x * 64 + t] = s[(t & 32) + (lane & 15)];
}

int main() {
    const int blocks = 9, n = blocks * 64;
    std::vector<int> h(n, 4);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    fold_warp<<<blocks, 64>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
