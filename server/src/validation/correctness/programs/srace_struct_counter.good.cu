// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Stats {
    int above;
    float peak;
};

__global__ void block_stats(const float* x, Stats* out, float limit) {
    __shared__ Stats st;
    int t = threadIdx.x;
    if (t == 0) {
        st.above = 0;
        st.peak = limit;
    }
    __syncthreads();
    float v = x[blockIdx.x * blockDim.x + t];
    if (v > st.peak) atomicAdd(&st.above, 1);
    __syncthreads();
    if (t == 0) out[blockIdx.x] = st;
}

int main() {
    const int threads = 192, blocks = 20, n = threads * blocks;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i % 2) ? 0.1f : 0.9f;
    std::vector<Stats> o(blocks);
    float* x;
    Stats* out;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(Stats));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    block_stats<<<blocks, threads>>>(x, out, 0.5f);
    cudaMemcpy(o.data(), out, blocks * sizeof(Stats), cudaMemcpyDeviceToHost);
    printf("%d\n", o[0].above);
    cudaFree(x);
    cudaFree(out);
}
