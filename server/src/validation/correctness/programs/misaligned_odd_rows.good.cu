// CLEAN: rows are padded to a multiple of four floats.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename V, typename T>
__device__ V load_as(const T* p) { return *reinterpret_cast<const V*>(p); }

__global__ void row_sums(const float* m, float* sums, int cols, int ld) {
    const float* row = m + blockIdx.x * ld;
    float sum = 0.f;
    for (int c = threadIdx.x * 4; c + 3 < cols; c += blockDim.x * 4) {
        float4 v = load_as<float4>(row + c);
        sum += v.x + v.y + v.z + v.w;
    }
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main() {
    const int rows = 40, cols = 101, ld = 104;
    std::vector<float> h(rows * ld, 1.f), r(rows);
    float *m, *sums;
    cudaMalloc(&m, h.size() * sizeof(float));
    cudaMalloc(&sums, rows * sizeof(float));
    cudaMemcpy(m, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_sums<<<rows, 32>>>(m, sums, cols, ld);
    cudaMemcpy(r.data(), sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", r[0]);
    cudaFree(m);
    cudaFree(sums);
}
