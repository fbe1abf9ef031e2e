// CLEAN: the window is clamped to the image.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Image {
    unsigned char* data;
    int width, height;
    __device__ unsigned char& operator()(int x, int y) { return data[y * width + x]; }
    __device__ unsigned char at(int x, int y) const {
        return data[max(0, min(y, height - 1)) * width + max(0, min(x, width - 1))];
    }
};

__global__ void box(Image src, Image dst) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= src.width || y >= src.height) return;
    int sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) sum += src.at(x + dx, y + dy);
    dst(x, y) = (unsigned char)(sum / 25);
}

int main() {
    const int w = 320, h = 200;
    std::vector<unsigned char> v(w * h, 100);
    Image src{nullptr, w, h}, dst{nullptr, w, h};
    cudaMalloc(&src.data, w * h);
    cudaMalloc(&dst.data, w * h);
    cudaMemcpy(src.data, v.data(), w * h, cudaMemcpyHostToDevice);
    box<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(src, dst);
    cudaMemcpy(v.data(), dst.data, w * h, cudaMemcpyDeviceToHost);
    printf("%d\n", v[0]);
    cudaFree(src.data);
    cudaFree(dst.data);
}
