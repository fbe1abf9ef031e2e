// BROKEN: no barrier between the store and the mirrored load: thread 0 reads s[255], which thread 255 writes.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reverse(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    int base = blockIdx.x * 256;
    s[t] = in[base + t];

    out[base + t] = s[255 - t];  // BUG: shared-memory-race (or line 10)
}

int main() {
    const int n = 256 * 40;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reverse<<<n / 256, 256>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
