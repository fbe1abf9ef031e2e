// CLEAN
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda/barrier>
#include <cuda_runtime.h>
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void rotate_half(const int* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[256];
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    s[t] = in[blockIdx.x * 256 + t];
    bar.arrive_and_wait();
    out[blockIdx.x * 256 + t] = s[(t + 128) % 256];
}

int main() {
    const int n = 256 * 9;
    std::vector<int> h(n, 5);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    rotate_half<<<n / 256, 256>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
