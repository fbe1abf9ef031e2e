// CLEAN: the offset of a row in bytes is worked out in size_t.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void clear_last(char* image, int pitch, int rows) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= rows) return;
    char* row = image + (size_t)y * pitch;
    row[0] = 0;
}

int main() {
    const int rows = 70000, pitch = 40000;
    char* image;
    if (cudaMalloc(&image, (size_t)rows * pitch) != cudaSuccess) return 1;
    clear_last<<<(rows + 255) / 256, 256>>>(image, pitch, rows);
    cudaDeviceSynchronize();
    printf("done\n");
    cudaFree(image);
}
