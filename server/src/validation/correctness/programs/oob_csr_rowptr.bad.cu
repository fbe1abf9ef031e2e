// BROKEN: the row pointers on the device miss their last entry: thread 183 of block 11 (row 2,999) reads rowptr[3000] of 3,000.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void spmv_csr(int rows, const int* rowptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float sum = 0.0f;
        int begin = rowptr[r], end = rowptr[r + 1];  // BUG: out-of-bounds-access (or line 25)
        for (int k = begin; k < end; ++k) sum += val[k] * x[col[k]];
        y[r] = sum;
    }
}

int main() {
    const int rows = 3000, perRow = 4, nnz = rows * perRow;
    std::vector<int> rowptr(rows + 1), col(nnz);
    std::vector<float> val(nnz, 0.25f), x(rows, 1.0f);
    for (int r = 0; r <= rows; ++r) rowptr[r] = r * perRow;
    for (int k = 0; k < nnz; ++k) col[k] = (k / perRow + k % perRow) % rows;
    const int nptr = rows;
    int *dp, *dc;
    float *dv, *dx, *dy;
    cudaMalloc(&dp, nptr * sizeof(int));
    cudaMalloc(&dc, nnz * sizeof(int));
    cudaMalloc(&dv, nnz * sizeof(float));
    cudaMalloc(&dx, rows * sizeof(float));
    cudaMalloc(&dy, rows * sizeof(float));
    cudaMemcpy(dp, rowptr.data(), nptr * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), nnz * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
    spmv_csr<<<(rows + 255) / 256, 256>>>(rows, dp, dc, dv, dx, dy);
    cudaMemcpy(x.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", x[rows - 1]);
    cudaFree(dp); cudaFree(dc); cudaFree(dv); cudaFree(dx); cudaFree(dy);
}
