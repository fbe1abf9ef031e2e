// BROKEN: the tile has room for the halo of one side only.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define N 128
#define R 4

__global__ void fir(const float* in, const float* taps, float* out, int n) {
    __shared__ float tile[N + R];
    int t = threadIdx.x, start = blockIdx.x * N - R;
    for (int k = t; k < N + 2 * R; k += blockDim.x) {
        int g = start + k;
        tile[k] = g >= 0 && g < n ? in[g] : 0.f;  // BUG: out-of-bounds-access (or line 19)
    }
    __syncthreads();
    float acc = 0.f;
    for (int k = 0; k <= 2 * R; ++k) acc += taps[k] * tile[t + k];
    if (blockIdx.x * N + t < n) out[blockIdx.x * N + t] = acc;
}

int main() {
    const int n = 9000;
    std::vector<float> h(n, 1.f), taps(2 * R + 1, 0.1f);
    float *in, *out, *d;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&d, taps.size() * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d, taps.data(), taps.size() * sizeof(float), cudaMemcpyHostToDevice);
    fir<<<(n + N - 1) / N, N>>>(in, d, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in); cudaFree(out); cudaFree(d);
}
