#include <cstdio>
#include <cuda_runtime.h>

constexpr int WIDTH = 128;

// More blocks are launched than there are rows.
__global__ void slopes(const float* field, float* out, int rows) {
    const int row = blockIdx.x;
    if (row >= rows) return;
    __shared__ float here[WIDTH];
    const int t = threadIdx.x;
    here[t] = field[row * WIDTH + t];
    __syncthreads();
    const float left = here[t == 0 ? 0 : t - 1];
    const float below = row + 1 < rows ? field[(row + 1) * WIDTH + t] : left;
    out[row * WIDTH + t] = below - left;
}

int main() {
    const int rows = 21;
    static float host[rows * WIDTH];
    float *field, *out;
    cudaMalloc(&field, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(field, host, sizeof(host), cudaMemcpyHostToDevice);
    slopes<<<32, WIDTH>>>(field, out, rows);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    cudaFree(field);
    cudaFree(out);
}
