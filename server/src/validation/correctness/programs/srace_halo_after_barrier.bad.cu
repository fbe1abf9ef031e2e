// BROKEN: the halo rows are loaded after the barrier: thread (0,0) writes s[17][1] and thread (0,15) of another warp reads it.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int B = 16;

__device__ float at(const float* p, int x, int y, int w, int h) {
    return (x >= 0 && x < w && y >= 0 && y < h) ? p[y * w + x] : 0.f;
}

__global__ void laplace(const float* in, float* out, int w, int h) {
    __shared__ float s[B + 2][B + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
    s[ty][tx] = at(in, x, y, w, h);
    __syncthreads();
    if (ty == 1) {
        s[0][tx] = at(in, x, y - 1, w, h);
        s[B + 1][tx] = at(in, x, y + B, w, h);
    }
    if (tx == 1) {
        s[ty][0] = at(in, x - 1, y, w, h);
        s[ty][B + 1] = at(in, x + B, y, w, h);
    }

    if (x < w && y < h)
        out[y * w + x] = s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1] - 4.f * s[ty][tx];  // BUG: shared-memory-race (or line 20)
}

int main() {
    const int w = 100, h = 70;
    std::vector<float> img(w * h, 1.f);
    float *in, *out;
    cudaMalloc(&in, w * h * sizeof(float));
    cudaMalloc(&out, w * h * sizeof(float));
    cudaMemcpy(in, img.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    laplace<<<dim3((w + B - 1) / B, (h + B - 1) / B), dim3(B, B)>>>(in, out, w, h);
    cudaMemcpy(img.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", img[0]);
    cudaFree(in);
    cudaFree(out);
}
