// CLEAN: the helper is called by all threads.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ int block_sum(int v, int* scratch) {
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) scratch[threadIdx.x] += scratch[threadIdx.x + d];
        __syncthreads();
    }
    return scratch[0];
}

__global__ void count_odd(const int* in, int* out) {
    __shared__ int scratch[128];
    int v = in[blockIdx.x * blockDim.x + threadIdx.x], sum = 0;
    scratch[threadIdx.x] = 0;
    sum = block_sum(threadIdx.x < 96 ? v & 1 : 0, scratch);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
    const int n = 128 * 10;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, 10 * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    count_odd<<<10, 128>>>(in, out);
    cudaMemcpy(h.data(), out, 10 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
