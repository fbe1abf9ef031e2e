// BROKEN: the block sums are counted by n / 256 = 39, the grid by rounding up: thread 0 of block 39 writes sums[39].
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void block_sum(const float* in, float* sums, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];  // BUG: out-of-bounds-access
}

int main() {
    const int n = 10000;
    const int grid = (n + 255) / 256;
    const int nsums = n / 256;
    std::vector<float> h(n, 1.0f), sums(nsums);
    float *in, *ds;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&ds, nsums * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    block_sum<<<grid, 256>>>(in, ds, n);
    cudaMemcpy(sums.data(), ds, nsums * sizeof(float), cudaMemcpyDeviceToHost);
    float total = 0.0f;
    for (float v : sums) total += v;
    printf("%f\n", total);
    cudaFree(in);
    cudaFree(ds);
}
