// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void upscale2x(const float* in, float* out, int w, int h) {
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= 2 * w || oy >= 2 * h) return;
    int x0 = ox / 2, y0 = oy / 2;
    int x1 = min(x0 + 1, w - 1);
    int y1 = min(y0 + 1, h - 1);
    out[oy * 2 * w + ox] = 0.25f * (in[y0 * w + x0] + in[y0 * w + x1] + in[y1 * w + x0] + in[y1 * w + x1]);
}

int main() {
    const int w = 300, h = 200;
    std::vector<float> src(w * h, 0.5f), dst(4 * w * h);
    float *in, *out;
    cudaMalloc(&in, src.size() * sizeof(float));
    cudaMalloc(&out, dst.size() * sizeof(float));
    cudaMemcpy(in, src.data(), src.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((2 * w + 15) / 16, (2 * h + 15) / 16);
    upscale2x<<<grid, block>>>(in, out, w, h);
    cudaMemcpy(dst.data(), out, dst.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", dst[0]);
    cudaFree(in);
    cudaFree(out);
}
