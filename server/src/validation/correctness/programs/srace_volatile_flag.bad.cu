// BROKEN: no fence between the table and its flag.
#include <cstdio>
#include <cuda_runtime.h>

// Warp 1 makes a table of powers, warp 0 uses it.
__global__ void powers(const int* exponents, int* out) {
    __shared__ volatile int table[32];
    __shared__ volatile bool made;
    const int lane = threadIdx.x & 31;
    if (threadIdx.x == 0) made = false;
    __syncthreads();
    if (threadIdx.x >= 32) {
        table[lane] = 1 << (lane % 31);
        __syncwarp();
        if (lane == 0) made = true;
    } else {
        while (!made) {}
        __syncwarp();
        out[lane] = table[exponents[lane]];  // BUG: shared-memory-race (or line 13)
    }
}

int main() {
    int host[32], *exponents, *out;
    for (int i = 0; i < 32; ++i) host[i] = (i * 7) % 32;
    cudaMalloc(&exponents, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(exponents, host, sizeof(host), cudaMemcpyHostToDevice);
    powers<<<1, 64>>>(exponents, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[3]);
    cudaFree(exponents);
    cudaFree(out);
}
