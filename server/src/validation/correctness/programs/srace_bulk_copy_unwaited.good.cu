#include <cstdio>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int TILE = 256;

__global__ void rotate(const float* in, float* out) {
    __shared__ alignas(128) float tile[TILE];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_global_to_shared(tile, in + blockIdx.x * TILE, sizeof(tile), full);
        token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    out[blockIdx.x * TILE + threadIdx.x] = tile[(threadIdx.x + 77) % TILE];
}

int main() {
    const int blocks = 5, n = blocks * TILE;
    float host[n], *in, *out;
    for (int i = 0; i < n; ++i) host[i] = float(i);
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    rotate<<<blocks, TILE>>>(in, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    cudaFree(in);
    cudaFree(out);
}
