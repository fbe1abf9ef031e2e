// BROKEN: block 1 reads sums[0] without waiting for the flag of block 0, whose thread 0 writes it in the same launch.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ unsigned int next_block = 0;

__global__ void chained_scan(const int* in, int* out, volatile int* sums, volatile int* flag) {
    __shared__ int s[256];
    __shared__ int id, prefix;
    int t = threadIdx.x;
    if (t == 0) id = atomicAdd(&next_block, 1u);
    __syncthreads();
    int b = id;
    s[t] = in[b * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        int p = 0;
        if (b > 0) {

            __threadfence();
            p = sums[b - 1];  // BUG: global-memory-race (or line 30)
        }
        sums[b] = p + s[255];
        __threadfence();
        flag[b] = 1;
        prefix = p;
    }
    __syncthreads();
    out[b * 256 + t] = prefix + s[t];
}

int main() {
    const int blocks = 20, n = blocks * 256;
    std::vector<int> h(n, 1);
    int *in, *out, *sums, *flag;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMalloc(&flag, blocks * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(sums, 0, blocks * sizeof(int));
    cudaMemset(flag, 0, blocks * sizeof(int));
    chained_scan<<<blocks, 256>>>(in, out, sums, flag);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[n - 1]);
    cudaFree(in); cudaFree(out); cudaFree(sums); cudaFree(flag);
}
