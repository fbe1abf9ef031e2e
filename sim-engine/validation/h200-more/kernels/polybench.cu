// Dense linear algebra as in PolyBench: one thread an element of the result, sizes in macros.
#include <cstdio>
#include <cuda_runtime.h>

#define NI 1024
#define NJ 1024
#define NK 1024
#define ALPHA 1.5f
#define BETA 0.5f
typedef float DATA_TYPE;

__global__ void gemm(DATA_TYPE *a, DATA_TYPE *b, DATA_TYPE *c) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if ((i < NI) && (j < NJ)) {
        c[i * NJ + j] *= BETA;
        for (int k = 0; k < NK; k++) c[i * NJ + j] += ALPHA * a[i * NK + k] * b[k * NJ + j];
    }
}

__global__ void atax1(DATA_TYPE *A, DATA_TYPE *x, DATA_TYPE *tmp, int nx, int ny) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
        tmp[i] = 0;
        for (int j = 0; j < ny; j++) tmp[i] += A[i * ny + j] * x[j];
    }
}

__global__ void atax2(DATA_TYPE *A, DATA_TYPE *y, DATA_TYPE *tmp, int nx, int ny) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        y[j] = 0;
        for (int i = 0; i < nx; i++) y[j] += A[i * ny + j] * tmp[i];
    }
}

__global__ void gesummv(DATA_TYPE *a, DATA_TYPE *b, DATA_TYPE *x, DATA_TYPE *y, DATA_TYPE *tmp) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NI) {
        for (int j = 0; j < NJ; j++) {
            tmp[i] += a[i * NJ + j] * x[j];
            y[i] += b[i * NJ + j] * x[j];
        }
        y[i] = ALPHA * tmp[i] + BETA * y[i];
    }
}

__global__ void conv2d(DATA_TYPE *A, DATA_TYPE *B) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    DATA_TYPE c11 = +0.2f, c21 = +0.5f, c31 = -0.8f, c12 = -0.3f, c22 = +0.6f, c32 = -0.9f, c13 = +0.4f, c23 = +0.7f, c33 = +0.10f;
    if ((i < NI - 1) && (j < NJ - 1) && (i > 0) && (j > 0)) {
        B[i * NJ + j] = c11 * A[(i - 1) * NJ + (j - 1)] + c21 * A[(i - 1) * NJ + (j + 0)] + c31 * A[(i - 1) * NJ + (j + 1)] +
                        c12 * A[(i + 0) * NJ + (j - 1)] + c22 * A[(i + 0) * NJ + (j + 0)] + c32 * A[(i + 0) * NJ + (j + 1)] +
                        c13 * A[(i + 1) * NJ + (j - 1)] + c23 * A[(i + 1) * NJ + (j + 0)] + c33 * A[(i + 1) * NJ + (j + 1)];
    }
}

__global__ void jacobi(const double *__restrict__ in, double *__restrict__ out, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1)
        out[i * n + j] = 0.2 * (in[i * n + j] + in[i * n + (j - 1)] + in[i * n + (1 + j)] + in[(1 + i) * n + j] + in[(i - 1) * n + j]);
}

__global__ void mean(DATA_TYPE *mean, DATA_TYPE *data, int m, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++) mean[j] += data[i * m + j];
        mean[j] /= (DATA_TYPE)n;
    }
}

int main() {
    DATA_TYPE *a, *b, *c, *x, *y;
    cudaMalloc(&a, sizeof(double) * NI * NK);
    cudaMalloc(&b, sizeof(double) * NK * NJ);
    cudaMalloc(&c, sizeof(DATA_TYPE) * NI * NJ);
    cudaMalloc(&x, sizeof(DATA_TYPE) * NJ);
    cudaMalloc(&y, sizeof(DATA_TYPE) * NJ);
    cudaMemset(a, 0, sizeof(double) * NI * NK);
    cudaMemset(b, 0, sizeof(double) * NK * NJ);
    cudaMemset(c, 0, sizeof(DATA_TYPE) * NI * NJ);
    dim3 block(32, 8);
    dim3 grid((NJ + block.x - 1) / block.x, (NI + block.y - 1) / block.y);
    gemm<<<grid, block>>>(a, b, c);
    atax1<<<NI / 256, 256>>>(a, x, y, NI, NJ);
    atax2<<<NJ / 256, 256>>>(a, x, y, NI, NJ);
    gesummv<<<NI / 256, 256>>>(a, b, x, y, c);
    conv2d<<<grid, block>>>(a, b);
    jacobi<<<grid, block>>>((double *)a, (double *)b, NI);
    mean<<<NJ / 128, 128>>>(x, a, NJ, NI);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
