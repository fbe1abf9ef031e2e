// BROKEN: the transposed index uses width as its pitch where it should use height: thread (0,0) of block (30,0) writes out[307200] of 307,200.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void transpose(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * width + y] = in[y * width + x];  // BUG: out-of-bounds-access
}

int main() {
    const int width = 640, height = 480;
    std::vector<float> h(width * height);
    for (int i = 0; i < width * height; ++i) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, width * height * sizeof(float));
    cudaMalloc(&out, width * height * sizeof(float));
    cudaMemset(out, 0, width * height * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16);
    transpose<<<grid, block>>>(in, out, width, height);
    cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[1]);
    cudaFree(in);
    cudaFree(out);
}
