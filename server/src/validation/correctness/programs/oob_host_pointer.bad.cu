// BROKEN: the kernel gets a pointer from malloc: thread 0 of block 0 dereferences host memory x[0].
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void square(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * x[i];
}

int main() {
    const int n = 1 << 14;
    float* x = nullptr;
    x = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = 0.001f * i;
    square<<<n / 256, 256>>>(x, n);  // BUG: wrong-memory-space (or line 8)
    cudaDeviceSynchronize();
    printf("%f\n", x[n - 1]);
    free(x);
    return 0;
}
