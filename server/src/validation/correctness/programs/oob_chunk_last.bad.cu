// BROKEN: the last of three chunks is launched with the full chunk length: thread 4 of block 13 of that launch accesses x[10000] of 10,000.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void negate(float* x, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = -x[i];  // BUG: out-of-bounds-access (or line 23)
}

int main() {
    const int n = 10000, parts = 3, chunk = (n + parts - 1) / parts;
    std::vector<float> h(n, 1.0f);
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaStream_t st[parts];
    for (int p = 0; p < parts; ++p) cudaStreamCreate(&st[p]);
    for (int p = 0; p < parts; ++p) {
        int off = p * chunk;
        int count = chunk;
        negate<<<(count + 255) / 256, 256, 0, st[p]>>>(x + off, count);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    for (int p = 0; p < parts; ++p) cudaStreamDestroy(st[p]);
    cudaFree(x);
}
