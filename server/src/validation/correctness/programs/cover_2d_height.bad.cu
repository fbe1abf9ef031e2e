// BROKEN: the height 1,030 is divided rounding down: 64 block rows of 16 leave rows 1,024 to 1,029 undone.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void invert(unsigned char* img, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    img[y * w + x] = 255 - img[y * w + x];
}

int main() {
    const int w = 1920, h = 1030;
    std::vector<unsigned char> host(w * h, 7);
    unsigned char* img;
    cudaMalloc(&img, w * h);
    cudaMemcpy(img, host.data(), w * h, cudaMemcpyHostToDevice);
    dim3 block(32, 16);
    dim3 grid((w + block.x - 1) / block.x, h / block.y);
    invert<<<grid, block>>>(img, w, h);  // BUG: grid-does-not-cover (or line 20)
    cudaMemcpy(host.data(), img, w * h, cudaMemcpyDeviceToHost);
    printf("%d\n", host[w * h - 1]);
    cudaFree(img);
}
