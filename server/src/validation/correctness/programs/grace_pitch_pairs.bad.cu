// BROKEN: each thread writes two columns of a pitched row, the second of which is its neighbour's first.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void widen(const float* in, size_t ip, float* out, size_t op, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float v = ((const float*)((const char*)in + y * ip))[x];
    float* row = (float*)((char*)out + y * op);
    row[x] = v;  // BUG: global-memory-race (or line 12)
    row[x + 1] = 0.5f * v;
}

int main() {
    const int w = 200, h = 120;
    std::vector<float> v(w * h, 4.f), r(2 * w * h);
    float *in, *out;
    size_t ip, op;
    cudaMallocPitch(&in, &ip, w * sizeof(float), h);
    cudaMallocPitch(&out, &op, 2 * w * sizeof(float), h);
    cudaMemcpy2D(in, ip, v.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    cudaMemset2D(out, op, 0, 2 * w * sizeof(float), h);
    widen<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, ip, out, op, w, h);
    cudaMemcpy2D(r.data(), 2 * w * sizeof(float), out, op, 2 * w * sizeof(float), h, cudaMemcpyDeviceToHost);
    printf("%f\n", r[3]);
    cudaFree(in);
    cudaFree(out);
}
