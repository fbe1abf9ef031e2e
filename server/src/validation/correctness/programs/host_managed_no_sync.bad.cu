// BROKEN: managed memory is read on the host right after the launch, without a synchronisation.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void multiply(const int* a, const int* b, int* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[i];
}

int main() {
    const int n = 20000;
    int *a, *b, *c;
    cudaMallocManaged(&a, n * sizeof(int));
    cudaMallocManaged(&b, n * sizeof(int));
    cudaMallocManaged(&c, n * sizeof(int));
    for (int i = 0; i < n; ++i) {
        a[i] = i % 100;
        b[i] = 3;
    }
    multiply<<<(n + 255) / 256, 256>>>(a, b, c, n);

    long sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i];  // BUG: unsynchronised-host-read
    printf("%ld\n", sum);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
