// BROKEN: threads past the end return before the barrier, in the last block that has work.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int TILE = 64;

__global__ void reverse_tiles(const int* in, int* out, int n, int tiles) {
    __shared__ int tile[TILE];
    if (blockIdx.x >= tiles) return;
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = in[i];
    __syncthreads();  // BUG: divergent-barrier
    if (i < n) out[i] = tile[min(TILE, n - (int)blockIdx.x * TILE) - 1 - threadIdx.x];
}

int main() {
    const int n = 650, tiles = (n + TILE - 1) / TILE;
    int host[n], *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    reverse_tiles<<<16, TILE>>>(in, out, n, tiles);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(in);
    cudaFree(out);
}
