// CLEAN
#include <cstdio>
#include <cuda_runtime.h>

__global__ void threshold(unsigned char* v, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    size_t i = ((size_t)z * ny + y) * nx + x;
    v[i] = v[i] > 127 ? 255 : 0;
}

int main() {
    const int nx = 2048, ny = 2048, nz = 1024;
    unsigned char *v, first = 0;
    cudaMalloc(&v, (size_t)nx * ny * nz);
    cudaMemset(v, 200, (size_t)nx * ny * nz);
    threshold<<<dim3(nx / 32, ny / 8, nz), dim3(32, 8)>>>(v, nx, ny, nz);
    cudaMemcpy(&first, v, 1, cudaMemcpyDeviceToHost);
    printf("%d\n", first);
    cudaFree(v);
}
