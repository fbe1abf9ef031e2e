// BROKEN: an int is loaded from records of 5 bytes: thread 0 of block 0 reads 4 bytes at offset 1.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ int load_value(const unsigned char* p) {
    return *reinterpret_cast<const int*>(p);  // BUG: misaligned-access
}

__global__ void decode(const unsigned char* rec, int* tag, int* value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char* r = rec + 5 * i;
    tag[i] = r[0];
    value[i] = load_value(r + 1);
}

int main() {
    const int n = 1500;
    std::vector<unsigned char> h(5 * n);
    for (int i = 0; i < 5 * n; ++i) h[i] = (unsigned char)(i % 100);
    std::vector<int> out(n);
    unsigned char* rec;
    int *tag, *value;
    cudaMalloc(&rec, 5 * n);
    cudaMalloc(&tag, n * sizeof(int));
    cudaMalloc(&value, n * sizeof(int));
    cudaMemcpy(rec, h.data(), 5 * n, cudaMemcpyHostToDevice);
    decode<<<(n + 127) / 128, 128>>>(rec, tag, value, n);
    cudaMemcpy(out.data(), value, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", out[1]);
    cudaFree(rec); cudaFree(tag); cudaFree(value);
}
