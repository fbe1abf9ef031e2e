// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void spmv_coo(const int* row, const int* col, const float* val, const float* x, float* y, int nnz) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < nnz) {
        float p = val[k] * x[col[k]];
        atomicAdd(&y[row[k]], p);
    }
}

int main() {
    const int rows = 1000, nnz = rows * 3;
    std::vector<int> r(nnz), c(nnz);
    std::vector<float> v(nnz, 1.f), x(rows, 2.f);
    for (int k = 0; k < nnz; ++k) {
        r[k] = k / 3;
        c[k] = (k * 5) % rows;
    }
    int *dr, *dc;
    float *dv, *dx, *dy;
    cudaMalloc(&dr, nnz * sizeof(int));
    cudaMalloc(&dc, nnz * sizeof(int));
    cudaMalloc(&dv, nnz * sizeof(float));
    cudaMalloc(&dx, rows * sizeof(float));
    cudaMalloc(&dy, rows * sizeof(float));
    cudaMemcpy(dr, r.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), nnz * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, rows * sizeof(float));
    spmv_coo<<<(nnz + 255) / 256, 256>>>(dr, dc, dv, dx, dy, nnz);
    cudaMemcpy(x.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", x[0]);
    cudaFree(dr); cudaFree(dc); cudaFree(dv); cudaFree(dx); cudaFree(dy);
}
