// CLEAN: the block meets before the halo is read through the view.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int N, int R>
struct Halo {
    float* cells;
    __device__ float& operator[](int i) { return cells[i + R]; }
    __device__ const float& operator[](int i) const { return cells[i + R]; }
};

template <int N, int R>
__global__ void blur(const float* __restrict__ in, float* __restrict__ out, int n) {
    __shared__ float storage[N + 2 * R];
    Halo<N, R> row{storage};
    const int t = threadIdx.x, g = blockIdx.x * N + t;
    row[t] = g < n ? in[g] : 0.f;
    if (t < R) {
        const int l = g - R, r = g + N;
        row[t - R] = l >= 0 ? in[l] : 0.f;
        row[t + N] = r < n ? in[r] : 0.f;
    }
    __syncthreads();
    float sum = 0.f;
    for (int k = -R; k <= R; ++k) sum += row[t + k];
    if (g < n) out[g] = sum / (2 * R + 1);
}

int main() {
    const int n = 100000;
    std::vector<float> h(n, 3.f);
    float *in, *out;
    cudaMalloc((void**)&in, n * sizeof(float));
    cudaMalloc((void**)&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    blur<192, 3><<<(n + 191) / 192, 192>>>(in, out, n);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[9]);
    cudaFree(in);
    cudaFree(out);
}
