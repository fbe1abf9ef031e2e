// BROKEN: ceil is given an integer quotient: 30 blocks of 192 are 5,760 threads for 5,900 elements.
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
    int blocks = (int)ceil(count / threads);
    gamma_correct<<<blocks, threads>>>(img, count, 2.2f);  // BUG: grid-does-not-cover (or line 19)
    cudaMemcpy(h.data(), img, count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[count - 1]);
    cudaFree(img);
}
