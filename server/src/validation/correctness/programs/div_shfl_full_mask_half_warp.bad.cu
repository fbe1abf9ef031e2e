// BROKEN: the mask names 32 lanes and only lanes 0 to 15 reach the shuffle: lane 16 (thread 16) does not.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void half_warp_sum(const int* in, int* out) {
    int t = threadIdx.x, lane = t & 31;
    int v = in[blockIdx.x * blockDim.x + t];
    if (lane < 16) {
        for (int o = 8; o > 0; o >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, o, 16);  // BUG: divergent-barrier
        if (lane == 0) out[(blockIdx.x * blockDim.x + t) / 32] = v;
    }
}

int main() {
    const int n = 128 * 20;
    std::vector<int> h(n, 1), o(n / 32);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n / 32 * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    half_warp_sum<<<n / 128, 128>>>(in, out);
    cudaMemcpy(o.data(), out, n / 32 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
