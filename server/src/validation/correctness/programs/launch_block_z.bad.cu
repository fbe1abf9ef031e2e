// BROKEN: blockDim.z is 128 and its limit is 64, although the product is 512.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void add3d(float* v, int nx, int ny, int nz, float c) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) v[(z * ny + y) * nx + x] += c;
}

int main() {
    const int nx = 40, ny = 30, nz = 256, n = nx * ny * nz;
    std::vector<float> h(n, 1.f);
    float* v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(4, 1, 128);
    dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, (nz + block.z - 1) / block.z);
    add3d<<<grid, block>>>(v, nx, ny, nz, 2.f);  // BUG: launch-fails (or line 19)
    cudaMemcpy(h.data(), v, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaFree(v);
}
