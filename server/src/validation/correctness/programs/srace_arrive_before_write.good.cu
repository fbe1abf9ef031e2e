// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void hand_over(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 128) {
        s[t] = in[blockIdx.x * 128 + t] * 3;
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        out[blockIdx.x * 128 + t - 128] = s[255 - t];
    }
}

int main() {
    const int blocks = 12, n = blocks * 128;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    hand_over<<<blocks, 256>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
