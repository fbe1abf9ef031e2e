// CLEAN
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void gamma_correct(float* img, int count, float g) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < count) img[i] = powf(img[i], g);
}

int main() {
    int count = 5900;
    int threads = 192;
    std::vector<float> h(count, 0.5f);
    float* img;
    cudaMalloc(&img, count * sizeof(float));
    cudaMemcpy(img, h.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    int blocks = (int)ceil((double)count / threads);
    gamma_correct<<<blocks, threads>>>(img, count, 2.2f);
    cudaMemcpy(h.data(), img, count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[count - 1]);
    cudaFree(img);
}
