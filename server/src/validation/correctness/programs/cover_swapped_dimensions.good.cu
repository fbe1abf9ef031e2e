// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void darken(float* img, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) img[y * width + x] *= 0.5f;
}

int main() {
    const int width = 800, height = 640;
    std::vector<float> h(width * height, 1.f);
    float* img;
    cudaMalloc(&img, h.size() * sizeof(float));
    cudaMemcpy(img, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid(width / 16, height / 16);
    darken<<<grid, block>>>(img, width, height);
    cudaMemcpy(h.data(), img, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[799]);
    cudaFree(img);
}
