// BROKEN: no barrier after the flag is read: thread 0 resets changed for the next round while thread 32 may still read it (equal-value stores of 1 are fine).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int N = 256;

__global__ void propagate(const int* in, int* out) {
    __shared__ int lab[N];
    __shared__ int changed;
    int t = threadIdx.x;
    lab[t] = in[blockIdx.x * N + t];
    __syncthreads();
    bool go = true;
    while (go) {
        if (t == 0) changed = 0;  // BUG: shared-memory-race (or line 24)
        int mine = lab[t], next = lab[(t + 1) % N];
        __syncthreads();
        if (next > mine) {
            lab[t] = next;
            changed = 1;
        }
        __syncthreads();
        go = changed != 0;

    }
    out[blockIdx.x * N + t] = lab[t];
}

int main() {
    const int blocks = 4, n = N * blocks;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i % 10;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    propagate<<<blocks, N>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
