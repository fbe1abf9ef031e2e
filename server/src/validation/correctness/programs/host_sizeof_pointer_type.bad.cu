// BROKEN: the size of a pointer is taken for that of a particle: half of them are copied.
#include <cstdio>
#include <cuda_runtime.h>

struct Particle {
    float x, y, z, mass;
};

__global__ void weigh(const Particle* particles, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = particles[i].mass * particles[i].x;
}

int main() {
    const int n = 900;
    Particle *host = new Particle[n](), *particles;
    float *out, result[n];
    cudaMalloc(&particles, n * sizeof(Particle));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(particles, host, n * sizeof(Particle*), cudaMemcpyHostToDevice);  // BUG: copy-size
    weigh<<<(n + 127) / 128, 128>>>(particles, out, n);
    cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%f\n", result[5]);
    cudaFree(particles);
    cudaFree(out);
    delete[] host;
}
