// CLEAN: the thread's window holds zero where there is no neighbour.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void median3(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int w[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        if (i + k - 1 >= 0 && i + k - 1 < n) w[k] = in[i + k - 1];
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2 - a; ++b)
            if (w[b] > w[b + 1]) {
                int x = w[b];
                w[b] = w[b + 1];
                w[b + 1] = x;
            }
    out[i] = w[1];
}

int main() {
    const int n = 3000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 17) % 23;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    median3<<<(n + 127) / 128, 128>>>(in, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
