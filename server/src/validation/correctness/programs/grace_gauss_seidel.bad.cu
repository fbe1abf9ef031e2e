// BROKEN: all points of the grid are relaxed in place at once.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void relax(float* u, int w, int h, int colour) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;

    u[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);  // BUG: global-memory-race
}

int main() {
    const int w = 130, h = 98;
    std::vector<float> v(w * h);
    for (int i = 0; i < w * h; ++i) v[i] = (float)(i % 7);
    float* u;
    cudaMalloc(&u, v.size() * sizeof(float));
    cudaMemcpy(u, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 6; ++k) relax<<<dim3(4, 12), dim3(32, 8)>>>(u, w, h, k & 1);
    cudaMemcpy(v.data(), u, v.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[w + 1]);
    cudaFree(u);
}
