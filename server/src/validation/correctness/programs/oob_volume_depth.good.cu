// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Volume {
    float* data;
    int w, h, d;
};

__global__ void threshold(Volume v, float limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < v.w && y < v.h && z < v.d) {
        float* p = v.data + (z * v.h + y) * v.w + x;
        *p = fminf(*p, limit);
    }
}

int main() {
    Volume v{nullptr, 60, 50, 30};
    const size_t count = size_t(v.w) * v.h * v.d;
    std::vector<float> h(count, 3.0f);
    cudaMalloc(&v.data, count * sizeof(float));
    cudaMemcpy(v.data, h.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 4, 4);
    dim3 grid((v.w + 15) / 16, (v.h + 3) / 4, (v.d + 3) / 4);
    threshold<<<grid, block>>>(v, 1.0f);
    cudaMemcpy(h.data(), v.data, count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(v.data);
}
