// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int PER_SLOT = 32;

__global__ void warp_sums(const int* in, int* out) {
    __shared__ int slot[THREADS / PER_SLOT];
    int t = threadIdx.x;
    int v = in[blockIdx.x * THREADS + t];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    if (t % 32 == 0) slot[t / PER_SLOT] = v;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < THREADS / PER_SLOT; ++k) sum += slot[k];
        out[blockIdx.x] = sum;
    }
}

int main() {
    const int blocks = 30, n = blocks * THREADS;
    std::vector<int> h(n), o(blocks);
    for (int i = 0; i < n; ++i) h[i] = i % 7;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    warp_sums<<<blocks, THREADS>>>(in, out);
    cudaMemcpy(o.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
