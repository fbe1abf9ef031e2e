// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TILE = 128;

__global__ void block_max(const float* x, float* out, int n) {
    __shared__ float tile[TILE];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? x[i] : -1e30f;
    __syncthreads();
    if (t == 0) {
        float best = tile[0];
        for (int k = 1; k < TILE; ++k) best = fmaxf(best, tile[k]);
        out[blockIdx.x] = best;
    }
}

int main() {
    const int n = 10000;
    const int threads = TILE;
    const int blocks = (n + threads - 1) / threads;
    std::vector<float> h(n, 2.f);
    float *x, *out;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    block_max<<<blocks, threads>>>(x, out, n);
    cudaMemcpy(h.data(), out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(out);
}
