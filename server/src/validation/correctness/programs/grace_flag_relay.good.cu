#include <cstdio>
#include <cuda_runtime.h>

constexpr int BLOCKS = 24, WIDTH = 64;
__device__ volatile int ready[BLOCKS];

// Each block takes the maximum of its row and of all rows before it.
__global__ void running_max(const int* rows, volatile int* best) {
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, m = rows[b * WIDTH];
    for (int i = 1; i < WIDTH; ++i) m = max(m, rows[b * WIDTH + i]);
    if (b > 0) {
        while (ready[b - 1] == 0) {}
        __threadfence();
        m = max(m, best[b - 1]);
    }
    best[b] = m;
    __threadfence();
    ready[b] = 1;
}

int main() {
    int host[BLOCKS * WIDTH], *rows, *best;
    for (int i = 0; i < BLOCKS * WIDTH; ++i) host[i] = i * 37 % 1001;
    cudaMalloc(&rows, sizeof(host));
    cudaMalloc(&best, BLOCKS * sizeof(int));
    cudaMemcpy(rows, host, sizeof(host), cudaMemcpyHostToDevice);
    running_max<<<BLOCKS, 32>>>(rows, best);
    cudaMemcpy(host, best, BLOCKS * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[BLOCKS - 1]);
    cudaFree(rows);
    cudaFree(best);
}
