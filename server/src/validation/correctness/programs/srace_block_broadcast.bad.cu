// BROKEN: only one side has a barrier: thread 0 stores the next pivot while thread 32 still reads the last one (back edge).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void subtract_pivots(const float* pivots, float* x, int count) {
    __shared__ float pivot;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < count; ++k) {

        if (threadIdx.x == 0) pivot = pivots[k];  // BUG: shared-memory-race (or line 14)
        __syncthreads();
        v -= pivot * 0.5f;
    }
    x[i] = v;
}

int main() {
    const int count = 9, n = 192 * 20;
    std::vector<float> p(count, 0.1f), h(n, 1.f);
    float *pivots, *x;
    cudaMalloc(&pivots, count * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(pivots, p.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    subtract_pivots<<<n / 192, 192>>>(pivots, x, count);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(pivots);
    cudaFree(x);
}
