// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define DIM 32
#define ROWS 8

__global__ void transpose(float* out, const float* in, int w, int h) {
    __shared__ float tile[DIM][DIM + 1];
    int x = blockIdx.x * DIM + threadIdx.x;
    int y = blockIdx.y * DIM + threadIdx.y;
    for (int j = 0; j < DIM; j += ROWS)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * DIM + threadIdx.x;
    y = blockIdx.x * DIM + threadIdx.y;
    for (int j = 0; j < DIM; j += ROWS)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
    const int w = 200, h = 150;
    std::vector<float> host(w * h);
    for (int i = 0; i < w * h; ++i) host[i] = i;
    float *in, *out;
    cudaMalloc(&in, w * h * sizeof(float));
    cudaMalloc(&out, w * h * sizeof(float));
    cudaMemcpy(in, host.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid((w + DIM - 1) / DIM, (h + DIM - 1) / DIM), block(DIM, ROWS);
    transpose<<<grid, block>>>(out, in, w, h);
    cudaMemcpy(host.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[1]);
    cudaFree(in);
    cudaFree(out);
}
