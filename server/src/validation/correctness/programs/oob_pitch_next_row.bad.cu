// BROKEN: the last row's gradient reads a row beyond the pitched image.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void gradient(const float* img, size_t pitch, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float* here = (const float*)((const char*)img + y * pitch);
    const float* below = (const float*)((const char*)img + (y + 1) * pitch);
    out[y * w + x] = below[x] - here[x];  // BUG: out-of-bounds-access
}

int main() {
    const int w = 333, h = 210;
    std::vector<float> v(w * h, 2.f);
    float *img, *out;
    size_t pitch = 0;
    cudaMallocPitch((void**)&img, &pitch, w * sizeof(float), h);
    cudaMalloc(&out, v.size() * sizeof(float));
    cudaMemcpy2D(img, pitch, v.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    gradient<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(img, pitch, out, w, h);
    cudaMemcpy(v.data(), out, v.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[0]);
    cudaFree(img);
    cudaFree(out);
}
