// BROKEN: no fence between the partial sum and the ticket: the last block may read partial[0] before block 0's store is visible to it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int THREADS = 128, BLOCKS = 64;
__device__ unsigned int ticket = 0;

__global__ void sum_all(const int* in, volatile int* partial, int* out, int n) {
    __shared__ int s[THREADS];
    __shared__ bool last;
    int t = threadIdx.x, v = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += THREADS * BLOCKS) v += in[i];
    s[t] = v;
    __syncthreads();
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];  // BUG: global-memory-race (or line 28)

        last = atomicInc(&ticket, BLOCKS - 1) == BLOCKS - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < BLOCKS; ++b) sum += partial[b];
        *out = sum;
    }
}

int main() {
    const int n = 1 << 17;
    std::vector<int> h(n, 1);
    int *in, *partial, *out, sum = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&partial, BLOCKS * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sum_all<<<BLOCKS, THREADS>>>(in, partial, out, n);
    cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
    cudaFree(in); cudaFree(partial); cudaFree(out);
}
