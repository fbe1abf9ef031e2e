#include <cstdio>
#include <cuda_runtime.h>

constexpr int SIDE = 8;

// A table of dot products: each thread stores its own at both of its places.
__global__ void products(const float* points, float* table, int count, int width) {
    const int i = blockIdx.y * SIDE + threadIdx.y, j = blockIdx.x * SIDE + threadIdx.x;
    if (blockIdx.x > blockIdx.y || i >= count || j >= count) return;
    float sum = 0.f;
    for (int k = 0; k < width; ++k) sum += points[i * width + k] * points[j * width + k];
    table[i * count + j] = sum;
    table[j * count + i] = sum;
}

int main() {
    const int count = 50, width = 12;
    float *points, *table, host[count];
    cudaMalloc(&points, count * width * sizeof(float));
    cudaMalloc(&table, count * count * sizeof(float));
    cudaMemset(points, 0, count * width * sizeof(float));
    products<<<dim3(7, 7), dim3(SIDE, SIDE)>>>(points, table, count, width);
    cudaMemcpy(host, table, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%f\n", host[3]);
    cudaFree(points);
    cudaFree(table);
}
