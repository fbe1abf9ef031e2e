// BROKEN: the source's pitch is given in elements.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void twice(float* m, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h) ((float*)((char*)m + y * pitch))[x] *= 2.f;
}

int main() {
    const int w = 250, h = 50;
    std::vector<float> v(w * h, 1.f);
    float* m;
    size_t pitch;
    cudaMallocPitch(&m, &pitch, w * sizeof(float), h);
    cudaMemcpy2D(m, pitch, v.data(), w, w * sizeof(float), h, cudaMemcpyHostToDevice);  // BUG: copy-size
    twice<<<dim3((w + 127) / 128, h), 128>>>(m, pitch, w, h);
    cudaMemcpy2D(v.data(), w * sizeof(float), m, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost);
    printf("%f\n", v[0]);
    cudaFree(m);
}
