// BROKEN: the offset of a row in bytes is worked out in an int and goes beyond it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void clear_last(char* image, int pitch, int rows) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= rows) return;
    char* row = image + y * pitch;  // BUG: unchecked-arithmetic (or line 9)
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
