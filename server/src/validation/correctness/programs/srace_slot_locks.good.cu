#include <cstdio>
#include <cuda_runtime.h>

constexpr int SLOTS = 16, THREADS = 192;

// Keeps for each slot the polynomial of its keys in the order in which they come.
__global__ void digest(const int* keys, int* out) {
    __shared__ int held[SLOTS];
    __shared__ volatile int value[SLOTS];
    if (threadIdx.x < SLOTS) {
        held[threadIdx.x] = 0;
        value[threadIdx.x] = 1;
    }
    __syncthreads();
    const int key = keys[threadIdx.x], slot = key % SLOTS;
    for (bool waits = true; waits;) {
        if (atomicCAS(&held[slot], 0, 1) == 0) {
            __threadfence_block();
            value[slot] = value[slot] * 31 + key;
            __threadfence_block();
            atomicExch(&held[slot], 0);
            waits = false;
        }
    }
    __syncthreads();
    if (threadIdx.x < SLOTS) out[threadIdx.x] = value[threadIdx.x];
}

int main() {
    int host[THREADS], *keys, *out;
    for (int i = 0; i < THREADS; ++i) host[i] = i * 3;
    cudaMalloc(&keys, sizeof(host));
    cudaMalloc(&out, SLOTS * sizeof(int));
    cudaMemcpy(keys, host, sizeof(host), cudaMemcpyHostToDevice);
    digest<<<1, THREADS>>>(keys, out);
    cudaMemcpy(host, out, SLOTS * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(keys);
    cudaFree(out);
}
