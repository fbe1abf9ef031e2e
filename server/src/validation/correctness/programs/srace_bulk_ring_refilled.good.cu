#include <cstdio>
#include <cuda/barrier>
#include <cuda_runtime.h>
#pragma nv_diag_suppress static_var_with_dynamic_init
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int SLOTS = 3, TILE = 128;

__global__ void tile_sums(const int* in, int* out, int tiles) {
    __shared__ alignas(128) int ring[SLOTS][TILE];
    __shared__ Barrier full[SLOTS];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < SLOTS; ++s) init(&full[s], 1);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    const int* from = in + blockIdx.x * tiles * TILE;
    auto fill = [&](int k) {
        cuda::device::memcpy_async_tx(ring[k % SLOTS], from + k * TILE, cuda::aligned_size_t<16>(TILE * sizeof(int)), full[k % SLOTS]);
        cuda::device::barrier_arrive_tx(full[k % SLOTS], 1, TILE * sizeof(int));
    };
    if (t == 0)
        for (int k = 0; k < SLOTS && k < tiles; ++k) fill(k);
    int sum = 0;
    for (int k = 0; k < tiles; ++k) {
        full[k % SLOTS].wait_parity(k / SLOTS % 2);
        sum += ring[k % SLOTS][TILE - 1 - t];
        __syncthreads();
        if (t == 0 && k + SLOTS < tiles) fill(k + SLOTS);
    }
    out[blockIdx.x * TILE + t] = sum;
}

int main() {
    const int blocks = 4, tiles = 5, n = blocks * tiles * TILE;
    static int host[n];
    int *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i % 11;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, blocks * TILE * sizeof(int));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    tile_sums<<<blocks, TILE>>>(in, out, tiles);
    cudaMemcpy(host, out, blocks * TILE * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(in);
    cudaFree(out);
}
