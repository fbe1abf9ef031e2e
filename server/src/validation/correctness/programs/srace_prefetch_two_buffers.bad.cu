// BROKEN: the prefetch runs two tiles ahead with two buffers: thread 255 writes buf[0][255] for tile 2 while thread 0 reads it for tile 0.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int NBUF = 2;
constexpr int W = 256;

__global__ void tile_dot(const float* a, const float* w, float* out, int tiles) {
    __shared__ float buf[NBUF][W];
    int t = threadIdx.x;
    const float* src = a + size_t(blockIdx.x) * tiles * W;
    buf[0][t] = src[t];
    buf[1][t] = src[W + t];
    __syncthreads();
    float acc = 0.f;
    for (int k = 0; k < tiles; ++k) {
        if (k + 2 < tiles) buf[(k + 2) % NBUF][t] = src[(k + 2) * W + t];  // BUG: shared-memory-race (or line 19)
        acc += buf[k % NBUF][W - 1 - t] * w[t];
        __syncthreads();
    }
    out[blockIdx.x * W + t] = acc;
}

int main() {
    const int tiles = 6, blocks = 8, n = tiles * blocks * W;
    std::vector<float> h(n, 1.f), w(W, 0.5f), o(blocks * W);
    float *a, *dw, *out;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&dw, W * sizeof(float));
    cudaMalloc(&out, blocks * W * sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w.data(), W * sizeof(float), cudaMemcpyHostToDevice);
    tile_dot<<<blocks, W>>>(a, dw, out, tiles);
    cudaMemcpy(o.data(), out, blocks * W * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[0]);
    cudaFree(a); cudaFree(dw); cudaFree(out);
}
