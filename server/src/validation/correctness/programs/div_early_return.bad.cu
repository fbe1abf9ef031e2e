// BROKEN: in the last block threads 232 to 255 return before the barrier that threads 0 to 231 wait at (exited threads).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void block_max(const int* in, int* out, int n) {
    __shared__ int best;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) best = -1;
    if (i >= n) return;
    __syncthreads();  // BUG: divergent-barrier (or line 10)
    if (i < n) atomicMax(&best, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = best;
}

int main() {
    const int n = 1000, blocks = (n + 255) / 256;
    std::vector<int> h(n), o(blocks);
    for (int i = 0; i < n; ++i) h[i] = (i * 31) % 977;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    block_max<<<blocks, 256>>>(in, out, n);
    cudaMemcpy(o.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
