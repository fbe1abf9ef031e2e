// CLEAN
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void softmax_rows(const float* in, float* out, int cols) {
    __shared__ float red[256];
    const float* r = in + blockIdx.x * cols;
    float* o = out + blockIdx.x * cols;
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int c = t; c < cols; c += 256) m = fmaxf(m, r[c]);
    red[t] = m;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) red[t] = fmaxf(red[t], red[t + d]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float sum = 0.f;
    for (int c = t; c < cols; c += 256) sum += expf(r[c] - m);
    red[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) red[t] += red[t + d];
        __syncthreads();
    }
    float inv = 1.f / red[0];
    for (int c = t; c < cols; c += 256) o[c] = expf(r[c] - m) * inv;
}

int main() {
    const int rows = 48, cols = 1000, n = rows * cols;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i % 13) * 0.1f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    softmax_rows<<<rows, 256>>>(in, out, cols);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
