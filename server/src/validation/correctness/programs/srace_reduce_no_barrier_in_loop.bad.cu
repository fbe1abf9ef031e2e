// BROKEN: no barrier inside the reduction loop: at d = 64, thread 0 reads s[64] while thread 64 still adds s[192] to it at d = 128.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T, int THREADS>
__global__ void reduce(const T* in, T* partial, int n) {
    __shared__ T s[THREADS];
    const int t = threadIdx.x;
    T v = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) v += in[i];
    s[t] = v;
    __syncthreads();
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];  // BUG: shared-memory-race

    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

int main() {
    const int n = 100000, blocks = 32;
    std::vector<double> h(n, 0.5), p(blocks);
    double *in, *partial;
    cudaMalloc(&in, n * sizeof(double));
    cudaMalloc(&partial, blocks * sizeof(double));
    cudaMemcpy(in, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    reduce<double, 256><<<blocks, 256>>>(in, partial, n);
    cudaMemcpy(p.data(), partial, blocks * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (double x : p) sum += x;
    printf("%f\n", sum);
    cudaFree(in);
    cudaFree(partial);
}
