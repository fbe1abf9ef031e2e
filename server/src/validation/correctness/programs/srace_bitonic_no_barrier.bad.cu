// BROKEN: no barrier between compare steps: for k = 128, j = 64 thread 0 compares s[0] with s[64] while thread 64 may still swap s[64] with s[65] (k = 64, j = 1).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int N = 256;

__global__ void bitonic_sort(float* data) {
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * N + t];
    __syncthreads();
    for (int k = 2; k <= N; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            int p = t ^ j;
            if (p > t) {
                float a = s[t], b = s[p];
                bool up = (t & k) == 0;
                if ((a > b) == up) { s[t] = b; s[p] = a; }  // BUG: shared-memory-race (or line 17)
            }

        }
    }
    __syncthreads();
    data[blockIdx.x * N + t] = s[t];
}

int main() {
    const int blocks = 10, n = N * blocks;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 7919) % 1009;
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    bitonic_sort<<<blocks, N>>>(d);
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %f\n", h[0], h[N - 1]);
    cudaFree(d);
}
