// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int PITCH = 36;

__global__ void tile_transpose(const float4* in, float* out) {
    __shared__ __align__(16) float tile[32 * PITCH];
    int tx = threadIdx.x, ty = threadIdx.y;
    float4 v = in[(blockIdx.x * 32 + ty) * 8 + tx];
    *reinterpret_cast<float4*>(&tile[ty * PITCH + 4 * tx]) = v;
    __syncthreads();
    for (int k = 0; k < 4; ++k)
        out[blockIdx.x * 1024 + (4 * tx + k) * 32 + ty] = tile[ty * PITCH + 4 * tx + k];
}

int main() {
    const int tiles = 10, n = tiles * 1024;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    tile_transpose<<<tiles, dim3(8, 32)>>>(reinterpret_cast<const float4*>(in), out);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[1]);
    cudaFree(in);
    cudaFree(out);
}
