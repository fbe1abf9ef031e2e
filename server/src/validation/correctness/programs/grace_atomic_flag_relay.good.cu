#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int TILES = 20, TILE = 128;
using Flag = cuda::atomic<unsigned, cuda::thread_scope_device>;

// Where each tile's rows begin: known once the tile before it knows where it ends.
__global__ void offsets(const int* counts, int* starts, Flag* done) {
    if (threadIdx.x == 0) {
        int tile = blockIdx.x, start = 0;
        if (tile != 0) {
            while (done[tile - 1].load(cuda::memory_order_acquire) == 0u) {}
            start = starts[tile - 1] + counts[tile - 1];
        }
        starts[tile] = start;
        done[tile].store(1u, cuda::memory_order_release);
    }
}

int main() {
    int host[TILES], *counts, *starts;
    Flag* done;
    for (int i = 0; i < TILES; ++i) host[i] = i % TILE;
    cudaMalloc(&counts, sizeof(host));
    cudaMalloc(&starts, sizeof(host));
    cudaMalloc(&done, TILES * sizeof(Flag));
    cudaMemset(done, 0, TILES * sizeof(Flag));
    cudaMemcpy(counts, host, sizeof(host), cudaMemcpyHostToDevice);
    offsets<<<TILES, TILE>>>(counts, starts, done);
    cudaMemcpy(host, starts, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[TILES - 1]);
    cudaFree(counts);
    cudaFree(starts);
    cudaFree(done);
}
