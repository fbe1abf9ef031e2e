#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int WIDTH = 192;

__global__ void mirror_rows(const int* in, int* out) {
    __shared__ alignas(16) int row[WIDTH];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&ready, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, row, in + blockIdx.x * WIDTH, sizeof(row), ready);
    auto token = ready.arrive();
    ready.wait(std::move(token));
    const int mirrored = row[WIDTH - 1 - threadIdx.x];
    out[blockIdx.x * WIDTH + threadIdx.x] = mirrored;
}

int main() {
    const int rows = 6;
    int host[rows * WIDTH], *in, *out;
    for (int i = 0; i < rows * WIDTH; ++i) host[i] = i;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    mirror_rows<<<rows, WIDTH>>>(in, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(in);
    cudaFree(out);
}
