// BROKEN: blocks take their tiles by a ticket, and the last tile is written whole.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int TILE = 128;
__device__ unsigned next_tile;
__device__ unsigned long long sums[64];

// Tiles are taken in the order in which blocks come; each waits for the sum before it.
__global__ void shift_by_sum(const int* in, int* out, int n) {
    __shared__ unsigned tile;
    __shared__ int before;
    if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long seen = 1ull << 32;
        if (tile > 0) {
            do {
                seen = atomicAdd(&sums[tile - 1], 0ull);
            } while (seen >> 32 == 0);
        }
        before = (int)seen;
        atomicExch(&sums[tile], 1ull << 32 | (unsigned)(before + in[tile * TILE]));
    }
    __syncthreads();
    const unsigned i = tile * TILE + threadIdx.x;
    out[i] = before;  // BUG: out-of-bounds-access
}

int main() {
    const int n = 3000, tiles = (n + TILE - 1) / TILE;
    int *in, *out, host[4];
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));
    shift_by_sum<<<tiles, TILE>>>(in, out, n);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(in);
    cudaFree(out);
}
