// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void row_sums(const float* m, float* out, int cols, int pitch) {
    __shared__ float s[128];
    const float4* row = reinterpret_cast<const float4*>(m + blockIdx.x * pitch);
    float acc = 0.f;
    for (int c = threadIdx.x; c < cols / 4; c += blockDim.x) {
        float4 v = row[c];
        acc += v.x + v.y + v.z + v.w;
    }
    s[threadIdx.x] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 128; ++k) acc += s[k];
        out[blockIdx.x] = acc;
    }
}

int main() {
    const int rows = 50, cols = 1000, pitch = 1004;
    std::vector<float> h(rows * pitch, 1.f), o(rows);
    float *m, *out;
    cudaMalloc(&m, rows * pitch * sizeof(float));
    cudaMalloc(&out, rows * sizeof(float));
    cudaMemcpy(m, h.data(), rows * pitch * sizeof(float), cudaMemcpyHostToDevice);
    row_sums<<<rows, 128>>>(m, out, cols, pitch);
    cudaMemcpy(o.data(), out, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[1]);
    cudaFree(m);
    cudaFree(out);
}
