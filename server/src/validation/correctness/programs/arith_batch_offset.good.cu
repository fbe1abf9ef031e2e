// CLEAN
#include <cstdio>
#include <cuda_runtime.h>

__global__ void clear_diagonal(unsigned char* m, int side, int plane) {
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.z;
    if (d < side) {
        long long at = (long long)b * plane + d * side + d;
        m[at] = 0;
    }
}

int main() {
    const int side = 15000, plane = side * side, batches = 12;
    unsigned char *m, last = 1;
    const size_t bytes = size_t(plane) * batches;
    cudaMalloc(&m, bytes);
    cudaMemset(m, 1, bytes);
    dim3 grid((side + 255) / 256, 1, batches);
    clear_diagonal<<<grid, 256>>>(m, side, plane);
    cudaMemcpy(&last, m + bytes - 1, 1, cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(m);
}
