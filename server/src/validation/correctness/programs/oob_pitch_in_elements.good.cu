// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void brighten(float* img, size_t pitch, int w, int h, float gain) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float* row = (float*)((char*)img + y * pitch);
    row[x] *= gain;
}

int main() {
    const int w = 1000, h = 300;
    std::vector<float> host(w * h, 0.5f);
    float* img = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&img, &pitch, w * sizeof(float), h);
    cudaMemcpy2D(img, pitch, host.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    dim3 block(32, 8);
    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    brighten<<<grid, block>>>(img, pitch, w, h, 1.5f);
    cudaMemcpy2D(host.data(), w * sizeof(float), img, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    cudaFree(img);
}
