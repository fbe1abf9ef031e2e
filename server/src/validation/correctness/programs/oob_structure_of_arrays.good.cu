// CLEAN: all of the structure's arrays are allocated for all particles.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Particles {
    float *x, *y, *z;
    int count;
};

__global__ void drift(Particles p, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    p.x[i] += dt;
    p.y[i] += dt;
    p.z[i] += dt;
}

int main() {
    Particles p;
    p.count = 4096;
    const size_t bytes = p.count * sizeof(float);
    cudaMalloc(&p.x, bytes);
    cudaMalloc(&p.y, bytes);
    cudaMalloc(&p.z, bytes);
    cudaMemset(p.x, 0, bytes);
    cudaMemset(p.y, 0, bytes);
    cudaMemset(p.z, 0, bytes);
    drift<<<(p.count + 127) / 128, 128>>>(p, 0.1f);
    std::vector<float> h(p.count);
    cudaMemcpy(h.data(), p.x, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(p.x); cudaFree(p.y); cudaFree(p.z);
}
