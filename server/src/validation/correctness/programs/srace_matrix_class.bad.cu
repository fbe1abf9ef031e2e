// BROKEN: the next tile is loaded while other warps still multiply the last.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct SharedMatrix {
    float* data;
    int pitch;
    __device__ float& operator()(int r, int c) const { return data[r * pitch + c]; }
};

template <int T>
__device__ void load(SharedMatrix m, const float* g, int ld) {
    m(threadIdx.y, threadIdx.x) = g[threadIdx.y * ld + threadIdx.x];  // BUG: shared-memory-race (or line 27)
}

template <int T>
__global__ void multiply(const float* a, const float* b, float* c, int n) {
    extern __shared__ float pool[];
    SharedMatrix sa{pool, T}, sb{pool + T * T, T};
    float sum = 0.f;
    for (int k = 0; k < n; k += T) {
        load<T>(sa, a + (blockIdx.y * T) * n + k, n);
        load<T>(sb, b + k * n + blockIdx.x * T, n);
        __syncthreads();
        for (int j = 0; j < T; ++j)
            sum += sa(threadIdx.y, j) * sb(j, threadIdx.x);

    }
    c[(blockIdx.y * T + threadIdx.y) * n + blockIdx.x * T + threadIdx.x] = sum;
}

int main() {
    const int n = 256;
    const size_t bytes = n * n * sizeof(float);
    std::vector<float> h(n * n, 1.f);
    float *a, *b, *c;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), bytes, cudaMemcpyHostToDevice);
    multiply<16><<<dim3(n / 16, n / 16), dim3(16, 16), 2 * 16 * 16 * sizeof(float)>>>(a, b, c, n);
    cudaMemcpy(h.data(), c, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(a); cudaFree(b); cudaFree(c);
}
