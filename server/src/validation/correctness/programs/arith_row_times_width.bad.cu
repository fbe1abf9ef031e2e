// BROKEN: row * width overflows a 32-bit int: at y = 42,950 of 50,000 the product 42,950 x 50,000 is 2,147,500,000 > 2^31 - 1.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void threshold(unsigned char* img, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;  // BUG: unchecked-arithmetic (or line 10)
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
