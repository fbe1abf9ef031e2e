// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int STAGES = 2;
constexpr int LANES = 64;

__global__ void ring_pipe(const float* in, float* out, int tiles) {
    __shared__ float ring[STAGES][LANES];
    int t = threadIdx.x;
    bool producer = t < LANES;
    float acc = 0.f;
    for (int k = 0; k <= tiles; ++k) {
        if (producer) {
            if (k < tiles) ring[k % STAGES][t] = in[(blockIdx.x * tiles + k) * LANES + t];
        } else if (k > 0) {
            acc += ring[(k - 1) % STAGES][t - LANES];
        }
        __syncthreads();
    }
    if (!producer) out[blockIdx.x * LANES + t - LANES] = acc;
}

int main() {
    const int tiles = 10, blocks = 12, n = tiles * blocks * LANES;
    std::vector<float> h(n, 1.f), o(blocks * LANES);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, o.size() * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    ring_pipe<<<blocks, 2 * LANES>>>(in, out, tiles);
    cudaMemcpy(o.data(), out, o.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
