// CLEAN
#include <cstdio>
#include <cuda_runtime.h>

__global__ void threshold(unsigned char* img, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        size_t i = size_t(y) * width + x;
        img[i] = img[i] > 127 ? 255 : 0;
    }
}

int main() {
    const int width = 50000, height = 50000;
    const size_t bytes = size_t(width) * height;
    unsigned char *img, last = 0;
    cudaMalloc(&img, bytes);
    cudaMemset(img, 200, bytes);
    dim3 block(32, 8);
    dim3 grid((width + 31) / 32, (height + 7) / 8);
    threshold<<<grid, block>>>(img, width, height);
    cudaMemcpy(&last, img + bytes - 1, 1, cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(img);
}
