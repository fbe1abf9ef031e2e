// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void push(const int* row, const int* col, int* parent, int n) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n) return;
    for (int e = row[u]; e < row[u + 1]; ++e) {
        int v = col[e];
        atomicMax(&parent[v], u);
    }
}

int main() {
    const int n = 2000;
    std::vector<int> row(n + 1), col(2 * n);
    for (int u = 0; u <= n; ++u) row[u] = 2 * u;
    for (int u = 0; u < n; ++u) {
        col[2 * u] = (u + 1) % n;
        col[2 * u + 1] = (u + n - 1) % n;
    }
    int *r, *c, *parent;
    cudaMalloc(&r, (n + 1) * sizeof(int));
    cudaMalloc(&c, 2 * n * sizeof(int));
    cudaMalloc(&parent, n * sizeof(int));
    cudaMemcpy(r, row.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(c, col.data(), 2 * n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(parent, 0xff, n * sizeof(int));
    push<<<(n + 255) / 256, 256>>>(r, c, parent, n);
    cudaMemcpy(row.data(), parent, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", row[0]);
    cudaFree(r);
    cudaFree(c);
    cudaFree(parent);
}
