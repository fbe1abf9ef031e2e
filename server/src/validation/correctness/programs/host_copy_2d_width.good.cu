// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void invert(float* x, size_t pitch, int w, int h) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < w && r < h) {
        float* row = (float*)((char*)x + r * pitch);
        row[c] = 1.f - row[c];
    }
}

int main() {
    const int w = 100, h = 40;
    std::vector<float> img(w * h, 0.25f);
    float* x;
    size_t pitch;
    cudaMallocPitch(&x, &pitch, w * sizeof(float), h);
    cudaMemcpy2D(x, pitch, img.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    invert<<<dim3((w + 127) / 128, h), 128>>>(x, pitch, w, h);
    cudaMemcpy2D(img.data(), w * sizeof(float), x, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost);
    printf("%f\n", img[0]);
    cudaFree(x);
}
