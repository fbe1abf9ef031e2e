// BROKEN: the last stream's chunk is as long as the others, beyond the end of what is left.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void negate(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = -x[i];  // BUG: out-of-bounds-access
}

int main() {
    const int n = 10000, streams = 3, chunk = (n + streams - 1) / streams;
    std::vector<int> h(n, 1);
    int* x;
    cudaMalloc(&x, n * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    std::vector<cudaStream_t> s(streams);
    for (int k = 0; k < streams; ++k) {
        cudaStreamCreate(&s[k]);
        const int length = chunk;
        negate<<<(length + 255) / 256, 256, 0, s[k]>>>(x + k * chunk, length);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(h.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    for (auto each : s) cudaStreamDestroy(each);
    cudaFree(x);
}
