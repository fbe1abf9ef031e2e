// BROKEN: warps take different numbers of turns through a loop with a barrier.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void drain(const int* lengths, float* out) {
    __shared__ float slot[8];
    const int w = threadIdx.x / 32;
    float sum = 0.f;
    int left = lengths[blockIdx.x * 8 + w];
    while (left > 0) {
        if (threadIdx.x % 32 == 0) slot[w] = (float)left;
        __syncthreads();  // BUG: divergent-barrier (or lines 15, 16)
        sum += slot[w] + slot[(w + 1) % 8];
        __syncthreads();
        --left;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
    const int blocks = 6;
    std::vector<int> h(blocks * 8);
    for (int i = 0; i < blocks * 8; ++i) h[i] = 1 + i % 5;
    int* lengths;
    float* out;
    cudaMalloc(&lengths, h.size() * sizeof(int));
    cudaMalloc(&out, blocks * 256 * sizeof(float));
    cudaMemcpy(lengths, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);
    drain<<<blocks, 256>>>(lengths, out);
    std::vector<float> r(blocks * 256);
    cudaMemcpy(r.data(), out, r.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", r[0]);
    cudaFree(lengths);
    cudaFree(out);
}
