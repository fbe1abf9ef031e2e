// CLEAN
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void half_tile(const float* in, float* out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    float other = tile.shfl_down(v, 8);
    if (tile.thread_rank() < 8) v += other;
    out[i] = v;
}

int main() {
    const int n = 1024;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    half_tile<<<n / 128, 128>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
