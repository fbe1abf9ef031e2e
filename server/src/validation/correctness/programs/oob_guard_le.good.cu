// CLEAN
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 10000
#define THREADS 128

__global__ void vecAdd(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    int gid = blockDim.x * blockIdx.x + threadIdx.x;
    if (gid < n) {
        c[gid] = a[gid] + b[gid];
    }
}

int main() {
    size_t bytes = N * sizeof(float);
    float* ha = (float*)malloc(bytes);
    float* hb = (float*)malloc(bytes);
    float* hc = (float*)malloc(bytes);
    for (int i = 0; i < N; i++) {
        ha[i] = (float)i;
        hb[i] = 2.0f * i;
    }
    float *da, *db, *dc;
    cudaMalloc((void**)&da, bytes);
    cudaMalloc((void**)&db, bytes);
    cudaMalloc((void**)&dc, bytes);
    cudaMemcpy(da, ha, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb, bytes, cudaMemcpyHostToDevice);
    int blocks = (N + THREADS - 1) / THREADS;
    vecAdd<<<blocks, THREADS>>>(da, db, dc, N);
    cudaMemcpy(hc, dc, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", hc[N - 1]);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(ha); free(hb); free(hc);
}
