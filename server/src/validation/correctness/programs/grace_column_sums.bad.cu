// BROKEN: all rows of the block add to the column's sum at once.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void column_sums(const float* m, float* sums, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) sums[x] += m[y * w + x];  // BUG: global-memory-race
}

int main() {
    const int w = 500, h = 300;
    std::vector<float> v(w * h, 1.f), s(w);
    float *m, *sums;
    cudaMalloc(&m, v.size() * sizeof(float));
    cudaMalloc(&sums, w * sizeof(float));
    cudaMemcpy(m, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(sums, 0, w * sizeof(float));
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    column_sums<<<grid, block>>>(m, sums, w, h);
    cudaMemcpy(s.data(), sums, w * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", s[1]);
    cudaFree(m);
    cudaFree(sums);
}
