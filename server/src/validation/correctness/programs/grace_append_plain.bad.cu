// BROKEN: the counter is read and written back without an atomic.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ int found;

__global__ void collect(const int* in, int* out, int n, int limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] < limit) return;
    int at = found;  // BUG: global-memory-race (or line 12)
    found = at + 1;
    out[at] = i;
}

int main() {
    const int n = 10000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 13) % 100;
    int *in, *out, zero = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(found, &zero, sizeof(int));
    collect<<<(n + 255) / 256, 256>>>(in, out, n, 50);
    cudaMemcpyFromSymbol(&zero, found, sizeof(int));
    printf("%d\n", zero);
    cudaFree(in);
    cudaFree(out);
}
