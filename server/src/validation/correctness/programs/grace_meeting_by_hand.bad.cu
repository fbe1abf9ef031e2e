// BROKEN: blocks meet at a barrier of their own making without a fence before they say that they have come.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BLOCKS = 8, THREADS = 96;
__device__ unsigned came;
__device__ volatile unsigned round_now;

__device__ void meet() {
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned mine = round_now;
        if (atomicAdd(&came, 1u) + 1 == gridDim.x) {
            came = 0;
            __threadfence();
            round_now = mine + 1;
        } else {
            while (round_now == mine) {}
        }
    }
    __syncthreads();
}

// Each element becomes the difference of its neighbours, twice.
__global__ void differences(const float* x, float* first, float* second, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int left = (i + n - 1) % n, right = (i + 1) % n;
    first[i] = x[right] - x[left];  // BUG: global-memory-race (or line 30)
    meet();
    second[i] = first[right] - first[left];
}

int main() {
    const int n = BLOCKS * THREADS;
    float host[n], *x, *first, *second;
    for (int i = 0; i < n; ++i) host[i] = float(i * i % 17);
    cudaMalloc(&x, sizeof(host));
    cudaMalloc(&first, sizeof(host));
    cudaMalloc(&second, sizeof(host));
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    differences<<<BLOCKS, THREADS>>>(x, first, second, n);
    cudaMemcpy(host, second, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    cudaFree(x);
    cudaFree(first);
    cudaFree(second);
}
