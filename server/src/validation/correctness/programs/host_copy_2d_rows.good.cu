#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void invert(unsigned char* image, size_t pitch, int width, int height) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height) image[y * pitch + x] = 255 - image[y * pitch + x];
}

int main() {
    const int width = 500, height = 120, border = 1;
    std::vector<unsigned char> host(width * height, 7);
    unsigned char* image;
    size_t pitch;
    cudaMallocPitch(&image, &pitch, width, height + border);
    cudaMemset2D(image, pitch, 0, width, height + border);
    cudaMemcpy2D(image, pitch, host.data(), width, width, height, cudaMemcpyHostToDevice);
    invert<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(image, pitch, width, height);
    cudaMemcpy2D(host.data(), width, image, pitch, width, height, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(image);
}
