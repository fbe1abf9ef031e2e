// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define RADIUS 3
__constant__ float coef[2 * RADIUS + 1];

__global__ void conv_rows(const float* src, float* dst, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= w) return;
    float acc = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; ++k) {
        int xx = min(max(x + k, 0), w - 1);
        acc += src[y * w + xx] * coef[k + RADIUS];
    }
    dst[y * w + x] = acc;
}

int main() {
    const int w = 500, h = 100;
    float taps[2 * RADIUS + 1] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
    std::vector<float> img(w * h, 1.0f);
    float *src, *dst;
    cudaMalloc(&src, w * h * sizeof(float));
    cudaMalloc(&dst, w * h * sizeof(float));
    cudaMemcpy(src, img.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(coef, taps, sizeof(taps));
    conv_rows<<<dim3((w + 127) / 128, h), 128>>>(src, dst, w, h);
    cudaMemcpy(img.data(), dst, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", img[0]);
    cudaFree(src);
    cudaFree(dst);
}
