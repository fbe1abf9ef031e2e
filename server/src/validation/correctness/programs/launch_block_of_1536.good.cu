// CLEAN: a block of 32 by 32 threads starts.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T>
__global__ void fill(T* p, int w, int h, T v) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) p[y * w + x] = v;
}

template <typename T>
void fill_on_device(T* p, int w, int h, T v) {
    const dim3 block(32, 32);
    const dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    fill<T><<<grid, block>>>(p, w, h, v);
}

int main() {
    const int w = 320, h = 480;
    std::vector<float> r(w * h);
    float* p;
    cudaMalloc(&p, w * h * sizeof(float));
    fill_on_device(p, w, h, 1.f);
    cudaMemcpy(r.data(), p, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", r[0]);
    cudaFree(p);
}
