// BROKEN: threads leave the loop one by one: thread 0 breaks in the first turn while thread 1 waits at the barrier of the second.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void rounds(const int* need, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    int mine = need[t];
    for (int k = 0; k < 8; ++k) {
        s[t] = t + k;
        if (k > mine) break;
        __syncthreads();  // BUG: divergent-barrier (or line 12, 15)
        sum += s[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

int main() {
    std::vector<int> h(64);
    for (int i = 0; i < 64; ++i) h[i] = i % 6;
    int *need, *out;
    cudaMalloc(&need, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemcpy(need, h.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    rounds<<<1, 64>>>(need, out);
    cudaMemcpy(h.data(), out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(need);
    cudaFree(out);
}
