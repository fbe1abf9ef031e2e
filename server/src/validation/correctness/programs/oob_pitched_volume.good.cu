#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(cudaPitchedPtr volume, int width, int height, int depth) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    if (x >= width || y >= height || z >= depth) return;
    char* slice = (char*)volume.ptr + z * volume.pitch * volume.ysize;
    float* row = (float*)(slice + y * volume.pitch);
    row[x] = x + y * z;
}

int main() {
    const int width = 100, height = 30, depth = 12;
    cudaPitchedPtr volume;
    cudaMalloc3D(&volume, make_cudaExtent(width * sizeof(float), height, depth));
    fill<<<dim3((width + 15) / 16, (height + 3) / 4, depth), dim3(16, 4)>>>(volume, width, height, depth);
    float host[width];
    cudaMemcpy(host, volume.ptr, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%f\n", host[3]);
    cudaFree(volume.ptr);
}
